"""
What programs report of themselves (heddle.h, the Fortran module heddle, the class heddle.Heddle) is in the archive as
they said it, and nowhere else: tests/programs/user.
"""
import collections
import json
import os
import shutil

import pytest
from otf2.enums import Paradigm, RegionFlag

from harness import BUILD, PROGRAMS, TOOL, check, directory, heddle, jdks, process_directories, record, run, run_raw, run_traced, same
from trace import Trace, check_well_formed, is_off, read_by_otf2_print
import raw

USER = os.path.join(PROGRAMS, "user")
JAR = os.path.join(os.path.abspath(BUILD), "share", "java", "heddle.jar")
PYTHON_MODULE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "user-events", "python"))
PYTHON_PROGRAM = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "programs", "user", "events.py"))
JDKS = jdks()
SMALLEST = -2**63


def program(name, way=None):
    path = os.path.join(USER, name)
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}: its compiler is missing")
    return [path] + ([way] if way else [])


def traced(command, **settings):
    done = run_traced(command, **settings)
    same((done.status, done.out.endswith("done\n"), done.tool_err), (0, True, []), "status, output, what Heddle says")
    return done


def opened(done):
    read_by_otf2_print(done.trace)
    trace = Trace(done.trace)
    check_well_formed(trace)
    return trace


def is_users(event):
    return event.region is not None and event.region.paradigm == Paradigm.USER


def told(location):
    """What the program reported on a location, in order: `+region`, `-region`, `event {attributes}`, `on`, `off`."""
    result, events = [], [e for e in location.events if is_users(e) or e.kind == "MeasurementOnOff"]
    for e in events:
        if e.kind == "MeasurementOnOff":
            result.append("off" if is_off(e) else "on")
        elif e.region.description == "kind: event":
            if e.kind == "Enter":
                result.append((e.region.name, e.attributes) if e.attributes else e.region.name)
        else:
            result.append(("+" if e.kind == "Enter" else "-") + e.region.name)
            if "closed" in e.attributes:
                result[-1] += ": " + e.attributes["closed"]
    return result


def by_name(trace):
    return {l.name: told(l) for l in trace.locations}


def info(trace):
    done = heddle("info", "--json", trace)
    same(done.status, 0, "heddle info")
    return json.loads(done.out)


def counted(trace):
    facts = info(trace)
    return int(facts["user_not_left"]), int(facts["user_unmatched"])


SEQUENCE = ["+set-up", "+whole", "start",
            ("numbers", {"smallest": SMALLEST, "minus": -1, "pi": 3.25, "square": 2.25}), "+work"]


def parts(thread):
    return [x for i in range(2) for x in (f"+part {i}", ("member", {"thread": thread}), f"-part {i}")]


def test_regions_phases_and_events_are_told_in_c():
    done = traced(program("events", "sequence"))
    trace = opened(done)
    same(by_name(trace), {"conductor": SEQUENCE + parts(0) + ["-work", "-whole", "-set-up"], "OpenMP thread 1": parts(1)},
         "what was told")
    for event in (e for l in trace.locations for e in l.events if e.kind == "Enter" and is_users(e)):
        phase = event.region.region_flags == RegionFlag.PHASE
        same(phase, event.region.name in ("set-up", "work"), f"whether {event.region.name} is a phase")
    same(counted(done.trace), (0, 0), "regions not left, leaves unmatched")
    same(len({l.group for l in trace.locations}), 1, "processes")


def test_one_raw_trace_of_a_program_with_openmp():
    done = run_raw(program("events", "sequence"), EVENTS_EARLY="1")
    directories = process_directories(done.trace)
    same(len(directories), 1, "process directories")
    text = open(os.path.join(directories[0], "process")).read()
    same(sorted(l for l in text.splitlines() if l.startswith("tool: ")), ["tool: ompt", "tool: user"], "tools")
    first = [r.name for r in raw.threads(directories[0])[0]][:3]
    same(first, ["thread_begin", "stall", "user_event"], "the first records: the event came before OpenMP")
    check("runtime: LLVM" in text, "the runtime is told")


