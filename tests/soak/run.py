"""
One run of the program: with Heddle or without, under the circumstances that the seed makes, and what came of it.
"""
import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time

import truth

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build"))
HEDDLE = os.path.join(BUILD, "bin", "heddle")
TOOL = os.path.join(BUILD, "lib", "libheddle-ompt.so")
GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
RUNTIMES = ["libgomp", "libomp"]
TIMEOUT = int(os.environ.get("SOAK_TIMEOUT", 90))  # seconds; nothing here takes a tenth of it on a machine that has other work
KIB = 1024

_libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x4000, 1 << 18, 2
PR_SET_CHILD_SUBREAPER = 36


def own_mounts():
    """A mount namespace of our own, so that what is mounted here is nobody else's. False: not allowed."""
    return _libc.unshare(CLONE_NEWNS) == 0 and _libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0


class Circumstances:
    """What the seed decides outside of the program. The same for both runs, but for how the trace is made."""

    def __init__(self, seed, runtime, may_mount, switches):
        draw = random.Random(f"circumstances {seed}")
        self.seed = seed
        self.runtime = runtime or RUNTIMES[seed % 2]
        self.actions = draw.randint(1, 16)
        self.threads = draw.randint(1, 4)
        self.how = draw.choice(["record", "environment", "environment", "later"])
        self.settings = {"HEDDLE_WINDOW": draw.choice(["16K", "16K", "64K", None])}
        self.kind = draw.choices(["plain", "killed", "small disk", "file size", "closed", "ring", "max size"],
                                 [20, 4, 2, 2, 2, 2, 2])[0]
        if self.kind in switches or (self.kind == "small disk" and not may_mount):
            self.kind = "plain"
        if self.kind == "small disk":
            self.how, self.disk = "later", draw.choice([64, 200, 1000, 4000])
        elif self.kind == "file size":
            self.file_size = draw.choice([1, 10, 60, 200]) * KIB
        elif self.kind == "closed":
            self.closed = draw.sample([0, 1, 2], draw.randint(1, 3))
        elif self.kind == "ring":
            self.settings["HEDDLE_RING"] = "64K"
        elif self.kind == "max size":
            self.settings["HEDDLE_MAX_SIZE"] = draw.choice(["64K", "256K", "1M"])
        elif self.kind == "killed":
            self.kill_after, self.kill_later = draw.randint(0, 8000), draw.uniform(0, 0.02)

    def in_child(self):
        """Between fork and exec of the run."""
        core = resource.RLIM_INFINITY if os.environ.get("SOAK_CORES") else 0
        resource.setrlimit(resource.RLIMIT_CORE, (core, resource.RLIM_INFINITY))
        if self.kind == "file size":
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_size, resource.RLIM_INFINITY))
        elif self.kind == "closed":
            for descriptor in self.closed:
                os.close(descriptor)

    def __str__(self):
        settings = " ".join(f"{k}={v}" for k, v in self.settings.items() if v)
        return f"{self.runtime}, {self.how}, {self.kind}, {self.actions} actions, {self.threads} threads, {settings}"


class Run:
    """A run that has ended: status (negative: signal), what it printed, what it counted."""

    def __init__(self, status, out, err, counts, hang=None):
        self.status, self.out, self.err, self.counts, self.hang = status, out, err, counts, hang

    @property
    def own_err(self):
        """Without Heddle's lines."""
        return b"".join(l for l in self.err.splitlines(True) if not l.startswith(b"heddle"))

    @property
    def tool_err(self):
        return [l.decode(errors="replace") for l in self.err.splitlines() if l.startswith(b"heddle")]


def processes_of(counts_path):
    """Ids of all processes of a run, with any parents: they have its file in their environment."""
    mark = f"SOAK_COUNTS={counts_path}\0".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read() + b"\0":
                    found.append(int(pid))
        except OSError:
            continue
    return found


def _kill_all(counts_path):
    for _ in range(20):
        left = processes_of(counts_path)
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)


def _where_it_hangs(counts_path):
    """What the processes of a run wait for, as far as it can be seen here."""
    said = []
    for pid in processes_of(counts_path):
        try:
            command = open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\0", b" ").decode()
            threads = {t: open(f"/proc/{pid}/task/{t}/wchan").read() for t in os.listdir(f"/proc/{pid}/task")}
        except OSError:
            continue
        said.append(f"[{pid}] {command}: {threads}")
        if shutil.which("gdb") and len(said) < 20:
            done = subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all bt 12"], capture_output=True,
                                  text=True, errors="replace", timeout=60)
            said += [l for l in done.stdout.splitlines() if l.startswith(("#", "Thread"))]
    return "\n".join(said)


