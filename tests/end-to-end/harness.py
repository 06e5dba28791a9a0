"""
What the end-to-end tests share: running programs with and without Heddle, places for files, what to do about chance.

A test is a function test_*; its name says what must hold. check() and same() fail it, pytest.skip() says why it can't be tried here.

Where things are comes from the environment, which CMakeLists.txt sets:
  HEDDLE_BUILD         the build tree
  HEDDLE_OMP_DIRS      directories with other versions of libomp, separated by colons (ci/omp-runtimes unpacks them)
  HEDDLE_GCC_DIRS      the same of gcc and libgomp (ci/gcc-releases)
  HEDDLE_CLANG_DIRS    the same of clang with libomp (ci/clang-releases)
  HEDDLE_TEST_PRELOAD  what every program is run with in LD_PRELOAD (the sanitizers' run time)
  HEDDLE_TEST_RUNTIME  "libgomp": the programs are compiled by gcc, and each loader of a tool loads libheddle-gomp.so, too
  HEDDLE_TEST_CLOCK    what HEDDLE_CLOCK is, where a test says nothing of it
  HEDDLE_TEST_STAGE    "landing": the tests that tests/stages has for it, on one JDK
"""
import collections
import contextlib
import fnmatch
import functools
import glob
import os
import re
import shutil
import subprocess
import tempfile

import pytest

import leftovers

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build"))
PROGRAMS = os.path.join(BUILD, "tests", "programs")
ON_LIBGOMP = os.environ.get("HEDDLE_TEST_RUNTIME") == "libgomp"
GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
TOOL = os.path.join(BUILD, "lib", "libheddle-ompt.so")
HEDDLE = os.path.join(BUILD, "bin", "heddle")
STAGE = os.environ.get("HEDDLE_TEST_STAGE", "all")
CALLBACK_LOG = os.path.join(BUILD, "tests", "end-to-end", "libcallback-log.so")
CONTAIN = os.path.join(BUILD, "tests", "end-to-end", "contain")
RAW_DUMP = os.path.join(BUILD, "tests", "bin", "raw-dump")
SKIPS = os.path.join(BUILD, "tests", "end-to-end", "skips")  # how often in a row a test was skipped, because the machine was busy

SKIPPED = 77  # exit status of contain where the kernel refuses, and of pytest where all tests are skipped
# Seconds for one run of a program, which then hangs; nothing here takes a third of it. For the long runs of ci/soak, it is set to more.
TIMEOUT = int(os.environ.get("HEDDLE_TEST_TIMEOUT", "120"))


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


def jdks():
    """{directory's name: java} of the JDKs that are installed; of the oldest alone to land."""
    found = {os.path.basename(os.path.dirname(os.path.dirname(java))): java for java in sorted(glob.glob("/usr/lib/jvm/*/bin/java"))
             if not os.path.islink(os.path.dirname(os.path.dirname(java)))}
    return dict(list(found.items())[:1]) if STAGE == "landing" else found


