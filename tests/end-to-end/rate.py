#!/usr/bin/python3
"""
HEDDLE_MAX_RATE: of more instances than that a second the rest is summed. Whatever is left out, the sums say how much it was, and
on each thread whole instances are left out.
"""
import collections
import json
import os

from harness import ON_LIBGOMP, check, each, heddle, main, program, record, run_raw, run_traced, same, test, until_it_happens
from trace import Trace, check_well_formed, read_by_otf2_print, span_of

N = 2000
# What a storm of N has: construct (begin of its name) -> instances, of all threads that were number 0 of a team.
STORMS = {"regions": {"!$omp parallel": N}, "mixed": {"!$omp parallel": 2 * N, "!$omp for": N, "!$omp single": N},
          "loops": {"!$omp parallel": 1, "!$omp for": N}, "nowaits": {"!$omp parallel": 1, "!$omp for": N},
          "chunks": {"!$omp parallel": 1, "!$omp for": 1}, "tasks": {"!$omp parallel": N, "!$omp single": N},
          "singles": {"!$omp parallel": 1, "!$omp single": N}}
if not ON_LIBGOMP:  # it makes new threads for each inner region
    STORMS["nested"] = {"!$omp parallel": 2 * N + 1}


def storm(what, rate, n=N, **settings):
    traced = run_traced([program("storms"), what, str(n)], HEDDLE_MAX_RATE=rate, **settings)
    same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
    trace = Trace(traced.trace)
    check_well_formed(trace)
    return traced, trace


def kind(region):
    return region.name.split(" @")[0]


def recorded(trace, location):
    """construct -> how often the thread entered it."""
    return collections.Counter(kind(region) for region, _, _ in trace.spans(location))


def skips(trace, location):
    """The events that say what was left out."""
    return [e for e in location.events if e.kind == "Enter" and e.region.name == "skipped instances"]


def skipped(trace, location, attribute):
    sums = collections.Counter()
    for e in skips(trace, location):
        sums[kind(e.attributes["construct"])] += e.attributes.get(attribute, 0)
    return sums


def forks(location):
    """Parallel regions that the thread encountered and that were recorded."""
    return len(location.of_kind("ThreadFork"))


@each(STORMS)
def nothing_is_lost_from_the_sums(what):
    _, trace = storm(what, "50")
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


@each(["chunks", "loops"])
def all_iterations_are_there(what):
    _, trace = storm(what, "50")
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


@each(["regions", "loops", "mixed"])
def the_bound_holds(what):
    rate = 100
    _, trace = storm(what, str(rate), 20000 if what == "regions" else 5000)
    times = collections.defaultdict(list)
    for region, enter, _ in trace.spans(trace.locations[0]):
        if kind(region) in ("!$omp parallel", "!$omp for", "!$omp single"):
            times[region.name].append(enter.time)
    for name, at in times.items():
        at.sort()
        for i in range(len(at) - rate - 1):  # one more than the bound, within a second
            check(at[i + rate + 1] - at[i] >= trace.ticks_per_second * 0.999, f"{name}: more than {rate} in a second")


@each(STORMS)
def times_are_those_of_the_thread(what):
    _, trace = storm(what, "50")
    for location in trace.locations:
        first, last = span_of(location)
        total = sum(e.attributes["time"] for e in skips(trace, location) if "inside" not in e.attributes)
        check(total <= last - first, f"{location.name}: {total} ticks skipped of {last - first}")
        for region, enter, leave in trace.spans(location):
            if region.name == "skipped":
                check(enter.attributes["time"] <= leave.time - enter.time, "more time skipped than the stretch has")
            elif region.name == "skipped instances":
                same(leave.time, enter.time, "end of the event")


