"""
Runs that hang and are killed: who waits for whom, for what, and at which lines. tests/programs/hangs.c hangs in every way
that OpenMP has, tests/programs/java/Hangs.java in every way that Java has. The lines are those with marks in the
programs' source.
"""
import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import time

import pytest

import harness
from java import JDKS, command
from harness import TIMEOUT, check, directory, environment, heddle, holds_mostly, process_directories, program, record, same
from trace import Trace, check_well_formed

SOURCES = os.path.join(harness.SOURCE, "..", "programs")
JNI = os.path.join(harness.PROGRAMS, "jni")


def line(source, mark):
    lines = [n for n, text in enumerate(open(os.path.join(SOURCES, source)), 1) if f"mark: {mark} */" in text or text.endswith(f"mark: {mark}\n")]
    same(len(lines), 1, f"lines of {source} with the mark {mark}")
    return lines[0]


def pace(pid):
    """The state of each thread of a process, and how often it was given a processor."""
    tasks = {}
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            tasks[path] = re.findall(r"^(?:State|\w*voluntary_ctxt_switches):\s*(\w+)", file.read(), re.M)
    return tasks


def stands_still(pid):
    """Whether no thread of a process ran for a tenth of a second; a thread that is ready to run does not stand still."""
    before = pace(pid)
    time.sleep(0.1)
    return before and before == pace(pid) and all(state == "S" for state, *_ in before.values())


def told_stuck(trace):
    """The threads of a JVM that the agent has reported as stuck: it does when it meets them a second time."""
    texts = (open(os.path.join(d, "process"), encoding="utf-8", errors="replace").read() for d in process_directories(trace))
    return {thread for text in texts for thread in re.findall(r"^stuck: \d+ (\d+) .*\n", text, re.M)}


