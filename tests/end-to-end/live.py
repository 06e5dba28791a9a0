"""
heddle live: readings of a running program from outside. A program that waits at a pipe is quiet, so that its counts are known to
the last one. Whatever the program or its observers do, the other side does not notice or gets one line.
"""
import collections
import json
import os
import random
import re
import resource
import signal
import subprocess
import time

import pytest

import harness
import java
from harness import GOMP, HEDDLE, ON_LIBGOMP, TOOL, check, directory, environment, heddle, preloading, process_directories, program, run, same
from profiles import kind, rows
from runtimes import libomp
from trace import Trace, check_well_formed

NOBODY = 65534
LIBGOMP = {"LD_PRELOAD": preloading(GOMP)} if ON_LIBGOMP else {}


class Watched:
    """The program `live` (tests/programs/live.c), which does a phase on command."""

    def __init__(self, way="work", profile="1", **settings):
        self.trace = os.path.join(directory(), "run.heddle")
        settings = {"OMP_TOOL_LIBRARIES": TOOL, "HEDDLE_DIR": self.trace, "HEDDLE_PROFILE": profile, **LIBGOMP, **settings}
        self.process = subprocess.Popen([program("live"), way], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=environment(**settings))
        self.pid = self.process.pid
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def phase(self):
        """What it has done so far."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        done = {}
        for line in self.process.stdout:
            self.lines.append(line)
            if match := re.match(r"truth: (\w+)=(\d+)", line):
                done[match[1]] = int(match[2])
            elif line.startswith("child: "):
                done["child"] = int(line.split()[1])
            elif line.startswith("phase "):
                return done
        raise AssertionError(f"the program has ended: {''.join(self.lines)} {self.process.stderr.read()}")

    def end(self):
        """Ends it as it wants to end."""
        out, err = self.process.communicate(timeout=harness.TIMEOUT)
        same((self.process.returncode, out, err), (0, "result: right\n", ""), "status and output of the program")


def reading(pid, *options):
    done = heddle("live", "--once", "--json", *options, str(pid))
    same((done.status, done.err, done.out.count("\n")), (0, "", 1), "status, stderr and lines of heddle live")
    # No name is there twice.
    return json.loads(done.out, object_pairs_hook=lambda pairs: check(len(dict(pairs)) == len(pairs), f"twice: {pairs}"[:200]) or dict(pairs))


def executions(table):
    found = collections.Counter()
    for row in table:
        found[kind(row), row["part"]] += row["executions"]
    return found


def same_counts(table, did, what=""):
    found = executions(table)
    lock = "omp_set_lock"
    is_ = {"parallel": found["!$omp parallel", "construct"], "loops": found["!$omp for", "construct"], "critical": found["!$omp critical", "hold"],
           "locks": found[lock, "hold"]}
    same(is_, {key: did[key] for key in is_}, f"counts {what}")
    same((found["!$omp critical", "acquire"], found[lock, "acquire"]), (did["critical"], did["locks"]), f"acquisitions {what}")


def times_add_up(now):
    """Also between two readings: the self times of a thread are its time, and so are its states."""
    self = collections.Counter()
    for row in now["rows"]:
        self[row["thread"]] += row["self"]["ticks"]
    for thread in now["threads"]:
        number = thread["thread"]
        if number is not None:
            same(self[number], thread["lifetime"]["ticks"], f"self times of thread {number}")


def each_thread_is_there_once(now, pid):
    """The live threads of the process, and no other."""
    alive = [each["tid"] for each in now["now"] if each["inside"] != "(ended)"]
    same(sorted(alive), sorted(int(task) for task in os.listdir(f"/proc/{pid}/task")), "threads")
    rows = [each["thread"] for each in now["threads"] if each["thread"] is not None]
    same(len(rows), len(set(rows)), f"rows of threads {rows}")


def failed_with_a_line(done, *words):
    same((done.status, done.out, len(done.err.splitlines())), (1, "", 1), f"status, output and lines of heddle live ({done.err})")
    check(all(word in done.err for word in words), f"{words}: heddle live says {done.err!r}")


@pytest.mark.parametrize("version", ["libomp", "14", "16"] if not ON_LIBGOMP else ["libgomp"])
def test_counts_are_the_programs_own(version):
    with Watched(**({} if version in ("libomp", "libgomp") else libomp(version))) as watched:
        for _ in range(3):
            did = watched.phase()
            same_counts(reading(watched.pid)["rows"], did, version)
        watched.end()


@pytest.mark.parametrize("profile", ["1", "beside"])
def test_times_are_the_threads(profile):
    with Watched(profile=profile, HEDDLE_BUDGET="none", HEDDLE_WINDOW="16K") as watched:
        for _ in range(3):
            watched.phase()
            now = reading(watched.pid, "--by", "thread")
            times_add_up(now)
            same(now["over"], "no", "end")
            if profile == "1":
                check(len(now["now"]) == 2 and all(t["tid"] for t in now["now"]), f"threads: {now['now']}")
                # The thread that reads has been outside of constructs since the phase ended.
                same(now["now"][0]["inside"], "(outside any construct)", "where the first thread is")
        watched.end()


def test_readings_add_up_to_the_whole():
    """What came between readings, from a program that goes on, up to its end."""
    with Watched(HEDDLE_CONVERT="0") as watched:
        watched.phase()
        observer = subprocess.Popen([HEDDLE, "live", "--json", "--by", "thread", "--interval", "10ms", str(watched.pid)], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        lines = [observer.stdout.readline()]
        for _ in range(20):
            did = watched.phase()
        watched.end()
        out, err = observer.communicate(timeout=harness.TIMEOUT)
        same((observer.returncode, err), (0, ""), "status and stderr of heddle live")
    readings = [json.loads(line) for line in lines + out.splitlines()]
    check(len(readings) > 2, f"{len(readings)} readings")
    for now in readings:
        times_add_up(now)
    same([now["over"] for now in readings], ["no"] * (len(readings) - 1) + ["yes"], "ends")
    same_counts([row for now in readings for row in now["rows"]], did, "of all readings")


@pytest.mark.parametrize("profile", ["1", "beside"])
def test_the_last_reading_has_all_although_the_archive_is_made_at_once(profile):
    """Two observers look, and not again before the files are gone."""
    with Watched(profile=profile, HEDDLE_BUDGET="none") as watched:
        watched.phase()
        command = [HEDDLE, "live", "--json", "--by", "thread", "--interval", "2s", str(watched.pid)]
        observers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        lines = [[observer.stdout.readline()] for observer in observers]
        for _ in range(3):
            did = watched.phase()
        watched.end()
        same(process_directories(watched.trace), [], "directories of raw traces")
        for observer, line in zip(observers, lines):
            out, err = observer.communicate(timeout=harness.TIMEOUT)
            same((observer.returncode, err), (0, ""), "status and stderr of heddle live")
            readings = [json.loads(each) for each in line + out.splitlines()]
            same(readings[-1]["over"], "yes", "end")
            times_add_up(readings[-1])
            same_counts([row for now in readings for row in now["rows"]], did, "of all readings")


def test_a_stopped_observer_does_not_keep_the_files():
    with Watched() as watched:
        watched.phase()
        observer = subprocess.Popen([HEDDLE, "live", "--json", "--interval", "10s", str(watched.pid)], stdout=subprocess.PIPE, start_new_session=True)
        observer.stdout.readline()
        os.killpg(observer.pid, signal.SIGSTOP)
        watched.end()
        same(process_directories(watched.trace), [], "directories of raw traces")
        os.killpg(observer.pid, signal.SIGKILL)
        observer.communicate()


def names(table):
    """The converter measures nothing: its archive has the row all the same."""
    return {(row["construct"], row["part"], row["file"], row["line"]) for row in table if row["part"] != "the tool"}


@pytest.mark.parametrize("profile", ["1", "beside"])
def test_names_are_those_of_the_archive(profile):
    with Watched(profile=profile, HEDDLE_BUDGET="none", HEDDLE_WINDOW="16K") as watched:
        for _ in range(3):
            did = watched.phase()
        now = reading(watched.pid)
        watched.end()
    trace = Trace(watched.trace)
    check_well_formed(trace)
    same({t["thread_name"] for t in now["now"]}, {location.name for location in trace.locations}, "names of threads")
    later = rows(watched.trace)
    check(names(now["rows"]) <= names(later), f"{names(now['rows']) - names(later)} are not in the archive")
    same_counts(later, did, "of the archive")
    if profile == "1":
        same_counts(now["rows"], did, "of the last reading")
        check(names(later) - names(now["rows"]) == set(), f"{names(later) - names(now['rows'])} are in the archive alone")


def total(table, column, **wanted):
    """The sum of a column over the rows that have these values."""
    return sum(row[column] for row in table if all(row[key] == value for key, value in wanted.items()))


def test_metrics_are_the_programs_own():
    """Counts by thread, by lock, by construct around; and a focus leaves just its part."""
    with Watched("metrics") as watched:
        for _ in range(2):
            did = watched.phase()
        now = reading(watched.pid)
        loops, objects = now["chunks"], now["objects"]
        same(total(now["tasks_made"], "made"), did["tasks"], "tasks made")
        dynamic = [row for row in loops if total(loops, "iterations", construct=row["construct"]) == 120 * did["parallel"]]
        same((total(dynamic, "chunks"), total(dynamic, "unknown")), (30 * did["parallel"], 0), "chunks of the dynamic loop")
        same(total(loops, "iterations"), (120 if ON_LIBGOMP else 223) * did["parallel"], "iterations")  # libgomp: nothing of static loops
        same({name: total(objects, "acquired", name=name) for name in ("pair[0]", "pair[1]")},
             {"pair[0]": did["lock_0"], "pair[1]": did["lock_1"]}, "acquisitions by lock")
        in_loop = [row for row in objects if row["inside"] and "!$omp for" in row["inside"]]
        same((total(in_loop, "acquired", name="pair[0]"), total(in_loop, "acquired", name="pair[1]")),
             (80 * did["parallel"], 40 * did["parallel"]), "acquisitions in the loop")
        for member in range(3):
            part = reading(watched.pid, "--focus", f"member={member}")
            same(sum(row["iterations"] for row in part["chunks"]), did[f"iterations_{member}"] + (0 if ON_LIBGOMP else did[f"fixed_{member}"]),
                 f"iterations of member {member}")
        for thread in {row["thread_name"] for row in reading(watched.pid, "--by", "thread")["objects"]}:
            part = reading(watched.pid, "--focus", f"thread={thread},lock=pair?1?,construct=*for*")
            whole = [row for row in reading(watched.pid, "--by", "thread")["objects"] if row["thread_name"] == thread and row["name"] == "pair[1]"]
            same((part["rows"], part["chunks"], sum(row["acquired"] for row in part["objects"])), ([], [], total(whole, "acquired")),
                 f"this lock in this loop on {thread}")
        watched.end()
    found = json.loads(heddle("profile", "--json", watched.trace).out)
    same({name: total(found["objects"], "acquired", name=name) for name in ("pair[0]", "pair[1]")},
         {"pair[0]": did["lock_0"], "pair[1]": did["lock_1"]}, "acquisitions in the archive")
    same((total(found["tasks_made"], "made"), total(found["chunks"], "iterations")), (did["tasks"], total(loops, "iterations")), "of the archive")


def test_waits_agree_with_the_programs_clock():
    """Within 0.1 %, where nothing came between the two clocks' readings; a loaded machine needs several tries."""
    with Watched("metrics") as watched:
        before = before_ns = apart = 0
        for _ in range(20):
            did = watched.phase()
            objects = reading(watched.pid)["objects"]
            waited = sum(row["wait"]["seconds"] for row in objects if row["inside"] and "parallel" in row["inside"])
            apart = abs(waited - before - (did["waited_ns"] - before_ns) / 1e9)
            if apart < 0.001 * 0.3:
                break
            before, before_ns = waited, did["waited_ns"]
        check(apart < 0.001 * 0.3, f"waits of 0.3 s are {apart} s apart in each of 20 tries")
        watched.end()


