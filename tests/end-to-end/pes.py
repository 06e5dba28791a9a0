"""
Program execution sequences of traces: their occupancies are the threads' states, whatever the vector; philosophers eat alone.
"""
import collections
import json
import os
import re

import otf2
import pytest
from otf2.enums import Type

from harness import archive, check, directory, heddle, program, record, same
from java import JDKS
from java import traced as java_traced

PROGRAMS = {"lu": ["60"], "nqueens": ["7"], "philosophers": ["5", "20"], "mploop": [], "nested_4x4": []}


class Text:
    """CSL text as `heddle pes --csl` writes it, with a parser of the tests' own: components and their values, records, the end."""

    def __init__(self, text):
        setup, records = text.split("Trace:\n")
        self.components, values = [], {}
        name = r"(?:'((?:[^']|'')*)'|(\w+))"
        for line in setup.splitlines():
            component = re.match(r"  Component (\d+)(?:-(\d+))? = '(.*)', \d+, char;", line)
            value = re.match(rf"    (\d+) = {name}, {name};?$", line)
            if component:
                values = {}
                for _ in range(int(component[1]), int(component[2] or component[1]) + 1):
                    self.components.append((component[3], values))
            elif value:
                values[int(value[1])] = value[2] if value[2] is not None else value[3]
        self.parameters = dict(re.findall(r"Parameter '(.*)' = '(.*)';", setup))
        self.records = []
        for entry, vector in re.findall(r"(\d+) <([^>]*)>", records):
            self.records.append((int(entry), tuple(int(v) for v in vector.split(",")) if vector else ()))
        until = re.search(r"Until (\d+)", records)
        self.terminal = None if until else self.records.pop()
        self.end = int(until[1]) if until else self.terminal[0]

    def spans(self):
        """(vector by the values' names, begin, end) of each record."""
        ends = [entry for entry, _ in self.records[1:]] + [self.end]
        for (begin, vector), end in zip(self.records, ends):
            yield [self.components[i][1][v] for i, v in enumerate(vector)], begin, end


def sequence(trace, *options):
    done = heddle("pes", trace, "--csl", "-o", "-", *options)
    same((done.status, done.err), (0, ""), f"heddle pes {options}")
    return Text(done.out)


def traced(name, *arguments):
    trace = directory()
    record([program(name), *(arguments or PROGRAMS[name])], "-o", trace)
    return trace


def states_of(trace):
    """The lifetime and the ticks in each state of every thread, as `heddle states` says."""
    threads = json.loads(heddle("states", trace, "--json").out)["threads"]
    shares = {"Lifetime", "lifetime", "synch", "blocked"}
    return [(t["thread_name"], t["lifetime"]["ticks"], {k: v["ticks"] for k, v in t.items() if isinstance(v, dict) and k not in shares})
            for t in threads if t["thread"] is not None]


def key_of(name):
    return name.lower().replace("critical/lock", "mutex").replace(" ", "_")


@pytest.mark.parametrize("name", PROGRAMS)
def test_occupancies_are_the_threads_states(name):
    trace = traced(name)
    text = sequence(trace)
    states = states_of(trace)
    same([c[0] for c in text.components], [s[0] for s in states], "components and threads")
    sums = [collections.Counter() for _ in states]
    for vector, begin, end in text.spans():
        for thread, value in enumerate(vector):
            sums[thread][value] += end - begin
    for (thread, lifetime, ticks), total in zip(states, sums):
        same(sum(v for k, v in total.items() if k not in ("Undef", "Finis")), lifetime, f"lifetime of {thread}")
        same({key_of(k): v for k, v in total.items() if v and k not in ("Undef", "Finis")}, {k: v for k, v in ticks.items() if v}, f"states of {thread}")
    check(all(a[1] != b[1] for a, b in zip(text.records, text.records[1:])), "neighbours differ")
    same(set(text.components[i][1][v] for i, v in enumerate(text.terminal[1])), {"Finis"}, "at the end all have ended")


@pytest.mark.parametrize("name", ["lu", "nqueens"])
def test_counts_roles_and_selections_say_the_same(name):
    trace = traced(name)
    threads = list(sequence(trace).spans())

    def merged(spans):
        """Neighbours that are the same are one."""
        out = []
        for vector, begin, end in spans:
            if out and out[-1][0] == vector:
                out[-1][2] = end
            else:
                out.append([vector, begin, end])
        return out

    counts = sequence(trace, "--vector", "counts")
    of = [c[0] for c in counts.components]
    expected = merged([[str(vector.count(state)) for state in of], b, e] for vector, b, e in threads)
    same([[v, b, e] for v, b, e in counts.spans()], expected, "counts")
    one = sequence(trace, "--vector", "select=1")
    alone = merged([[vector[1]], b, e] for vector, b, e in threads)
    same([[v, b, e] for v, b, e in one.spans()], [a for a in alone if a[0] != ["Finis"]][-len(one.records):], "the one selected")

    def role(values):
        alive = {v for v in values if v not in ("Undef", "Finis")}
        return alive or ({"Finis"} if "Finis" in values else {"Undef"})

    roles = sequence(trace, "--vector", "roles")
    by_role = merged([[role(vector[:1]), role(vector[1:])], b, e] for vector, b, e in threads)
    same([[[set(x.split("+")) for x in v], b, e] for v, b, e in roles.spans()], by_role, "roles")


