"""
Waits in ordered depend(sink). On libgomp they are SYNCH ordered, as long as the program itself says. LLVM's runtime reports
only their ends, as `heddle states` and the others say. No schedule is proposed for such loops.
"""
import os
import re

import pytest

from analysis import ask
from harness import GOMP, PROGRAMS, check, heddle, holds_mostly, preloading, run_traced, same
from trace import Trace, check_well_formed

CASES = [f"{runtime} {threads}" for runtime in ("libomp", "libgomp") for threads in (2, 4)]
ITERATIONS = 24


def chain(case):
    """The program's own account of its waits, {thread number: (how many, ns)}, and the trace."""
    runtime, threads = case.split()
    settings = {"LD_PRELOAD": preloading(GOMP)} if runtime == "libgomp" else {}
    path = os.path.join(PROGRAMS, "gcc" if runtime == "libgomp" else "", "chain")
    done = run_traced([path], OMP_NUM_THREADS=threads, **settings)
    same(done.status, 0, f"status ({done.err})")
    waited = {int(t): (int(n), int(ns)) for t, n, ns in re.findall(r"^waited: (\d+) (\d+) (\d+)$", done.out, re.M)}
    same(sum(n for n, _ in waited.values()), ITERATIONS - 1, "waits")
    return waited, done.trace


def by_number(threads):
    return {0 if "master" in row["thread_name"] else int(row["thread_name"].split()[-1]): row
            for row in threads if row["thread"] is not None}


@pytest.mark.parametrize("case", [case for case in CASES if "libgomp" in case])
def test_a_serial_chain_waits_as_long_as_it_says(case):
    def close():
        waited, trace = chain(case)
        check_well_formed(Trace(trace))
        rows = by_number(ask("states", trace)["threads"])
        shown = {number: 1e9 * rows[number]["synch_ordered"]["seconds"] for number in waited}
        # What is recorded lies inside of what the program measured; but the first iteration's wait for none.
        for number, (_, ns) in waited.items():
            check(shown[number] < ns + 1e6, f"thread {number}: {shown[number]} ns, more than the program's {ns}")
        return all(shown[n] > 0.9 * ns for n, (_, ns) in waited.items())
    holds_mostly(close, "the trace has nine tenths of each thread's waits")


@pytest.mark.parametrize("case", [case for case in CASES if "libomp" in case])
def test_where_waits_have_no_begin_it_is_said_how_long_they_can_have_taken(case):
    waited, trace = chain(case)
    check_well_formed(Trace(trace))
    said = [ask("states", trace)["waits_not_measured"], ask("imbalance", trace)["waits_not_measured"]]
    same(said[0], said[1], "what states and imbalance say")
    found = re.search(r"include (\d+) waits in ordered depend\(sink\), at most ([\d.]+) (\w+) in total: ", said[0])
    check(found, said[0])
    same(int(found[1]), ITERATIONS - 1, "waits")
    most = float(found[2]) * {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[found[3]]
    real = sum(ns for _, ns in waited.values())
    check(most >= 0.999 * real, f"at most {most} ns, but they took {real}")
    shown = heddle("states", trace).out
    check("waits in ordered depend(sink)" in shown, f"states does not say it: {shown}")


def test_timed_waits_are_not_spoken_of():
    check("waits_not_measured" not in ask("states", chain("libgomp 2")[1]), "all waits are timed")


@pytest.mark.parametrize("case", ["libomp 2", "libgomp 2"])
def test_no_schedule_is_proposed_for_a_chain(case):
    loops = ask("schedule", chain(case)[1])["loops"]
    same([loop["verdict"] for loop in loops], ["ordered"], "verdicts")
    same([(loop["best"], loop["time_even"]) for loop in loops], [(None, None)], "best schedule, time if even")
    check("its iterations wait for each other" in loops[0]["advice"], loops[0]["advice"])
