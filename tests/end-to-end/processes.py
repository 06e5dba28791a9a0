"""Runs that are several processes become one archive with a location group a process image."""
import collections
import os

import pytest

from harness import ON_LIBGOMP, check, heddle, program, record, run, run_traced, same
from trace import Trace, check_well_formed

# Regions of each process image, sorted; a child without any OpenMP may or may not have a group.
REGIONS = {
    "fork": [2, 2], "fork_exit": [2], "fork_fast": [1, 2], "daemon": [1, 2], "fork_region": [3], "exec": [1, 3], "exec_fails": [2],
    "spawn": [2, 3],
}
if ON_LIBGOMP:  # a child of a process that had threads hangs in its first region, also without us
    for way in ("fork", "fork_fast"):
        del REGIONS[way]


def regions_by_group(trace):
    forks = collections.Counter()
    for location in trace.locations:
        forks[location.process] += len(location.of_kind("ThreadFork"))
    return sorted(n for n in forks.values() if n)


def holds(way, done, plain):
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(regions_by_group(trace), REGIONS[way], "regions of each process")
    return trace


@pytest.mark.parametrize("way", list(REGIONS))
def test_each_process_is_a_location_group(way):
    command = [program("processes"), way]
    done = run_traced(command)
    converted = os.path.exists(os.path.join(done.trace, "traces.otf2"))
    if not converted:  # the last process left by _exit or exec: nobody converted
        same(heddle("convert", done.trace).status, 0, "heddle convert")
    holds(way, done, run(command))


@pytest.mark.parametrize("way", list(REGIONS))
def test_each_process_is_a_location_group_when_recorded(way):
    command = [program("processes"), way]
    holds(way, record(command), run(command))


def test_a_script_that_starts_several_programs_is_one_archive():
    script = f"{program('endings')} return; {program('endings')} exit & {program('lu')} 20; wait; exit 4"
    done = record(["/bin/sh", "-c", script])
    same(done.status, 4, "exit status")
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(sorted(name.split("[")[0].strip() for name in trace.groups), ["endings", "endings", "lu"], "processes")


def test_a_parent_that_outlives_its_child_converts():
    if ON_LIBGOMP:
        pytest.skip("libgomp hangs in a child's region")
    done = run_traced([program("processes"), "fork"])
    trace = Trace(done.trace)
    same(len(trace.groups), 2, "processes")
    parent = [p for p in trace.group_properties.values() if "HEDDLE::COMMAND" in p]
    check(all("processes" in p["HEDDLE::COMMAND"] for p in parent) and parent, "the command line is missing")
