"""
Counters that threads read at borders of constructs. A program counts for itself (heddle_test_counter) and touches a known
number of pages in each construct: the archive and `heddle states --counters` say the same, exactly.
"""
import collections
import json
import os

import otf2
import pytest
from otf2.enums import Base, MetricMode, MetricType, Type as OTF2_Type

import harness
from harness import archive, check, directory, heddle, holds_mostly, program, record, run, same
from report_file import Report
from trace import Trace, check_well_formed, read_by_otf2_print

CONTAIN = os.path.join(harness.BUILD, "tests", "end-to-end", "contain")
OWN = "instructions=t:0,cycles=t:1,page-faults=u:0"
PROGRAMS = {"libomp": "counted", "libgomp": "gcc/counted"}


def recorded(name, way, **settings):
    done = record([program(name), way], HEDDLE_COUNTERS=OWN, **settings)
    same(done.status, 0, "exit status")
    return done


def rows(trace, *options):
    done = heddle("states", "--counters", "--json", *options, trace)
    same((done.status, done.err), (0, ""), "heddle states --counters")
    return json.loads(done.out)["counters"]


def count(trace, construct, counter, *options):
    """What was counted in RUN in the construct, in all regions of that name but the warm-up's."""
    return sum(row["count"] for row in rows(trace, "--by", "region", *options)
               if row["construct"].startswith(construct) and row["counter"] == counter and row["state"] == "RUN")


def readings(trace):
    """Thread -> counter -> its values in order, and their times; by another reader."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with otf2.reader.open(archive(trace)) as reader:
        for location, event in reader.events:
            if isinstance(event, otf2.events.Metric):
                for member, value in zip(event.metric.members, event.values):
                    found[location.name][member.name].append(value)
    return found


@pytest.mark.parametrize("case", [f"{runtime}.{way}" for runtime in PROGRAMS for way in ("work", "memory")])
def test_counts_are_those_of_the_program(case):
    runtime, way = case.split(".")

    def exact():
        done = recorded(PROGRAMS[runtime], way)
        truths, trace = done.truths(), done.trace
        # The first region makes everything known to the kernel: a million in each of two iterations, and two criticals.
        for thread in (0, 1) if runtime == "libomp" else ():
            same(count(trace, "!$omp for", "instructions", "--only-threads", str(thread)), 10 ** 6 + truths[f"loop_{thread}"],
                 f"instructions of thread {thread} in the loops")
        same(count(trace, "!$omp critical", "instructions"), 2 * truths["criticals"], "instructions in critical sections")
        same(count(trace, "!$omp single", "instructions"), truths["singles"], "instructions in the single")
        pages = count(trace, "!$omp single", "page-faults")
        check(pages >= truths["single_pages"], f"{pages} page faults in the single")
        if pages > truths["single_pages"]:
            return False  # or the kernel took code or a stack away meanwhile
        if runtime == "libomp":  # gcc compiles static loops inline: where they end is unknown
            loops, fresh = count(trace, "!$omp for", "page-faults"), truths["loop_pages"] + 2 * 16
            check(loops >= fresh, f"{loops} page faults in the loops")
            return loops == fresh
        return True

    holds_mostly(exact, "page faults are those of the program")


@pytest.mark.parametrize("runtime", PROGRAMS)
def test_no_count_is_lost(runtime):
    """The sum over states and constructs is each thread's last reading less its first; and readings never decrease."""
    trace = recorded(PROGRAMS[runtime], "work").trace
    found = readings(trace)
    check(len(found) == 2, f"threads with readings: {list(found)}")
    for by in ("thread", "region"):
        sums = collections.Counter()
        for row in rows(trace, "--by", by):
            sums[row["counter"]] += row["count"]
        for counter in ("instructions", "cycles", "page-faults"):
            lists = [values[counter] for values in found.values()]
            check(all(values == sorted(values) for values in lists), f"{counter} decreases")
            same(sums[counter], sum(values[-1] - values[0] for values in lists), f"{counter} by {by}")
    threads = {row["thread_name"] for row in rows(trace)}
    same(threads, set(found), "threads")


def test_archives_are_as_other_readers_want_them():
    done = recorded("counted", "work")
    read_by_otf2_print(done.trace)
    check_well_formed(Trace(done.trace))
    said = run(["otf2-print", "-G", archive(done.trace)]).out
    for line in ('Name: "instructions"', 'Mode: ACCUMULATED_START', "Type: RUSAGE", "Occurrence: ASYNCHRONOUS"):
        check(line in said, f"otf2-print does not say {line}")
    info = json.loads(heddle("info", "--json", done.trace).out)
    check(info["counter_readings"] > 0 and info["counter_reading_ns"] > 0, f"{info}")


SENTENCES = {"work": "more instructions: it has more work", "memory": "with the same instructions", "between": None}


@pytest.mark.parametrize("way", SENTENCES)
def test_imbalance_says_what_the_counts_say(way):
    done = recorded("counted", way)
    found = json.loads(heddle("imbalance", "--json", done.trace).out)["findings"]
    texts = [f["text"] for f in found if f["subject"] == "imbalance" and f["text"].startswith("!$omp for")]
    same(len(texts), 1, f"findings of the loop: {found}")
    said = [text for text in SENTENCES.values() if text and text in texts[0]]
    same(said, [SENTENCES[way]] if SENTENCES[way] else [], texts[0])


