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


# A program of DLB's own tests of TALP: steps of the threads; useful, imbalance, serialization, s; expected efficiencies: parallel, balance,
# serialization.
TALP = ([[("alone", 1000 * MS)] * (i == 0) + [("meet",), ("work", (1000 - 250 * i) * MS), ("meet",), ("work", 125 * MS), ("meet",)]
         for i in range(4)], (4.0, 1.5, 3.0), (0.48, 0.83, 0.58))


def table(trace):
    directory = os.path.join(harness.directory(), "tables")
    done = heddle("scale", "--talp", directory, trace, trace)  # the same twice: tables, and no comparison
    same(sorted(os.listdir(directory)), ["threads-4-run-1.json", "threads-4-run-2.json"], f"tables ({done.err})")
    with open(os.path.join(directory, "threads-4-run-1.json"), encoding="utf-8") as file:
        return json.load(file)


def test_tables_have_the_efficiencies_of_the_definitions():
    steps, times, expected = TALP
    said = table(made(steps, harness.directory()))
    run = said["Application"]["Global"]
    same((said["dlbVersion"][:3], said["resources"]["numCpus"], run["numCpus"]), ("3.6", 4, 4), "the head")
    for key, seconds in zip(("usefulTime", "ompLoadImbalanceTime", "ompSerializationTime"), times):
        check(abs(run[key] / 1e9 - seconds) < 0.01, f"{key} is {run[key]} and not {seconds} s")
    useful, uneven, serial = times
    defined = (useful / sum(times), (useful + serial) / sum(times), useful / (useful + serial))
    keys = ("ompParallelEfficiency", "ompLoadBalance", "ompSerializationEfficiency")
    for key, exact, rounded in zip(keys, defined, expected):
        check(abs(run[key] - exact) < 0.01, f"{key} is {run[key]}, defined as {exact}")
        check(abs(run[key] - rounded) < 0.015, f"{key} is {run[key]}, and {rounded} in DLB's tests")


def written(threads, **regions):
    """A table as DLB 3.8 writes it."""
    path = os.path.join(harness.directory(), f"{threads}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"dlbVersion": "3.8.0", "timestamp": "2026-10-06T12:27:14", "resources": {"numCpus": threads},
                   "Application": {name: dict(zip(("numCpus", "elapsedTime", "usefulTime", "ompLoadImbalanceTime", "ompOutsideParallelTime", "ompSchedulingTime"), (threads, *times)))
                                   for name, times in regions.items()}}, file)
    return path


def test_tables_are_read():
    one = written(1, Global=(4_000_000_000, 4_000_000_000, 0, 0, 0), solve=(3_000_000_000, 3_000_000_000, 0, 0, 0))
    four = written(4, Global=(2_125_000_000, 4_000_000_000, 1_500_000_000, 3_000_000_000, 0), solve=(2_000_000_000, 3_600_000_000, 0, 0, 0))
    done = heddle("scale", "--json", one, four)
    same((done.status, done.err), (0, ""), "status")
    said = json.loads(done.out)
    first, last = said["steps"]
    same((first["threads"], last["threads"], last["time"]["seconds"]), (1, 4, 2.125), "the runs")
    for key, percent in (("load_balance", 72.7), ("serialization", 64.7), ("transfer", 100), ("efficiency", 47.06), ("work", 100)):
        check(abs(last[key] - percent) < 0.1, f"{key} is {last[key]} and not {percent} %")
    check("35.3 % of the time of 4 processors" in said["first"]["sentence"], said["first"]["sentence"])
    same([(row["place"], row["after"]["seconds"]) for row in said["places"]], [("solve", 3.6)], "places")
    directory = os.path.join(harness.directory(), "again")
    heddle("scale", "--talp", directory, one, four)
    again = json.loads(heddle("scale", "--json", *[os.path.join(directory, f"threads-{n}-run-1.json") for n in (1, 4)]).out)
    same(again["steps"], said["steps"], "what was written is read as before")


@pytest.mark.parametrize("text, message", [("{", "not JSON"), ("[]", "dlbVersion or Application is missing"), ('{"dlbVersion": "3", "Application": {}}', "no region Global"),
                                           ('{"dlbVersion": "3", "Application": {"Global": {"numCpus": 1, "usefulTime": -1}}}', "usefulTime is no number, or out of range"),
                                           ('{"dlbVersion": "3", "Application": {"Global": {"numCpus": 0, "usefulTime": 1}}}', "no processor worked"),
                                           ('{"dlbVersion": "3", "Application": {"Global": {"numCpus": 1, "usefulTime": 1}, "a": 3}}', "a is no region")])
def test_damaged_tables_are_one_line(text, message):
    path = os.path.join(harness.directory(), "damaged.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = heddle("scale", path, path)
    same((done.status, done.err.count("\n")), (1, 1), f"status ({done.err})")
    check(message in done.err, done.err)


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
