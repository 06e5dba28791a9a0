"""
Waits of POSIX, C11 and C++ threads in the raw trace. Programs that count their own waits run with libheddle-pthread.so, and do what
they do without it.
"""
import collections
import os
import re
import shutil
import subprocess

import pytest

import raw
from harness import (BUILD, GOMP, ON_LIBGOMP, PROGRAMS, check, directory, heddle, preloading, process_directories, program, record, run, run_raw,
                     same, until_it_happens)

LAYER = os.path.join(BUILD, "lib", "libheddle-pthread.so")
NAMES = ["alone", "atomics", "c11", "cancel", "contention", "forks", "kinds", "others", "pipeline", "pool", "queue", "rwlock"]
MUTEX, READ, WRITE, SPIN, CONDITION, SEMAPHORE, BARRIER, JOIN, ATOMIC = range(1, 10)
TIMED_OUT, FAILED, OWNER_DIED = 0x10, 0x20, 0x40
UNLOCK, SIGNAL, BROADCAST, POST, ARRIVAL, END, NOTIFY_ONE, NOTIFY_ALL = range(1, 9)


def path_of(name):
    path = os.path.join(PROGRAMS, "pthread", name)
    if not os.path.exists(path):
        pytest.skip(f"{path} is not built")
    return path


class Trace:
    """What the processes of a run recorded: the threads' records, and sums of them."""

    def __init__(self, trace):
        self.processes = [raw.threads(d) for d in process_directories(trace)]
        self.kinds, self.counts = collections.Counter(), collections.Counter()
        for record_ in self.records():
            if record_.name == "pthread_count":
                self.counts[record_.detail] += record_.words[1]
            elif record_.name.startswith("pthread_"):
                self.kinds[record_.name[8:], record_.detail] += 1

    def records(self):
        return (r for process in self.processes for thread in process.values() for r in thread)


def with_layer(command, **settings):
    trace = os.path.join(directory(), "run.heddle")
    settings = {"HEDDLE_BUDGET": "none", **settings}
    done = run(command, LD_PRELOAD=LAYER, HEDDLE_CONVERT="0", HEDDLE_DIR=trace, **settings)
    same((done.signal, done.err), (0, ""), "signal, stderr")
    check(done.status in (0, 3), f"exit status {done.status}: {done.out}")
    return done, Trace(trace)


def numbers(out):
    return {name: int(number) for name, number in re.findall(r"([a-z ]+) (\d+)", out.replace(", ", "\n"))}


def waits_are_whole(thread):
    """Each wait of a thread ends before the next one begins, with the same object; releases are of locks got so."""
    waiting, held = None, []
    for r in thread:
        if r.name == "pthread_wait":
            check(waiting is None, f"{r} inside {waiting}")
            waiting = r
        elif r.name == "pthread_waited":
            check(waiting is not None and (r.detail & 15, r.words[0]) == (waiting.detail, waiting.words[0]), f"{r} ends {waiting}")
            if r.detail & 15 <= SPIN and not r.detail & (TIMED_OUT | FAILED):
                held.append(r.words[0])
            waiting = None
        elif r.name == "pthread_released":
            check(r.value in held, f"{r} of a lock that was not got after a wait")
            held.remove(r.value)
    check(waiting is None or thread[-1].name != "thread_end", f"{waiting} never ends")


@pytest.mark.parametrize("name", NAMES)
def test_a_program_does_the_same_with_the_layer(name):
    plain = run([path_of(name)])
    done, trace = with_layer([path_of(name)])
    if name == "queue":  # its waits are as it happens
        same(done.status, 0, "exit status")
    else:
        same((done.status, done.out), (plain.status, plain.out), "status, stdout")
    for process in trace.processes:
        for thread in process.values():
            waits_are_whole(thread)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_does_the_same_within_a_budget(name):
    _, trace = with_layer([path_of(name)], HEDDLE_BUDGET="1/5")
    weights = collections.Counter()
    for process in trace.processes:
        for thread in process.values():
            waits_are_whole(thread)
            for before, r in zip(thread, thread[1:]):
                if r.name == "pthread_wait":
                    weights[r.detail] += before.value if before.name == "weight" else 1
            for r in thread:
                if r.name == "counted" and r.detail == raw.NUMBERS["pthread_wait"]:
                    weights[r.words[0] >> 48] += r.words[0] & (1 << 48) - 1
    if name == "contention":
        same((weights[MUTEX], weights[BARRIER]), (50, 200), "waits by their weights")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="syscall() is not interposed here")
