"""
HEDDLE_BUDGET in Java: what would cost more than recording may take is omitted. Weights and sums say how much was omitted; what fits
the budget is recorded whole.
"""
import collections
import json
import os

import pytest

from harness import BUILD, PROGRAMS, SOURCE, check, directory, heddle, record, run, same
from jomp import AGENT, CLASSES, JAVAS
from trace import Trace, check_well_formed, span_of

JAVA_CLASSES, FORKJOIN = os.path.join(PROGRAMS, "java"), os.path.join(PROGRAMS, "forkjoin")
N = 3000
REGION, LOOP, SINGLE, SECTIONS = "//omp parallel", "//omp for", "//omp single", "//omp sections"
# What a storm of N has: construct -> instances, on each thread of a team.
STORMS = {"regions": {REGION: N}, "mixed": {REGION: N, LOOP: 2 * N, SINGLE: N}, "throwing": {REGION: N}, "loops": {REGION: 1, LOOP: N},
          "nowaits": {REGION: 1, LOOP: N}, "dynamics": {REGION: 1, LOOP: N}, "singles": {REGION: 1, SINGLE: N},
          "sections": {REGION: 1, SECTIONS: N}}
# At 1 ns a record no storm of these costs 20 ms; at 100 us each of them does, after 200 records.
CHEAP, DEAR = {"HEDDLE_PRICE": "1"}, {"HEDDLE_PRICE": "100000"}
BUDGETS = {"5%": DEAR, "1/20": {}}


def kind(region):
    return region.name.split(" @")[0]


def storm(java, threads, what, budget, n=N, level="jomp", program="Storm", classes=CLASSES, **settings):
    trace = os.path.join(directory(), "run.heddle")
    line = [JAVAS[java], f"-Djomp.threads={threads}", "-cp", classes, program, what, str(n)]
    done = run([line[0], f"-agentpath:{AGENT}=level={level}", *line[1:]], HEDDLE_DIR=trace, HEDDLE_BUDGET=budget, trace=trace, **settings)
    same((done.status, done.tool_err), (0, []), "exit status and Heddle's lines")
    trace = Trace(trace)
    check_well_formed(trace)
    return done, trace


def skips(location):
    return [e for e in location.events if e.kind == "Enter" and e.region.name == "skipped instances" and "time" in e.attributes]


def executed(trace, location, attribute):
    """(construct -> instances, how many of all are recorded), as number 0 of a team, or as another thread"""
    recorded = collections.Counter(kind(region) for region, _, _ in trace.spans(location))
    if attribute == "joined":
        recorded[REGION] = len(location.of_kind("ThreadTeamBegin"))
    n = collections.Counter({c: recorded[c] for c in (REGION, LOOP, SINGLE, SECTIONS)})
    whole = sum(n.values())
    for e in skips(location):
        n[kind(e.attributes["construct"])] += e.attributes.get(attribute, 0)
    return n, whole


def of_teams(trace):
    """The threads that have regions: the first one is number 0 of all teams."""
    return [l for l in trace.locations if any(kind(r) == REGION for r, _, _ in trace.spans(l))]


CASES = [f"{what}-{budget.replace('/', '_')}-{threads}-{java}" for what in STORMS for budget in BUDGETS for threads in (1, 2) for java in JAVAS]


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost_from_the_sums(case):
    what, budget, threads, java = case.split("-")
    budget = budget.replace("_", "/")
    done, trace = storm(java, int(threads), what, budget, **BUDGETS[budget])
    expected = collections.Counter(STORMS[what])
    first, *others = of_teams(trace)
    same(len(others), int(threads) - 1, "threads that joined")
    n, whole = executed(trace, first, "instances")
    same(n, expected, "instances recorded and skipped")
    check(whole < sum(expected.values()) / 2, f"{whole} of {sum(expected.values())} are recorded")
    # Workers do not end; the thread that ends the process reports what they omitted last.
    joined = collections.Counter()
    for location in trace.locations:
        if location is not first:
            n, theirs = executed(trace, location, "joined")
            joined += n
            same(theirs, whole if location in others else 0, f"instances recorded on {location.name}")
    same(joined, expected if others else collections.Counter(), "instances recorded and skipped on the other thread")
    for location in trace.locations:
        begin, end = span_of(location)
        left_out = sum(e.attributes["time"] for e in skips(location) if "inside" not in e.attributes)
        check(left_out <= end - begin, f"{location.name}: {left_out} ticks skipped of {end - begin}")
    same(heddle("states", done.trace).status, 0, "heddle states")


