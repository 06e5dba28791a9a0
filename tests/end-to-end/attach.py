"""heddle attach and detach: a JVM that runs already is recorded for a while, and goes on as if nothing had been."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

from harness import BUILD, HEDDLE, PROGRAMS, check, directory, environment, heddle, jdks, programs_of, record, run, same
from java import JDKS, command
from trace import Trace, check_well_formed

AGENT = os.path.join(BUILD, "lib", "libheddle-jvmti.so")
JAVAS = jdks()


ATTACHES = int(os.environ.get("HEDDLE_TEST_ATTACHES", 2))
CYCLES = int(os.environ.get("HEDDLE_TEST_CYCLES", 10))
SEED = int(os.environ.get("HEDDLE_TEST_SEED", 1))


class Server:
    """The program, ready; leaves nothing behind."""

    def __init__(self, java, *options, under=(), busy=0, **settings):
        """under: a command that executes the JVM. busy: threads that contend and make garbage."""
        self.work = directory()
        self.stop_file = os.path.join(self.work, "stop")
        # A JVM in a PID namespace of its own warns when a JVM outside has its number: they share /tmp/hsperfdata_USER.
        own_number = ["-XX:-UsePerfData"] if under else []
        # A JVM of JDK 21 and later warns of agents that come late, unless an option allows them.
        self.process = subprocess.Popen([*under, java, "-XX:+EnableDynamicAgentLoading", *own_number, *options, "-cp",
                                         os.path.join(PROGRAMS, "attach"), "Server", self.stop_file, str(busy)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.work,
                                        env=environment(**settings))
        same(self.process.stdout.readline(), "ready\n", "the server's first line")

    def jvm(self):
        """Its process id; if commands stay to wait for it, the last descendant's."""
        pid = str(self.process.pid)
        while True:
            children = programs_of(pid)
            if not children:
                return pid
            pid = children[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def rounds(self):
        """The rounds of main and the workers; None while the file is just being written."""
        try:
            with open(self.stop_file + ".rounds") as file:
                line = file.read()
        except FileNotFoundError:
            line = ""
        return [int(count) for count in line.split()] if line.endswith("\n") else None

    def go_on(self, rounds):
        """Until each thread has waited that often from now on; how long it takes is the machine's affair."""
        first, now = None, None
        end = time.monotonic() + 60
        # The wait that goes on now is not from now on, and the file may be a round old.
        while first is None or now is None or min(n - f for n, f in zip(now, first)) < rounds + 2:
            check(time.monotonic() < end, f"the server stands still: {now} rounds, from {first}")
            time.sleep(0.01)
            now = self.rounds()
            first = first or now

    def stop(self):
        """Ends it as it wants to be ended. What it printed is what it prints without us."""
        with open(self.stop_file, "w"):
            pass
        out, err = self.process.communicate(timeout=60)
        same((self.process.returncode, out, err), (0, "done\n", ""), "status, stdout, stderr of the server")


def waits_of_workers(trace):
    check_well_formed(trace)
    counts = {}
    for location in trace.locations:
        if location.name.startswith("worker "):
            waits = [(r, b, e) for r, b, e in trace.spans(location) if r.name.startswith("Object.wait")]
            check(all("Server.java:" in r.name for r, _, _ in waits), f"waits without a place: {waits[:3]}")
            counts[location.name] = len(waits)
    return counts


def check_recorded(trace_directory, at_least):
    trace = Trace(trace_directory)
    counts = waits_of_workers(trace)
    sleeps = [r for l in trace.locations if l.name == "main" for r, _, _ in trace.spans(l) if r.name.startswith("Thread.sleep")]
    check(len(sleeps) >= at_least and all("Server.java:" in r.name for r in sleeps), f"sleeps of main: {sleeps[:3]}")
    same(sorted(counts), ["worker 0", "worker 1"], "workers")
    check(min(counts.values()) >= at_least, f"waits: {counts}, should be {at_least} or more")


@pytest.mark.parametrize("jdk", JAVAS)
def test_a_jvm_is_recorded_from_attach_to_detach(jdk):
    trace = os.path.join(directory(), "attached.heddle")
    with Server(JAVAS[jdk]) as server:
        pid = str(server.process.pid)
        begun = heddle("attach", "-o", trace, pid)
        same((begun.status, len(begun.tool_err)), (0, 1), f"heddle attach ({begun.err})")
        server.go_on(4)
        ended = heddle("detach", pid)
        same((ended.status, len(ended.tool_err)), (0, 1), f"heddle detach ({ended.err})")
        same(server.process.poll(), None, "the server's status: it should go on")
        check_recorded(trace, 3)
        check(not os.path.exists(os.path.join(trace, "raw")), "the raw trace is still there")
        again = heddle("detach", pid)
        same((again.status, len(again.tool_err)), (1, 1), f"detached from once ({again.err})")
        check("not being recorded" in again.err, again.err)
        server.stop()


def test_what_is_being_recorded_is_not_attached_to():
    """Its trace stays where it was asked for."""
    trace, other = (os.path.join(directory(), name) for name in ("attached.heddle", "other.heddle"))
    with Server("java") as server:
        pid = str(server.process.pid)
        same(heddle("attach", "-o", trace, pid).status, 0, "heddle attach")
        again = heddle("attach", "-o", other, "--live", pid)
        same((again.status, len(again.tool_err)), (1, 1), f"attached to while it is recorded ({again.err})")
        check("being recorded already" in again.err, again.err)
        server.go_on(4)
        same(heddle("detach", pid).status, 0, "heddle detach")
        server.stop()
    check_recorded(trace, 3)
    check(not os.path.exists(other), "there is another trace")


def what_a_process_holds(pid):
    """How many files it has open, and how many windows and other files of traces it has mapped."""
    with open(f"/proc/{pid}/maps") as maps:
        mapped = [line for line in maps if re.search(r"/(windows|process|control|chunks-\d+\.log)( \(deleted\))?$", line)]
    return len(os.listdir(f"/proc/{pid}/fd")), len(mapped)


# Options of attach.
WAYS = [[], ["--java", "stack=3"], ["--java", "sample=10ms"], ["--java", "internal=off,notes=off"], ["--java", "level=jvm,virtual=off"]]


@pytest.mark.parametrize("jdk", JAVAS)
def test_a_jvm_is_attached_to_again_and_again(jdk):
    """Each trace is as the first one is, with any options. The JVM keeps nothing of earlier traces, also of threads that have ended meanwhile."""
    random.seed(SEED)
    work, held = directory(), []
    with Server(JAVAS[jdk], busy=1) as server:
        pid = str(server.process.pid)
        for i in range(CYCLES):
            trace = os.path.join(work, f"{i}.heddle")
            begun = heddle("attach", "-o", trace, *WAYS[i % len(WAYS)], pid)
            same((begun.status, len(begun.tool_err)), (0, 1), f"heddle attach number {i} ({begun.err})")
            server.go_on(1)
            ended = heddle("detach", pid)
            same((ended.status, len(ended.tool_err)), (0, 1), f"heddle detach number {i} ({ended.err})")
            held.append(what_a_process_holds(pid))
            check_recorded(trace, 1)
            shutil.rmtree(trace)
            time.sleep(random.uniform(0, 0.05))
        server.stop()
    check(held[0][1] > 0, "no window is mapped")
    # A thread of the JVM's may record in one recording, and not in another.
    check(held[-1][0] <= held[0][0] + 2 and held[-1][1] <= held[0][1] + 4, f"files open and mapped after each detach: {held}")


def test_busy_jvms_go_on_after_attach_and_detach():
    """Each is attached to for the first time. The moments are random."""
    random.seed(SEED)
    for i in range(ATTACHES):
        java = JAVAS[sorted(JAVAS)[i % len(JAVAS)]]
        trace = os.path.join(directory(), "attached.heddle")
        with Server(java, busy=4) as server:
            pid = str(server.process.pid)
            time.sleep(random.uniform(0, 0.1))
            begun = heddle("attach", "-o", trace, pid)
            same((begun.status, len(begun.tool_err)), (0, 1), f"heddle attach number {i} ({begun.err})")
            time.sleep(random.uniform(0, 0.1))
            ended = heddle("detach", pid)
            same((ended.status, len(ended.tool_err)), (0, 1), f"heddle detach number {i} ({ended.err})")
            server.go_on(1)
            server.stop()
        check_well_formed(Trace(trace))
        shutil.rmtree(trace)


def test_live_recordings_and_others_follow_each_other():
    with Server("java") as server:
        pid = str(server.process.pid)
        for i in range(4):
            trace = os.path.join(server.work, f"{i}.heddle")
            live = ["--live"] if i % 2 == 0 else []
            same(heddle("attach", "-o", trace, *live, pid).status, 0, f"heddle attach {live} number {i}")
            started = heddle("start", pid)
            same(started.status, 0 if live else 1, f"heddle start ({started.err})")
            server.go_on(1)
            same(heddle("detach", pid).status, 0, f"heddle detach number {i}")
            check_recorded(trace, 1)
        server.stop()


def told(trace):
    done = heddle("info", "--json", trace)
    same((done.status, done.err), (0, ""), "heddle info")
    return json.loads(done.out)


def line_with(mark):
    with open(os.path.join(os.path.dirname(__file__), "..", "programs", "java", "Waiting.java")) as file:
        return next(number for number, line in enumerate(file, 1) if f"// mark: {mark}" in line)


def recorded_while_it_wakes(java, trace, again):
    """The program Waiting: attached to while its threads wait, woken, detached from. The moments: before and after attach, as it is woken, afterwards.
    again: it was attached to before, while they waited."""
    with subprocess.Popen([java, "-XX:+EnableDynamicAgentLoading", "-cp", os.path.join(PROGRAMS, "java"), "Waiting"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, env=environment()) as program:
        same(program.stdout.readline(), "ready\n", "the program's first line")
        if again:
            done = heddle("attach", "-o", trace + ".before", "--for", "50ms", str(program.pid))
            same(done.status, 0, f"heddle attach --for ({done.err})")
        before = time.monotonic()
        begun = heddle("attach", "-o", trace, str(program.pid))
        same(begun.status, 0, f"heddle attach ({begun.err})")
        attached = time.monotonic()
        time.sleep(0.3)
        wakes = time.monotonic()
        program.stdin.write("wake\n")
        program.stdin.flush()
        same(program.stdout.readline(), "woken\n", "the program's second line")
        woken = time.monotonic()
        ended = heddle("detach", str(program.pid))
        same(ended.status, 0, f"heddle detach ({ended.err})")
        program.communicate(timeout=60)
        same(program.returncode, 0, "status of the program")
    return before, attached, wakes, woken


@pytest.mark.parametrize("jdk", [*JAVAS, *(f"{jdk}.again" for jdk in JAVAS)])
def test_threads_that_wait_at_attach_are_there(jdk):
    """Each since then, and as long as it waited; also one that never wakes, and one that only runs."""
    path = os.path.join(directory(), "waiting.heddle")
    before, attached, wakes, woken = recorded_while_it_wakes(JAVAS[jdk.removesuffix(".again")], path, jdk.endswith(".again"))
    trace = Trace(path)
    check_well_formed(trace)
    names = [location.name for location in trace.locations]
    regions = {"waits": "Object.wait", "sleeps": "Thread.sleep", "parks": "park", "enters": "monitor enter", "for ever": "park"}
    for name in [*regions, "runs"]:
        same(names.count(name), 1, f"threads with the name {name} in {names}")
        spans = [(r.name, (e.time - b.time) / trace.ticks_per_second) for r, b, e in trace.spans(trace.locations[names.index(name)])
                 if r.name.partition(" @")[0] in regions.values()]
        if name == "runs":
            same(spans, [], f"waits of the thread that {name}")
            continue
        check(spans, f"{name} has no wait")
        region, lasted = spans[0]
        same(region, f"{regions[name]} @Waiting.java:{line_with(name)}", f"the wait of {name}")
        least, most = (wakes - attached, woken - before) if name != "for ever" else (woken - attached, 1e9)
        check(least - 1e-3 <= lasted <= most, f"{name} waited for {lasted} s, in the program {least} to {most} s")
    rows = {row["thread_name"]: row for row in json.loads(heddle("states", "--json", path).out)["threads"]}
    for name in "for ever", "runs":
        check(rows[name]["lifetime"]["seconds"] >= woken - attached, f"life of {name}: {rows[name]['lifetime']}")


@pytest.mark.parametrize("kernel", ["permitted", "refused"])
def test_a_jvm_is_recorded_for_a_time(kernel):
    """With the switches that the kernel reports; where it refuses, threads read sums themselves."""
    trace = os.path.join(directory(), "attached.heddle")
    contain = [os.path.join(BUILD, "tests", "end-to-end", "contain"), "seccomp", "--"] if kernel == "refused" else []
    with Server("java", busy=1) as server:
        done = run([*contain, HEDDLE, "attach", "-o", trace, "--for", "1500ms", server.jvm()])
        if done.status == 77:
            pytest.skip(done.err.strip())
        same((done.status, len(done.tool_err)), (0, 1), f"heddle attach ({done.err})")
        same(server.process.poll(), None, "the server's status: it should go on")
        server.stop()
    check_recorded(trace, 4)
    said = told(trace)
    account = {part["kind"]: part["percent"] for part in json.loads(heddle("why", "--json", trace).out)["account"]}
    check(account.get("runtime", 0) < 50, f"the JVM's own threads, of which nothing was seen, seem to run: {account}")
    if kernel == "refused":
        same(said.get("switches"), None, "switches")
        check(said["processor_readings"] > 0, "no thread read how long it had no processor")
    else: # as `heddle record` can have them here
        same("switches" in said, "switches" in told(record(command(min(JDKS), "Callers")).trace), "whether the kernel tells of switches")


def waits_for_signals(pid):
    """As `heddle attach --for` does once the agent records."""
    for file in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if os.readlink(file) == "anon_inode:[signalfd]":
                return True
        except FileNotFoundError: # closed meanwhile
            pass
    return False


def test_a_signal_ends_the_time():
    trace = os.path.join(directory(), "attached.heddle")
    with Server("java") as server:
        heddle_process = subprocess.Popen([HEDDLE, "attach", "-o", trace, "--for", "1000s", server.jvm()], stderr=subprocess.PIPE, text=True,
                                          env=environment())
        while not waits_for_signals(heddle_process.pid):
            same(heddle_process.poll(), None, "heddle attach should wait")
            time.sleep(0.01)
        server.go_on(4)
        heddle_process.send_signal(signal.SIGINT)
        _, err = heddle_process.communicate(timeout=60)
        same((heddle_process.returncode, len(err.splitlines())), (0, 1), f"heddle attach ({err})")
        server.stop()
    check_recorded(trace, 3)


def test_a_time_is_one():
    for text in ("0s", "50%", "soon", ""):
        done = heddle("attach", "--for", text, "1")
        same((done.status, len(done.err.splitlines())), (2, 1), f"--for '{text}' ({done.err})")


def test_a_jvm_that_ends_before_detach_converts_by_itself():
    trace = os.path.join(directory(), "attached.heddle")
    with Server("java") as server:
        same(heddle("attach", "-o", trace, str(server.process.pid)).status, 0, "heddle attach")
        server.go_on(4)
        server.stop()
    check_recorded(trace, 3)


def test_jcmd_can_load_the_agent():
    jcmd = os.path.join(os.path.dirname(os.path.realpath(JAVAS[min(JAVAS)])), "jcmd")
    if not os.path.exists(jcmd):
        pytest.skip("this JDK has no jcmd")
    trace = os.path.join(directory(), "attached.heddle")
    with Server(JAVAS[min(JAVAS)]) as server:
        done = run([jcmd, str(server.process.pid), "JVMTI.agent_load", AGENT, f'"dir={trace}"'])
        same(done.status, 0, f"jcmd ({done.out}{done.err})")
        server.go_on(4)
        same(heddle("detach", str(server.process.pid)).status, 0, "heddle detach")
        server.stop()
    check_recorded(trace, 3)


def test_what_cannot_be_attached_to_is_said():
    for arguments, word in [(["999999999"], "process"), ([str(os.getpid())], "JVM"), (["x"], "process id")]:
        done = heddle("attach", "-o", os.path.join(directory(), "t"), *arguments)
        same(len(done.tool_err), 1, f"lines ({done.err})")
        check(done.status != 0 and word in done.err, f"{arguments}: {done.status}, {done.err}")
    with Server("java") as server:
        done = heddle("attach", "-o", "/proc/none", str(server.process.pid))
        check(done.status == 1 and done.err.startswith("heddle attach: /proc/none: "), f"a directory that cannot be made: {done.err}")
    with Server("java", "-XX:+DisableAttachMechanism") as server:
        trace = os.path.join(directory(), "t")
        done = heddle("attach", "-o", trace, str(server.process.pid))
        same((done.status, len(done.tool_err), os.path.exists(trace)), (1, 1, False), f"a JVM that does not answer ({done.err})")
        check("DisableAttachMechanism" in done.err, done.err)
        server.stop()


def container(*commands):
    """
    As a container: other process ids, and other files by the commands. What executes a program in it, to be put in front. The
    program's id differs from the ids of other tests, for in /tmp both may have files that are called after it.
    """
    user = [] if os.getuid() == 0 else ["--map-root-user"]
    under = ["unshare", *user, "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sh", "-c",
             " && ".join([f"echo {os.getpid()} >/proc/sys/kernel/ns_last_pid", *commands]) + ' && { "$@" & wait $!; }', "sh"]
    if subprocess.run([*under, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("no namespaces can be made here")
    return under


def test_a_jvm_in_a_container_is_recorded_into_what_both_see():
    trace = os.path.join(directory(), "attached.heddle")
    with Server("java", under=container()) as server:
        pid = server.jvm()
        same(heddle("attach", "-o", trace, pid).status, 0, "heddle attach")
        server.go_on(4)
        same(heddle("detach", pid).status, 0, "heddle detach")
        server.stop()
    check_recorded(trace, 3)


@pytest.mark.parametrize("what", ["directory", "agent"])
def test_what_a_container_does_not_see_is_said(what):
    trace = os.path.join(directory(), "hidden", "attached.heddle")
    os.makedirs(os.path.dirname(trace))
    hidden = os.path.dirname(trace if what == "directory" else AGENT)
    with Server("java", under=container(f"mount -t tmpfs none '{hidden}'")) as server:
        done = heddle("attach", "-o", trace, server.jvm())
        same((done.status, len(done.err.splitlines()), os.path.exists(trace)), (1, 1, False), f"status, lines, trace ({done.err})")
        check("container" in done.err and (trace if what == "directory" else AGENT) in done.err, done.err)
        server.stop()


def test_a_jvm_without_stdin_and_stderr_is_recorded():
    trace = os.path.join(directory(), "attached.heddle")
    with Server("java", under=["sh", "-c", 'exec "$@" <&- 2>&-', "sh"]) as server:
        begun = heddle("attach", "-o", trace, server.jvm())
        same(begun.status, 0, f"heddle attach ({begun.err})")
        server.go_on(4)
        same(heddle("detach", server.jvm()).status, 0, "heddle detach")
        server.stop()
    check_recorded(trace, 3)


# Takes each request at the socket where a JVM would, and answers as the test demands.
FAKE_JVM = """
import mmap, os, signal, socket, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
asked = [0, 0]
signal.signal(signal.SIGQUIT, lambda *_: asked.pop())
with open("libjvm.so", "w+b") as file:
    file.truncate(4096)
    mapping = mmap.mmap(file.fileno(), 4096)
path = f"/tmp/.java_pid{os.getpid()}"
listener = socket.socket(socket.AF_UNIX)
if os.path.exists(path): # of an earlier process with this number
    os.unlink(path)
if sys.argv[1] == "twice":
    print("ready", flush=True)
    while asked:
        signal.pause()
listener.bind(path)
listener.listen()
try:
    if sys.argv[1] != "twice":
        print("ready", flush=True)
    client, _ = listener.accept()
    if sys.argv[1] != "at once":
        request = b""
        while request.count(0) < 5:
            request += client.recv(1 << 20)
        answer = os.fsencode(sys.argv[2])
        try:
            client.sendall(answer)
            while sys.argv[1] == "endless":
                client.sendall(answer)
        except OSError:
            pass
    client.close()
finally:
    os.unlink(path)
"""


ANSWERS = {
    "closes at once": ("at once", "", "does not accept the request|did not answer|does not answer"),
    "closes after the request": ("once", "", "did not answer"),
    "answers in part": ("once", "0\n", "broke off its answer"),
    "loses a signal": ("twice", "0\n/nowhere was not loaded.\n", "cannot load the agent: /nowhere"),
    "answers something": ("once", "\x1b[31mHello\n\u20ac", "does not answer like a JVM: "),
    "cannot load": ("once", "0\n/no\x1bwhere was not loaded.\n", "cannot load the agent: /no"),
    "answers without end": ("endless", "0\n" + "\x1b" * 4000, "cannot load the agent: "),
    "answers without end or line": ("endless", "123456789", "cannot load the agent: error 123")}


@pytest.mark.parametrize("how", ANSWERS)
def test_whoever_answers_like_no_jvm_is_told_of(how):
    kind, answer, words = ANSWERS[how]
    trace = os.path.join(directory(), "t")
    with subprocess.Popen(["/usr/bin/python3", "-c", FAKE_JVM, kind, answer], stdout=subprocess.PIPE, text=True, cwd=directory()) as fake:
        try:
            same(fake.stdout.readline(), "ready\n", "the false JVM's line")
            done = heddle("attach", "-o", trace, str(fake.pid))
        finally:
            fake.terminate()
    same((done.status, len(done.err.splitlines()), os.path.exists(trace)), (1, 1, False), f"status, lines, trace ({done.err})")
    check(re.search(words, done.err), done.err)
    check(done.err.rstrip("\n").isprintable(), f"control characters: {done.err!r}")
