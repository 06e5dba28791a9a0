"""
However a program ends, its output and exit status are what they are without Heddle, and the trace is what it can be.
"""
import os
import signal

import pytest

from harness import ON_LIBGOMP, TOOL, check, directory, heddle, program, record, run, run_traced, same
from trace import Trace, check_well_formed, counts

# Ways after which the process itself completes the trace, and ways that leave that to `heddle convert`.
ENDS = ["return", "exit", "atexit", "pause_soft", "exit_in_region", "exit_in_worker", "quick_exit"]
DIES = ["fast_exit", "abort", "segv", "sigterm", "handled_sigterm", "sigkill"]
# The runtime itself ends the tool here, before the program's end.
CLOSES = ["pause_hard"]
IN_REGION = ["exit_in_region", "exit_in_worker", "quick_exit", *DIES]


def undisturbed(plain, traced):
    same(traced.status, plain.status, "exit status")
    same(traced.out, plain.out, "stdout")
    same(traced.own_err, plain.err, "stderr")


def check_archive(trace, way, end="unknown"):
    check_well_formed(trace)
    n = counts(trace)
    if way in IN_REGION:
        same((n["parallel"], n["members"], n["criticals"], n["barriers"]), (1, 2, 2, 2), "regions, members, criticals, barriers")
    elif way == "pause_soft":
        same(n["parallel"], 2, "regions")
    else:
        check(n["parallel"] >= 1, "the region is missing")
    ended = [p.get("HEDDLE::ENDED") for p in trace.group_properties.values()]
    same(ended, [end if way in DIES else "exit"], "how the process ended")


@pytest.mark.parametrize("way", ENDS + DIES + CLOSES)
def test_program_is_undisturbed(way):
    command = [program("endings"), way]
    plain, traced = run(command), run_traced(command)
    undisturbed(plain, traced)
    if way in DIES:
        check(not os.path.exists(os.path.join(traced.trace, "traces.otf2")), "nobody can have converted this")
        converted = heddle("convert", traced.trace)
        same(converted.status, 0, f"heddle convert ({converted.err})")
    check_archive(Trace(traced.trace), way)


@pytest.mark.parametrize("way", ENDS + DIES)
def test_record_gives_the_programs_status_and_an_archive(way):
    command = [program("endings"), way]
    plain, recorded = run(command), record(command)
    undisturbed(plain, recorded)
    end = f"signal {plain.signal} ({signal.Signals(plain.signal).name})" if plain.signal else f"_exit, status {plain.status}"
    check_archive(Trace(recorded.trace), way, end)


def test_an_end_that_nobody_saw_is_not_guessed():
    # The program that died is a child of the program that `heddle record` started.
    recorded = record(["/bin/sh", "-c", f"{program('endings')} sigkill; exit 0"])
    info = heddle("info", recorded.trace)
    check("killed, or ended by _exit" in info.out, f"info says {info.out[:800]}")


def test_a_program_without_openmp_regions_is_undisturbed():
    command = [program("endings"), "no_openmp"]
    undisturbed(run(command), run_traced(command))


def test_a_program_that_is_no_openmp_program_is_undisturbed():
    command = ["/bin/sh", "-c", "echo out; echo err >&2; exit 5"]
    undisturbed(run(command), run_traced(command))


def test_record_says_that_nothing_was_traced():
    recorded = record(["/bin/sh", "-c", "exit 5"])
    same(recorded.status, 5, "exit status")
    check(recorded.tool_err, "a run without a trace must be said")


def test_record_of_a_missing_program_is_an_error():
    recorded = record([os.path.join(directory(), "missing")])
    check(recorded.status in (1, 2, 126, 127), f"exit status is {recorded.status}")
    check(recorded.tool_err and "missing" in recorded.tool_err[0], f"says {recorded.err!r}")


def test_off_means_off():
    command = [program("lu"), "50"]
    at = directory()
    plain, off = run(command, cwd=at), run(command, cwd=at, HEDDLE="off", OMP_TOOL_LIBRARIES=TOOL)
    same((off.status, off.out, off.tool_err), (plain.status, plain.out, []), "status, stdout, Heddle's lines")
    same(os.listdir(at), [], "files made")


def test_the_default_directory_names_the_program():
    at = directory()
    done = run([program("endings"), "return"], cwd=at, OMP_TOOL_LIBRARIES=TOOL)
    same(done.status, 3, "exit status")
    made = os.listdir(at)
    check(len(made) == 1 and made[0].startswith("heddle-endings-") and made[0].endswith(f"-{done.pid}"), f"made {made}")
    check_well_formed(Trace(os.path.join(at, made[0])))


def test_handlers_that_interrupt_the_tool_lose_nothing_but_what_is_counted():
    command = [program("signals"), "8000"]
    done = run_traced(command)
    same(done.status, 0, "exit status")
    trace = Trace(done.trace)
    check_well_formed(trace)
    n = counts(trace)
    unseen = ["loops", "chunks", "iterations"] if ON_LIBGOMP else []  # its loop is static and compiled inline
    wrong = [f"{k}: {n[k]:g} instead of {v}" for k, v in done.truths().items() if n[k] != v and k not in unseen]
    check(not wrong, ", ".join(wrong))


def test_a_thousand_threads_with_a_region_each():
    done = run_traced([program("roots"), "1000", "100"])
    same((done.status, done.tool_err), (0, []), "status, Heddle's lines")
    trace = Trace(done.trace)
    check_well_formed(trace)
    n = counts(trace)
    same((n["parallel"], n["members"]), (1000, done.truths()["members"]), "regions, members")
    same(sum(l.properties.get("HEDDLE::THREAD_TYPE") == "initial" for l in trace.locations), 1000, "root threads")
