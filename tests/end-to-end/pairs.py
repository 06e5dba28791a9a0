"""
heddle live --pair: a pair of metric and focus is measured while somebody looks, exactly, and nothing else is. When nobody needs it
any more, or who did was killed, it is not, and no callback of the runtime is registered for it.
"""
import csv
import io
import json
import os
import random
import re
import signal
import struct
import subprocess
import time

import pytest

import java
from control import Program
from harness import HEDDLE, ON_LIBGOMP, PROGRAMS, check, heddle, program, same
from live import Jvm
from profiles import executions
from trace import Trace, check_well_formed

REGIONS, WORKS, CHUNKS, TASKS, LOCKS, USER, ALL, COUNTS = 0x01, 0x02, 0x04, 0x10, 0x20, 0x1000, 0x1fff, 0x8000  # common/raw/live_control.h
OBSERVERS = int(os.environ.get("HEDDLE_TEST_OBSERVERS", 30))
LONGEST = 20


class Dormant(Program):
    """A program that measures what observers need, and nothing else."""

    def __init__(self, command=None, **settings):
        super().__init__(command, **{"HEDDLE_LIVE": "1", "HEDDLE_PAUSED": "1", **settings})
        self.work(100)

    def page(self):
        """What is measured, and how many callbacks there are for that."""
        with open(self.raw() + "control", "rb") as file:
            return struct.unpack_from("<II", file.read(4096), 48)

    def becomes(self, measured, callbacks=None):
        """Within a time that says nothing about speed. Callbacks go as a region begins."""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            now = self.page()
            if now[0] == measured and callbacks in (None, now[1]):
                return
            time.sleep(0.005)
            if callbacks is not None:
                self.work(1)
        check(False, f"measured and callbacks: {self.page()}, not {measured} and {callbacks}")


def value_of(pair):
    """Its sum; of a time seconds."""
    time_of = pair["sum_duration"]
    return time_of["seconds"] if time_of else pair["sum_count"] if pair["sum_count"] is not None else pair["sum_value"]


class Observer:
    """heddle live with pairs, as lines of JSON."""

    def __init__(self, traced, *pairs, interval="20ms"):
        command = [HEDDLE, "live", "--json", "--interval", interval, *(word for pair in pairs for word in ("--pair", pair)), traced.pid]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.read()

    def read(self):
        """The sums since the pairs were inserted."""
        return [value_of(pair) for pair in json.loads(self.process.stdout.readline())["pairs"]]

    def read_until(self, arrived):
        """The first sums that have arrived, or the last within LONGEST: readings made before the work may still be in the pipe."""
        until = time.monotonic() + LONGEST
        while not arrived(sums := self.read()) and time.monotonic() < until:
            pass
        return sums

    def last(self):
        """The sums when the program has ended: exact."""
        out, _ = self.process.communicate(timeout=60)
        same(self.process.returncode, 0, "exit status of heddle live")
        document = json.loads(out.splitlines()[-1])
        same(document["over"], "yes", "the last reading")
        return dict(zip((pair["pair"] for pair in document["pairs"]), (value_of(pair) for pair in document["pairs"])))

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.communicate(timeout=60)


def rows(trace):
    """Executions of what was measured: all but the thread's own rows."""
    return {row: n for row, n in executions(trace).items() if row[0].startswith("!$omp") and n > 0}


def test_a_dormant_program_has_no_callbacks():
    with Dormant() as traced:
        same(traced.page(), (0, 0), "what is measured, and callbacks")
        traced.work(1000)
        same(traced.page(), (0, 0), "what is measured, and callbacks")
        traced.end()
        same(rows(traced.trace), {}, "rows of a program of which nobody needs anything")


@pytest.mark.parametrize("pair", ["locks", "parallel-regions", "locks@phases.c:1-99", "locks@phases.c", "contended-locks", "lock-waiting"])
def test_a_pair_is_measured_while_it_is_needed(pair):
    needs = REGIONS if pair == "parallel-regions" else LOCKS if pair in ("contended-locks", "lock-waiting") else COUNTS
    with Dormant() as traced:
        traced.work(50)
        observer = Observer(traced, pair)
        traced.becomes(needs)
        check(traced.page()[1] > 0, "callbacks of what is needed")
        traced.work(1234)
        time.sleep(0.01)  # what the threads record next is late enough for them to add up what they have
        traced.work(1)
        counts = 1234 if needs == REGIONS else 2 * 1234
        if pair != "contended-locks" and pair != "lock-waiting":
            seen = observer.read_until(lambda sums: sums[0] >= counts)[0]
            check(counts <= seen <= counts + 2, f"{pair}: {seen} of {counts}")
        observer.end()
        # On libomp a worker may be at the end of its implicit task at any time: that callback stays, and returns at once.
        traced.becomes(0, 1 if needs == REGIONS and not ON_LIBGOMP else 0)
        traced.work(500)
        traced.end()
        found = rows(traced.trace)
        if needs == REGIONS:
            same(found["!$omp parallel", "construct"], 1235, "regions while the pair was there")
            check({name for name, _ in found} == {"!$omp parallel"}, f"rows: {found}")
        else:
            same(found, {("!$omp critical", "acquire"): 2 * 1235, ("!$omp critical", "hold"): 2 * 1235}, "rows")


