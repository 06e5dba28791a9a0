"""
`heddle scale --predict` on made-up runs with 1 and 2 threads of a machine with 64 processors. The truth for more threads is a simulation of its own
(schedules.py). Programs follow known laws: one thread works alone, a lock, and work that takes longer. A program that sleeps instead of working
needs no processors. Runs that contradict each other get no prediction.
"""
import json
import os
import random
import subprocess

import pytest

import harness
import schedules
from harness import check, heddle, holds_mostly, record, same

MS = 1_000_000  # ticks
THREADS = (4, 6, 8, 16, 64)


def law(serial, crosstalk):
    """The Universal Scalability Law: how many times longer work takes with n threads."""
    return lambda n: 1 + serial * (n - 1) + crosstalk * n * (n - 1)


def divided(total, n, longer):
    return [[("work", round(total * longer(n) / n)), ("meet",)] for _ in range(n)]


def alone(total, single, n, longer):
    """A part of one thread between two parts of all."""
    half = round(total * longer(n) / n / 2)
    return [([("work", half), ("meet",)] + [("alone", single)] * (i == 0) + [("meet",), ("work", half), ("meet",)]) for i in range(n)]


def locked(items, think, hold, n, draw):
    """Each item is worked on for `think`, then under the lock for `hold`, on average."""
    threads = [[] for _ in range(n)]
    for item in range(items):
        threads[item % n] += [("work", round(think * draw.uniform(0.5, 1.5))), ("lock", 1), ("work", round(hold * draw.uniform(0.5, 1.5))), ("unlock", 1)]
    return [steps + [("meet",)] for steps in threads]


# name: (steps of n threads, the limit with 64 threads)
PROGRAMS = {
    "even work": (lambda n: divided(2000 * MS, n, law(0, 0)), None),
    "one thread alone": (lambda n: alone(2000 * MS, 100 * MS, n, law(0, 0)), "one thread works alone"),
    "work that takes longer": (lambda n: divided(2000 * MS, n, law(0.1, 0)), "the same work takes longer"),
    "longer and alone": (lambda n: alone(2000 * MS, 30 * MS, n, law(0.05, 0)), "the same work takes longer"),
    "a lock": (lambda n: locked(480, 4 * MS, 0.4 * MS, n, random.Random(n)), "threads wait for a lock"),
}


def made(steps, trace):
    run = schedules.Run(steps, 64, True, latency=1000)
    schedules.write(run, trace)
    return os.path.join(trace, "traces.otf2")


def predictions(*archives, numbers=THREADS, status=0):
    done = heddle("scale", "--json", "--predict", ",".join(map(str, numbers)), *archives)
    same(done.status, status, f"status ({done.err})")
    return {row["threads"]: row for row in json.loads(done.out).get("predictions", ())}, done


def duration(steps):
    run = schedules.Run(steps, 64, True, latency=1000)
    return (run.end - run.begin) / 1e9


@pytest.mark.parametrize("name", PROGRAMS)
def test_more_threads_are_predicted_from_one_and_two(name):
    steps, limit = PROGRAMS[name]
    found, done = predictions(*[made(steps(n), harness.directory()) for n in (1, 2)])
    for n in THREADS:
        truth, row = duration(steps(n)), found[n]
        low, high = 0.97 * row["low"]["seconds"], 1.03 * row["high"]["seconds"]
        check(low <= truth <= high, f"{n} threads take {truth:.4f} s, and not {low:.4f} to {high:.4f}")
        check(abs(row["time"]["seconds"] / truth - 1) < 0.15, f"{n} threads take {truth:.4f} s: {row}")
        same(row["status"], "unverified", f"{n} threads")
    check(limit is None or found[64]["limit"] == limit, f"the limit is {found[64]}")
    check("nobody has verified" in json.loads(done.out)["prediction"], done.out)


def test_a_law_is_fitted_to_more_runs():
    """With four numbers of threads, both terms of the law are known."""
    longer = law(0.02, 0.004)
    found, _ = predictions(*[made(divided(2000 * MS, n, longer), harness.directory()) for n in (1, 2, 4, 8)], numbers=(6, 16, 32))
    for n in (6, 16, 32):
        truth = 2 * longer(n) / n
        check(abs(found[n]["time"]["seconds"] / truth - 1) < 0.02, f"{n} threads take {truth:.4f} s: {found[n]}")
    same([found[n]["status"] for n in (6, 16)], ["within the runs", "unverified"], "status")


def test_runs_that_contradict_each_other_are_refused():
    """With one thread, the program has three times as much to do alone: nothing fits both runs."""
    archives = [made(alone(1000 * MS, single * MS, n, law(0, 0)), harness.directory()) for n, single in ((1, 600), (2, 200))]
    _, done = predictions(*archives, status=1)
    check("no prediction" in done.err and done.err.count("\n") == 1, done.err)
    same(len(json.loads(done.out)["steps"]), 2, "the comparison is there")
    done = heddle("scale", "--predict", "0", *archives)
    same((done.status, done.err.count("\n")), (2, 1), f"wrong usage ({done.err})")


SLEEPS = """#include <time.h>
static void ms(int time)
{
  struct timespec until = {.tv_nsec = time * 1000000};
  nanosleep(&until, 0);
}
int main(void)
{
#pragma omp parallel
  ms(20);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 48; i++)
    ms(i < 40 ? 8 : 20);
#pragma omp parallel for
  for (int i = 0; i < 48; i++)
    ms(8);
  return 0;
}
"""


def sleeping(n):
    """What SLEEPS takes with n threads, s: one piece each, pieces to the thread that is free first, even blocks."""
    free = [0] * n
    for i in range(48):
        free[free.index(min(free))] += 8 if i < 40 else 20
    return (20 + max(free) + 8 * -(-48 // n)) / 1000


def test_a_program_that_sleeps_is_predicted():
    """Sleeps need no processors, so the truth is known for any number of threads."""
    directory = harness.directory()
    with open(os.path.join(directory, "sleeps.c"), "w", encoding="utf-8") as file:
        file.write(SLEEPS)
    program = os.path.join(directory, "sleeps")
    subprocess.run([os.environ.get("HEDDLE_OMP_COMPILER", "clang-19"), "-g", "-O1", "-fopenmp", "-o", program, program + ".c"], check=True)

    def run(threads):
        done = record([program], "--no-switches", OMP_NUM_THREADS=str(threads))
        same(done.status, 0, f"status ({done.err})")
        return done.trace

    def once():
        done = heddle("scale", "--json", "--predict", "4,6,8", run(1), run(2))
        said = json.loads(done.out)
        start = said["steps"][1]["time"]["seconds"] - sleeping(2)  # the process begins; no law has this
        off = {row["threads"]: (row["time"]["seconds"] - start) / sleeping(row["threads"]) - 1 for row in said.get("predictions", ())}
        print(off, done.err)
        return done.status == 0 and all(abs(part) < 0.1 for part in off.values())
    holds_mostly(once, "4, 6 and 8 threads take as long as their sleeps")
