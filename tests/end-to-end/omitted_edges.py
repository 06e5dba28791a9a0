"""
While much is omitted, the program ends at once, forks, becomes another one or pauses the recording. Or its log may not grow, or
signals interrupt it. The program is not disturbed, the archive is well-formed, and the sums are right.
"""
import collections
import resource

import pytest

from budget import kind
from harness import ON_LIBGOMP, check, heddle, program, run_raw, run_traced, same
from trace import Trace, check_well_formed

STORMS = ["regions", "mixed", "loops", "works", "chunks", "locks", "grains", "singles"]
ENDLESS = "2000000000"


def converted(traced):
    done = heddle("convert", traced.trace)
    same(done.status, 0, f"heddle convert ({done.err})")
    trace = Trace(traced.trace)
    check_well_formed(trace)
    same(heddle("states", traced.trace).status, 0, "heddle states")
    return trace


@pytest.mark.parametrize("what", STORMS)
def test_a_kill_among_what_is_omitted(what):
    killed = run_raw(["timeout", "--foreground", "-s", "KILL", "0.3", program("storms"), what, ENDLESS], HEDDLE_BUDGET="1/100")
    trace = converted(killed)
    same([e for l in trace.locations for e in l.events if e.attributes.get("weight") == 0], [], "events that stand for nothing")


@pytest.mark.parametrize("what", STORMS)
def test_a_log_that_may_not_grow(what):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (48 * 1024, resource.RLIM_INFINITY))
    n = "20000"
    traced = run_raw([program("storms"), what, n], preexec=limit, HEDDLE_WINDOW="16K", HEDDLE_BUDGET="1/3")
    plain = run_raw([program("storms"), what, n], HEDDLE_BUDGET="none")
    same((traced.status, traced.out), (0, plain.out), f"exit status, and what the program says ({traced.err.strip()})")
    converted(traced)


@pytest.mark.parametrize("budget", ["1/3", "1/50"])
def test_handlers_that_acquire_locks(budget):
    traced = run_raw([program("signals")], HEDDLE_BUDGET=budget)
    same(traced.status, 0, "exit status")
    trace = converted(traced)
    n = {kind: sum(len(l.of_kind(kind)) for l in trace.locations) for kind in ("ThreadAcquireLock", "ThreadReleaseLock")}
    same(n["ThreadAcquireLock"], n["ThreadReleaseLock"], "locks acquired and released")


N = 1000


def executions(location):
    """construct -> executions on this thread: recorded ones, by weight, and omitted ones"""
    sums = collections.Counter()
    for e in location.events:
        if e.kind == "Enter" and e.region.name == "skipped instances":
            sums[kind(e.attributes["construct"])] += e.attributes.get("instances", 0)
        elif e.kind == "ThreadFork":
            sums["!$omp parallel"] += 1
        elif e.kind == "Enter" and kind(e.region) != "!$omp parallel":
            sums[kind(e.region)] += e.attributes.get("weight", 1)
    return sums


def by_process(trace):
    """The sums of each process's first thread, smallest first."""
    firsts = {}
    for location in trace.locations:
        firsts.setdefault(location.process, executions(location))
    return sorted(((s["!$omp parallel"], s["omp_set_lock"]) for s in firsts.values()))


# The regions and locks of each process. A pause and its end are a region each; the second one is not recorded.
HALVES = {"fork": [(N, N), (2 * N, 2 * N)], "exec": [(N, N), (N, N)]}
if not ON_LIBGOMP:  # gcc's omp.h has no omp_control_tool
    HALVES |= {"pause": [(2 * N + 1, 2 * N)], "inside": [(2 * N + 1, 2 * N)]}
EXACT = ["fork"]


@pytest.mark.parametrize("case", [f"{way}-1-{n}" for way in HALVES for n in (3, 50)])
def test_sums_around(case):
    way, _, n = case.split("-")
    threads = "1" if ON_LIBGOMP and way == "fork" else "2"  # a child of libgomp's threads hangs in its first region, also without us
    traced = run_traced([program("stretches"), way, str(N)], HEDDLE_BUDGET=f"1/{n}", OMP_NUM_THREADS=threads)
    same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
    trace = Trace(traced.trace)
    check_well_formed(trace)
    found = by_process(trace)
    same([regions for regions, _ in found], [regions for regions, _ in HALVES[way]], "regions of each process")
    # Locks behind the last recorded one are lost by exec and a pause; those in a pause may count up to the next recorded one.
    gap = 0 if way in EXACT else 2 * int(n) - 1
    check(all(abs(locks - expected) <= gap for (_, locks), (_, expected) in zip(found, HALVES[way])), f"locks: {found}")