def hang(command, threads, number, *options, patience=1.0, told=0, **settings):
    """
    Records a program until so many threads have said that they are stuck, and stand still (for a thread that spins: until `patience`
    has passed). Also ends when the agent has reported so many as stuck. Kills the program, and returns where its trace is.
    """
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([harness.HEDDLE, "record", "-o", trace, *options, "--", *command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment(**settings))
    said = [process.stdout.readline() for _ in range(threads)]
    same(said, ["stuck\n"] * threads, "what the program says")
    children = harness.programs_of(process.pid)
    same(len(children), 1, "programs that heddle record runs")
    end = time.monotonic() + (TIMEOUT if told else patience)
    while time.monotonic() < end and not (len(told_stuck(trace)) >= told if told else stands_still(children[0])):
        same(process.poll(), None, "status of a program that hangs")
        time.sleep(0.02)
    os.kill(int(children[0]), number)
    out, err = process.communicate()
    same(out, "", f"what the program says then ({err})")
    return trace


def stuck(trace, command="locks"):
    done = heddle(command, trace, "--json")
    same((done.status, done.err), (0, ""), "heddle " + command)
    document = json.loads(done.out)
    return document, [[row[key] for key in ("deadlock", "thread_name", "waits_for", "place", "holder", "holder_place")]
                      for row in document.get("deadlocks", [])]


def explained(command, threads, number, should_be, **settings):
    """Both commands say it; a thread may need longer to come to its last call than it has. Returns the trace and the document of a run."""
    found = []

    def attempt():
        trace = hang(command, threads, number, **settings)
        document, rows = stuck(trace)
        print(rows)
        if rows != should_be:
            return False
        same(stuck(trace, "info")[1], rows, "heddle info")
        same(document["findings"][0]["subject"], "deadlock", "the first finding")
        for row in rows[:2]:
            check(row[1] in document["findings"][0]["text"], f"{row[1]} is in {document['findings'][0]['text']}")
        found.append((trace, document))
        return True

    holds_mostly(attempt, f"{should_be} is said")
    return found[-1]


def at(construct, mark):
    return f"{construct} @hangs.c:{line('hangs.c', mark)}"


def fork(number):
    return f"forks @hangs.c:{line('hangs.c', 'init')} #{number}"


MASTER, ONE, TWO = "OpenMP master", "OpenMP thread 1", "OpenMP thread 2"


def ring(threads):
    names = [MASTER, ONE, TWO][:threads]
    return [[1, names[i], fork((i + 1) % threads + 1), at("omp_set_lock", "second fork"), names[(i + 1) % threads],
             at("omp_set_lock", "first fork")] for i in range(threads)]


def critical():
    """libomp does not report a critical section's name."""
    return "critical (table)" if harness.ON_LIBGOMP else at("!$omp critical", "critical in lock")


HANGS = {
    "locks": (2, lambda: ring(2)),
    "three": (3, lambda: ring(3)),
    "criticals": (2, lambda: [
        [1, MASTER, fork(1), at("omp_set_lock", "lock in critical"), ONE, at("omp_set_lock", "lock")],
        [1, ONE, critical(), at("!$omp critical", "critical in lock"), MASTER, at("!$omp critical", "critical")]]),
    "self": (1, lambda: [[1, MASTER, fork(1), at("omp_set_lock", "twice"), MASTER, at("omp_set_lock", "once")]]),
    "barrier": (3, lambda: [
        [1, MASTER, "the barrier", at("!$omp barrier wait", "the barrier"), ONE, None],
        [1, ONE, fork(1), at("omp_set_lock", "instead of the barrier"), MASTER, at("omp_set_lock", "before the barrier")],
        [None, TWO, "the barrier", at("!$omp barrier wait", "the barrier"), ONE, None]]),
    "ended": (1, lambda: [[None, MASTER, fork(1), at("omp_set_lock", "for ever"), "take 1",
                           at("omp_set_lock", "before its end")]]),
}


@pytest.mark.parametrize("how", list(HANGS))
def test_a_killed_run_is_explained(how):
    threads, rows = HANGS[how]
    explained([program("hangs"), how], threads, signal.SIGKILL, rows())


@pytest.mark.parametrize("how", ["locks", "barrier"])
def test_an_interrupted_run_is_explained(how):
    threads, rows = HANGS[how]
    explained([program("hangs"), how], threads, signal.SIGINT, rows())


POSIX = "hangs_posix"


def posix(construct, mark):
    return f"{construct} @{POSIX}.c:{line(POSIX + '.c', mark)}"


def mutex(number):
    return f"forks[{number}] @{POSIX}.c:{line(POSIX + '.c', 'init')}"


def posix_ring(threads, rows):
    """Each diner waits for the fork after its own; which of them started first has the first number."""
    check(len(rows) == threads + 1 and rows[-1][:3] == [None, "main thread", "the thread's end"], f"the joiner waits behind: {rows}")
    same(rows[-1][3], posix("pthread join", "join a diner"), "where")
    wanted = {row[1]: row[2] for row in rows[:threads]}
    same(sorted(wanted), [f"dine {i + 1}" for i in range(threads)], "who waits")
    same(sorted(wanted.values()), [mutex(i) for i in range(threads)], "for what")
    for row in rows[:threads]:
        same([row[0], row[3], row[5]], [1, posix("pthread mutex", "second fork"), None], "a row of the cycle")
    same([row[4] for row in rows[:threads]], [row[1] for row in rows[1:threads] + rows[:1]], "each holder has the next row")


def of_two(rows, *ways, behind=()):
    """The rows of two threads that wait for each other, in one of the ways, whichever comes first; and who waits behind them."""
    check(sorted(rows[:2]) in [sorted(way) for way in ways], f"the cycle: {rows}")
    same([row[:2] for row in rows[2:]], list(behind), "behind it")


def writers(rows):
    """Which of both threads started first, and so has the first number, is luck."""
    def row(writer, other, number, construct, mark):
        plate = f"plates[{number}] @{POSIX}.c:{line(POSIX + '.c', 'init plates')}"
        return [1, f"write_both {writer}", plate, posix(construct, mark), f"write_both {other}", None]

    ways = [[row(a, b, 1, "pthread rwlock write", "write"), row(b, a, 0, "pthread rwlock read", "read")] for a, b in ((1, 2), (2, 1))]
    of_two(rows, *ways, behind=[[None, "main thread"]])


def one(rows, thread, mark, cycle, holder):
    same(rows, [[cycle, thread, mutex(0), posix("pthread mutex", mark), holder, None]], "the rows")


def joined(rows):
    of_two(rows, [[1, "main thread", "the thread's end", posix("pthread join", "join"), "take_first 1", None],
                  [1, "take_first 1", mutex(0), posix("pthread mutex", "the joiner's"), "main thread", None]])


def of_two_kinds(rows):
    section = "critical (table)" if harness.ON_LIBGOMP else posix("!$omp critical", "critical in mutex")
    of_two(rows, [[1, MASTER, mutex(0), posix("pthread mutex", "mutex in critical"), ONE, None],
                  [1, ONE, section, posix("!$omp critical", "critical in mutex"), MASTER, posix("!$omp critical", "critical")]])


# By way: how many threads hang, and what must be true of the rows.
POSIX_HANGS = {
    "mutexes": (2, lambda rows: posix_ring(2, rows)),
    "three": (3, lambda rows: posix_ring(3, rows)),
    "self": (1, lambda rows: one(rows, "main thread", "twice", 1, "main thread")),
    "join": (2, joined),
    "rwlocks": (2, writers),
    "mixed": (2, of_two_kinds),
    "ended": (1, lambda rows: one(rows, "main thread", "for ever", None, "keep 1")),
}


@pytest.mark.parametrize("how", list(POSIX_HANGS))
def test_posix_threads_are_explained(how):
    threads, holds = POSIX_HANGS[how]

    def attempt():
        try:
            trace = hang([program(POSIX), how], threads, signal.SIGKILL)
            holds(stuck(trace)[1])
        except AssertionError as error:  # a thread may need longer to come to its last call, and who gets a mutex is luck
            print(error)
            return False
        same(stuck(trace, "info")[1], stuck(trace)[1], "heddle info")
        return True
    holds_mostly(attempt, f"{how} is explained")


# By way: whether the thread that hangs waits at that place at the end.
NO_DEADLOCKS = {"handed": ("pthread mutex", "behind", r"forks\[1\] @.*"), "lost": ("pthread condition", "no signal", "fed"),
                "late": ("pthread barrier", "alone", "door @.*"), "hungry": ("semaphore", "no meal", "meals @.*")}


@pytest.mark.parametrize("how", list(NO_DEADLOCKS))
def test_what_may_go_on_is_not_claimed(how):
    """But the report says that the thread waited when the run was killed."""
    def attempt():
        trace = hang([program(POSIX), how], 1, signal.SIGKILL)
        same(stuck(trace)[1], [], "deadlocks")
        what, mark, name = NO_DEADLOCKS[how]
        rows = [row for row in stuck(trace)[0].get("waiting", []) if row["thread_name"] == "main thread"]
        return (len(rows) == 1 and rows[0]["place"] == f"{what} @{POSIX}.c:{line(POSIX + '.c', mark)}" and
                re.fullmatch(name, rows[0]["waits_for"]) is not None)
    holds_mostly(attempt, f"{how} hangs at its place")


def order(how, name="orders"):
    done = record([program(name), how], "--lock-order")
    same(done.status, 0, f"status ({done.err})")
    told = heddle("locks", "--order", done.trace, "--json")
    same((told.status, told.err), (0, ""), "heddle locks --order")
    document = json.loads(told.out)
    return [[row[key] for key in ("inversion", "thread_name", "first", "first_place", "second", "second_place", "times", "gate")]
            for row in document["orders"]], document["orders_sentence"]


def ring_of_orders(threads, gate=None):
    def lock(number):
        return f"locks @orders.c:{line('orders.c', 'init')} #{number % threads + 1}"

    return [[1, name, lock(i), f"omp_set_lock @orders.c:{line('orders.c', 'first')}", lock(i + 1),
             f"omp_set_lock @orders.c:{line('orders.c', 'second')}", 1, gate]
            for i, name in enumerate([MASTER, ONE, TWO][:threads])]


def test_inversions_are_told():
    same(order("pair")[0], ring_of_orders(2), "two locks")
    rows, sentence = order("three")
    same(rows, ring_of_orders(3), "three locks")
    check(sentence.startswith("1 inversion of the order of locks"), sentence)


def test_a_gate_guards_and_one_thread_alone_cannot():
    rows, sentence = order("gated")
    same(rows, ring_of_orders(2, f"gate @orders.c:{line('orders.c', 'init gate')}"), "behind a gate")
    check(sentence.startswith("All threads acquired locks in one order, but where a further lock guards"), sentence)
    same(order("alone")[0], [], "one thread")


# What two threads hold, where they acquired it, what they acquire then, where.
POSIX_ORDERS = {
    "pair": (("locks[0]", "first", "locks[1]", "second"), ("locks[1]", "first", "locks[0]", "second")),
    "gated": (("locks[0]", "first", "locks[1]", "second"), ("locks[1]", "first", "locks[0]", "second")),
    "three": (("locks[0]", "first", "locks[1]", "second"), ("locks[1]", "first", "locks[2]", "second"), ("locks[2]", "first", "locks[0]", "second")),
    "rwlock": (("rwlock", "read", "locks[0]", "second"), ("locks[0]", "first", "rwlock", "write")),
    "condition": (("locks[0]", "first", "locks[1]", "second"), ("locks[1]", "second", "locks[0]", "wait")),
    "tried": (),
    "recursive": (),
}


@pytest.mark.parametrize("how", POSIX_ORDERS)
def test_inversions_of_posix_threads_are_told(how):
    """Also of acquisitions that waited for nobody. Tries never wait, a recursive mutex is held until it is unlocked as often as it was locked."""
    rows, sentence = order(how, "orders_posix")
    found = [(row[2].split(" @")[0], row[3], row[4].split(" @")[0], row[5]) for row in rows]
    same(found, [(held, f"pthread acquisitions @orders_posix.c:{line('orders_posix.c', at)}", then,
                  f"pthread acquisitions @orders_posix.c:{line('orders_posix.c', there)}") for held, at, then, there in POSIX_ORDERS[how]], how)
    same({row[7] for row in rows}, {f"gate @orders_posix.c:{line('orders_posix.c', 'init gate')}"} if how == "gated" else {None} if rows else set(), "gates")
    check(sentence.startswith("1 inversion " if rows and how != "gated" else "All threads acquired locks in one order"), sentence)


def java_line(mark):
    return f"Hangs.java:{line('java/Hangs.java', mark)}"


# With the field, where the instruction that waits has it.
FORK = r'Hangs\$Fork( "Hangs\.(LEFT|RIGHT)")?@[0-9a-f]+'
LOCK = r'java\.util\.concurrent\.locks\.ReentrantLock\$NonfairSync( "Hangs\$Fork\.lock")?@[0-9a-f]+'
# By thread: what it waits for, in what, and at which mark.
JAVA_HANGS = {
    "monitors": {"one": (FORK, "monitor enter", "second monitor"), "two": (FORK, "monitor enter", "second monitor")},
    "locks": {"one": (LOCK, "lock", "second lock"), "two": (LOCK, "lock", "second lock")},
    "classes": {"one": (r"static initializer of Hangs\$Right", "class initialization", "needs the right class"),
                "two": (r"static initializer of Hangs\$Left", "class initialization", "needs the left class")},
    "both": {"one": (LOCK, "lock", "lock in monitor"), "two": (FORK, "monitor enter", "monitor in lock")},
    "join": {"one": ("the thread's end", "Thread.join", "join"), "two": (FORK, "monitor enter", "monitor for ever")},
}


def java_rows(trace):
    """{thread: (what it waits for, place, holder, where that one is)}, all in one cycle."""
    rows = stuck(trace)[1]
    same({row[0] for row in rows} - {1}, set(), "cycles")
    return {row[1]: row[2:] for row in rows}


@pytest.mark.parametrize("case", [f"{jdk}.{how}.{number.name}" for jdk in JDKS for how in JAVA_HANGS for number in (signal.SIGKILL, signal.SIGINT)])
def test_java_is_explained(case):
    if harness.ON_LIBGOMP:
        pytest.skip("it has no OpenMP: the other run of this file has it")
    jdk, how, number = case.rsplit(".", 2)
    should_be = JAVA_HANGS[how]
    trace = hang(command(jdk, "Hangs", how), 2, signal.Signals[number], told=2)
    rows = java_rows(trace)
    same(set(rows), {"one", "two"}, "threads that can never go on")
    for thread, other in (("one", "two"), ("two", "one")):
        what, region, mark = should_be[thread]
        check(re.fullmatch(what, rows[thread][0]), f"{thread} waits for {what}: {rows[thread]}")
        same(rows[thread][1:3], [f"{region} @{java_line(mark)}", other], f"where {thread} waits, and for whom")
        if region != "Thread.join":
            same(rows[thread][3], f"monitor owner @{java_line(should_be[other][2])}", f"where {other} is")
    check(heddle("info", trace).out.count("Look first at the deadlock of 2 threads: ") == 1, "heddle info says it")


# By thread: its object and construct of waiting, its mark, and the thread that is the reason.
VIRTUAL_HANGS = {
    "monitors": {"one": (FORK, "monitor enter", "second monitor", "two"), "two": (FORK, "monitor enter", "second monitor", "one")},
    "locks": {"one": (LOCK, "lock", "second lock", "two"), "two": (LOCK, "lock", "second lock", "one")},
    "both": {"one": (LOCK, "lock", "lock in monitor", "two"), "two": (FORK, "monitor enter", "monitor in lock", "one")},
    "three": {"one": (LOCK, "lock", "lock in monitor", "two"), "two": (FORK, "monitor enter", "other monitor in lock", "three"),
              "three": (FORK, "monitor enter", "monitor in monitor", "one")},
    "join": {"two": (FORK, "monitor enter", "monitor for ever", "one"), "one": ("the thread's end", "Thread.join", "join", "two")},
}
# p: a platform thread; v: a virtual one; n: one that keeps its carrier, for a native method; a: one without a name.
VIRTUAL_CASES = ["monitors.vv", "monitors.vp", "monitors.nn", "monitors.nv", "locks.vv", "locks.pv", "locks.nv", "both.vv", "both.vp", "both.pv", "both.aa",
                 "three.vvv", "three.vpv", "three.pvp", "join.vv", "join.vp", "join.pv"]


def has_virtual_threads(jdk):
    return "17" not in jdk


def check_virtual(trace, how, threads):
    """The cycle is the one in VIRTUAL_HANGS; a thread without a name has its id."""
    rows, should_be = java_rows(trace), VIRTUAL_HANGS[how]
    names = {}
    for name, kind in zip(should_be, threads):
        what, region, mark, _ = should_be[name]
        place = f"{region} @{java_line(mark)}"
        names[name] = name if kind != "a" else next((thread for thread, row in rows.items() if row[1] == place), None)
        check(kind != "a" or re.fullmatch("virtual thread [0-9]+", names[name]), f"the name of {name}: {names[name]}")
    same(set(rows), set(names.values()), "threads that can never go on")
    for name, (what, region, mark, other) in should_be.items():
        row = rows[names[name]]
        check(re.fullmatch(what, row[0]), f"{name} waits for {what}: {row}")
        same(row[1:], [f"{region} @{java_line(mark)}", names[other], f"monitor owner @{java_line(should_be[other][2])}"],
             f"where {name} waits, for whom, and where that one is")


@pytest.mark.parametrize("case", [f"{jdk}.{case}" for jdk in JDKS for case in VIRTUAL_CASES])
def test_virtual_threads_are_explained(case):
    if harness.ON_LIBGOMP:
        pytest.skip("it has no OpenMP: the other run of this file has it")
    jdk, how, threads = case.rsplit(".", 2)
    if not has_virtual_threads(jdk):
        pytest.skip("this JDK has no virtual threads")
    options = ["-Djdk.virtualThreadScheduler.parallelism=4", "-Djdk.reflect.useNativeAccessorOnly=true", "-Xcheck:jni"]
    trace = hang(command(jdk, "Hangs", how, threads, options=options), len(threads), signal.SIGINT if how == "both" else signal.SIGKILL, told=len(threads))
    check_virtual(trace, how, threads)
    info = heddle("info", trace)
    check(info.out.count(f"Look first at the deadlock of {len(threads)} threads: ") == 1, "heddle info says it")
    virtual = sum(kind != "p" for kind in threads)
    states = json.loads(heddle("states", "--json", "--jvm-threads", trace).out)
    names = {row["thread_name"] for row in states["threads"]}
    same(len(names & set(VIRTUAL_HANGS[how])), len(threads) - virtual, f"threads that have states, of {names}")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_deadlock_of_virtual_threads_that_was_broken_is_none(jdk):
    if harness.ON_LIBGOMP:
        pytest.skip("it has no OpenMP: the other run of this file has it")
    if not has_virtual_threads(jdk):
        pytest.skip("this JDK has no virtual threads")
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([harness.HEDDLE, "record", "-o", trace, "--", *command(jdk, "Hangs", "broken", "vv")], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    same([process.stdout.readline() for _ in range(2)], ["stuck\n"] * 2, "what the program says")
    end = time.monotonic() + TIMEOUT
    while len(told_stuck(trace)) < 2:
        check(time.monotonic() < end, "nobody is told to be stuck")
        time.sleep(0.05)
    out, err = process.communicate("\n")
    same((process.returncode, out), (0, "gave up\n"), f"status and stdout ({err})")
    same(stuck(trace)[1], [], "deadlocks")
    archive = Trace(trace)
    check_well_formed(archive)
    threads = [l for l in archive.locations if l.properties.get("HEDDLE::THREAD_TYPE") == "java virtual"]
    same(sorted(l.name for l in threads), ["one", "two"], "virtual threads that were told")
    for thread in threads:
        same([(region.name, "closed" in leave.attributes) for region, _, leave in archive.spans(thread)],
             [(f"lock @{java_line('lock for a while')}", False)], "its wait, which ended")


@pytest.mark.parametrize("case", [f"{jdk}.{how}" for jdk in JDKS for how in ("monitors", "locks")])
def test_virtual_threads_are_explained_behind_many_others(case):
    """100,000 that wait for one that does not run are no deadlock, and none of them is reported."""
    if harness.ON_LIBGOMP:
        pytest.skip("it has no OpenMP: the other run of this file has it")
    jdk, how = case.rsplit(".", 1)
    if not has_virtual_threads(jdk):
        pytest.skip("this JDK has no virtual threads")
    trace = hang(command(jdk, "Hangs", how, "vv", 100000), 2, signal.SIGKILL, told=2)
    check_virtual(trace, how, "vv")
    same([row["thread_name"] for row in stuck(trace)[0].get("waiting", []) if row["thread_name"].startswith("virtual")], [], "threads that are told to wait")


def test_a_jvm_that_hangs_is_told_in_each_recording_of_it():
    if harness.ON_LIBGOMP:
        pytest.skip("it has no OpenMP: the other run of this file has it")
    jdk = sorted(JDKS)[0]
    with subprocess.Popen(command(jdk, "Hangs", "locks", options=["-XX:+EnableDynamicAgentLoading"]), stdout=subprocess.PIPE, text=True, env=environment()) as process:
        try:
            same([process.stdout.readline() for _ in range(2)], ["stuck\n"] * 2, "what the program says")
            for number in range(2):
                trace = os.path.join(directory(), f"{number}.heddle")
                same(heddle("attach", "-o", trace, str(process.pid)).status, 0, "heddle attach")
                end = time.monotonic() + TIMEOUT
                while len(told_stuck(trace)) < 2:
                    check(time.monotonic() < end, f"recording {number} does not tell who is stuck")
                    time.sleep(0.05)
                same(heddle("detach", str(process.pid)).status, 0, "heddle detach")
        finally:
            process.kill()


@pytest.mark.parametrize("jdk", JDKS)
def test_a_monitor_and_a_mutex_of_native_code_are_explained(jdk):
    at_start = [JDKS[jdk], f"-Djava.library.path={JNI}", "-cp", JNI, "Crossed"]
    rows = java_rows(hang(at_start, 2, signal.SIGKILL, told=1, HEDDLE_PTHREAD="1"))
    same(set(rows), {"one", "two"}, "threads that can never go on")
    monitor = f"monitor enter @Crossed.java:{line('jni/Crossed.java', 'monitor in mutex')}"
    mutex = f"pthread mutex @crossed.c:{line('jni/crossed.c', 'the mutex')}"
    check(re.fullmatch(r'java\.lang\.Object "Crossed\.GUARD"@[0-9a-f]+', rows["one"][0]), f"one waits for {rows['one'][0]}")
    same(rows["one"][1:3], [monitor, "two"], "where one waits, and for whom")
    same(rows["two"][:3], ["crossed", mutex, "one"], "for what two waits, where, and for whom")


def test_the_sentence_has_all_of_it():
    trace, document = explained([program("hangs"), "self"], 1, signal.SIGKILL, HANGS["self"][1]())
    text = re.sub(r"from [0-9.]+ [mun]?s on", "from T on", document["findings"][0]["text"])
    same(text, f"the deadlock of 1 thread: OpenMP master waits for {fork(1)} ({at('omp_set_lock', 'twice')}, from T on), "
               f"which it holds itself ({at('omp_set_lock', 'once')}, from T on).", "the finding")
    same(heddle("info", trace).out.count("Look first at the deadlock of 1 thread"), 1, "sentences of heddle info")


def test_waits_without_a_known_end_are_no_deadlock():
    """A run that is killed while its threads take turns."""
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([harness.HEDDLE, "record", "-o", trace, "--", program("counter"), os.path.join(directory(), "c")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        os.kill(int(harness.programs_of(process.pid)[0]), signal.SIGKILL)
    process.communicate()
    same(stuck(trace)[1], [], "deadlocks")
