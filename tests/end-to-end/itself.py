"""
A program may change itself in any way: another user or root, closed descriptors, children that no handler reports, jumps
out of handlers. It runs as without us, and its trace is whole. And nobody takes away the raw trace of a process that
records.
"""
import collections
import fcntl
import os
import shutil
import signal
import subprocess

import pytest

from harness import ON_LIBGOMP, TOOL, check, directory, environment, heddle, preloading, program, record, run, run_traced, same
from harness import GOMP, HEDDLE, process_directories
from trace import Trace, check_well_formed, total

WAYS = ["nothing", "close_err", "close_all", "chdir", "chroot", "setuid", "daemon", "fork_only", "clone", "clone_region", "vfork", "jump"]
AS_ROOT = ["chroot", "setuid", "daemon"]
# closefrom and then another user: the files cannot be opened again, and that is counted.
LOSES = ["daemon"]


def regions_by_process(trace):
    forks = collections.Counter()
    for location in trace.locations:
        forks[location.process] += len(location.of_kind("ThreadFork"))
    return sorted(n for n in forks.values() if n)


@pytest.mark.parametrize("way", WAYS)
def test_what_a_program_does_to_itself_loses_nothing(way):
    if way in AS_ROOT and os.geteuid() != 0:
        pytest.skip("only root may do that")
    command = [program("itself"), way]
    plain, done = run(command), record(command, "--window", "16K")
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    if way in LOSES:
        lost = total(trace, "HEDDLE::EVENTS_LOST") + total(trace, "HEDDLE::THREADS_LOST")
        check(lost > 0 or regions_by_process(trace) == [4000], "events are missing, and nothing says so")
        return
    same(regions_by_process(trace), {"clone_region": [2000, 4000]}.get(way, [4000]), "regions of each process")
    same(total(trace, "HEDDLE::EVENTS_LOST"), 0, "events lost")


def test_a_file_that_stands_where_standard_error_was_gets_no_message():
    """Recording stops at the limit, which would be said there."""
    done = run_traced([program("itself"), "own_err"], HEDDLE_MAX_SIZE="64K", HEDDLE_WINDOW="16K")
    same((done.status, "result: right" in done.out), (0, True), "status, result")
    check(total(Trace(done.trace), "HEDDLE::EVENTS_LOST") > 0, "the limit was not reached")


def test_tasks_have_the_places_where_they_were_made():
    """Also where recording began after the first of them; the places of these are unknown."""
    if ON_LIBGOMP:
        pytest.skip("gcc 12 has no omp_control_tool in its header")
    done = record([program("paused_tasks")], "--paused")
    same((done.status, "control: 0" in done.out), (0, True), "status, what omp_control_tool says")
    truths, trace = done.truths(), Trace(done.trace)
    tasks = collections.Counter(event.region.name for event in trace.events() if event.kind == "Enter" and event.region.name.startswith("!$omp task"))
    places = {f"!$omp task @paused_tasks.c:{truths[key]}" for key in ("first", "second")}
    check(set(tasks) <= places | {"!$omp task"}, f"tasks at other places: {tasks}")
    for place in places:
        same(tasks[place], truths["recorded"], place)


def test_a_program_without_standard_descriptors_is_converted():
    trace = os.path.join(directory(), "t")
    program_alone = [program("itself"), "nothing"]
    done = run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *program_alone], OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace)
    same(done.err, "", "stderr")
    same(regions_by_process(Trace(trace)), [4000], "regions of each process")


def test_a_file_size_limit_does_not_kill():
    for blocks in (0, 1, 8, 200):  # with 0 libomp itself is killed
        command = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", program("itself"), "nothing"]
        same(run_traced(command).status, run(command).status, f"status with ulimit -f {blocks}")
        recorded = ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", HEDDLE, "record", "-o", os.path.join(directory(), "t"), "--",
                    program("itself"), "nothing"]
        same(run(recorded).status, run(command).status, f"status of heddle record with ulimit -f {blocks}")