@pytest.mark.parametrize("case", ["set", "record"])
def test_a_program_without_openmp_is_recorded(case):
    command = program("events", "serial")
    done = traced(command) if case == "set" else record(command)
    trace = opened(done)
    same(by_name(trace), {"main thread": ["+serial", "-serial"]}, "what was told")


def test_states_are_run_and_shown_by_region():
    done = traced(program("events", "sequence"))
    shown = heddle("states", "--by", "region", "--json", done.trace)
    same(shown.status, 0, "heddle states")
    rows = {row["construct"]: row for row in json.loads(shown.out)["constructs"]}
    for name in ("whole", "set-up", "part 0"):
        row = rows[name]
        check(row["run"]["ticks"] == row["time"]["ticks"] > 0, f"states of {name}: {row}")
    same(int(rows["part 0"]["executions"]), 2, "calls of part 0")


def test_what_is_not_balanced_is_closed_and_counted():
    done = traced(program("events", "unbalanced"))
    told_by = by_name(opened(done))
    inside = ["+inside", "-inside: not left"]
    same(told_by, {"OpenMP master": ["+outer", "+inner", "-inner: not left", "-outer", "+around", *inside, "-around", "+open",
                                     "-open: not left"], "OpenMP thread 1": inside}, "what was told")
    same(counted(done.trace), (4, 4), "regions not left, leaves unmatched")
    shown = heddle("info", done.trace).out
    check("Regions not left      4" in shown and "Leaves unmatched      4" in shown, f"heddle info: {shown}")


def test_names_may_be_anything():
    done = traced(program("events", "hostile"))
    trace = opened(done)
    location = trace.locations[0]
    same(location.name, "x" * 1024, "the thread's name")
    names = [x[1:] for x in told(location) if x[0] == "+"]
    same(names, ["<script>alert(1)</script>", "x" * 1024, "\\xff\\xfe not UTF-8", "new\\x0aline\\x09\\x1b[31m", "", 'a,"b";c',
                 "name: 1 no", "\\x41", " spaces  ", "\U0001f30d", ""], "names")
    events = [x for x in told(location) if not isinstance(x, str)]
    same([(n, list(a.items())) for n, a in events], [(n, [(n, i)]) for i, n in enumerate(names[:-1])], "events and attributes")
    for form in ("--json", "--csv"):
        shown = heddle("states", "--by", "region", form, done.trace)
        check(shown.status == 0 and "\x1b" not in shown.out, f"heddle states {form}")


def test_many_names_take_bounded_memory():
    done = run_traced(program("events", "many"), HEDDLE_CONVERT="0")
    same((done.status, done.out), (0, "done\n"), "status and output")
    same(len(done.tool_err), 1, f"lines that Heddle says: {done.tool_err}")
    process = os.path.join(process_directories(done.trace)[0], "process")
    check(os.path.getsize(process) < 2 << 20, f"the process file has {os.path.getsize(process)} bytes")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    trace = Trace(done.trace)
    check_well_formed(trace)
    names = [x[1:] for x in told(trace.locations[0]) if x[0] == "+"]
    same(len(names), 100000, "regions entered")
    same(names[:65534], [f"name {i}" for i in range(65534)], "the names that are known")
    same(set(names[65534:]), {"(further names)"}, "the others")
    same(counted(done.trace), (0, 0), "regions not left, leaves unmatched")


def test_an_event_has_as_many_attributes_as_fit():
    trace = opened(traced(program("events", "attributes")))
    everything, none, twice = told(trace.locations[0])
    same(everything, ("all", {f"a{i}": i + 0.5 if i % 2 else i for i in range(255)}), "attributes")
    same(none, "none", "an event without any")
    event = [e for e in trace.locations[0].events if e.region is not None and e.region.name == "twice"][0].event
    same([(a.name, str(a.type), v) for a, v in event.attributes.items()],
         [("same", "Type.INT64", 1), ("same", "Type.DOUBLE", 3.0)], "the same name twice")


def test_nothing_is_recorded_while_measurement_is_off():
    same(by_name(opened(traced(program("events", "measurement")))),
         {"main thread": ["+before", "-before", "off", "on", "+after", "-after"]}, "what was told")
    same(by_name(opened(traced(program("events", "measurement"), HEDDLE_PAUSED="1"))),
         {"main thread": ["off", "on", "+after", "-after"]}, "what was told when it began paused")


