"""
The account of `heddle why`. Random schedules are booked as by the second implementation (schedules.py). Schedules whose account is known by hand have
it. questions.py has programs with one known reason.
"""
import json
import os
import random
import re
import subprocess
import sys

import otf2
import pytest
from otf2.enums import GroupType, Paradigm, RegionRole as Role, Type

import harness
import schedules
from harness import check, heddle, record, same
from trace import Trace

sys.path.insert(0, os.path.join(harness.SOURCE, "..", "questions"))
import ask  # noqa: E402

MS = 1_000_000  # ticks
SEEDS = int(os.environ.get("HEDDLE_TEST_SCHEDULES", "40"))
TICKS = 10  # each part of a wait is rounded to whole ticks


def account_of(trace, *options):
    done = heddle("why", "--json", *options, trace)
    same((done.status, done.err), (0, ""), "heddle why")
    answer = json.loads(done.out)
    check(abs(sum(row["percent"] for row in answer["account"]) - 100) < 1e-6, f"the account is not whole: {answer['account']}")
    return {row["kind"]: row["ticks"] for row in answer["account"]}, answer["first"]


def booked(run):
    """Kind -> ticks, of heddle and of the second implementation."""
    trace = harness.directory()
    schedules.write(run, trace)
    ours, _ = account_of(os.path.join(trace, "traces.otf2"))
    return ours, {kind: round(float(ticks)) for kind, ticks in schedules.Account(run).sums.items()}


def random_steps(draw, meetings):
    steps = []
    for meeting in range(meetings + 1):
        for _ in range(draw.randint(0, 4)):
            ticks, kind = draw.randint(1000, 20 * MS), draw.random()
            lock = draw.randint(1, 3)
            held = [("lock", lock), ("work", ticks)] + [("sleep", draw.randint(1000, 3 * MS))] * (draw.random() < 0.2) + [("unlock", lock)]
            steps += [("work", ticks)] if kind < 0.5 else [("alone", ticks)] if kind < 0.6 else [("sleep", ticks)] if kind < 0.7 else held
        steps += [("meet",)] * (meeting < meetings)
    return steps or [("work", 1000)]


def test_random_schedules_are_booked_as_by_the_second_implementation():
    for seed in range(SEEDS):
        draw = random.Random(seed)
        team, threads, processors = draw.random() < 0.5, draw.randint(2, 9), draw.choice([1, 2, 3, 4, 8, 64])
        meetings = draw.randint(0, 4) if team else 0
        steps = [random_steps(draw, meetings) for _ in range(threads)]
        ours, theirs = booked(schedules.Run(steps if team else schedules.posix(steps), processors, team))
        for kind in {*ours, *theirs}:
            check(abs(ours.get(kind, 0) - theirs.get(kind, 0)) <= TICKS,
                  f"seed {seed}, {threads} threads on {processors}: {kind} is {ours.get(kind, 0)}, and {theirs.get(kind, 0)} by hand")