class Jvm:
    """The program Metrics, which waits and collects on command."""

    def __init__(self, jdk, *arguments, **settings):
        command = java.command(jdk, "Metrics", *arguments, options=[f"-agentpath:{java.AGENT}", "-XX:+UseSerialGC"])
        settings = {"HEDDLE_DIR": os.path.join(directory(), "run.heddle"), "HEDDLE_LIVE": "1", "HEDDLE_BUDGET": "none", **settings}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment(**settings))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def work(self, times):
        """What it has done so far, and a reading that has all of it: its threads have ended, or wait."""
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        did = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", self.process.stdout.readline())}
        time.sleep(0.02)
        return did, reading(self.process.pid)


@pytest.mark.parametrize("jdk", java.JDKS if not ON_LIBGOMP else [])
def test_java_waits_and_collections_are_the_programs_own(jdk):
    """Within 0.1 % of the program's clock where nothing came between; a loaded machine needs several tries."""
    with Jvm(jdk) as jvm:
        before = before_ns = apart = 0
        for _ in range(20):
            did, now = jvm.work(2)
            guard = [row for row in now["objects"] if "Metrics.guard" in row["name"]]
            same((total(guard, "acquired"), total(guard, "contended")), (did["waits"], did["waits"]), "waits for the monitor")
            same(total(now["gc"], "pauses"), did["collections"], "collections")
            check(total(now["measuring"], "updates") > 0, "nothing was brought up to date")
            waited = sum(row["wait"]["seconds"] for row in guard)
            apart = abs(waited - before - (did["waited_ns"] - before_ns) / 1e9)
            if apart < 0.001 * 0.2:
                break
            before, before_ns = waited, did["waited_ns"]
        check(apart < 0.001 * 0.2, f"waits of 0.2 s are {apart} s apart in each of 20 tries")


