"""
In containers, and wherever a program may do or see less than usual, it behaves as without Heddle. It is recorded, or one line says
why not. contain.c takes away what containers take away.
"""
import os
import shutil
import stat
import subprocess

import pytest

from harness import BUILD, CONTAIN, GOMP, ON_LIBGOMP, TOOL, check, directory, heddle, program, run, same
from trace import Trace, counts

REGIONS = 99


def lu():
    return [program("lu"), str(REGIONS + 1)]


def contained(ways, command, place, **settings):
    """Runs a command so, traced into `place` when settings has a tool."""
    ways = [f"{w}={place}" if w in ("readonly", "small") else w for w in ways.split()]
    done = run([CONTAIN, *ways, "--", *command], **settings)
    if done.status == 77:
        pytest.skip(done.err.strip())
    return done


def behaves_as(traced, plain):
    """What lu says of its own time differs."""
    without_time = [[line for line in done.own_err.splitlines() if not line.startswith("lu: ")] for done in (traced, plain)]
    same((traced.status, traced.out, without_time[0]), (plain.status, plain.out, without_time[1]), "status, stdout, stderr")


@pytest.mark.parametrize("case", ["seccomp", "noproc", "noshm", "pid", "user", "user pid", "readonly", "readonly noshm noproc pid seccomp"])
def test_what_a_container_allows_is_enough(case):
    place = directory("/var/tmp" if "noshm" in case else None)
    plain = contained(case, lu(), place)
    trace = os.path.join(place, "trace")
    traced = contained(case, lu(), place, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace)
    behaves_as(traced, plain)
    same(traced.tool_err, [], "what Heddle says")
    same(counts(Trace(trace))["parallel"], REGIONS, "regions")


@pytest.mark.parametrize("case", ["readonly", "small"])
def test_where_there_is_no_room_one_line_says_so(case):
    place = directory()
    # The trace's place is read-only, or has room for hardly more than a window.
    trace = os.path.join("/" if case == "readonly" else place, "trace")
    command = [program("lu"), "200", "32"]
    plain = contained(case, command, place)
    traced = contained(case, command, place, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace, HEDDLE_CONVERT="0")
    behaves_as(traced, plain)
    same(len(traced.tool_err), 1, f"lines that say why: {traced.tool_err}")
    check(trace in traced.tool_err[0], traced.tool_err[0])


def test_a_program_that_may_not_be_looked_at():
    # Who may only execute a program may not read about it in /proc, and it leaves no core: PR_SET_DUMPABLE is 0.
    if os.geteuid() != 0:
        pytest.skip("needs root, to be somebody else")
    nobody, at = 65534, directory()
    os.chmod(at, 0o777)
    mine = shutil.copy(program("lu"), at)
    os.chmod(mine, stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    tool = shutil.copy(TOOL, os.path.join(at, "libheddle-ompt.so"))
    settings = {"OMP_TOOL_LIBRARIES": tool, "HEDDLE_DIR": os.path.join(at, "trace"), "HEDDLE_CONVERT": "0"}
    if ON_LIBGOMP:
        settings["LD_PRELOAD"] = shutil.copy(GOMP, at)

    def as_nobody():
        os.setgroups([])
        os.setresgid(nobody, nobody, nobody)
        os.setresuid(nobody, nobody, nobody)

    plain = run([mine, *lu()[1:]], preexec=as_nobody)
    traced = run([mine, *lu()[1:]], preexec=as_nobody, **settings)
    behaves_as(traced, plain)
    same(traced.tool_err, [], "what Heddle says")
    done = run([os.path.join(BUILD, "bin", "heddle"), "convert", settings["HEDDLE_DIR"]])
    same(done.status, 0, f"heddle convert: {done.err}")
    same(counts(Trace(settings["HEDDLE_DIR"]))["parallel"], REGIONS, "regions")


@pytest.mark.parametrize("way", ["root", "other"])
def test_a_program_that_is_elsewhere_is_found(way):
    """As if it had run in a container: where the converter runs, its path has no file."""
    place = directory()
    there, here, trace = (os.path.join(place, name) for name in ("app", "elsewhere", "trace"))
    os.mkdir(there)
    with open(os.path.join(there, "app.c"), "w", encoding="utf-8") as source:
        source.write("int main(void)\n{\n#pragma omp parallel num_threads(2)\n  ;\n  return 0;\n}\n")
    subprocess.run(["gcc", "-g", "-fopenmp", "app.c", "-o", "app"], cwd=there, check=True)
    same(heddle("record", "--no-convert", "-o", trace, "--", os.path.join(there, "app")).status, 0, "status")
    target = os.path.join(here, there.lstrip("/")) if way == "root" else here
    os.makedirs(os.path.dirname(target), exist_ok=True)
    os.rename(there, target)

    def places():
        return {region.name.rpartition("@")[2] for region in Trace(trace).regions if "parallel" in region.name}

    done = heddle("convert", trace)
    same(done.status, 0, "status")
    check("not here" in done.err and "--sysroot" in done.err, done.err)
    check(os.path.exists(os.path.join(trace, "raw")), "the raw trace is kept")
    check(places() and all(name.startswith("app+0x") for name in places()), f"places: {places()}")
    done = heddle("convert", "--sysroot", here if way == "root" else f"{there}={here}", trace)
    same((done.status, "not here" in done.err), (0, False), f"status, and what is said: {done.err}")
    same(places(), {"app.c:3"}, "places")
    check(not os.path.exists(os.path.join(trace, "raw")), "the raw trace is gone")


def test_roots_that_say_nothing_are_refused():
    same(heddle("convert", "--sysroot", "", directory()).status, 2, "status")
