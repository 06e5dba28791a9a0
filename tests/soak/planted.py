#!/usr/bin/python3
"""
Rates at which `heddle why` names planted reasons. Runs tests/programs/planted.c with random seeds and reasons, and compares the
most expensive places of the tree with what the program planted. Prints the rates and each confusion; no run is omitted.

    planted.py --singles 200 --pairs 200 --none 20 [--java] [--seed N] [--live SECONDS] [--minutes M]    (HEDDLE_BUILD: the build tree)

--java: runs tests/programs/java/Planted.java instead.
--live: the program runs on meanwhile, and `heddle why PID` watches it for up to so many seconds; then nothing of what was inserted may
be left. What was inserted is printed for each search. --minutes: each group ends after so many minutes.

A single is right if the first place has the kind and the source line of the reason. The first places have the kind of the first
sentence, and most to win. A pair is right if the first two
places have the kinds and lines of both reasons. Without a reason, no kind may be true. Rates have their 95 % interval (Wilson).
Exit status 1: a rate is below 95 % (singles), 90 % (pairs), 90 % (none).
"""
import argparse
import collections
import glob
import json
import math
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build"))
HEDDLE = os.path.join(BUILD, "bin", "heddle")
PROGRAMS = os.path.join(BUILD, "tests", "programs")
TIMEOUT = 300  # seconds for one run

# What `heddle why` calls each reason: in OpenMP, in Java. The program's reason `processors` is none: work fills them, so nothing is lost.
KINDS = {"critical": "synchronization", "lock": "synchronization", "barrier": "synchronization", "imbalance-work": "imbalance",
         "imbalance-place": "processors", "small-regions": "grain", "small-chunks": "grain", "small-tasks": "grain",
         "io": "blocked", "serial": "serial", "measurement": "measurement"}
# Threads that take turns at a barrier: in the account their work is uneven between two meetings. In all it is even.
RECORDED_KINDS = {"barrier": "imbalance"}
JAVA_KINDS = {"monitor": "synchronization", "lock": "synchronization", "imbalance": "imbalance", "serial": "serial", "blocked": "blocked",
              "io": "blocked", "collection": "collection"}
# A program with planted reasons: the name of its process, its command line, its reasons.
Program = collections.namedtuple("Program", "name command kinds")
OPENMP = Program("planted", [os.path.join(PROGRAMS, "planted")], KINDS)
# The heap is small, and its collector stops all threads.
JAVA = Program("java", ["java", "-Xmx64m", "-XX:+UseSerialGC", "-cp", os.path.join(PROGRAMS, "java"), "Planted"], JAVA_KINDS)
LEAST = {"singles": 0.95, "pairs": 0.90, "none": 0.90}
WATCHED = 0.6  # part of the search's time; until then, the search itself has no work that takes the program's processors
QUEUED_LEAST = 5.0  # percent of the time, of all threads together: other programs took it
THREADS = min(len(os.sched_getaffinity(0)), 4)


def before_others(priority=1):
    """The program's threads get a processor as soon as they wake up, where that is allowed."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except PermissionError:
        pass


def before_all():
    """Who watches gets one before the program and its rival (planted.c)."""
    before_others(3)


def helper_before_program(pid):
    """What acts on requests in the program gets a processor before its threads, as it does where they have no priority."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as comm:
            if comm.read() == "heddle-live\n" and os.sched_getscheduler(int(task)) != os.SCHED_OTHER:
                os.sched_setscheduler(int(task), os.SCHED_FIFO, os.sched_param(2))


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HEDDLE_", "OMP_", "KMP_"))}
    return {**env, "OMP_NUM_THREADS": str(THREADS), "OMP_WAIT_POLICY": "passive"}


def truth(program, text, booked=True):
    """The planted (kind, line); line None: the reason has none. booked: the answer has an account."""
    kinds = {**program.kinds, **RECORDED_KINDS} if booked else program.kinds
    return {(kinds[m[1]], int(m[2]) or None) for m in re.finditer(r"^planted: (\S+) line=(\d+)$", text, re.M)}


