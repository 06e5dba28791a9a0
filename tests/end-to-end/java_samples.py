"""
Samples of Java threads, on every JDK that is here: which calls they were in, against what the programs know of themselves.
HEDDLE_TEST_GARBAGE_MS says how much processor time each thread takes that makes garbage under each collector (ci/soak: 10 s).
"""
import glob
import math
import os
import re
import signal
import subprocess
import time

import pytest

from harness import check, directory, environment, heddle, holds_mostly, record, run, same
from java import AGENT, JDKS, command
from sampled import check_samples
from trace import Trace, check_well_formed

GARBAGE_MS = int(os.environ.get("HEDDLE_TEST_GARBAGE_MS", "500"))
COLLECTORS = ("Serial", "Parallel", "G1", "Z")
LAST = int(signal.SIGRTMAX)


def counts_of(trace):
    """What the process counted: due, taken, and lost by reason."""
    found = []
    for path in glob.glob(os.path.join(trace, "raw", "*", "process")):
        with open(path, errors="replace") as file:
            found += re.findall(r"^java-samples: (.*)$", file.read(), re.M)
    return [int(n) for n in found[-1].split()]


def sampled(jdk, *arguments, options=(), period="1ms", **settings):
    """Runs Samples with the agent's samples alone; what was due was taken or lost, and what was taken is in the archive."""
    done = record(command(jdk, "Samples", *arguments, options=options), "--keep-raw", HEDDLE_SAMPLE=period, **settings)
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check(f"done {arguments[0]}\n" in done.out, f"the program's output: {done.out}")
    check_well_formed(Trace(done.trace))
    samples = check_samples(done.trace)
    due, taken, *lost = counts_of(done.trace)
    same(taken + sum(lost), due, "taken and lost samples")
    same((samples.number("SAMPLES"), samples.number("SAMPLES_LOST")), (taken, sum(lost)), "what the archive has and has not")
    samples.lost()
    return done, samples


def functions(sample):
    return [function for function, _ in sample.path]


@pytest.mark.parametrize("jdk", JDKS)
def test_a_jvm_has_no_samples_unless_they_are_asked_for(jdk):
    done = record(command(jdk, "Samples", "shares", 50, 2))
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check(not os.path.exists(os.path.join(done.trace, "samples.otf2")), "nobody asked")


@pytest.mark.parametrize("jdk", JDKS)
def test_methods_have_the_shares_of_samples_that_they_take_of_the_time(jdk):
    names = ("one", "two", "three", "four")

    def in_their_intervals():
        """95 %, all four at once: in one of twenty runs some share is outside, by chance."""
        done, samples = sampled(jdk, "shares", 1500, 2)
        truth = done.truths()
        found = {name: len(samples.in_function(f"Samples.{name}")) for name in names}
        total, time_of_all = sum(found.values()), sum(truth[name] for name in names)
        check(total >= 200, f"{total} samples in 3 s of processor time")
        for name in names:
            share = truth[name] / time_of_all
            width = 2.498 * math.sqrt(share * (1 - share) / total)
            if abs(found[name] / total - share) > width:
                return False
        same({s.thread for s in samples.in_function("Samples.four")}, {"share 0", "share 1"}, "threads that were in four()")
        return True

    holds_mostly(in_their_intervals, "all shares are in their intervals")


@pytest.mark.parametrize("jdk", JDKS)
def test_each_call_of_a_recursion_is_in_the_path(jdk):
    _, samples = sampled(jdk, "recursion", 500)
    found = [s for s in samples.in_function("Samples.one") if functions(s)[-1] == "Samples.one"]  # mix() is inlined only once it is compiled
    check(len(found) >= 20, f"{len(found)} samples")
    for sample in found:
        same(functions(sample), ["Samples.main", *11 * ["Samples.even", "Samples.odd"], "Samples.work", "Samples.one"], "the path")
    with open(os.path.join(os.path.dirname(__file__), "..", "programs", "java", "Samples.java")) as file:
        source = file.read().splitlines()
    calls = {number for number, line in enumerate(source, 1) if "even(calls - 1, ms);" in line or "odd(calls - 1, ms);" in line}
    same({line for s in found for function, line in s.path[1:-3] if function in ("Samples.even", "Samples.odd")}, calls, "lines of the calls")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_stack_is_whole_up_to_512_calls_and_then_cut(jdk):
    _, samples = sampled(jdk, "deep", 300, 505)  # with main, down for the last time, work and one: 509
    found = [s for s in samples.in_function("Samples.down") if functions(s)[-1] == "Samples.one"]
    check(len(found) >= 10, f"{len(found)} samples below down()")
    for sample in found:
        same(functions(sample), ["Samples.main", *506 * ["Samples.down"], "Samples.work", "Samples.one"], "the path")
    _, samples = sampled(jdk, "deep", 300, 600)
    found = [s for s in samples.in_function("Samples.down") if functions(s)[-1] == "Samples.one"]
    check(len(found) >= 10, f"{len(found)} samples below down()")
    for sample in found:
        same(functions(sample), ["[callers unknown]", *510 * ["Samples.down"], "Samples.work", "Samples.one"], "the path that is cut")
    whole = [s for s in samples.in_function("Samples.flat") if functions(s)[-1] == "Samples.one"]
    check(len(whole) >= 10, f"{len(whole)} samples below flat()")
    for sample in whole:
        same(functions(sample), ["Samples.main", "Samples.flat", "Samples.work", "Samples.one"], "the path that is short")


