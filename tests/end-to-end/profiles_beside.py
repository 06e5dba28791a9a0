"""
HEDDLE_PROFILE=beside: each thread keeps sums beside its events. They agree with the events, recorded or omitted, and
they stay where events are lost.
"""
import collections
import os
import signal
import subprocess
import time

import pytest

import harness
import java
import jomp
from budget import STORMS
from harness import ON_LIBGOMP, check, directory, environment, heddle, holds_mostly, program, run, run_traced, same
from kill import counted
from profiles import executions, json_of, kind, rows
from trace import Trace, check_well_formed, read_by_otf2_print

N = 2000
PROGRAMS = ["nqueens", "waits", "constructs/single", "constructs/loop_guided", "constructs/task_detach", "constructs/reduction",
            "constructs/nest_lock", "constructs/masked", "constructs/taskgroup", "constructs/cancel_for"]


def beside(command, **settings):
    plain = harness.past_assertions_of_libomp(lambda: run(command, **settings))
    # In ticks that are ns sums agree with the events: from other ticks each event is rounded, and so is each sum.
    traced = run_traced(command, HEDDLE_PROFILE="beside", HEDDLE_CLOCK="monotonic", **settings)
    same((traced.status, traced.tool_err), (plain.status, []), "exit status and Heddle's lines")
    check_well_formed(Trace(traced.trace))
    return traced


def by_construct(trace):
    return {row["construct"]: row for row in json_of("states", "--by", "region", "--json", trace)["constructs"]}


def times_add_up(trace, ended=True):
    """Each thread's rows have all of its life; the rows of a thread that was not killed have the time of the tool."""
    life, special = collections.Counter(), collections.Counter()
    for row in rows(trace, "--by", "thread"):
        life[row["thread"]] += row["self"]["ticks"]
        special[row["thread"], row["part"]] += row["self"]["ticks"]
    for thread in json_of("states", "--json", trace)["threads"]:
        number = thread["thread"]
        if number is None:
            continue
        same(life[number], thread["lifetime"]["ticks"], f"self times of thread {number}")
        if ended:
            same(special[number, "the tool"],
                 thread["traceflush"]["ticks"], f"time of the tool on thread {number}")


@pytest.mark.parametrize("name", PROGRAMS if not ON_LIBGOMP else ["nqueens", "waits"])
def test_sums_are_those_of_the_events(name):
    traced = beside([program(name)], HEDDLE_BUDGET="none")
    read_by_otf2_print(traced.trace)
    times_add_up(traced.trace)
    found, events = executions(traced.trace), json_of("states", "--by", "region", "--json", traced.trace)["constructs"]
    check("profile row" not in {row["construct"] for row in events}, "heddle states counts the profile's rows as constructs")
    calls = collections.Counter()
    for row in events:
        calls[kind(row)] += row["executions"]
    for (construct, part), n in found.items():
        # The runtime reports the end of a worker's last barrier late: the profile has it outside of constructs. The thread that
        # executes a single has it as "single sblock" there.
        if construct == "!$omp single":
            n += found["!$omp single sblock", "construct"]
        if part in ("construct", "acquire") and construct not in ("!$omp implicit barrier", "!$omp parallel", "!$omp single sblock"):
            same(n, calls[construct], construct)
    same(found["!$omp parallel", "member"], calls["!$omp parallel"], "members of regions")


def test_locks_have_the_times_of_the_events():
    trace = beside([program("waits")], HEDDLE_BUDGET="none").trace
    found = {(kind(row), row["part"]): row for row in rows(trace)}
    locks = json_of("locks", "--json", trace)["locks"]
    states = by_construct(trace)
    same(len(locks), 2, "locks")
    for lock in locks:
        name = "!$omp critical" if lock["kind"] == "critical" else "omp_set_lock"
        wait, hold = found[name, "acquire"], found[name, "hold"]
        same((wait["executions"], wait["longest"]["ticks"], hold["inclusive"]["ticks"]),
             (lock["acquired"], lock["wait_max"]["ticks"], lock["held"]["ticks"]), name)
        same(wait["self"]["ticks"], states[wait["construct"]]["synch_mutex"]["ticks"], f"waits of {name}")
        check(wait["contended"] >= 9, f"thread 1 waits for thread 0 nine times: {wait}")


