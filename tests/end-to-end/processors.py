#!/usr/bin/python3
"""
When threads had a processor: `heddle record` asks the kernel. Programs measure themselves how long each thread ran and how
long it was blocked; the states in the archive say the same.
"""
import json
import os

import harness
from harness import Skip, check, each, heddle, main, program, record, same, test

WAYS = ["sleep", "pipe", "preempt", "yield", "stop"]
# What no clock of the program's sees: the region's begin and end, and the time in the kernel on the way to blocking.
SLACK_NS = 3e6


def switches(trace):
    done = heddle("info", "--json", trace)
    same((done.status, done.err), (0, ""), "heddle info")
    return json.loads(done.out).get("switches")


def recorded(*command, **settings):
    done = record([program(command[0]), *command[1:]], **settings)
    same(done.status, 0, f"{' '.join(command)}: exit status")
    if switches(done.trace) is None:
        raise Skip("the kernel does not tell of context switches here")
    return done


def states(trace, *options):
    done = heddle("states", "--json", *options, trace)
    same((done.status, done.err), (0, ""), "heddle states")
    return json.loads(done.out)


def near(is_, should_be, what):
    check(abs(is_ - should_be) <= 0.02 * should_be + SLACK_NS, f"{what}: {is_ / 1e6:.2f} ms, should be {should_be / 1e6:.2f} ms")


def of_region(trace, thread):
    """ns of a thread by state, in the program's region alone."""
    done = heddle("states", "--json", "--by", "region", "--only-threads", str(thread), trace)
    rows = [row for row in json.loads(done.out)["constructs"] if row["construct"].startswith("!$omp parallel")]
    same(len(rows), 1, "regions")
    return rows[0]


@each(WAYS)
def states_are_those_that_the_program_measured(how):
    done = recorded("off_processor", how)
    truths = done.truths()
    for thread in range(2):
        row, wall = of_region(done.trace, thread), truths[f"{thread}_wall"]
        cpu, blocked = truths[f"{thread}_cpu"], truths[f"{thread}_blocked"]
        run, ready, off = (1e9 * row[key]["seconds"] for key in ("run", "ready", "off"))
        near(run, cpu, f"{how}: RUN of thread {thread}")
        near(run + ready + off, wall, f"{how}: all time of thread {thread}")
        if how != "stop":
            # Blocked is from the call to its return: a part of it may be READY, on a busy machine.
            check(off <= 1.02 * blocked + SLACK_NS, f"{how}: OFF of thread {thread}: {off} ns, blocked {blocked} ns")
            check(off + ready >= 0.98 * blocked - SLACK_NS, f"{how}: OFF and READY of thread {thread}: {off + ready} ns, blocked {blocked} ns")
        elif thread == 0:
            check(off >= 0.1e9, f"stopped for {off} ns, should be some 150 ms")


if __name__ == "__main__":
    main()
