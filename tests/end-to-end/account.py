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
from otf2.enums import GroupType, LocationType, Paradigm, RegionRole as Role, Type

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
            lock = draw.randint(0, 2)
            held = [("lock", lock), ("work", ticks)] + [("sleep", draw.randint(1000, 3 * MS))] * (draw.random() < 0.2) + [("unlock", lock)]
            steps += [("work", ticks)] if kind < 0.5 else [("alone", ticks)] if kind < 0.6 else [("sleep", ticks)] if kind < 0.7 else held
        steps += [("meet",)] * (meeting < meetings)
    return steps or [("work", 1000)]


def add_posts(draw, threads):
    """In each phase, some threads wait for what the thread before them posts in it. Numbers of objects begin at 0."""
    for number, (one, other) in enumerate(zip(threads, threads[1:])):
        for _ in range(draw.randint(0, 2)):
            phase = draw.randint(0, one.count(("meet",)))
            work = ("work", draw.randint(1000, MS))  # a post in the tick in which the wait begins comes too early for a trace
            for steps, added in ((one, [work, ("post", number)]), (other, [("await", number)])):
                free, held, meetings = [], 0, 0
                for at in range(len(steps) + 1):
                    if held == 0 and meetings == phase:
                        free.append(at)
                    if at < len(steps):
                        held += {"lock": 1, "unlock": -1}.get(steps[at][0], 0)
                        meetings += steps[at] == ("meet",)
                at = draw.choice(free)
                steps[at:at] = added


def test_random_schedules_are_booked_as_by_the_second_implementation():
    for seed in range(SEEDS):
        draw = random.Random(seed)
        team, threads, processors = draw.random() < 0.5, draw.randint(2, 9), draw.choice([1, 2, 3, 4, 8, 64])
        meetings = draw.randint(0, 4) if team else 0
        steps = [random_steps(draw, meetings) for _ in range(threads)]
        if draw.random() < 0.5:
            add_posts(draw, steps)
        ours, theirs = booked(schedules.Run(steps if team else schedules.posix(steps), processors, team))
        for kind in {*ours, *theirs}:
            check(abs(ours.get(kind, 0) - theirs.get(kind, 0)) <= TICKS,
                  f"seed {seed}, {threads} threads on {processors}: {kind} is {ours.get(kind, 0)}, and {theirs.get(kind, 0)} by hand")


@pytest.mark.parametrize("seed", range(6))
def test_parts_and_selected_threads_have_their_own_time(seed):
    """Parts of the time add up to all of it. A selected thread has its work and its waits, whatever is known of other threads."""
    draw = random.Random(seed)
    steps = [random_steps(draw, 0) for _ in range(4)]
    add_posts(draw, steps)
    run = schedules.Run(schedules.posix(steps), 2, False)
    trace, at = harness.directory(), run.begin + (run.end - run.begin) // 3
    schedules.write(run, trace)
    path, parts = os.path.join(trace, "traces.otf2"), [(), ("--to", f"{at - run.begin}ns"), ("--from", f"{at - run.begin}ns")]
    for threads in ((), ("--only-threads", "0"), ("--only-threads", "2"), ("--only-threads", "1-3")):
        whole, *halves = [account_of(path, *threads, *part)[0] for part in parts]
        for kind in set(whole).union(*halves):
            both = sum(half.get(kind, 0) for half in halves)
            check(abs(both - whole.get(kind, 0)) <= 4 * TICKS, f"{threads}: {kind} is {whole.get(kind, 0)}, and {both} in parts")
    for thread in run.threads:
        ours, first = account_of(path, "--only-threads", str(thread.number))
        worked = sum(end - begin for begin, end, kind, _ in thread.pieces if kind in ("work", "alone"))
        check(abs(ours.get("work", 0) - worked) <= TICKS, f"thread {thread.number} worked {worked}: {ours}")
        check(abs(sum(ours.values()) - (run.end - run.begin)) <= TICKS, f"not the time of one thread: {ours}")
        check(first["kind"] == "nothing" or "of the time of 1 selected thread" in first["sentence"], first["sentence"])