@pytest.mark.parametrize("what", STORMS)
def test_omitted_instances_are_counted(what):
    holds_mostly(lambda: omitted_are_counted(what), "time that is not measured is that of heddle states")


def omitted_are_counted(what):
    """False: also if the last left-out regions of a stretch, which the table does not have, took too long."""
    traced = beside([program("storms"), what, str(N)], HEDDLE_BUDGET="1/20")
    found = executions(traced.trace)
    for construct, n in STORMS[what].items():
        if construct == "!$omp for":
            same(found[construct, "construct"], 2 * n, construct)
        elif construct == "!$omp single":
            same(found["!$omp single sblock", "construct"] + found[construct, "construct"], 2 * n, construct)
        else:
            same(found[construct, "construct"], n, construct)
            check(found[construct, "member"] >= n, "a region has fewer members than executions")
    times_add_up(traced.trace)
    # On workers heddle states knows less: there the time between omitted regions is UNMEASURED, too. Where it sees that something
    # was recorded inside of left-out constructs, the time has that state.
    master = json_of("states", "--json", traced.trace)["threads"][0]
    unmeasured = sum(row["self"]["ticks"] for row in rows(traced.trace, "--by", "thread", "--only-threads", "0") if row["part"] == "not measured")
    least = master.get("unmeasured", {"ticks": 0})["ticks"]
    # If regions are not timed one by one, the converter knows a bound; the table has none for the last ones of a stretch.
    check(unmeasured > 0 or what == "chunks", "nothing was left out")
    return abs(unmeasured - least) <= 0.1 * least + 1e6


@pytest.mark.parametrize("what", ["locks", "criticals"])
def test_weights_of_locks_count(what):
    trace = beside([program("storms"), what, str(N)], HEDDLE_BUDGET="1/20", OMP_NUM_THREADS="1").trace
    found = {(kind(row), row["part"]): row for row in rows(trace)}
    name = "omp_set_lock" if what == "locks" else "!$omp critical"
    wait, hold = found[name, "acquire"], found[name, "hold"]
    same((wait["executions"], hold["executions"]), (N, N), f"executions of {name}")
    check(sum(1 for row in Trace(trace).locations[0].events) < N, "all are recorded")


def test_tasks_have_their_place_on_every_thread():
    traced = beside([program("nqueens")], HEDDLE_BUDGET="1/8")
    same(executions(traced.trace)["!$omp task", "construct"], traced.truths()["tasks"], "tasks")


