"""
Libraries are loaded and unloaded while a program runs. Code is never given to a library that was not there, even if
another one took its place. Each place is known, with the tool alone only if code can be looked at (glibc 2.35). Nothing
of ours waits for a lock that a parent's thread had at the fork.

HEDDLE_FORKS: how many children forks_beside_loads makes (20000 for a long run).
"""
import collections
import ctypes
import os
import shutil
import time

import pytest

import harness
from harness import GOMP, ON_LIBGOMP, check, directory, environment, heddle, process_directories, program, record
from harness import run_raw, run_traced, same
from trace import Trace, check_well_formed

THREADS = {"one.c": 1, "two.c": 2}
UNKNOWN = "unknown place, library was unloaded"
CODE_IS_LOOKED_AT = hasattr(ctypes.CDLL(None), "_dl_find_object")  # glibc 2.35; then all is known, also by the tool alone


def plugin(name):
    return program(f"plugins/{name}.so")


def host(*arguments):
    return [program("plugins/host"), *map(str, arguments)]


def places(trace):
    """
    {file of a plug-in, or what stands there: how many regions began there}. Each plug-in's regions have the threads that
    it asks for, so none is another one's.
    """
    check_well_formed(trace)
    found = collections.Counter()
    for location in trace.locations:
        inside = []
        for e in location.events:
            if e.kind == "Enter":
                inside.append(e.region)
            elif e.kind == "Leave":
                inside.pop()
            elif e.kind == "ThreadFork":
                place = inside[-1].name.split("@", 1)[-1]
                where = place.split(":")[0]
                threads = e.event.number_of_requested_threads
                check(THREADS.get(where, threads) == threads, f"a region of {threads} threads is at {place}")
                found[where] += 1
    return found


def went_well(done):
    same((done.status, done.own_err), (0, ""), "status, stderr")
    check("result: right" in done.out, done.out)
    return done


def raw_modules(process_directory):
    """The modules of the process file: lists of (key, value)."""
    lines = open(os.path.join(process_directory, "process"), errors="surrogateescape").read().splitlines()
    return [line.split(": ", 1) for line in lines if line.startswith(("modules: ", "module: ", "gone: "))]


def test_plug_ins_in_one_place_are_told_apart():
    done = went_well(record(host("turns", 5, plugin("one"), plugin("two"))))
    same(done.truths(), {"one_place": 1}, "each plug-in takes the other one's place")
    same(places(Trace(done.trace)), {"one.c": 5, "two.c": 5}, "regions")


def test_without_the_preloaded_library_no_plug_in_gets_the_others_code():
    if ON_LIBGOMP:
        pytest.skip("there the library is always preloaded")
    found = places(Trace(went_well(run_traced(host("turns", 5, plugin("one"), plugin("two")))).trace))
    check(found.keys() <= {"one.c", "two.c", UNKNOWN}, f"regions: {found}")
    same(sum(found.values()), 10, "regions")
    check(found["one.c"] <= 5 and found["two.c"] <= 5, f"regions: {found}")
    check(not CODE_IS_LOOKED_AT or found == {"one.c": 5, "two.c": 5}, f"each code is looked at: {found}")


def test_who_leaves_by_exit_has_listed_each_plug_in_that_worked():
    """No listing comes behind the last plug-in, and no chunk was written."""
    if not CODE_IS_LOOKED_AT and not ON_LIBGOMP:
        pytest.skip("glibc is older than 2.35")
    for traced in (record, run_traced):
        done = traced(host("left", 5, plugin("one"), plugin("two")))
        same((done.status, done.own_err), (0, ""), "status, stderr")
        if traced is run_traced:
            same(heddle("convert", done.trace).status, 0, "heddle convert")
        same(places(Trace(done.trace)), {"one.c": 5, "two.c": 5}, "regions")


def test_where_nothing_can_be_listed_no_plug_in_gets_the_others_code():
    """The list of modules is a file that cannot grow; what is recorded has its place in memory."""
    if not CODE_IS_LOOKED_AT:
        pytest.skip("glibc is older than 2.35")
    for traced in (record, run_traced):
        done = traced(host("limited", plugin("one"), plugin("two")))
        same(done.status, 0, "status")
        if traced is run_traced:
            heddle("convert", done.trace)
        same(places(Trace(done.trace)), {"one.c": 1, "!$omp parallel": 1}, "regions")


