"""
HEDDLE_BUDGET: what would cost more than recording may take is omitted. Weights and sums say how much was omitted, and on each
thread whole instances are omitted.
"""
import collections
import glob
import json
import re

import pytest

from harness import ON_LIBGOMP, RAW_DUMP, check, heddle, program, record, run, run_raw, run_traced, same
from trace import Trace, check_well_formed, read_by_otf2_print, span_of

N = 2000
# What a storm of N has: construct (begin of its name) -> instances, of all threads that were number 0 of a team.
STORMS = {"regions": {"!$omp parallel": N}, "pauses": {"!$omp parallel": N}, "mixed": {"!$omp parallel": 2 * N, "!$omp for": N, "!$omp single": N},
          "loops": {"!$omp parallel": 1, "!$omp for": N}, "nowaits": {"!$omp parallel": 1, "!$omp for": N},
          "works": {"!$omp parallel": 1, "!$omp for": N, "!$omp single": 2 * N}, "chunks": {"!$omp parallel": 1, "!$omp for": 1}, "tasks": {"!$omp parallel": N, "!$omp single": N},
          "singles": {"!$omp parallel": 1, "!$omp single": N}}
if ON_LIBGOMP:  # gcc has no call for a static loop
    del STORMS["works"]["!$omp for"]
else:  # it makes new threads for each inner region
    STORMS["nested"] = {"!$omp parallel": 2 * N + 1}


def storm(what, budget, n=N, **settings):
    traced = run_traced([program("storms"), what, str(n)], HEDDLE_BUDGET=budget, **settings)
    same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
    trace = Trace(traced.trace)
    check_well_formed(trace)
    return traced, trace


def kind_of(name):
    return name.split(" @")[0]


def kind(region):
    return kind_of(region.name)


def recorded(trace, location):
    """construct -> how often the thread entered it."""
    return collections.Counter(kind(region) for region, _, _ in trace.spans(location))


def skips(trace, location):
    """The events that say what was omitted."""
    return [e for e in location.events if e.kind == "Enter" and e.region.name == "skipped instances" and "time" in e.attributes]


def behind(trace, construct):
    """Omitted locks or tasks behind the last one that is recorded."""
    return sum(e.attributes["instances"] for l in trace.locations for e in l.events if e.kind == "Enter" and
               e.region.name == "skipped instances" and "time" not in e.attributes and kind(e.attributes["construct"]) == construct)


def skipped(trace, location, attribute):
    sums = collections.Counter()
    for e in skips(trace, location):
        sums[kind(e.attributes["construct"])] += e.attributes.get(attribute, 0)
    return sums


def forks(location):
    """Parallel regions that the thread encountered and that were recorded."""
    return len(location.of_kind("ThreadFork"))


@pytest.mark.parametrize("what", STORMS)
def test_nothing_is_lost_from_the_sums(what):
    _, trace = storm(what, "1/20")
    instances = collections.Counter()
    for location in trace.locations:
        master = skipped(trace, location, "instances")
        instances += master
        instances["!$omp parallel"] += forks(location)
        if location is trace.locations[0]:
            for construct, n in recorded(trace, location).items():
                if construct in ("!$omp for", "!$omp single"):
                    instances[construct] += n
    same({c: instances[c] for c in STORMS[what]}, STORMS[what], "instances recorded and skipped")
    if what not in ("chunks", "nested"):
        check(sum(skipped(trace, trace.locations[0], "instances").values()) > 0, "nothing was skipped")
        first, second = trace.locations[:2]
        together = [recorded(trace, l) + skipped(trace, l, "instances") + skipped(trace, l, "joined") for l in (first, second)]
        for construct, n in STORMS[what].items():
            same([t[construct] for t in together], [n, n], f"{construct} on both threads")
            same(recorded(trace, first)[construct], recorded(trace, second)[construct], f"{construct}, recorded by both threads")


@pytest.mark.parametrize("what", ["chunks", "loops"])
def test_all_iterations_are_there(what):
    _, trace = storm(what, "1/20")
    chunks = [e for l in trace.locations for e in l.events if e.kind == "Enter" and kind(e.region) == "chunk"]
    events = len(chunks)
    iterations = sum(e.attributes["iterations"] for e in chunks)
    if what == "chunks":
        same(iterations, N, "iterations")
        n = sum(e.attributes.get("chunks", 1) for e in chunks)
        check(n == N or (not ON_LIBGOMP and n <= N), f"{n} chunks")
        check(events < N / 2, f"{events} events of {N} chunks")
    else:
        n = recorded(trace, trace.locations[0])["!$omp for"]
        same(iterations, 4 * n, "iterations of the loops that are recorded")