# name: (program, team, processors, {kind: percent})
KNOWN = {
    "one long thread of eight": (schedules.posix([[]] + [[("work", 10000 * MS)]] + [[("work", 1000 * MS)]] * 7), False, 8, {"imbalance": 78.75}),
    "eight equal threads": (schedules.posix([[]] + [[("work", 1000 * MS)]] * 8), False, 8, {"work": 100}),
    "a team of eight, one works twice as long": ([[("work", (2000 if i == 3 else 1000) * MS), ("meet",)] for i in range(8)], True, 8,
                                                 {"imbalance": 43.75, "work": 56.25}),
    "four threads under one lock": ([[("lock", 1), ("work", 1000 * MS), ("unlock", 1), ("meet",)] for _ in range(4)], True, 4,
                                    {"synchronization": 75, "work": 25}),
    "a thread that sleeps while others wait": ([[("sleep", 1000 * MS), ("meet",)], [("work", 1 * MS), ("meet",)]], True, 2, {"blocked": 99.9}),
    "a part that one thread executes alone": ([[("alone", 1000 * MS), ("meet",), ("work", 500 * MS), ("meet",)], [("meet",), ("work", 500 * MS), ("meet",)]],
                                              True, 2, {"serial": 33.3, "work": 66.6}),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_schedule_has_its_account(name):
    steps, team, processors, wanted = KNOWN[name]
    ours, _ = booked(schedules.Run(steps, processors, team, latency=1))
    whole = sum(ours.values())
    for kind, percent in wanted.items():
        check(abs(100 * ours.get(kind, 0) / whole - percent) < 0.2, f"{kind}: {100 * ours.get(kind, 0) / whole:.2f} % and not {percent} %")


PLACE = {"loop": ("!$omp for", Role.LOOP, Paradigm.OPENMP, 2), "chunk": ("chunk", Role.LOOP, Paradigm.OPENMP, 2),
         "task": ("!$omp task", Role.TASK, Paradigm.OPENMP, 3), "parallel": ("!$omp parallel", Role.PARALLEL, Paradigm.OPENMP, 1),
         "barrier": ("!$omp barrier wait", Role.BARRIER, Paradigm.OPENMP, 4), "skipped": ("skipped", Role.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM, 0),
         "sums": ("skipped instances", Role.FUNCTION, Paradigm.MEASUREMENT_SYSTEM, 0),
         "sleep": ("blocked in the kernel", Role.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM, 0)}


def made(threads, properties=(), processors=2, part=()):
    """An archive of one process. An event of a thread is (ms, what, place or detail, attributes)."""
    path = harness.directory()
    with otf2.writer.open(path, timer_resolution=10**9) as archive:
        define = archive.definitions
        group = define.location_group("made", system_tree_parent=define.system_tree_node("machine"))
        for name, value in (("HEDDLE::PROCESSORS", str(processors)), *properties):
            define.location_group_property(group, name, Type.STRING, value)
        regions = {key: define.region(f"{name} @made.c:{line}" if line else name, source_file="made.c", region_role=role, paradigm=paradigm,
                                      begin_line_number=line, description={"sleep": "state: off", "loop": "schedule: dynamic"}.get(key, ""))
                   for key, (name, role, paradigm, line) in PLACE.items()}
        numbers = {name: define.attribute(name, type=Type.REGION if name == "construct" else Type.UINT64)
                   for name in ("chunks", "time", "construct", "instances", "joined", "weight")}
        locations = []
        for number, _ in enumerate(threads):
            locations.append(define.location(f"thread {number}", group=group))
            define.location_property(locations[-1], "HEDDLE::THREAD_TYPE", Type.STRING, "worker" if number else "initial")
        define.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.OPENMP, members=locations)
        team = define.comm("team", define.group("team", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.OPENMP, members=locations))
        for location, events in zip(locations, threads):
            writer = archive.event_writer_from_location(location)
            for ms, what, place, *attributes in events:
                values = {numbers[name]: regions[value] if name == "construct" else value for name, value in (attributes[0] if attributes else {}).items()}
                if what in ("enter", "leave"):
                    getattr(writer, what)(ms * MS, regions[place], attributes=values)
                else:
                    getattr(writer, what)(ms * MS, team)
    return account_of(os.path.join(path, "traces.otf2"), *part)


def in_team(begin, end, events, number):
    """The events in a parallel region of a thread."""
    first, last = [(begin, "enter", "parallel"), (begin, "thread_team_begin", None)], [(end, "thread_team_end", None), (end, "leave", "parallel")]
    return (first if number == 0 else first[::-1]) + events + (last if number == 0 else last[::-1])


@pytest.mark.parametrize("runtime, cost, kind, wanted", [
    ("libgomp", None, "grain", 0),
    ("LLVM OMP version: 5", "libgomp threads 2 task 100 chunk 1000", "grain", 0),  # costs of another runtime
    ("libgomp", "libgomp threads 2 task 100 chunk 1000", "grain", 100),  # 1,000 us each: all work is the runtime's
    ("libgomp", "libgomp threads 2 task 100 chunk 500", "grain", 25),  # 500 of 1,000 ns, and threads wait less for each other
    ("libgomp", "libgomp threads 2 task 100 chunk 10", "runtime", 0.5)])  # not less than for itself