def test_short_threads_leave_nothing_behind():
    done = run_raw(program("events", "threads"))
    windows = os.path.getsize(os.path.join(process_directories(done.trace)[0], "windows"))
    check(windows <= 8 * 128 * 1024, f"windows are not used again: {windows} bytes")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    trace = Trace(done.trace)
    check_well_formed(trace)
    wanted = {f"short {n}": 100 * [f"+short {n}", "+common", "-common", f"-short {n}"] for n in range(40)}
    same(by_name(trace), wanted, "what the threads told")


def enters_that_are_recorded(location):
    return [e for e in location.events if e.kind == "Enter" and "instances" not in e.attributes and e.region.name != "TRACEFLUSH"]


def by_weight(location, wanted=lambda region: True):
    """Name of a region or event -> how often the thread executed it."""
    counts = collections.Counter()
    for e in enters_that_are_recorded(location):
        if wanted(e.region):
            counts[e.region.name] += e.attributes.get("weight", 1)
    for e in location.events:
        if e.kind == "Enter" and "instances" in e.attributes and wanted(e.attributes["construct"]):
            counts[e.attributes["construct"].name] += e.attributes["instances"]
    return counts


def test_regions_that_are_left_out_are_counted():
    """Threads n enter `short n` 100 times, and in it `common`: each is chosen for itself."""
    done = traced(program("events", "threads"), HEDDLE_BUDGET="1/10")
    trace = Trace(done.trace)
    check_well_formed(trace)
    for location in trace.locations:
        enters = enters_that_are_recorded(location)
        same(dict(by_weight(location)), {location.name: 100, "common": 100}, f"{location.name}: by weight")
        check(len(enters) <= 2 * 13, f"{location.name}: {len(enters)} of 200 are recorded")
        check(location.of_kind("Leave") and len(told(location)) % 2 == 0, "regions are left")
    same(counted(done.trace), (0, 0), "regions not left, leaves without a region")


def test_names_at_one_address_are_told_apart():
    """6000 rounds with a region that is not left, and an event in it; 6 names. Then 10,000 further names."""
    done = traced(program("events", "reused"), HEDDLE_BUDGET="1/10", HEDDLE_SEED="1")
    trace = Trace(done.trace)
    check_well_formed(trace)
    location, = trace.locations
    counts = by_weight(location)
    few = {name: counts.pop(name) for name in ("round", *(begin + digit for begin in ("x" * 6, "x" * 999) for digit in "012"))}
    same(list(few.values()), [6000] + 6 * [2000], "regions and events, by weight")
    same(sum(counts.values()), 30000, "events of many names, by weight, with those of which the name is not known")
    check(set(counts) <= {"unnamed", *(f"one of many {i}" for i in range(10000))}, f"other names: {counts.keys()}")
    enters = collections.Counter(e.region.name.startswith("one of many") for e in enters_that_are_recorded(location))
    check(enters[False] <= 1800 + 13, f"{enters[False]} of 18000 are recorded")
    check(1000 <= enters[True] <= 5000, f"{enters[True]} of 30000 are recorded: each one's first, if it has a row")
    depths = [0]
    for x in told(location):
        depths += [depths[-1] + (x[0] == "+") - (x[0] == "-")] if isinstance(x, str) else []
    same((max(depths), depths[-1]), (2, 0), "regions that are open at once, and at the end")


def test_what_handlers_tell_while_a_name_is_noted_down_is_there_or_counted():
    done = traced(program("events", "new_names"))
    events = sum(len(told(location)) for location in opened(done).locations)
    facts = info(done.trace)
    same(events + int(facts["events_lost"]) + int(facts.get("events_not_measured") or 0), int(done.out.split()[1]), "events in the trace, lost, or skipped")


def test_what_destructors_tell_after_the_thread_s_end_is_counted():
    done = traced(program("events", "destructors"))
    trace = opened(done)
    told_late = sum(told(l).count("late") for l in trace.locations)
    lost = int(info(done.trace)["events_lost"])
    same((told_late + lost, lost > 0), (4, True), "events of the four rounds that were told or counted, whether one came too late")


