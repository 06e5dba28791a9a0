"""
Programs that gcc and gfortran compiled, on libgomp with libheddle-gomp.so. With no tool, the callback log and Heddle, they
compute what they compute without it; and the archive shows what they did. However they end, they end as without us.
"""
import concurrent.futures
import os
import re
import shutil

import pytest

from gomp import CONSTRUCTS, FORTRAN, LIBGOMP, OF_GCC, built
from gomp_tools import symbols_def
from harness import CALLBACK_LOG, GOMP, PROGRAMS, TOOL, check, directory, preloading, run, run_traced, same
from trace import Trace, check_truth, check_well_formed, counts, read_by_otf2_print

WAYS = {"no library": {}, "no tool": {"LD_PRELOAD": preloading(GOMP)},
        "the callback log": {"LD_PRELOAD": preloading(GOMP), "OMP_TOOL_LIBRARIES": CALLBACK_LOG},
        "Heddle": {"LD_PRELOAD": preloading(GOMP), "OMP_TOOL_LIBRARIES": TOOL, "HEDDLE_CONVERT": "0"}}
LARGE = ["gomp/task_many"]  # its log would have 40 million lines


def result_is_right(case):
    """The program's own verdict; all the ways, one after the other, with one number of threads."""
    name, level, threads = case
    for way, settings in WAYS.items():
        if name in LARGE and way != "no tool":
            continue
        at = directory()
        done = run([built(name, level)], cwd=at, CALLBACK_LOG=at, HEDDLE_DIR=os.path.join(at, "t"), OMP_CANCELLATION="true",
                   OMP_NUM_THREADS=str(threads), **settings)
        shutil.rmtree(at)
        if done.status != 0 or "result: right" not in done.out or done.tool_err:
            return f"{name}{level} on {threads} threads with {way}: status {done.status}, {done.out[-200:]} {done.err[-200:]}"
    return None


def results_are_right(level):
    folder = "" if level == "O2" else "-" + level
    names = CONSTRUCTS + OF_GCC + FORTRAN + ([n + "-int8" for n in FORTRAN] if level == "O2" else [])
    # The programs ask for the threads that they need; the environment's number is for programs that take what there is.
    numbers = (1, 2, 4) if level in ("O0", "O2") else (2,)
    cases = [(name, folder, threads) for name in names for threads in numbers]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(result_is_right, cases) if w]
    check(not wrong, "\n".join(wrong))


def test_results_are_right_at_O0():
    results_are_right("O0")


def test_results_are_right_at_O1():
    results_are_right("O1")


def test_results_are_right_at_O2():
    results_are_right("O2")


def test_results_are_right_at_O3():
    results_are_right("O3")

def messages(err):
    """What a program says, without the frames of a backtrace, which has our functions, too, and addresses that change."""
    text = "\n".join(l for l in err.splitlines() if not re.match(r"#\d+ |\tat |\t(at|in) ", l))
    # libgomp writes a message in pieces: two threads' may be mixed.
    return "".join(sorted(text)) if "libgomp: " in text else text


def as_plain(command, **settings):
    """Runs a command without us and with; returns the traced run."""
    plain, done = run(command, OMP_CANCELLATION="true"), run_traced(command, **{**LIBGOMP, **settings})
    same((done.status, done.out), (plain.status, plain.out), "status, stdout")
    same(messages(done.own_err), messages(plain.err), "stderr")
    check(done.tool_err == [], f"Heddle says {done.tool_err}")
    return done


def well_formed(done):
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    return trace


# What a program can say of itself, and an archive of it on libgomp can't have (docs/libgomp.md, Differences).
NEVER_SEEN = ["masked", "flushes", "distributes", "iterations_known"]
STATIC_LOOPS = ["chunks", "iterations", "loops"]
HAVE_STATIC_LOOPS = ["cancel_for", "loop_auto", "loop_nowait", "loop_static", "loop_static_chunk", "loop_wide", "loop_zero",
                     "distribute"]
UNSEEN = {"loop_zero": ["implicit_barriers", "barriers"], "loop_dynamic_one": ["chunks"], "teams": ["parallel", "members"],
          "distribute": ["parallel", "members"]}


