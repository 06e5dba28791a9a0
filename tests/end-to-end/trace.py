"""
An archive as the tests see it, read with python3-otf2: what each location did, whether that is well-formed, and how
often each construct occurs. For names and roles see docs/otf2.md; the keys of counts() are the keys of the programs'
`truth:` lines.
"""
import collections
import os

import otf2
from otf2.enums import LocationGroupType, LocationType, MeasurementMode, RegionRole as Role

import quick_otf2  # noqa: F401
from harness import archive, check, run

Event = collections.namedtuple("Event", "kind time region attributes event")


class Location:
    """One thread, or one processor: its definition, its process, its properties, and its events in order."""

    def __init__(self, definition):
        self.name = definition.name
        self.group = definition.group.name
        self.process = definition.group  # after exec, two processes have the same pid and may have the same name
        self.definition = definition
        self.properties = {}
        self.events = []

    def of_kind(self, *kinds):
        return [e for e in self.events if e.kind in kinds]


class Trace:
    def __init__(self, directory):
        self.path = archive(directory)
        with otf2.reader.open(self.path, batch_events=10000) as reader:
            definitions = reader.definitions
            self.ticks_per_second = reader.timer_resolution
            self.clock = definitions.clock_properties
            everything = [Location(d) for d in definitions.locations]
            self.locations = [l for l in everything if l.definition.type == LocationType.CPU_THREAD]
            self.processors = [l for l in everything if l.definition.type == LocationType.ACCELERATOR_STREAM]
            self.groups = [g.name for g in definitions.location_groups if g.location_group_type == LocationGroupType.PROCESS]
            self.regions = list(definitions.regions)
            by_definition = {l.definition: l for l in everything}
            for p in definitions._location_properties:
                by_definition[p.location].properties[p.name] = p.value
            self.group_properties = collections.defaultdict(dict)
            for p in definitions._location_group_properties:
                self.group_properties[p.location_group.name][p.name] = p.value
            self.system_tree = [(n.class_name, n.name) for n in definitions.system_tree_nodes]
            for location, event in reader.events:
                attributes = {a.name: v for a, v in (event.attributes or {}).items()}
                by_definition[location].events.append(
                    Event(type(event).__name__, event.time, getattr(event, "region", None), attributes, event))

    def events(self):
        for location in self.locations:
            yield from location.events

    def spans(self, location, role=None):
        """The (region, enter, leave) of a location, optionally of one role only."""
        stack = []
        for e in location.events:
            if e.kind == "Enter":
                stack.append(e)
            elif e.kind == "Leave":
                enter = stack.pop()
                if role is None or enter.region.region_role == role:
                    yield enter.region, enter, e


def check_well_formed(trace):
    """Every location is balanced and monotonic, inside the trace's time, and its events are as many as it says."""
    begin = trace.clock.global_offset
    end = begin + trace.clock.trace_length
    for location in trace.locations + trace.processors:
        where = f"{location.group}, {location.name}"
        stack, now = [], begin
        for number, e in enumerate(location.events):
            check(e.time >= now, f"{where}: event {number} ({e.kind}) is {now - e.time} ticks before its predecessor")
            now = e.time
            if e.kind == "Enter":
                check(e.region is not None, f"{where}: event {number} enters no region")
                stack.append(e.region)
            elif e.kind == "Leave":
                check(stack, f"{where}: event {number} leaves {e.region.name}, which was not entered")
                check(stack[-1] is e.region, f"{where}: event {number} leaves {e.region.name} inside {stack[-1].name}")
                stack.pop()
        check(not stack, f"{where}: {', '.join(r.name for r in stack)} never left")
        check(now <= end, f"{where}: the last event is {now - end} ticks after the trace's end")
        said, has = location.definition.number_of_events, len(location.events)
        check(said == has, f"{where}: has {has} events, says {said}")


def read_by_otf2_print(trace_directory):
    """otf2-print reads all events and has nothing to say."""
    done = run(["otf2-print", archive(trace_directory)])
    check(done.status == 0, f"otf2-print fails: {done.err[-500:]}")
    check(done.err == "", f"otf2-print complains: {done.err[-500:]}")
    done = run(["otf2-print", "-G", archive(trace_directory)])
    check(done.status == 0 and done.err == "", f"otf2-print -G complains: {done.err[-500:]}")