def test_names_are_resolved_by_record():
    done = record([program("counted"), "work"], "--counters", "page-faults,task-clock,context-switches")
    same(done.status, 0, "exit status")
    kinds = {row["counter"] for row in rows(done.trace)}
    same(kinds, {"page-faults", "task-clock", "context-switches"}, "counters")
    clock = sum(row["count"] for row in rows(done.trace, "--by", "region")
                if row["counter"] == "task-clock" and row["construct"].startswith("!$omp for") and row["state"] == "RUN")
    check(clock >= 42e6, f"the loops took {clock} ns of processor time, the program used 42 ms there")


def kernel_counts():
    done = heddle("counters", "--setting", "page-faults:u")
    if done.status != 0:
        pytest.skip(done.err.strip())
    return done.out.strip()


def test_events_of_the_kernel_are_counted_by_thread():
    setting = kernel_counts()
    done = record([program("counted"), "work"], HEDDLE_COUNTERS=setting)
    truths = done.truths()
    check(count(done.trace, "!$omp single", "page-faults:u") >= truths["single_pages"], "page faults in the single")


def test_where_the_kernel_refuses_the_program_is_recorded_without():
    """One line says so, the number of threads is in the archive, and nothing else changes."""
    setting = kernel_counts()
    trace = os.path.join(directory(), "run.heddle")
    command = [harness.HEDDLE, "record", "--no-switches", "-o", trace, "--", program("counted"), "work"]
    done = run([CONTAIN, "seccomp", "--", *command], HEDDLE_COUNTERS=setting)
    if done.status == 77:
        pytest.skip(done.err.strip())
    same(done.status, 0, done.err)
    said = [line for line in done.err.splitlines() if "counters" in line]
    same(len(said), 1, f"lines about counters: {done.err}")
    info = json.loads(heddle("info", "--json", trace).out)
    same((info["counters_lost"], "counter_readings" in info), (2, False), "threads without counters")
    refused = heddle("states", "--counters", trace)
    same(refused.status, 1, "heddle states --counters")


def test_with_few_descriptors_some_threads_are_not_counted():
    """A quarter of the descriptors is the most that counters take: the program never lacks one."""
    setting = kernel_counts()
    trace = os.path.join(directory(), "run.heddle")
    few = ["bash", "-c", 'ulimit -n 256; exec "$0" "$@"', harness.HEDDLE, "record", "-o", trace, "--", program("roots"), "400", "100"]
    done = run(few, HEDDLE_COUNTERS=setting)
    same(done.status, 0, done.err)
    counted = len([l for l in Trace(trace).locations if l.of_kind("Metric")])
    lost = json.loads(heddle("info", "--json", trace).out)["counters_lost"]
    said = [line for line in done.err.splitlines() if "counters of a thread" in line]
    check(counted > 0 and lost > 0 and len(said) == 1, f"{counted} threads counted, {lost} not; {done.err}")
    same(counted + lost, len(Trace(trace).locations), "threads that are counted, or lost for that")


def test_wrong_settings_are_named_and_ignored():
    done = record([program("counted"), "work"], HEDDLE_COUNTERS="nonsense")
    same(done.status, 0, "exit status")
    lines = [line for line in done.err.splitlines() if "HEDDLE_COUNTERS" in line]
    same(len(lines), 1, f"lines: {done.err}")
    check("counter_readings" not in json.loads(heddle("info", "--json", done.trace).out), "there are readings")


def test_children_have_counters_of_their_own():
    done = record([program("processes"), "fork"], HEDDLE_COUNTERS=kernel_counts())
    same(done.status, 0, done.err)
    trace = Trace(done.trace)
    same(len(trace.groups), 2, "processes")
    same([l.name for l in trace.locations if not l.of_kind("Metric")], [], "threads without readings")


def page_of(trace):
    """Metric -> its lists of readings on the page: the first value, the last one, and which part of the readings is there."""
    path = os.path.join(directory(), "report.html")
    done = heddle("report", "-o", path, trace)
    same((done.status, done.err), (0, ""), "heddle report")
    document = Report(path).runs[0]["documents"]["readings"]
    found = collections.defaultdict(list)
    for readings_of in document["lists"]:
        for metric, changes in zip(readings_of["metrics"], readings_of["changes"]):
            same(len(changes), len(readings_of["later"]), "changes and times")
            found[document["metrics"][metric]["name"]].append((changes[0], sum(changes), readings_of["every"]))
    return found


def test_a_page_has_what_was_counted():
    trace = recorded("counted", "work").trace
    sums = collections.Counter()
    for row in rows(trace):
        sums[row["counter"]] += row["count"]
    page = page_of(trace)
    same({name: sum(last - first for first, last, _ in lists) for name, lists in page.items()}, dict(sums), "counts on the page")


def test_many_readings_of_another_tool_are_thinned():
    at = os.path.join(directory(), "archive")
    with otf2.writer.open(at, timer_resolution=10**9) as made:
        definitions = made.definitions
        group = definitions.location_group("process", system_tree_parent=definitions.system_tree_node("machine"))
        modes = {"loads": MetricMode.ACCUMULATED_START, "memory": MetricMode.ABSOLUTE_POINT}
        members = [definitions.metric_member(name, "", MetricType.OTHER, mode, OTF2_Type.UINT64, Base.DECIMAL, 3, "B") for name, mode in modes.items()]
        metrics = definitions.metric_class(members)
        region = definitions.region("work")
        writer = made.event_writer("thread", group=group)
        writer.enter(0, region)
        for i in range(300_000):
            writer.metric(10 + i, metrics, [7 * i, i % 100])
        writer.leave(10 ** 6, region)
    page = page_of(os.path.join(at, "traces.otf2"))
    same(page["loads"], [(0, 7 * 299_999, 4)], "loads: the first reading, the last one, one of each")
    same(page["memory"], [(0, 99, 4)], "memory")
