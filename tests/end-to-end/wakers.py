"""
Who woke whom, and the critical path, of programs whose answers are known by construction.
"""
import collections
import csv
import json
import os
import re

import pytest

from harness import PROGRAMS, SOURCE, before_others, check, heddle, holds_mostly, program, record, same, until_it_happens
from java import JDKS, command

WAITS = 1000


def ask(subcommand, trace):
    done = heddle(subcommand, "--json", trace)
    same((done.status, done.err), (0, ""), subcommand)
    return json.loads(done.out)


def ticks(value):
    return value["ticks"]


def path_adds_up(trace):
    """The path is as long as the sum of its parts. Returns the answer."""
    answer = ask("critical-path", trace)
    same(len(answer["paths"]), 1, "paths")
    same(sum(ticks(part["time"]) for part in answer["parts"]), ticks(answer["paths"][0]["length"]), "sum of the parts")
    return answer


def on_path(answer, thread):
    return sum(part["time"]["seconds"] for part in answer["parts"] if part["thread_name"] == thread)


def test_barriers_wait_for_the_late_thread():
    done = record([program("late")], "--budget", "none", OMP_NUM_THREADS="3")
    same(done.status, 0, "status")
    answer = ask("waits", done.trace)
    for kind, late, least in (("!$omp barrier", "OpenMP thread 1", 0.1), ("!$omp implicit barrier", "OpenMP thread 2", 0.07)):
        # gcc may make two calls of one barrier, at different lines.
        places = {w["wait"]: w for w in answer["waits"] if w["place"].startswith(kind + " @")}
        by = [w for w in answer["wakers"] if w["wait"] in places and w["ended_by"] == "thread"]
        same({(w["thread_name"], (w["at"] or "").split(" @")[0]) for w in by}, {(late, kind)}, f"wakers at {kind}")
        same(sum(w["times"] for w in by), 2, f"waits at {kind}")
        check(sum(w["time"]["seconds"] for w in places.values()) > least, f"{kind}: {places}")
    path = path_adds_up(done.trace)
    for thread, least in (("OpenMP thread 1", 0.150), ("OpenMP thread 2", 0.100)):
        check(on_path(path, thread) >= least, f"{thread} slept {least} s, and has {on_path(path, thread)} s on the path")


def test_the_path_of_a_task_graph():
    """Tasks of 30, 50 and 20 ms in a row, and one of 10 ms beside the second."""
    def found():
        done = record([program("graph")], "--budget", "none")
        same(done.status, 0, "status")
        parts = path_adds_up(done.trace)["parts"]
        source = os.path.join(SOURCE, "..", "programs", "graph.c")
        tasks = {name: f"!$omp task @graph.c:{line_of(source, f'/* {name} */') - 1}" for name in ("first", "long", "short", "last")}
        times = {name: sum(part["time"]["seconds"] for part in parts if part["construct"] == place) for name, place in tasks.items()}
        for name, least in (("first", 0.03), ("long", 0.05), ("last", 0.02)):
            check(times[name] >= least, f"{name} sleeps {least} s: {times}")
        return times["short"] == 0

    holds_mostly(found, "the short task, beside the long one, is not on the path")


def test_the_path_of_a_pipeline():
    """Three stages of 5, 10 and 5 ms for each of 10 items: the path is the first item, the second stage, the last item."""
    def found():
        """False: also if a thread came late, as the main thread to the join of the last stage, which is not on the path then."""
        done = record([os.path.join(PROGRAMS, "pthread", "stages")], "--budget", "none")
        same(done.status, 0, "status")
        path = path_adds_up(done.trace)
        times = {name: on_path(path, f"{name} 1") for name in ("quick", "slow", "end")}
        return times["slow"] >= 0.1 and all(0.005 <= times[name] < 0.03 for name in ("quick", "end"))

    holds_mostly(found, "the quick stages are ahead of the slow one")


@pytest.mark.parametrize("jdk", JDKS)
def test_the_path_of_a_jomp_program(jdk):
    """In 5 regions thread 1 is busy for 20 ms by the clock, thread 0 for 10 ms, and waits then."""
    def found():
        jomp = [JDKS[jdk], "-Djomp.threads=2", "-cp", os.path.join(PROGRAMS, "jomp"), "Imbalanced"]
        done = record(jomp, "--budget", "none", preexec=before_others)
        same(done.status, 0, "status")
        parts = [part for part in path_adds_up(done.trace)["parts"] if part["construct"].startswith("//omp for @Imbalanced.java:")]
        times = {thread: sum(part["time"]["seconds"] for part in parts if part["thread_name"] == thread) for thread in ("thread 0", "thread 1")}
        return times["thread 1"] >= 0.1 and times["thread 0"] < 0.02

    holds_mostly(found, "thread 1 is the later one in each region")


