"""
The two programs with which Tsai's thesis evaluates Glimpse, with events from generated code: `heddle intervals` gives what
the thesis found, where it is no chance. The same for a log of Glimpse that `heddle import` reads.
"""
import collections
import csv
import io
import json
import os
import shutil

import pytest

from harness import check, directory, heddle, record, run, same
from imports import log, write
from spec import JAR, LIBRARY, SHIM, tool

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "user")
LIGHTS, MPLOOP = os.path.join(SOURCES, "lights.spec"), os.path.join(SOURCES, "mploop.spec")
COMPILER = os.environ.get("HEDDLE_OMP_COMPILER", "clang-19")


def generated(language, spec, where, name):
    done = heddle("spec", "generate", "--lang", language, "-o", os.path.join(where, name), spec)
    same((done.status, done.err), (0, ""), "heddle spec generate")
    return os.path.join(where, name)


def built(command, **how):
    done = run(command, **how)
    same((done.status, done.err), (0, ""), "compiling")


def intervals(trace, spec, *options):
    done = heddle("intervals", "--spec", spec, *options, trace)
    same((done.status, done.err), (0, ""), "heddle intervals")
    return done.out


def figures(trace, spec):
    """{interval: (count, starts alone, ends alone)}, and all that --json says."""
    answer = json.loads(intervals(trace, spec, "--json"))
    check(all(row["violated"] == 0 and row["held"] > 0 for row in answer["assertions"]), f"assertions: {answer['assertions']}")
    return {row["interval"]: (row["count"], row["unmatched_starts"], row["unmatched_ends"]) for row in answer["intervals"]}, answer


def listed(trace, spec):
    """{interval: its rows}"""
    rows = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(intervals(trace, spec, "--list", "--csv").split("\n\n")[0])):
        rows[row["interval"]].append(row)
    return rows


def cars(rows, end="from"):
    return sorted(int(row[end].split()[1]) for row in rows)


# For each experiment: the cars that stop, the light's changes by small and large timers, and which timer frees which
# cars.
EXPERIMENTS = {"1": ([1, 3, 5, 9, 10, 12], 5, 0, {1: "small", 3: "small", 5: "small", 9: "small", 10: "small", 12: "small"}),
               "2": ([1, 5, 12, 13], 1, 1, {1: "large", 5: "large", 12: "small", 13: "small"})}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_cars_stop_at_the_traffic_light_as_in_the_thesis(experiment):
    if not os.path.exists(JAR):
        pytest.skip(f"there is no {JAR}")
    where = directory()
    generated("java", LIGHTS, where, "lights.java")
    shutil.copy(os.path.join(SOURCES, "StopLight.java"), where)
    built([tool("javac"), "-cp", JAR, "lights.java", "StopLight.java"], cwd=where)
    done = record([tool("java"), "-cp", f"{where}:{JAR}", "StopLight", experiment], "--budget", "none")
    same((done.status, done.out), (0, "done\n"), f"status and output ({done.err})")
    stopped, by_small, by_large, freed = EXPERIMENTS[experiment]
    passed = sorted(set(range(1, 14)) - set(stopped))
    small, large = 1 + len(passed) + by_small + by_large, 1 + by_small + by_large # timers: the first ones, a car's, a change's
    counts, _ = figures(done.trace, LIGHTS)
    same(counts, {"StartMotorArrInt": (13, 0, 0), "ArriveLeave": (13, 0, 0), "ArriveAndStop": (len(stopped), len(passed), 0),
                  "StopAndGo": (len(stopped), 0, 0), "GoAndLeaveInt": (len(stopped), 0, len(passed)),
                  "STimerLtChanged": (by_small, small - by_small, by_large), "LTimerLtChanged": (by_large, large - by_large, by_small),
                  "LtChangedAndGo": (len(stopped), 0, 0), "NoWaitSmallTimer": (len(passed), 0, small - len(passed)),
                  "Passed": (len(passed), len(stopped), len(stopped)), "Freed": (len(stopped), 0, 0)}, "counts")
    rows = listed(done.trace, LIGHTS)
    same(cars(rows["StopAndGo"]), stopped, "cars that stop")
    same((cars(rows["Passed"]), cars(rows["NoWaitSmallTimer"])), (passed, passed), "cars that do not stop, and start a small timer")
    check(all(row["to"].startswith("small timer ") for row in rows["NoWaitSmallTimer"]), "they start small timers")
    same({int(row["to"].split()[1]): row["from"].split()[0] for row in rows["LtChangedAndGo"]}, freed, "timers that free cars")
    changes = {row["from"]: row for row in rows["STimerLtChanged"] + rows["LTimerLtChanged"]}
    check({row["from"] for row in rows["LtChangedAndGo"]} <= set(changes), "they are timers that changed the light")
    arrival = {int(row["from"].split()[1]): int(row["begin_ticks"]) + int(row["duration_ticks"]) for row in rows["StartMotorArrInt"]}
    same(arrival[4] < arrival[3], experiment == "1", "car 4 arrives before car 3")
    waited = {int(row["from"].split()[1]): int(row["begin_ticks"]) + int(row["duration_ticks"]) for row in rows["StopAndGo"]}
    for row in rows["LtChangedAndGo"]:
        same(int(row["begin_ticks"]) + int(row["duration_ticks"]), waited[int(row["to"].split()[1])], "a car goes when its wait ends")