@pytest.mark.parametrize("case", [f"{jdk}-{collector}" for jdk in JDKS for collector in COLLECTORS])
def test_every_collector_goes_on_beside_samples(case):
    jdk, collector = case.rsplit("-", 1)
    _, samples = sampled(jdk, "garbage", GARBAGE_MS, options=[f"-XX:+Use{collector}GC", "-Xmx256m"])
    found = samples.in_function("Samples.allocate")
    same({s.thread for s in found}, {"main", "allocates"}, "threads that allocate")
    check(len(found) >= 10, f"{len(found)} samples in allocate()")


@pytest.mark.parametrize("jdk", JDKS)
def test_threads_that_come_and_go_have_samples(jdk):
    _, samples = sampled(jdk, "churn", 700)
    found = samples.in_function("Samples.one")
    check(len({s.thread for s in found}) >= 10, f"threads with samples: {len({s.thread for s in found})}")
    check(not any(s.thread == "main" for s in found), "main() does not work itself")


@pytest.mark.parametrize("jdk", JDKS)
def test_calls_of_a_virtual_thread_are_on_its_carrier(jdk):
    if run([JDKS[jdk], "--version"]).out.split()[1].split(".")[0] < "21":
        pytest.skip("it has no virtual threads")
    _, samples = sampled(jdk, "virtual", 800)
    found = [s for s in samples.in_function("Samples.one")]
    check(len(found) >= 50, f"{len(found)} samples")
    check(all(s.thread.startswith("ForkJoinPool-1-worker-") for s in found), f"threads: { {s.thread for s in found} }")
    # At a few places of code the JVM knows the method, but not its callers.
    without = [functions(s) for s in found if not any(f.startswith("Samples.lambda$runVirtual") for f in functions(s))]
    check(len(without) <= len(found) / 50 and all(path == ["Samples.one"] for path in without), f"paths, of {len(found)}: {without}")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_programs_own_signals_arrive(jdk):
    """SIGPROF is the program's; a signal that nobody handles ends it, also one of the kind that samples use."""
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen(command(jdk, "Samples", "signals", 20, options=[f"-agentpath:{AGENT}"]), stdout=subprocess.PIPE, text=True,
                               env=environment(HEDDLE_SAMPLE="1ms", HEDDLE_DIR=trace))
    same(process.stdout.readline(), "ready\n", "first line")
    for number in range(1, 21):
        time.sleep(0.02)  # in which the program computes
        process.send_signal(signal.SIGPROF)
        same(process.stdout.readline(), f"come {number}\n", "the program's handler")
    same((process.stdout.read(), process.wait()), ("done signals\n", 0), "the end of the program")
    check(len(check_samples(trace).in_function("Samples.one")) >= 1, "there are samples")
    for settings in ({}, {"HEDDLE_SAMPLE": "1ms", "HEDDLE_DIR": os.path.join(directory(), "run.heddle")}):
        process = subprocess.Popen(command(jdk, "Samples", "forever", options=[f"-agentpath:{AGENT}"] if settings else []),
                                   stdout=subprocess.PIPE, text=True, env=environment(**settings))
        same(process.stdout.readline(), "ready\n", "first line")
        process.send_signal(LAST - 1)
        same(process.wait(), -(LAST - 1), "how the program ends")