@pytest.mark.parametrize("case", [f"{what}-{threads}-{java}" for what in STORMS for threads in (1, 2) for java in JAVAS])
def test_what_fits_the_budget_is_whole(case):
    what, threads, java = case.split("-")
    _, trace = storm(java, int(threads), what, None, 200, **CHEAP)
    for location in of_teams(trace):
        same(skips(location), [], "instances that were skipped")
    n, _ = executed(trace, of_teams(trace)[0], "instances")
    same(n, collections.Counter({c: n * 200 // N if n > 1 else 1 for c, n in STORMS[what].items()}), "instances")


# Storms of fork-join tasks: what -> its size. Some objects of `flat` and `heirs` have a hash, which
# the agent does not ask for where it omits a task.
TASKS = {"fibonacci": 20, "tree": 12, "flat": 9000, "heirs": 9000}
TRUTHS = {"Fibonacci": "tasks", "Tree": "tasks", "Heir": "leaves", "Leaf": "leaves"}


def tasks_of(done):
    """class -> tasks, recorded or not; how many are recorded"""
    answer = json.loads(heddle("tasks", done.trace, "--json").out)
    same(answer["made"], answer["ended"], "tasks made and ended")
    return {s["function"].split("$")[1].split(".")[0]: s["made"] + s["omitted"] for s in answer["sites"]}, answer["made"]


@pytest.mark.parametrize("case", [f"{what}-{budget.replace('/', '_')}-{java}" for what in TASKS for budget in ("5%", "1/20", "none", "whole") for java in JAVAS])
def test_tasks_of_a_storm_are_counted(case):
    what, budget, java = case.split("-")
    settings = {"5%": {"HEDDLE_PRICE": "100000"}, "whole": CHEAP}.get(budget, {})
    done, trace = storm(java, 1, what, None if budget == "whole" else budget.replace("_", "/"), TASKS[what], classes=FORKJOIN, **settings)
    found, recorded = tasks_of(done)
    truths = done.truths()
    counted = {name: found[name] for name in TRUTHS if name in found}
    same(counted, {name: truths[TRUTHS[name]] for name in counted}, "tasks, by weight")
    if budget in ("none", "whole"):
        same(recorded, sum(found.values()), "recorded tasks")
    else:
        check(recorded < sum(found.values()) / 2, f"{recorded} of {sum(found.values())} are recorded")


@pytest.mark.parametrize("java", JAVAS)
def test_omitted_tasks_are_no_wait(java):
    """The pool's workers are in omitted tasks nearly all of the time: this time is not a wait for tasks, and not idle."""
    done, trace = storm(java, 1, "fibonacci", "1/1000", 25, classes=FORKJOIN)
    omitted = sum(e.attributes["time"] for l in trace.locations for e in l.events
                  if e.kind == "Enter" and e.region.name == "skipped" and "time" in e.attributes)
    check(omitted > 0, "no time of omitted tasks")


# What a storm of waits has: construct -> the calls of the program. What takes long is recorded whole: so only the shorter ones are counted.
WAITS = {"notify": "notify", "unpark": "unpark", "park": "park", "wait": "Object.wait", "contended": "monitor enter"}
OWN = {"notify": ["main"], "unpark": ["main"], "park": ["main"], "wait": ["first", "second"], "contended": ["first", "second"]}


def weighed(trace, construct, threads):
    """(events of a construct, what they stand for with those behind the last one) of these threads"""
    events = [e for l in trace.locations if l.name in threads for e in l.events if e.kind == "Enter" and kind(e.region) == construct]
    behind = [e.attributes["instances"] for l in trace.locations for e in l.events if e.kind == "Enter" and
              e.region.name == "skipped instances" and "time" not in e.attributes and kind(e.attributes["construct"]) == construct]
    return len(events), sum(e.attributes.get("weight", 1) for e in events) + sum(behind)


def same_waits(what, found, said):
    """What the program says of contended monitors is the JVM's count up to some moment: with the JVM's own locks, and without a last one."""
    if what == "contended":
        check(abs(found - said) <= 3, f"monitor enter, by weight: {found}, should be {said}")
    else:
        same(found, said, f"{WAITS[what]}, by weight")


@pytest.mark.parametrize("case", [f"{what}-{budget.replace('/', '_')}-{java}" for what in WAITS for budget in BUDGETS for java in JAVAS])
def test_weights_of_waits_add_up(case):
    what, budget, java = case.split("-")
    budget = budget.replace("_", "/")
    done, trace = storm(java, 1, what, budget, 2000, level="jvm", program="Storms", classes=JAVA_CLASSES, **BUDGETS[budget])
    events, stand_for = weighed(trace, WAITS[what], OWN[what])
    same_waits(what, stand_for, int(done.out))
    if what in ("notify", "unpark", "park"):
        check(events < 1000, f"{events} of 2000 are recorded")
    same(heddle("states", done.trace).status, 0, "heddle states")


@pytest.mark.parametrize("case", [f"{what}-{java}" for what in WAITS for java in JAVAS])
def test_waits_that_fit_the_budget_are_whole(case):
    what, java = case.split("-")
    done, trace = storm(java, 1, what, None, 100, level="jvm", program="Storms", classes=JAVA_CLASSES, **CHEAP)
    events, stand_for = weighed(trace, WAITS[what], OWN[what])
    same(events, stand_for, f"{WAITS[what]}, and by weight")
    same_waits(what, events, int(done.out))


# Critical sections, of N calls in each thread: name -> acquisitions.
SECTIONS_OF = {"criticals": {"outer": N, "inner": N - (N + 6) // 7}, "recursions": {"again": 3 * N}, "contended": {"contended": N}}


def of_sections(trace):
    """[name of a critical section -> acquisitions, by weight], for all threads."""
    answer = heddle("locks", "--json", trace)
    same(answer.status, 0, "heddle locks")
    return {lock["name"]: lock["acquired"] for lock in json.loads(answer.out)["locks"] if lock["kind"] == "critical"}


@pytest.mark.parametrize("case", [f"{what}-{budget.replace('/', '_')}-{threads}-{java}" for what, budget, threads in (
    ("criticals", "none", 2), ("criticals", "5%", 2), ("criticals", "1/20", 1), ("recursions", "5%", 1), ("recursions", "1/20", 2),
    ("inside", "5%", 2), ("inside", "1/20", 1), ("contended", "5%", 2), ("contended", "1/20", 2)) for java in JAVAS])
def test_weights_of_critical_sections_add_up(case):
    what, budget, threads, java = case.split("-")
    budget, threads = budget.replace("_", "/"), int(threads)
    done, trace = storm(java, threads, what, budget, level="jvm,jomp", **BUDGETS.get(budget, {}))
    each_has = SECTIONS_OF.get(what, {})
    wanted = {f"critical ({name})": n * threads for name, n in each_has.items()} if each_has else {"critical (inside)": 4 * N}
    same(of_sections(done.trace), wanted, "acquisitions")
    taken = [e for l in trace.locations for e in l.of_kind("ThreadAcquireLock")]
    if budget == "none":
        same(len(taken), sum(wanted.values()), "acquisitions that are recorded")
    else:
        check(len(taken) < sum(wanted.values()) / 2, f"{len(taken)} of {sum(wanted.values())} acquisitions are recorded")
    same(sum(len(l.of_kind("ThreadReleaseLock")) for l in trace.locations), len(taken), "releases that are recorded")
    if what == "contended":  # each wait is recorded, and stands for no other one
        waits = [weight for l in trace.locations for weight in weights_of_waits(l)]
        check(len(waits) >= N // 10, f"{len(waits)} of at least {N // 10} waits are recorded")
        same(set(waits), {1}, "what waits stand for")
    same(heddle("states", done.trace).status, 0, "heddle states")


@pytest.mark.parametrize("case", [f"{budget.replace('/', '_')}-{java}" for budget in ("none", "1/20") for java in JAVAS])
def test_blocks_that_no_compiler_of_jomps_made_are_monitors(case):
    budget, java = case.split("-")
    done, trace = storm(java, 2, "others", budget.replace("_", "/"), level="jvm,jomp")
    same(of_sections(done.trace), {}, "critical sections")
    same([r.name for r in trace.regions if "critical" in r.name], [], "regions of such")


def weights_of_waits(location):
    """Weights of the critical sections in which the thread was blocked before it had them."""
    found, request = [], None
    for e in location.events:
        if e.kind == "Enter" and kind(e.region) == "//omp critical":
            request = e
        elif e.kind == "Enter" and kind(e.region) == "monitor enter" and request:
            found.append(request.attributes.get("weight", 1))
            request = None
        elif e.kind == "ThreadAcquireLock":
            request = None
    return found


def line_of(source, text, after=""):
    """The line of a program's source that has this text, behind another text."""
    with open(os.path.join(SOURCE, "..", "programs", source)) as file:
        lines = file.read().splitlines()
    first = next(n for n, line in enumerate(lines) if after in line)
    return next(n for n, line in enumerate(lines, 1) if n > first and text in line)


def kept(java, what, places, level, program, classes, n=2000):
    options = [option for place in places for option in ("--keep", place)]
    done = record([JAVAS[java], "-Djomp.threads=1", "-cp", classes, program, what, str(n)], *options, HEDDLE_JAVA=f"level={level}", HEDDLE_BUDGET="1/20")
    same(done.status, 0, "exit status")
    trace = Trace(done.trace)
    check_well_formed(trace)
    return [line for line in done.tool_err if "--keep" in line or "KEEP" in line], trace


NOTIFY = line_of("java/Storms.java", "lock.notify();", 'case "notify"')
WAYS_TO_KEEP = {"line": f"Storms.java:{NOTIFY}", "lines": f"Storms.java:{NOTIFY - 1}-{NOTIFY + 1}", "file": "Storms.java", "path": f"src/Storms.java:{NOTIFY}",
                "method": "Storms.main", "as-printed": f"notify @Storms.java:{NOTIFY}"}


@pytest.mark.parametrize("case", [f"{way}/{java}" for way in WAYS_TO_KEEP for java in JAVAS])
def test_kept_places_are_whole(case):
    way, java = case.split("/")
    said, trace = kept(java, "notify", [WAYS_TO_KEEP[way]], "jvm", "Storms", JAVA_CLASSES)
    same(said, [], "what is said of places")
    same(weighed(trace, "notify", ["main"]), (2000, 2000), "notify, and by weight")


@pytest.mark.parametrize("case", [f"{place}/{java}" for place in (f"Storms.java:{NOTIFY + 1}", "Storms.play", "Other.java") for java in JAVAS])
def test_other_places_are_sampled(case):
    place, java = case.split("/")
    said, trace = kept(java, "notify", [place], "jvm", "Storms", JAVA_CLASSES)
    same(len(said), 1, f"lines on places: {said}")
    check(f"--keep {place}: nothing was" in said[0], said[0])
    events, stand_for = weighed(trace, "notify", ["main"])
    same(stand_for, 2000, "notify, by weight")
    check(events < 1000, f"{events} of 2000 are recorded")


@pytest.mark.parametrize("case", [f"{what}-{java}" for what in ("loops", "singles", "regions") for java in JAVAS])
def test_kept_constructs_are_whole(case):
    what, java = case.split("-")
    method = {"loops": "Storm.loop", "singles": "Storm.single", "regions": "Storm.main"}[what]
    construct = {"loops": LOOP, "singles": SINGLE, "regions": REGION}[what]
    said, trace = kept(java, what, [method], "jomp", "Storm", CLASSES)
    same(said, [], "what is said of places")
    first, = of_teams(trace)
    same(executed(trace, first, "instances")[0][construct], 2000, f"{construct}, recorded and skipped")
    same(len([r for r, _, _ in trace.spans(first) if kind(r) == construct]), 2000, f"{construct}, recorded")
    _, trace = kept(java, what, ["Storm.dynamic"], "jomp", "Storm", CLASSES)
    recorded = len([r for r, _, _ in trace.spans(of_teams(trace)[0]) if kind(r) == construct])
    check(recorded < 1000, f"{recorded} of 2000 are recorded where another place is kept")


USER = f"{os.path.join(BUILD, 'share', 'java', 'heddle.jar')}:{os.path.join(PROGRAMS, 'user')}"


@pytest.mark.parametrize("case", [f"{budget.replace('/', '_')}-{java}" for budget in ("5%", "1/20", "none") for java in JAVAS])
def test_weights_of_the_programs_own_add_up(case):
    budget, java = case.split("-")
    budget = budget.replace("_", "/")
    settings = {"HEDDLE_PRICE": "1000000"} if budget == "5%" else {}  # each storm is over 20 ms after 20 records
    done, trace = storm(java, 1, "user", budget, 2000, program="UserStorm", classes=USER, **settings)
    for name in ("outer", "inner", "event"):
        events, stand_for = weighed(trace, name, ["main"])
        same(stand_for, 2000, f"{name}, by weight")
        check(events == 2000 if budget == "none" else events < 1000, f"{events} of 2000 are recorded")
    same(weighed(trace, "whole", ["main"]), (1, 1), "whole, and by weight")
