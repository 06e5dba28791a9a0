"""
Other viewers get what the trace has: state times of every format agree with `heddle states`, to the nanosecond. Paraver's
files pass a checker written from the format's description, Chrome's JSON one of its schema, and protoc decodes
Perfetto's. pj_dump reads our Paje; ViTE opens our OTF2 and our Paje; no name does harm.
"""
import collections
import csv
import decimal
import io
import json
import lzma
import os
import re
import shutil
import tarfile

import otf2
import pytest
from otf2.enums import Paradigm, RegionRole as Role

import paraver
import perfetto
from harness import PROGRAMS, check, directory, heddle, once, program, record, run, run_traced, same
from limits import small_disk
from report_file import Report
from trace import Trace, span_of

ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outputs", "archives")
JNI = os.path.join(PROGRAMS, "jni")
JAVA = os.path.join(PROGRAMS, "java")
CASES = {"regions": lambda: [program("lu"), "40"], "tasks": lambda: [program("nqueens"), "6"],
         "locks": lambda: [program("philosophers"), "4", "10"], "nested": lambda: [program("nested_4x4")],
         "ordered": lambda: [program("constructs/loop_ordered")], "names": lambda: [program("user/events"), "hostile"],
         "processes": lambda: [program("processes"), "fork"],
         "java": lambda: ["java", "-cp", JAVA, "Waits", "2"],
         "mixed": lambda: ["java", f"-Djava.library.path={JNI}", "-cp", JNI, "Mixed", "5"]}
# State of `heddle states` -> Paraver's.
NUMBERS = {"ready": 7, "off": 0, "idle": 0, "run": 1, "overhead": 7, "init": 7, "traceflush": 12, "unmeasured": 14, "gc": 15}
NUMBERS.update({"blocked_mutex": 21, "blocked_condvar": 22})
SYNCH = 5


@once
def traced(case):
    command = CASES[case]()
    if command[0] == "java" and not (shutil.which("java") and os.path.isdir(command[command.index("-cp") + 1])):
        pytest.skip("there is no JVM, or its programs were not built")
    if not (shutil.which(command[0]) or os.path.exists(command[0])):
        pytest.skip(f"there is no {command[0]}")
    done = record(command) if command[0] == "java" else run_traced(command)
    check(os.path.exists(os.path.join(done.trace, "traces.otf2")), f"no archive: {done.err}")
    return done.trace


def exported(form, trace, name):
    path = os.path.join(directory(), name)
    done = heddle("export", "--to", form, "-o", path, trace)
    same((done.status, done.out, done.err), (0, "", ""), f"heddle export --to {form}")
    return path


Thread = collections.namedtuple("Thread", "name begin end intervals")  # ns; intervals: (state, begin, end, construct)


def listed(trace):
    """What `heddle states --list` says of each thread, its ticks as ns since the trace's begin, rounded down."""
    archive = Trace(trace)
    first = archive.clock.global_offset

    def ns(ticks):
        return ticks * 10 ** 9 // archive.ticks_per_second

    threads = []
    for number, location in enumerate(archive.locations):
        rows = json.loads(heddle("states", "--list", str(number), "--json", trace).out)["states"]
        begin, end = [t - first for t in span_of(location)] if location.events else (0, 0)
        intervals = [(r["state"], r["start"]["ticks"], r["start"]["ticks"] + r["duration"]["ticks"], r["construct"]) for r in rows]
        same(sum(e - b for _, b, e, _ in intervals), end - begin, f"the list of {location.name} and its lifetime")
        threads.append(Thread(location.name, ns(begin), ns(end), [(s, ns(b), ns(e), c) for s, b, e, c in intervals]))
    return threads


def sums(intervals):
    """Total by key; what is shorter than a ns is nothing."""
    total = collections.Counter()
    for key, begin, end in intervals:
        total[key] += end - begin
    return {key: time for key, time in total.items() if time > 0}


def key_of(name):
    """As the columns of `heddle states --json` are called."""
    return {"SYNCH critical/lock": "synch_mutex", "BLOCKED IN MUTEX": "blocked_mutex",
            "BLOCKED IN CONDVAR": "blocked_condvar"}.get(name, name.lower().replace(" ", "_"))