@pytest.mark.parametrize("way", ["fork", "quiet_fork", "clone"])
def test_a_fork_s_child_has_names_of_its_own(way):
    for budget in ("none", "1/100"):  # all are the first ones of their threads
        done = traced(program("events", way), HEDDLE_BUDGET=budget)
        trace = opened(done)
        same(sorted(map(told, trace.locations), key=str),
             sorted([["+both", "parent", "-both"], ["+both", ("child", {"both": 1}), "-both"]], key=str), "what was told")
        same(len(trace.groups), 2, "processes")


def test_a_child_does_not_wait_for_a_thread_of_its_parent_that_begins_to_record():
    done = traced(program("begins", None))
    trace = opened(done)
    same(sorted(x for l in trace.locations for x in told(l)), ["child", "parent", "thread"], "what was told")
    same(len(trace.groups), 2, "processes")


def test_threads_have_names_while_another_one_begins_to_record():
    done = run_traced(program("events", "slow_child"), HEDDLE_VERBOSE="1")
    same((done.status, done.out), (0, "done\n"), "status, output")
    same(sorted(t for l in opened(done).locations for t in told(l)), 20 * ["early bird"] + ["parent"], "what was told")


def test_signal_handlers_may_tell_things():
    done = traced(program("events", "signals"))
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(counted(done.trace), (0, 0), "regions not left, leaves unmatched")
    entered = [x for x in told(trace.locations[0]) if x == "+handler"]
    check(len(entered) > 1, "no handler told anything")


@pytest.mark.parametrize("case", ["c", "c++", "gfortran", "flang"])
def test_without_a_tool_nothing_happens(case):
    name = {"c": "events", "c++": "events-cpp"}.get(case, f"events-{case}")
    for settings in ({}, {"OMP_TOOL_LIBRARIES": "/no/such/libheddle-ompt.so"}, {"OMP_TOOL_LIBRARIES": TOOL, "HEDDLE": "off"},
                     {"OMP_TOOL_LIBRARIES": TOOL, "OMP_TOOL": "disabled"}):
        where = directory()
        done = run(program(name, None if case == "c++" else "serial"), cwd=where, **settings)
        same((done.status, done.out, done.err, os.listdir(where)), (0, "done\n", "", []), f"with {settings}")


def test_the_stub_needs_libc_alone():
    done = run(["nm", "--undefined-only", "-f", "posix", os.path.join(BUILD, "lib", "libheddle-user.a")])
    same({l.split()[0] for l in done.out.splitlines() if " U" in l} - {"_GLOBAL_OFFSET_TABLE_"},
         {"dlerror", "dlopen", "dlsym", "getauxval", "memcpy", "secure_getenv", "strchrnul", "strcmp", "strncmp", "strrchr"},
         "what libheddle-user.a asks for")


def test_a_program_with_more_rights_than_its_user_loads_nothing():
    if os.getuid() != 0:
        pytest.skip("needs root, to make a set-user-ID program")
    where = directory()
    path = shutil.copy(program("events")[0], where)
    os.chown(path, 65534, 65534)
    os.chmod(path, 0o4755)
    trace = os.path.join(where, "trace")
    done = run([path, "secure"], OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace, LD_LIBRARY_PATH=None)
    if "secure: 0" in done.out:
        pytest.skip("set-user-ID programs get no further rights here")
    same((done.out, done.err, os.path.exists(trace)), ("secure: 1\ndone\n", "", False), "output, trace")


def test_it_works_in_cpp():
    trace = opened(traced(program("events-cpp")))
    same(told(trace.locations[0]), ["+c++", "bare", ("numbers", {"i": 1, "r": 0.5}), "-c++"], "what was told")


