"""
Stops of threads by a JVM without an event of JVMTI. Allocation stalls of ZGC are GC, and safepoints that are no collections are
OFF. Each is on the threads that stood still, and as long as the JVM's own log says.
"""
import collections
import os
import re
import subprocess
import time

import pytest

import harness
from harness import Running, check, directory, environment, heddle, record, same, until_it_happens
from java import AGENT, CLASSES, JDKS, STATES
from jomp import ask
from trace import Trace, check_well_formed

Stop = collections.namedtuple("Stop", "end ns tid name")
STALL = re.compile(r"^\[(\d+)ns\]\[(\d+) *\] Allocation Stall \((.*)\) (\d+)\.(\d\d\d)ms$")
SAFEPOINT = re.compile(r'^\[(\d+)ns\]\[(\d+) *\] Safepoint "(\w+)".*Total: +(\d+) ns')
COLLECTOR = re.compile("(G1|Z|X|Shenandoah|Parallel|Serial)[A-Z]|.*Collect")


def log_of(path):
    """The stalls, and the safepoints that were no collections, as the JVM reported them to the test itself."""
    stalls, safepoints = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if match := STALL.match(line):
                stalls.append(Stop(int(match[1]), int(match[4]) * 1000000 + int(match[5]) * 1000, int(match[2]), match[3]))
            elif (match := SAFEPOINT.match(line)) and not COLLECTOR.match(match[3]):
                safepoints.append(Stop(int(match[1]), int(match[4]), int(match[2]), match[3]))
    return stalls, safepoints