@each(["tasks", "singles"])
def tasks_are_whole(what):
    traced, trace = storm(what, "50")
    n = collections.Counter(e.kind for l in trace.locations for e in l.events)
    same(n["ThreadTaskCreate"], n["ThreadTaskComplete"], "tasks created and completed")
    if what == "singles":
        same(n["ThreadTaskCreate"], N, "tasks")
        criticals = sum(recorded(trace, l)["!$omp critical"] for l in trace.locations)
        same(criticals, N, "critical sections in tasks")
    else:
        same(n["ThreadTaskCreate"], 4 * forks(trace.locations[0]), "tasks of the regions that are recorded")
    read_by_otf2_print(traced.trace)


@test
def without_a_bound_all_is_recorded():
    for rate in (None, "0"):
        _, trace = storm("mixed", rate, 300)
        for location in trace.locations:
            n = recorded(trace, location)
            same([n["!$omp parallel"], n["!$omp for"], n["!$omp single"], n["skipped"]], [600, 300, 300, 0], "constructs")
        chunks = [e for l in trace.locations for e in l.events if e.kind == "Enter" and kind(e.region) == "chunk"]
        same((len(chunks), [e for e in chunks if "chunks" in e.attributes]), (1200, []), "chunks")


@test
def a_bound_that_is_not_reached_leaves_nothing_out():
    _, trace = storm("mixed", "100M", 300)
    for location in trace.locations:
        n = recorded(trace, location)
        same([n["!$omp parallel"], n["!$omp for"], n["!$omp single"], n["skipped"]], [600, 300, 300, 0], "constructs")


@test
def what_was_skipped_before_a_kill_is_there():
    killed = run_raw(["timeout", "-s", "KILL", "2", program("storms"), "regions", "2000000000"], HEDDLE_MAX_RATE="50")
    same(heddle("convert", killed.trace).status, 0, "heddle convert")
    trace = Trace(killed.trace)
    check_well_formed(trace)
    first, second = trace.locations[:2]
    instances, joined = (skipped(trace, l, a)["!$omp parallel"] for l, a in ((first, "instances"), (second, "joined")))
    check(instances > 0 and abs(instances - joined) <= 1, f"{instances} instances, the other thread joined {joined}")


# On libgomp a child of a process that had threads hangs in its first region, also without us.
@each(["fork_exit", "fork_region"] if ON_LIBGOMP else ["fork", "fork_exit", "fork_fast", "fork_region"])
def a_child_has_sums_of_its_own(way):
    for rate in ("1", "1000000"):
        traced = run_traced([program("processes"), way], HEDDLE_MAX_RATE=rate)
        same((traced.status, traced.tool_err), (0, []), "exit status and Heddle's lines")
        trace = Trace(traced.trace)
        check_well_formed(trace)
        check(len(trace.groups) == (1 if way == "fork_region" else 2), f"processes: {trace.groups}")


@test
def a_rate_without_sense_is_said_and_ignored():
    for value in ("many", "10x", "-1", "1k5", "9999999999999999999999"):
        traced = run_traced([program("storms"), "regions", "20"], HEDDLE_MAX_RATE=value)
        same((traced.status, len(traced.tool_err)), (0, 1), "exit status and lines")
        check("HEDDLE_MAX_RATE" in traced.tool_err[0] and value in traced.tool_err[0], traced.tool_err[0])
        same(forks(Trace(traced.trace).locations[0]), 20, "regions")


def told(command, trace):
    done = heddle(command, "--json", trace)
    same((done.status, done.err), (0, ""), f"heddle {command}")
    return json.loads(done.out)


