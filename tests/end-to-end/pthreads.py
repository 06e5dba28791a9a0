"""
Waits of POSIX threads, from the program to what the commands say. Programs that know how often and for what they had to
wait are recorded by `heddle record`.
"""
import collections
import json
import os

import pytest

from account import build
from harness import check, heddle, holds_mostly, program, PROGRAMS, record, same, until_it_happens
from trace import Trace, check_well_formed, read_by_otf2_print, span_of

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
SYNCH = ["synch_pthread_mutex", "synch_pthread_rwlock", "synch_pthread_condition", "synch_semaphore", "synch_pthread_barrier",
         "synch_atomic_wait", "synch_join"]
STATES = ["run", "idle", "overhead", "synch", "blocked", "spin", "gc", "init", "traceflush", "unmeasured", "ready", "off"]


def recorded(name, *options):
    done = record([program(name)], *options)
    same(done.status, 0, f"{name}: exit status ({done.err})")
    return done


def ask(command, trace, *options):
    done = heddle(command, "--json", *options, trace)
    same((done.status, done.err), (0, ""), f"heddle {command}")
    return json.loads(done.out)


def line_of(source, text):
    """The line of a source file that has the text, from 1 on."""
    with open(os.path.join(SOURCES, source), encoding="ascii") as file:
        lines = [number for number, line in enumerate(file, 1) if text in line]
    same(len(lines), 1, f"lines with {text}")
    return lines[0]


def enters(trace, *names):
    """The Enters of regions with one of these names, without places."""
    return [e for e in trace.events() if e.kind == "Enter" and e.region.name.split(" @")[0] in names]


def calls_at(trace, line):
    """How many calls at a line waited, and how many did not."""
    at = [e for e in trace.events() if e.kind == "Enter" and e.region.begin_line_number == line]
    waited = [e for e in at if e.region.name.startswith("pthread mutex")]
    counted = [e for e in at if e.region.name.startswith("pthread acquisitions")]
    return len(waited), sum(e.attributes.get("uncontended", 0) for e in counted)


def waited_for(trace):
    """Names of the mutexes that a thread waited for, and how often."""
    names = {int(key.rsplit("::")[-1]): name for properties in trace.group_properties.values()
             for key, name in properties.items() if key.startswith("HEDDLE::LOCK::")}
    return collections.Counter(names[e.attributes["object"]] for e in enters(trace, "pthread mutex"))


def refused(name, line, mutexes=1):
    """A run in which a mutex was refused to a try, and threads waited for so many of them, and the archive."""
    def run():
        done = recorded(name)
        trace = Trace(done.trace)
        return (done, trace) if done.truths()["refused"] > 0 and len(waited_for(trace)) >= mutexes else None

    done, trace = until_it_happens(run, f"a mutex was refused, and {mutexes} mutexes kept threads waiting")
    # A mutex that was refused may be free a moment later: then the call did not wait.
    waited, at_once = calls_at(trace, line)
    same(waited + at_once, done.truths()["refused"], "calls of pthread_mutex_lock after a try that failed")
    return done, trace


def states_add_up(trace_directory, trace):
    threads = [row for row in ask("states", trace_directory)["threads"] if row["thread"] is not None]
    same(len(threads), len(trace.locations), "threads with states")
    for row in threads:
        begin, end = span_of(trace.locations[row["thread"]])
        same(sum(row[s]["ticks"] for s in STATES if s in row), end - begin, f"states of {row['thread_name']}")
        causes = sum(value["ticks"] for key, value in row.items() if key.startswith("synch_"))
        same(causes, row["synch"]["ticks"], f"causes of SYNCH of {row['thread_name']}")
        check(all(key in row for key in SYNCH), f"states of POSIX threads are listed: {sorted(row)}")