def test_philosophers_of_openmp_add_up():
    done = record([program("philosophers")], "--budget", "none")
    same(done.status, 0, "status")
    path_adds_up(done.trace)


@pytest.mark.parametrize("jdk", JDKS)
def test_a_thousand_waits_have_their_wakers(jdk):
    def recorded():
        """None: the JVM woke the thread once without a reason, as it may."""
        done = record(command(jdk, "Wakers", WAITS), "--budget", "none")
        same(done.status, 0, "status")
        return done if f"waits: {WAITS}\n" in done.out else None

    done = until_it_happens(recorded, "did the thread wait as often as it was woken")
    answer = ask("waits", done.trace)
    place, = [w for w in answer["waits"] if w["place"].startswith("Object.wait @Wakers.java:")]
    same(place["times"], WAITS, "waits")
    by = [(w["ended_by"], w["thread_name"], (w["at"] or "").split(" @")[0], w["times"])
          for w in answer["wakers"] if w["wait"] == place["wait"]]
    same(sorted(by), [("thread", "giver 0", "notify", WAITS // 2), ("thread", "giver 1", "notifyAll", WAITS // 2)], "wakers")
    path_adds_up(done.trace)


def line_of(source, text):
    with open(source) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


@pytest.mark.parametrize("jdk", JDKS)
def test_callers_have_their_waits(jdk):
    """Five rounds call each waiting line by first(), three by second(), which sleeps twice."""
    done = record(command(jdk, "Callers"), "--budget", "none", "--java", "stack=2")
    same(done.status, 0, "status")

    def told(subcommand, key):
        """(what the thread waited for, the method that called it) -> waits"""
        answer = ask(subcommand, done.trace)
        groups = {row[key]: row["name" if key == "lock" else "place"] for row in answer[f"{key}s"]}
        counts = collections.Counter()
        for row in answer["callers"]:
            check(row["place"].split(" @")[0] in groups[row[key]] or key == "lock", f"{row} belongs to {groups[row[key]]}")
            counts[row["place"].split(" @")[0], re.sub(r" \(Callers.java:\d+\)$", "", row["callers"])] += row["times"]
        return {who: times for who, times in counts.items() if who[1] in ("Callers.first", "Callers.second")}

    monitors = {("monitor enter", "Callers.first"): 5, ("monitor enter", "Callers.second"): 3}
    same(told("locks", "lock"), monitors, "callers of locks")
    same(told("waits", "wait"), {**monitors, ("Thread.sleep", "Callers.first"): 5, ("Thread.sleep", "Callers.second"): 6}, "callers of waits")
    by_region = heddle("states", "--json", "--by", "region", done.trace)
    rows = [(row["place"].split(" @")[0], row["callers"].split(" ")[0], row["times"]) for row in json.loads(by_region.out)["callers"]]
    sleeps = {("Thread.sleep", "Callers.first"): 5, ("Thread.sleep", "Callers.second"): 6}
    counts = collections.Counter()
    for place, caller, times in rows:
        counts[place, caller] += times
    same({who: times for who, times in counts.items() if who in sleeps}, sleeps, "callers of states --by region")
    exported = {form: heddle("export", "--to", form, "-o", "-", done.trace).out for form in ("csv", "chrome")}
    of_csv = [row for row in csv.DictReader(exported["csv"].splitlines()) if (row["construct"] or "").startswith("Thread.sleep")]
    same(collections.Counter(row["callers"].split(" ")[0] for row in of_csv), {"Callers.first": 5, "Callers.second": 6}, "callers in CSV, by row")
    slices = [event["args"]["callers"] for event in json.loads(exported["chrome"])["traceEvents"] if event.get("name", "").startswith("Thread.sleep") and event["ph"] == "B"]
    same(collections.Counter(callers.split(" ")[0] for callers in slices), {"Callers.first": 5, "Callers.second": 6}, "callers in slices")
    plain = record(command(jdk, "Callers"), "--budget", "none")
    check("callers" not in ask("waits", plain.trace), "there are callers without stack=")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_wait_that_has_to_enter_the_monitor_again_has_its_line(jdk):
    """The JVM reports the second wait, for the monitor, before the first one has ended."""
    lines = open(os.path.join(SOURCE, "..", "programs", "java", "Reentered.java")).read().split("\n")
    place = f"@Reentered.java:{next(i for i, line in enumerate(lines, 1) if 'wait();' in line)}"
    for options in ("stack=2", "hold=Reentered,stack=2"):
        done = record(command(jdk, "Reentered"), "--budget", "none", "--java", options)
        same(done.status, 0, "status")
        waits = [(wait["place"], wait["times"]) for wait in ask("waits", done.trace)["waits"] if (wait["object"] or "").startswith("Reentered@")]
        check((f"Object.wait {place}", 1) in waits, f"--java {options}: {waits}")


@pytest.mark.parametrize("jdk", JDKS)
def test_objects_have_the_field_in_which_they_were_found(jdk):
    done = record(command(jdk, "Fields"), "--budget", "none")
    same(done.status, 0, "status")
    names = {re.sub(r"@[0-9a-f]+$", "", lock["name"]): lock["waited"] for lock in ask("locks", done.trace)["locks"]}
    lock = 'java.util.concurrent.locks.ReentrantLock$NonfairSync "Fields.lock"'
    check(names.pop(lock, 0) >= 1, f"no {lock} in {names}")
    monitors = {'java.lang.Object "Fields.guard"': 1, 'java.lang.Object "Fields.forks[]"': 1, "java.lang.StringBuilder": 1, "Fields": 1}
    of_jdk = ("java.util.", "java.lang.Thread", "jdk.")
    same({name: waited for name, waited in names.items() if not name.startswith(of_jdk)}, monitors, "monitors")
    condition = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"
    objects = {re.sub(r"@[0-9a-f]+$", "", wait["object"]) for wait in ask("waits", done.trace)["waits"] if (wait["object"] or "").startswith(condition)}
    same(objects, {f'{condition} "Fields.full"', f'{condition} "Fields.queue"'}, "conditions")


def test_conditions_of_posix_threads_have_their_wakers():
    """A queue that counts its waits, and of each knows who ended it."""
    done = record([os.path.join(PROGRAMS, "pthread", "queue")], "--budget", "none")
    same(done.status, 0, "status")
    counted = {what: int(number) for what, number in re.findall(r"(\w+) (\d+)", done.out)}
    answer = ask("waits", done.trace)
    source = next(w["file"] for w in answer["waits"])
    for condition, waits, threads in (("filled", counted["waits"], {"main thread"}),
                                      ("emptied", counted["idle"], {"consume 1", "consume 2"})):
        at = f"pthread condition @queue.c:{line_of(source, f'pthread_cond_wait(&{condition}')}"
        place, = [w for w in answer["waits"] if w["place"] == at]
        same(place["times"], waits, at)
        by = [w for w in answer["wakers"] if w["wait"] == place["wait"]]
        same({w["ended_by"] for w in by}, {"thread"}, f"what ended the waits at {at}")
        check({w["thread_name"] for w in by} <= threads, f"{by}")
        same(sum(w["times"] for w in by), waits, f"wakers at {at}")
        signals = f"pthread signal @queue.c:{line_of(source, f'pthread_cond_signal(&{condition}')}"
        same(sum(w["times"] for w in by if w["at"] == signals), counted["signals"] if condition == "filled" else waits, signals)
    path_adds_up(done.trace)


def test_a_created_thread_continues_the_path_of_its_creator():
    """Links of 60, 60 and 40 ms, while short threads of no importance begin and end."""
    done = record([os.path.join(PROGRAMS, "pthread", "chain")], "--budget", "none")
    same(done.status, 0, "status")
    path = path_adds_up(done.trace)
    links = sorted({part["thread_name"] for part in path["parts"] if part["thread_name"].startswith("link_at ")})
    same(len(links), 3, f"links on the path: {links}")
    for link, least in zip(links, (0.06, 0.06, 0.04)):
        check(on_path(path, link) >= least, f"{link} slept {least} s, and has {on_path(path, link)} s on the path")
    answer = ask("waits", done.trace)
    joins = {w["wait"]: w["place"] for w in answer["waits"] if w["place"].startswith("pthread join ")}
    by = [w for w in answer["wakers"] if w["wait"] in joins]
    same({w["ended_by"] for w in by}, {"thread"}, "what ended the joins")
    chained = [w["thread_name"] for w in by if w["thread_name"].startswith("link_at ")]
    same(sorted(chained), links, "links that ended joins")


@pytest.mark.parametrize("jdk", JDKS)
def test_philosophers_add_up(jdk):
    done = record(command(jdk, "Philosophers", 4, 5), "--budget", "none")
    same(done.status, 0, "status")
    path_adds_up(done.trace)
