"""
Threads and handlers of signals with little stack: programs behave as without Heddle, and all is recorded. The programs watch what
lies below their stacks. tests/unit/common/test_stack_use.c measures what each act of the recorder needs.
"""
import os

import pytest

from harness import ON_LIBGOMP, program, run, run_traced, same
from trace import Trace, counts

WINDOW = "16K"  # small, so that the small stacks are where windows are written
# A handler's own frames and the runtime's frames need some; the kernel's frame, which is large with AVX-512, comes on top.
HANDLER = "3072"


def behaves_as_without(command, **settings):
    plain = run(command, **settings)
    same((plain.status, plain.err), (0, ""), "status and stderr without Heddle")
    traced = run_traced(command, HEDDLE_WINDOW=WINDOW, **settings)
    same((traced.status, traced.out, traced.err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    return Trace(traced.trace)


@pytest.mark.parametrize("case", ["threads 16", "threads 32", "tasks 64", "workers", "handler " + HANDLER])
def test_openmp_on_small_stacks(case):
    trace = behaves_as_without([program("small_stacks"), *case.split()], OMP_STACKSIZE="16k")
    locks = {"handler": 100 * 30 + 1, "tasks": 0}.get(case.split()[0], 4 * 2000)
    same(counts(trace)["locks"], locks, "locks taken")
    same(counts(trace)["tasks"], 4 * 39 if "tasks" in case else 0, "tasks")


@pytest.mark.parametrize("case", [] if ON_LIBGOMP else ["threads 16", "threads 32", "handler " + HANDLER, "fork 16", "exit 16"])  # no OpenMP in them
def test_events_of_the_user_on_small_stacks(case):
    path = os.path.join(os.path.dirname(program("lu")), "user", "small_stacks")
    trace = behaves_as_without([path, *case.split()])
    entered = sum(e.kind == "Enter" and e.region.name.startswith("name ") for e in trace.events())
    same(entered, {"threads": 4 * 400, "fork": 400, "exit": 400}.get(case.split()[0], 400 * 10), "regions entered")
