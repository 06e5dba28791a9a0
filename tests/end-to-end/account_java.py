"""
The account of `heddle why` for Java programs with one known reason (tests/programs/java/Reasons.java). It begins with this reason, at a line with
a mark in the program's source.
"""
import pytest

import harness
from account import account_of
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
        right = first["kind"] == "synchronization" and first["thread"] == "writer" and at("reads") in first["sentence"]
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