def test_a_library_that_stays_is_known_without_the_preloaded_library():
    done = went_well(run_traced(host("elsewhere", plugin("two"))))
    same(places(Trace(done.trace)), {"two.c": 1}, "regions")


def test_a_relative_path_has_symbols_from_everywhere():
    where = directory()
    shutil.copy(plugin("one"), where)
    for done in (record(host("elsewhere", "./one.so"), cwd=where), run_traced(host("elsewhere", "./one.so"), cwd=where)):
        same(places(Trace(went_well(done).trace)), {"one.c": 1}, "regions")


def test_what_is_loaded_into_a_name_space_of_its_own_is_listed():
    done = went_well(run_raw(host("spaces", plugin("two"))))
    told = raw_modules(process_directories(done.trace)[0])
    check(any(key == "module" and value.endswith("/two.so") for key, value in told), told)


def test_five_hundred_loads_of_a_program_with_250_modules():
    crowd = directory()
    for n in range(250):
        shutil.copy(plugin("one"), os.path.join(crowd, f"one-{n}.so"))
    command = host("crowd", 250, crowd, plugin("one"), plugin("two"))
    done = went_well(record(command))
    same(places(Trace(done.trace)), {"one.c": 250, "two.c": 250}, "regions")
    done = went_well(run_raw(command, LD_PRELOAD=harness.preloading(GOMP)))
    lines = collections.Counter(key for key, _ in raw_modules(process_directories(done.trace)[0]))
    check(750 <= lines["module"] <= 1500 and lines["gone"] >= 500, f"nothing is listed twice: {lines}")


def test_a_killed_process_has_listed_what_it_loaded():
    where, trace = directory(), os.path.join(directory(), "run.heddle")
    command = host("killed", plugin("two"))
    process = harness.subprocess.Popen(command, cwd=where, stdout=harness.subprocess.DEVNULL,
                                       env=environment(OMP_TOOL_LIBRARIES=harness.TOOL, HEDDLE_DIR=trace, HEDDLE_WINDOW="16K"))

    def has_listed(one):  # a directory begins without this file
        return os.path.exists(os.path.join(one, "process")) and any(
            key == "module" and value.endswith("/two.so") for key, value in raw_modules(one))

    while process.poll() is None and not any(map(has_listed, process_directories(trace))):
        time.sleep(0.01)
    open(os.path.join(where, "enough"), "w").close()
    same(process.wait(harness.TIMEOUT), -9, "how it ended")
    same(heddle("convert", trace).status, 0, "heddle convert")
    found = places(Trace(trace)).keys()
    check(found == {"two.c"} if CODE_IS_LOOKED_AT or ON_LIBGOMP else found <= {"two.c", UNKNOWN}, f"regions: {found}")


def test_a_child_of_a_fork_tells_its_own_plug_ins_apart():
    plugins = [plugin("one")] if ON_LIBGOMP else [plugin("one"), plugin("two")]
    done = went_well(record(host("child", 5, *plugins)))
    same(places(Trace(done.trace)), {os.path.basename(p).replace(".so", ".c"): 5 for p in plugins}, "regions")


def test_forks_beside_loads():
    """No child waits for the loader's lock, which a thread of its parent had at the fork."""
    left, hung = int(os.environ.get("HEDDLE_FORKS", "200")), 0
    while left > 0:  # each child makes a directory: not too many at a time
        now = min(left, 1000)
        command = [program("plugins/forks"), str(now), plugin("one")]
        done = run_raw(command, HEDDLE_WINDOW="16K")
        same((done.status, done.own_err, done.truths()), (0, "", {"hung": 0}), "status, stderr, children that hung")
        same(len(process_directories(done.trace)), 1 + now, "processes that recorded")
        for parent in process_directories(done.trace)[:5]:
            check(any(key == "module" for key, _ in raw_modules(parent)), f"{parent} lists nothing")
        shutil.rmtree(done.trace)
        left -= now
