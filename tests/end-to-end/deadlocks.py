"""
Runs that hang and are killed: who waits for whom, for what, and at which lines. tests/programs/hangs.c hangs in every way
that OpenMP has, tests/programs/java/Hangs.java in those of Java. The lines are those with marks in the programs' source.
"""
import json
import os
import re
import signal
import subprocess

import harness
from harness import check, directory, each, environment, heddle, main, program, same, test, until_it_happens

SOURCES = os.path.join(harness.SOURCE, "..", "programs")


def line(source, mark):
    lines = [n for n, text in enumerate(open(os.path.join(SOURCES, source)), 1) if f"mark: {mark} */" in text or text.endswith(f"mark: {mark}\n")]
    same(len(lines), 1, f"lines of {source} with the mark {mark}")
    return lines[0]


def hang(command, threads, number, *options, patience=1.0, **settings):
    """Records a program until so many threads have said that they are stuck, kills it, and returns where its trace is."""
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([harness.HEDDLE, "record", "-o", trace, *options, "--", *command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment(**settings))
    said = [process.stdout.readline() for _ in range(threads)]
    same(said, ["stuck\n"] * threads, "what the program says")
    try:
        process.wait(patience)
        raise AssertionError("the program does not hang")
    except subprocess.TimeoutExpired:
        pass
    children = open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()
    same(len(children), 1, "programs that heddle record runs")
    os.kill(int(children[0]), number)
    out, err = process.communicate()
    same(out, "", f"what the program says then ({err})")
    return trace


def stuck(trace, command="locks"):
    done = heddle(command, trace, "--json")
    same((done.status, done.err), (0, ""), "heddle " + command)
    document = json.loads(done.out)
    return document, [[row[key] for key in ("deadlock", "thread", "waits_for", "place", "holder", "holder_place")]
                      for row in document.get("deadlocks", [])]


def explained(command, threads, number, should_be, **settings):
    """Both commands say it; a thread may need longer to come to its last call than it has."""
    def attempt():
        trace = hang(command, threads, number, **settings)
        document, rows = stuck(trace)
        return (trace, document, rows) if rows == should_be else print(rows)
    trace, document, rows = until_it_happens(attempt, f"is {should_be} said", 5)
    same(stuck(trace, "info")[1], rows, "heddle info")
    same(document["findings"][0]["kind"], "deadlock", "the first finding")
    for row in rows[:2]:
        check(row[1] in document["findings"][0]["text"], f"{row[1]} is in {document['findings'][0]['text']}")
    return trace, document


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
    """libomp does not tell a critical section's name."""
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
    "ended": (1, lambda: [[None, MASTER, fork(1), at("omp_set_lock", "for ever"), "OpenMP master 2",
                           at("omp_set_lock", "before its end")]]),
}


@each(list(HANGS))
def a_killed_run_is_explained(how):
    threads, rows = HANGS[how]
    explained([program("hangs"), how], threads, signal.SIGKILL, rows())


@each(["locks", "barrier"])
def an_interrupted_run_is_explained(how):
    threads, rows = HANGS[how]
    explained([program("hangs"), how], threads, signal.SIGINT, rows())


@test
def the_sentence_has_all_of_it():
    trace, document = explained([program("hangs"), "self"], 1, signal.SIGKILL, HANGS["self"][1]())
    text = re.sub(r"from [0-9.]+ [mun]?s on", "from T on", document["findings"][0]["text"])
    same(text, f"the deadlock of 1 thread: OpenMP master waits for {fork(1)} ({at('omp_set_lock', 'twice')}, from T on), "
               f"which it holds itself ({at('omp_set_lock', 'once')}, from T on).", "the finding")
    same(heddle("info", trace).out.count("Look first at the deadlock of 1 thread"), 1, "sentences of heddle info")


@test
def waits_without_a_known_end_are_no_deadlock():
    """A run that is killed while its threads take turns."""
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([harness.HEDDLE, "record", "-o", trace, "--", program("counter"), os.path.join(directory(), "c")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        os.kill(int(open(f"/proc/{process.pid}/task/{process.pid}/children").read()), signal.SIGKILL)
    process.communicate()
    same(stuck(trace)[1], [], "deadlocks")


if __name__ == "__main__":
    main()