def test_contended_acquisitions_are_exact():
    # A mutex that nobody waited for has no name: queue_lock, pool[0], pool[1] and three of the heap.
    line = line_of("pthread_contention.c", "pthread_mutex_lock(&queue_lock)")
    done, trace = refused("pthread_contention", line, mutexes=6)
    truths = done.truths()
    locks = ask("locks", done.trace)["locks"]
    named = {row["name"].split(" @")[0].split(" #")[0]: row for row in locks}
    check("queue_lock" in named, f"the mutex has the variable's name: {sorted(named)}")
    same(sum(named[f"pool[{i}].lock"]["acquired"] for i in range(2)), truths["pool"], "acquisitions of pool[0], pool[1]")
    forks = [row for row in locks if row["name"].startswith("mutex @pthread_contention.c:")]
    same(len(forks), 3, "mutexes of the heap")
    same(len({row["name"] for row in forks}), 3, "their names")
    same(sum(row["acquired"] for row in forks), truths["forks"], "their acquisitions")
    same({row["name"]: row["waited"] for row in locks if row["waited"]}, dict(waited_for(trace)),
         "contended acquisitions by lock")
    same({row["kind"] for row in locks}, {"mutex"}, "kinds")


def test_recording_the_order_keeps_the_counts():
    done = recorded("pthread_contention", "--lock-order")
    truths = done.truths()
    locks = ask("locks", done.trace)["locks"]
    for name, times in (("pool[", truths["pool"]), ("mutex @", truths["forks"]), ("queue_lock", truths["pool"])):
        same(sum(row["acquired"] for row in locks if row["name"].startswith(name)), times, f"acquisitions of {name}")
    same(len(locks), 6, "locks")


def test_each_kind_of_wait_is_recorded_as_often_as_it_happened():
    done = recorded("pthread_kinds")
    rounds = done.truths()["rounds"]
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    of_sleeper = [l for l in trace.locations if l.name == "sleeper_thread 1"]
    same(len(of_sleeper), 1, f"threads with the name of their start function among {[l.name for l in trace.locations]}")
    seen = collections.Counter(e.region.name.split(" @")[0] for e in of_sleeper[0].of_kind("Enter"))
    for region in ("pthread mutex", "pthread rwlock read", "pthread rwlock write", "pthread condition", "semaphore",
                   "pthread barrier", "pthread spin lock"):
        same(seen[region], rounds, f"waits: {region}")
    same(len(enters(trace, "pthread join")), 1, "joins")
    for wait, wake in (("pthread condition", "pthread signal"), ("semaphore", "sem_post"),
                       ("pthread barrier", "pthread last arrival")):
        same({e.attributes["object"] for e in enters(trace, wait)}, {e.attributes["object"] for e in enters(trace, wake)},
             f"object of {wait} and {wake}")
        same(len(enters(trace, wake)), rounds, wake)
    released = {e.attributes["object"] for e in enters(trace, "pthread unlock")}
    held = {e.attributes["object"] for e in enters(trace, "pthread mutex", "pthread rwlock read", "pthread rwlock write")}
    check(held <= released, f"objects that are waited for are released: {held}, {released}")
    rows = {row["name"]: row for row in ask("locks", done.trace)["locks"]}
    same({name.split(" @")[0]: row["kind"] for name, row in rows.items() if row["waited"]},
         {"mutex": "mutex", "rwlock": "rwlock", "spin_lock": "spin lock"}, "locks by the variable's name")
    same(rows["mutex"]["waited"], rounds, "contended acquisitions of the mutex")
    states_add_up(done.trace, trace)


def test_threads_have_their_creation_start_and_end():
    done = recorded("pthread_kinds")
    trace = Trace(done.trace)
    numbers = {kind: [e.event.sequence_count for e in trace.events() if e.kind == kind]
               for kind in ("ThreadCreate", "ThreadBegin", "ThreadEnd", "ThreadWait")}
    same((numbers["ThreadCreate"], numbers["ThreadWait"]), ([1], [1]), "threads that are created and joined")
    same(sorted(numbers["ThreadBegin"]), [0, 1], "threads that begin")
    same(sorted(numbers["ThreadEnd"]), [0, 1], "threads that end")
    created = [e.time for e in trace.events() if e.kind == "ThreadCreate"]
    begun = [e.time for e in trace.events() if e.kind == "ThreadBegin" and e.event.sequence_count == 1]
    same(begun, created, "a thread begins when it is created")
    rows = {row["thread_name"]: row for row in ask("states", done.trace)["threads"]}
    check(rows["sleeper_thread 1"]["init"]["ticks"] > 0, "INIT until it runs")