def test_philosophers_with_locks_eat_alone():
    n, meals = 5, 30
    trace = traced("philosophers", str(n), str(meals))
    text = sequence(trace, "--component", "lock")
    same(len(text.components), n + 1, "locks: the forks, and that of the critical section")
    eaten, before = collections.Counter(), set()
    for vector, _, _ in text.spans():
        eating = {(vector[i]) for i in range(n) if vector[i] != "free" and vector[i] == vector[(i + 1) % n]}
        for philosopher in eating - before:
            eaten[philosopher] += 1
        before = eating
    same(sorted(eaten.values()), [meals] * n, "meals that each had, with two forks of his own")


@pytest.mark.parametrize("jdk", JDKS)
def test_philosophers_with_monitors_eat_alone(jdk):
    n, meals = 5, 20
    _, trace = java_traced(jdk, "Philosophers", n, meals)
    text = sequence(trace.path, "--component", "construct")
    places = [[i for i, c in enumerate(text.components) if c[0] == f"philosopher {p}"] for p in range(n)]
    same([len(p) for p in places], [1] * n, "threads of philosophers")
    eaten, before = collections.Counter(), set()
    for vector, begin, _ in text.spans():
        eating = {p for p in range(n) if vector[places[p][0]].startswith("Thread.sleep")}
        check(not any((p + 1) % n in eating for p in eating), f"neighbours eat at once at {begin}: {eating}")
        for philosopher in eating - before:
            eaten[philosopher] += 1
        before = eating
    same(eaten, {p: meals for p in range(n)}, "meals")


def test_counters_have_what_was_measured_last():
    at = os.path.join(directory(), "archive")
    with otf2.writer.open(at, timer_resolution=1000) as made:
        members = [made.definitions.metric_member(name, value_type=kind) for name, kind in
                   (("misses", Type.UINT64), ("balance", Type.INT64), ("load", Type.DOUBLE))]
        both, load = made.definitions.metric_class(members[:2]), made.definitions.metric_class(members[2:])
        group = made.definitions.location_group("p", system_tree_parent=made.definitions.system_tree_node("m"))
        places = [made.definitions.location(name, group=group) for name in ("first", "second")]
        first, second = (made.event_writer_from_location(place) for place in places)
        here = made.definitions.metric_instance(load, recorder=places[1], scope=places[1])
        first.metric(100, both, (7, -3))
        first.metric(200, both, (7, -3)) # nothing new
        first.metric(300, both, (2 ** 40, -11))
        second.metric(150, here, (0.75,))
        second.metric(250, here, (1e300,))
        second.metric(300, here, (-0.5,))
        second.metric(400, here, (0.0,))
    trace = os.path.join(at, "traces.otf2")

    def spans(component):
        text = sequence(trace, "--component", component)
        same(sorted(name for name, _ in text.components), ["balance of first", "load of second", "misses of first"], "components")
        order = [name for name, _ in text.components]
        return [dict(zip(order, vector)) | {"from": begin, "to": end} for vector, begin, end in text.spans()]

    unknown = {"misses of first": "unknown", "balance of first": "unknown", "load of second": "unknown"}
    one = unknown | {"misses of first": "7", "balance of first": "-3"}
    two = one | {"load of second": "0"}
    huge = one | {"load of second": f"{2 ** 52:.15g}"}
    last = {"misses of first": str(2 ** 40), "balance of first": "-11", "load of second": "-1"}
    same(spans("counter"), [one | {"from": 100, "to": 150}, two | {"from": 150, "to": 250}, huge | {"from": 250, "to": 300},
                            last | {"from": 300, "to": 400}, last | {"load of second": "0", "from": 400, "to": 400}], "records")
    coarse = spans("counter=0.5")
    same([(s["balance of first"], s["load of second"]) for s in coarse],
         [("-3", "unknown"), ("-3", "0.5"), ("-3", f"{2 ** 51:.15g}"), ("-11", "-0.5"), ("-11", "0")], "in steps of one half")
    same({s["balance of first"] for s in spans("counter=10")}, {"-10", "-20"}, "in steps of ten")
    for step in ("=", "=0", "=-1", "=x", "=inf", "=nan", "s"):
        done = heddle("pes", trace, "--component", "counter" + step)
        same((done.status, len(done.err.splitlines())), (2, 1), f"counter{step}")
    same(heddle("pes", trace, "--component", "counter", "--vector", "counts").status, 2, "counters have no threads")


def test_parameters_travel():
    trace = directory()
    record([program("lu"), "40"], "-o", trace, OMP_NUM_THREADS="2", OMP_SCHEDULE="dynamic,4")
    path = os.path.join(directory(), "out.pes")
    heddle("pes", trace, "-o", path, "--param", "size=40")
    text = sequence(path)
    same({k: text.parameters.get(k) for k in ("OMP_NUM_THREADS", "OMP_SCHEDULE", "size")},
         {"OMP_NUM_THREADS": "2", "OMP_SCHEDULE": "dynamic,4", "size": "40"}, "parameters")
    same(sequence(trace).records, text.records, "the binary's records and the trace's")


def test_faults_are_one_line():
    trace = traced("lu", "20")
    for arguments, status, says in (
        ([trace, "--vector", "select=99"], 1, "there is no thread 99"),
        ([trace, "--vector", "select=x"], 2, "give numbers of threads"),
        ([trace, "--component", "colour"], 2, "give state, construct"),
        ([archive(trace), "--vector", "roles", "--component", "construct"], 2, "for states alone"),
        ([directory()], 1, "holds no OTF2 archive"),
        ([], 2, "give one trace"),
        ([trace, "--param", "x"], 2, "give NAME=VALUE"),
        ([trace, "-o", "/nowhere/x.pes"], 1, "cannot write"),
    ):
        done = heddle("pes", *arguments)
        same((done.status, done.out, done.err.count("\n")), (status, "", 1), f"what {arguments} does")
        check(says in done.err, f"{arguments} says {done.err}")