@pytest.mark.parametrize("case", list(CASES))
def test_paraver_passes_the_checker(case):
    trace = traced(case)
    files = paraver.read(exported("paraver", trace, "x.prv")[:-4])
    threads = listed(trace)
    by_name = sorted(threads, key=lambda t: (t.name, t.begin, t.end))
    shown = collections.defaultdict(list)
    for state in files.states:
        shown[state.thread].append(state)
    same(len(files.threads), len(threads), "threads")
    if case != "processes":  # where locations are ordered by process
        for thread, truth in zip(files.threads, threads):
            check_thread(shown[thread], truth)
            check(truth.name == files.names[files.threads.index(thread)] or case == "names", f"the name of {truth.name}")
    same(sums((s.state, s.begin, s.end) for s in files.states if s.state != paraver.NOT_CREATED),
         sums((NUMBERS.get(key_of(s), SYNCH), b, e) for t in by_name for s, b, e, _ in t.intervals), "all states")
    check_events(files.events)


def check_thread(states, truth):
    """The states cover the thread's lifetime, and before it the thread is not created."""
    if truth.begin > 0:
        same((states[0].state, states[0].end), (paraver.NOT_CREATED, truth.begin), f"the begin of {truth.name}")
    alive = [s for s in states if s.state != paraver.NOT_CREATED]
    if truth.end > truth.begin:
        same((alive[0].begin, alive[-1].end), (truth.begin, truth.end), f"the lifetime of {truth.name}")
    same(sums((s.state, s.begin, s.end) for s in alive),
         sums((NUMBERS.get(key_of(s), SYNCH), b, e) for s, b, e, _ in truth.intervals), f"states of {truth.name}")


def check_events(events):
    """What begins on a thread ends there; locks go round from asked for over locked and unlocked to free."""
    depth, lock = collections.Counter(), {}
    for thread, time, type, value in events:
        if type in (60000006, 60000007):
            allowed = {3: (0, 3, 6, None), 6: (3, 0, 6, None), 5: (6, 0, None), 0: (5, None, 3)}
            check(lock.get((thread, type)) in allowed[value], f"{type} goes from {lock.get((thread, type))} to {value}")
            lock[thread, type] = value
        elif type not in (60000028, 60000033) and type not in paraver.ATTRIBUTES:
            depth[thread, type] += 1 if value else -1
            check(depth[thread, type] >= 0, f"{type} ends without a begin at {time} on {thread}")
    check(not any(depth.values()), f"begun and not ended: {+depth}")


def test_paraver_tells_what_the_program_did():
    trace = traced("locks")
    files = paraver.read(exported("paraver", trace, "x.prv")[:-4])
    archive = Trace(trace)
    kinds = collections.Counter(e.kind for e in archive.events())
    count = collections.Counter((e.type, e.value) for e in files.events)
    same(count[60000006, 6] + count[60000007, 6], kinds["ThreadAcquireLock"], "acquisitions")
    same(count[60000006, 5] + count[60000007, 5], kinds["ThreadReleaseLock"], "releases")
    same(count[60000001, 3], kinds["ThreadFork"], "forks")
    labels = {60000001: "Parallel (OMP)", 60000006: "OpenMP named-Lock", 60000007: "OpenMP unnamed-Lock",
              60000018: "Executed OpenMP parallel function", 60000118: "Executed OpenMP parallel function line and file"}
    for type, label in labels.items():
        check(files.labels.get(type, label) == label, f"{type} is labelled {files.labels.get(type)}")
    lines = {e.value for e in files.events if e.type == 60000118 and e.value}
    check(lines and all("philosophers.c" in files.values[60000118][value] for value in lines), "lines of the parallel regions")


def test_paraver_tells_of_tasks():
    trace = traced("tasks")
    files = paraver.read(exported("paraver", trace, "x.prv")[:-4])
    archive = Trace(trace)
    created = sum(e.kind == "ThreadTaskCreate" for e in archive.events())
    executed = [e.value for e in files.events if e.type == 60000028 and e.value]
    same(sorted(set(executed)), list(range(1, created + 1)), "numbers of tasks that are executed")
    same(sum(1 for e in files.events if e.type == 60000023 and e.value),
         sum(1 for l in archive.locations for r, _, _ in archive.spans(l) if r.region_role in (Role.TASK, Role.TASK_UNTIED)),
         "executions")