@pytest.mark.parametrize("jdk", JDKS)
def test_calls_of_the_system_go_on(jdk):
    done, samples = sampled(jdk, "io", 200)
    same(done.truths(), {"bytes": 200 << 20, "sum": (200 << 20) // 256 * (255 * 256 // 2)}, "what came through the socket")
    check("failed" not in done.out and len(samples.list) >= 10, f"{len(samples.list)} samples")


def timers_of(pid):
    """The kernel's list of a process' timers; None: it has none."""
    path = f"/proc/{pid}/timers"
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return len(re.findall(r"^ID:", file.read(), re.M))


@pytest.mark.parametrize("jdk", JDKS)
def test_a_jvm_is_sampled_from_attach_to_detach(jdk):
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen(command(jdk, "Samples", "forever", options=["-XX:+EnableDynamicAgentLoading"]), stdout=subprocess.PIPE, text=True,
                               env=environment())
    try:
        same(process.stdout.readline(), "ready\n", "first line")
        done = heddle("attach", "-o", trace, "--java", "sample=4ms", str(process.pid))
        same(done.status, 0, f"heddle attach ({done.err})")
        check(timers_of(process.pid) != 0, "threads have timers")
        time.sleep(1)
        done = heddle("detach", str(process.pid))
        same(done.status, 0, f"heddle detach ({done.err})")
        check(timers_of(process.pid) in (0, None), "no thread has a timer any more")
        time.sleep(0.2)
        same(process.poll(), None, "the program goes on")
    finally:
        process.kill()
        process.communicate()
    samples = check_samples(trace)
    found = samples.in_function("Samples.one")
    check(len(found) >= 10, f"{len(found)} samples")
    same({functions(s)[0] for s in found}, {"Samples.main"}, "outermost calls")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_killed_jvms_samples_are_there(jdk):
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen(command(jdk, "Samples", "forever", options=[f"-agentpath:{AGENT}"]), stdout=subprocess.PIPE, text=True,
                               env=environment(HEDDLE_SAMPLE="4ms", HEDDLE_DIR=trace))
    same(process.stdout.readline(), "ready\n", "first line")
    time.sleep(2)
    process.kill()
    process.communicate()
    same(heddle("convert", trace).status, 0, "heddle convert")
    check(len(check_samples(trace).in_function("Samples.one")) >= 10, "samples in one()")


@pytest.mark.parametrize("jdk", JDKS)
def test_methods_of_classes_that_are_unloaded_have_names_or_are_counted(jdk):
    """Classes go within 50 ms, names are read every 500 ms: some go without."""
    done, samples = sampled(jdk, "unload", 1500)
    check(done.truths()["unloaded"] >= 10, "classes were unloaded")
    found = [s for s in samples.list if functions(s)[:2] == ["Samples.main", "Samples.runUnload"] and "Samples.work" in functions(s)]
    check(len(found) >= 50, f"{len(found)} samples in the classes")
    same({functions(s)[2] for s in found} - {"Samples$Unloaded.run", "[unknown method]"}, set(), "methods of the classes")
    check(samples.number("SAMPLES_UNNAMED") >= 1, "some methods have no name")


@pytest.mark.parametrize("jdk", JDKS)
def test_without_the_option_there_are_no_samples(jdk):
    done = record(command(jdk, "Samples", "recursion", 100), "--keep-raw")
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check(not os.path.exists(os.path.join(done.trace, "samples.otf2")), "there is an archive of samples")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_period_that_is_none_is_said_and_nothing_is_sampled(jdk):
    done = record(command(jdk, "Samples", "recursion", 50), HEDDLE_SAMPLE="often")
    same((done.status, done.own_err, done.out), (0, "", "done recursion\n"), "status and output")
    check(any("HEDDLE_SAMPLE" in line for line in done.tool_err), f"heddle's lines: {done.tool_err}")


@pytest.mark.parametrize("jdk", JDKS)
def test_sums_alone_have_no_samples(jdk):
    done = record(command(jdk, "Samples", "recursion", 100), HEDDLE_SAMPLE="10ms", HEDDLE_PROFILE="1")
    same((done.status, done.own_err, done.out), (0, "", "done recursion\n"), "status and output")
    check(any("HEDDLE_SAMPLE" in line for line in done.tool_err), f"heddle's lines: {done.tool_err}")
    check(not os.path.exists(os.path.join(done.trace, "samples.otf2")), "there is an archive of samples")
