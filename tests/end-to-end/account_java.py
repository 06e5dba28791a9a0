"""
The account of `heddle why` for Java programs with one known reason (tests/programs/java/Reasons.java). It begins with this reason, at a line with
a mark in the program's source.
"""
import os

import otf2
import pytest
from otf2.enums import Paradigm, RegionRole as Role, Type

import harness
from account import MS, account_of
from deadlocks import line
from harness import check, heddle, holds_mostly, record, same
from java import JDKS, command
from trace import Trace, check_well_formed

VIRTUAL = [jdk for jdk in JDKS if "17" not in jdk]


def first_of(jdk, how, *options):
    """What the first sentence says; None: others took the processors."""
    done = record(command(jdk, "Reasons", how, options=list(options)), preexec=harness.before_others)
    same(done.status, 0, f"status of {how}: {done.err}")
    ours, first = account_of(done.trace)
    print(f"{how}: {first['sentence']} {ours}")
    check(first["could_win_percent"] is None or first["could_win_percent"] <= 100, f"more than there is: {first}")
    return done.trace, first, 100 * ours.get("processors", 0) / sum(ours.values())


def at(mark):
    return f"@Reasons.java:{line('java/Reasons.java', mark)}"


@pytest.mark.parametrize("jdk", JDKS)
def test_threads_wait_for_a_slow_class_initializer(jdk):
    def is_first():
        trace, first, lacking = first_of(jdk, "slow")
        archive = Trace(trace)
        check_well_formed(archive)
        waits = [e for e in archive.events() if e.kind == "Enter" and e.region.name.startswith("class initialization")]
        right = (first["kind"] == "synchronization" and "static initializer of Reasons$" in first["sentence"] and at("needs the slow one") in first["sentence"]
                 and len(waits) >= 3)
        return right or (None if lacking > 10 else False)

    holds_mostly(is_first, "a slow class initializer")


@pytest.mark.parametrize("jdk", JDKS)
def test_the_line_of_system_gc_is_the_cause_of_collections(jdk):
    def is_first():
        _, first, lacking = first_of(jdk, "collect")
        return (first["kind"] == "collection" and "System.gc " + at("collects") in first["sentence"]) or (None if lacking > 10 else False)

    holds_mostly(is_first, "System.gc")


@pytest.mark.parametrize("jdk", JDKS)
def test_readers_wait_for_the_writer_and_not_for_the_reader_that_woke_them(jdk):
    def is_first():
        trace, first, lacking = first_of(jdk, "write")
        locks = heddle("locks", trace).out
        check("ReentrantReadWriteLock" in locks, f"heddle locks: {locks}")
        right = first["kind"] == "synchronization" and first["thread_name"] == "writer" and at("reads") in first["sentence"]
        return right or (None if lacking > 10 else False)

    holds_mostly(is_first, "a write lock")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_semaphore_is_a_lock(jdk):
    def is_first():
        trace, first, lacking = first_of(jdk, "permits")
        locks = heddle("locks", trace).out
        check("Reasons.PERMIT" in locks, f"heddle locks: {locks}")
        right = first["kind"] == "synchronization" and at("permit") in first["sentence"] and "Reasons.PERMIT" in first["lock"]
        return right or (None if lacking > 10 else False)

    holds_mostly(is_first, "a semaphore")


@pytest.mark.parametrize("jdk", VIRTUAL)
def test_virtual_threads_wait_at_a_monitor(jdk):
    def is_first():
        trace, first, lacking = first_of(jdk, "monitor")
        check("heddle" not in heddle("locks", trace).err, "heddle locks")
        return (first["kind"] == "synchronization" and at("monitor") in first["sentence"]) or (None if lacking > 10 else False)

    holds_mostly(is_first, "a monitor of virtual threads")


CONDITION = 'java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject "App.%s"'

LATCH = 'java.util.concurrent.CountDownLatch$Sync "App.latch"'


