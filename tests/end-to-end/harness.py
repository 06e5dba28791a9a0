"""
What the end-to-end tests share: a registry of tests, running programs with and without Heddle, places for files.

A test is a function decorated with @test, or with @each where the same must hold for several programs; its name says what
must hold. `<file>.py --list` prints the names of a file's ctest entries, `<file>.py NAME` runs one, or one of its cases.
Exit status: 0 holds, 1 does not hold, 77 can't be tried here (ctest: skipped).

Where things are comes from the environment, which CMakeLists.txt sets:
  HEDDLE_BUILD         the build tree
  HEDDLE_OMP_DIRS      directories with other versions of libomp, separated by colons (ci/omp-runtimes unpacks them)
  HEDDLE_TEST_PRELOAD  what every program is run with in LD_PRELOAD (the sanitizers' run time)
  HEDDLE_TEST_RUNTIME  "libgomp": the programs are those that gcc compiled, and who loads a tool loads libheddle-gomp.so, too
"""
import atexit
import contextlib
import fnmatch
import glob
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build"))
PROGRAMS = os.path.join(BUILD, "tests", "programs")
ON_LIBGOMP = os.environ.get("HEDDLE_TEST_RUNTIME") == "libgomp"
GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
TOOL = os.path.join(BUILD, "lib", "libheddle-ompt.so")
HEDDLE = os.path.join(BUILD, "bin", "heddle")
CALLBACK_LOG = os.path.join(BUILD, "tests", "end-to-end", "libcallback-log.so")
CONTAIN = os.path.join(BUILD, "tests", "end-to-end", "contain")
RAW_DUMP = os.path.join(BUILD, "tests", "bin", "raw-dump")

SKIPPED = 77
TIMEOUT = 600  # seconds for one run of a program, which then hangs; nothing here takes a tenth of it, however busy the machine


class Skip(Exception):
    """The test can't be tried on this machine; the text says why."""


class Run:
    """A program that ran: status as the shell counts it (128 + signal), what it printed, and where the trace is."""

    def __init__(self, process, out, err, trace=None):
        self.signal = -process.returncode if process.returncode < 0 else 0
        self.status = 128 + self.signal if self.signal else process.returncode
        self.pid = process.pid
        self.out = out
        self.err = err
        self.trace = trace

    @property
    def own_err(self):
        """What the program printed to stderr, without Heddle's lines."""
        return "".join(l for l in self.err.splitlines(True) if not l.startswith("heddle"))

    @property
    def tool_err(self):
        """Heddle's lines."""
        return [l for l in self.err.splitlines() if l.startswith("heddle")]

    def truths(self):
        return {m[1]: int(m[2]) for m in re.finditer(r"^truth: (\w+)=(-?\d+)$", self.out, re.M)}


tests = {}  # name: function; a group's cases are named <group>.<case>
groups = {}  # name of a ctest entry: names of its tests


def _is_of_this_file(function):
    """A test file may use what another one has; the tests there are that one's."""
    return function.__module__ == "__main__"


def test(function):
    """Registers a test under its name."""
    if not _is_of_this_file(function):
        return function
    tests[function.__name__] = function
    groups[function.__name__] = [function.__name__]
    return function


def each(cases):
    """Registers a group of tests: @each(["a", "b"]) on f(case) makes tests f.a and f.b, and one ctest entry f for both."""
    def register(function):
        name = function.__name__
        if not _is_of_this_file(function):
            return function
        tests.update({f"{name}.{case}": lambda case=case: function(case) for case in cases})
        groups[name] = [f"{name}.{case}" for case in cases]
        return function
    return register


def skip(why):
    raise Skip(why)


def check(condition, text):
    """Says what does not hold. Not assert: that one python can leave out."""
    if not condition:
        raise AssertionError(text)


def _shown(value):
    """A value in a message; of a whole file or trace one would not find the end."""
    text, most = repr(value), 5000
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def same(is_, should_be, what):
    check(is_ == should_be, f"{what}: is {_shown(is_)}, should be {_shown(should_be)}")


def until_it_happens(set_up, what, runs=10):
    """The first answer of set_up() that is not None: on a machine with other work, a run may not go as the test plans it."""
    for _ in range(runs):
        answer = set_up()
        if answer is not None:
            return answer
    raise AssertionError(f"in none of {runs} runs {what}")


def past_assertions_of_libomp(execute):
    """What execute() returns. An assertion of libomp's own fails in one of some 200 runs with short dynamic loops, also without us."""
    for _ in range(5):
        done = execute()
        if "Assertion failure at kmp_dispatch.cpp" not in done.err:
            break
    return done


_directories = []


def directory(above=None):
    """A new empty directory (in `above`, by default that of temporary files), removed at the end unless HEDDLE_KEEP is set."""
    path = tempfile.mkdtemp(prefix="heddle-e2e-", dir=above)
    _directories.append(path)
    return path