def programs_of(pid):
    """The child processes that run another program than their parent. A child of `heddle record` is itself."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        children = file.read().split()
    return [child for child in children if os.readlink(f"/proc/{child}/exe") != os.readlink(f"/proc/{pid}/exe")]


def check(condition, text):
    """Says what does not hold. Not assert: python can omit assertions."""
    if not condition:
        raise AssertionError(text)


def _shown(value):
    """A value in a message; of a whole file or trace one would not find the end."""
    text, most = repr(value), 5000
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def same(is_, should_be, what):
    check(is_ == should_be, f"{what}: is {_shown(is_)}, should be {_shown(should_be)}")


def until_it_happens(set_up, event, runs=10):
    """
    The first answer of set_up() that is not None: a run with `event`, which the machine decides, as who gets a processor first. What the
    test asks about Heddle's answer must hold in each run, so set_up() checks it itself. For answers that chance decides: holds_mostly().
    """
    for _ in range(runs):
        answer = set_up()
        if answer is not None:
            return answer
    raise AssertionError(f"in none of {runs} runs {event}")


def holds_mostly(judge, what):
    """
    An answer with chance in it is right in 4 of at most 7 runs. judge() says True, False, or None if the machine disturbed the run: after 7 such
    runs the test is skipped as by skip_busy(). It may return several answers at once, as {name: answer}; each must be right 4 times.
    """
    right, wrong, disturbed = collections.Counter(), collections.Counter(), 0
    while True:
        answer = judge()
        if answer is None:
            disturbed += 1
            if disturbed == 7:
                skip_busy(f"7 runs were disturbed, {sum(right.values())} right, {sum(wrong.values())} wrong: {what}")
            continue
        answers = answer if isinstance(answer, dict) else {what: answer}
        for name, is_right in answers.items():
            (right if is_right else wrong)[name] += 1
        for name, number in wrong.items():
            check(number < 4, f"right in {right[name]} runs, wrong in {number}: {what}" + (f", {name}" if name != what else ""))
        if all(right[name] >= 4 for name in answers):
            return


MOST_SKIPS = 5  # in a row
_test, _was_busy = "by-hand", False


def begin_test(name):
    global _test, _was_busy
    _test, _was_busy = re.sub(r"[^\w.-]", "_", name)[:200], False


def end_test():
    """Removes the test's directories, and its count of skips if it was not skipped by skip_busy()."""
    if not _was_busy:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(SKIPS, _test))
    _remove(_directories)


def skip_busy(why):
    """Skips the test, because the machine has too much other work. A test that is skipped so often in a row that nobody knows whether it holds fails."""
    global _was_busy
    _was_busy = True
    os.makedirs(SKIPS, exist_ok=True)
    path, skips = os.path.join(SKIPS, _test), 0
    with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
        skips = int(file.read() or 0)
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{skips + 1}\n")
    check(skips + 1 < MOST_SKIPS, f"skipped {skips + 1} times in a row: {why}")
    pytest.skip(f"the machine is busy: {why}")


# What libomp prints, from its first to its last word.
ASSERTION = re.compile(r"^OMP: Error #13: Assertion failure at kmp_dispatch\.cpp\(\d+\)\.\n"
                       r"OMP: Hint Please submit a bug report with this message, compile and run commands used, .* please see https://\S+$", re.M)


def past_assertions_of_libomp(execute):
    """
    What execute() returns. An assertion of libomp's own fails in one of some 200 runs with short dynamic loops, also without us. Such a run
    is repeated if libomp printed the assertion as a whole, and if Heddle recorded the run nevertheless.
    """
    for _ in range(5):
        done = execute()
        if not ASSERTION.search(done.err):
            break
        if done.trace:
            if not os.path.exists(os.path.join(done.trace, "traces.otf2")):
                converted = heddle("convert", done.trace)
                check(converted.status == 0, f"libomp's assertion failed, and the trace cannot be converted: {converted.err}")
            archive(done.trace)
    return done


_directories, _lasting = [], []
kept = []  # directories, for HEDDLE_KEEP


def directory(above=None):
    """
    A new empty directory (in `above`, by default in the directory of temporary files), removed after the test unless HEDDLE_KEEP
    is set.
    """
    path = tempfile.mkdtemp(prefix="heddle-e2e-", dir=above)
    _directories.append(path)
    return path


def _remove(paths):
    while paths:
        path = paths.pop()
        if os.environ.get("HEDDLE_KEEP"):
            kept.append(path)
        else:
            shutil.rmtree(path, ignore_errors=True)


def remove_directories():
    _remove(_directories)
    _remove(_lasting)


def once(function):
    """Calls a function once for all tests (with the same arguments); directories that it makes stay until the last test."""
    @functools.lru_cache(None)
    def call(*arguments):
        before = len(_directories)
        try:
            return function(*arguments)
        finally:
            _lasting.extend(_directories[before:])
            del _directories[before:]
    return functools.wraps(function)(call)


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
    env["HEDDLE_CLOCK"] = os.environ.get("HEDDLE_TEST_CLOCK")
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
        leftovers.end_own()  # with its children, which may have its output open
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
