"""
The account of `heddle why`. Random schedules are booked as by the second implementation (schedules.py). Schedules whose account is known by hand have
it. questions.py has programs with one known reason.
"""
import json
import os
import random
import subprocess

import pytest

import harness
import schedules
from harness import check, heddle, record, same

MS = 1_000_000  # ticks
SEEDS = int(os.environ.get("HEDDLE_TEST_SCHEDULES", "40"))
TICKS = 10  # each part of a wait is rounded to whole ticks


def account_of(trace):
    done = heddle("why", "--json", trace)
    same((done.status, done.err), (0, ""), "heddle why")
    answer = json.loads(done.out)
    check(abs(sum(row["percent"] for row in answer["account"]) - 100) < 1e-6, f"the account is not whole: {answer['account']}")
    return {row["kind"]: row["ticks"] for row in answer["account"]}, answer["first"]


def booked(run):
    """Kind -> ticks, of heddle and of the second implementation."""
    trace = harness.directory()
    schedules.write(run, trace)
    ours, _ = account_of(os.path.join(trace, "traces.otf2"))
    return ours, {kind: round(float(ticks)) for kind, ticks in schedules.Account(run).sums.items()}


def random_steps(draw, meetings):
    steps = []
    for meeting in range(meetings + 1):
        for _ in range(draw.randint(0, 4)):
            ticks, kind = draw.randint(1000, 20 * MS), draw.random()
            lock = draw.randint(1, 3)
            held = [("lock", lock), ("work", ticks)] + [("sleep", draw.randint(1000, 3 * MS))] * (draw.random() < 0.2) + [("unlock", lock)]
            steps += [("work", ticks)] if kind < 0.5 else [("alone", ticks)] if kind < 0.6 else [("sleep", ticks)] if kind < 0.7 else held
        steps += [("meet",)] * (meeting < meetings)
    return steps or [("work", 1000)]


def test_random_schedules_are_booked_as_by_the_second_implementation():
    for seed in range(SEEDS):
        draw = random.Random(seed)
        team, threads, processors = draw.random() < 0.5, draw.randint(2, 9), draw.choice([1, 2, 3, 4, 8, 64])
        meetings = draw.randint(0, 4) if team else 0
        steps = [random_steps(draw, meetings) for _ in range(threads)]
        ours, theirs = booked(schedules.Run(steps if team else schedules.posix(steps), processors, team))
        for kind in {*ours, *theirs}:
            check(abs(ours.get(kind, 0) - theirs.get(kind, 0)) <= TICKS,
                  f"seed {seed}, {threads} threads on {processors}: {kind} is {ours.get(kind, 0)}, and {theirs.get(kind, 0)} by hand")


# name: (program, team, processors, {kind: percent})
KNOWN = {
    "one long thread of eight": (schedules.posix([[]] + [[("work", 10000 * MS)]] + [[("work", 1000 * MS)]] * 7), False, 8, {"imbalance": 78.75}),
    "eight equal threads": (schedules.posix([[]] + [[("work", 1000 * MS)]] * 8), False, 8, {"work": 100}),
    "a team of eight, one works twice as long": ([[("work", (2000 if i == 3 else 1000) * MS), ("meet",)] for i in range(8)], True, 8,
                                                 {"imbalance": 43.75, "work": 56.25}),
    "four threads under one lock": ([[("lock", 1), ("work", 1000 * MS), ("unlock", 1), ("meet",)] for _ in range(4)], True, 4,
                                    {"synchronization": 75, "work": 25}),
    "a thread that sleeps while others wait": ([[("sleep", 1000 * MS), ("meet",)], [("work", 1 * MS), ("meet",)]], True, 2, {"blocked": 99.9}),
    "a part that one thread executes alone": ([[("alone", 1000 * MS), ("meet",), ("work", 500 * MS), ("meet",)], [("meet",), ("work", 500 * MS), ("meet",)]],
                                              True, 2, {"serial": 33.3, "work": 66.6}),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_schedule_has_its_account(name):
    steps, team, processors, wanted = KNOWN[name]
    ours, _ = booked(schedules.Run(steps, processors, team, latency=1))
    whole = sum(ours.values())
    for kind, percent in wanted.items():
        check(abs(100 * ours.get(kind, 0) / whole - percent) < 0.2, f"{kind}: {100 * ours.get(kind, 0) / whole:.2f} % and not {percent} %")


def build(name, source):
    binary = os.path.join(harness.directory(), name)
    with open(binary + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-fopenmp", "-pthread", binary + ".c", "-o", binary], check=True)
    return binary


LOST_SIGNAL = """#include <pthread.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *wait_for_it(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }
int main(void) { pthread_t t; alarm(2); pthread_create(&t, 0, wait_for_it, 0); return pthread_join(t, 0); }
"""


def test_a_killed_run_in_which_all_threads_wait_waits_forever():
    done = record([build("lost_signal", LOST_SIGNAL)])
    ours, first = account_of(done.trace)
    same(first["kind"], "forever", f"kind of {first['sentence']}")
    check("pthread" in first["sentence"] and first["file"].endswith("lost_signal.c"), f"no place: {first}")
    check(ours.get("work", 0) < sum(ours.values()), "the account")