@atexit.register
def _clean():
    for path in _directories:
        if os.environ.get("HEDDLE_KEEP"):
            print("kept:", path)
        else:
            shutil.rmtree(path, ignore_errors=True)


def program(name):
    path = os.path.join(PROGRAMS, "gcc" if ON_LIBGOMP else "", name)
    check(os.path.exists(path), f"{path} is missing; build the targets test-programs and gomp-programs")
    return path


def preloading(*libraries):
    """LD_PRELOAD for libraries, behind what every program is run with."""
    return ":".join(filter(None, [os.environ.get("HEDDLE_TEST_PRELOAD"), *libraries]))


def environment(**settings):
    """The caller's environment without settings of OpenMP and Heddle, plus `settings` (None removes one)."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HEDDLE_", "OMP_", "KMP_"))}
    env["OMP_NUM_THREADS"] = "2"
    # A test's threads outnumber the processors; a waiting one must not keep a working one from its processor.
    env["OMP_WAIT_POLICY"] = "passive"
    if os.environ.get("HEDDLE_TEST_PRELOAD"):
        env["LD_PRELOAD"] = preloading()
        env["ASAN_OPTIONS"] = "detect_leaks=0"
    if ON_LIBGOMP and settings.get("OMP_TOOL_LIBRARIES"):
        env["LD_PRELOAD"] = preloading(GOMP)
    env.update(settings)
    return {k: v for k, v in env.items() if v is not None}


def run(command, cwd=None, preexec=None, trace=None, **settings):
    """Runs a command (a list) to its end."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", cwd=cwd, preexec_fn=preexec, env=environment(**settings))
    try:
        out, err = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"hangs (more than {TIMEOUT} s): {' '.join(command)}")
    return Run(process, out, err, trace)


class Running:
    """Has a `process`, which is killed at the end of the block if it still runs then."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def before_others():
    """For preexec: the program's threads get a processor as soon as they wake up, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


def run_traced(command, trace=None, **settings):
    """Runs a command with the tool loaded as a user would do it: OMP_TOOL_LIBRARIES. The trace is converted at exit."""
    def once():
        place = trace or os.path.join(directory(), "run.heddle")
        return run(command, trace=place, **{"OMP_TOOL_LIBRARIES": TOOL, "HEDDLE_DIR": place, **settings})

    return once() if trace else past_assertions_of_libomp(once)


def heddle(*arguments, **settings):
    """Runs the heddle command."""
    return run([HEDDLE, *arguments], **settings)


def record(command, *options, **settings):
    """Runs a command by `heddle record`."""
    def once():
        trace = os.path.join(directory(), "run.heddle")
        done = heddle("record", "-o", trace, *options, "--", *command, **settings)
        done.trace = trace
        return done

    return past_assertions_of_libomp(once)


def run_raw(command, **settings):
    """Runs a command with the tool loaded, not converted: the raw trace stays."""
    return run_traced(command, HEDDLE_CONVERT="0", **settings)


def archive(trace):
    """The archive of a trace directory."""
    path = os.path.join(trace, "traces.otf2")
    check(os.path.exists(path), f"there is no archive {path}")
    return path


def process_directories(trace):
    return sorted(glob.glob(os.path.join(trace, "raw", "*", "")))


def matches(pattern, text):
    return fnmatch.fnmatchcase(text, pattern)


def holds(name):
    """Runs one test and prints how it went: True, False, or None where it can't be tried."""
    try:
        tests[name]()
        print(f"holds: {name}")
        return True
    except Skip as reason:
        print(f"skipped: {name}: {reason}")
        return None
    except AssertionError as reason:
        print(f"DOES NOT HOLD: {name}: {reason}")
    except Exception:
        traceback.print_exc(file=sys.stdout)
        print(f"BROKEN: {name}")
    return False


def sweep():
    """
    Removes what libomp leaves in /dev/shm for a process that was killed, as many are here. A later process that gets the
    same pid finds it and refuses to start ("found unknown library already initialized").
    """
    for path in glob.iglob(f"/dev/shm/__KMP_REGISTERED_LIB_*_{os.getuid()}"):
        pid = path.rsplit("_", 2)[1]
        if not os.path.exists(f"/proc/{pid}"):
            with contextlib.suppress(OSError):
                os.unlink(path)


def main():
    """Command line of a test file: --list prints the groups; else the tests or groups to run, all of them by default."""
    if sys.argv[1:] == ["--list"]:
        print("\n".join(groups))
        return
    sweep()
    atexit.register(sweep)
    names = []
    for name in sys.argv[1:] or list(groups):
        if name not in tests and name not in groups:
            sys.exit(f"there is no test {name!r}")
        names += groups.get(name, [name])
    results = [holds(name) for name in names]
    if False in results:
        sys.exit(1)
    sys.exit(0 if True in results else SKIPPED)