@pytest.mark.parametrize("what", ["loops", "mixed"])
def test_all_chunks_are_counted(what):
    """Chunks of loops that are omitted, alone or with their region, are counted with these."""
    _, trace = storm(what, "1/20")
    there = [e for l in trace.locations for e in l.events if e.kind == "Enter" and kind(e.region) == "chunk"]
    omitted = sum(skipped(trace, l, "chunks")["!$omp for"] for l in trace.locations)
    n = sum(e.attributes.get("chunks", 1) for e in there) + omitted
    check(omitted > 0, "no chunk was left out with its loop")
    same(n, {"loops": 2, "mixed": 4}[what] * N, "chunks")


@pytest.mark.parametrize("what", STORMS)
def test_times_are_those_of_the_thread(what):
    _, trace = storm(what, "1/20")
    for location in trace.locations:
        first, last = span_of(location)
        total = sum(e.attributes["time"] for e in skips(trace, location) if "inside" not in e.attributes)
        check(total <= last - first, f"{location.name}: {total} ticks skipped of {last - first}")
        for region, enter, leave in trace.spans(location):
            if region.name == "skipped":
                check(enter.attributes["time"] <= leave.time - enter.time, "more time skipped than the stretch has")
            elif region.name == "skipped instances":
                same(leave.time, enter.time, "end of the event")


@pytest.mark.parametrize("what", ["tasks", "singles"])
def test_tasks_are_whole(what):
    traced, trace = storm(what, "1/20")
    n = collections.Counter(e.kind for l in trace.locations for e in l.events)
    same(n["ThreadTaskCreate"], n["ThreadTaskComplete"], "tasks created and completed")
    same(weights(trace, "!$omp task")[1], N if what == "singles" else 4 * N, "tasks, by weight")
    read_by_otf2_print(traced.trace)


# At 1 ns a record no storm of these costs 20 ms; at 100 us each of them does, after 200 records.
CHEAP, DEAR = {"HEDDLE_PRICE": "1"}, {"HEDDLE_PRICE": "100000"}


@pytest.mark.parametrize("budget", [None, "5%", "none", "1/1"])
def test_what_fits_the_budget_is_whole(budget):
    _, trace = storm("mixed", budget, 300, **CHEAP)
    for location in trace.locations:
        n = recorded(trace, location)
        same([n["!$omp parallel"], n["!$omp for"], n["!$omp single"], n["skipped"]], [600, 300, 300, 0], "constructs")
        same([e for e in location.events if "weight" in e.attributes], [], "weights")
    chunks = [e for l in trace.locations for e in l.events if e.kind == "Enter" and kind(e.region) == "chunk"]
    same((len(chunks), [e for e in chunks if "chunks" in e.attributes]), (1200, []), "chunks")


# Instances of a storm of N, on all threads.
WEIGHED = {"locks": ("omp_set_lock", N), "criticals": ("!$omp critical", N), "grains": ("!$omp task", N)}


def weights(trace, construct):
    """(instances recorded, what they stand for with those behind the last one)"""
    if construct == "!$omp task":
        recorded = [e for l in trace.locations for e in l.events if e.kind == "ThreadTaskCreate"]
    else:
        recorded = [e for l in trace.locations for e in l.events if e.kind == "Enter" and kind(e.region) == construct]
    return len(recorded), sum(e.attributes.get("weight", 1) for e in recorded) + behind(trace, construct)


@pytest.mark.parametrize("case", [(what, budget) for what in WEIGHED for budget in ("1/10", "5%")])
def test_weights_add_up_to_what_was_executed(case):
    what, budget = case
    _, trace = storm(what, budget, **DEAR)
    construct, n = WEIGHED[what]
    whole, stand_for = weights(trace, construct)
    same(stand_for, n, f"{construct}, by weight")
    if budget == "1/10":
        check(n / 10 - 4 <= whole <= n / 10 + 6, f"{whole} of {n} are recorded")
    else:
        check(whole < n / 2, f"{whole} of {n} are recorded although each costs 200 us")
    locks = collections.Counter(e.kind for l in trace.locations for e in l.events)
    same(locks["ThreadAcquireLock"], locks["ThreadReleaseLock"], "locks acquired and released")
    same(locks["ThreadTaskCreate"], locks["ThreadTaskComplete"], "tasks created and completed")


