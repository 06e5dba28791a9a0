"""
The clock: which one is chosen and why, times across threads, and a counter that jumps (HEDDLE_CLOCK_SHIFT). Both with the anchors
that a process has alone and with the anchors of `heddle record`.
"""
import json
import os
import re
import time

import pytest

from harness import BUILD, check, heddle, program, record, run, run_traced, same
from trace import Trace, check_well_formed

ARCHIVE_CHECK = os.path.join(BUILD, "tests", "end-to-end", "archive-check")
WORK = [program("known_imbalance")]


def facts(trace):
    done = heddle("info", "--json", trace)
    same((done.status, done.err), (0, ""), "heddle info")
    return json.loads(done.out)


def has_counter():
    return facts(run_traced(WORK, HEDDLE_CLOCK="tsc").trace)["clock"] == "tsc"


def test_the_clock_is_chosen_and_said():
    for asked, why in ((None, None), ("monotonic", "HEDDLE_CLOCK asks for it"), ("tsc", None)):
        done = run_traced(WORK, HEDDLE_CLOCK=asked)
        info = facts(done.trace)
        check(info["clock"] in ("tsc", "monotonic") and info["clock_why"], f"{asked}: {info}")
        same(info["ticks_per_second"], 10**9, "ticks a second")
        if asked == "monotonic":
            same((info["clock"], info["clock_why"]), ("monotonic", why), "what was asked for")
            check("clock_readings" not in info, "readings of a clock that needs none")
        elif info["clock"] == "tsc":
            same(info["clock_jumps"], 0, "jumps")
            check(info["clock_readings"] >= 2 and 0 < info["clock_width"]["ticks"] < 10**6, f"{asked}: {info}")
        same(done.tool_err, [] if info["clock"] == (asked or info["clock"]) else done.tool_err, "what Heddle says")


def test_a_wrong_clock_is_said():
    done = run_traced(WORK, HEDDLE_CLOCK="sundial")
    same(done.tool_err, ["heddle: HEDDLE_CLOCK=sundial is neither tsc nor monotonic; Heddle chooses"], "what Heddle says")
    refused = heddle("record", "--clock", "sundial", "--", *WORK)
    same(refused.status, 2, "status")
    check("--clock sundial: give tsc or monotonic" in refused.err, refused.err)


def test_record_compares_the_processors():
    info = facts(record(WORK).trace)
    check(info["clock_why"] in ("the processors' counters agree", "the kernel's clock uses the counter, too") or info["clock"] == "monotonic",
          f"{info['clock']}: {info['clock_why']}")
    same(facts(record(WORK, "--clock", "monotonic").trace)["clock"], "monotonic", "--clock monotonic")


def test_a_verdict_counts_on_its_own_machine():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        here = file.read().strip()
    differ = facts(run_traced(WORK, HEDDLE_CLOCK="differ:" + here).trace)
    same(differ["clock"], "monotonic", "where the processors differ")
    alone, elsewhere = facts(run_traced(WORK).trace), facts(run_traced(WORK, HEDDLE_CLOCK="differ:elsewhere").trace)
    same(elsewhere["clock"], alone["clock"], "a verdict about another machine")


def check_jump(done, ticks):
    """The trace is whole, names the jump, and has right times within the readings."""
    trace = Trace(done.trace)
    check_well_formed(trace)
    info = facts(done.trace)
    same(info["clock_jumps"], 1, f"jumps, of {info['clock_readings']} readings")
    check(("back" in info["clock_jump"]) == (ticks < 0), info["clock_jump"])
    measured = {}  # what each thread slept in a construct by its own clock, CLOCK_MONOTONIC: the others wait for the last one
    for construct, repeat, thread, ns in re.findall(r"^measured: (\S+) repeat=(\d+) thread=(\d+) ns=(\d+)$", done.out, re.M):
        measured.setdefault((construct, repeat), {})[int(thread)] = int(ns)
    same(len(measured), 6, "constructs")
    master = next(l for l in trace.locations if "master" in l.name)
    waited = sum(leave.time - enter.time for region, enter, leave in trace.spans(master) if region.name.startswith("!$omp implicit barrier wait"))
    expected = sum(max(threads.values()) - threads[0] for threads in measured.values())
    apart = info["clock_apart"]["ticks"]
    check(abs(waited - expected) < apart + 60_000_000, f"the master waits {waited} ns instead of {expected}; readings {apart} ns apart")


@pytest.mark.parametrize("ticks", [60 * 10**9, -60 * 10**9, 2 * 10**8, -2 * 10**8])
def test_a_jump_bends_one_piece(ticks):
    if not has_counter():
        pytest.skip("this machine has no counter that can be used")
    at = time.monotonic_ns() + 300_000_000
    check_jump(record(WORK, HEDDLE_CLOCK="tsc", HEDDLE_CLOCK_SHIFT=f"{ticks}@{at}"), ticks)


@pytest.mark.parametrize("ticks", [60 * 10**9, -60 * 10**9])
def test_a_process_alone_sees_a_jump_in_its_own_readings(ticks):
    """It turns its windows often. A run that ends before the jump is due has none: the next one may last longer."""
    if not has_counter():
        pytest.skip("this machine has no counter that can be used")
    command = [program("storms"), "mixed", "30000"]
    plain = facts(run_traced(command, HEDDLE_BUDGET="none", HEDDLE_CLOCK="tsc").trace)
    for part in (2, 3, 4, 6):
        at = time.monotonic_ns() + plain["duration"]["ticks"] // part
        done = run_traced(command, HEDDLE_BUDGET="none", HEDDLE_CLOCK="tsc", HEDDLE_CLOCK_SHIFT=f"{ticks}@{at}")
        info = facts(done.trace)
        read = run([ARCHIVE_CHECK, os.path.join(done.trace, "traces.otf2")])
        same((read.status, read.err), (0, ""), "archive-check")
        check(info["duration"]["ticks"] < 20 * plain["duration"]["ticks"], f"{info['duration']} instead of {plain['duration']}")
        if info["clock_jumps"] != 0:
            break
    same(info["clock_jumps"], 1, f"jumps, of {info['clock_readings']} readings")


def handovers(trace):
    """How many of the acquisitions come before the release that they follow, and by how much at most."""
    events = []
    for location in trace.locations:
        spans = [(enter.time, leave.time) for region, enter, leave in trace.spans(location) if region.name.startswith("omp_set_lock")]
        events.append(sorted(spans))
    order = [span for pair in zip(*events) for span in pair]
    early = [before[1] - after[0] for before, after in zip(order, order[1:]) if after[0] < before[1]]
    return len(early), max(early, default=0), len(order)


def test_threads_hand_over_in_order():
    """Without a barrier between a release and the next acquisition processors may exchange the readings: within the readings' width."""
    number = int(os.environ.get("HEDDLE_TEST_HANDOVERS", "2000"))
    done = run_traced([program("handover"), str(number)], HEDDLE_BUDGET="none")
    early, most, pairs = handovers(Trace(done.trace))
    same(pairs, number, "acquisitions")
    print(f"{early} of {pairs} acquisitions begin before the one before ended, by {most} ns at most")
    width = facts(done.trace).get("clock_width", {"ticks": 0})["ticks"]
    check(most <= max(width, 100), f"{early} of {pairs}, by {most} ns at most; readings are exact to {width} ns")
    waits = json.loads(heddle("locks", "--json", done.trace).out)
    check(all(row.get("waiting", {"ticks": 0})["ticks"] >= 0 for row in waits.get("locks", [])), f"a negative wait: {waits}")
