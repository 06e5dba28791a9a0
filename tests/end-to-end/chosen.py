"""
heddle start --construct: a stretch has the executions of chosen constructs, with what is inside them and the regions around, and nothing
else. The rest of the time is not measured. Counts are the program's own; the sums of the whole run stay as they are.
"""
import collections
import json
import os
import re

import pytest

from attach import Server
from control import Program, snapshot
from harness import HEDDLE, ON_LIBGOMP, SOURCE as TESTS, check, directory, heddle, program, same
from profiles import executions
from trace import Trace, check_well_formed

ROUNDS = 700   # their records fill a window of 16 KiB several times
SOURCE = "several.c"
STATES = ["run", "idle", "overhead", "synch", "blocked", "spin", "gc", "traceflush", "unmeasured"]


def line(of):
    """The line of the program that says so."""
    source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", SOURCE)
    with open(source, encoding="utf-8") as file:
        return next(i for i, text in enumerate(file, 1) if f"/* {of} */" in text)


def start(traced, *places, threads=None):
    options = [word for place in places for word in ("--construct", place)] + (["--threads", threads] if threads else [])
    done = heddle("start", *options, traced.pid)
    same((done.status, done.err), (0, ""), f"heddle start: {done.out}")
    check("is on, for " in done.out, f"what heddle start says: {done.out}")
    return done.out


def stretch(traced, rounds, *places, threads=None):
    start(traced, *places, threads=threads)
    traced.work(rounds)
    traced.switch(False)


def measured_well(trace):
    """Streams are balanced, and the states of each thread add up to its lifetime."""
    check_well_formed(Trace(trace))
    for thread in json.loads(heddle("states", "--json", trace).out)["threads"]:
        same(sum(thread[state]["ticks"] for state in STATES), thread["lifetime"]["ticks"], f"states of {thread['thread_name']}")


def loop_places(traced):
    """Where the two loops are: gcc has them on other lines than clang."""
    for _ in range(100):  # a reading lacks what a thread has recorded since it added up last
        shown = heddle("live", "--once", "--top", "100", traced.pid).out
        found = sorted(set(re.findall(r"!\$omp for @(\S+)", shown)), key=lambda place: int(place.split(":")[1]))
        if len(found) == 2 and "critical" in shown:
            return found
        traced.work(1)
    check(False, f"two loops and a critical section: {shown}")
    return None


class Several(Program):
    rounds = 0

    def work(self, n):
        self.rounds += n
        super().work(n)


def several(**settings):
    return Several([program("several")], HEDDLE_LIVE="1", HEDDLE_WINDOW="16K", **settings)


def constructs(trace):
    """How often each construct is in the archive, by name and place."""
    found = collections.Counter()
    for row in json.loads(heddle("states", "--by", "region", "--json", trace).out)["constructs"]:
        found[row["construct"]] += row["executions"]
    return found


def of_lines(found, *marks):
    return {name for name in found for mark in marks if name.endswith(f":{line(mark)}")}


def test_a_loop_has_its_executions_and_barriers():
    with several() as traced:
        traced.work(50)
        first, second = loop_places(traced)
        stretch(traced, ROUNDS, "@" + second)
        traced.work(50)
        check_loop(snapshot(traced), first, second)
        traced.end()
    check_loop(traced.trace, first, second)
    sums = executions(traced.trace)
    same((sums["!$omp for", "construct"], sums["!$omp critical", "hold"]), (2 * 2 * traced.rounds, 2 * traced.rounds), "sums of the whole run")


def check_loop(trace, other, place):
    found = constructs(trace)
    same((found[f"!$omp for @{place}"], found[f"!$omp implicit barrier @{place}"]), (2 * ROUNDS, 2 * ROUNDS), f"the loop and its barriers: {found}")
    same((found[f"!$omp for @{other}"], of_lines(found, "critical", "region with tasks", "single", "task")), (0, set()), "other constructs")
    measured_well(trace)


def test_a_region_has_all_that_is_inside():
    with several() as traced:
        traced.work(50)
        loop_places(traced)
        stretch(traced, ROUNDS, f"{SOURCE}:{line('region with loops')}")
        traced.work(50)
        traced.end()
    found = constructs(traced.trace)
    of_kind = collections.Counter()
    for name, count in found.items():
        of_kind[name.split(" @")[0]] += count
    same([of_kind[kind] for kind in ("!$omp parallel", "!$omp for", "!$omp critical")], [2 * ROUNDS, 4 * ROUNDS, 2 * ROUNDS], f"what is inside: {found}")
    same(of_lines(found, "region with tasks", "single", "task"), set(), "other constructs")
    measured_well(traced.trace)


def test_several_may_be_chosen_and_a_stretch_of_all_may_follow():
    with several() as traced:
        traced.work(50)
        first, second = loop_places(traced)
        stretch(traced, ROUNDS, f"*critical*{SOURCE}:{line('critical')}", f"*for*{first}")
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(50)
        traced.end()
    found = constructs(traced.trace)
    critical = sum(found[name] for name in of_lines(found, "critical") if "critical" in name.split(" @")[0])
    same((found[f"!$omp for @{first}"], found[f"!$omp for @{second}"]), (2 * (ROUNDS + 7), 2 * 7), f"executions: {found}")
    # libomp 19 reports about one acquisition in 100,000 with a place inside itself: it is not in the chosen construct.
    check(0 <= 2 * (ROUNDS + 7) - critical <= (0 if ON_LIBGOMP else 3), f"critical sections: {found}")
    measured_well(traced.trace)


def test_what_is_not_there_is_said_in_a_line():
    with several() as traced:
        traced.work(5)
        for options, said in ((["--construct", "none.c:7"], "no construct that has been executed so far is at none.c:7"),
                              (["--construct", SOURCE, "--threads", "nobody"], "no thread of process")):
            done = heddle("start", *options, traced.pid)
            same((done.status, done.out, done.err.count("\n"), said in done.err), (1, "", 1, True), f"heddle start: {done.err}")
        same(heddle("start", "--construct", "", traced.pid).status, 2, "an empty construct")
        traced.end()


def test_java_threads_without_a_chosen_construct_are_not_measured():
    if ON_LIBGOMP:
        pytest.skip("Java has no libgomp")
    trace = os.path.join(directory(), "run.heddle")
    with open(os.path.join(TESTS, "..", "programs", "attach", "Server.java"), encoding="utf-8") as file:
        sleep = next(i for i, text in enumerate(file, 1) if "Thread.sleep(" in text)
    with Server("java", under=[HEDDLE, "record", "--live", "-o", trace, "--"]) as server:
        pid = server.jvm()
        same(heddle("stop", pid).status, 0, "heddle stop")
        server.go_on(3)
        same(heddle("start", "--construct", f"Server.java:{sleep}", pid).status, 0, "heddle start")
        server.go_on(20)
        same(heddle("stop", pid).status, 0, "heddle stop")
        with open(server.stop_file, "w", encoding="utf-8"):
            pass
        server.process.communicate(timeout=60)
    rows = {row["thread_name"]: row for row in json.loads(heddle("states", "--json", trace).out)["threads"]}
    check(rows["main"]["blocked"]["ticks"] > 0, f"main sleeps: {rows['main']}")
    for name in "worker 0", "worker 1":
        check(rows[name]["unmeasured"]["ticks"] > 0.5 * rows[name]["lifetime"]["ticks"], f"no construct of {name} was chosen: {rows[name]}")