def test_a_program_does_not_wait_for_another_conversion_without_end():
    trace = os.path.join(directory(), "t")
    os.mkdir(trace)
    lock = os.open(trace, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    done = run_traced([program("itself"), "nothing"], trace=trace)
    same(done.status, 0, "status")
    check(len(done.tool_err) == 1 and "another converter" in done.tool_err[0], f"it should say why: {done.tool_err}")
    os.close(lock)
    same(heddle("convert", trace).status, 0, "heddle convert")
    same(regions_by_process(Trace(trace)), [4000], "regions of each process")


def asleep(trace, *launcher):
    """A traced program, started by a launcher, that has recorded, and waits for its standard input to end."""
    settings = {"OMP_TOOL_LIBRARIES": TOOL, "HEDDLE_DIR": trace, "HEDDLE_CONVERT": "0"}
    if ON_LIBGOMP:
        settings["LD_PRELOAD"] = preloading(GOMP)
    process = subprocess.Popen([*launcher, program("itself"), "sleep"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env=environment(**settings))
    if process.stdout.readline() != "sleeping\n":
        process.wait()
        pytest.skip(f"{launcher} cannot be used here")
    return process


def raw_files(trace):
    return sorted(os.path.join(d, name) for d in process_directories(trace) for name in os.listdir(d))


@pytest.mark.parametrize("where", ["here", "in_a_pid_namespace"])
def test_the_raw_trace_of_a_process_that_records_stays(where):
    launcher = [] if where == "here" else ["unshare", "--pid", "--fork", "--kill-child"]
    trace = os.path.join(directory(), "t")
    process = asleep(trace, *launcher)
    files = raw_files(trace)
    done = heddle("convert", trace)
    same(done.status, 1, "status while the process records")
    check("still running" in done.err, f"it should say why: {done.err}")
    same(heddle("convert", "--force-live", trace).status, 0, "heddle convert --force-live")
    same(raw_files(trace), files, "the raw trace")
    out, _ = process.communicate()
    check("result: right" in out, out)
    same(heddle("convert", trace).status, 0, "heddle convert at the end")
    same(regions_by_process(Trace(trace)), [4000], "regions of each process")
    check(not process_directories(trace), "the raw trace should be gone")


def test_a_raw_trace_of_which_nobody_can_tell_is_converted_and_stays():
    """A copy has no lock, and here the pid is of another namespace: it may be another machine's."""
    trace, copy = (os.path.join(directory(), name) for name in ("t", "copy"))
    process = asleep(trace, "unshare", "--pid", "--fork", "--kill-child")
    shutil.copytree(trace, copy)
    done = heddle("convert", copy)
    same(done.status, 0, "status")
    check("--remove-raw" in done.err, f"it should say what stays: {done.err}")
    check(process_directories(copy), "the raw trace is gone")
    same(regions_by_process(Trace(copy)), [2000], "regions of each process")
    same(heddle("convert", "--remove-raw", copy).status, 0, "heddle convert --remove-raw")
    check(not process_directories(copy), "the raw trace should be gone")
    process.communicate()


def test_a_later_conversion_has_those_that_ended_before_too():
    """While one process records, all of the raw trace stays: the next archive takes the place of this one."""
    trace = os.path.join(directory(), "t")
    same(run_traced([program("itself"), "nothing"], trace=trace, HEDDLE_CONVERT="0").status, 0, "status of the first")
    process = asleep(trace)
    same(heddle("convert", "--force-live", trace).status, 0, "heddle convert --force-live")
    same(regions_by_process(Trace(trace)), [2000, 4000], "regions of each process")
    process.communicate()
    same(heddle("convert", trace).status, 0, "heddle convert at the end")
    same(regions_by_process(Trace(trace)), [4000, 4000], "regions of each process at the end")
    check(not process_directories(trace), "the raw trace should be gone")


def test_a_converter_that_was_killed_leaves_nothing_that_is_converted_again():
    """It was killed while it removed the raw trace: what is left of that must not replace the archive."""
    trace = os.path.join(directory(), "t")
    same(run_traced([program("itself"), "nothing"], trace=trace, HEDDLE_CONVERT="0").status, 0, "status")
    same(heddle("convert", "--keep-raw", trace).status, 0, "heddle convert --keep-raw")
    os.rename(os.path.join(trace, "raw"), os.path.join(trace, ".heddle-convert.raw"))
    same(heddle("convert", trace).status, 0, "heddle convert again")
    same(sorted(os.listdir(trace)), ["traces", "traces.def", "traces.otf2"], "what is in the trace directory")
    same(regions_by_process(Trace(trace)), [4000], "regions of each process")


def test_the_raw_trace_of_a_killed_process_goes():
    trace = os.path.join(directory(), "t")
    process = asleep(trace)
    process.send_signal(signal.SIGKILL)
    process.wait()
    same(heddle("convert", trace).status, 0, "heddle convert")
    same(regions_by_process(Trace(trace)), [2000], "regions of each process")
    check(not process_directories(trace), "the raw trace should be gone")