JAVA_EVENTS = {(48000011, 1): "monitor enter", (48000011, 2): "lock", (48000011, 3): "Object.wait", (48000011, 4): "park", (48000011, 5): "Thread.sleep",
               (48000011, 6): "Thread.join", (48000012, 1): "notify", (48000012, 2): "notifyAll", (48000013, 1): "Thread.yield"}


def test_paraver_tells_of_java():
    trace = traced("java")
    files = paraver.read(exported("paraver", trace, "x.prv")[:-4])
    shown = collections.Counter((e.type, e.value) for e in files.events)
    regions = collections.Counter(e.region.name.split(" @")[0] for e in Trace(trace).events() if e.kind == "Enter")
    same({name: shown[key] for key, name in JAVA_EVENTS.items()}, {name: regions[name] for name in JAVA_EVENTS.values()}, "Java's events")
    check(all(regions[name] > 0 for name in ("monitor enter", "lock", "Object.wait", "park", "notify")), f"regions: {regions}")
    same([files.state_names[number] for number in (21, 22)], ["Blocked in mutex", "Blocked in condvar"], "names of states")


EVENT_FIELDS = {"M": {"pid", "name", "args"}, "B": {"pid", "tid", "ts", "name", "cat", "args"}, "E": {"pid", "tid", "ts"},
                "C": {"pid", "ts", "name", "args"}, "s": {"pid", "tid", "ts", "id", "name", "cat"},
                "f": {"pid", "tid", "ts", "id", "name", "cat", "bp"}}


def chrome(path):
    """Checks the schema; returns the events, with `ts` in ns."""
    with open(path, encoding="utf-8") as file:
        whole = json.load(file, parse_float=decimal.Decimal)
    same((set(whole), whole["displayTimeUnit"]), ({"displayTimeUnit", "otherData", "traceEvents"}, "ns"), "the document")
    for event in whole["traceEvents"]:
        fields = set(event) - {"ph"}
        check(fields == EVENT_FIELDS[event["ph"]] or (event["ph"] == "M" and fields == EVENT_FIELDS["M"] | {"tid"}),
              f"fields of {event}")
        check(all(isinstance(event[f], int) for f in ("pid", "tid", "id") if f in event), f"numbers of {event}")
        check(all(isinstance(event[f], str) for f in ("name", "cat") if f in event), f"texts of {event}")
        if "ts" in event:
            ns = event["ts"] * 1000
            check(ns == int(ns) and ns >= 0, f"the time of {event}")
            event["ts"] = int(ns)
    return whole["traceEvents"]


FORMS = {"chrome": chrome, "perfetto": perfetto.read}


def events_of(form, trace):
    """The trace in Chrome's or in Perfetto's form, as events of Chrome's."""
    return FORMS[form](exported(form, trace, f"x.{form}"))


@pytest.mark.parametrize("which", [f"{form}-{case}" for form in FORMS for case in CASES])
def test_slices_pass_the_checker(which):
    form, case = which.split("-", 1)
    trace = traced(case)
    events = events_of(form, trace)
    archive = Trace(trace)
    names = {e["tid"]: e["args"]["name"] for e in events if e["name" if "name" in e else "ph"] == "thread_name"}
    same(len(names), len(archive.locations), "names of threads")
    check_slices(events, archive, sorted(names))
    check_flows(events)
    check_counters(events, listed(trace))
    if form == "perfetto":
        check_states(events, listed(trace), sorted(names))


def check_states(events, threads, tids):
    """Each thread's states follow each other on its track, from its begin to its end."""
    shown = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "state":
            shown[event["tid"]].append(event)
    for tid, thread in zip(tids, threads):
        rows = shown[tid]
        same([row["ts"] for row in rows[1:-1:2]], [row["ts"] for row in rows[2::2]], f"ends of states of {thread.name}, and the next begins")
        same(sums((a["name"], a["ts"], b["ts"]) for a, b in zip(rows, rows[1:]) if a["name"]),
             sums((s, b, e) for s, b, e, _ in thread.intervals), f"states of {thread.name}")