def shows_the_truth(name, arguments=(), **settings):
    done = run_traced([built(name), *arguments], **{**LIBGOMP, **settings})
    same((done.status, done.tool_err), (0, []), f"status ({done.out}), Heddle's lines")
    trace = well_formed(done)
    short = os.path.basename(name)
    unseen = NEVER_SEEN + UNSEEN.get(short, []) + (STATIC_LOOPS if short in HAVE_STATIC_LOOPS else [])
    check_truth(trace, {k: v for k, v in done.truths().items() if k not in unseen})


@pytest.mark.parametrize("name", CONSTRUCTS + [n for n in OF_GCC if n not in LARGE + ["gomp/inquired"]] + FORTRAN + [n + "-int8" for n in FORTRAN])
def test_archive_shows_what_the_program_did(name):
    shows_the_truth(name)


@pytest.mark.parametrize("name", ["lu", "jacobi", "nqueens", "philosophers", "nested_4x4", "roots"])
def test_archive_of_a_kernel_is_well_formed(name):
    arguments = {"lu": ["100"], "roots": ["200"], "philosophers": ["5", "50"]}.get(name, [])
    done = run_traced([built(name), *arguments], **LIBGOMP)
    same((done.status, done.tool_err), (0, []), f"status ({done.out}), Heddle's lines")
    trace = well_formed(done)
    shown = counts(trace)
    for key in ("parallel", "members", "criticals", "locks", "tasks", "tasks_completed", "singles"):
        same(shown[key], done.truths().get(key, shown[key]), key)


def regions_of(done):
    same((done.status, done.tool_err), (0, []), f"status ({done.out}{done.err}), Heddle's lines")
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    return counts(trace)["parallel"]


SERIAL = os.path.join(PROGRAMS, "gomp", "serial")


@pytest.mark.parametrize("way", WAYS)
def test_a_program_without_openmp_that_asks_for_it_gets_serial_answers(way):
    """By weak symbols; it tests each entry point that is wrapped."""
    at = directory()
    done = run([SERIAL], CALLBACK_LOG=at, HEDDLE_DIR=os.path.join(at, "t"), **WAYS[way])
    same((done.status, done.tool_err), (0, []), f"status ({done.out}{done.err}), Heddle's lines")
    check("result: right" in done.out, done.out)
    wrapped = [name for name, what in symbols_def().items() if what == "WRAPPED"]
    same(done.out.split("there: ")[1].split()[0], str(0 if way == "no library" else len(wrapped)), "entry points that are there")
    same(os.listdir(at), [], "what a tool wrote")


def test_a_plug_in_brings_libgomp_into_a_program_that_got_serial_answers():
    done = run_traced([SERIAL, built("gomp/plugin.so")], **LIBGOMP)
    same((done.status, done.tool_err), (0, []), f"status ({done.out}{done.err}), Heddle's lines")
    check_truth(well_formed(done), done.truths())


def test_a_child_makes_tasks_while_the_parents_thread_is_in_a_callback():
    done = run([built("gomp/fork_in_callback")], LD_PRELOAD=preloading(GOMP))
    same((done.status, "result: right" in done.out), (0, True), f"status, right ({done.out}{done.err})")


def test_a_plug_in_brings_libgomp_into_a_program_without():
    done = as_plain([os.path.join(PROGRAMS, "gomp", "plugin_host"), built("gomp/plugin.so")])
    check_truth(well_formed(done), done.truths())


@pytest.mark.parametrize("library", ["plugin", "plugin_more"])
def test_a_plug_in_of_gcc_in_a_program_on_libomp_is_told_once(library):
    """
    Its calls go where they go without us: to libomp, which reports them. Calls that libomp does not have go to libgomp.
    """
    done = as_plain([os.path.join(PROGRAMS, "gomp", "both_host"), built(f"gomp/{library}.so")])
    same(counts(well_formed(done))["parallel"], 6, "regions")


@pytest.mark.parametrize("way", ["stop", "error_stop", "overflow", "stop_in_region", "error_stop_in_region", "stop_in_worker", "error_stop_in_worker"])
def test_fortran_ends_as_without_us(way):
    for program in ("fortran/endings", "fortran/endings-int8"):
        trace = well_formed(as_plain([built(program), way]))
        n = counts(trace)
        same((n["parallel"], n["members"], n["barriers"]), (1, 2, 2), "regions, members, barriers")


def test_a_fatal_error_directive_ends_as_without_us():
    done = as_plain([built("gomp/error_fatal")])
    check_truth(well_formed(done), done.truths())
