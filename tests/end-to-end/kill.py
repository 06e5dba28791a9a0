"""
SIGKILL at random moments: every archive converts, is balanced, and lacks none of the events that were completed before
the kill. The program counts its own events in a file (programs/counter.c); archive-check, a reader of its own, counts
the events of the archive. There are 200 moments, in four tests that can run side by side. The moments are drawn anew
each time, and the seed is printed: HEDDLE_SEED repeats a run.
"""
import os
import random
import struct
import subprocess
import time

import pytest

import harness
from harness import check, directory, environment, heddle, program, same

CHECK = os.path.join(harness.BUILD, "tests", "end-to-end", "archive-check")
KEYS = ["criticals", "locks", "chunks", "barriers", "tasks", "singles"]
RUNS = 50
EARLY = 10  # runs killed while the program starts, with luck; the others when it has come to count some events
MOST = 2000  # events
LONGEST = 0.02  # seconds


def kill_at(events, seconds, trace, counters, **settings):
    """
    Kills it so many seconds after it has counted so many events. Its progress in a time depends on the machine's other
    work.
    """
    process = subprocess.Popen([program("counter"), counters], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment(OMP_TOOL_LIBRARIES=harness.TOOL, HEDDLE_DIR=trace, **settings))
    while process.poll() is None and sum(sum(c.values()) for c in counted(counters).values()) < events:
        time.sleep(0.0005)
    time.sleep(seconds)
    process.kill()
    said = process.communicate()[1].decode()
    same(process.returncode, -9, f"how the program ended ({said})")


def counted(path):
    """{tid: {key: n}} of the threads that came to count anything."""
    result = {}
    if not os.path.exists(path):
        return result
    for thread in struct.iter_unpack("8q", open(path, "rb").read()):
        if thread[0]:
            result[thread[0]] = dict(zip(KEYS, thread[1:]))
    return result


def shown(trace):
    """{tid: {key: n}} of the archive; archive-check fails when it is not well-formed."""
    done = subprocess.run([CHECK, harness.archive(trace)], capture_output=True, text=True)
    check(done.returncode == 0, f"the archive is not well-formed: {done.stderr[-500:]}")
    result = {}
    for line in done.stdout.splitlines():
        facts = dict(word.split("=") for word in line.split())
        result[int(facts["tid"])] = {key: int(facts[key]) for key in KEYS}
    return result


def nothing_is_missing(counters, trace):
    archive = shown(trace)
    for tid, counts in counters.items():
        check(tid in archive or not any(counts.values()), f"thread {tid} is missing; it counted {counts}")
        for key, n in counts.items():
            # A thread that was killed between an event and its counting has one more; never one less.
            has = archive.get(tid, {}).get(key, 0)
            check(n <= has <= n + 20, f"thread {tid} counted {n} {key}, the archive has {has}")


@pytest.mark.parametrize("part", ["one", "two", "three", "four"])
def test_killed_at_fifty_moments(part):
    seed = int(os.environ.get("HEDDLE_SEED", time.time_ns() % 1000000007))
    print(f"HEDDLE_SEED={seed}")
    moments = random.Random(f"{seed} {part}")
    at = directory()
    events = 0
    for number in range(RUNS):
        trace, counters = os.path.join(at, f"{number}.heddle"), os.path.join(at, f"{number}.counters")
        # Small windows in half of the runs: more of the moments are those at which a window is written.
        kill_at(0 if number < EARLY else moments.uniform(1, MOST), moments.uniform(0, LONGEST), trace, counters,
                HEDDLE_WINDOW=moments.choice(["16K", "128K"]))
        if not os.path.isdir(os.path.join(trace, "raw")):
            check(not any(counted(counters)), "there is no trace")
            continue  # killed before the runtime started the tool
        done = heddle("convert", trace)
        counts = counted(counters)
        if done.status == 1 and not counts:
            continue  # killed before anything was recorded: that this is said is all that can be asked
        same(done.status, 0, f"heddle convert of run {number} ({done.err})")
        nothing_is_missing(counts, trace)
        events += sum(sum(c.values()) for c in counts.values())
        subprocess.run(["rm", "-rf", trace, counters])
    check(events > 10000, f"only {events} events in all runs: too few to show anything")
