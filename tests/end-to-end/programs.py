"""
The archive of every program is well-formed, is read by other tools without a complaint, and shows exactly what the
program did.
"""
import os
import re
import shutil

import pytest

import harness
from harness import archive, check, directory, program, run, run_traced
from trace import Trace, check_truth, check_well_formed, read_by_otf2_print

CONSTRUCTS = sorted("constructs/" + f[:-2] for f in os.listdir(os.path.join(harness.SOURCE, "..", "programs", "constructs"))
                    if f.endswith(".c"))
KERNELS = ["lu", "jacobi", "nqueens", "philosophers", "mploop", "imbalanced", "nested_4x4", "roots"]
ARGUMENTS = {"lu": ["100"], "imbalanced": ["1000", "5"], "roots": ["200"], "philosophers": ["5", "50"]}


def traced(name, **settings):
    """Runs a program traced; its own verdict must be right, and Heddle must have nothing to say."""
    done = run_traced([program(name), *ARGUMENTS.get(name, [])], **settings)
    check(done.status == 0, f"exit status {done.status}: {done.out[-300:]}{done.err[-300:]}")
    check(done.tool_err == [], f"unexpected: {done.tool_err}")
    return done


def holds(name, **settings):
    done = traced(name, **settings)
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    check_truth(trace, done.truths())
    if "cancel" not in name and "control_tool" not in name:  # there the runtime, or the program, leaves ends out
        closed = {e.region.name: e.attributes["closed"] for e in trace.events() if "closed" in e.attributes}
        check(not closed, f"regions whose end was not seen: {closed}")


@pytest.mark.parametrize("name", CONSTRUCTS + KERNELS)
def test_shows_what_the_program_did(name):
    holds(name, OMP_CANCELLATION="true" if "cancel" in name else None)


@pytest.mark.parametrize("method", ["atomic", "critical", "tree"])
def test_shows_what_the_program_did_with_reduction(method):
    holds("constructs/reduction", KMP_FORCE_REDUCTION=method)


@pytest.mark.parametrize("name", [c for c in CONSTRUCTS if "cancel" in c])
def test_shows_what_the_program_did_where_cancellation_is_off(name):
    holds(name, OMP_CANCELLATION="false")


@pytest.mark.parametrize("name", ["lu", "jacobi", "nqueens"])
def test_shows_what_the_program_did_on_four_busy_threads(name):
    holds(name, OMP_NUM_THREADS="4", OMP_WAIT_POLICY="active")


@pytest.mark.parametrize("name", ["lu", "jacobi", "nqueens", "imbalanced"])
def test_shows_what_the_program_did_on_one_thread(name):
    holds(name, OMP_NUM_THREADS="1")


@pytest.mark.parametrize("name", ["lu", "nqueens", "nested_4x4", "philosophers", "constructs/task_depend"])
def test_vite_reads_it(name):
    if not shutil.which("vite") or not shutil.which("xvfb-run"):
        pytest.skip("vite or xvfb-run is not installed")
    done = traced(name, OMP_CANCELLATION="true" if "cancel" in name else None)
    picture = os.path.join(directory(), "out.svg")
    vite = run(["xvfb-run", "-a", "vite", "-e", picture, archive(done.trace)])
    said = re.search(r"(\d+) errors and (\d+) warnings", vite.out + vite.err)
    check(said, f"vite does not say how it went: {(vite.out + vite.err)[-500:]}")
    check(said.groups() == ("0", "0"), f"vite: {(vite.out + vite.err)[-1000:]}")
    check(os.path.exists(picture), "vite made no picture")
