"""
Regions that are executed without callbacks: a program says how often it did what in them, and the intervals of the estimates contain
that as often as they say. Which regions are seen is chosen by HEDDLE_SEED, so what holds once holds always, but for what the threads
share by chance. HEDDLE_TEST_SEEDS: how many of them (50).
"""
import json
import math
import os

import pytest

from harness import check, heddle, program, run_traced, same

SEEDS = int(os.environ.get("HEDDLE_TEST_SEEDS", "50"))
N = 300


def document(command, *arguments):
    done = heddle(command, "--json", *arguments)
    same(done.status, 0, f"exit status of heddle {command}")
    return json.loads(done.out)


def figure(rows, name, key):
    """What the rows of a construct say in all, and half of the interval."""
    rows = [row for row in rows if str(row.get("construct") or row["name"]).startswith(name)]
    halves = [row.get(f"{key}_half_width", 0) for row in rows]
    return sum(row[key] for row in rows), math.inf if None in halves else sum(halves)


def figures(seed, kind, number=N, away="8"):
    """(what, what was estimated, half of the interval, the truth)."""
    traced = run_traced([program("unseen_counts"), kind, str(number)], HEDDLE_AWAY=away, HEDDLE_PRICE="1", HEDDLE_SEED=str(seed),
                        OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    same(traced.status, 0, "exit status")
    locks, criticals, tasks, singles = map(int, traced.out.split())
    thinned, = (document("info", traced.trace)["thinned"],)
    constructs = document("states", "--by", "region", traced.trace)["constructs"]
    for name, truth in (("omp_set_lock", locks), ("!$omp critical @", criticals), ("!$omp task @", tasks),
                        ("!$omp single @", singles)):
        yield f"info: {name}", *figure(thinned, name, "executions"), truth
        yield f"states: {name}", *figure(constructs, name, "calls"), truth
    acquired = document("locks", traced.trace)["locks"]
    for kind_of_lock, truth in (("lock", locks), ("critical", criticals)):
        rows = [row for row in acquired if row["kind"] == kind_of_lock]
        yield f"locks: {kind_of_lock}", *figure(rows, "", "acquired"), truth


@pytest.mark.parametrize("kind", ["random", "periodic", "changing"])
def test_intervals_contain_the_truth(kind):
    inside, known, error = {}, {}, {}
    for seed in range(1, SEEDS + 1):
        for what, number, half, truth in figures(seed, kind):
            inside[what] = inside.get(what, 0) + (abs(number - truth) <= half + 1)
            known[what] = known.get(what, 0) + math.isfinite(half)
            error[what] = error.get(what, 0) + (number / truth - 1) / SEEDS
    least = 0.93 - 2 * math.sqrt(0.93 * 0.07 / SEEDS)  # a share of few seeds is itself uncertain: two standard deviations
    print(f"{kind}: of {SEEDS} seeds the interval contains the truth in {inside}, and is known in {known}; mean error {error}")
    for what, number in inside.items():
        check(number >= least * SEEDS, f"{what}: only {number} of {SEEDS} intervals contain the truth")
        check(known[what] >= 0.9 * SEEDS, f"{what}: only {known[what]} of {SEEDS} intervals are known")


def test_regions_behind_the_last_seen_one_count():
    """Only the first regions are seen, so no recorded construct stands for those of the unseen ones. All regions are alike, so the numbers are
    right; that they are certain takes threads that share the work of the seen regions alike, which is chance."""
    for _ in range(50):
        found = list(figures(1, "alike", number=20, away="1000"))
        for what, number, half, truth in found:
            same(number, truth, what)
            check(half in (0, math.inf), f"{what}: {number} within {half}")
        if all(half == 0 for _, _, half, _ in found):
            return
    check(False, "the interval is unknown in all of 50 runs")