class Place:
    """The directories of one seed. Other users find their way into them, for programs that become one."""

    def __init__(self, base, seed):
        self.path = os.path.join(base, str(seed))
        os.makedirs(self.path)
        os.chmod(self.path, 0o755)
        self.trace = os.path.join(self.path, "run.heddle")
        self.archive_at = self.trace
        self.disk = None

    def scratch(self, name):
        path = os.path.join(self.path, f"scratch.{name}")
        os.makedirs(path)
        os.chmod(path, 0o777)
        return path

    def mount(self, kib):
        self.disk = os.path.join(self.path, "disk")
        os.mkdir(self.disk)
        if _libc.mount(b"heddle-soak", self.disk.encode(), b"tmpfs", 0, f"size={kib}k,mode=777".encode()) != 0:
            raise OSError(ctypes.get_errno(), "mount")
        self.trace = os.path.join(self.disk, "run.heddle")
        self.archive_at = os.path.join(self.path, "archive")

    def remove(self):
        if self.disk:
            _libc.umount2(self.disk.encode(), MNT_DETACH)
        shutil.rmtree(self.path, ignore_errors=True)


def command_of(circumstances, options):
    program = os.path.join(BUILD, "tests", "soak", circumstances.runtime, "soak")
    return [program, str(circumstances.seed), "--actions", str(circumstances.actions), *options]


def environment_of(circumstances):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HEDDLE", "OMP_", "KMP_", "GOMP_", "LD_PRELOAD"))}
    return {**env, "OMP_NUM_THREADS": str(circumstances.threads), "OMP_WAIT_POLICY": "passive"}


def _traced(circumstances, place, command, env):
    settings = {k: v for k, v in circumstances.settings.items() if v}
    if circumstances.how == "record":
        return [HEDDLE, "record", "-o", place.trace, "--", *command], {**env, **settings}
    env = {**env, **settings, "OMP_TOOL_LIBRARIES": TOOL, "HEDDLE_DIR": place.trace}
    if circumstances.how == "later":
        env["HEDDLE_CONVERT"] = "0"
    if circumstances.runtime == "libgomp":
        env["LD_PRELOAD"] = GOMP
    return command, env


def adopt_orphans():
    """Processes whose parents end become this one's children: this process sees the end of each."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for_all(counts_path):
    """For processes that closed their outputs and go on, and for processes that they leave behind."""
    until = time.monotonic() + TIMEOUT
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if not processes_of(counts_path):
                return
            pid = 0
        if pid == 0:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("soak", TIMEOUT)
            time.sleep(0.02)


def _kill_when_it_comes(process, circumstances, counts):
    """Kills the program, not what started it, when it has emitted so many events and some time has passed."""
    while process.poll() is None:
        processes = counts.read().processes
        if processes and processes[0].pid and sum(p.done["event"] for p in processes) >= circumstances.kill_after:
            break
        time.sleep(0.001)
    else:
        return
    time.sleep(circumstances.kill_later)
    try:
        if process.poll() is None:
            os.kill(counts.read().processes[0].pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    _kill_all(counts.path)


def execute(circumstances, place, options, traced, again=False):
    """Runs the program to its end, and all that it started."""
    name = "traced" if traced else "again" if again else "plain"
    counts = truth.Counts(os.path.join(place.path, f"counts.{name}"))
    command, env = command_of(circumstances, options), environment_of(circumstances)
    env.update(SOAK_COUNTS=counts.path, SOAK_SCRATCH=place.scratch(name))
    if traced:
        command, env = _traced(circumstances, place, command, env)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                               cwd=place.path, preexec_fn=circumstances.in_child, start_new_session=True)
    killer = threading.Thread(target=_kill_when_it_comes, args=(process, circumstances, counts))
    if circumstances.kind == "killed" and traced:
        killer.start()
    hang = None
    try:
        out, err = process.communicate(timeout=TIMEOUT)
        _wait_for_all(counts.path)
    except subprocess.TimeoutExpired:
        hang = _where_it_hangs(counts.path)
        _kill_all(counts.path)
        process.kill()
        out, err = process.communicate()
    if killer.ident:
        killer.join()
    for text, kind in ((out, "out"), (err, "err")):
        with open(os.path.join(place.path, f"{name}.{kind}"), "wb") as file:
            file.write(text)
    return Run(process.returncode, out, err, counts.read(), hang)


def convert(place):
    """What is not converted yet. Returns what is wrong: None or a text."""
    archive = os.path.join(place.archive_at, "traces.otf2")
    if os.path.exists(archive) and not os.path.exists(os.path.join(place.trace, "raw")):
        return None
    if not os.path.isdir(os.path.join(place.trace, "raw")):
        return None
    options = ["-o", place.archive_at] if place.archive_at != place.trace else []
    done = subprocess.run([HEDDLE, "convert", *options, place.trace], capture_output=True, text=True, errors="replace",
                          timeout=TIMEOUT)
    return None if done.returncode == 0 else f"heddle convert: status {done.returncode}, {done.stderr.strip()[-300:]}"