def test_the_runtimes_costs_inside_of_work_are_its_own(runtime, cost, kind, wanted):
    loop = [(10, "enter", "loop"), (10, "enter", "chunk", {"chunks": 100_000}), (110, "leave", "chunk"), (110, "leave", "loop")]
    properties = [("HEDDLE::RUNTIME", runtime)] + ([("HEDDLE::ENV::HEDDLE_COSTS", cost)] if cost else [])
    ours, _ = made([in_team(10, 110, loop, number) for number in range(2)], properties)
    whole = sum(ours.values())
    check(abs(100 * ours.get(kind, 0) / whole - wanted) < 0.1, f"{kind} is {100 * ours.get(kind, 0) / whole:.2f} % and not {wanted} %: {ours}")
    check(abs(100 * ours.get("work", 0) / whole - 100 + wanted) < 0.1, f"the rest is no work: {ours}")


def test_omitted_instances_have_the_causes_of_recorded_ones():
    def thread(number):
        late = 20 if number else 0
        recorded = in_team(10, 50, [(50 - late, "enter", "barrier"), (50, "leave", "barrier")], number)
        sums = {"construct": "parallel", "time": 100 * MS, "joined" if number else "instances": 10}
        return recorded + [(50, "enter", "skipped", {"time": 100 * MS}), (50, "enter", "sums", sums), (50, "leave", "sums"), (150, "leave", "skipped")]
    ours, _ = made([thread(number) for number in range(2)])
    same(ours.get("unknown", 0), 0, f"unknown: {ours}")
    check(abs(ours["imbalance"] / sum(ours.values()) - 0.25) < 0.001, f"imbalance is not a quarter: {ours}")


def test_idle_workers_wait_for_what_their_thread_waits_for():
    """Main sleeps beside another thread's work; its three workers have nothing to do meanwhile."""
    main = in_team(10, 20, [], 0) + [(20, "enter", "sleep"), (120, "leave", "sleep")]
    ours, _ = made([main + in_team(120, 130, [], 0)] + [in_team(10, 20, [], number) + in_team(120, 130, [], number) for number in (1, 2, 3)], processors=4)
    whole = sum(ours.values())
    check(abs(ours.get("blocked", 0) / whole - 400 / 480) < 0.001, f"blocked: {ours}")


@pytest.mark.parametrize("begin, end", [(0, 30), (40, 90), (20, 25)])
def test_a_part_of_the_time_has_its_part_of_each_kind(begin, end):
    """One of two threads waits at a barrier from 60 ms to 110 ms: what for is known, also before and behind the part."""
    def thread(number):
        return in_team(10, 110, [(110 - 50 * number, "enter", "barrier"), (110, "leave", "barrier")], number)
    trace_of = [thread(number) for number in range(2)]
    ours, _ = made(trace_of, part=("--from", f"{begin}ms", "--to", f"{end}ms"))
    waited = max(0, end - max(begin, 50))
    check(abs(ours.get("imbalance", 0) - waited * MS) < TICKS, f"imbalance is not {waited} ms: {ours}")
    check(abs(sum(ours.values()) - 2 * (end - begin) * MS) < TICKS, f"not the part: {ours}")