def check_slices(events, archive, tids):
    """Slices are balanced and in order, and they are the regions of the archive."""
    stacks, last, slices = collections.defaultdict(list), collections.Counter(), collections.defaultdict(list)
    for event in events:
        if event["ph"] not in "BE":
            continue
        check(event["ts"] >= last[event["tid"]], f"not in order: {event}")
        last[event["tid"]] = event["ts"]
        if event["ph"] == "B":
            stacks[event["tid"]].append((event["name"], event["ts"]))
            slices[event["tid"]].append(stacks[event["tid"]][-1])
        else:
            check(stacks[event["tid"]], f"an end without a begin: {event}")
            stacks[event["tid"]].pop()
    check(not any(stacks.values()), "a slice has no end")
    first = archive.clock.global_offset
    for tid, location in zip(tids, archive.locations):
        truth = [(e.time - first) * 10 ** 9 // archive.ticks_per_second for e in location.of_kind("Enter")]
        same([ts for _, ts in slices[tid]], truth, f"begins of regions of {location.name}")


def check_flows(events):
    """Each flow has one begin and one end, not before it."""
    begins = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    same((len(begins), sorted(begins)), (sum(e["ph"] == "s" for e in events), sorted(ends)), "flows")
    for number, end in ends.items():
        check(begins[number]["ts"] <= end["ts"] and begins[number]["name"] == end["name"], f"a flow: {end}")


def check_counters(events, threads):
    """Threads in a state times how long, that is the time in that state of all threads."""
    totals, now = collections.Counter(), {}
    for event in events:
        if event["ph"] == "C":
            key = event["pid"], event["name"]
            count, since = now.get(key, (0, 0))
            check(event["ts"] >= since and event["args"]["threads"] >= 0, f"a counter: {event}")
            totals[event["name"].removeprefix("threads in ")] += count * (event["ts"] - since)
            now[key] = event["args"]["threads"], event["ts"]
    check(all(count == 0 for count, _ in now.values()), "threads that never end")
    same({s: t for s, t in totals.items() if t}, sums((s, b, e) for t in threads for s, b, e, _ in t.intervals), "time in states")


def steps(events):
    """The times at which each counter changes, and its new values."""
    counters = collections.defaultdict(dict)
    for event in events:
        if event["ph"] == "C":
            counters[event["pid"], event["name"]][event["ts"]] = event["args"]["threads"]
    changes = {}
    for key, values in counters.items():
        rows = list(values.items())
        changes[key] = [row for before, row in zip([(None, 0), *rows], rows) if row[1] != before[1]]
    return {key: rows for key, rows in changes.items() if rows}


def of_threads(events):
    """Slices and ends of arrows of each thread, by time. Not both formats have empty attributes."""
    rows = collections.defaultdict(list)
    for event in events:
        if event["ph"] in "BE":
            args = {key: value for key, value in event.get("args", {}).items() if value != ""}
            rows[event["tid"]].append((event["ts"], event["ph"], event.get("name"), event.get("cat"), args))
    flows = sorted((e["id"], e["ph"], e["tid"], e["ts"], e["name"]) for e in events if e["ph"] in "sf")
    return rows, flows


@pytest.mark.parametrize("case", list(CASES))
def test_perfetto_says_what_chrome_says(case):
    trace = traced(case)
    one, other = events_of("chrome", trace), events_of("perfetto", trace)
    same(of_threads(other), of_threads(one), "slices and arrows")
    same(steps(other), steps(one), "counters")
    names = [sorted((e["pid"], e.get("tid", 0), e["args"]["name"]) for e in events if e.get("name") in ("process_name", "thread_name"))
             for events in (other, one)]
    same(*names, "names")


def test_perfetto_is_small():
    """A program of 2 threads: 40 bytes an event of the archive, where the names are a small part. Chrome's takes five times that."""
    trace = run_traced([program("lu"), "200"]).trace
    events = sum(1 for _ in Trace(trace).events())
    sizes = {form: os.path.getsize(exported(form, trace, f"x.{form}")) for form in FORMS}
    check(sizes["perfetto"] < 40 * events + 4096 and 4 * sizes["perfetto"] < sizes["chrome"], f"bytes of {events} events: {sizes}")


@pytest.mark.parametrize("form", list(FORMS))
def test_arrows_are_forks_tasks_and_waits(form):
    events = events_of(form, traced("tasks"))
    archive = Trace(traced("tasks"))
    count = collections.Counter(e["name"] for e in events if e["ph"] == "f")
    kinds = collections.Counter(e.kind for e in archive.events())
    same(count["task"], kinds["ThreadTaskCreate"], "arrows to tasks")
    same(count["fork"], kinds["ThreadTeamBegin"] - kinds["ThreadFork"], "arrows to threads that join a team")


LOCKS = {"posix": lambda: record([program("pthread_contention")]),
         "java": lambda: record(["java", "-cp", JAVA, "Philosophers", "5", "20"], HEDDLE_JAVA="owner=on")}


@pytest.mark.parametrize("case", list(LOCKS))
def test_waits_for_locks_are_arrows(case):
    """All formats with arrows have the arrows of a report."""
    if case == "java" and not (shutil.which("java") and os.path.isdir(JAVA)):
        pytest.skip("there is no JVM, or its programs were not built")
    trace = LOCKS[case]().trace
    page = os.path.join(directory(), "report.html")
    same(heddle("report", "-o", page, trace).status, 0, "heddle report")
    timeline = Report(page).runs[0]["timeline"]
    rate, late = timeline["ticks_per_second"], int(timeline["start"]) - Trace(trace).clock.global_offset
    arrows = sorted((from_, (begin + late) * 10 ** 9 // rate, to, (end + late) * 10 ** 9 // rate)
                    for kind, from_, begin, to, end, *_ in timeline["arrows"] if kind == "lock")
    check(0 < len(arrows) < 5000, f"{len(arrows)} arrows")
    for form in FORMS:
        events = events_of(form, trace)
        tids = sorted({e["tid"] for e in events if e.get("name") == "thread_name"})
        begins = {e["id"]: e for e in events if e["ph"] == "s"}
        shown = sorted((tids.index(begins[e["id"]]["tid"]), begins[e["id"]]["ts"], tids.index(e["tid"]), e["ts"])
                       for e in events if e["ph"] == "f" and e["name"] == "lock")
        same(shown, arrows, f"arrows in {form}")
    with open(exported("paje", trace, "x.trace"), encoding="utf-8") as file:
        links = sum(bool(re.match(r"8 .* L R lock ", line)) for line in file)
    same(links, len(arrows), "links in Paje")  # also from a thread that ended before the waiting thread went on


@pytest.mark.parametrize("which", [f"{form}-{name}" for form in FORMS for name in ("gomp-lu", "loop-dynamic", "lu-24")])
def test_arrows_of_forks_begin_at_the_last_fork(which):
    """In archives in which threads join teams before the thread that forked, or not."""
    form, name = which.split("-", 1)
    place = directory()
    with lzma.open(os.path.join(ARCHIVES, name + ".tar.xz")) as packed, tarfile.open(fileobj=packed) as packed_archive:
        packed_archive.extractall(place)
    trace = os.path.join(place, name)
    events, archive = events_of(form, trace), Trace(trace)
    first = archive.clock.global_offset
    forks = sorted((e.time - first) * 10 ** 9 // archive.ticks_per_second for e in archive.events() if e.kind == "ThreadFork")
    joined = sorted((e.time - first) * 10 ** 9 // archive.ticks_per_second for location in archive.locations
                    for e in location.of_kind("ThreadTeamBegin") if not any(location.of_kind("ThreadFork")))
    begins = {e["id"]: e["ts"] for e in events if e["ph"] == "s" and e["name"] == "fork"}
    ends = {e["id"]: e["ts"] for e in events if e["ph"] == "f" and e["name"] == "fork"}
    same(sorted(ends.values()), joined, "ends of arrows")
    same([begins[i] for i in ends], [max(fork for fork in forks if fork <= end) for end in ends.values()], "begins of arrows")


@pytest.mark.parametrize("case", list(CASES))
def test_pj_dump_reads_paje(case):
    if not shutil.which("pj_dump"):
        pytest.skip("pj_dump is not installed (Debian: pajeng)")
    trace = traced(case)
    done = run(["pj_dump", "-l", "9", "-u", exported("paje", trace, "x.trace")])
    same((done.status, done.err), (0, ""), "pj_dump")
    rows = [line.split(", ") for line in done.out.splitlines()]
    states = [r for r in rows if r[0] == "State"]
    threads = listed(trace)
    total = collections.Counter()
    for row in states:
        # Names may have commas in them: what is before the type's name and behind the state's.
        at = row.index("State", 2)
        begin, end = (int(decimal.Decimal(t) * 10 ** 9) for t in row[at + 1:at + 3])
        total[row[at + 5]] += end - begin
    same(dict(total), sums((s, b, e) for t in threads for s, b, e, _ in t.intervals), "time in states")
    same(sum(r[0] == "Container" and "Thread" in r for r in rows), len([t for t in threads if t.intervals or t.end]), "threads")
    links = collections.Counter(r[0] for r in rows)["Link"]
    flows = sum(e["ph"] == "f" for e in events_of("chrome", trace))
    same(links, flows, "arrows in Paje and in Chrome's JSON")


@pytest.mark.parametrize("case", ["regions", "locks", "names"])
def test_vite_opens_it(case):
    if not shutil.which("vite") or not shutil.which("xvfb-run"):
        pytest.skip("vite or xvfb-run is not installed")
    trace = traced(case)
    for path in (exported("paje", trace, "x.trace"), os.path.join(trace, "traces.otf2")):
        picture = os.path.join(directory(), "picture.svg")
        said = run(["xvfb-run", "-a", "vite", "-e", picture, path])
        words = said.out + said.err
        check("0 errors and 0 warnings" in words and "!!!" not in words, f"vite and {path}: {words[-500:]}")
        check(os.path.exists(picture), f"vite made no picture of {path}")


@pytest.mark.parametrize("case", list(CASES))
def test_csv_says_the_same_as_states(case):
    trace = traced(case)
    done = heddle("export", "--to", "csv", "-o", "-", trace)
    same((done.status, done.err), (0, ""), "heddle export --to csv -o -")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    table = [t for t in json.loads(heddle("states", "--json", trace).out)["threads"] if t["thread"] is not None]
    total, last = collections.Counter(), {}
    for row in rows:
        begin, end, duration = (int(row[f"{key}_ticks"]) for key in ("start", "end", "duration"))
        check(end - begin == duration > 0 and last.get(row["thread"], begin) == begin, f"times of {row}")
        last[row["thread"]] = end
        total[int(row["thread"]), row["state"]] += duration
    for thread in table:
        shown = {state: ticks for (who, state), ticks in total.items() if who == thread["thread"]}
        wanted = {state: thread[state]["ticks"] for state in thread if isinstance(thread[state], dict) and state not in
                  ("lifetime", "synch", "blocked") and thread[state]["ticks"] > 0}
        same(shown, wanted, f"states of {thread['thread_name']}")
        same({row["thread_name"] for row in rows if int(row["thread"]) == thread["thread"]}, {thread["thread_name"]}, "the thread's name")


def test_names_do_no_harm():
    """Also one of 10 kB, and marks that mean something to a format."""
    names = ["<script>alert(1)</script>", "x" * 10240, 'a "quoted" name', "back\\slash", "%EventDef 1", "# no comment", "a,b;c:d",
             "line\nbreak\ttab", "\x1b[31mred", "\u202ereversed", "'", ""]
    at = os.path.join(directory(), "archive")
    with otf2.writer.open(at, timer_resolution=10 ** 9) as archive:
        root = archive.definitions.system_tree_node("\"machine\"\n")
        group = archive.definitions.location_group("a\n\"process\"", system_tree_parent=root)
        regions = [archive.definitions.region(n, source_file=n, region_role=Role.FUNCTION, paradigm=Paradigm.USER) for n in names]
        for number, name in enumerate(names):
            writer = archive.event_writer(name, group=group)
            for i, region in enumerate(regions):
                writer.enter(1000 + 10 * i, region)
                writer.leave(1005 + 10 * i, region)
    trace = os.path.join(at, "traces.otf2")
    files = paraver.read(exported("paraver", trace, "x.prv")[:-4])
    same(len(files.threads), len(names), "threads")
    for form in FORMS:
        events = events_of(form, trace)
        same([e["args"]["name"] for e in events if e.get("name") == "thread_name"], names, f"names of threads, {form}")
        same([e["name"] for e in events if e["ph"] == "B"], [n for n in names for _ in names], f"names of slices, {form}")
    rows = list(csv.DictReader(io.StringIO(heddle("export", "--to", "csv", "-o", "-", trace).out)))
    same({r["file"] for r in rows}, {n.replace("\\", "\\\\").replace("\n", "\\x0a").replace("\t", "\\x09").replace("\x1b", "\\x1b")
                                     .replace("\u202e", "\\xe2\\x80\\xae") for n in names}, "files in CSV")
    paje = exported("paje", trace, "x.trace")
    with open(paje, encoding="utf-8") as file:
        body = file.read().split("%EndEventDef\n")[-1]
    check(all(re.fullmatch(r'\d( [^" ]+)*( [^" ]+| "[^"]*")*', line) for line in body.splitlines()), "a line of Paje")
    if shutil.which("pj_dump"):
        same(run(["pj_dump", paje]).status, 0, "pj_dump")


@pytest.mark.parametrize("form", ["paraver", "perfetto", "chrome", "paje", "csv"])
def test_a_damaged_archive_leaves_nothing(form):
    at = directory()
    shutil.copytree(traced("regions"), os.path.join(at, "t"))
    events = os.path.join(at, "t", "traces")
    path = max((os.path.join(events, f) for f in os.listdir(events) if f.endswith(".evt")), key=os.path.getsize)
    os.truncate(path, os.path.getsize(path) // 2)
    os.mkdir(os.path.join(at, "out"))
    done = heddle("export", "--to", form, "-o", os.path.join(at, "out", "x"), os.path.join(at, "t"))
    same((done.status, len(done.err.splitlines()), os.listdir(os.path.join(at, "out"))), (1, 1, []), f"status, lines, files ({done.err})")


@pytest.mark.parametrize("form", ["paraver", "perfetto", "chrome", "paje", "csv"])
def test_a_full_disk_leaves_nothing(form):
    trace = traced("regions")
    with small_disk(16) as disk:
        path = os.path.join(disk, "x.prv" if form == "paraver" else "x")
        done = heddle("export", "--to", form, "-o", path, trace)
        same((done.status, len(done.err.splitlines()), os.listdir(disk)), (1, 1, []), f"status, lines, files ({done.err})")
        check("No space left" in done.err, f"the reason: {done.err}")


def test_files_have_names_of_their_own():
    at = directory()
    trace = os.path.join(at, "lu.heddle")
    shutil.copytree(traced("regions"), trace)
    for form, names in (("paraver", ["lu.pcf", "lu.prv", "lu.row"]), ("perfetto", ["lu.pftrace"]), ("chrome", ["lu.chrome.json"]), ("paje", ["lu.trace"]),
                        ("csv", ["lu.states.csv"])):
        out = os.path.join(at, form)
        os.mkdir(out)
        same(heddle("export", "--to", form, "-o", out, trace).status, 0, f"-o of a directory, {form}")
        same(heddle("export", "--to", form, os.path.join(trace, "traces.otf2"), cwd=out).status, 0, f"no -o, {form}")
        same(sorted(os.listdir(out)), names, f"files of {form}")
    same(heddle("export", "--to", "paraver", "-o", "-", trace).status, 2, "three files on standard output")
    same(heddle("export", "--to", "svg", trace).status, 2, "an unknown format")
    same(heddle("export", trace).status, 2, "no format")
