"""
A machine with other users: nothing that one of them has prepared changes what belongs to the caller, and nobody is kept waiting.
The tests are root, and prepare names as the user nobody would.
"""
import base64
import contextlib
import functools
import glob
import http.client
import json
import os
import pty
import re
import resource
import select
import shutil
import socket
import stat
import subprocess
import time
import urllib.parse
import zlib

import pytest
from harness import HEDDLE, check, directory, environment, heddle, once, record, run, same

BUILD = os.path.dirname(os.path.dirname(HEDDLE))
PROGRAMS = os.path.join(BUILD, "tests", "programs")
TOOL = os.path.join(BUILD, "lib", "libheddle-ompt.so")
LU = [os.path.join(PROGRAMS, "lu"), "20"]
NOBODY = 65534
KIB = 1024

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can prepare names as another user")


def as_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def place(owner=0, mode=0o755):
    """A directory to work in, which others can enter."""
    top = directory()
    os.chmod(top, 0o755)
    path = os.path.join(top, "here")
    os.mkdir(path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


PLACES = {"sticky": functools.partial(place, 0, 0o1777), "plain": functools.partial(place, NOBODY, 0o755), "open": functools.partial(place, 0, 0o777)}
in_each_place = pytest.mark.parametrize("where", PLACES)


class Victim:
    """A directory of root's, and a file in it."""

    def __init__(self):
        self.path = place(0, 0o700)
        self.file = os.path.join(self.path, "precious")
        with open(self.file, "w") as file:
            file.write("precious\n")
        os.chmod(self.file, 0o600)
        self.was = self.seen()

    def seen(self):
        return [(path, os.stat(path).st_uid, oct(os.stat(path).st_mode), os.stat(path).st_nlink) for path in (self.path, self.file)], sorted(os.listdir(self.path)), open(self.file).read()

    def is_unchanged(self):
        same(self.seen(), self.was, "what belongs to root")


def plant(path, kind, victim):
    """Makes a name as nobody would."""
    if kind == "link":
        os.symlink(victim.path, path)
    elif kind == "link to a file":
        os.symlink(victim.file, path)
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "FIFO":
        os.mkfifo(path)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def planting(where, program, kind, victim, suffix=""):
    """For preexec: the names that the process will choose by default in the next seconds, which others can predict."""
    def prepare():
        for seconds in range(int(time.time()) - 1, int(time.time()) + 4):
            plant(os.path.join(where, f"heddle-{program}-{seconds}-{os.getpid()}{suffix}"), kind, victim)
    return prepare


def only_trace(where, program):
    """The one directory that was made under another name."""
    made = [path for path in glob.glob(os.path.join(where, f"heddle-{program}-*")) if re.search(r"-[a-z2-7]{8}$", path)]
    same(len(made), 1, f"new directories in {sorted(os.listdir(where))}")
    status = os.lstat(made[0])
    check(stat.S_ISDIR(status.st_mode), f"{made[0]} is a directory")
    same((status.st_uid, status.st_mode & 0o022), (os.geteuid(), 0), "its owner, and rights of others")
    return made[0]


# --- The trace's directory ---


@needs_root
@pytest.mark.parametrize("kind", ["link", "directory", "link to a file", "FIFO"])
@in_each_place
def test_a_default_name_is_never_taken_over(where, kind):
    """Whatever fs.protected_symlinks says, which concerns sticky directories alone."""
    here, victim = PLACES[where](), Victim()
    done = run([HEDDLE, "record", "--", *LU], cwd=here, preexec=planting(here, "lu", kind, victim))
    same(done.status, 0, f"status ({done.err})")
    check(os.path.exists(os.path.join(only_trace(here, "lu"), "traces.otf2")), "there is an archive")
    victim.is_unchanged()


@needs_root
@pytest.mark.parametrize("kind", ["link", "directory"])
def test_a_default_name_of_a_program_without_the_command(kind):
    here, victim = place(0, 0o1777), Victim()
    done = run(LU, cwd=here, preexec=planting(here, "lu", kind, victim), OMP_TOOL_LIBRARIES=TOOL)
    same((done.status, len(done.own_err.splitlines())), (0, 1), f"status ({done.err})")
    check(os.path.exists(os.path.join(only_trace(here, "lu"), "traces.otf2")), "there is an archive")
    victim.is_unchanged()


REFUSED = {
    "of another user": lambda path, victim: (os.mkdir(path), os.chown(path, NOBODY, NOBODY), "belongs to another user"),
    "a link": lambda path, victim: (os.symlink(victim.path, path), "symbolic link"),
    "a link, with a slash": lambda path, victim: (os.symlink(victim.path, path), "symbolic link"),
    "for all": lambda path, victim: (os.mkdir(path), os.chmod(path, 0o777), "other users can write"),
    "for a group": lambda path, victim: (os.mkdir(path), os.chown(path, 0, NOBODY), os.chmod(path, 0o775), "other users can write"),
}


@needs_root
@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("how", ["record", "HEDDLE_DIR", "convert"])
def test_a_directory_of_others_is_refused(how, case):
    here, victim = place(), Victim()
    path = os.path.join(here, "trace")
    reason = REFUSED[case](path, victim)[-1]
    given = path + ("/" if "slash" in case else "")
    if how == "record":
        done = heddle("record", "-o", given, "--", *LU)
        same((done.status, done.out), (1, ""), "status and output: the program is not started")
    elif how == "HEDDLE_DIR":
        done = run(LU, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=given)
        same(done.status, 0, "the program's status")
    else:
        raw = os.path.join(here, "raw trace")
        same(heddle("record", "--no-convert", "-o", raw, "--", *LU).status, 0, "heddle record")
        done = heddle("convert", "-o", given, raw)
        same(done.status, 1, "status")
    same(len(done.tool_err), 1, f"lines ({done.err})")
    check(reason in done.err, f"the line says why: {done.err}")
    victim.is_unchanged()
    same(os.listdir(path), os.listdir(victim.path) if "link" in case else [], "what is in it")


ALLOWED = {
    "mine": lambda path: os.mkdir(path, 0o755),
    "for my own group": lambda path: (os.mkdir(path), os.chmod(path, 0o775)),
    "sticky": lambda path: (os.mkdir(path), os.chmod(path, 0o1777)),
    "new": lambda path: None,
    "new, with a slash": lambda path: None,
}


@pytest.mark.parametrize("case", ALLOWED)
def test_a_directory_of_ones_own_is_taken(case):
    path = os.path.join(place(), "trace")
    ALLOWED[case](path)
    done = heddle("record", "-o", path + ("/" if "slash" in case else ""), "--", *LU)
    same(done.status, 0, f"status ({done.err})")
    check(os.path.exists(os.path.join(path, "traces.otf2")), "there is an archive")


def test_new_directories_are_not_for_groups():
    path = os.path.join(place(), "trace")
    done = run([HEDDLE, "record", "-o", path, "--", *LU], preexec=lambda: os.umask(0o002))
    same((done.status, oct(os.stat(path).st_mode & 0o777)), (0, "0o755"), f"status, and rights ({done.err})")


@needs_root
@pytest.mark.parametrize("kind", ["raw", "kernel", "topology.xml"])
def test_what_was_prepared_in_a_sticky_directory_is_not_used(kind):
    path, victim = place(0, 0o1777), Victim()
    plant(os.path.join(path, kind), "link to a file" if kind == "topology.xml" else "link", victim)
    done = run(LU, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=path) if kind == "raw" else heddle("record", "-o", path, "--", *LU)
    same("cannot write to the trace directory" in done.err, kind == "raw", done.err)
    victim.is_unchanged()


@needs_root
@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_link_topology_xml_is_replaced(kind):
    path, victim = place(), Victim()
    (os.symlink if kind == "symbolic" else os.link)(victim.file, os.path.join(path, "topology.xml"))
    links = os.stat(victim.file).st_nlink
    done = heddle("record", "-o", path, "--", *LU)
    same(done.status, 0, f"status ({done.err})")
    same((open(victim.file).read(), os.stat(victim.file).st_nlink), ("precious\n", 1), f"the file, and its names (there were {links})")
    check(open(os.path.join(path, "topology.xml")).read().startswith("<?xml"), "the topology is there")


@needs_root
def test_force_removes_a_link_and_nothing_behind_it():
    path, victim = place(), Victim()
    for name in ("traces", "raw", "kernel"):
        os.symlink(victim.path, os.path.join(path, name))
    done = heddle("record", "--force", "-o", path, "--", *LU)
    same(done.status, 0, f"status ({done.err})")
    victim.is_unchanged()


@needs_root
def test_a_converter_writes_nowhere_else_while_names_change():
    """The directory is nobody's: root converts what nobody recorded."""
    path, victim = place(NOBODY), Victim()
    made = run([HEDDLE, "record", "--no-convert", "-o", os.path.join(path, "t"), "--", *LU], preexec=as_nobody)
    same(made.status, 0, f"heddle record ({made.err})")
    swapper = subprocess.Popen(["/usr/bin/python3", "-c", SWAP_PARTS, os.path.join(path, "t"), victim.path], preexec_fn=as_nobody)
    try:
        for _ in range(3):
            done = heddle("convert", "--keep-raw", os.path.join(path, "t"))
            check(done.status in (0, 1), f"status ({done.err})")
    finally:
        swapper.kill()
        swapper.wait()
    victim.is_unchanged()


SWAP_PARTS = """
import os, sys
trace, victim = sys.argv[1:]
while True:
    for name in os.listdir(trace):
        if name.startswith(".heddle"):
            try:
                os.rename(f"{trace}/{name}", f"{trace}/away-{name}")
                os.symlink(victim, f"{trace}/{name}")
            except OSError:
                pass
"""


def test_processes_share_a_directory_that_one_of_them_makes():
    path = os.path.join(place(), "trace")
    settings = environment(OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=path, HEDDLE_CONVERT="0")
    ranks = [subprocess.Popen(LU, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    errors = [rank.communicate()[1] for rank in ranks]
    check(not any("heddle" in error for error in errors), f"nothing is said: {errors}")
    same(len(os.listdir(os.path.join(path, "raw"))), 4, "processes")


# --- heddle live PROGRAM ---


def live_on_a_terminal(here, prepare, program):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(here)
        prepare()
        os.execve(HEDDLE, [HEDDLE, "live", *program], environment(TERM="screen-256color", LC_ALL="C.UTF-8"))
    said = b""
    with contextlib.suppress(OSError):
        while True:
            if select.select([terminal], [], [], 0.2)[0]:
                said += os.read(terminal, 65536)
            else:
                os.write(terminal, b"q")  # what was printed stays on the screen until then
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode(errors="replace")


@needs_root
@pytest.mark.parametrize("kind", ["link to a file", "FIFO", "directory"])
def test_the_output_of_a_program_on_a_screen_goes_into_a_new_file(kind):
    here, victim = place(0, 0o1777), Victim()
    status, said = live_on_a_terminal(here, planting(here, "lu", kind, victim, ".output"), LU)
    check("result: right" in said, f"the program's output is printed at the end: {status} {said[-500:]}")
    victim.is_unchanged()
    left = [name for name in os.listdir(here) if name.endswith(".output") and os.lstat(os.path.join(here, name)).st_uid == 0]
    same(left, [], "files of ours that are left")


@needs_root
def test_live_takes_another_directory_where_its_name_is_taken():
    here, victim = place(0, 0o1777), Victim()
    status, said = live_on_a_terminal(here, planting(here, "lu", "link", victim), LU)
    check("result: right" in said, f"the program runs: {status} {said[-500:]}")
    only_trace(here, "lu")
    victim.is_unchanged()


# --- Outputs ---


@needs_root
@pytest.mark.parametrize("kind", ["symbolic", "hard"])
def test_a_list_that_is_saved_replaces_a_link(kind):
    here, victim = place(), Victim()
    path = os.path.join(here, "steps.txt")
    (os.symlink if kind == "symbolic" else os.link)(victim.file, path)
    done = heddle("transform", "--filter-time", "1%", "--save-list", path)
    same((done.status, open(path).read()), (0, "filter-time 1%\n"), f"status, and the list ({done.err})")
    same(open(victim.file).read(), "precious\n", "the file behind the link")


@once
def recorded():
    done = record(LU)
    same(done.status, 0, f"heddle record ({done.err})")
    return done.trace


@needs_root
def test_an_output_that_is_a_pipe_of_another_user_is_refused():
    path = os.path.join(place(0, 0o1777), "states.csv")
    os.mkfifo(path, 0o622)
    os.chown(path, NOBODY, NOBODY)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    done = heddle("export", "--to", "csv", "-o", path, recorded())
    os.close(reader)
    same((done.status, len(done.tool_err)), (1, 1), f"status and lines ({done.err})")
    check("pipe of another user" in done.err, done.err)


@needs_root
def test_a_link_of_another_user_to_a_pipe_is_replaced():
    here = place(0, 0o1777)
    os.mkfifo(os.path.join(here, "pipe"), 0o622)
    path = os.path.join(here, "page.html")
    os.symlink("pipe", path)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    done = heddle("export", "--to", "csv", "-o", path, recorded())
    same((done.status, os.path.islink(path)), (0, False), f"status, and whether it is a link ({done.err})")


def test_an_output_that_is_ones_own_pipe_is_written():
    path = os.path.join(place(), "pipe")
    os.mkfifo(path)
    reader = subprocess.Popen(["/bin/cat", path], stdout=subprocess.PIPE, text=True)
    same(heddle("export", "--to", "csv", "-o", path, recorded()).status, 0, "status")
    check(len(reader.communicate()[0].splitlines()) > 10, "the output comes through the pipe")
    done = subprocess.run(["/bin/sh", "-c", f"{HEDDLE} export --to csv -o /dev/stdout {recorded()} | cat"], capture_output=True, text=True, check=False)
    check(len(done.stdout.splitlines()) > 10, f"the output comes through the shell's pipe: {done.stderr}")


# --- Attaching ---

AGENT = os.path.join(BUILD, "lib", "libheddle-jvmti.so")


class Jvm:
    """A JVM of nobody's, in a directory of its own."""

    def __init__(self, work=None):
        self.work = work or place(NOBODY)
        stop = os.path.join(place(NOBODY), "stop")
        self.process = subprocess.Popen(["java", "-XX:+EnableDynamicAgentLoading", "-Xint", "-XX:TieredStopAtLevel=1", "-cp", os.path.join(PROGRAMS, "attach"), "Server", stop, "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.work, preexec_fn=as_nobody, env=environment())
        same(self.process.stdout.readline(), "ready\n", "the JVM's first line")
        self.pid = str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        for path in (f"/tmp/.attach_pid{self.pid}", f"/tmp/.java_pid{self.pid}"):
            with contextlib.suppress(OSError):
                os.unlink(path)


needs_java = pytest.mark.skipif(not shutil.which("java") or not os.path.exists(AGENT), reason="there is no JVM, or no agent")


def detached(pid, trace):
    done = heddle("detach", pid)
    same(done.status, 0, f"heddle detach ({done.err})")
    check(os.path.exists(os.path.join(trace, "traces.otf2")), "there is an archive")


@needs_root
@needs_java
def test_attach_takes_no_name_that_was_prepared():
    here, victim = place(0, 0o1777), Victim()
    with Jvm() as jvm:
        done = run([HEDDLE, "attach", jvm.pid], cwd=here, preexec=planting(here, "java", "link", victim))
        same(done.status, 0, f"heddle attach ({done.err})")
        made = [path for path in glob.glob(os.path.join(here, "heddle-java-*")) if not os.path.islink(path)]
        same((len(made), os.stat(made[0]).st_uid), (1, NOBODY), "the new directory, and its owner")
        victim.is_unchanged()
        detached(jvm.pid, made[0])
    victim.is_unchanged()


@needs_root
@needs_java
@pytest.mark.parametrize("given", [".", "own"])
def test_attach_gives_a_new_directory_only(given):
    here = place()
    os.mkdir(os.path.join(here, "own"))
    with Jvm() as jvm:
        done = run([HEDDLE, "attach", "-o", given, jvm.pid], cwd=here)
        same(done.status, 0, f"heddle attach ({done.err})")
        same([os.stat(os.path.join(here, path)).st_uid for path in (".", "own")], [0, 0], "the owner of what was there")
        made = glob.glob(os.path.join(here, given, "heddle-java-*"))
        same((len(made), os.stat(made[0]).st_uid), (1, NOBODY), "the new directory, and its owner")
        detached(jvm.pid, made[0])


SWAP = """
import os, sys
path, victim = sys.argv[1:]
print("ready", flush=True)
while True:
    try:
        os.rename(path, path + ".away")
        os.symlink(victim, path)
        break
    except OSError:
        pass
"""


@needs_root
@needs_java
@pytest.mark.parametrize("target", ["link", "directory of root's"])
def test_attach_below_a_directory_of_another_user_gives_nothing_of_roots(target):
    here, victim = place(NOBODY), Victim()
    path = os.path.join(here, "t")
    script = SWAP if target == "link" else SWAP.replace("os.symlink(victim, path)", "os.rename(os.path.join(os.path.dirname(path), 'kept'), path)")
    kept = os.path.join(here, "kept")
    os.mkdir(kept)
    with open(os.path.join(kept, "precious"), "w"):
        pass
    with Jvm() as jvm:
        swapper = subprocess.Popen(["/usr/bin/python3", "-c", script, path, victim.path], preexec_fn=as_nobody, stdout=subprocess.PIPE, text=True)
        same(swapper.stdout.readline(), "ready\n", "the swapper")
        done = heddle("attach", "-o", path, jvm.pid)
        swapper.kill()
        swapper.communicate()
        check(done.status in (0, 1), f"heddle attach ({done.err})")
        victim.is_unchanged()
        there = kept if os.path.exists(kept) else path
        check(os.path.exists(os.path.join(there, "precious")), "the directory of root's is there")
        same(os.stat(there).st_uid, 0, "its owner")


@needs_root
@needs_java
def test_nothing_is_left_where_attaching_fails():
    here = place()
    with Jvm(work="/") as jvm:  # where it can't write: it looks into /tmp
        request = f"/tmp/.attach_pid{jvm.pid}"
        with open(request, "w"):
            pass
        begin = time.monotonic()
        for options in ([], ["-o", "a/b/t"], ["-o", "."]):
            done = run([HEDDLE, "attach", *options, jvm.pid], cwd=here)
            same((done.status, len(done.tool_err), os.listdir(here)), (1, 1, []), f"status, lines, and what is left ({done.err})")
            check(f"attach_pid{jvm.pid} belongs to another user (uid 0)" in done.err, done.err)
        check(time.monotonic() - begin < 15, "it is reported at once")
        same((os.stat(here).st_uid, os.path.exists(request)), (0, True), "the owner of the directory, and what another one made")


@needs_root
@needs_java
def test_a_foreign_file_in_tmp_does_not_matter_where_the_jvm_has_its_own_directory():
    here = place()
    with Jvm() as jvm:
        with open(f"/tmp/.attach_pid{jvm.pid}", "w"):
            pass
        done = run([HEDDLE, "attach", "-o", "t", jvm.pid], cwd=here)
        same(done.status, 0, f"heddle attach ({done.err})")
        same(os.listdir(jvm.work), [], "what is left in the JVM's directory")
        detached(jvm.pid, os.path.join(here, "t"))


# --- The web server ---


class Server:
    """heddle view."""

    def __init__(self):
        if heddle("view", "--help").status != 0:
            pytest.skip("this build has no view")
        self.process = subprocess.Popen([HEDDLE, "view", recorded()], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())
        line = self.process.stdout.readline()
        parts = urllib.parse.urlparse(re.search(r"http://\S+", line)[0])
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def slow(self):
        """A connection whose request is never whole."""
        connection = socket.create_connection((self.host, self.port))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        return connection

    def get(self, what="", **headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request("GET", self.path + what, headers={key.replace("_", "-"): value for key, value in headers.items()})
        answer = connection.getresponse()
        answer.read()
        return answer.status


def test_slow_connections_keep_nobody_out():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    try:
        with Server() as server:
            slow = [server.slow() for _ in range(600)]
            begin = time.monotonic()
            same(server.get(), 200, "status of the owner's request")
            passed = time.monotonic() - begin
            for connection in slow:
                connection.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    check(passed < 8, f"the owner's request took {passed} s, as if it had waited for a slow one to end")


def test_a_request_that_is_not_whole_ends():
    """Although something comes now and then, by which no time without any passes."""
    with Server() as server:
        slow = server.slow()
        slow.settimeout(1)
        begin = time.monotonic()
        ended = False
        while not ended and time.monotonic() - begin < 40:
            try:
                slow.sendall(b"x")
                ended = slow.recv(100) == b""
            except TimeoutError:
                pass
            except OSError:
                ended = True
        passed = time.monotonic() - begin
        check(ended and 9 < passed < 25, f"it ended after {passed} s")


@pytest.mark.parametrize("headers, status", [({}, 200), ({"Origin": "own"}, 200), ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403),
                                             ({"Sec_Fetch_Site": "same-origin"}, 200), ({"Sec_Fetch_Site": "cross-site"}, 403)])
def test_what_other_pages_ask_for_is_refused(headers, status):
    with Server() as server:
        headers = {key: f"http://{server.host}:{server.port}" if value == "own" else value for key, value in headers.items()}
        same(server.get("blob?run=0&offset=0&bytes=0", **headers), status, f"status with {headers}")
        same(server.get("", Sec_Fetch_Site="cross-site"), 200, "a link to the page")


# --- Secrets ---


def info(trace):
    return json.loads(heddle("info", "--json", trace).out)


def test_of_the_environment_only_known_names_are_kept():
    done = record(LU, OMP_SCHEDULE="dynamic", OMP_SECRET="hunter2", KMP_TOKEN="hunter2", GOMP_KEY="hunter2", HEDDLE_PASSWORD="hunter2", HEDDLE_VERBOSE="0")
    kept = {row["variable"]: row["value"] for row in info(done.trace)["environment"]}
    same({name: kept.get(name) for name in ("OMP_SCHEDULE", "HEDDLE_VERBOSE")}, {"OMP_SCHEDULE": "dynamic", "HEDDLE_VERBOSE": "0"}, "known ones")
    check("hunter2" not in str(kept), f"others: {kept}")
    for path in glob.glob(os.path.join(done.trace, "**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                check(b"hunter2" not in file.read(), f"{path} has it")


@pytest.mark.parametrize("how", ["option", "environment"])
def test_the_program_is_kept_without_its_arguments(how):
    done = record(LU, *(["--no-command"] if how == "option" else []), **({} if how == "option" else {"HEDDLE_COMMAND": "off"}))
    same(info(done.trace)["command"], LU[0], "the command")
    same(info(recorded())["command"], " ".join(LU), "the command, as by default")


def texts_of(page):
    """What a page has compressed."""
    found = []
    for packed in re.findall(r">\s*([A-Za-z0-9+/]{40,}={0,2})\s*<", page):
        with contextlib.suppress(zlib.error):
            found.append(zlib.decompressobj(-zlib.MAX_WBITS).decompress(base64.b64decode(packed)).decode(errors="replace"))
    check(any("ticks_per_second" in text for text in found), "the page has documents")
    return page + "".join(found)


def test_pages_show_the_programs_name_by_default():
    page = os.path.join(place(), "page.html")
    command = " ".join(LU)
    for options, shown in ([], False), (["--command"], True):
        done = heddle("report", *options, "-o", page, recorded())
        if "no report" in done.err or done.status == 2:
            pytest.skip(f"this build has no report: {done.err}")
        same(done.status, 0, f"heddle report ({done.err})")
        with open(page) as file:
            same(command in texts_of(file.read()), shown, f"whether the page has the command line, with {options}")


@pytest.mark.parametrize("form", ["chrome", "csv", "paje", "perfetto", "paraver"])
def test_exports_have_no_command_line(form):
    at = place()
    done = heddle("export", "--to", form, "-o", os.path.join(at, "out"), recorded())
    same(done.status, 0, f"heddle export ({done.err})")
    for name in os.listdir(at):
        with open(os.path.join(at, name), "rb") as file:
            check(" ".join(LU).encode() not in file.read(), f"{name} has the command line")


# --- Lists of transforms ---


def sequence():
    path = os.path.join(place(), "run.pes")
    same(heddle("pes", "-o", path, recorded()).status, 0, "heddle pes")
    return path


@once
def plugin():
    """Says that it was loaded, and ends the process."""
    source = os.path.join(place(), "plugin.c")
    with open(source, "w") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void load(void) { puts(\"loaded\"); exit(7); }\n")
    library = source.replace(".c", ".so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


@pytest.mark.parametrize("case, options, loaded", [
    ("a list", ["--list", "LIST", "-o", "OUT"], False),
    ("a list, allowed", ["--list", "LIST", "--plugins", "-o", "OUT"], True),
    ("a list, only previewed", ["--list", "LIST", "--preview"], False),
    ("a list, previewed", ["--list", "LIST", "--plugins", "--preview"], False),
    ("a list beside a comparison", ["--list", "LIST", "--plugins", "--compare", "OTHER"], False),
    ("a list to compare with", ["--plugins", "--filter-time", "1%", "--compare", "LIST"], False),
    ("a list only to compare with", ["--filter-time", "1%", "--compare", "LIST"], False),
    ("the command line", ["--plugin", "PLUGIN", "-o", "OUT"], True)])
def test_lists_load_plug_ins_only_when_they_may(case, options, loaded):
    here = place()
    names = {"LIST": os.path.join(here, "steps.txt"), "OTHER": os.path.join(here, "other.txt"), "OUT": os.path.join(here, "out.pes"), "PLUGIN": plugin()}
    with open(names["LIST"], "w") as file:
        file.write(f"plugin {plugin()}\n")
    with open(names["OTHER"], "w") as file:
        file.write("filter-time 1%\n")
    done = heddle("transform", *[names.get(word, word) for word in options], sequence())
    same(("loaded" in done.out, done.status == 7), (loaded, loaded), f"{case}: whether the plug-in was loaded ({done.status}, {done.out}{done.err})")
    if not loaded:
        same(len(done.tool_err), 1, f"lines ({done.err})")


# --- Limits ---


def with_limit(which, soft):
    return lambda: resource.setrlimit(which, (soft, soft))


@pytest.mark.parametrize("kib", [32, 64, 128, 256])
def test_a_small_stack_is_enough(kib):
    trace = os.path.join(place(), "t")
    limit = with_limit(resource.RLIMIT_STACK, kib * KIB)
    done = run([HEDDLE, "record", "-o", trace, "--keep-raw", "--", *LU], preexec=limit)
    plain = run(LU, preexec=limit, OMP_NUM_THREADS="2")
    same((done.status, done.out), (plain.status, plain.out), f"status and output ({done.err})")
    for arguments in (["states", trace], ["report", "-o", trace + ".html", trace], ["imbalance", trace], ["convert", "-o", trace + ".again", trace]):
        same(run([HEDDLE, *arguments], preexec=limit).status, 0, f"status of heddle {arguments[0]}")


@pytest.mark.parametrize("how", ["by the command", "by the program"])
def test_a_converter_that_ends_by_a_signal_is_named_as_such(how):
    converter = os.path.join(place(), "converter")
    with open(converter, "w") as file:
        file.write("#!/bin/sh\nkill -SEGV $$\n")
    os.chmod(converter, 0o755)
    trace = os.path.join(place(), "t")
    if how == "by the command":
        done = run([HEDDLE, "record", "-o", trace, "--", *LU], HEDDLE_CONVERTER=converter)
    else:
        done = run(LU, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace, HEDDLE_CONVERTER=converter)
    same((done.status, len(done.tool_err)), (0, 1), f"status and lines ({done.err})")
    check("signal 11" in done.err and "raw trace stays" in done.err, done.err)


@pytest.mark.parametrize("files", [4, 5, 8, 12, 16])
def test_a_program_with_few_descriptors_runs_plainly(files):
    limit = with_limit(resource.RLIMIT_NOFILE, files)
    done = run([HEDDLE, "record", "--", *LU], cwd=place(), preexec=limit)
    plain = run(LU, preexec=limit)
    same((done.status, done.out), (plain.status, plain.out), f"status and output ({done.err})")
    check(len(done.tool_err) == 1 and "not recorded" in done.err, done.err)
    failed = run([HEDDLE, "record", "--", "/nonexistent"], preexec=limit)
    same(failed.status, 127, f"status of a program that is not there ({failed.err})")


@pytest.mark.parametrize("kib", [60000, 100000])
@pytest.mark.parametrize("threads", [2, 8])
def test_a_limit_on_the_address_space_leaves_the_program_its_own(kib, threads):
    limit = with_limit(resource.RLIMIT_AS, kib * KIB)
    # The first thread that allocates gets 64 MiB from glibc, and the last one no stack: which is first is chance.
    settings = {"OMP_NUM_THREADS": str(threads), "KMP_STACKSIZE": "4m", "MALLOC_ARENA_MAX": "1"}
    plain = run(LU, preexec=limit, **settings)
    done = run([HEDDLE, "record", "-o", os.path.join(place(), "t"), "--", *LU], preexec=limit, **settings)
    same((done.status, done.out), (plain.status, plain.out), f"status and output ({done.err})")


# --- Small ---


@pytest.mark.parametrize("character", ["\u00ad", "\u180e", "\U000e0001", "\U000e0041", "\U000e007f", "\x1b"])
def test_characters_that_nobody_sees_are_escaped(character):
    shown = "".join(f"\\x{byte:02x}" for byte in character.encode())
    done = heddle("states", f"a{character}b")
    check(f"a{shown}b" in done.err and character not in done.err, f"the message: {done.err!r}")
    done = heddle(f"a{character}b")
    check(f"heddle a{shown}b: there is no such command" in done.err, f"an unknown command: {done.err!r}")


def test_a_command_with_a_typing_error_is_guessed():
    for typed, meant in (("stats", "states"), ("sates", "states"), ("imbalanc", "imbalance"), ("lokcs", "locks"), ("xyzzy", None), ("", None), ("s" * 5000, None)):
        done = heddle(typed)
        same((done.status, done.out, len(done.err.splitlines())), (2, "", 1), f"heddle {typed[:20]}")
        same(f"did you mean {meant}?" in done.err, meant is not None, f"heddle {typed[:20]}: {done.err[:200]!r}")


def test_characters_beside_them_are_shown():
    for character in "\u00ac\u00ae\u180f\u1810\U000e0100\U000f0000\u00e4":
        check(f"a{character}b" in heddle("states", f"a{character}b").err, f"U+{ord(character):04X}")
