"""
heddle start, stop and snapshot: a running program is traced for stretches of its run. These have what the program did in them and
nothing else, the program goes on as without, and files don't grow meanwhile. Observers may be killed, or write nonsense.
"""
import array
import collections
import glob
import json
import mmap
import os
import random
import signal
import subprocess
import time

import pytest

import java
from attach import JAVAS, Server
from harness import HEDDLE, ON_LIBGOMP, TOOL, Running, check, directory, environment, heddle, program, record, run, same
from profiles import executions
from trace import Trace, check_well_formed

MANY = 20000  # regions: their records fill a window several times
KILLED = 50   # observers


class Program(Running):
    """A program that works on command, in a trace directory; it leaves nothing behind."""

    def __init__(self, command=None, **settings):
        self.trace = os.path.join(directory(), "run.heddle")
        settings = {"HEDDLE_DIR": self.trace, "HEDDLE_BUDGET": "none", "OMP_TOOL_LIBRARIES": TOOL, **settings}
        self.process = subprocess.Popen(command or [program("phases")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=environment(**settings))
        self.pid = str(self.process.pid)

    def send(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def work(self, n):
        self.send(n)
        same(self.process.stdout.readline(), f"done: {n}\n", "what the program prints")

    def switch(self, on, trace_of=None):
        """trace_of: the program's name, if it differs from the command's."""
        done = heddle("start" if on else "stop", self.pid)
        name = trace_of or os.path.basename(self.process.args[0])
        same((done.status, done.out, done.err), (0, f"tracing of {name} [{self.pid}] is {'on' if on else 'off'}\n", ""), "heddle start or stop")

    def end(self, expected=None):
        out, err = self.process.communicate(timeout=300)
        same((self.process.returncode, err), (0, ""), "exit status and stderr")
        check(out.endswith("result: right\n"), f"the program's result: {out}")

    def raw(self):
        return glob.glob(os.path.join(self.trace, "raw", "*", ""))[0]

    def bytes(self):
        """Disk blocks: files have holes."""
        return sum(os.stat(path).st_blocks * 512 for path in glob.glob(self.raw() + "*"))


def calls(trace):
    """How often each construct is in the archive."""
    found = collections.Counter()
    for row in json.loads(heddle("states", "--by", "region", "--json", trace).out)["constructs"]:
        found[row["construct"].split(" @")[0]] += row["executions"]
    return found


def check_stretch(trace, regions):
    check_well_formed(Trace(trace))
    found = calls(trace)
    same((found["!$omp parallel"], found["!$omp critical"]), (2 * regions, 2 * regions), "members of regions and critical sections")


def test_the_archive_is_all_that_is_left():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(10)
        traced.switch(True)
        traced.end()
        check(os.path.exists(os.path.join(traced.trace, "traces.otf2")), "there is an archive")
        same(glob.glob(os.path.join(traced.trace, "raw*", "**"), recursive=True), [], "what is left of the raw recording")


def test_stretches_have_what_the_program_did_in_them():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(3000)
        for n in (7, 5):
            traced.switch(True)
            traced.work(n)
            traced.switch(False)
            traced.work(3000)
        traced.end()
        check_stretch(traced.trace, 12)
        found = executions(traced.trace)
        same((found["!$omp parallel", "construct"], found["!$omp critical", "hold"]), (9012, 2 * 9012), "sums of the whole run")


def test_a_stretch_may_be_longer_than_a_window():
    with Program(HEDDLE_LIVE="1", HEDDLE_WINDOW="16K") as traced:
        traced.work(MANY)
        traced.switch(True)
        traced.work(MANY)
        traced.switch(False)
        traced.work(MANY)
        traced.end()
        check_stretch(traced.trace, MANY)


def test_a_killed_program_has_its_stretch():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(MANY)
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(MANY)
        traced.process.kill()
        traced.process.communicate()
        same(heddle("convert", traced.trace).status, 0, "heddle convert")
        check_stretch(traced.trace, 7)


def test_nothing_is_written_while_no_trace_is_asked_for():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(MANY)
        before = traced.bytes()
        for _ in range(5):
            traced.work(MANY)
        same(traced.bytes(), before, "bytes of the raw trace")
        traced.end()
    same(executions(traced.trace)["!$omp parallel", "construct"], 6 * MANY, "sums")
    said = heddle("states", traced.trace)
    same((said.status, said.err), (0, ""), "heddle states")
    check("The archive is a profile" in said.out and "UNMEASURED" not in said.out, f"a trace that nobody asked for: {said.out}")


def test_a_paused_program_is_switched_on():
    with Program(HEDDLE_PAUSED="1") as traced:
        traced.work(3000)
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(3000)
        traced.end()
        check_stretch(traced.trace, 7)


def test_a_live_program_that_begins_paused_is_measured_when_asked():
    with Program(HEDDLE_LIVE="1", HEDDLE_PAUSED="1") as traced:
        traced.work(3000)
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(3000)
        traced.end()
        check_stretch(traced.trace, 7)
        same(executions(traced.trace)["!$omp parallel", "construct"], 7, "sums")


def snapshot(traced):
    path = os.path.join(directory(), "snapshot.heddle")
    done = heddle("snapshot", "-o", path, traced.pid)
    same((done.status, done.out), (0, ""), f"heddle snapshot: {done.err}")
    check(f"the snapshot is in {path}; next: heddle view {path}\n" in done.err, f"what heddle snapshot says: {done.err}")
    return path


def test_snapshots_have_what_is_recorded_so_far():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(3000)
        traced.switch(True)
        for n in (7, 5):
            traced.work(n)
            check_stretch(snapshot(traced), n if n == 7 else 12)
        traced.switch(False)
        traced.work(3000)
        check_stretch(snapshot(traced), 12)
        traced.end()
        check_stretch(traced.trace, 12)


def test_a_snapshot_of_a_ring_is_the_last_stretch():
    with Program(HEDDLE_RING="256K", HEDDLE_WINDOW="64K", HEDDLE_PAUSED="1") as traced:
        traced.work(1)
        traced.switch(True)
        traced.work(MANY)
        found = calls(snapshot(traced))
        check(0 < found["!$omp parallel"] < 2 * MANY, f"the ring keeps a part: {found}")
        traced.end()


def test_killed_observers_leave_the_program_as_it_was():
    choose = random.Random(1)
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(100)
        for i in range(KILLED):
            command = choose.choice([["start"], ["stop"], ["snapshot", "-o", os.path.join(directory(), "killed")]])
            observer = subprocess.Popen([HEDDLE, *command, traced.pid], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            traced.send("100")
            time.sleep(choose.random() * 0.02)
            observer.kill()
            observer.wait()
            same(traced.process.stdout.readline(), "done: 100\n", "what the program prints")
        traced.switch(False)
        before = traced.bytes()
        traced.work(MANY)
        check(traced.bytes() <= before + 4 * (128 << 10), "the trace is off and grows")  # each thread writes its last window
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.end()
        check_well_formed(Trace(traced.trace))


def test_nonsense_in_the_file_does_no_harm():
    choose = random.Random(2)
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(100)
        with open(traced.raw() + "control", "r+b") as file, mmap.mmap(file.fileno(), 4096) as page:
            good = page[:]
            for _ in range(200):
                for _ in range(50):
                    page[choose.randrange(64)] = choose.randrange(256)
                page[choose.randrange(4096)] = choose.randrange(256)
                traced.work(10)
            page[:8] = bytes(8)
            done = heddle("start", traced.pid)
            same((done.status, done.err.count("\n"), "another version" in done.err), (1, 1, True), f"heddle start: {done.err}")
            page[:24] = good[:24]
            traced.switch(False)
        traced.end()


def says(status, text, *arguments):
    done = heddle(*arguments)
    same((done.status, done.out, done.err.count("\n"), text in done.err), (status, "", 1, True), f"heddle {arguments}: {done.err}")


@pytest.mark.parametrize("command", ["start", "stop", "snapshot"])
def test_each_fault_costs_a_line(command):
    says(2, "is not a process id", command, "x")
    says(1, "there is no process", command, "2147483647")
    with subprocess.Popen(["sleep", "100"]) as other:
        says(1, "does not record: start it with `heddle record --live", command, str(other.pid))
        other.kill()
    with Program() as traced:
        traced.work(1)
        if command != "snapshot":
            says(1, "takes no requests: it was started neither with", command, traced.pid)
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(1)
        traced.process.send_signal(signal.SIGSTOP)
        if command != "snapshot":
            says(1, "has not answered within", command, traced.pid)
        traced.process.send_signal(signal.SIGCONT)


def test_another_users_process_is_refused():
    if os.getuid() != 0:
        pytest.skip("only root can be another user")
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(1)
        done = subprocess.run([HEDDLE, "start", traced.pid], capture_output=True, text=True, user=65534, group=65534, extra_groups=[],
                              env=environment())
        same((done.returncode, "belongs to another user" in done.stderr), (1, True), f"heddle start: {done.stderr}")


ACQUIRE, PROFILE_THREAD = 6, 57  # raw_trace.h
PROFILE_ROWS = {58: 49, 59: 50, 60: 12}  # their words


def rows_of_threads(raw):
    """The kind of row that each thread is in, as its profile says now."""
    with open(raw + "windows", "rb") as file:
        words = array.array("Q", file.read())
    window, found = words[1] >> 35, []  # in words
    for at in range(0, len(words), window):
        if words[at + 2] >> 63 == 0:
            continue
        rows, row_of, record = [], 0, at + 8
        while (kind := words[record] >> 56) == PROFILE_THREAD or kind in PROFILE_ROWS:
            if kind == PROFILE_THREAD:
                row_of = words[record + 3]
                record += 4
            else:
                rows.append(words[record] >> 52 & 15)
                record += PROFILE_ROWS[kind]
        found.append(rows[row_of])
    return found


def test_a_trace_in_another_mount_namespace_is_found():
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    private = directory()
    trace = os.path.join(private, "run.heddle")
    command = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs none {private} && exec {program('phases')}"]
    with Program(command, HEDDLE_LIVE="1", HEDDLE_DIR=trace) as traced:
        traced.work(100)
        check(not os.path.exists(trace), "the trace can be seen from outside")
        traced.switch(True, trace_of="phases")
        traced.work(7)
        traced.switch(False, trace_of="phases")
        check_stretch(snapshot(traced), 7)
        traced.end()


def test_an_observer_sees_in_what_a_thread_waits():
    """The profile of a thread that waits has the wait as its row, also if the thread records nothing meanwhile."""
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(100)
        time.sleep(0.05)  # the profile gets older than a begin of a wait lets it be
        traced.send("wait")
        same(traced.process.stdout.readline(), "waiting\n", "what the program prints")
        seen_until = time.monotonic() + 20
        while ACQUIRE not in rows_of_threads(traced.raw()) and time.monotonic() < seen_until:
            time.sleep(0.01)  # thread 1 is on its way to the critical section
        rows = rows_of_threads(traced.raw())
        check(ACQUIRE in rows, f"rows that threads are in: {rows}")
        traced.send("go on")
        same(traced.process.stdout.readline(), "waited\n", "what the program prints")
        traced.end()


def test_the_thread_is_none_of_the_programs():
    with Program(HEDDLE_LIVE="1") as traced:
        traced.work(10)
        for _ in range(1000):  # it names itself
            names = [open(path).read() for path in glob.glob(f"/proc/{traced.pid}/task/*/comm")]
            if "heddle-live\n" in names:
                break
            time.sleep(0.01)
        same(names.count("heddle-live\n"), 1, f"threads {names}")
        traced.switch(True)
        traced.work(10)
        traced.end()
    same([l.name for l in Trace(traced.trace).locations if "heddle" in l.name], [], "locations of ours")


@pytest.mark.parametrize("how", ["return", "exit", "exit_in_region", "fast_exit", "exit_in_worker", "quick_exit", "abort", "segv", "sigterm", "handled_sigterm", "no_openmp", "main_thread_ends"])
def test_programs_end_as_without(how):
    command = [program("endings"), how]
    plain, live = run(command), run(command, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_LIVE="1", HEDDLE_DIR=os.path.join(directory(), "run.heddle"))
    same((live.status, live.out, live.err), (plain.status, plain.out, plain.err), "status and output")


def test_a_forks_child_is_traced_for_itself():
    with Program(HEDDLE_LIVE="1") as traced:
        if not ON_LIBGOMP:  # whose children have no threads any more
            traced.work(100)
        traced.send("fork")
        traced.pid = traced.process.stdout.readline().removeprefix("child: ").strip()
        traced.work(3000)
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(3000)
        if not ON_LIBGOMP:
            same(len(glob.glob(os.path.join(traced.trace, "raw", "*", "control"))), 2, "control files")
        traced.end()
        check_stretch(traced.trace, 7)


@pytest.mark.parametrize("jdk", java.JDKS)
def test_a_jvm_is_traced_for_stretches(jdk):
    command = java.command(jdk, "Phases", options=[f"-agentpath:{java.AGENT}=level=jvm"])
    with Program(command, HEDDLE_LIVE="1") as traced:
        traced.work(3000)
        before = traced.bytes()
        traced.work(60000)
        check(traced.bytes() <= before + (1 << 20), "files grow")
        traced.switch(True)
        traced.work(7)
        traced.switch(False)
        traced.work(3000)
        check_well_formed(Trace(snapshot(traced)))
        traced.end()
        trace = Trace(traced.trace)
        check_well_formed(trace)
        same(calls(traced.trace)["park"], 7, "waits in the stretch")
        check(any("main" in l.name for l in trace.locations), f"names of threads: {[l.name for l in trace.locations]}")


@pytest.mark.parametrize("jdk", JAVAS)
def test_an_attached_jvm_is_traced_for_stretches(jdk):
    with Server(JAVAS[jdk]) as server:
        trace = os.path.join(directory(), "run.heddle")
        done = heddle("attach", "--live", "-o", trace, server.jvm())
        same((done.status, done.out), (0, ""), f"heddle attach: {done.err}")
        time.sleep(0.2)
        for command in ("start", "stop"):
            done = heddle(command, server.jvm())
            same((done.status, done.err, done.out.endswith(f" is {'on' if command == 'start' else 'off'}\n")), (0, "", True), f"heddle {command}: {done.out}")
            time.sleep(0.2)
        same(heddle("detach", server.jvm()).status, 0, "heddle detach")
        check_well_formed(Trace(trace))
        check(sum(calls(trace)[wait] for wait in ("Thread.sleep", "Object.wait", "park", "monitor enter", "lock")) > 0, f"waits: {calls(trace)}")