def record(program, seed, reasons, trace):
    """Returns the truth."""
    options = ["--budget", "none"] if "measurement" in reasons else []
    done = subprocess.run([HEDDLE, "record", *options, "-o", trace, "--", *program.command, str(seed), ",".join(reasons) or "none"], env=environment(),
                          capture_output=True, text=True, timeout=TIMEOUT, preexec_fn=before_others)
    if done.returncode != 0:
        raise RuntimeError(f"seed {seed}, {reasons}: status {done.returncode}: {done.stderr}")
    return truth(program, done.stdout)


def has_control(pid):
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            return any(line.rstrip().endswith("/control") for line in maps)
    except OSError:
        return False


def words(pid):
    """What is on in the process, as its control page says (common/raw/live_control.h): 1 sums, 2 events."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        page = next(line.split()[-1] for line in maps if line.rstrip().endswith("/control"))
    with open(page, "rb") as file:
        return struct.unpack_from("<QIIIII", file.read(64))[5] & 0xFF


def queued_ns(pid):
    """How long the process' threads could have run, but waited for a processor, as the kernel says."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        try:
            with open(path, encoding="utf-8") as file:
                total += int(file.read().split()[1])
        except OSError:
            pass  # the thread has ended
    return total


def queued_percent(pid, seconds):
    """The same of the next seconds, in percent of them."""
    begin, before = time.monotonic(), queued_ns(pid)
    time.sleep(seconds)
    return (queued_ns(pid) - before) / 1e7 / (time.monotonic() - begin)


def steps(answer):
    """Before, during, after: which of sums and events were on."""
    return [(row["when"], row["sums"] == "on", row["events"] == "on") for row in answer["inserted"]]


def say_inserted(answer):
    """What was on, and for how long: "before sums; during sums 1.3 s, sums+events 1.9 s; after sums"."""
    text, last = "", None
    for row in answer["inserted"]:
        on = "+".join(name for name in ("sums", "events") if row[name] == "on") or "nothing"
        text += f", {on}" if row["when"] == last else f"{'; ' if text else ''}{row['when']} {on}"
        text += f" {row['seconds']:.1f} s" if row["when"] == "during" else ""
        last = row["when"]
    return text


def check_inserted(answer, before, after):
    """Raises unless the list says what was on before and after, and the process is as it was."""
    listed = steps(answer)
    names = [when for when, *_ in listed]
    if before != after or names != ["before"] + ["during"] * (len(names) - 2) + ["after"] or listed[0][1:] != listed[-1][1:]:
        raise RuntimeError(f"not as before: {before}, {after}, {listed}")
    if listed[0][1:] != (bool(before & 1), bool(before & 2)):
        raise RuntimeError(f"not what was on: {before}, {listed}")