FORTRAN = ["+set-up", "+outer", "+padded", "-padded", "+work", "bare",
           ("int32", {"i": 7}), ("int64", {"i": SMALLEST}), ("real32", {"r": 0.5}), ("real64", {"r": 1.25}),
           ("int32s", {"a": 1, "longer": 2}), ("int64s", {"first": 1, "third": 3}),
           ("real32s", {"x": 1.5, "y": 2.5}), ("real64s", {"x": 3.5, "y": 4.5}),
           ("mixed 1", {"i": 1, "r": 0.5}), ("mixed 2", {"i": 2, "r": 1.5}), ("mixed 3", {"i": 3, "r": 2.5}),
           ("mixed 4", {"i": 4, "j": 5, "r": 3.5}), "-work", "-outer", "off", "on", "-set-up"]


@pytest.mark.parametrize("case", ["gfortran", "gfortran-int8", "gfortran-openmp", "flang", "flang-openmp"])
def test_regions_phases_and_events_are_told_in_fortran(case):
    trace = opened(traced(program(f"events-{case}", "serial")))
    same(by_name(trace), {"soloist": FORTRAN}, "what was told")
    types = {str(a.type) for e in trace.locations[0].events for a in (e.event.attributes or {}) if a.name != "closed"}
    same(types, {"Type.INT64", "Type.DOUBLE"}, "types of attributes")


@pytest.mark.parametrize("case", ["gfortran-openmp", "flang-openmp"])
def test_fortran_in_parallel_regions(case):
    trace = opened(traced(program(f"events-{case}", "parallel"), KMP_WARNINGS="0"))
    steps = [[x for i in range(1, 4) for x in ("+step", ("member", {"thread": n, "step": i}), "-step")] for n in range(2)]
    same(sorted(map(told, trace.locations), key=len), sorted([["+whole", *steps[0], "-whole"], steps[1]], key=len),
         "what was told")


JAVA = ["+set-up", "+whole", "bare", ("numbers", {"smallest": SMALLEST, "int": 7, "pi": 3.25}), "+work", "-work", "-whole",
        "-set-up", "off", "on"]


def shown(trace, *options):
    done = heddle("events", "--json", *options, trace)
    same(done.status, 0, "heddle events")
    return json.loads(done.out)


def listed(trace):
    """As `told()`, for events alone, in order of time on each thread, as heddle events --list prints them."""
    threads = collections.defaultdict(list)
    for row in shown(trace, "--list")["events"]:
        values = {k[len("attribute."):]: v for k, v in row.items() if k.startswith("attribute.") and v is not None}
        threads[row["thread_name"]].append((row["event"], values) if values else row["event"])
    return threads


def events_told(trace):
    found = {l.name: [x for x in told(l) if not isinstance(x, str) or x[0] not in "+-" and x not in ("on", "off")] for l in trace.locations}
    return {name: events for name, events in found.items() if events}


@pytest.mark.parametrize("case", ["c", "c++", "gfortran", "java", "python"])
def test_what_the_command_prints_is_what_was_told(case):
    if case == "java":
        done = record(java(sorted(JDKS)[0] if JDKS else pytest.skip("there is no JDK"), "sequence"))
    elif case == "python":
        done = record(python("sequence"))
    else:
        done = traced({"c": program("events", "sequence"), "c++": program("events-cpp"), "gfortran": program("events-gfortran", "serial")}[case])
    trace = opened(done)
    same(listed(done.trace), events_told(trace), "events by thread")
    summary = shown(done.trace)
    totals = collections.Counter(x if isinstance(x, str) else x[0] for events in events_told(trace).values() for x in events)
    same({row["event"]: row["count"] for row in summary["events"]}, dict(totals), "counts")
    for row in summary["attributes"]:
        values = [x[1][row["attribute"]] for events in events_told(trace).values() for x in events
                  if not isinstance(x, str) and x[0] == row["event"] and row["attribute"] in x[1]]
        same((row["values"], row["min"], row["max"]), (len(values), min(values), max(values)), f"values of {row}")


def test_events_are_counted_with_omitted_ones():
    done = traced(program("events", "reused"), HEDDLE_BUDGET="1/10", HEDDLE_SEED="1")
    location, = Trace(done.trace).locations
    counts = by_weight(location, lambda region: region.description == "kind: event")
    recorded = collections.Counter(x if isinstance(x, str) else x[0] for x in told(location))
    for row in shown(done.trace)["events"]:
        same(row["count"], counts[row["event"]], row["event"])
        same(row["not_recorded"], row["count"] - recorded[row["event"]], f"not recorded: {row}")