class Counting(Dormant):
    """The program `live`, dormant: a phase has loops, tasks and locks with names whose parts each thread counts."""

    def __init__(self, way="metrics"):
        self.did = {}
        super().__init__([program("live"), way], HEDDLE_CONVERT="0")  # the converter would remove what the last reading has

    def work(self, _):
        self.send("")
        for line in self.process.stdout:
            if match := re.match(r"truth: (\w+)=(\d+)", line):
                self.did[match[1]] = int(match[2])
            elif line.startswith("phase "):
                return

    def sums_of(self, needs, *pairs):
        """What the program does while pairs are inserted, up to its end, and their sums."""
        before, observer = dict(self.did), Observer(self, *pairs)
        self.becomes(needs)
        for _ in range(3):
            self.work(1)
        self.end()
        return {key: self.did[key] - before[key] for key in before}, observer.last()


def test_tasks_that_are_made_and_run_count():
    with Counting() as traced:
        did, found = traced.sums_of(TASKS, "tasks-made", "tasks")
    same(found, {"tasks-made": did["tasks"], "tasks": did["tasks"]}, "tasks")


def test_chunks_and_iterations_count():
    """Also by member of the team. What libomp does not report of static loops follows from the teams."""
    members = [f"iterations@member={member}" for member in range(3)]
    with Counting() as traced:
        did, found = traced.sums_of(REGIONS | WORKS | CHUNKS, "iterations", "chunks", *members)
    fixed = 0 if ON_LIBGOMP else 1  # it reports no static loops
    same(found["iterations"], sum(did[f"iterations_{m}"] + fixed * did[f"fixed_{m}"] for m in range(3)), "iterations")
    check(found["chunks"] >= 30 * did["parallel"], f"chunks of the dynamic loop alone: {found}")
    same({pair: found[pair] for pair in members}, {members[m]: did[f"iterations_{m}"] + fixed * did[f"fixed_{m}"] for m in range(3)}, "iterations by member")


def test_a_lock_in_a_loop_on_a_thread_counts():
    names = ["locks@lock=pair?0?", "locks@lock=pair?1?"]
    in_loop = ["locks@lock=pair?0?,construct=!$omp for*", "locks@lock=pair?1?,construct=!$omp for*"]
    threads = ["locks@lock=pair?1?,construct=*for*,thread=*master*", "locks@lock=pair?1?,construct=*for*,thread=*thread*"]
    with Counting() as traced:
        did, found = traced.sums_of(COUNTS, *names)
    same(found, {names[0]: did["lock_0"], names[1]: did["lock_1"]}, "locks by name")
    with Counting() as traced:
        did, found = traced.sums_of(REGIONS | WORKS | TASKS | COUNTS | USER, *in_loop, *threads)
    phases = did["parallel"]
    same([found[pair] for pair in in_loop], [80 * phases, 40 * phases], "locks in the loop")
    same(sum(found[pair] for pair in threads), 40 * phases, "of all threads")


@pytest.mark.parametrize("beside", ["locks", "lock-held"])
def test_locks_of_each_kind_count(beside):
    """Whether they are counted alone or measured for another pair. A nested lock that the thread has is acquired once more, and not released."""
    measured = COUNTS if beside == "locks" else LOCKS
    with Counting("kinds") as traced:
        before, observer = dict(traced.did), Observer(traced, "locks@lock=*", beside, *({"locks"} - {beside}))
        traced.becomes(measured, 2 if measured == COUNTS else None)
        for _ in range(3):
            traced.work(1)
        traced.end()
        found, did = observer.last(), {key: n - before[key] for key, n in traced.did.items()}
    same((found["locks"], found["locks@lock=*"]), (did["locks"], did["locks"] + did["again"]), "acquisitions")