def watch(seed, reasons, base, seconds, of=OPENMP):
    """The same of a running program: (kind, line), and the answer."""
    options = ["--budget", "none"] if "measurement" in reasons else []
    trace = os.path.join(base, "run.heddle")
    recorded = [*of.command, str(seed), ",".join(reasons) or "none", str(TIMEOUT)]
    # A trace that nobody reads: converting a storm's trace takes minutes.
    program = subprocess.Popen([HEDDLE, "record", "--live", "--no-convert", *options, "-o", trace, "--", *recorded], env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=before_others)
    pid = None
    try:
        said = [program.stdout.readline() for _ in reasons or ["none"]] if reasons else []
        while pid is None or not has_control(pid):
            found = subprocess.run(["pgrep", "-P", str(program.pid), "-x", of.name], capture_output=True, text=True, check=False).stdout.split()
            pid = found[0] if found else None
            time.sleep(0.02)
        helper_before_program(pid)
        before = words(pid)
        search = subprocess.Popen([HEDDLE, "why", "--json", "--for", f"{seconds}s", pid], env=environment(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, preexec_fn=before_all)
        queued = queued_percent(pid, seconds * WATCHED)
        out, err = search.communicate(timeout=TIMEOUT)
        if search.returncode != 0: # wrong, like any other answer that is not right
            return {("none", None)}, {"hypotheses": [], "inserted": [], "verdict": err.strip()}
        answer = {**json.loads(out), "queued": queued}
        check_inserted(answer, before, words(pid))
        return truth(of, "".join(said), booked="account" in answer), answer
    finally:
        if pid:
            os.kill(int(pid), signal.SIGKILL)
        program.communicate(timeout=TIMEOUT)


def ask(trace, *options):
    done = subprocess.run([HEDDLE, "why", "--json", *options, trace], env=environment(), capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 0:
        raise RuntimeError(f"{trace}: heddle why: {done.stderr}")
    return json.loads(done.stdout)


def places(answer):
    """(kind, line) of the tree, the kind of the first sentence and then most to win first, each once."""
    found, kind, first = [], None, answer.get("first", {}).get("kind")
    for node in answer["hypotheses"]:
        if node["aspect"] == "kind":
            kind = node["key"]
        elif node["aspect"] == "where":
            found.append((node["could_win_percent"], kind, node["line"]))
    found.sort(key=lambda place: (place[1] != first, -place[0]))
    return list(dict.fromkeys((kind, line) for _, kind, line in found))


def true_kinds(answer):
    return [n["key"] for n in answer["hypotheses"] if n["aspect"] == "kind" and n["verdict"] in ("true", "likely")]


def is_silent(answer):
    """Whether no kind is true. Processors may be, if threads did wait for other programs: the real-time limit of a busy machine's
    kernel alone takes 5 % of a processor."""
    others = {"processors"} if answer.get("queued", 0) >= QUEUED_LEAST else set()
    return not set(true_kinds(answer)) - others


def one(program, seed, reasons, seconds):
    """None: right; else what was said instead."""
    base = tempfile.mkdtemp(prefix="heddle-planted-")
    try:
        if seconds:
            planted, answer = watch(seed, reasons, base, seconds, program)
            print(f"inserted, {','.join(reasons) or 'none'}: {say_inserted(answer)}; threads in the queue of a processor: {answer.get('queued', 0):.0f} %", flush=True)
        else:
            trace = os.path.join(base, "run.heddle")
            planted = record(program, seed, reasons, trace)
            answer = ask(trace, *(() if planted else ("--threshold", "5")))  # the programs themselves lose 2 to 4 %
        said = places(answer)
        right = set(said[: len(planted)]) == planted if planted else is_silent(answer)
        return None if right else f"seed {seed} {','.join(reasons) or 'none'}: planted {sorted(planted, key=str)}, said {said[:4]}, in queues {answer.get('queued', 0):.0f} %: {answer['verdict']}"
    finally:
        shutil.rmtree(base, ignore_errors=True)


def draw(generator, program, group):
    count = {"singles": 1, "pairs": 2, "none": 0}[group]
    return generator.sample(list(program.kinds), count)


def interval(right, n, z=1.96):
    """Wilson's."""
    middle, half = right / n + z * z / (2 * n), z * math.sqrt(right * (n - right) / n**3 + z * z / (4 * n * n))
    return 100 * (middle - half) / (1 + z * z / n), 100 * (middle + half) / (1 + z * z / n)


def rate(generator, program, group, runs, seconds, until):
    right, of, done = collections.Counter(), collections.Counter(), 0
    while done < runs and (time.monotonic() < until or done == 0):
        done += 1
        reasons = draw(generator, program, group)
        wrong = one(program, generator.randrange(1 << 32), reasons, seconds)
        for reason in reasons or ["none"]:
            of[reason] += 1
            right[reason] += wrong is None
        if wrong:
            print(f"wrong: {wrong}", flush=True)
    every = max(1, len(reasons))
    total = sum(right.values()) // every
    low, high = interval(total, done)
    print(f"{group}: {total} of {done} right ({100 * total / done:.1f} %, with 95 % confidence {low:.0f} to {high:.0f} %): " + ", ".join(f"{r} {right[r]}/{of[r]}" for r in sorted(of)), flush=True)
    return total >= LEAST[group] * done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--singles", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--none", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--java", action="store_true")
    parser.add_argument("--live", type=int, default=0, metavar="SECONDS")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="for each group")
    options = parser.parse_args()
    print(f"seed {options.seed}, {THREADS} threads", flush=True)
    generator = random.Random(options.seed)
    good = [rate(generator, JAVA if options.java else OPENMP, group, runs, options.live, time.monotonic() + 60 * options.minutes) for group in LEAST if (runs := getattr(options, group)) > 0]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