SCHEDULES = ("Simple", "Dynamic", "Interleave", "Gss")


@pytest.mark.parametrize("runtime", ["libomp", "libgomp"])
def test_mploop_has_the_shapes_of_the_thesis(runtime):
    where = directory()
    generated("c", MPLOOP, where, "mploop.h")
    compiler = COMPILER if runtime == "libomp" else "gcc"
    built([tool(compiler), "-fopenmp", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I", where, "-I", SHIM,
           os.path.join(SOURCES, "mploop_logged.c"), "-o", os.path.join(where, "mploop"), *LIBRARY])
    done = record([os.path.join(where, "mploop")], "--budget", "none")
    same((done.status, done.out), (0, "done\n"), f"status and output ({done.err})")
    counts, answer = figures(done.trace, MPLOOP)
    same(counts, {"Body": (1600, 0, 0), **{name: (400, 0, 0) for name in SCHEDULES}}, "counts")
    shares = {name: sorted((row["count"] for row in answer["threads"] if row["interval"] == name), reverse=True) for name in SCHEDULES}
    check(all(row["from_thread"] == row["to_thread"] for row in answer["threads"]), "an iteration is of one thread")
    same((shares["Simple"], shares["Interleave"]), ([100] * 4, [100] * 4), "equal shares")
    for name in "Dynamic", "Gss":
        check(sum(shares[name]) == 400 and len(shares[name]) <= 4, f"all iterations are done: {shares[name]}")
    check(all(share % 25 == 0 for share in shares["Dynamic"]), f"whole chunks: {shares['Dynamic']}")
    least = 400 // 8 if runtime == "libomp" else 400 // 4 # the first chunk of guided
    check(shares["Gss"][0] >= least, f"the thread with the first chunk of guided has {least}: {shares['Gss']}")


def test_a_log_of_glimpse_gives_the_same_intervals():
    """A log of the traffic light with chosen times, in the binary form, by a machine of the other byte order."""
    where, types = directory(), ("Stop", "Go", "NoWait", "SmallTimer", "LargeTimer", "LightChanged", "ArriveIntersection", "LeaveIntersection", "StartMotor")
    logs = [[("LargeTimer", 10, (0,))], [("SmallTimer", 20, (0,)), ("LightChanged", 900, (1,))],
            [("StartMotor", 30, ()), ("ArriveIntersection", 100, (1,)), ("Stop", 150, (0,)), ("Go", 1000, (1,)), ("LeaveIntersection", 1100, (1,))],
            [("StartMotor", 40, ()), ("ArriveIntersection", 1200, (1,)), ("NoWait", 1300, (1,)), ("LeaveIntersection", 1500, (1,))],
            [("SmallTimer", 1400, (1,))]]
    files = [write(where, f"log.{number}", log(events, ">", types)) for number, events in enumerate(logs)]
    made = os.path.join(where, "run.heddle")
    done = heddle("import", "--from", "glimpse", "--spec", LIGHTS, "-o", made, *files)
    same((done.status, done.err), (0, ""), "heddle import")
    rows = listed(made, LIGHTS)
    found = {name: [(row["from"], row["to"], int(row["duration_ticks"])) for row in of_it] for name, of_it in rows.items()}
    same(found, {"StartMotorArrInt": [("thread 2", "thread 2", 70), ("thread 3", "thread 3", 1160)],
                 "ArriveLeave": [("thread 2", "thread 2", 1000), ("thread 3", "thread 3", 300)],
                 "ArriveAndStop": [("thread 2", "thread 2", 50)], "StopAndGo": [("thread 2", "thread 2", 850)],
                 "GoAndLeaveInt": [("thread 2", "thread 2", 100)], "STimerLtChanged": [("thread 1", "thread 1", 880)],
                 "LtChangedAndGo": [("thread 1", "thread 2", 100)], "NoWaitSmallTimer": [("thread 3", "thread 4", 100)],
                 "Passed": [("thread 3", "thread 3", 300)], "Freed": [("thread 2", "thread 1", 750)]}, "intervals")