@pytest.mark.parametrize("runtime", ["libomp", "libgomp"])
def test_openmp_and_a_thread_of_the_program_share_a_mutex(runtime):
    name = "gcc/pthread_openmp" if runtime == "libgomp" else "pthread_openmp"
    if not os.path.exists(os.path.join(PROGRAMS, name)):
        pytest.skip("there is no gcc that builds OpenMP programs")
    done, trace = refused(name, line_of("pthread_openmp.c", "pthread_mutex_lock(&shared)"))
    check_well_formed(trace)
    states_add_up(done.trace, trace)
    # Each round tries once; the threads of libgomp's team do not end before the process does.
    tries = [e for e in trace.events() if e.kind == "Enter" and
             e.region.begin_line_number == line_of("pthread_openmp.c", "pthread_mutex_trylock(&shared)")]
    same(sum(e.attributes.get("uncontended", 0) + e.attributes.get("failed tries", 0) for e in tries),
         2000 * (2 + done.truths()["threads"]), "tries")
    names = {e.region.name.split(" @")[0] for e in enters(trace, "pthread mutex", "!$omp parallel", "pthread join")}
    check({"pthread mutex", "!$omp parallel"} <= names, f"waits beside constructs: {names}")
    # The runtime's own waits are not the program's.
    waits = {e.region.name for e in trace.events() if e.kind == "Enter" and e.region.name.startswith(("pthread mutex", "pthread cond"))}
    same({os.path.basename(r.source_file) for r in trace.regions if r.name in waits}, {"pthread_openmp.c"}, "files with waits")


def test_places_in_cxx_are_the_programs_own():
    done, trace = refused("std_mutex", line_of("std_mutex.cpp", "MARK mutex"))
    check_well_formed(trace)
    states_add_up(done.trace, trace)
    rows = {row["name"] for row in ask("locks", done.trace)["locks"]}
    check({"total_lock", "queue.lock"} <= rows, f"variables and members: {rows}")
    lines = {e.region.begin_line_number for e in enters(trace, "pthread condition")}
    same(lines, {line_of("std_mutex.cpp", "MARK condition")}, "lines of waits for conditions")


@pytest.mark.parametrize("command", ["imbalance", "locks"])
def test_the_first_sentence_names_the_mutex(command):
    def sentence():
        done = recorded("pthread_contention")
        found = [f["text"] for f in ask(command, done.trace)["findings"] if f["subject"] == "lock"]
        for text in found[:1]:
            check(text.startswith(("mutex queue_lock", "mutex pool[", "mutex @pthread_contention.c:")), text)
            check(", mostly at pthread_contention.c:" in text, text)
        return bool(found)

    holds_mostly(sentence, "a lock costs one percent of the run")


RENAMED = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *stays(void *p) { pthread_setname_np(pthread_self(), "first"); pthread_mutex_lock(&mutex); pthread_setname_np(pthread_self(), "the last");
  pthread_mutex_unlock(&mutex); for (;;) pause(); return p; }
int main(void) { pthread_t t; pthread_mutex_lock(&mutex); pthread_create(&t, 0, stays, 0); usleep(100000); pthread_mutex_unlock(&mutex);
  usleep(200000); exit(0); }
"""


def test_a_thread_that_never_ends_has_its_last_name():
    trace = Trace(record([build("renamed", RENAMED)]).trace)
    names = [location.name for location in trace.locations]
    check("the last" in names, f"names of threads: {names}")