PYTHON = {"conductor": ["+set-up", "+whole", "bare",
                        ("numbers", {"smallest": SMALLEST, "any name, \u00e9": 1.25, "largest": 2**63 - 1, "beyond": 2.0**64}),
                        "+decorated", ("real", {"value": 0.5, "flag": 1}), "-decorated", "-whole", "-set-up", "off", "on", "+open", "-open"],
          **{f"worker {n}": [("member", {"number": n, "step": step}) for step in range(3)] for n in range(2)}}


def python(way):
    return ["/usr/bin/env", f"PYTHONPATH={PYTHON_MODULE}", "/usr/bin/python3", "-B", PYTHON_PROGRAM, way]


@pytest.mark.parametrize("case", ["set", "record"])
def test_python_programs_are_recorded(case):
    done = traced(python("sequence")) if case == "set" else record(python("sequence"))
    same((done.status, done.out), (0, "listens done\n"), "status, output")
    same(by_name(opened(done)), PYTHON, "what was told")


def test_a_python_program_s_child_and_odd_values():
    done = record(python("child"))
    same(sorted(sum((told(l) for l in opened(done).locations), [])), ["before", "child", "parent"], "what was told")
    done = record(python("odd"))
    events = told(opened(done).locations[0])
    same(events[0], ("odd", {"good": 1, "huge": float("inf")}), "what is no number is left out")
    same((events[1][0], len(events[1][1])), ("nul \\x00 \\ud800", 255), "a name that is no text, and many attributes")
    check(done.err.count("is no number, and is left out") == 2, f"warnings: {done.err}")


def test_python_without_a_tool_does_nothing():
    where = directory()
    done = run(python("many"), cwd=where)
    same((done.status, done.out, done.err, os.listdir(where)), (0, "does not done\n", "", []), "status, output, files")


def java(jdk, way):
    if not os.path.exists(JAR):
        pytest.skip("there is no heddle.jar: javac is missing")
    return [JDKS[jdk], "-cp", f"{JAR}:{USER}", "Events", way]


@pytest.mark.parametrize("jdk", sorted(JDKS))
def test_regions_phases_and_events_are_told_in_java(jdk):
    done = record(java(jdk, "sequence"))
    same((done.status, done.out, done.own_err), (0, "done\n", ""), "status and output")
    trace = opened(done)
    found = {name: list_ for name, list_ in by_name(trace).items() if any(x not in ("on", "off") for x in list_)}
    same(found, {"soloist": JAVA, "worker 0": ["+step", ("member", {"number": 0}), "-step"],
                 "renamed \u00e9\U0001f30d": ["+step", ("member", {"number": 1}), "-step"]}, "what was told")
    same(len(process_groups(trace)), 1, "processes")


def process_groups(trace):
    return {l.group for l in trace.locations}


@pytest.mark.parametrize("jdk", sorted(JDKS))
def test_java_without_an_agent_does_nothing(jdk):
    where = directory()
    done = run(java(jdk, "many"), cwd=where)
    same((done.status, done.out, done.err, os.listdir(where)), (0, "done\n", "", []), "status, output, files")


@pytest.mark.parametrize("jdk", sorted(JDKS))
def test_many_names_and_attributes_in_java(jdk):
    done = record(java(jdk, "many"), "--java", "level=jomp")
    same((done.status, done.out), (0, "done\n"), "status and output")
    trace = Trace(done.trace)
    check_well_formed(trace)
    main_thread = [told(l) for l in trace.locations if l.name == "main"][0]
    same(len([x for x in main_thread if x[0] == "+"]), 100000, "regions entered")
    same(main_thread[-1][0], "(further names)", "the event's name")
    same(counted(done.trace), (0, 0), "regions not left, leaves unmatched")


def test_unbalanced_java_is_counted():
    jdk = sorted(JDKS)[0] if JDKS else pytest.skip("there is no JDK")
    done = record(java(jdk, "unbalanced"))
    same(counted(done.trace), (1, 1), "regions not left, leaves unmatched")