def test_futexes_of_the_program_are_waits_with_their_wakers():
    _, trace = with_layer([path_of("atomics")])
    waits = [r for r in trace.records() if r.name == "pthread_wait" and r.detail == ATOMIC]
    check(len(waits) >= 20 + 3, f"{len(waits)} waits")
    same((trace.kinds["wake", NOTIFY_ONE], trace.kinds["wake", NOTIFY_ALL]), (10, 10), "wakes of one, of all")
    same((trace.kinds["waited", ATOMIC | TIMED_OUT], trace.kinds["waited", ATOMIC | FAILED]), (1, 1), "waits that failed")
    word = {r.words[0] for r in trace.records() if r.name == "pthread_wake" and r.detail in (NOTIFY_ONE, NOTIFY_ALL)}
    check(len(word) == 1 and sum(r.words[0] in word for r in waits) >= 20, f"one word: {word}")


def test_a_process_without_threads_leaves_nothing():
    _, trace = with_layer([path_of("alone")])
    same(trace.processes, [], "processes in the trace")


def test_contended_acquisitions_are_those_that_the_program_counts():
    done, trace = with_layer([path_of("contention")])
    own = numbers(done.out)
    same(trace.kinds["wait", MUTEX], own["contended"], "waits for the mutex")
    same(trace.counts[MUTEX], own["uncontended"], "acquisitions without a wait")
    same((trace.kinds["released", MUTEX], trace.kinds["wake", UNLOCK]), (own["contended"],) * 2, "releases, wakes")
    same((trace.kinds["object", MUTEX], trace.kinds["object", BARRIER], trace.kinds["gone", BARRIER]), (1, 1, 1), "objects")
    main_tid = next(r.value for r in trace.processes[0][0] if r.name == "thread_begin")
    owners = {r.words[1] for r in trace.records() if r.name == "pthread_wait" and r.detail == MUTEX}
    same(owners, {main_tid}, "owners of the mutex")
    for r in trace.records():
        if r.name == "pthread_wake" and r.detail == ARRIVAL:
            check(r.value != 0, "an arrival without its place")
    same((trace.kinds["wait", BARRIER], trace.kinds["wake", ARRIVAL]), (200, 100), "waits at the barrier, last arrivals")


def test_each_acquisition_is_recorded_when_asked():
    """With HEDDLE_PTHREAD=all: a thread takes the mutex and releases it, in turn."""
    done, trace = with_layer([path_of("contention")], HEDDLE_PTHREAD="all")
    own = numbers(done.out)
    same(len([r for r in trace.records() if r.name == "pthread_held"]), own["uncontended"], "acquisitions, each for itself")
    same([r for r in trace.records() if r.name == "pthread_count"], [], "counts")
    same(trace.kinds["released", MUTEX], own["contended"] + own["uncontended"], "releases")
    for thread in trace.processes[0].values():
        held = 0
        for r in thread:
            held += r.name == "pthread_held" or r.name == "pthread_waited" and r.detail == MUTEX
            held -= r.name == "pthread_released"
            check(held in (0, 1), f"{r}: the thread has the mutex {held} times")


def test_tries_and_waits_add_up():
    done, trace = with_layer([path_of("tries")])
    own = numbers(done.out)
    same(trace.counts[MUTEX | FAILED], own["failed"], "tries that failed")
    same(trace.counts[MUTEX] + trace.kinds["waited", MUTEX], own["acquisitions"], "acquisitions")


def test_waits_for_conditions_have_their_wakers():
    done, trace = with_layer([path_of("queue")])
    own = numbers(done.out)
    waits, by_object = [], collections.Counter()
    for r in trace.records():
        if r.name == "pthread_wait" and r.detail == CONDITION:
            waits.append(r)
            by_object[r.words[0]] += 1
    same(sorted(by_object.values()), sorted([own["waits"], own["idle"]]), "waits by condition")
    wakes = collections.Counter((r.detail, r.words[0]) for r in trace.records() if r.name == "pthread_wake")
    filled = next(o for o, n in by_object.items() if n == own["waits"])
    same((wakes[SIGNAL, filled], wakes[BROADCAST, filled]), (own["signals"], own["broadcasts"]), "signals, broadcasts")
    mutexes = {r.words[1] for r in waits}
    same(len(mutexes), 1, "mutexes of the conditions")


def test_readers_and_writers_wait():
    done, trace = with_layer([path_of("rwlock")])
    waits = numbers(done.out)["waits"] // 3
    same((trace.kinds["waited", READ], trace.kinds["waited", WRITE]), (waits, 2 * waits), "waits that got the lock")
    same(trace.kinds["waited", WRITE | TIMED_OUT], 2, "waits that ended with their time")
    same(trace.kinds["released", READ] + trace.kinds["released", WRITE], 3 * waits, "releases")
    check(trace.kinds["wake", UNLOCK] >= 3 * waits, f"wakes: {trace.kinds}")