def test_events_and_their_values_count():
    with Dormant([os.path.join(PROGRAMS, "user", "stretches")], HEDDLE_CONVERT="0") as traced:  # has done 100 steps
        observer = Observer(traced, "events", "events@event=sum,thread=*", "events@event=nothing", "event-values@value=so far", "event-sum", "event-last", "user@step")
        traced.becomes(USER)
        traced.work(1000)
        traced.work(234)
        traced.end()
        found = observer.last()
    same(found, {"events": 1234, "events@event=sum,thread=*": 1234, "events@event=nothing": 0, "event-values@value=so far": 1234,
                 "event-sum": sum(range(100, 1334)), "event-last": 1333, "user@step": 1234}, "events")


class PausedJvm(Jvm):
    """The program Metrics, dormant."""

    def __init__(self, jdk):
        super().__init__(jdk, HEDDLE_PAUSED="1", HEDDLE_CONVERT="0")
        self.pid = str(self.process.pid)

    def end(self):
        self.process.communicate(timeout=60)
        same(self.process.returncode, 0, "exit status of the program")


@pytest.mark.parametrize("jdk", java.JDKS if not ON_LIBGOMP else [])
def test_collections_and_waits_of_java_count(jdk):
    """Nothing else of Java is needed for collections."""
    with PausedJvm(jdk) as jvm:
        before, _ = jvm.work(1)
        observer = Observer(jvm, "gc", "gc-time", "java-waits@lock=*Metrics.guard*", "java-waiting@lock=*Metrics.guard*")
        did, _ = jvm.work(3)
        jvm.end()
        found = observer.last()
    same((found["gc"], found["java-waits@lock=*Metrics.guard*"]), (did["collections"] - before["collections"], 3), "collections and waits")
    waited = (did["waited_ns"] - before["waited_ns"]) / 1e9
    check(found["gc-time"] > 0 and 0.2 < found["java-waiting@lock=*Metrics.guard*"] <= waited * 1.001, f"times: {found}, waited {waited}")


def test_regions_of_the_programs_own_are_recorded_while_they_are_needed():
    """Also regions that begin before somebody needs them, or end when nobody needs them any more."""
    with Dormant([os.path.join(PROGRAMS, "user", "stretches")]) as traced:
        locks = Observer(traced, "locks")
        traced.becomes(COUNTS)
        traced.work(1000)
        traced.work("enter")
        user = Observer(traced, "user")
        traced.becomes(COUNTS | USER)
        traced.work("leave")
        traced.work(1234)
        traced.work("enter")
        user.end()
        traced.becomes(COUNTS)
        traced.work("leave")
        traced.work(500)
        user = Observer(traced, "user")
        traced.becomes(COUNTS | USER)
        traced.work(77)
        user.end()
        traced.becomes(COUNTS)
        traced.work(10)
        locks.end()
        traced.end()
        found = executions(traced.trace)
        same(found["step", "construct"], 1234 + 77, "regions while somebody needed them")
        same(found["!$omp critical", "acquire"], 1000 + 1234 + 500 + 77 + 10, "critical sections")


@pytest.mark.parametrize("pair", ["locks", "lock-waiting"])
def test_what_is_not_needed_is_not_measured_time(pair):
    """A thread that is in no wait that is measured may do anything."""
    with Dormant() as traced:
        observer = Observer(traced, pair)
        traced.work(1000)
        observer.end()
        traced.end()
        for thread in json.loads(heddle("states", "--json", traced.trace).out)["threads"]:
            known = thread["run"]["ticks"] + thread["idle"]["ticks"]
            check(known * 20 < thread["lifetime"]["ticks"] < thread["unmeasured"]["ticks"] * 2, f"time that is known: {thread}")


def test_observers_need_together():
    with Dormant() as traced:
        first, second = Observer(traced, "locks"), Observer(traced, "parallel-regions")
        traced.becomes(REGIONS | COUNTS)
        second.end(signal.SIGKILL)
        traced.becomes(COUNTS)
        traced.work(100)
        all_of_it = subprocess.Popen([HEDDLE, "live", "--plain", "--interval", "20ms", traced.pid], stdout=subprocess.DEVNULL)
        traced.becomes(ALL)
        all_of_it.kill()
        all_of_it.wait()
        traced.becomes(COUNTS)
        first.end()
        traced.becomes(0)
        traced.end()