@pytest.mark.parametrize("jdk", [jdk for jdk in java.JDKS if "25" in jdk] if not ON_LIBGOMP else [])
def test_virtual_threads_are_read(jdk):
    """What virtual threads do is on their carriers; times add up, and collections are exact."""
    with Jvm(jdk, "virtual") as jvm:
        did, now = jvm.work(3)
        same((did["waits"], total(now["gc"], "pauses")), (3, did["collections"]), "waits and collections")
        times_add_up(reading(jvm.process.pid, "--by", "thread"))


def test_nested_teams_have_their_own():
    if ON_LIBGOMP:
        pytest.skip("the counts are those of libomp's numbers")
    with Watched("nested") as watched:
        for _ in range(2):
            did = watched.phase()
        now = reading(watched.pid)
        times_add_up(reading(watched.pid, "--by", "thread"))
        each_thread_is_there_once(now, watched.pid)
        same(total(now["objects"], "acquired", name="pair[1]"), sum(did[f"inner_{outer}_{inner}"] for outer in (0, 1) for inner in (0, 1)), "acquisitions")
        for inner in (0, 1):
            part = reading(watched.pid, "--focus", f"member={inner},lock=pair*")
            same(sum(row["acquired"] for row in part["objects"]), did[f"inner_0_{inner}"] + did[f"inner_1_{inner}"], f"of inner members {inner}")
        watched.end()
    names_now = [each["thread_name"] for each in now["now"]]  # inner teams have members 1, too
    same((names_now, len(set(names_now))), ([location.name for location in Trace(watched.trace).locations], len(names_now)), "names of threads")