def build(name, source):
    binary = os.path.join(harness.directory(), name)
    with open(binary + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-fopenmp", "-pthread", binary + ".c", "-o", binary], check=True)
    return binary


def test_info_has_the_run_s_own_duration():
    """It begins with the process, as the account does, and not with the first construct."""
    done = record(ask.build(next(question for question in ask.questions() if question.name == "serial_init-gcc"), harness.directory()))
    ours, _ = account_of(done.trace)
    duration, whole = document("info", done.trace)["duration"]["ticks"], sum(ours.values())
    processors = round(whole / duration)
    check(processors >= 1 and abs(whole - processors * duration) <= processors, f"the account has {whole} ticks, the run {duration}")


NO_LOCKS = """int main(void) { volatile double x = 1;
#pragma omp parallel num_threads(2)
for (int k = 0; k < 40000000; k++) x = x * 0.999 + 0.1; }
"""


def test_locks_of_posix_threads_that_nobody_waits_for_are_ruled_out():
    """The layer is there from the process's begin, and has nothing to record."""
    done = record([build("no_locks", NO_LOCKS)])
    unknown = [node["key"] for node in document("why", done.trace)["hypotheses"] if node["aspect"] == "kind" and node["verdict"] == "unknown"]
    check("posix" not in unknown, f"unknown: {unknown}")


LOST_SIGNAL = """#include <pthread.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *wait_for_it(void *p) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }
int main(void) { pthread_t t; alarm(2); pthread_create(&t, 0, wait_for_it, 0); return pthread_join(t, 0); }
"""


def test_a_killed_run_in_which_all_threads_wait_waits_forever():
    done = record([build("lost_signal", LOST_SIGNAL)])
    ours, first = account_of(done.trace)
    same(first["kind"], "forever", f"kind of {first['sentence']}")
    check("pthread" in first["sentence"] and first["file"].endswith("lost_signal.c"), f"no place: {first}")
    check(ours.get("work", 0) < sum(ours.values()), "the account")


ARCHIVES = os.path.join(harness.SOURCE, "..", "outputs", "archives")
WITH_FIRST = ("why", "imbalance", "locks", "schedule", "waits", "tasks")


def unpacked(name):
    place = os.path.join(harness.directory(), f"account.{name}")
    os.makedirs(place, exist_ok=True)
    subprocess.run(["tar", "xf", os.path.join(ARCHIVES, name + ".tar.xz"), "-C", place], check=True)
    return os.path.join(place, os.listdir(place)[0])


def document(command, trace):
    done = heddle(command, "--json", trace)
    return json.loads(done.out) if done.status == 0 else None


def places_of(answer):
    """By kind: its percentage, its verdict, and the percentages of its places and of what is elsewhere."""
    kinds, kind = {}, None
    for node in answer["hypotheses"]:
        if node["aspect"] == "kind":
            kind = kinds.setdefault(node["key"], (node["percent"], node["verdict"], []))
        elif node["aspect"] in ("where", "elsewhere"):
            kind[2].append(node["percent"])
    return kinds


def estimates_of(trace):
    """Kinds that the account cannot part from work in this archive; a deadlock is all of the run."""
    return {"measurement", "forever"} | (set() if "HEDDLE::SWITCHES" in what_it_has(trace)["properties"] else {"processors", "blocked"})


def check_places(answer, estimates):
    shares = {row["kind"]: row["percent"] for row in answer["account"]}
    shares["deadlock"] = shares.get("forever", 0)
    for key, (percent, verdict, places) in places_of(answer).items():
        if key in {"memory", "posix", "deadlock", *estimates}:  # figures of their own
            continue
        if percent is not None and key != "runtime":  # the JVM's start is there, and cannot be won
            check(abs(percent - shares.get(key, 0)) < 1e-6, f"{key}: {percent} %, in the account {shares.get(key, 0)} %")
        check(sum(places) <= shares.get(key, 0) + 1e-6, f"places of {key}: {places} of {shares.get(key, 0)} %")
        if verdict == "ruled out":
            check(percent < answer["threshold"], f"{key} has {percent} %, and is ruled out")


def check_efficiency(answer):
    shares = {row["kind"]: row["percent"] for row in answer["account"]}
    for of in [answer["efficiency"], *answer["regions"]]:
        product = of["load_balance"] * of["serialization"] * of["transfer"] / 1e4
        check(abs(of["parallel"] - product) < 1e-6 and of["parallel"] <= 100, f"efficiency {of}")
    check(abs(answer["efficiency"]["parallel"] - shares.get("work", 0)) < 1e-6, f"work is {shares.get('work')} %, efficiency {answer['efficiency']}")
    work, uneven = shares.get("work", 0), shares.get("imbalance", 0)
    if work > 0:
        check(abs(answer["efficiency"]["load_balance"] - 100 * work / (work + uneven)) < 1e-6, f"{answer['efficiency']}")


@pytest.mark.parametrize("name", sorted(file.split(".")[0] for file in os.listdir(ARCHIVES)))
def test_all_commands_have_one_account(name):
    trace = unpacked(name)
    answers = {command: document(command, trace) for command in WITH_FIRST}
    why = answers["why"]
    if why is None or "account" not in why:
        return
    estimates = estimates_of(trace)
    check_places(why, estimates)
    check_efficiency(why)
    for command, answer in answers.items():
        same(answer["schema"], 2, f"schema of {command}")
        for key in ("verdict", "first", "account"):
            same(answer[key], why[key], f"{key} of {command}")
        by_kind = {}
        for finding in answer.get("findings", []):
            check(finding["percent"] <= 100 + 1e-9, f"more than the run: {finding}")
            by_kind[finding["kind"]] = by_kind.get(finding["kind"], 0) + finding["percent"]
        shares = {row["kind"]: row["percent"] for row in why["account"]}
        for kind, percent in by_kind.items():
            if kind not in estimates:
                check(percent <= shares.get(kind, 0) + 1e-6, f"findings of {kind}: {percent} of {shares.get(kind, 0)} % ({command})")


# What the table of docs/why.md calls a need, and how to see it in an archive.
NEEDS = {
    "constructs": lambda has, info: has["teams"] or "HEDDLE::PTHREADS" in has["properties"] or has["java"],
    "context switches, or readings": lambda has, info: {"HEDDLE::SWITCHES", "HEDDLE::PROCESSOR_READINGS"} & has["properties"] or has["states"],
    "nothing": lambda has, info: True,
    "POSIX threads": lambda has, info: "HEDDLE::PTHREADS" in has["properties"] or has["java"],
    "instructions": lambda has, info: "HEDDLE::COUNTER_READINGS" in has["properties"],
    "the cost of recording": lambda has, info: "overhead" in info or has["cost"],
}


def needs_of_kinds():
    with open(os.path.join(harness.SOURCE, "..", "..", "docs", "why.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| ([a-z, ]+) \| ([^|]+) \| [^|]+ \|$", file.read().split("## What each kind needs of a trace")[1].split("##")[0], re.M)
    needs = {kind: need for kinds, need in rows if kinds != "kind" for kind in kinds.split(", ")}
    check({"imbalance", "memory", "measurement"} <= set(needs) and set(needs.values()) <= set(NEEDS), f"the table of docs/why.md: {needs}")
    return needs


def what_it_has(trace):
    read = Trace(trace)
    names = {region.name for region in read.regions}
    cost = any("HEDDLE::RECORDING_TICKS" in location.properties for location in read.locations)
    types = {location.properties.get("HEDDLE::THREAD_TYPE") for location in read.locations}
    with open(read.path, "rb") as file:
        properties = set(re.findall(r"HEDDLE::[A-Z_]+", file.read().decode("latin-1")))
    return {"properties": properties, "java": bool(types & {"java", "jvm", "virtual"}), "cost": cost,
            "teams": any(name.startswith("!$omp") for name in names), "states": any(name.startswith("blocked in") for name in names)}


@pytest.mark.parametrize("name", ["lu-24", "imbalanced", "java-pool", "java-waits", "roots", "oversubscribed", "waits", "user-events"])
def test_what_is_ruled_out_follows_the_table_of_needs(name):
    trace = unpacked(name)
    answer, has, info = document("why", trace), what_it_has(trace), document("info", trace)
    verdicts = {node["key"]: node["verdict"] for node in answer["hypotheses"] if node["aspect"] == "kind"}
    for kind, need in needs_of_kinds().items():
        tested = bool(NEEDS[need](has, info))
        if kind not in verdicts:  # posix: only where it is unknown
            same((kind, tested), ("posix", True), "a kind that is not listed")
        elif verdicts[kind] in ("ruled out", "unknown"):
            same(verdicts[kind], "ruled out" if tested else "unknown", f"{kind}, which needs {need}")