# name: (program, team, processors, {kind: percent})
KNOWN = {
    "one long thread of eight": (schedules.posix([[]] + [[("work", 10000 * MS)]] + [[("work", 1000 * MS)]] * 7), False, 8, {"imbalance": 78.75}),
    "eight equal threads": (schedules.posix([[]] + [[("work", 1000 * MS)]] * 8), False, 8, {"work": 100}),
    "a team of eight, one works twice as long": ([[("work", (2000 if i == 3 else 1000) * MS), ("meet",)] for i in range(8)], True, 8,
                                                 {"imbalance": 43.75, "work": 56.25}),
    "a thread that waits for another one's post": (schedules.posix([[]] + [[("work", 900 * MS), ("post", 0), ("work", 100 * MS)],
                                                                    [("await", 0), ("work", 100 * MS)]]), False, 2, {"serial": 45, "work": 55}),
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
         "barrier": ("!$omp barrier wait", Role.BARRIER, Paradigm.OPENMP, 4), "taskwait": ("!$omp taskwait wait", Role.TASK_WAIT, Paradigm.OPENMP, 5), "skipped": ("skipped", Role.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM, 0),
         "sums": ("skipped instances", Role.FUNCTION, Paradigm.MEASUREMENT_SYSTEM, 0),
         "mutex": ("pthread mutex", Role.CRITICAL, Paradigm.PTHREAD, 6), "unlock": ("pthread unlock", Role.FUNCTION, Paradigm.PTHREAD, 7),
         "condition": ("pthread condition", Role.THREAD_WAIT, Paradigm.PTHREAD, 8),
         "start": ("pthread start @work+0x1", Role.THREAD_CREATE, Paradigm.PTHREAD, 0), "mpi": ("pthread start @libpmix.so.2+0x1", Role.THREAD_CREATE, Paradigm.PTHREAD, 0),
         "sleep": ("blocked in the kernel", Role.ARTIFICIAL, Paradigm.MEASUREMENT_SYSTEM, 0)}


KILLED = {"closed": "killed"}
M = {"object": 1}


def made(threads, properties=(), processors=2, part=(), streams=0, ask_of=None, others="worker"):
    """An archive of one process. An event of a thread is (ms, what, place or detail, attributes). `streams` of accelerators work all the time."""
    path = harness.directory()
    with otf2.writer.open(path, timer_resolution=10**9) as archive:
        define = archive.definitions
        group = define.location_group("made", system_tree_parent=define.system_tree_node("machine"))
        for name, value in (("HEDDLE::PROCESSORS", str(processors)), *properties):
            define.location_group_property(group, name, Type.STRING, value)
        regions = {key: define.region(f"{name} @made.c:{line}" if line else name, source_file="made.c", region_role=role, paradigm=paradigm,
                                      begin_line_number=line, description={"sleep": "state: off", "start": "state: init", "mpi": "state: init", "loop": "schedule: dynamic", "mutex": "state: synch pthread mutex",
                                                                                                 "condition": "state: synch pthread condition"}.get(key, ""))
                   for key, (name, role, paradigm, line) in PLACE.items()}
        numbers = {name: define.attribute(name, type=Type.REGION if name == "construct" else Type.UINT64)
                   for name in ("chunks", "time", "construct", "instances", "joined", "weight", "object")}
        numbers["closed"] = define.attribute("closed", type=Type.STRING)
        locations = []
        for number, _ in enumerate(threads):
            locations.append(define.location(f"thread {number}", group=group))
            define.location_property(locations[-1], "HEDDLE::THREAD_TYPE", Type.STRING, others if number else "initial")
        define.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.OPENMP, members=locations)
        team = define.comm("team", define.group("team", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.OPENMP, members=locations))
        for location, events in zip(locations, threads):
            writer = archive.event_writer_from_location(location)
            for ms, what, place, *attributes in events:
                values = {numbers[name]: regions[value] if name == "construct" else value for name, value in (attributes[0] if attributes else {}).items()}
                if what in ("enter", "leave"):
                    getattr(writer, what)(round(ms * MS), regions[place], attributes=values)
                elif what.startswith("thread_task"):
                    getattr(writer, what)(round(ms * MS), team, 0, 0)
                else:
                    getattr(writer, what)(ms * MS, team)
        for number in range(streams):
            writer = archive.event_writer_from_location(define.location(f"stream {number}", type=LocationType.ACCELERATOR_STREAM, group=group))
            writer.enter(10 * MS, regions["loop"])
            writer.leave(110 * MS, regions["loop"])
    return (ask_of or account_of)(os.path.join(path, "traces.otf2"), *part)


