"""
Parallel regions that are executed without callbacks (HEDDLE_AWAY, libomp): callbacks go and come back while 4 threads execute locks,
critical sections, tasks, loops and single regions. What is recorded is whole, and regions and weights add up to what was executed.
HEDDLE_TEST_SWITCHES says how often callbacks go or come in the first test (ci/soak: a million times).
"""
import collections
import json
import os

import pytest

from harness import check, heddle, program, run_traced, same
from runtimes import libomp
from trace import Trace, check_well_formed

SWITCHES = int(os.environ.get("HEDDLE_TEST_SWITCHES", 10000))
THREADS = 4


def kind(region):
    return region.name.split(" @")[0]


def line(name):
    """The line of the program that says so."""
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", "away.c")
    with open(source, encoding="utf-8") as file:
        return next(i for i, text in enumerate(file, 1) if name in text)


def executed(every, regions, *arguments, version=None, **settings):
    other = libomp(version) if version else {}
    done = run_traced([program("away"), str(regions), *arguments], OMP_NUM_THREADS=str(THREADS), OMP_WAIT_POLICY="passive",
                      HEDDLE_AWAY=str(every), HEDDLE_PRICE="1", **other, **settings)
    same((done.status, done.tool_err), (0, []), "exit status and Heddle's lines")
    words = done.out.split()
    trace = Trace(done.trace)
    check_well_formed(trace)
    for location in trace.locations:
        locks = collections.Counter(e.kind for e in location.events)
        same(locks["ThreadAcquireLock"], locks["ThreadReleaseLock"], f"{location.name}: locks acquired and released")
    whole = collections.Counter(e.kind for l in trace.locations for e in l.events)
    same(whole["ThreadTaskCreate"], whole["ThreadTaskComplete"], "tasks created and completed")
    return trace, {word: int(n) for n, word in zip(words[::2], words[1::2])}


def unseen(location, attribute):
    return sum(e.attributes.get(attribute, 0) for e in location.events if e.kind == "Enter" and e.attributes.get("unseen"))


def outer_regions(location, place):
    """Of the regions at a place, in order: 0 for a recorded one, or how many unseen ones."""
    return [0 if e.region.name.endswith(place) else e.attributes["instances"] for e in location.events if e.kind == "Enter" and
            (e.region.name.endswith(place) and kind(e.region) == "!$omp parallel" or
             (e.attributes.get("unseen") and e.attributes["construct"].name.endswith(place) and "instances" in e.attributes))]


def weight(location, construct):
    return sum(e.attributes.get("weight", 1) for e in location.events if e.kind == "Enter" and kind(e.region) == construct)


def check_sums(trace, done, every):
    """Each region has one critical section a thread, and four tasks."""
    first = trace.locations[0]
    place = f"@away.c:{line('each one')}"
    regions = outer_regions(first, place)
    recorded, left_out = regions.count(0), sum(regions)
    same(recorded + left_out, done["regions"], "regions recorded and unseen")
    check(abs(recorded - done["regions"] / every) <= 3, f"{recorded} of {done['regions']} regions are recorded")
    behind = 0
    while regions[-1]:
        behind += regions.pop()
    for location in trace.locations:
        same(weight(location, "!$omp critical"), done["regions"] - behind, f"{location.name}: critical sections, by weight")
    tasks = sum(e.attributes.get("weight", 1) for l in trace.locations for e in l.events if e.kind == "ThreadTaskCreate")
    half = done["regions"] // 2
    serial = (half + 7) // 8 + (done["regions"] - half + 7) // 8
    same(tasks - serial, 4 * (done["regions"] - behind), "tasks, by weight, without those of the serial part")
    return left_out


@pytest.mark.parametrize("version", ["19", "16", "14"])
def test_callbacks_go_and_come_back(version):
    every = 16
    regions = SWITCHES // 2 * every // (every - 1) + every
    older = [] if version == "19" else ["0", "static"]  # they lack an entry that clang-19 calls for dynamic loops
    trace, done = executed(every, regions, *older, version=version if older else None)
    left_out = check_sums(trace, done, every)
    check(2 * left_out >= SWITCHES, f"callbacks went or came {2 * left_out} times")


def test_every_second_region_is_recorded():
    trace, done = executed(2, 1000)
    check_sums(trace, done, 2)


def test_a_second_root_ends_it():
    trace, done = executed(4, 3000, "3")
    outer = sum(sum(outer_regions(l, f"@away.c:{line('each one')}")) for l in trace.locations)
    check(0 < outer < done["regions"], f"{outer} of {done['regions']} regions are unseen")
    check(outer >= 1500 * 3 / 4 - 8, f"{outer} regions are unseen, although there were 1500 before the second root")


def test_locks_at_the_edges_are_whole():
    """Locks that are acquired before a region and released in it, and the other way round, in and out of unseen ones."""
    unseen_regions = 0
    for seed in range(1, 9):
        done = run_traced([program("away_edges"), "210"], OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", HEDDLE_AWAY="3", HEDDLE_PRICE="1",
                          HEDDLE_SEED=str(seed))
        same((done.status, done.out.strip(), done.tool_err), (0, "490", []), "exit status, acquisitions and Heddle's lines")
        trace = Trace(done.trace)
        check_well_formed(trace)
        acquired = collections.Counter()
        for location in trace.locations:
            held = set()
            for event in location.events:
                if event.kind == "ThreadAcquireLock":
                    check(event.event.lock_id not in held, f"{location.name} acquires lock {event.event.lock_id} twice")
                    held.add(event.event.lock_id)
                    acquired[event.event.lock_id] += 1
                elif event.kind == "ThreadReleaseLock":
                    check(event.event.lock_id in held, f"{location.name} releases lock {event.event.lock_id}, which it does not have")
                    held.remove(event.event.lock_id)
            check(not held, f"{location.name} has {held} at its end")
        check(70 in acquired.values() and 42 in acquired.values(), f"the locks of the serial part: {acquired}")
        unseen_regions += sum(unseen(l, "instances") for l in trace.locations)
        info = {row["construct"]: row for row in json.loads(heddle("info", "--json", done.trace).out)["thinned"]}
        critical = next(row for name, row in info.items() if name.startswith("!$omp critical @"))
        check(abs(critical["executions"] - 420) <= critical["executions_half_width"] + 1, f"{critical}")
    check(unseen_regions >= 8 * 100, f"{unseen_regions} regions were unseen")


def test_a_task_with_an_event_ends_it():
    trace, done = executed(2, 400, "0", "event")
    same(sum(unseen(l, "instances") for l in trace.locations), 0, "regions unseen")
    check(done["regions"] == 400, f"{done}")