@pytest.mark.parametrize("what", ["chunks", "loops", "mixed", "regions", "tasks", "singles"])
def test_a_budget_that_is_used_up_loses_no_sum(what):
    traced, trace = storm(what, "5%", **DEAR)
    instances = collections.Counter()
    for location in trace.locations:
        instances += skipped(trace, location, "instances")
        instances["!$omp parallel"] += forks(location)
    for construct in ("!$omp for", "!$omp single"):
        instances[construct] += recorded(trace, trace.locations[0])[construct]
    same({c: instances[c] for c in STORMS[what]}, STORMS[what], "instances recorded and skipped")
    same(heddle("states", traced.trace).status, 0, "heddle states")


# Where a record is as dear as this, the clock is not read for most of the omitted instances that follow each other at once.
UNTIMED = {**DEAR, "OMP_NUM_THREADS": "1"}


def untimed(trace):
    """Instances behind the newest reading of the clock, of all records."""
    return sum(int(line.split()[5], 16) >> 48 for process in glob.glob(trace + "/raw/*")
               for line in run([RAW_DUMP, process]).out.splitlines() if line.split()[1] == "OMITTED")


def has_counter(trace):
    """Only instances in ticks of the processor's counter may have no time: a reading is then dearer than all else."""
    return all("\nclock: tsc\n" in open(path).read() for path in glob.glob(trace + "/raw/*/process"))


@pytest.mark.parametrize("what", ["regions", "pauses", "mixed", "tasks", "works", "loops", "singles"])
def test_instances_that_are_not_timed_are_counted(what):
    if what in ("regions", "pauses") or (what == "works" and not ON_LIBGOMP):
        raw = run_raw([program("storms"), what, str(N)], HEDDLE_BUDGET="1/20", **UNTIMED)
        check(untimed(raw.trace) > 0 or not has_counter(raw.trace), "the clock was read for each instance")
    for budget in ("1/20", "5%"):
        traced, trace = storm(what, budget, **UNTIMED)
        master = trace.locations[0]
        instances = skipped(trace, master, "instances") + recorded(trace, master)
        instances["!$omp parallel"] = skipped(trace, master, "instances")["!$omp parallel"] + forks(master)
        expected = {c: n for c, n in STORMS[what].items() if ON_LIBGOMP or what == "works" or c != "!$omp for"}
        same({c: instances[c] for c in expected}, expected, "instances recorded and skipped")
        same(heddle("states", traced.trace).status, 0, "heddle states")


def test_a_serial_part_after_untimed_regions_is_measured():
    traced, trace = storm("pauses", "1/20", **UNTIMED)
    first, last = span_of(trace.locations[0])
    measured = last - first - told("states", traced.trace)["threads"][0]["unmeasured"]["ticks"]
    sleeps = N // 100
    least = sleeps * (2e-3 - 32 * 2e-6)  # so many regions, 2 us each, may be untimed before a sleep
    check(measured >= least * trace.ticks_per_second, f"{measured / trace.ticks_per_second} s are measured, of {least} s of sleep alone")


def test_the_same_seed_chooses_the_same():
    def chosen(seed):
        _, trace = storm("locks", "1/10", 1000, OMP_NUM_THREADS="1", HEDDLE_SEED=seed)
        return [e.attributes.get("weight", 1) for e in trace.locations[0].events
                if e.kind == "Enter" and kind(e.region) == "omp_set_lock"]
    first = chosen("1")
    same(chosen("1"), first, "weights with the same seed")
    check(chosen("2") != first, "another seed chooses the same")


def test_what_was_skipped_before_a_kill_is_there():
    killed = run_raw(["timeout", "-s", "KILL", "1", program("storms"), "regions", "2000000000"], HEDDLE_BUDGET="1/1000")
    same(heddle("convert", killed.trace).status, 0, "heddle convert")
    trace = Trace(killed.trace)
    check_well_formed(trace)
    first, second = trace.locations[:2]
    instances, joined = (skipped(trace, l, a)["!$omp parallel"] for l, a in ((first, "instances"), (second, "joined")))
    check(instances > 0 and abs(instances - joined) <= 1, f"{instances} instances, the other thread joined {joined}")


