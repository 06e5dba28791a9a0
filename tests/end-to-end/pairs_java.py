"""heddle live --pair of JVMs: what a pair needs is on while it is there, and off before and afterwards."""
import array
import signal
import struct
import time

import pytest

import java
from harness import ON_LIBGOMP, check, heddle, same
from pairs import ALL, LONGEST, Dormant, Observer

MONITORS, PARKS, GC, ALLOCATED = 0x80, 0x100, 0x200, 0x2000  # common/raw/live_control.h
ARRAY = 1016  # bytes of one of the program's
THREADS = [f"allocated@thread=allocates-{i}" for i in (1, 2, 3)]
JDKS = java.JDKS if not ON_LIBGOMP else []


class DormantJvm(Dormant):
    """A program of Java's that measures what observers need, and nothing else."""

    def __init__(self, jdk, name, *options, **settings):
        command = java.command(jdk, name, options=[f"-agentpath:{java.AGENT}", *options])
        super().__init__(command, HEDDLE_CONVERT="0", **settings)

    def allocated(self):
        """What the process has counted so far, by number of a thread."""
        with open(self.raw() + "allocated", "rb") as file:
            return array.array("Q", file.read())


class DormantMetrics(DormantJvm):
    """The program Metrics: one call of Thread.sleep, a contended monitor and a collection a time."""

    def __init__(self, jdk):
        super().__init__(jdk, "Metrics", "-XX:+UseSerialGC")

    def work(self, _):
        self.send(1)
        check(self.process.stdout.readline().startswith("truth: "), "what the program prints")

    def on(self):
        """What is measured, events of the JVM that are on for it, and hooks in classes."""
        with open(self.raw() + "control", "rb") as file:
            page = file.read(4096)
        return struct.unpack_from("<I", page, 48) + struct.unpack_from("<II", page, 3136)

    def turns(self, *on):
        until = time.monotonic() + LONGEST
        while self.on() != on:
            check(time.monotonic() < until, f"what is on: {self.on()}, not {on}")
            time.sleep(0.005)


def reads(observer, *expected):
    """Within a time that says nothing about speed: the JVM is asked now and then."""
    until = time.monotonic() + LONGEST
    while (found := observer.read()) != list(expected):
        check(time.monotonic() < until, f"bytes: {found}, not {list(expected)}")


@pytest.mark.parametrize("jdk", JDKS)
def test_allocations_of_each_thread_count(jdk):
    """To the byte, while a pair needs them; threads that begin and end count as well."""
    with DormantJvm(jdk, "Allocations") as jvm:
        same((jvm.page(), sum(jvm.allocated())), ((0, 0), 0), "what is measured, and bytes, before")
        observer = Observer(jvm, *THREADS, "allocated@thread=ends")
        same(jvm.page()[0], ALLOCATED, "what is measured while the pair is there")
        jvm.work(1000)
        jvm.work(234)
        bytes_of_one = 1234 * ARRAY
        reads(observer, bytes_of_one, 2 * bytes_of_one, 3 * bytes_of_one, bytes_of_one)
        observer.end(signal.SIGKILL)
        jvm.becomes(0)
        counted = jvm.allocated()
        jvm.work(5000)
        time.sleep(0.2)
        same((jvm.page()[0], jvm.allocated()), (0, counted), "what is measured, and bytes, after")
        observer = Observer(jvm, THREADS[1], "allocated@thread=ends", "allocated")
        jvm.work(77)
        jvm.end()
        found = observer.last()
        same((found[THREADS[1]], found["allocated@thread=ends"]), (2 * 77 * ARRAY, 77 * ARRAY), "bytes of the second time")
        check(found["allocated"] >= 7 * 77 * ARRAY, f"bytes of all threads: {found}")


@pytest.mark.parametrize("jdk", JDKS)
def test_allocations_count_where_all_is_measured(jdk):
    with DormantJvm(jdk, "Allocations", HEDDLE_PAUSED="0") as jvm:
        same((jvm.page()[0], sum(jvm.allocated())), (ALL, 0), "what is measured, and bytes, before")
        observer = Observer(jvm, THREADS[0])
        same(jvm.page()[0], ALL | ALLOCATED, "what is measured while the pair is there")
        jvm.work(10)
        reads(observer, 10 * ARRAY)
        observer.end()
        jvm.becomes(ALL)
        jvm.end()


@pytest.mark.parametrize("jdk", JDKS)
def test_events_and_hooks_are_on_while_a_pair_needs_them(jdk):
    with DormantMetrics(jdk) as jvm:
        jvm.turns(0, 0, 0)
        collections = Observer(jvm, "gc")
        same(jvm.on(), (GC, 2, 0), "what is on for collections")
        waits = Observer(jvm, "java-waits")
        same(jvm.on(), (GC | MONITORS | PARKS, 4, 1), "what is on for collections and waits")
        jvm.work(1)
        collections.end()
        jvm.turns(MONITORS | PARKS, 2, 1)
        waits.end(signal.SIGKILL)
        jvm.turns(0, 0, 0)
        jvm.work(1)
        same(jvm.on(), (0, 0, 0), "what is on afterwards")
        jvm.end()


@pytest.mark.parametrize("jdk", JDKS)
def test_a_jvm_without_the_module_says_so_once(jdk):
    with DormantJvm(jdk, "Allocations", "--limit-modules", "java.base") as jvm:
        for _ in range(2):
            done = heddle("live", "--once", "--pair", "allocated", jvm.pid)
            same((done.status, done.out, done.err.count("\n")), (1, "", 1), "status, output and lines on stderr")
            check("does not count the bytes" in done.err and "java.management" in done.err, done.err)
        same(jvm.page(), (0, 0), "what is measured")
        out, err = jvm.process.communicate(timeout=60)
        same((jvm.process.returncode, out, err.count("\n")), (0, "result: right\n", 1), "status and output of the program")
        check("java.management" in err, err)


def test_programs_without_a_jvm_have_no_allocations():
    with Dormant() as traced:
        done = heddle("live", "--once", "--pair", "allocated", "--pair", "locks", traced.pid)
        same((done.status, done.out, done.err.count("\n")), (1, "", 1), "status, output and lines on stderr")
        check("does not count the bytes" in done.err, done.err)
        same(traced.page(), (0, 0), "what is measured")
        traced.end()
