"""
Programs that are built with a sanitizer behave as without Heddle, and no report is about Heddle. Or one line says why they are
not traced. What a sanitizer reports of a program on a runtime that it does not know, it reports with Heddle, too.
"""
import os
import re

import pytest

from harness import BUILD, check, directory, record, run, same
from trace import Trace, counts

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
CLANG = os.environ.get("HEDDLE_OMP_COMPILER", "clang-19")
# libomp is not instrumented: MemorySanitizer would take what it leaves on stacks for nothing.
FLAGS = {"memory": ["-mllvm", "-msan-poison-stack=0"]}
SETTINGS = {"memory": {"MSAN_OPTIONS": "poison_in_malloc=0"}}


def build(source, compiler, sanitizer, *flags):
    path = os.path.join(directory(), "program")
    done = run([compiler, "-std=gnu11", "-D_GNU_SOURCE", "-g", "-O1", f"-fsanitize={sanitizer}", "-I", os.path.join(PROGRAMS, "..", ".."),
                os.path.join(PROGRAMS, source), "-o", path, *FLAGS.get(sanitizer, []), *flags])
    if done.status != 0:
        pytest.skip(f"{compiler} -fsanitize={sanitizer} can't build here: {done.err[-300:]}")
    return path


def reports_about_heddle(err):
    """An access by a function of Heddle's, or by one of libc's that it called; not one by what Heddle calls for the program."""
    return re.findall(r"^ *#0 .*libheddle.*|^ *#0 .*lib[atm]san.*\n *#1 .*libheddle.*", err, re.M)


def behaves_as_without(path, *arguments, **settings):
    plain = run([path, *arguments], **settings)
    recorded = record([path, *arguments], **settings)
    same((recorded.status, recorded.out), (plain.status, plain.out), "status and stdout")
    same(reports_about_heddle(recorded.err), [], "reports about Heddle")
    if not plain.err:
        same(recorded.own_err, "", "what is on stderr")
    return Trace(recorded.trace)


@pytest.mark.parametrize("case", ["clang.address", "clang.thread", "clang.memory", "clang.undefined", "gcc.address", "gcc.thread", "gcc.undefined"])
def test_openmp(case):
    compiler, sanitizer = case.split(".")
    path = build("sanitized/teams.c", {"clang": CLANG}.get(compiler, compiler), sanitizer, "-fopenmp")
    trace = behaves_as_without(path, **SETTINGS.get(sanitizer, {}))
    same({k: counts(trace)[k] for k in ("parallel", "locks", "tasks")}, {"parallel": 51, "locks": 100, "tasks": 20}, "what was recorded")


@pytest.mark.parametrize("case", ["clang.address", "clang.thread", "clang.memory", "gcc.address", "gcc.thread"])
def test_events_of_the_user(case):
    compiler, sanitizer = case.split(".")
    path = build("user/small_stacks.c", {"clang": CLANG}.get(compiler, compiler), sanitizer, os.path.join(BUILD, "lib", "libheddle-user.a"))
    for way in (["threads", "2048"], ["fork", "2048"], ["handler", "262144"]):
        behaves_as_without(path, *way)


def test_the_race_detectors_own_tool_comes_first():
    libraries = os.path.join(os.path.dirname(os.path.realpath(run([CLANG, "--print-file-name=libomp.so"]).out.strip())))
    archer = next((d for d in (libraries, "/usr/lib/llvm-19/lib") if os.path.exists(os.path.join(d, "libarcher.so"))), None)
    if not archer:
        pytest.skip("there is no libarcher.so")
    path = build("sanitized/teams.c", CLANG, "thread", "-fopenmp")
    settings = {"LD_LIBRARY_PATH": archer, "TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    plain = run([path], **settings)
    if plain.status != 0:
        pytest.skip("libarcher.so does not keep libomp's own races from being reported here")
    recorded = record([path], **settings)
    same((recorded.status, recorded.out, recorded.own_err), (0, plain.out, ""), "status, stdout and stderr")
    check("libarcher.so" in recorded.tool_err[0], f"not said: {recorded.tool_err}")
    traced = record([path], ARCHER_OPTIONS="enable=0", **settings)
    same(counts(Trace(traced.trace))["parallel"], 51, "regions, where it is switched off")