def in_team(begin, end, events, number):
    """The events in a parallel region of a thread."""
    first, last = [(begin, "enter", "parallel"), (begin, "thread_team_begin", None)], [(end, "thread_team_end", None), (end, "leave", "parallel")]
    return (first if number == 0 else first[::-1]) + events + (last if number == 0 else last[::-1])


@pytest.mark.parametrize("runtime, cost, kind, wanted", [
    ("libgomp", None, "grain", 0),
    ("LLVM OMP version: 5", "libgomp threads 2 task 100 chunk 1000", "grain", 0),  # costs of another runtime
    ("libgomp", "libgomp threads 2 task 100 chunk 1000", "grain", 100),  # 1,000 us each: all work is the runtime's
    ("libgomp", "libgomp threads 2 task 100 chunk 500", "grain", 50),
    ("libgomp", "libgomp threads 2 task 100 chunk 10", "runtime", 1)])
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


# name: what thread 0 and thread 1 do from 10 ms to 110 ms, {kind: ms of one of two processors}
MAKE, DONE = "thread_task_create", "thread_task_complete"
TASKS = {
    "one task, and none is ready": ([(10, MAKE, None), (10, "enter", "taskwait"), (110, "leave", "taskwait")],
                                    [(10, "enter", "task"), (110, DONE, None), (110, "leave", "task")], {"tasks": 100, "runtime": 0}),
    "a second task is ready, and not taken": ([(10, MAKE, None), (10, MAKE, None), (10, "enter", "taskwait"), (110, "leave", "taskwait")],
                                              [(10, "enter", "task"), (70, DONE, None), (70, "leave", "task"),
                                               (70, "enter", "task"), (110, DONE, None), (110, "leave", "task")], {"tasks": 40, "runtime": 60}),
    "a task makes another one at 60 ms": ([(10, MAKE, None), (10, "enter", "taskwait"), (60.1, "enter", "task"), (110, DONE, None), (110, "leave", "task"), (110, "leave", "taskwait")],
                                          [(10, "enter", "task"), (60, MAKE, None), (110, DONE, None), (110, "leave", "task")], {"serial": 50, "tasks": 0}),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_wait_for_tasks_is_lost_to_what_tasks_there_were(name):
    first, second, wanted = TASKS[name]
    ours, _ = made([in_team(10, 110, first, 0), in_team(10, 110, second, 1)])
    for kind, ms in wanted.items():
        check(abs(ours.get(kind, 0) - ms * MS) < MS, f"{kind} is not {ms} ms: {ours}")


@pytest.mark.parametrize("start, blocked", [("start", 100), ("mpi", 0)])
def test_threads_of_mpi_wait_for_messages(start, blocked):
    """Another thread than main is blocked all the time. If MPI made it, this is nobody's lack."""
    other = [(10, "enter", start), (10, "leave", start), (10, "enter", "sleep"), (110, "leave", "sleep")]
    ours, _ = made([[(10, "enter", "loop"), (110, "leave", "loop")], other], others="other")
    check(abs(ours.get("blocked", 0) - blocked * MS) < MS, f"blocked: {ours}")


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


def test_streams_of_accelerators_stand_apart():
    threads = [in_team(10, 110, [], number) for number in range(2)]
    same(made(threads, streams=3)[0], made(threads)[0], "the account with and without streams")
    check("3 streams of accelerators stand apart" in made(threads, streams=3, ask_of=lambda trace: heddle("why", trace).out), "no word of the streams")
    check("accelerators" not in made(threads, ask_of=lambda trace: heddle("why", trace).out), "streams that are not there")


def build(name, source):
    binary = os.path.join(harness.directory(), name)
    with open(binary + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-g", "-fopenmp", "-pthread", binary + ".c", "-o", binary], check=True)
    return binary


@pytest.mark.parametrize("lost", [False, True], ids=["paused", "no room"])
def test_time_in_which_measurement_is_off_is_nobody_s_and_what_was_lost_is_unknown(lost):
    """Two threads work 100 ms, are not measured for 400 ms, and work 100 ms. The second one is paused at its next event, 50 ms later."""
    path = harness.directory()
    with otf2.writer.open(path, timer_resolution=1_000_000_000) as trace:
        node = trace.definitions.location_group("program [1]", system_tree_parent=trace.definitions.system_tree_node("node"))
        region = trace.definitions.region("!$omp for @a.c:1", source_file="a.c", begin_line_number=1, region_role=Role.LOOP, paradigm=Paradigm.OPENMP)
        for number in range(2):
            location = trace.definitions.location(f"thread {number}", group=node)
            if lost:
                trace.definitions.location_property(location, "HEDDLE::EVENTS_LOST", Type.UINT64, 7)
            writer = trace.event_writer_from_location(location)
            writer.enter(0, region)
            writer.measurement_on_off((100 + 50 * number) * MS, otf2.MeasurementMode.OFF)
            writer.measurement_on_off(500 * MS, otf2.MeasurementMode.ON)
            writer.leave(600 * MS, region)
    account, _ = account_of(os.path.join(path, "traces.otf2"))
    same(account, {"work": 2 * 200 * MS + 50 * MS, "unknown": (2 * 400 - 50) * MS} if lost else {"work": 2 * 200 * MS}, "the account")


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


# name: what thread 1 does after it waits for the mutex at 20 ms; whether the killed run waits forever
ENDS = {"the holder waits, too": ([(30, "enter", "condition")], True), "the holder works on": ([], False),
        "the mutex is free, and the thread has no processor": ([(30, "enter", "unlock", M), (30, "leave", "unlock"), (31, "enter", "condition")], False)}


@pytest.mark.parametrize("name", ENDS)
def test_a_thread_that_was_woken_does_not_wait_forever(name):
    holds, forever = ENDS[name]
    waits = [(10, "enter", "sleep"), (11, "leave", "sleep"), (20, "enter", "mutex", M), (110, "leave", "mutex", KILLED)]
    closed = {"condition": (110, "leave", "condition", KILLED)}
    holds = [(10, "enter", "sleep"), (11, "leave", "sleep"), *holds]
    holds += [closed[holds[-1][2]]] if holds[-1][2] in closed else [(110, "enter", "sleep"), (110, "leave", "sleep")]
    ours, first = made([waits, holds], [("HEDDLE::ENDED", "signal 9 (SIGKILL)")])
    same(first["kind"] == "forever", forever, first["sentence"])
    check(forever or ours.get("forever", 0) == 0, f"forever: {ours}")


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
            kind = kinds.setdefault(node["key"], (node["could_win_percent"], node["verdict"], []))
        elif node["aspect"] in ("where", "elsewhere"):
            kind[2].append(node["could_win_percent"])
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
        same(answer["schema"], 3, f"schema of {command}")
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
    "constructs, and samples except in Java": lambda has, info: (has["teams"] or "HEDDLE::PTHREADS" in has["properties"]) and "HEDDLE::SAMPLES" in has["properties"] or has["java"],
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