def test_a_focus_is_the_same_in_all_outputs():
    with Watched("metrics") as watched:
        watched.phase()
        focus = ["--focus", "lock=pair*,member=1"]
        objects = reading(watched.pid, "--by", "thread", *focus)["objects"]
        families = metrics_of(heddle("live", "--openmetrics", *focus, str(watched.pid)).out)
        header, *lines = heddle("live", "--csv", "--once", "--by", "thread", *focus, str(watched.pid)).out.splitlines()
        text = heddle("live", "--once", *focus, str(watched.pid)).out
        watched.end()
    acquired = sum(row["acquired"] for row in objects)
    check(acquired > 0, "nothing is in the focus")
    same(sum(families["heddle_lock_acquisitions"].values()), acquired, "acquisitions in OpenMetrics")
    at = header.split(",").index("executions")
    same(sum(int(line.split(",")[at]) for line in lines), acquired, "acquisitions in CSV")
    check("in focus: lock=pair*,member=1" in text and "pair[0]" in text, text)
    for wrong in ("lock", "lock=", "colour=red", ""):
        done = heddle("live", "--once", "--focus", wrong, "1")
        same((done.status, len(done.err.splitlines())), (2, 1), f"--focus {wrong!r}: {done.err}")


def observer_of(pid, *options, **arguments):
    return subprocess.Popen([HEDDLE, "live", *options, str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **arguments)


@pytest.mark.parametrize("how", ["exits", "exits, is not converted", "SIGKILL"])
def test_the_end_of_the_program_is_said(how):
    with Watched(**({"HEDDLE_CONVERT": "0"} if "not" in how else {})) as watched:
        watched.phase()
        observer = observer_of(watched.pid, "--interval", "20ms")
        check(observer.stdout.readline().startswith(f"live [{watched.pid}]: 2 threads, the last "), "the first line")
        if how == "SIGKILL":
            watched.process.kill()
        else:
            watched.end()
        out, err = observer.communicate(timeout=harness.TIMEOUT)
        same((observer.returncode, err, out.splitlines()[-1]), (0, "", f"live [{watched.pid}] has ended."), "status, stderr and last line")


def test_observers_come_and_go():
    """50 of them are killed, two look at once: neither the program nor the counts differ."""
    seed = random.Random(19)
    with Watched() as watched:
        watched.phase()
        for _ in range(50):
            pair = [observer_of(watched.pid, "--json", "--interval", "10ms") for _ in range(2)]
            did = watched.phase()
            time.sleep(seed.uniform(0, 0.02))
            for observer in pair:
                observer.send_signal(seed.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
                out, err = observer.communicate(timeout=harness.TIMEOUT)
                same(err, "", "stderr of heddle live")
                check(observer.returncode in (0, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT), f"status {observer.returncode}")
        same_counts(reading(watched.pid)["rows"], did)
        watched.end()
    check_well_formed(Trace(watched.trace))
    same(subprocess.run(["pgrep", "-f", f"heddle-convert --live {watched.trace}"], stdout=subprocess.PIPE).stdout, b"", "readers that are left")


def test_children_are_processes_of_their_own():
    if ON_LIBGOMP:
        pytest.skip("libgomp has no threads in a child")
    with Watched("fork") as watched:
        first = watched.phase()
        second = watched.phase()
        same(second["parallel"], 2 * first["parallel"], "regions of the child")
        now = reading(first["child"])
        same((now["pid"], now["program"]), (first["child"], "live"), "process")
        same_counts(now["rows"], second, "of the child")
        same(executions(reading(watched.pid)["rows"])["!$omp for", "construct"], 0, "loops of the parent")
        watched.end()


def test_a_program_that_executes_another_is_the_other():
    with Watched("exec") as watched:
        watched.process.stdin.write("\n")
        did = watched.phase()  # of the new image
        same_counts(reading(watched.pid)["rows"], did)
        watched.end()


def test_thousands_of_threads_stay_readable():
    """In 1.5 GiB of addresses, and with the counts of ended threads."""
    with Watched("threads") as watched:
        for _ in range(5):
            did = watched.phase()
        bound = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
        same(did["threads"], 10000, "threads")
        done = run([HEDDLE, "live", "--once", "--json", str(watched.pid)], preexec=bound)
        same((done.status, done.err), (0, ""), "status and stderr of heddle live")
        now = json.loads(done.out)
        found = executions(now["rows"])
        same((found["!$omp critical", "hold"], found["!$omp parallel", "construct"]), (10000, 10000), "executions")
        same(sum(t["inside"] == "(ended)" for t in now["now"]), 10000, "threads that have ended")
        watched.process.kill()


@pytest.mark.parametrize("way", ["cut", "garbage"])
def test_damaged_files_are_an_error_at_most(way):
    """The program damages what it records to while it is watched, and before it is."""
    with Watched(way, HEDDLE_CONVERT="0") as watched:
        observer = observer_of(watched.pid, "--json", "--interval", "10ms")
        observer.stdout.readline()
        watched.phase()
        time.sleep(0.1)
        late = heddle("live", "--once", "--json", str(watched.pid))
        watched.process.kill()
        _, err = observer.communicate(timeout=harness.TIMEOUT)
        for status, text in ((observer.returncode, err), (late.status, late.err)):
            check(status in (0, 1) and len(text.splitlines()) <= 2 and (status == 0) == (text == ""), f"status {status}: {text}")


def test_what_cannot_be_watched_is_refused():
    same(heddle("live").status, 2, "status without a process")
    for options in (["--openmetrics", "--json"], ["--openmetrics", "--count", "2"], ["--interval", "1ms"], ["--count", "0"]):
        same(heddle("live", *options, "1").status, 2, f"status of {options}")
    failed_with_a_line(heddle("live", "2147483646"), "there is no process 2147483646")
    sleeping = subprocess.Popen(["sleep", "600"])
    failed_with_a_line(heddle("live", str(sleeping.pid)), f"process {sleeping.pid} does not record")
    sleeping.kill()
    sleeping.wait()
    if os.geteuid() != 0:
        return

    def as_nobody():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)

    with Watched() as watched:
        watched.phase()
        failed_with_a_line(run([HEDDLE, "live", "--once", str(watched.pid)], preexec=as_nobody), "belongs to another user")
        watched.end()


SAMPLE = re.compile(r'(\w+)\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+)\} (\d+(?:\.\d+)?)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def metrics_of(text):
    """Family -> {labels: value}; checks the form: https://prometheus.io/docs/specs/om/open_metrics_spec."""
    families, kinds, units = {}, {}, {}
    lines = text.split("\n")
    same(lines[-2:], ["# EOF", ""], "the end")
    for line in lines[:-2]:
        if match := re.match(r"# (TYPE|UNIT|HELP) (\w+) (.+)$", line):
            family = match[2]
            if match[1] == "TYPE":
                check(family not in kinds, f"{family} is there twice")
                kinds[family] = match[3]
                families[family] = {}
            check(family == list(kinds)[-1], f"{line}: is not of the family before it")
            units.update({family: match[3]} if match[1] == "UNIT" else {})
            continue
        match = SAMPLE.fullmatch(line)
        check(match, f"no sample: {line}")
        suffix = {"counter": "_total", "info": "_info", "gauge": ""}[kinds[family]]
        same(match[1], family + suffix, "name of a sample")
        labels = tuple(sorted(LABEL.findall(match[2])))
        check(labels not in families[family], f"{line}: is there twice")
        families[family][labels] = float(match[3])
    for family, unit in units.items():
        check(family.endswith("_" + unit), f"{family} has no unit {unit}")
    return families


def test_openmetrics_have_the_same_numbers():
    with Watched() as watched:
        did = watched.phase()
        now = reading(watched.pid, "--by", "thread")
        done = heddle("live", "--openmetrics", str(watched.pid))
        watched.end()
    same((done.status, done.err), (0, ""), "status and stderr")
    families = metrics_of(done.out)
    found = collections.Counter()
    for labels, value in families["heddle_construct_executions"].items():
        label = dict(labels)
        found[label["construct"], label["part"], label["thread"], int(label["line"])] += value
    same(found, collections.Counter({(row["construct"], row["part"], row["thread_name"], row["line"] or 0): row["executions"] for row in now["rows"]}),
         "executions")
    same(sum(value for labels, value in families["heddle_construct_executions"].items()
             if dict(labels)["part"] == "hold" and "critical" in dict(labels)["construct"]), did["critical"], "criticals")
    for number in (0, 1):
        times = [sum(value for labels, value in families[family].items() if dict(labels)["location"] == str(number))
                 for family in ("heddle_construct_seconds", "heddle_thread_state_seconds")]
        check(abs(times[0] - times[1]) < 1e-6, f"thread {number} has {times}")
    same(len(families["heddle_process"]), 1, "processes")


def test_csv_is_one_table():
    with Watched() as watched:
        did = watched.phase()
        done = heddle("live", "--csv", "--by", "thread", "--count", "3", "--interval", "20ms", str(watched.pid))
        watched.end()
    same((done.status, done.err), (0, ""), "status and stderr")
    header, *lines = done.out.splitlines()
    columns = header.split(",")
    same(columns[:2], ["time_ticks", "time_s"], "the first columns")
    found = [dict(zip(columns, line.split(","))) for line in lines]
    check(all(len(line.split(",")) == len(columns) for line in lines), "lines have other columns than the header")
    same(len({row["time_ticks"] for row in found}), 3, "times")
    same_counts([{**row, "executions": int(row["executions"])} for row in found], did, "of the table")


def test_a_program_that_it_starts_is_watched_to_its_end():
    where = directory()
    with subprocess.Popen([HEDDLE, "live", "--json", "--interval", "50ms", program("steady")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, cwd=where, env=environment()) as watching:
        lines = [watching.stdout.readline() for _ in range(5)]
        out, err = watching.communicate(timeout=harness.TIMEOUT)
    lines += out.splitlines()
    rounds = int(next(line for line in lines if line.startswith("truth: ")).removeprefix("truth: rounds="))
    same((watching.returncode, "next: heddle why " in err, err.count("\n")), (0, True, 1), f"status and stderr: {err}")
    readings = [json.loads(line) for line in lines if line.startswith("{")]
    check(len(readings) >= 5 and all(now["program"] == "steady" for now in readings), f"{len(readings)} readings")
    archives = [name for name in os.listdir(where) if name.startswith("heddle-steady-")]
    same(len(archives), 1, "archives")
    found = executions(rows(os.path.join(where, archives[0])))
    same((found["!$omp parallel", "construct"], found["!$omp critical", "hold"]), (rounds, 2 * rounds), "executions in the archive")


def test_the_status_of_a_program_that_it_starts_is_its_own():
    for command, status, words in ((["sh", "-c", "exit 3"], 3, "nothing was recorded"), (["/no/such/program"], 127, "No such file")):
        done = run([HEDDLE, "live", "--once", *command], cwd=directory())
        same((done.status, words in done.err), (status, True), f"{command}: {done.err}")


def test_the_text_fits_on_a_terminal():
    with Watched() as watched:
        watched.phase()
        done = heddle("live", "--once", str(watched.pid))
        watched.end()
    lines = done.out.splitlines()
    check(re.fullmatch(rf"live \[{watched.pid}\]: 2 threads, the last \d+\.\d{{3}} s", lines[0]), lines[0])
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("Construct")):]
    check(max(map(len, table)) <= 100, "the table of constructs is wider than 100 columns:\n" + "\n".join(table))
