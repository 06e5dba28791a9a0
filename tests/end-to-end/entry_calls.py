"""
Exact calls of functions that report their begin alone (-pg -mfentry, -fpatchable-function-entry), whose return addresses are exchanged. Code that looks at the
stack, unwinds it or switches it must find all as it would be. exact_calls.py has what holds for each kind of hooks.
"""
import os
import re

import _otf2
import otf2
import pytest

from call_sums import COMPILERS, Calls, path_of, recorded, same_as_counted
from harness import check, directory, heddle, run, same

FENTRY = [name for name in COMPILERS if "fentry" in name]
PATCHABLE = {"clang patchable": "_patchable", "gcc patchable": "_patchable_gcc"}
PROGRAMS = COMPILERS | PATCHABLE
ENTRIES = [*FENTRY, *PATCHABLE]
FENTRY_FORMS = [f"{compiler}, {form}" for compiler in FENTRY for form in ("tree", "trace")]
FORMS = [f"{compiler}, {form}" for compiler in ENTRIES for form in ("tree", "trace")]


def number_of(directory_, name):
    """A number of the archive's."""
    with otf2.reader.open(os.path.join(directory_, "traces.otf2")) as reader:
        return int(_otf2.Reader_GetProperty(reader.handle, name))


def as_alone(name, form, *arguments, status=0):
    """A run with the same output and status as the program alone; returns its directory."""
    alone = run([path_of(name), *arguments])
    same(alone.status, status, alone.err)
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", f"--calls={form}", "-o", directory_, "--", path_of(name), *arguments)
    same((done.status, done.out, done.own_err), (alone.status, alone.out, alone.err), "status and output")
    return directory_


def calls_of(calls, function):
    return sum(s.calls for _, _, contexts in calls.locations for path, several in contexts.items() if path[-1] == function for s in several)


THROWERS = 2 * sum(range(1, 5)) + 2 + 2 * 3  # calls of a function that throws: caught near and far, by nobody, and in two children


@pytest.mark.parametrize("case", FORMS)
def test_what_unwinds_the_stack_finds_it_whole(case):
    """Exceptions, cancellation, pthread_exit, siglongjmp, stack traces, also through a library; an exception that nobody catches."""
    compiler, form = case.split(", ")
    calls = Calls(as_alone("unwinding" + PROGRAMS[compiler], form, status=134))
    calls.are_whole()
    same(calls_of(calls, "thrower"), THROWERS, "calls of a function that throws")


@pytest.mark.parametrize("case", [f"{compiler}, {form}" for compiler in ("clang", "gcc") for form in ("tree", "trace")])
def test_both_kinds_of_hooks_in_one_process(case):
    """The same program with hooks for begin and end, and its library with those for the begin alone."""
    compiler, form = case.split(", ")
    calls = Calls(as_alone("unwinding_mixed" + PROGRAMS[compiler], form, status=134))
    calls.are_whole()
    same(calls_of(calls, "thrower"), THROWERS, "calls of a function that throws")
    paths = {path for _, _, contexts in calls.locations for path in contexts}
    turn = ("library_calls", "inner", "thrower")
    check(("main", "exceptions", *turn, *turn, *turn, *turn) in paths, f"{sorted(p for p in paths if 'thrower' in p)}")


@pytest.mark.parametrize("case", FORMS)
def test_registers_are_those_without(case):
    compiler, form = case.split(", ")
    as_alone("registers" + PROGRAMS[compiler], form)


@pytest.mark.parametrize("case", ENTRIES)
def test_a_jump_is_a_call(case):
    """A function that another one jumps to is its child, and a circle of jumps takes no more memory each time round."""
    done, calls = recorded(path_of("jumps" + PROGRAMS[case]))
    same_as_counted(done, calls)
    contexts = max((contexts for _, _, contexts in calls.locations), key=len)
    same(sorted(p for p in contexts if "f_e" in p[:-1]), [("main", "f_a", "f_e", "f_f"), ("main", "f_a", "f_e", "f_f", "f_g")], "paths of the circle")


@pytest.mark.parametrize("case", FENTRY_FORMS)
def test_coroutines_go_on(case):
    compiler, form = case.split(", ")
    directory_ = as_alone("coroutines" + PROGRAMS[compiler], form)
    calls = Calls(directory_)
    calls.are_whole()
    should_be = {name: int(n) for name, n in re.findall(r"^(f_[xy]) (\d+)$", run([path_of("coroutines" + PROGRAMS[compiler])]).out, re.M)}
    is_ = {name: calls_of(calls, name) for name in (*should_be, "body")}
    skipped = number_of(directory_, "HEDDLE::CALLS_SKIPPED")
    check(number_of(directory_, "HEDDLE::CALLS_LEFT") > 0, "no function was left by a switch")
    same(sum(is_.values()) + skipped, sum(should_be.values()) + 3 * 6, f"calls in coroutines, with {skipped} on stacks above the thread's")
    check(all(is_[name] <= n for name, n in should_be.items()), f"{is_}, should be {should_be}")


