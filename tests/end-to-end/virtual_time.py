"""
The recorder, the converter and the analyzer together. A program with a clock of its own knows how long each of its constructs took.
For most of them only their number is recorded, and the estimates' intervals contain the truth as often as they say. What is
recorded is chosen by HEDDLE_SEED, so what holds once holds always. HEDDLE_TEST_SEEDS: how many of them (100).
"""
import json
import math
import os

import pytest

from harness import check, heddle, program, run_traced, same

SEEDS = int(os.environ.get("HEDDLE_TEST_SEEDS", "100"))
N = 400


def document(command, trace):
    done = heddle(command, "--json", trace)
    same(done.status, 0, f"exit status of heddle {command}")
    return json.loads(done.out)


def estimate(row, key):
    """Ticks, and half of the interval; 0 for an exact figure."""
    half = row.get(f"{key}_half_width", {"ticks": 0})
    return row[key]["ticks"], math.inf if half is None else half["ticks"]


def figures(seed, kind):
    """(place, what was estimated, half of the interval, the truth) of each place."""
    traced = run_traced([program("virtual_time"), kind, str(N)], HEDDLE_BUDGET="1/8", HEDDLE_SEED=str(seed), OMP_NUM_THREADS="1")
    same(traced.status, 0, "exit status")
    n, total, held = map(int, traced.out.split())
    constructs = {row["construct"].split(" @")[0]: row for row in document("imbalance", traced.trace)["constructs"]}
    lock, = document("locks", traced.trace)["locks"]
    for construct in ("!$omp parallel", "!$omp for"):
        same(constructs[construct]["executions"], n, f"executions of {construct}")
        yield (construct, *estimate(constructs[construct], "time"), total)
    same(lock["acquired"], n, "acquisitions")
    yield ("lock", *estimate(lock, "held"), held)


@pytest.mark.parametrize("kind", ["random", "periodic", "changing"])
def test_intervals_contain_the_truth(kind):
    inside, known = {}, {}
    for seed in range(1, SEEDS + 1):
        for place, ticks, half, truth in figures(seed, kind):
            inside[place] = inside.get(place, 0) + (abs(ticks - truth) <= half + 1)
            known[place] = known.get(place, 0) + math.isfinite(half)
    least = 0.93 - 2 * math.sqrt(0.93 * 0.07 / SEEDS)  # a share of few seeds is itself uncertain: two standard deviations
    print(f"{kind}: of {SEEDS} seeds the interval contains the truth in {inside}, and is known in {known}")
    for place, number in inside.items():
        check(number >= least * SEEDS, f"{place}: only {number} of {SEEDS} intervals contain the truth")
        check(known[place] >= 0.75 * SEEDS or place == "!$omp for", f"{place}: only {known[place]} of {SEEDS} intervals are known")
