"""
libheddle-gomp.so as OMPT's provider: which entry points it stands before, how it finds a tool, and what it answers one that asks
everything (inquiring_tool.c).
"""
import json
import os
import re
import subprocess

import pytest

from gomp import CONSTRUCTS, FORTRAN, LIBGOMP, OF_GCC, built
from harness import CALLBACK_LOG, GOMP, SOURCE, TOOL, check, directory, heddle, record, run, run_traced, same
from trace import Trace, check_well_formed, counts

def symbols_def():
    """{name: what is done with it} of symbols.def."""
    text = open(os.path.join(SOURCE, "..", "..", "fortran-shim", "symbols.def")).read()
    return {name: what for what, name in re.findall(r"^(WRAPPED|CALLED|PASSED)\((\w+)", text, re.M)}


def exports(path):
    """What a shared library defines, without versions."""
    done = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines() if line.split()[-2] not in "Aa"}


def libgomp():
    done = run(["ldd", built("gomp/nested")])
    return re.search(r"libgomp\.so\.1 => (\S+)", done.out)[1]


def test_every_entry_point_of_the_installed_libgomp_is_known():
    known = symbols_def()
    unknown = {s for s in exports(libgomp()) if s.startswith("GOMP_") and not s.startswith("GOMP_PLUGIN_")} - set(known)
    check(not unknown, f"symbols.def does not say what to do with {sorted(unknown)}")


def test_the_library_exports_what_it_wraps_and_nothing_else():
    wrapped = {name for name, what in symbols_def().items() if what == "WRAPPED"}
    # Functions that libgomp lacks and programs with tools call; and the function from which the recorder learns of
    # libraries.
    own = {"omp_control_tool", "omp_control_tool_", "dlclose", "heddle_at_dlclose"}
    same(sorted(exports(GOMP) ^ (wrapped | own)), [], "exported and not wrapped, or wrapped and not exported")


def test_a_program_calls_each_entry_that_is_wrapped():
    """And so the tests of results and of sequences see it at work."""
    programs = [built(name) for name in CONSTRUCTS + OF_GCC + FORTRAN + ["gomp/error_fatal", "gomp/inline"]]
    done = subprocess.run(["nm", "-D", "--undefined-only", *programs], capture_output=True, text=True, check=True)
    called = set(re.findall(r"^ +U (\w+)", done.stdout, re.M))
    not_called = sorted(name for name, what in symbols_def().items() if what == "WRAPPED" and name not in called)
    same(not_called, [], "wrapped entries that no program calls")


INQUIRING = os.path.join(os.path.dirname(CALLBACK_LOG), "libinquiring-tool.so")
COUNTED = {"threads": 2, "regions": 2, "members": 4, "tasks": 1, "controls": 4, "wrongs": 0}


def inquired(name="gomp/inquired", **settings):
    done = run([built(name)], LD_PRELOAD=LIBGOMP["LD_PRELOAD"], **settings)
    same(done.status, 0, f"status ({done.err})")
    wrong = re.findall("^tool: wrong: .*", done.out, re.M)
    check(not wrong, "\n".join(wrong))
    return done, {m[1]: int(m[2]) for m in re.finditer(r"^tool: (\w+)=(\d+)$", done.out, re.M)}


@pytest.mark.parametrize("case", ["without places", "with places"])
def test_another_tool_gets_right_answers(case):
    places = {"OMP_PLACES": "{0},{1}", "OMP_PROC_BIND": "true"} if case == "with places" else {}
    if places and len(os.sched_getaffinity(0) & {0, 1}) < 2:
        pytest.skip("processors 0 and 1 are not ours")
    done, counted = inquired(OMP_TOOL_LIBRARIES=INQUIRING, **places)
    same(counted, COUNTED, "what the tool counted")
    check("answers: 5 5 -2" in done.out, f"what omp_control_tool gave: {done.out}")
    check("asked by a runtime of 202111: Heddle" in done.out and "libgomp.so" in done.out, f"versions: {done.out}")


def test_a_tool_in_the_program_comes_before_libraries():
    done, counted = inquired("gomp/inquired_linked", OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=os.path.join(directory(), "t"))
    same((counted, done.tool_err), (COUNTED, []), "what the tool in the program counted, what Heddle says")


def test_a_tool_that_declines_is_passed_over():
    at = directory()
    done, counted = inquired("gomp/inquired_linked", TOOL_DECLINES="1", OMP_TOOL_LIBRARIES=CALLBACK_LOG, CALLBACK_LOG=at)
    same(counted, {}, "what the tool counted that declined")
    check(len(os.listdir(at)) == 2, f"logs of {len(os.listdir(at))} threads")


def test_disabled_means_that_no_tool_is_asked():
    done, counted = inquired(OMP_TOOL="disabled", OMP_TOOL_LIBRARIES=INQUIRING)
    same(counted, {}, "what the tool counted")
    check("asked" not in done.out and "answers: -2 -2 -2" in done.out, f"prints {done.out}")


@pytest.mark.parametrize("where", ["stderr", "stdout", "file"])
def test_it_says_how_a_tool_was_found(where):
    missing, no_tool = "/nonexistent/tool.so", GOMP
    path = os.path.join(directory(), "report")
    done, counted = inquired(OMP_TOOL_LIBRARIES=f"{missing}:{no_tool}::{INQUIRING}",
                             OMP_TOOL_VERBOSE_INIT=path if where == "file" else where)
    said = {"stderr": lambda: done.err, "stdout": lambda: done.out, "file": lambda: open(path).read()}[where]()
    lines = [l.split(": ", 1)[1] for l in said.splitlines() if l.startswith("OMPT on libgomp: ")]
    shown = [l.split(missing)[0] + "..." if missing in l else l for l in lines]
    same(shown, ["trying ...", "cannot load: ...", f"trying {no_tool}", f"has no ompt_start_tool: {no_tool}",
                 f"trying {INQUIRING}", "a tool is active"], "what it says")
    same(counted, COUNTED, "what the tool counted")