def test_semaphores_count_what_they_give():
    done, trace = with_layer([path_of("pipeline")])
    own = numbers(done.out)
    same(trace.counts[SEMAPHORE] + trace.kinds["waited", SEMAPHORE], own["waits that got something"], "waits that got something")
    same(trace.kinds["waited", SEMAPHORE | TIMED_OUT], 2, "waits that ended with their time")
    same(trace.counts[SEMAPHORE | FAILED], 1, "tries that failed")
    check(trace.kinds["waited", SEMAPHORE | FAILED] >= 1, "no wait was interrupted")


def test_cancelled_waits_end():
    _, trace = with_layer([path_of("cancel")])
    for kind in CONDITION, SEMAPHORE, JOIN:
        same(trace.kinds["waited", kind | FAILED], 1, f"cancelled waits of kind {kind}")


def test_spinlocks_barriers_and_joins():
    done, trace = with_layer([path_of("others")])
    own = numbers(done.out)
    same(trace.kinds["wake", ARRIVAL], own["meetings"], "last arrivals")
    same(trace.kinds["wait", BARRIER], own["acquisitions"], "arrivals")
    same(trace.counts[SPIN] + trace.kinds["waited", SPIN], own["acquisitions"], "acquisitions of the spinlock")
    same((trace.kinds["waited", JOIN | TIMED_OUT], trace.kinds["create", 0], trace.kinds["start", 0]), (2, 4, 4), "joins in vain, threads")
    tids = {r.value for r in trace.records() if r.name == "thread_begin"}
    joined = {r.words[1] for r in trace.records() if r.name == "pthread_wait" and r.detail == JOIN}
    check(joined and joined <= tids, f"threads that were joined: {joined} of {tids}")


def test_each_thread_begins_and_ends_with_its_number():
    _, trace = with_layer([path_of("rwlock")])
    created = [r.words[0] for r in trace.records() if r.name == "pthread_create"]
    started = []
    for thread in trace.processes[0].values():
        for r in thread:
            if r.name == "pthread_start":
                started.append(r.words[0])
                check(r.value != 0, "a start without a function")
                same(thread[-1].name, "thread_end", "the thread's last record")
    same((sorted(created), sorted(started)), (list(range(1, 61)),) * 2, "numbers")


def test_robust_mutexes_say_that_their_owner_died():
    _, trace = with_layer([path_of("kinds")])
    same(trace.kinds["waited", MUTEX | OWNER_DIED], 1, "waits that ended with the owner")


def test_a_forked_child_starts_afresh():
    _, trace = with_layer([path_of("forks")])
    same(len(trace.processes), 2, "processes")
    for process in trace.processes:
        kinds = collections.Counter((r.name, r.detail) if r.name == "pthread_wait" else r.name
                                    for thread in process.values() for r in thread)
        same((kinds["pthread_start"], kinds["pthread_wait", MUTEX], kinds["pthread_released"]), (1, 1, 1), "starts, waits, releases")
        check(kinds["pthread_wait", JOIN] <= 1, "joins that waited: the thread may have ended before")


def test_the_cxx_library_waits_for_the_program():
    """A wait in std::condition_variable, a join, a thread's start are where the program has them, not in libstdc++."""
    path = path_of("pool")

    def waits():
        _, trace = with_layer([path], HEDDLE_VERBOSE="0")
        return trace if trace.kinds["wait", CONDITION] > 0 else None

    trace = until_it_happens(waits, "did a thread of the pool wait")
    names = collections.Counter()
    for r in trace.records():
        if r.name in ("pthread_wait", "pthread_create", "pthread_start") or r.name == "pthread_wake" and r.detail != END:
            check(r.value >> 40 in (0x55, 0x56), f"{r.name} {r.detail} is at {r.value:x}: in a library")
            names[r.name] += 1
    same((names["pthread_create"], names["pthread_start"]), (3, 3), "threads")


def test_waits_of_runtimes_are_theirs():
    """An OpenMP program that calls no such function: the layer is there, and records nothing."""
    done = run_raw([program("lu"), "50"], LD_PRELOAD=preloading(*([GOMP] if ON_LIBGOMP else []), LAYER))
    same((done.status, done.tool_err), (0, []), "status, Heddle's lines")
    trace = Trace(done.trace)
    check(len(trace.processes) == 1 and len(trace.processes[0]) == 2, f"processes, threads: {trace.processes}")
    same((trace.kinds, trace.counts), ({}, {}), "records and counts of the layer")