def stopped(jdk, *arguments, options=()):
    log = os.path.join(directory(), "jvm.log")
    own = f"-Xlog:safepoint=info,gc=info:file={log}:timenanos,tid"
    done = record([JDKS[jdk], own, *options, "-cp", CLASSES, "Stops", *map(str, arguments)])
    same((done.status, done.out, done.own_err), (0, "done\n", ""), "status, output and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    return done.trace, trace, *log_of(log)


def spans(trace, location, name):
    return [leave.time - enter.time for region, enter, leave in trace.spans(location) if region.name == name]


def times_add_up(path):
    for thread in ask("states", path)["threads"]:
        same(sum(thread[state]["ticks"] for state in STATES if state in thread), thread["lifetime"]["ticks"], f"states of {thread['thread_name']}")


def is_near(found_ns, told_ns, times):
    """The JVM reports the end of each stop a moment late, and records may come before."""
    return abs(found_ns - told_ns) <= 0.02 * told_ns + 20000 * times


@pytest.mark.parametrize("jdk", JDKS)
def test_a_stalled_thread_is_in_gc_as_long_as_the_jvm_says(jdk):
    def attempt():
        path, trace, stalls, _ = stopped(jdk, "stalls", 4, 1500, options=("-XX:+UseZGC", "-Xmx200m"))
        return (path, trace, stalls) if len(stalls) > 10 else None

    path, trace, stalls = until_it_happens(attempt, "a thread stalled 10 times")
    second = trace.ticks_per_second / 1e9
    told = collections.defaultdict(list)
    for stall in stalls:
        told[stall.tid].append(stall.ns)
    found = {int(l.properties["HEDDLE::TID"]): spans(trace, l, "allocation stall") for l in trace.locations
             if l.name.startswith("allocates (")}
    same(len(found), 4, "threads that allocate")
    for tid, ticks in found.items():
        same(len(ticks), len(told[tid]), f"stalls of thread {tid}")
        ns = sum(ticks) / second
        check(is_near(ns, sum(told[tid]), len(ticks)), f"stalls of {ns:.0f} ns, the JVM says {sum(told[tid])}")
    # Nobody else stalled, whatever a thread's name looks like.
    same(sum(len(spans(trace, l, "allocation stall")) for l in trace.locations), sum(map(len, found.values())), "stalls of all threads")
    times_add_up(path)


@pytest.mark.parametrize("jdk", JDKS)
def test_a_safepoint_is_off_on_threads_that_ran(jdk):
    n = 20
    path, trace, _, safepoints = stopped(jdk, "dumps", n)
    computes = [l for l in trace.locations if l.name == "computes"]
    same(len(computes), 1, "threads that compute")
    found = [(enter.attributes["operation"], leave.time - enter.time) for region, enter, leave in trace.spans(computes[0])
             if region.name == "safepoint"]
    dumps = [ticks for name, ticks in found if name == "ThreadDump"]
    told = [stop.ns for stop in safepoints if stop.name == "ThreadDump"]
    same((len(dumps), len(told)), (n, n), "dumps that stopped the thread, and those that the JVM tells")
    ns = sum(dumps) * 1e9 / trace.ticks_per_second
    check(is_near(ns, sum(told), n), f"dumps of {ns:.0f} ns, the JVM says {sum(told)}")
    # One that slept or waited meanwhile has them not.
    for location in trace.locations:
        for region, enter, leave in trace.spans(location):
            check(region.name != "safepoint" or leave.time > enter.time, "a safepoint without length")
    times_add_up(path)


@pytest.mark.parametrize("jdk", JDKS)
def test_a_killed_jvm_has_its_stalls(jdk):
    """Its threads made no record since they began."""
    def attempt():
        log = os.path.join(directory(), "jvm.log")
        place = os.path.join(directory(), "run.heddle")
        program = subprocess.Popen([JDKS[jdk], f"-agentpath:{AGENT}", f"-Xlog:gc=info:file={log}:timenanos,tid", "-XX:+UseZGC", "-Xmx200m", "-cp",
                                    CLASSES, "Stops", "stalls", "4", "60000"], env=environment(HEDDLE_DIR=place), stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        program.kill()
        program.wait()
        same(heddle("convert", place).status, 0, "heddle convert")
        trace = Trace(place)
        check_well_formed(trace)
        told = len(log_of(log)[0])
        found = sum(len(spans(trace, l, "allocation stall")) for l in trace.locations)
        times_add_up(place)
        return (found, told) if told > 20 else None

    found, told = until_it_happens(attempt, "a thread stalled 20 times")
    check(told - 8 <= found <= told, f"{found} stalls, the JVM tells {told}")


def open_files(pid):
    found = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except FileNotFoundError:
            pass
    return found


def has_begun(log):
    time.sleep(0.1)
    return os.path.exists(log) and os.path.getsize(log) > 0 or None


class Dumping(Running):
    """A JVM without Heddle that dumps its threads n times, and has a log of its own; the test attaches to it."""

    def __init__(self, jdk, n, *options):
        place = directory()
        self.log, self.trace = os.path.join(place, "own.log"), os.path.join(place, "run.heddle")
        command = [JDKS[jdk], f"-Xlog:safepoint=info:file={self.log}:timenanos,tid", "-cp", CLASSES, "Stops", "dumps", str(n)]
        self.process = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        until_it_happens(lambda: has_begun(self.log), "the JVM ran", 100)
        attached = heddle("attach", "-o", self.trace, *options, str(self.process.pid))
        same(attached.status, 0, f"heddle attach ({attached.err})")

    def end(self):
        """How many safepoints the trace has of the thread that computes, and dumps the log."""
        same(self.process.communicate(timeout=harness.TIMEOUT)[0], "done\n", "output")
        trace = Trace(self.trace)
        check_well_formed(trace)
        threads = [location for location in trace.locations if location.name == "computes"]
        same(len(threads), 1, "threads that compute")
        return len(spans(trace, threads[0], "safepoint")), sum(stop.name == "ThreadDump" for stop in log_of(self.log)[1])


@pytest.mark.parametrize("jdk", JDKS)
def test_an_attached_jvm_has_them_too(jdk):
    with Dumping(jdk, 200) as jvm:
        found, told = jvm.end()
    check(found > 0, f"{found} safepoints since the attach")
    same(told, 200, "dumps in the user's own log")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_detached_jvm_writes_no_log(jdk):
    """And the user's own log stays."""
    with Dumping(jdk, 300, "--for", "300ms") as jvm:
        same([name for name in open_files(jvm.process.pid) if "jvm.log" in name], [], "logs that are open")
        found, told = jvm.end()
    check(found > 0, f"{found} safepoints of the thread that computes")
    same(told, 300, "dumps in the user's own log")