@pytest.mark.parametrize("case", ENTRIES)
def test_a_protected_processor_is_respected(case):
    """Where the processor compares return addresses, the program runs undisturbed, and one line reports it."""
    directory_, name = os.path.join(directory(), "run.heddle"), path_of("random_tree" + PROGRAMS[case])
    alone = run([name, "4", "20000", "2"])
    done = heddle("record", "--calls", "-o", directory_, "--", name, "4", "20000", "2", LD_PRELOAD=path_of("protected.so"))
    same((done.status, sorted(done.out.splitlines()), done.own_err), (0, sorted(alone.out.splitlines()), ""), "status and output")
    told = [line for line in done.err.splitlines() if "shadow stack" in line]
    same(len(told), 1, done.err)
    check(not os.path.exists(os.path.join(directory_, "calls.otf2")) or not Calls(directory_).own_calls(), "calls were recorded")


def test_stacks_are_not_sampled_meanwhile():
    name = path_of("random_tree_fentry_gcc")
    done = heddle("record", "--calls", "--sample", "-o", os.path.join(directory(), "x"), "--", name, "4", "20000", "1")
    same((done.status, done.out), (1, ""), done.err)
    check("stacks cannot be sampled" in done.err and "--stack none" in done.err and len(done.err.splitlines()) == 1, done.err)
    # A program that nobody looked at, because a shell starts it.
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls", "--sample", "-o", directory_, "--", "/bin/sh", "-c", f"{name} 4 20000 1")
    same(done.status, 0, done.err)
    same(len([line for line in done.err.splitlines() if "are not recorded with --sample" in line]), 1, done.err)
    # Where it is only noted which function runs, both work.
    done, calls = recorded(name, "4", "20000", "1", options=["--sample", "--stack", "none"])
    same_as_counted(done, calls)


@pytest.mark.parametrize("case", [f"{name}, {compiler}" for name in ("random_tree", "left") for compiler in PATCHABLE])
def test_each_path_of_patched_functions_is_exact(case):
    name, compiler = case.split(", ")
    done, calls = recorded(path_of(name + PATCHABLE[compiler]), *(["5", "30000", "3"] if name == "random_tree" else []), status=3 if name == "left" else 0)
    same_as_counted(done, calls)


@pytest.mark.parametrize("case", PATCHABLE)
def test_only_chosen_functions_are_patched(case):
    name = path_of("patched" + PATCHABLE[case])
    for option, patched in (("--calls", "ab"), ("--calls=f_a", "a"), ("--calls=f_b", "b"), ("--calls=main", "")):
        directory_ = os.path.join(directory(), "run.heddle")
        done = heddle("record", option, "-o", directory_, "--", name)
        same(done.status, 0, done.err)
        same(done.out, "".join(f"f_{f} calls{'' if f in patched else ' nothing'}\n" for f in "ab"), option)
        same(dict(Calls(directory_).own_calls()), {f: 10 for f in patched}, option)


@pytest.mark.parametrize("case", PATCHABLE)
def test_code_that_cannot_be_changed_stays(case):
    """The program runs undisturbed, and that is said in one line."""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls", "-o", directory_, "--", path_of("patched" + PATCHABLE[case]), LD_PRELOAD=path_of("denied.so"))
    same((done.status, done.out), (0, "f_a calls nothing\nf_b calls nothing\n"), done.err)
    same(len([line for line in done.err.splitlines() if "refuses changes of code" in line]), 1, done.err)


def test_other_room_is_said():
    """Room that is too small, or before a function's begin, is left alone."""
    source, program = os.path.join(directory(), "room.c"), os.path.join(directory(), "room")
    with open(source, "w") as file:
        file.write("__attribute__((noinline)) void f_a(void) { __asm__ volatile(\"\"); }\nint main(void) { f_a(); return 0; }\n")
    for room in ("3", "7,2", "9,5", "12,12"):
        same(run(["gcc", "-g", "-O2", f"-fpatchable-function-entry={room}", source, "-o", program]).status, 0, "compiling")
        done = heddle("record", "--calls", "-o", os.path.join(directory(), "x"), "--", program)
        same(done.status, 0, done.err)
        same(len([line for line in done.err.splitlines() if "other room than -fpatchable-function-entry=5" in line]), 1, f"{room}: {done.err}")


def test_all_ways_to_compile_are_named():
    plain = os.path.join(directory(), "plain.c")
    with open(plain, "w") as file:
        file.write("int main(void) { return 0; }\n")
    same(run(["cc", plain, "-o", plain[:-2]]).status, 0, "compiling")
    done = heddle("record", "--calls", "-o", os.path.join(directory(), "x"), "--", plain[:-2])
    check("-finstrument-functions" in done.err and "-pg -mfentry" in done.err and "-fpatchable-function-entry=5" in done.err, done.err)