def test_record_preloads_it_into_all_programs():
    for name in path_of("queue"), "true":
        done = heddle("record", "--dry-run", name)
        check("libheddle-pthread.so" in re.search(r"^LD_PRELOAD=(.*)$", done.out, re.M)[1], done.out)
    done = heddle("record", "--dry-run", "--no-pthread", path_of("queue"))
    check("libheddle-pthread.so" not in re.search(r"^LD_PRELOAD=(.*)$", done.out, re.M)[1], done.out)
    check("HEDDLE_PTHREAD=0" in done.out, done.out)


def test_turned_off_it_records_nothing():
    _, trace = with_layer([path_of("contention")], HEDDLE_PTHREAD="0")
    same(trace.processes, [], "processes in the trace")
    _, trace = with_layer([path_of("contention")], HEDDLE="off")
    same(trace.processes, [], "processes in the trace")


def test_a_storm_stays_within_its_size():
    """Most unlocks come before the thread that waits has a processor: they are one wake."""
    done, trace = with_layer([path_of("storm")])
    same(trace.counts[MUTEX] + trace.kinds["waited", MUTEX], int(done.out), "acquisitions")
    wakes, ends = trace.kinds["wake", UNLOCK], trace.kinds["wait", MUTEX] + trace.kinds["waited", MUTEX]
    check(wakes <= 4 * (ends + 4), f"{wakes} wakes at {ends} begins and ends of waits")


@pytest.mark.parametrize("sanitizer", ["thread", "address"])
def test_sanitizers_keep_working(sanitizer):
    """Programs with a sanitizer, by its library and inside the program, find nothing; with a race in them they find it."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "pthread")
    include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    for compiler in "gcc", os.environ.get("HEDDLE_OMP_COMPILER", "clang"):
        for name in "queue", "contention", "pipeline", "cancel", "c11":
            path = os.path.join(directory(), name)
            built = subprocess.run([compiler, f"-fsanitize={sanitizer}", "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", f"-I{include}",
                                    os.path.join(source, name + ".c"), "-o", path, "-pthread"], capture_output=True, text=True)
            if built.returncode != 0:
                pytest.skip(f"{compiler} has no {sanitizer} sanitizer here")
            plain = run([path], ASAN_OPTIONS="verify_asan_link_order=0")
            if plain.status != 0:
                continue  # the sanitizer itself can't, as in a machine with other address spaces
            done = run([path], LD_PRELOAD=LAYER, HEDDLE_CONVERT="0", HEDDLE_DIR=os.path.join(directory(), "t"),
                       ASAN_OPTIONS="verify_asan_link_order=0")
            same((done.status, done.err), (0, ""), f"{compiler} {name}: status, stderr")


@pytest.mark.parametrize("name", ["xz", "sort", "pigz", "zstd", "git"])
def test_programs_of_the_distribution_do_the_same(name):
    if not shutil.which(name):
        pytest.skip(f"there is no {name}")
    at = directory()
    text = os.path.join(at, "text")
    with open(text, "w") as file:
        for i in range(400000):
            file.write(f"{i * 7919 % 1000003} line\n")
    commands = {"xz": ["xz", "-T2", "--block-size=300000", "-1", "-c", text], "sort": ["sort", "--parallel=4", "-S", "2M", text],
                "pigz": ["pigz", "-p", "3", "-n", "-c", text], "zstd": ["zstd", "-T2", "-q", "-c", text],
                "git": ["git", "hash-object", text]}
    plain = subprocess.run(commands[name], capture_output=True)
    trace = os.path.join(at, "t")
    done = subprocess.run(commands[name], capture_output=True,
                          env={**os.environ, "LD_PRELOAD": LAYER, "HEDDLE_CONVERT": "0", "HEDDLE_DIR": trace})
    same((done.returncode, done.stderr, done.stdout == plain.stdout), (plain.returncode, plain.stderr, True), "status, stderr, stdout")
    for process in process_directories(trace):
        for thread in raw.threads(process).values():
            waits_are_whole(thread)


@pytest.mark.parametrize("where", ["before", "behind"])
def test_an_allocator_may_lock(where):
    """It locks before main, and while the layer is loaded; in the list of preloaded libraries it is before the layer or behind it."""
    allocator = path_of("allocator.so")
    libraries = [allocator, LAYER] if where == "before" else [LAYER, allocator]
    for name in "contention", "cancel", "forks":
        plain = run([path_of(name)])
        done = run([path_of(name)], LD_PRELOAD=":".join(libraries), HEDDLE_CONVERT="0", HEDDLE_DIR=os.path.join(directory(), "t"))
        same((done.status, done.out, done.err), (plain.status, plain.out, ""), f"{name}: status, stdout, stderr")


def test_recorded_it_is_an_archive():
    done = record([path_of("contention")])
    same((done.status, done.own_err), (0, ""), "status, stderr")