@each(["regions", "mixed", "loops", "singles"])
def states_add_up_and_skipped_time_is_unmeasured(what):
    traced, trace = storm(what, "50")
    threads = told("states", traced.trace)["threads"]  # `heddle states` fails where they do not add up
    for location, states in zip(trace.locations, threads):
        first, last = span_of(location)
        in_them = sum(e.attributes["time"] for e in skips(trace, location) if "inside" not in e.attributes)
        stretches = sum(leave.time - enter.time for region, enter, leave in trace.spans(location) if region.name == "skipped")
        least = sum(enter.attributes["time"] for region, enter, _ in trace.spans(location) if region.name == "skipped")
        unmeasured = states["unmeasured"]["ticks"]
        check(least <= in_them, "the stretches have more time than the instances in them")
        check(least <= unmeasured <= stretches, f"{location.name}: {unmeasured} ticks unmeasured, {least} to {stretches} skipped")
        if location is trace.locations[0]:
            same(unmeasured, least, "ticks unmeasured on the first thread")


@test
def info_names_what_was_skipped():
    traced, trace = storm("mixed", "50")
    info = told("info", traced.trace)
    rows = {r["construct"].split(" @")[0]: r for r in info["skipped"]}
    n = sum((skipped(trace, l, "instances") for l in trace.locations), collections.Counter())
    same(info["instances_skipped"], sum(n.values()), "instances skipped")
    same({c: sum(r["instances"] for r in info["skipped"] if r["construct"].startswith(c)) for c in n}, dict(n), "by construct")
    check(rows["!$omp for"]["chunks"] > 0, "no chunks")
    imbalance = told("imbalance", traced.trace)
    check("skipped" in imbalance["skipped"], "heddle imbalance does not say that instances were skipped")


def warnings(command, *options, **settings):
    """What is said after a recording about its price; heddle info says the same, and only then."""
    done = record(command, *options, **settings)
    same(done.status, 0, "exit status")
    said = [l for l in done.tool_err if "slowed" in l]
    info = told("info", done.trace)
    same(len(said), "overhead" in info, f"warnings in {done.tool_err}")
    check(not said or info["overhead"] in said[0], f"heddle info says something else: {info.get('overhead')}")
    return said


@test
def a_storm_is_warned_of():
    # Debian's libomp formats messages for its debugger in each loop and chunk, half a microsecond: recording is little beside it.
    # Threads on two processors may take as long for a chunk, because they fight for the loop's counter; on one they don't.
    one_processor = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    storms = [("regions", "!$omp parallel @storms.c", "100000", "1"), ("chunks", "!$omp for @storms.c", "1000000", "2")]
    for what, construct, n, threads in storms if ON_LIBGOMP else storms[:1]:
        def warned():
            """The price is a part of the time that passed, which is more where the machine does other things."""
            return warnings([*one_processor, program("storms"), what, n], OMP_NUM_THREADS=threads) or None

        (warning,) = until_it_happens(warned, f"is {what} warned of", runs=20)
        check(construct in warning and "--max-rate" in warning, warning)


@each(["locks", "criticals", "grains"])
def a_storm_that_no_rate_bounds_is_advised_of_what_helps(what):
    named = {"locks": "omp_set_lock @storms.c", "criticals": "!$omp critical @storms.c", "grains": "!$omp task @storms.c"}[what]
    storm = [program("storms"), what, "200000"]

    def warned():
        return warnings(storm, OMP_NUM_THREADS="1") or None

    (warning,) = until_it_happens(warned, f"is {what} warned of", runs=20)
    check(named in warning, f"names another construct than {named}: {warning}")
    check("record with" not in warning and "--max-rate does not bound" in warning, f"advises what does not help: {warning}")
    # Followed: the same work in chunks of 1000.
    same(warnings([*storm, "1000"], OMP_NUM_THREADS="1"), [], "warnings of the program as it was advised")


@each(["chunks", "regions"])
def a_storm_that_a_rate_bounds_is_not_warned_of_with_it(what):
    storm = [program("storms"), what, "300000"]
    check(not all(warnings(storm, "--max-rate", "1k") for _ in range(5)), "is warned of in spite of the bound")


@test
def programs_with_work_in_their_regions_are_not_warned_of():
    for command in ([program("mploop")], [program("lu"), "300"]):
        same(warnings(command), [], f"warnings of {command}")


if __name__ == "__main__":
    main()