def test_disabled_reports_are_disabled():
    done, _ = inquired(OMP_TOOL_LIBRARIES=INQUIRING, OMP_TOOL_VERBOSE_INIT="disabled")
    same(done.err, "", "stderr")


LENDING = os.path.join(os.path.dirname(CALLBACK_LOG), "liblending-tool.so")
REPORTED = "i+r i>r r<i"
# What a tool hears of tasks of a place when it wants to hear of the first only. In a wait the first 16 show that they are
# executed, and then one of 16: of 39 that is number 32.
HEARD = {"deferred": f"i+r i>r r<i {'i>u u<i ' * 17}", "at_once": REPORTED, "taskloop_at_once": f"i[ {REPORTED} i]",
         "with_mutex": f"i+r i>r acquired released r<i {'i>u acquired released u<i ' * 2}",
         "with_child": "i+r i>r r+r r>r r<r r<i", "with_wait": "i+r i>r r[ r] r[ r] r<i",
         "with_region": f"i+r i>r r( )r r<i {'i>u u( )u u<i ' * 2}",
         "final": "i+r i+r i+r i>r r<i i>r r<i i>r r<i", "detached": "i+r i+r i+r i>r r<i i>r r<i i>r r<i",
         "taskloop": f"i[ i+r {'i>u u<i ' * 7} i>r r<i i]"}


def heard(case, **settings):
    """What lending_tool.c prints, without the region around all."""
    done = run([built("gomp/unreported"), case], LD_PRELOAD=LIBGOMP["LD_PRELOAD"], OMP_TOOL_LIBRARIES=LENDING, **settings)
    same(done.status, 0, f"status ({done.err})")
    words = re.search("^tool: (.*)$", done.out, re.M)[1].split()
    if case == "ordered_alone":
        return words
    same((words[0], words[-1]), ("i(", ")i"), "begin and end of the region")
    return words[1:-1]


@pytest.mark.parametrize("case", HEARD)
def test_tasks_are_not_reported_if_the_tool_lends_them(case):
    same(heard(case), HEARD[case].split(), "what the tool hears")


def test_a_reported_task_has_a_parent_that_the_tool_knows():
    same(heard("with_child", LENDING="first"), "i+r i>r r+r r>r r<r r<i".split() + "i>u u+r u>r r<u u<i".split() * 2, "what the tool hears")


def test_tasks_that_wait_are_seen_where_libgomp_runs_others_at_once():
    words = heard("throttled")
    same((words[:3], words.count("i+r")), (REPORTED.split(), 1), "the reported task")
    # It defers 64 a thread and a few more; the rest needs no report.
    n = words.count("i>u")
    check(words[3:] == ["i>u", "u<i"] * n and 19 <= n <= 25, f"{n} of the tasks that were deferred are seen: {words}")


def test_ordered_outside_of_all_regions_is_reported():
    same(heard("ordered_alone"), ["acquired", "released"], "what the tool hears")


def test_all_tasks_are_reported_where_they_can_be_cancelled():
    same(heard("at_once", OMP_CANCELLATION="true"), REPORTED.split() * 40, "what the tool hears")


def test_two_million_tasks_are_told_on_a_stack_of_the_usual_size():
    done, counted = inquired("gomp/task_many", OMP_TOOL_LIBRARIES=INQUIRING)
    check("result: right" in done.out, f"prints {done.out}")
    same((counted["regions"], counted["tasks"]), (2, done.truths()["tasks"]), "regions and tasks that the tool counted")


SELF_HELPING = "gomp/parallel_tools"  # beside a library that stands for a libgomp which starts tools itself


@pytest.mark.parametrize("way", ["heddle record", "by hand"])
def test_a_libgomp_that_starts_tools_itself_does_it_alone(way):
    done = record([built(SELF_HELPING)]) if way == "heddle record" else run_traced([built(SELF_HELPING)], **LIBGOMP)
    same((done.status, "result: right" in done.out), (0, True), f"status, result ({done.out}{done.err})")
    same(done.out.count("started: 1"), 1, "starts of the tool by libgomp")
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(counts(trace)["parallel"], 3, "regions")
    info = json.loads(heddle("info", "--json", done.trace).out)
    same(info["runtime"], "GNU libgomp 18; libgomp starts tools itself, libheddle-gomp.so stands back", "what heddle info says")


def test_a_libgomp_that_starts_tools_itself_starts_any_tool_alone():
    at = directory()
    done = run([built(SELF_HELPING)], OMP_TOOL_LIBRARIES=CALLBACK_LOG, CALLBACK_LOG=at, OMP_TOOL_VERBOSE_INIT="stderr", **LIBGOMP)
    same((done.status, done.out.count("started: 1")), (0, 1), f"status, starts by libgomp ({done.out})")
    said = [line.rsplit(":", 1)[0] for line in done.err.splitlines() if line.startswith("OMPT on libgomp: ")]
    same(said, ["OMPT on libgomp: stands back, because libgomp starts tools itself"], "what it says")
    logs = [open(os.path.join(at, name), encoding="ascii").read() for name in os.listdir(at)]
    same(sum(log.count("parallel_begin") for log in logs), 3, "regions in the tool's logs")
