"""
The screen of `heddle live` in tmux, by what it shows: threads, constructs, metrics over time, effects of keys, and the end of
program or observer. Also any size, and terminals that can do less. Nothing is waited for longer than until it is there.
"""
import collections
import glob
import json
import os
import re
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import time

import pytest

import harness
from harness import HEDDLE, TOOL, Running, check, directory, environment, heddle, program, same
from live import Watched
from pairs import Dormant
from trace import Trace, check_well_formed

PATIENCE = 600  # looks at the screen, a tenth of a second each
BLOCKS = "▁▂▃▄▅▆▇█"


def until(look, what, shown=lambda: ""):
    """The first answer of look() that is true."""
    for _ in range(PATIENCE):
        answer = look()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError(f"never: {what}\n{shown()}")


class Program(Running):
    """A recorded program that does the same again and again until it is asked to end."""

    def __init__(self, recording="HEDDLE_PROFILE"):
        self.trace = os.path.join(directory(), "run.heddle")
        settings = environment(OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=self.trace, **{recording: "1"})
        self.process = subprocess.Popen([program("steady")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=settings, text=True)
        self.pid = self.process.pid
        until(lambda: heddle("live", "--once", "--json", str(self.pid)).status == 0, "the program is recorded")

    def executions(self, construct):
        """So far."""
        rows = json.loads(heddle("live", "--once", "--json", str(self.pid)).out)["rows"]
        return sum(each["executions"] for each in rows if re.fullmatch(construct, each["construct"]))

    def goes_on(self, construct, by):
        begin = self.executions(construct)
        until(lambda: self.executions(construct) >= begin + by, f"{by} executions more")

    def is_traced(self):
        """What the page for requests says (common/raw/live_control.h)."""
        with open(glob.glob(os.path.join(self.trace, "raw", "*", "control"))[0], "rb") as file:
            return bool(struct.unpack_from("<I", file.read(4096), 24)[0] & 0x02)

    def end(self):
        out, _ = self.process.communicate(timeout=harness.TIMEOUT)
        return self.process.returncode, out


class Screen:
    """A terminal in which `heddle live` runs, or the given command."""

    def __init__(self, pid, *options, columns=100, rows=30, term="screen-256color", command=None, **settings):
        self.socket = os.path.join(directory(), "tmux")
        settings = {"LC_ALL": "C.UTF-8", **settings}
        plain = {k: v for k, v in os.environ.items() if not k.startswith(("TMUX", "LC_", "NO_COLOR")) and k != "LANG"}
        command = command or f"{HEDDLE} live {' '.join(options)} {pid}; echo status $?; cat"
        words = " ".join(f"{key}='{value}'" for key, value in settings.items())
        self._tmux("new-session", "-d", "-x", str(columns), "-y", str(rows), f"env {words} TERM={term} sh -c {shlex.quote(command)}", env=plain)

    def _tmux(self, *arguments, env=None):
        done = subprocess.run(["tmux", "-u", "-f", "/dev/null", "-S", self.socket, *arguments], capture_output=True, text=True, env=env)
        return done.stdout

    def text(self, *options):
        return self._tmux("capture-pane", "-p", *options)

    def shows(self, pattern):
        """Waits until a line has the pattern; the match."""
        return until(lambda: re.search(pattern, self.text(), re.M), f"the screen shows {pattern}", self.text)

    def lacks(self, pattern):
        until(lambda: not re.search(pattern, self.text(), re.M), f"the screen no longer shows {pattern}", self.text)

    def press(self, *keys):
        self._tmux("send-keys", *keys)

    def resize(self, columns, rows):
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def observer(self):
        """The process id of heddle."""
        shell = int(self._tmux("display-message", "-p", "#{pane_pid}"))
        def find():
            with open(f"/proc/{shell}/task/{shell}/children") as children:
                return [int(child) for child in children.read().split()]
        return until(find, "heddle runs")[0]

    def quits(self):
        self.press("q")
        self.shows(r"^status 0$")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._tmux("kill-server")


def line_of(text):
    """The source line with this text in steady.c."""
    with open(os.path.join(harness.SOURCE, "..", "programs", "steady.c")) as source:
        return next(number for number, line in enumerate(source, 1) if text in line)


PARALLEL, BARRIER, CRITICAL = (f"!\\$omp {what} @steady.c:{line_of(f'#pragma omp {what}')}" for what in ("parallel", "barrier", "critical"))


def test_threads_and_constructs_are_shown():
    with Program() as running, Screen(running.pid) as screen:
        screen.shows(rf"^ steady \[{running.pid}\]   2 threads   every 1 s$")
        screen.shows(r"^ the last 1\.\d* s   \d\.\d\d processors busy$")
        screen.shows(r"^ OpenMP master +R.*(!\$omp .*@steady.c|outside any construct)")
        screen.shows(r"^ OpenMP thread 1 +R")
        # One of two threads waits for 8 of 20 ms, and one for 4.
        for construct, waiting in ((BARRIER, "20"), (CRITICAL, "10")):
            screen.shows(rf"^ {construct} +\d+\.\d % +\d+\.\d % +\d+\.\d % +\d+\.?\d* +\d+\.\d+ ms$")
        screen.shows(rf"^ {PARALLEL} ")
        screen.quits()


def test_reasons_are_searched_for():
    with Program() as running, Screen(running.pid, "--interval", "200ms", columns=120, rows=50) as screen:
        screen.shows(r"^ OpenMP thread 1 +R")
        screen.press("w")
        screen.shows(r"^ +too much synchronization .* % +(true|likely)$")
        screen.shows(rf"^ +where: {BARRIER} +\d.*(true|likely)$")
        screen.shows(r"^ +one thread works alone .* ruled out$")
        screen.quits()


def row(screen, construct):
    """Columns of a construct's line: could be won, self, waiting (in percent), executions a second."""
    found = screen.shows(rf"^ {construct} +(\S+) % +(\S+) % +(\S+) % +(\S+)")
    return [float(value.replace(",", "").replace("<", "")) for value in found.groups()]


def near(left, right):
    return abs(left - right) <= 0.1001  # both are rounded


def test_sums_are_those_of_the_archive():
    with Program() as running, Screen(running.pid, "--interval", "200ms") as screen:
        screen.shows(r"^ the last")
        screen.press("c")
        screen.shows(r"^ sums since the begin")
        screen.shows(r"r: \d+\.\d+ s ")  # some rounds more; what is compared does not depend on how many
        same(running.end()[0], 0, "status of the program")
        screen.shows("The program has ended")
        shown = {construct: row(screen, construct) for construct in (BARRIER, CRITICAL)}
        screen.quits()
        rows = json.loads(heddle("profile", "--json", running.trace).out)["rows"]
        whole = sum(each["self"]["ticks"] for each in rows)
        for construct, (_, self_time, waiting, _) in shown.items():
            of_it = [each for each in rows if re.fullmatch(construct, each["construct"])]
            expected = 100 * sum(each["self"]["ticks"] for each in of_it) / whole
            check(abs(self_time - expected) <= 1, f"{construct}: the screen has {self_time} %, the archive {expected} %")
            check(near(waiting, self_time), f"{construct} is waiting alone, but of {self_time} % only {waiting} %")


def test_percentages_are_those_of_the_printed_reading():
    """The program does the same all the time, so the sums of its life agree with the screen's sums."""
    with Program() as running, Screen(running.pid, "--interval", "200ms") as screen:
        screen.shows(r"^ the last")
        screen.press("c")
        screen.shows(r"^ sums since the begin")

        def agree():
            before = row(screen, BARRIER)[1]
            rows = json.loads(heddle("live", "--once", "--json", str(running.pid)).out)["rows"]
            whole = sum(each["self"]["ticks"] for each in rows)
            printed = 100 * sum(each["self"]["ticks"] for each in rows if re.fullmatch(BARRIER, each["construct"])) / whole
            return abs(printed - before) < 1.5
        until(agree, "the screen and the printed reading agree", screen.text)
        screen.quits()


def shows_sums(screen):
    """
    The screen shows sums of all constructs. On a busy machine, an interval lacks constructs that had no time to be
    executed.
    """
    screen.shows(rf"^ {BARRIER}")
    screen.press("c")
    screen.shows("^ sums since the begin")
    screen.shows(rf"^ {BARRIER}")


def test_keys_change_what_is_shown():
    with Program() as running, Screen(running.pid, "--interval", "200ms") as screen:
        screen.shows(rf"^ {BARRIER}")
        screen.press("2")
        screen.shows(r"^ Lock +Waiting +Held +Acquired/s +Contended/s +Longest$")
        screen.shows(rf"^ {CRITICAL} +\d+\.\d % +\d+\.\d % ")
        screen.lacks(BARRIER + " +.*%")
        screen.press("3")
        screen.shows(rf"^ RUN of all threads +\d\.\d\d threads +[{BLOCKS}]{{3}}")
        screen.press("1")
        shows_sums(screen)
        screen.press("/", *"omp barr")
        screen.shows(r"^ /omp barr_")
        screen.press("Enter", "+", "e")
        screen.shows("added: 3 shows it over time")
        screen.press("3")
        screen.shows(rf"^ executions of {BARRIER} +\d+/s +[{BLOCKS}]")
        screen.press("End", "-")
        screen.lacks("executions of")
        screen.press("4", "/", "t", "h", "r", "e", "a", "d", " ", "1", "Enter", "t")
        screen.shows(r"   on OpenMP thread 1 ")
        screen.shows(r"^ TID \d+   state [RSD]   ")
        screen.press("t")
        screen.lacks("on OpenMP thread 1 ")
        screen.press("?")
        screen.shows("^ Keys of heddle live")
        screen.press("x", "Space")
        screen.shows("FROZEN$")
        frozen = screen.text()
        time.sleep(1)  # five readings
        same(screen.text(), frozen, "a frozen screen")
        screen.press("Space")
        screen.lacks("FROZEN")
        screen.press("r")
        begun = float(screen.shows(r"^ sums since the begin, or r: (\S+) (s|ms|us|0)").group(1) or 0)
        check(begun < 1000, "sums begin again")
        screen.press("s")
        screen.quits()


def test_pairs_are_measured_while_they_are_shown():
    locks, sync, everything = 0x8000, 0x08, 0x1fff  # common/raw/live_control.h
    with Dormant() as running, Screen(running.pid, "--interval", "100ms", "--pair", "locks") as screen:
        screen.shows(r"measured: list 3 alone$")
        running.becomes(locks)
        running.work(1234)
        screen.shows(rf"^ locks +[\d,]+/s +[{BLOCKS}]")
        screen.press("a", "b", "a", "r", "r", "Enter")
        screen.shows(r": barriers@_$")
        screen.press("p", "h", "a", "s", "e", "s", ".", "c", "Enter")
        running.becomes(locks | sync)
        running.work(1234)
        screen.shows(r"^ barriers@phases.c +[\d,]+/s")
        screen.press("d")
        running.becomes(locks)
        screen.lacks("^ barriers")
        screen.press("m")
        running.becomes(everything)
        screen.press("m")
        running.becomes(locks)
        screen.quits()
        running.becomes(0)


def traced_calls(trace):
    """How often each kind of construct is in the archive, by thread."""
    return {location.name: collections.Counter(e.region.name.split(" @")[0] for e in location.of_kind("Enter")) for location in trace.locations}


# What is chosen where, what the first line says then, and whether the trace has barriers and critical sections.
CHOICES = {"a_construct": (["1", "/", *"omp barrier", "Enter"], BARRIER, {"!$omp barrier"}),
           "a_lock": (["2"], CRITICAL, {"!$omp critical"}),
           "a_thread": (["4", "/", *"thread 1", "Enter"], "OpenMP thread 1", {"!$omp barrier", "!$omp critical"}),
           "a_construct_on_a_thread": (["4", "/", *"thread 1", "Enter", "t", "/", *"omp barrier", "Enter"], f"{BARRIER} on OpenMP thread 1", {"!$omp barrier"}),
           "all": (["4", "Home"], "all threads", {"!$omp barrier", "!$omp critical"})}


@pytest.mark.parametrize("choice", list(CHOICES))
def test_a_key_traces(choice):
    keys, name, kinds = CHOICES[choice]
    of_all = "thread" not in choice
    with Program("HEDDLE_LIVE") as running, Screen(running.pid, "--interval", "200ms", columns=120) as screen:
        shows_sums(screen)
        screen.shows(r"^ OpenMP thread 1 +R")
        screen.press(*keys)
        check(not running.is_traced(), "it is traced already")
        screen.press("T")
        screen.shows(rf"^ steady .* every 0.2 s   traced: {name}$")
        check(running.is_traced(), "it is not traced")
        running.goes_on(BARRIER, 40)
        screen.press("T")
        screen.shows("^ traced no longer: the archive is made at the program's end, or by `heddle snapshot`$")
        screen.lacks("traced: ")
        check(not running.is_traced(), "it is still traced")
        running.goes_on(BARRIER, 10)
        status, out = running.end()
        same(status, 0, "status of the program")
        screen.shows("ENDED$")
        screen.quits()
    rounds = int(re.search(r"^truth: rounds=(\d+)$", out, re.M)[1])
    trace = Trace(running.trace)
    check_well_formed(trace)
    found = traced_calls(trace)
    for thread, executed in found.items():
        here = kinds if of_all or thread == "OpenMP thread 1" else set()
        same({kind for kind in ("!$omp barrier", "!$omp critical") if executed[kind]}, here, f"what {thread} has: {found}")
        check(all(15 <= executed[kind] <= rounds - 5 for kind in here), f"of {rounds} rounds: {found}")
    rows = json.loads(heddle("profile", "--json", running.trace).out)["rows"]
    same(sum(each["executions"] for each in rows if re.fullmatch(BARRIER, each["construct"])), 2 * rounds, "sums of the whole run")


@pytest.mark.parametrize("how", ["q", "SIGTERM"])
def test_what_the_screen_has_traced_ends_with(how):
    with Program("HEDDLE_LIVE") as running, Screen(running.pid, "--interval", "200ms") as screen:
        shows_sums(screen)
        screen.press("T")
        screen.shows(r"   traced: !\$omp ")
        if how == "q":
            screen.quits()
        else:
            os.kill(screen.observer(), signal.SIGTERM)
            screen.shows(r"^status 0$")
        check(not running.is_traced(), "it is still traced")
        same(running.end()[0], 0, "status of the program")


def test_what_others_trace_stays_so():
    with Program("HEDDLE_LIVE") as running, Screen(running.pid, "--interval", "200ms") as screen:
        shows_sums(screen)
        same(heddle("start", str(running.pid)).status, 0, "heddle start")
        screen.shows(r"   traced: others asked for it$")
        screen.press("T")
        screen.shows(rf"^ the program is traced already: `heddle stop {running.pid}` ends that$")
        same(heddle("stop", str(running.pid)).status, 0, "heddle stop")
        screen.lacks(r"   traced: ")
        screen.press("3", "T")
        screen.shows(r"^ choose a construct \(1\), a lock \(2\) or a thread \(4\) first$")
        screen.press("1", "T")
        screen.shows(r"   traced: !\$omp ")
        same(heddle("stop", str(running.pid)).status, 0, "heddle stop")
        screen.lacks(r"   traced: ")
        same(heddle("start", str(running.pid)).status, 0, "heddle start")
        screen.quits()
        check(running.is_traced(), "what another command began has ended")


def test_a_stopped_program_is_not_traced_later():
    with Program("HEDDLE_LIVE") as running, Screen(running.pid, "--interval", "200ms") as screen:
        shows_sums(screen)
        os.kill(running.pid, signal.SIGSTOP)
        screen.press("T")
        screen.shows(rf"^ process {running.pid} does not answer: it is not traced$")
        os.kill(running.pid, signal.SIGCONT)
        running.goes_on(BARRIER, 20)
        check(not running.is_traced(), "it is traced")
        screen.press("T")
        screen.shows(r"   traced: !\$omp ")
        screen.quits()


def test_a_program_that_takes_no_requests_is_not_traced():
    with Program() as running, Screen(running.pid) as screen:
        screen.shows(rf"^ {BARRIER}")
        screen.press("T")
        screen.shows("^ this process traces all or nothing: it was not started with `heddle record --live`$")
        screen.quits()


def test_the_focus_can_be_changed():
    with Program() as running, Screen(running.pid, "--interval", "200ms", columns=120) as screen:
        screen.shows(rf"^ {BARRIER}")
        screen.press("f", *"construct", "=", "x", "Enter")
        screen.shows("only construct=x$")
        screen.lacks(BARRIER + " +.*%")
        screen.press("f", "BSpace", *f"steady.c:{line_of('#pragma omp barrier')}", "Enter")
        screen.shows(rf"^ {BARRIER} +\d+\.\d % +\d+\.\d % ")
        screen.lacks(CRITICAL + " +.*%")
        screen.press("f", ",", *"size=1", "Enter")
        screen.shows(r"construct=steady.c:\d+,size=1_ +there is no size: thread, ")
        screen.press("Escape")
        screen.quits()


def test_any_size_will_do():
    with Program() as running, Screen(running.pid, "--interval", "100ms") as screen:
        screen.shows(rf"^ {BARRIER}")
        for columns, rows, shown in ((20, 5, r"^ !\$om…@steady.c:"), (300, 100, rf"^ {BARRIER}"), (1, 1, r"^.?$"), (60, 8, r"^ !\$omp barr"), (100, 30, rf"^ {BARRIER}")):
            screen.resize(columns, rows)
            screen.shows(shown)
            check(all(len(line) <= columns for line in screen.text().splitlines()), f"a line is longer than {columns}")
        screen.quits()


@pytest.mark.parametrize("how", ["ends", "is_killed"])
def test_the_program(how):
    with Program() as running, Screen(running.pid, "--interval", "200ms") as screen:
        screen.shows(rf"^ {BARRIER}")
        if how == "ends":
            same(running.end()[0], 0, "status of the program")
        else:
            running.process.kill()
            running.process.wait()
        screen.shows(r"The program has ended\. q quits\.")
        screen.shows(r"ENDED$")
        screen.press("c")  # the last interval may be too short for a barrier
        screen.shows(rf"^ {BARRIER}")
        screen.press("4")  # what is known can be looked at
        screen.shows(r"^ all threads ")
        screen.quits()


def colours(text):
    return re.findall(r"\x1b\[(?:\d+;)*(?:[34][0-7]|[34]8;5;\d+)(?:;\d+)*m", text)


def test_colours_are_those_of_the_terminal():
    with Program() as running:
        for term, settings, coloured in (("screen-256color", {}, True), ("screen", {}, True), ("screen-256color", {"NO_COLOR": "1"}, False), ("vt100", {}, False)):
            with Screen(running.pid, term=term, **settings) as screen:
                screen.shows(rf"^ {BARRIER}")
                bar = screen.shows(r"^ OpenMP thread 1 +(R.*)").group(1)
                same(bool(colours(screen.text("-e"))), coloured, f"colours on {term} with {settings}")
                check(coloured or bar.startswith("RRRR"), f"without colours a bar has letters: {bar}")
                screen.quits()


def test_a_locale_without_unicode_gets_ascii():
    with Program() as running, Screen(running.pid, "--interval", "200ms", LC_ALL="C") as screen:
        screen.shows(rf"^ {BARRIER}")
        screen.press("3")
        screen.shows(r"^ RUN of all threads +\d\.\d\d threads +[-.:=+*#@]{2}")
        check(screen.text().isascii(), screen.text())
        screen.quits()


@pytest.mark.parametrize("what", ["a_dumb_terminal", "no_terminal_type", "the_option_plain"])
def test_text_is_printed_on(what):
    options = ["--plain"] if what == "the_option_plain" else []
    with Program() as running:
        term = {"a_dumb_terminal": "dumb", "no_terminal_type": "''"}.get(what, "screen-256color")
        with Screen(running.pid, "--interval", "100ms", *options, columns=160, rows=100, term=term) as screen:
            screen.shows(rf"^steady \[{running.pid}\]: 2 threads, the last ")
            running.end()
            screen.shows(r"^steady \[\d+\] has ended\.$")
            screen.shows(r"^status 0$")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_the_terminal_is_given_back_after(name):
    with Program() as running, Screen(running.pid) as screen:
        screen.shows(rf"^ {BARRIER}")
        os.kill(screen.observer(), getattr(signal, name))
        screen.shows(r"^status 0$")
        screen.lacks(BARRIER)
        check(running.process.poll() is None, "the program goes on")


def test_the_terminal_is_given_back_while_it_is_stopped():
    with Program() as running, Screen(running.pid, command="bash --norc") as screen:
        screen.press(f"PS1='ready> '; {HEDDLE} live {running.pid}", "Enter")
        screen.shows(rf"^ {BARRIER}")
        screen.press("C-z")
        screen.shows(r"Stopped")
        screen.lacks(BARRIER)
        screen.press("fg", "Enter")
        screen.shows(rf"^ {BARRIER}")
        screen.press("q")
        screen.press("echo status $?", "Enter")
        screen.shows(r"^status 0$")


def test_a_killed_observer_leaves_the_program_alone():
    with Program() as running, Screen(running.pid) as screen:
        screen.shows(rf"^ {BARRIER}")
        os.kill(screen.observer(), signal.SIGKILL)
        screen.shows(r"status 137")
        status, out = running.end()
        same(status, 0, "status of the program")
        rounds = int(re.search(r"^truth: rounds=(\d+)$", out, re.M)[1])
        same(sum(1 for location in Trace(running.trace).locations for _ in location.events) > 0, True, "there is an archive")
        rows = json.loads(heddle("profile", "--json", running.trace).out)["rows"]
        same([each["executions"] for each in rows if re.fullmatch(BARRIER, each["construct"])], [2 * rounds], "executions of the barrier")


def test_nested_teams_have_more_threads_than_there_are_rows():
    with Watched("nested") as watched:
        watched.phase()
        count = len(os.listdir(f"/proc/{watched.pid}/task")) + 1  # with the sum of all
        with Screen(watched.pid, rows=7) as screen:
            screen.press("4")
            found, shown = set(), 0
            for number in range(1, count + 1):
                screen.shows(rf"{number} of {count}$")
                lines = re.findall(r"^ (all threads|OpenMP \S+(?: \d+)?) ", screen.text(), re.M)
                same(len(set(lines)), len(lines), f"lines {lines}")
                found, shown = found | set(lines), max(shown, len(lines))
                screen.press("Down")
            same((len(found), shown < count), (count, True), f"threads {found}, at most {shown} at once")
            screen.quits()


# Says what heddle-convert would say of 10,000 threads, whose names are not kind.
MANY = r"""#!/usr/bin/python3
import sys
print("heddle-live\t1\t1000\t1\tmany", flush=True)
for number, _ in enumerate(sys.stdin, 1):
    print(f"reading\t{number * 1000}")
    for i in range(10000):
        if number == 1:
            print(f"thread\t{i}\t0\tworker\tthread {i} \x1b[2J\u202e")
        print(f"look\t{i}\tlives\t0\t{number * 1000}\t{number * 1000}\t0\nrow\t{i}\toutside\t\t0\t0\t{number * 1000}\t0\t0\t0\t0")
    print("end", flush=True)
"""


def test_ten_thousand_threads_are_shown():
    programs = os.path.join(directory(), "bin")
    os.mkdir(programs)
    shutil.copy(HEDDLE, programs)
    convert = os.path.join(programs, "heddle-convert")
    with open(convert, "w") as file:
        file.write(MANY)
    os.chmod(convert, stat.S_IRWXU)
    with Program() as running, Screen(0, command=f"{programs}/heddle live {running.pid}; echo status $?; cat") as screen:
        screen.shows(r"^ many \[1\]   10,000 threads   every 1 s")
        screen.press("4", "End")
        screen.shows(r"10,001 of 10,001$")
        screen.shows(r"^ thread 9999 \\x1b")
        screen.quits()
