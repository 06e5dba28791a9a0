"""
Entry points that only gcc's development tree (17) has, for constructs that earlier versions compile inline. A library beside libgomp has them
(programs/gomp/inline_library.c), and a program calls them as that compiler does. expected/gomp/gomp.inline.txt has the exact callbacks.
"""
import os

import pytest
from otf2.enums import RegionRole as Role

from gomp import LIBGOMP, built
from harness import SOURCE, record, run, run_traced, same
from trace import Trace, check_well_formed, counts, read_by_otf2_print

# Two threads and two teams do this; one of them executes masked.
SHOWN = {"parallel": 1, "members": 2, "loops": 6, "chunks": 12 + 2, "iterations": 44 + 2, "masked": 1, "singles": 2, "single_blocks": 1,
         "reductions": 2, "barriers": 4, "distributes": 4}


def traced(name="gomp/inline", runner=run_traced, **settings):
    done = runner([built(name)], **settings)
    same((done.status, "result: right" in done.out), (0, True), f"status, result ({done.out}{done.err})")
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    return trace


def shown(trace):
    n = counts(trace)
    return {key: n[key] for key in SHOWN}


@pytest.mark.parametrize("way", ["by hand", "heddle record"])
def test_all_constructs_are_in_the_archive(way):
    same(shown(traced(**LIBGOMP) if way == "by hand" else traced(runner=record)), SHOWN, "what the archive shows")


def test_loops_have_their_lines():
    source = open(os.path.join(SOURCE, "..", "programs", "gomp", "inline.c"), encoding="ascii").read().splitlines()
    lines = sorted(r.begin_line_number for r in traced(**LIBGOMP).regions if r.region_role == Role.LOOP and r.name.startswith("!$omp for"))
    calls = sorted(i for i, text in enumerate(source, 1) if "/* a loop's begin */" in text)
    same([line - call in (0, 1) for line, call in zip(lines, calls, strict=True)], [True, True], f"whether {lines} are at {calls}")


def test_entries_that_answer_otherwise_are_only_passed_on():
    """Numbers in another order, another meaning of masked's argument, and a kind of barrier that does not exist."""
    other = {"loops": 0, "chunks": 0, "iterations": 0, "distributes": 0, "masked": 0}
    same(shown(traced("gomp/inline-strange", **LIBGOMP)), {**SHOWN, **other}, "what the archive shows")


@pytest.mark.parametrize("name", ["gomp/inline", "gomp/inline-strange"])
def test_without_a_tool_all_is_passed_on(name):
    done = run([built(name)], **LIBGOMP)
    same((done.status, "result: right" in done.out), (0, True), f"status, result ({done.out}{done.err})")
