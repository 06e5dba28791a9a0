"""
heddle record --keep: instances of a kept place are recorded whole, whatever the budget; instances of other places are
omitted.
"""
import collections
import os
import re

import pytest

from harness import PROGRAMS, SOURCE, check, heddle, program, record, run_traced, same
from trace import Trace, check_well_formed

N = 1000
PLACES = ("first lock", "second lock", "critical", "named", "named again", "other name", "task", "region")
DEAR = {"HEDDLE_PRICE": "100000"}  # ns a record
with open(os.path.join(SOURCE, "..", "programs", "kept.c")) as source:
    LINES = {place: n for n, line in enumerate(source, 1) for place in PLACES if f"/* {place} */" in line}


def kind(region):
    return region.name.split(" @")[0]


def weigh(trace):
    """line -> [instances that are recorded, what they stand for, with those behind the last one]"""
    found = collections.defaultdict(lambda: [0, 0])

    def add(region, recorded, stands_for):
        in_task = kind(region) == "!$omp task"
        if in_task or region.source_file and os.path.basename(region.source_file) == "kept.c":
            line = LINES["task"] if in_task else region.begin_line_number
            found[line][0] += recorded
            found[line][1] += stands_for

    for location in trace.locations:
        for e in location.events:
            if e.kind == "ThreadTaskCreate":
                found[LINES["task"]][0] += 1
                found[LINES["task"]][1] += e.attributes.get("weight", 1)
            elif e.kind == "Enter" and e.region.name == "skipped instances":
                add(e.attributes["construct"], 0, e.attributes.get("instances", 0))
            elif e.kind == "Enter" and (kind(e.region) in ("omp_set_lock", "!$omp critical") or
                                        kind(e.region) == "!$omp parallel" and location is trace.locations[0]):
                add(e.region, 1, e.attributes.get("weight", 1))
    return {place: tuple(found[line]) for place, line in LINES.items()}


def kept(places, budget="1/20", **settings):
    options = [option for place in places for option in ("--keep", place)]
    done = record([program("kept"), str(N)], *options, HEDDLE_BUDGET=budget, OMP_NUM_THREADS="2", **settings)
    same((done.status, done.truths()), (0, {"done": 11 * N}), "exit status, and what the program did")
    trace = Trace(done.trace)
    check_well_formed(trace)
    return done, weigh(trace)


WAYS = {"line": (["kept.c:{first lock}"], ["first lock"]),
        "as printed": (["omp_set_lock @kept.c:{second lock}"], ["second lock"]),
        "path": (["tests/programs/kept.c:{critical}"], ["critical"]),
        "lines": (["kept.c:{first lock}-{second lock}"], ["first lock", "second lock"]),
        "function": (["second_lock"], ["second lock"]),
        "several": (["task", "kept.c:{region}", "first_lock"], ["task", "region", "first lock"]),
        "list": (["second_lock;kept.c:{critical}"], ["second lock", "critical"]),
        "critical section": (["critical (counter)"], ["named", "named again"]),
        "critical sections": (["critical (count)", "critical (counter)"], ["named", "named again", "other name"]),
        "file": (["kept.c"], PLACES)}


@pytest.mark.parametrize("case", [(way, budget) for way in WAYS for budget in ("1/20", "5%")])
def test_what_is_kept_is_whole(case):
    way, budget = case
    places, wanted = WAYS[way]
    done, found = kept([p.format(**LINES) for p in places], budget, **DEAR)
    same([l for l in done.tool_err if "--keep" in l and "slowed" not in l or "KEEP" in l], [], "what is said of places")
    for place, (recorded, stand_for) in found.items():
        same(stand_for, N, f"{place}, by weight")
        if place in wanted:
            same(recorded, N, f"{place}, recorded")
        elif budget == "1/20" or place != "region":  # regions come last, and each takes long
            check(recorded < N / 2, f"{place}: {recorded} of {N} are recorded")


def test_the_environment_keeps_as_the_option_does():
    place = f"kept.c:{LINES['second lock']}"
    _, found = kept([], HEDDLE_KEEP=place)
    same(found["second lock"], (N, N), "the second lock, by HEDDLE_KEEP and heddle record")
    dry = heddle("record", "--dry-run", "--keep", place, "--", program("kept"), "1")
    entry, = re.findall(r"^HEDDLE_KEEP='?([^'\n]*)'?$", dry.out, re.M)
    _, ranges = entry.split("@")
    for setting in (entry, "@" + ranges):
        traced = run_traced([program("kept"), str(N)], HEDDLE_BUDGET="1/20", HEDDLE_KEEP=setting, OMP_NUM_THREADS="2")
        same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
        found = weigh(Trace(traced.trace))
        same(found["second lock"], (N, N), f"the second lock, by {setting}")
        check(found["first lock"][0] < N / 2, "acquisitions of the first lock are omitted")


@pytest.mark.parametrize("setting", ["kept.c:22", "x;kept.c:22-25", "y@nothing", "z@+1-2", "@a+1-2,b+g-3", "critical (x)"])
def test_what_cannot_be_tested_in_the_process_is_said(setting):
    traced = run_traced([program("kept"), "10"], HEDDLE_KEEP=setting)
    same((traced.status, len(traced.tool_err)), (0, 1), f"exit status and lines: {traced.tool_err}")
    check("HEDDLE_KEEP" in traced.tool_err[0], traced.tool_err[0])


# Place -> what is said, as long as nothing runs, and after the run.
BAD = {"kept.c:99999": (True, "no code of this source line"), "nowhere.c:3": (True, "no code of this source line"),
       "critical (nothing)": (True, "no critical section of this name"),
       "no_such_function": (False, "nothing was kept"), "main": (False, "nothing was recorded there")}


@pytest.mark.parametrize("place", BAD)
def test_a_place_that_is_nowhere_is_said(place):
    before, text = BAD[place]
    done = record([program("storms"), "locks", "10"], "--keep", place)
    same(done.status, 0, "exit status")
    lines = [l for l in done.tool_err if f"--keep {place}: " in l]
    same(len(lines), 0 if place == "main" and not lines else 1, f"lines: {done.tool_err}")
    if lines:
        check(text in lines[0], lines[0])
        same(done.tool_err.index(lines[0]) == 0, before, "whether it is said before the run")


def test_an_empty_place_is_wrong_usage():
    done = record([program("kept"), "1"], "--keep", "")
    same((done.status, done.out), (2, ""), "exit status, output")
    check("--keep" in done.err, done.err)


def test_regions_of_the_program_s_own_are_kept_by_name():
    command = os.path.join(PROGRAMS, "user", "events")
    if not os.path.exists(command):
        pytest.skip(f"there is no {command}")
    done = record([command, "threads"], "--keep", "common", "--keep", "short 7", HEDDLE_BUDGET="1/10")
    same((done.status, [l for l in done.tool_err if "keep" in l]), (0, []), "exit status, what is said of places")
    made = [location for location in Trace(done.trace).locations if location.name != "main thread"]
    check(made, "no thread of the program's has a location")
    for location in made:
        enters = collections.Counter(e.region.name for e in location.events if e.kind == "Enter" and "instances" not in e.attributes)
        same(enters["common"], 100, f"{location.name}: common")
        if location.name == "short 7":
            same(enters["short 7"], 100, "short 7")
        else:
            check(enters[location.name] < 50, f"{location.name}: {enters}")