def _is_wait(region):
    """The waiting part of a barrier, taskwait or taskgroup is a region of its own."""
    return " wait" in region.name.split("@")[0]


def counts(trace):
    """How often each construct occurs, with the keys of the programs' truth lines."""
    n = collections.Counter()
    for location in trace.locations:
        stack = []
        for e in location.events:
            if e.kind == "Enter":
                _count_enter(n, e)
                stack.append(e.region)
            elif e.kind == "Leave":
                stack.pop()
            elif e.kind == "ThreadFork":
                n["leagues" if stack and stack[-1].name.startswith("!$omp teams") else "parallel"] += 1
            elif e.kind == "ThreadAcquireLock":
                construct = stack and stack[-1].region_role in (Role.CRITICAL, Role.ORDERED, Role.ATOMIC)
                n["construct_locks" if construct else "locks"] += 1
            elif e.kind == "ThreadTaskCreate":
                n["tasks"] += 1
                n["dependences"] += sum(a.startswith("depend ") for a in e.attributes)
            elif e.kind == "ThreadTaskComplete":
                n["tasks_completed"] += 1
    n["failed_tests"] = sum(len(_failed_tests(location)) for location in trace.locations)
    n["locks_and_skipped"] = n["locks"] + total(trace, "HEDDLE::EVENTS_SKIPPED") / 3
    return n


def _count_enter(n, e):
    role, name = e.region.region_role, e.region.name
    if role == Role.LOOP and name.startswith("chunk"):
        iterations = e.attributes.get("iterations", 0)
        n["chunks"] += e.attributes.get("chunks", 1) if iterations else 0
        n["iterations"] += iterations
    elif role == Role.LOOP:
        n["distributes" if "distribute" in name else "taskloops" if "taskloop" in name else "loops"] += 1
    elif role == Role.PARALLEL:
        n["league_members" if name.startswith("!$omp teams") else "members"] += 1
    elif role in (Role.BARRIER, Role.IMPLICIT_BARRIER):
        if not _is_wait(e.region):
            n["barriers" if role == Role.BARRIER else "implicit_barriers"] += 1
    elif role == Role.TASK_WAIT:
        if not _is_wait(e.region):
            n["taskwaits"] += 1
    elif role == Role.FUNCTION:
        for prefix, key in (("!$omp taskgroup", "taskgroups"), ("!$omp reduction", "reductions"),
                            ("!$omp cancel", "cancels"), ("!$omp error", "errors"), ("omp_control_tool", "controls")):
            n[key] += name.startswith(prefix)
    elif role == Role.ORDERED and "depend(source)" in name:
        n["doacross_posts"] += 1
    else:
        key = {Role.SECTIONS: "sections", Role.SECTION: "section", Role.SINGLE: "singles",
               Role.SINGLE_SBLOCK: "single_blocks", Role.MASTER: "masked", Role.CRITICAL_SBLOCK: "criticals",
               Role.ORDERED_SBLOCK: "ordereds", Role.FLUSH: "flushes"}.get(role)
        if key:
            n[key] += 1


def _failed_tests(location):
    """
    omp_test_lock and omp_test_nest_lock that got no lock: the region has no length, and no acquisition follows. One that
    takes a nest lock again has none either, but lasts until it has the lock.
    """
    failed, events = [], location.events
    for enter, leave, after in zip(events, events[1:], events[2:] + [None]):
        if enter.kind == "Enter" and enter.region.name.startswith("omp_test_"):
            acquired = after is not None and after.kind == "ThreadAcquireLock"
            if leave.time == enter.time and not acquired:
                failed.append(enter)
    return failed


def total(trace, name):
    """Sum of a property over all locations."""
    return sum(int(l.properties.get(name, 0)) for l in trace.locations)


def check_truth(trace, truths):
    """What the program said it did is what the archive shows."""
    shown = counts(trace)
    wrong = [f"{key}: {shown[key]:g} instead of {n}" for key, n in truths.items() if shown[key] != n]
    check(not wrong, "the archive shows " + ", ".join(wrong))


def span_of(location):
    """First and last tick of a location."""
    return (location.events[0].time, location.events[-1].time) if location.events else (0, 0)


def is_off(event):
    return event.kind == "MeasurementOnOff" and event.event.measurement_mode == MeasurementMode.OFF


def size_of(directory):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(directory) for name in names)