# On libgomp a child of a process that had threads hangs in its first region, also without us.
@pytest.mark.parametrize("way", ["fork_exit", "fork_region"] if ON_LIBGOMP else ["fork", "fork_exit", "fork_fast", "fork_region"])
def test_a_child_has_sums_of_its_own(way):
    for budget in ("1/3", "5%", "none"):
        traced = run_traced([program("processes"), way], HEDDLE_BUDGET=budget)
        same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
        trace = Trace(traced.trace)
        check_well_formed(trace)
        check(len(trace.groups) == (1 if way == "fork_region" else 2), f"processes: {trace.groups}")


def test_a_budget_without_sense_is_said_and_ignored():
    for value in ("many", "5", "-1%", "0%", "101%", "1/0", "1/x", "2/3", "9999999999999999999999%"):
        traced = run_traced([program("storms"), "regions", "20"], HEDDLE_BUDGET=value)
        same((traced.status, len(traced.tool_err)), (0, 1), "exit status and lines")
        check("HEDDLE_BUDGET" in traced.tool_err[0] and value in traced.tool_err[0], traced.tool_err[0])
        same(forks(Trace(traced.trace).locations[0]), 20, "regions")


def test_the_setting_that_went_names_the_one_that_came():
    traced = run_traced([program("storms"), "regions", "20"], HEDDLE_MAX_RATE="100")
    same((traced.status, len(traced.tool_err)), (0, 1), "exit status and lines")
    check("HEDDLE_BUDGET" in traced.tool_err[0], traced.tool_err[0])


def told(command, trace):
    done = heddle(command, "--json", trace)
    same((done.status, done.err), (0, ""), f"heddle {command}")
    return json.loads(done.out)


@pytest.mark.parametrize("what", ["regions", "mixed", "loops", "singles"])
def test_states_add_up_and_omitted_time_is_unmeasured(what):
    traced, trace = storm(what, "1/20")
    threads = told("states", traced.trace)["threads"]  # `heddle states` fails where they do not add up
    for location, states in zip(trace.locations, threads):
        first, last = span_of(location)
        instances = [e.attributes["time"] for e in skips(trace, location) if "inside" not in e.attributes]
        in_them = sum(instances) + len(instances)  # each is rounded to whole ns
        stretches = sum(leave.time - enter.time for region, enter, leave in trace.spans(location) if region.name == "skipped")
        least = sum(enter.attributes["time"] for region, enter, _ in trace.spans(location) if region.name == "skipped")
        unmeasured = states["unmeasured"]["ticks"]
        check(least <= in_them, "the stretches have more time than the instances in them")
        check(least <= unmeasured <= stretches, f"{location.name}: {unmeasured} ticks unmeasured, {least} to {stretches} skipped")
        if location is trace.locations[0]:
            same(unmeasured, least, "ticks unmeasured on the first thread")


def test_info_names_what_was_omitted():
    traced, trace = storm("mixed", "1/20")
    info = told("info", traced.trace)
    rows = {r["construct"].split(" @")[0]: r for r in info["omitted"]}
    n = sum((skipped(trace, l, "instances") for l in trace.locations), collections.Counter())
    same(info["instances_omitted"], sum(n.values()), "instances skipped")
    same({c: sum(r["executions"] for r in info["omitted"] if r["construct"].startswith(c)) for c in n}, dict(n), "by construct")
    check(rows["!$omp for"]["chunks"] > 0, "no chunks")
    imbalance = told("imbalance", traced.trace)
    check("Not all instances of " in imbalance["estimated"], "heddle imbalance does not say which figures are estimates")


def test_findings_count_the_tasks_that_are_omitted():
    traced = record([program("storms"), "tasks", "20000"], "--budget", "1/20")
    same(traced.status, 0, "exit status")
    found = json.loads(heddle("imbalance", "--json", traced.trace).out)["findings"]
    text, = [f["text"] for f in found if f["subject"] == "small tasks"]
    trace = Trace(traced.trace)
    tasks = int(re.search(r"its (\d+) tasks do", text)[1])
    # Those after the last recorded one of a thread are not among them.
    same(tasks + behind(trace, "!$omp task"), 80000, text)
    check(tasks > 40000, text)