def test_killed_observers_leave_the_program_as_it_was():
    choose = random.Random(3)
    with Dormant() as traced:
        for _ in range(OBSERVERS):
            pairs = choose.sample(["locks", "parallel-regions", "barriers", "run-time", "tasks", "loops@phases.c"], 2)
            command = [HEDDLE, "live", "--interval", "10ms", "--pair", pairs[0], "--pair", pairs[1], traced.pid]
            observer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            traced.send("100")
            time.sleep(choose.random() * 0.03)
            observer.kill()
            observer.wait()
            same(traced.process.stdout.readline(), "done: 100\n", "what the program prints")
        traced.becomes(0)
        observer = Observer(traced, "locks")
        traced.becomes(COUNTS)
        observer.end()
        traced.becomes(0)
        traced.end()


def test_start_measures_all_of_a_dormant_program():
    with Dormant() as traced:
        observer = Observer(traced, "locks")
        traced.switch(True)
        same(traced.page()[0], ALL, "what is measured")
        traced.work(7)
        traced.switch(False)
        traced.becomes(COUNTS)
        observer.end()
        traced.becomes(0)
        traced.end()
        found = executions(traced.trace)
        check(found["!$omp parallel", "construct"] in (7, 8), f"regions of the stretch: {found}")


def test_a_trace_of_chosen_threads():
    """The others have a life, in which nothing was measured; the sums are of all."""
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(3000)
        said = heddle("start", "--threads", "*thread 1*", traced.pid)
        same((said.status, said.err, said.out), (0, "", f"tracing of phases [{traced.pid}] is on, for 1 thread\n"), "heddle start")
        traced.work(7)
        traced.switch(False)
        traced.work(3000)
        traced.end()
        trace = Trace(traced.trace)
        check_well_formed(trace)
        regions = {l.name: sum(e.kind == "Enter" and e.region.name.split(" @")[0] == "!$omp critical" for e in l.events) for l in trace.locations}
        same(sorted(regions.values()), [0, 7], f"critical sections in the trace: {regions}")
        same(executions(traced.trace)["!$omp critical", "hold"], 2 * 6007, "critical sections in the sums")


def test_nobody_has_such_a_name():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(1)
        said = heddle("start", "--threads", "nobody*", traced.pid)
        same((said.status, said.out, said.err.count("\n"), "no thread of process" in said.err), (1, "", 1, True), f"{said.err}")
        traced.end()


def test_each_form_has_the_pair():
    with Dormant() as traced:
        arguments = ["--interval", "20ms", "--pair", "locks@phases.c", "--pair", "lock-held", traced.pid]
        text = heddle("live", "--once", *arguments)
        same((text.status, text.err, text.out.count("locks@phases.c")), (0, "", 1), "text")
        document = json.loads(heddle("live", "--once", "--json", *arguments).out)
        same([pair["pair"] for pair in document["pairs"]], ["locks@phases.c", "lock-held"], "JSON")
        lines = list(csv.DictReader(io.StringIO(heddle("live", "--count", "3", "--csv", *arguments).out)))
        same(([line["pair"] for line in lines], lines[0]["count"]), (["locks@phases.c", "lock-held"] * 3, "0"), "CSV")
        metrics = heddle("live", "--openmetrics", *arguments).out
        check('heddle_pair_count{pair="locks@phases.c"} 0\n' in metrics and metrics.endswith("# EOF\n"), f"OpenMetrics: {metrics}")
        traced.end()


def test_a_program_is_started_dormant():
    done = subprocess.run([HEDDLE, "live", "--json", "--interval", "20ms", "--pair", "locks", "true"], capture_output=True, text=True)
    same(done.stdout, "", "a program that is no OpenMP program")
    listed = heddle("live", "--list-pairs", "--json")
    check("lock-waiting" in [row["metric"] for row in json.loads(listed.out)["metrics"]], f"--list-pairs: {listed}")


@pytest.mark.parametrize("pair", ["nonsense", "locks@", "run-time@file.c", "gc@member=1", "tasks-made@lock=a", "chunks@thread=", ""])
def test_wrong_pairs_cost_a_line(pair):
    done = heddle("live", "--pair", pair, "1")
    same((done.status, done.out, done.err.count("\n")), (2, "", 1), f"heddle live: {done.err}")


def test_an_older_page_is_refused():
    with Dormant() as traced:
        with open(traced.raw() + "control", "r+b") as file:
            file.seek(8)
            file.write(struct.pack("<I", 1))
        done = heddle("live", "--once", "--pair", "locks", traced.pid)
        same((done.status, done.err.count("\n"), "another version" in done.err), (1, 1, True), f"heddle live: {done.err}")
        traced.end()