def crew(classes, threads, processors=None, awaits=None):
    """
    An archive of Java threads that main starts at 1 ms and joins; or it waits at a latch, `awaits`: from, to. `classes` are what they run. An event of a thread is (ms, what, detail). They
    enter and leave a park at the object `detail`, or unpark a thread by its number.
    """
    path = harness.directory()
    with otf2.writer.open(path, timer_resolution=10**9) as archive:
        define = archive.definitions
        group = define.location_group("made", system_tree_parent=define.system_tree_node("machine"))
        define.location_group_property(group, "HEDDLE::PROCESSORS", Type.STRING, str(processors or len(threads)))
        region = {name: define.region(text, source_file="App.java", region_role=role, paradigm=Paradigm.PTHREAD, begin_line_number=number, description=state)
                  for name, (text, role, number, state) in {"park": ("park @App.java:7", Role.UNKNOWN, 7, "state: blocked in condvar"),
                                                            "unpark": ("unpark", Role.ARTIFICIAL, 0, ""), "start": ("Thread.start", Role.ARTIFICIAL, 0, ""), "task": ("pool task @App.java:8", Role.TASK, 8, ""),
                                                            "join": ("Thread.join @App.java:9", Role.UNKNOWN, 9, "state: blocked in condvar")}.items()}
        number = {name: define.attribute(name, type=of) for name, of in (("thread", Type.UINT64), ("object", Type.UINT64), ("object class", Type.STRING))}
        for i, (of, events) in enumerate(zip([None, *classes], [None, *threads])):
            location = define.location(f"thread {i}", group=group)
            define.location_property(location, "HEDDLE::THREAD_TYPE", Type.STRING, "java")
            define.location_property(location, "HEDDLE::JAVA_ID", Type.UINT64, i + 1)
            if of:
                define.location_property(location, "HEDDLE::JAVA_CLASS", Type.STRING, of)
            writer = archive.event_writer_from_location(location)

            def put(ms, what, name, **values):
                getattr(writer, what)(round(ms * MS), region[name], attributes={number[key.replace("_", " ")]: value for key, value in values.items()})

            if i == 0:
                put(0, "enter", "unpark", thread=99)
                put(0, "leave", "unpark")
                for other in range(len(threads)):
                    put(1, "enter", "start", thread=other + 2)
                    put(1, "leave", "start")
                if awaits:
                    put(awaits[0], "enter", "park", object=9, object_class=LATCH)
                    put(awaits[1], "leave", "park")
                for other, lives in enumerate([] if awaits else threads):
                    put(threads[other - 1][-1][0] if other else 2, "enter", "join", thread=other + 2)
                    put(lives[-1][0], "leave", "join")
                continue
            put(1, "enter", "unpark", thread=99)
            put(1, "leave", "unpark")
            for ms, what, detail in events:
                if what == "unpark":
                    put(ms, "enter", "unpark", thread=detail + 1)
                    put(ms, "leave", "unpark")
                elif detail == "task":
                    put(ms, what, "task")
                elif what == "end":
                    put(ms, "enter", "unpark", thread=99)
                    put(ms, "leave", "unpark")
                elif what == "enter":
                    put(ms, "enter", "park", object=7, object_class=CONDITION % detail)
                else:
                    put(ms, "leave", "park")
    return account_of(os.path.join(path, "traces.otf2"))


# name: classes, the kind that has 40 of 110 ms of one of two processors
MEETING = {"one class": (["App$Work"] * 2, "imbalance"), "two classes": (["App$Work", "App$Other"], "serial"), "unknown classes": ([None] * 2, "serial"),
           "workers of a pool without a task": (["java.util.concurrent.ThreadPoolExecutor$Worker"] * 2, "serial")}


@pytest.mark.parametrize("name", MEETING)
def test_threads_that_run_one_class_meet_at_a_condition(name):
    """The second one waits from 20 to 60 ms for the first one, and they have met before, at 10 ms."""
    classes, kind = MEETING[name]
    first = [(10, "unpark", 2), (60, "unpark", 2), (110, "end", None)]
    second = [(9, "enter", "barrier"), (10, "leave", None), (20, "enter", "barrier"), (60, "leave", None), (110, "end", None)]
    ours, _ = crew(classes, [first, second])
    check(abs(ours.get(kind, 0) - 41 * MS) < 2 * MS, f"{kind} is not 41 ms: {ours}")


def test_a_thread_of_a_crew_that_only_waits_is_no_imbalance():
    first = [(2, "unpark", 2), (60, "unpark", 2), (110, "end", None)]
    second = [(1.5, "enter", "queue"), (2, "leave", None), (3, "enter", "queue"), (60, "leave", None), (110, "end", None)]
    ours, _ = crew(["App$Work"] * 2, [first, second])
    check(ours.get("imbalance", 0) < MS and ours.get("serial", 0) > 50 * MS, f"no imbalance: {ours}")


POOL = "java.util.concurrent.ThreadPoolExecutor$Worker"


@pytest.mark.parametrize("workers, kind", [(1, "threads"), (2, "tasks")])
def test_processors_that_a_pool_leaves_idle(workers, kind):
    """One worker executes a task from 10 to 110 ms. The other one has a short one, and waits for one to the end."""
    busy = [(10, "enter", "task"), (110, "leave", "task"), (110, "unpark", 0), (110, "end", None)]
    idle = [(2, "enter", "task"), (9, "leave", "task"), (10, "enter", "queue"), (110, "leave", None), (110, "end", None)]
    ours, first = crew([POOL] * workers, [busy, idle][:workers], processors=2, awaits=(2, 110.1))
    check(abs(ours.get(kind, 0) - 100 * MS) < 12 * MS, f"{kind} is not 100 ms: {ours}")
    same((first["kind"], first["line"]), (kind, 8), first["sentence"])


def test_a_creator_that_waits_at_a_latch_takes_no_processor():
    """Two threads work for 100 ms while main waits for both: there is nothing to win, and there are no three."""
    ours, first = crew(["App$Work"] * 2, [[(110, "end", None)]] * 2, processors=3, awaits=(2, 110))
    check(first["kind"] == "nothing" and ours["work"] > 200 * MS, f"{first['sentence']} {ours}")
    same(round(sum(ours.values()) / (110 * MS)), 2, "processors")


def test_threads_that_wake_each_other_waited_for_the_last_one():
    """A barrier of three: the first one wakes the second one, and this one the third."""
    first = [(60, "unpark", 2), (100, "end", None)]
    second = [(20, "enter", "barrier"), (60, "leave", None), (60.2, "unpark", 3), (100, "end", None)]
    third = [(30, "enter", "barrier"), (60.3, "leave", None), (100, "end", None)]
    ours, _ = crew(["App$Work"] * 3, [first, second, third])
    check(abs(ours.get("imbalance", 0) - 70 * MS) < MS, f"imbalance is not 70 ms: {ours}")