def test_a_ring_keeps_the_sums_of_what_it_drops():
    traced = beside([program("storms"), "mixed", str(10 * N)], HEDDLE_BUDGET="none", HEDDLE_RING="64K", HEDDLE_WINDOW="16K")
    found = executions(traced.trace)
    same((found["!$omp parallel", "construct"], found["!$omp for", "construct"]), (20 * N, 20 * N), "executions")
    calls = by_construct(traced.trace)
    check(sum(row["executions"] for name, row in calls.items() if name.startswith("!$omp for")) < 10 * N, "the ring dropped nothing")


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_killed_program_lacks_one_window(name):
    at = directory()
    trace, counters = os.path.join(at, "run.heddle"), os.path.join(at, "counters")
    process = subprocess.Popen([program("counter"), counters], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment(OMP_TOOL_LIBRARIES=harness.TOOL, HEDDLE_DIR=trace, HEDDLE_PROFILE="beside",
                                               HEDDLE_BUDGET="none", HEDDLE_WINDOW="16K",
                                               **({"LD_PRELOAD": harness.GOMP} if ON_LIBGOMP else {})))
    while process.poll() is None and sum(sum(c.values()) for c in counted(counters).values()) < 20000:
        time.sleep(0.001)
    process.send_signal(getattr(signal, name))
    process.communicate()
    done = heddle("convert", trace)
    same(done.status, 0, f"heddle convert ({done.err})")
    check_well_formed(Trace(trace))
    times_add_up(trace, ended=False)
    found = executions(trace)
    counts = counted(counters)
    for key, row in {"criticals": ("!$omp critical", "hold"), "locks": ("omp_set_lock", "hold"), "barriers": ("!$omp barrier", "construct")}.items():
        n = sum(thread[key] for thread in counts.values())
        # A record has 8 bytes or more, and an execution of these two or more records.
        check(n - len(counts) * 16384 // 16 <= found[row] <= n + 4, f"the program counted {n} {key}, the profile has {found[row]}")


def test_children_have_profiles_of_their_own():
    way = "daemon" if ON_LIBGOMP else "fork"  # libgomp has no threads in a child
    traced = run_traced([program("processes"), way], HEDDLE_PROFILE="beside")
    archive = Trace(traced.trace)
    check_well_formed(archive)
    check(len({location.group for location in archive.locations}) > 1, "there is one process only")
    times_add_up(traced.trace, ended=False)  # the child calls _exit


def waits_of(rows_of):
    """Parks have names by the class of their object in the trace, but not in the profile."""
    found = collections.Counter()
    for name, n, ticks in rows_of:
        name = "park" if name in ("lock", "idle") else name
        if name in java.WAITS:
            found[name, "number"] += n
            found[name, "ticks"] += ticks
    return found


@pytest.mark.parametrize("jdk", java.JDKS)
def test_waits_of_java_are_rows(jdk):
    if ON_LIBGOMP:
        pytest.skip("Java has no libgomp")
    done, trace = java.traced(jdk, "Waits", 3, HEDDLE_PROFILE="beside", HEDDLE_BUDGET="none", HEDDLE_CLOCK="monotonic")
    profile = json_of("profile", "--json", done.trace)["rows"]
    found = waits_of((kind(row), row["executions"], row["self"]["ticks"]) for row in profile)
    spans = waits_of((region.name.split(" @")[0], 1, leave.time - enter.time) for location in trace.locations
                     for region, enter, leave in trace.spans(location) if "closed" not in leave.attributes)
    check(spans["Thread.sleep", "number"] >= 3 and spans["Object.wait", "number"] >= 3, f"waits of the trace: {spans}")
    for counts in (found, spans):  # threads of the JVM wait when it ends: their time is in the profile, but it is no execution
        del counts["Object.wait", "ticks"]
    same(found, spans, "waits")


@pytest.mark.parametrize("name", jomp.JAVAS)
def test_constructs_of_jomp_are_rows(name):
    if ON_LIBGOMP:
        pytest.skip("Java has no libgomp")
    n = 48
    trace = jomp.traced(name, 2, "LU", str(n), HEDDLE_PROFILE="beside", HEDDLE_BUDGET="none").trace
    found = executions(trace)
    same((found["//omp parallel", "construct"], found["//omp parallel", "member"], found["//omp for", "construct"]), (n, 2 * n, 4 * n), "executions")
    regions = {row["construct"] for row in rows(trace) if kind(row) == "//omp parallel" and row["part"] == "construct"}
    same({row["construct"] for row in rows(trace) if row["part"] == "member"}, regions, "regions of members")


def test_without_a_profile_the_command_says_so():
    done = heddle("profile", run_traced([program("waits")]).trace)
    same((done.status, done.out, len(done.err.splitlines())), (1, "", 1), "status, output and lines of heddle profile")
    check("has no profile" in done.err, f"heddle profile says {done.err!r}")
    trace = beside([program("waits")]).trace
    done = heddle("profile", "--to", "1ms", trace)
    same((done.status, done.out, len(done.err.splitlines())), (1, "", 1), "status, output and lines of heddle profile --to")
