"""
Samples of the code that ran: programs with known functions under `heddle record --sample`. Heddle writes them as a second
archive, samples.otf2, which python3-otf2 reads here.
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import signal
import stat

import otf2
import pytest

import harness
from harness import check, directory, heddle, holds_mostly, program, record, run, same

CONTAIN = os.path.join(harness.BUILD, "tests", "end-to-end", "contain")
UNKNOWN = "[callers unknown]"


class Samples:
    """The samples of a run: a list of (thread, trigger, path), a path is a list of (function, line) from the outermost."""

    def __init__(self, trace):
        path = os.path.join(trace, "samples.otf2")
        check(os.path.exists(path), f"there is no {path}")
        self.all, self.weights = [], []
        with otf2.reader.open(path) as archive:
            self.triggers = {g.name: g.period for g in archive.definitions.interrupt_generators}
            names = {}
            for context in archive.definitions.calling_contexts:
                line = context.source_code_location
                above = names[context.parent] if context.parent is not None else []
                names[context] = above + [(context.region.name, line.line_number if line is not None else 0)]
            last = {}
            for location, event in archive.events:
                check(event.time >= last.get(location, 0), "time runs backwards")
                last[location] = event.time
                self.all.append((location.name, event.interrupt_generator.name, names[event.calling_context]))
                self.weights.append(next((value for attribute, value in (event.attributes or {}).items() if attribute.name == "weight"), 1))
        done = heddle("info", "--json", trace)
        same((done.status, done.err), (0, ""), "heddle info")
        self.info = json.loads(done.out)

    def paths(self, trigger="cpu"):
        return collections.Counter(" ; ".join(f for f, _ in path) for _, t, path in self.all if t == trigger)


def sampled(*command, options=("--sample=1ms",), **settings):
    done = record([program(command[0]), *command[1:]], *options, **settings)
    if any("no samples: the kernel" in line for line in done.tool_err):
        pytest.skip("the kernel takes no samples here")
    same(done.status, 0, f"{' '.join(command)}: exit status; {done.err}")
    check("result: right" in done.out, done.out)
    return Samples(done.trace)


def expect(samples, pattern, least=0.8, of=lambda path: True):
    """So many of the samples of `burn` or the like are there."""
    paths = samples.paths()
    chosen = {path: n for path, n in paths.items() if of(path)}
    matching = sum(n for path, n in chosen.items() if re.fullmatch(pattern, path))
    total = sum(chosen.values())
    check(total > 10 and matching >= least * total, f"{matching} of {total} samples match {pattern}: {paths.most_common(8)}")


def in_burn(path):
    return path.endswith("burn")


# What the way to the place is where all of a program's time is spent.
WAYS = {
    "regions": r"main ; other_forker ; forker ; !\$omp parallel @stacks.c:\d+ ; in_region ; stay ; inlined_stay ; burn",
    "signal": r"main ; interrupted ; (\S+ ; )*\[libc\S+\] ; on_signal ; stay ; inlined_stay ; burn|"
              r"main ; interrupted ; (\S+ ; )*__restore_rt ; on_signal ; stay ; inlined_stay ; burn",
    "plugins": r"main ; plugins ; plugin_run ; plugin_(first|second) ; stay ; inlined_stay ; burn",
    "recursion": "main ; even ; " + "odd ; even ; " * 5 + "stay ; inlined_stay ; burn",
    "deep": re.escape(UNKNOWN) + r" ; (descend ; ){20,}stay ; inlined_stay ; burn",
    "coroutine": r"(\[callers unknown\] ; )?(\S+ ; )?coroutine ; stay ; inlined_stay ; burn",
}


@pytest.mark.parametrize("way", WAYS)
def test_stacks_lead_to_known_functions(way):
    samples = sampled("stacks/stacks", way)
    expect(samples, WAYS[way], least=0.95, of=in_burn)


def test_both_plugins_have_their_own_names():
    """The second library may lie where the first one was."""
    paths = sampled("stacks/stacks", "plugins").paths()
    for name in ("plugin_first", "plugin_second"):
        mine = sum(n for path, n in paths.items() if f" ; {name} ; " in path)
        check(mine > 20, f"{name}: {mine} of {paths.most_common(5)}")


def test_the_kernels_page_of_code_has_callers():
    samples = sampled("stacks/stacks", "clock")
    expect(samples, r"main ; ask_clock( ; .*)?", least=0.9, of=lambda path: "ask_clock" in path)
    check(in_page(samples) > 10, f"the page of the kernel: {samples.paths().most_common(5)}")


def in_page(samples):
    """How many samples are in the kernel's page of code, in the function that the program asks for."""
    return sum(n for path, n in samples.paths().items() if re.fullmatch(r"main ; ask_clock ; (\S+ ; )*(__vdso_)?clock_gettime", path))


def test_the_kernels_page_of_code_is_kept_for_other_machines():
    """A copy lies beside the raw trace, and goes with it. Where the converter's own page is another one, the copy has the names; a
    damaged one gives none."""
    done = record([program("stacks/stacks"), "clock"], "--sample=1ms", "--no-convert")
    pages = glob.glob(os.path.join(done.trace, "kernel", "*.vdso"))
    if not glob.glob(os.path.join(done.trace, "kernel", "*.log")):
        pytest.skip("the kernel takes no samples here")
    same(len(pages), 1, "copies of the page")
    same(stat.S_IMODE(os.stat(pages[0]).st_mode), 0o600, "mode of the copy")
    process_file = glob.glob(os.path.join(done.trace, "raw", "*", "process"))[0]
    text = open(process_file, "rb").read()
    page = open(pages[0], "rb").read()
    build_id = re.search(rb"module: 0 \w+ \w+ \w+ (\w+) linux-vdso.so.1", text).group(1)
    check(bytes.fromhex(build_id.decode()) in page, "the copy is the page that the program had")
    other = bytes(255 - byte for byte in bytes.fromhex(build_id.decode()))
    open(process_file, "wb").write(text.replace(build_id, other.hex().encode()))

    def converted(copy):
        open(pages[0], "wb").write(copy)
        output = os.path.join(directory(), "out")
        same(heddle("convert", "--keep-raw", "-o", output, done.trace).status, 0, "exit status")
        return Samples(output)

    check(in_page(converted(page.replace(bytes.fromhex(build_id.decode()), other))) > 10, "by a copy of another machine's page")
    for damaged in (page[:100], b"", bytes(len(page)), page):
        paths = converted(damaged).paths()
        check(any(path.endswith("[linux-vdso.so.1]") for path in paths), f"a page that is not known: {paths.most_common(5)}")
    heddle("convert", done.trace)
    same(glob.glob(os.path.join(done.trace, "kernel", "*")), [], "copies after the conversion")


def test_stacks_that_are_cut_are_counted():
    samples = sampled("stacks/stacks", "deep")
    cut = sum(path[0][0] == UNKNOWN for _, _, path in samples.all)
    check(cut > 20, f"{cut} are cut")
    same(samples.info["samples_cut"], cut, "samples whose callers are not known")


def test_larger_copies_hold_deeper_stacks():
    """2,000 levels of some 100 bytes do not fit; 100 do, and how far a copy reaches follows from its size."""
    depths = {}
    for size in ("1K", "8K", "32K"):
        samples = sampled("stacks/stacks", "deep", options=("--sample=1ms", f"--stack=dwarf:{size}"))
        depths[size] = max(sum(f == "descend" for f, _ in path) for _, _, path in samples.all)
    check(0 < depths["1K"] < depths["8K"] < depths["32K"], f"levels by size of the copy: {depths}")


@pytest.mark.parametrize("which", ["stripped", "bare"])
def test_programs_without_debug_information(which):
    """Debug information in a file of its own is as good; without any, functions have the names of their symbols."""
    samples = sampled(f"stacks/{which}", "regions")
    if which == "stripped":
        expect(samples, WAYS["regions"], least=0.95, of=in_burn)
    else:
        expect(samples, r"main ; other_forker ; forker ; [^;]*forker[^;]* ; in_region ; stay ; burn", least=0.95, of=in_burn)


CXX = (r"main ; !\$omp parallel @names.cpp:\d+ ; grid::apply<grid::Solver<double>\s?> ; grid::Solver<double>::operator\(\) ; "
       r"grid::Solver<double>::sweep ; grid::Solver<double>::step ; (grid::\(anonymous namespace\)::)?burn")


def test_names_of_cxx_are_the_programmers():
    expect(sampled("stacks/names_cxx"), CXX, least=0.95, of=in_burn)


def test_constructs_in_templates_have_the_function_around_them():
    """Code that others wrote: parallel algorithms of libstdc++."""
    if harness.ON_LIBGOMP:
        pytest.skip("the program is on libomp")

    def seen():
        paths = sampled("parallel_mode", options=("--sample=100us",)).paths()
        return any(re.search(r"main ; .*__gnu_parallel::parallel_sort_mwms<.* ; !\$omp parallel @multiway_mergesort.h:\d+", path) for path in paths)

    holds_mostly(seen, "a sample is taken in the region")


def test_names_of_fortran_are_the_programmers():
    if not harness.ON_LIBGOMP:
        pytest.skip("gfortran's programs are on libgomp")
    expect(sampled("stacks/names_f90"), r"main ; \w+ ; !\$omp parallel @names.f90:\d+ ; outside ; grid::sweep ; grid::burn", least=0.95, of=in_burn)


def test_frame_pointers_lead_up_to_the_runtime():
    """It has none, so what forked is not known. Nor is the caller of a function that needs no frame."""
    samples = sampled("stacks/framed", "regions", options=("--sample=1ms", "--stack=fp"))
    expect(samples, r"(main ; other_forker ; forker ; )?!\$omp parallel @stacks.c:\d+ ; in_region ; (stay ; inlined_stay ; )?burn", least=0.9, of=in_burn)


def test_without_stacks_the_function_is_known():
    samples = sampled("stacks/stacks", "regions", options=("--sample=1ms", "--stack=none"))
    check({path[-1][0] for _, _, path in samples.all} >= {"burn"}, "burn")
    expect(samples, "(stay ; inlined_stay ; )?burn", least=0.95, of=in_burn)


def test_lines_are_those_that_ran():
    """The innermost line is in burn(), each other one is the line of a call."""
    source = open(os.path.join(harness.SOURCE, "..", "programs", "stacks", "stacks.c")).read().splitlines()
    samples = sampled("stacks/stacks", "regions")
    calls = {"other_forker": "forker();", "in_region": "stay(wanted);", "inlined_stay": "burn();", "stay": "inlined_stay(time);"}
    for _, _, path in samples.all:
        if path[-1][0] == "burn":
            for function, line in path:
                if function in calls:
                    check(calls[function] in source[line - 1], f"{function}: line {line} is {source[line - 1]!r}")
            inside = source[path[-1][1] - 1]  # the loop's own line, too: which instruction a timer finds is the machine's choice
            check("x" in inside or "for (" in inside, f"burn: line {path[-1][1]} is {inside!r}")


@pytest.mark.parametrize("stack", ["none", "dwarf"])
def test_triggers_are_told_apart_and_counted(stack):
    """10,000 new pages are 10,000 faults: a sample of 10 each, but for what each processor's counter has left over. What comes
    faster than it can be read is lost, and counted."""
    samples = sampled("stacks/stacks", "pages", options=("--sample=cpu:1ms,page-faults:10", f"--stack={stack}"))
    same({name: each for name, each in samples.triggers.items() if name != "wait"}, {"cpu": 1000000, "page-faults": 10}, "triggers")
    touched = sum(n for path, n in samples.paths("page-faults").items() if path.endswith("touch"))
    lost = samples.info["samples_lost"]
    most = len(os.sched_getaffinity(0)) + 2
    check(1000 - most <= touched + lost and touched <= 1000 + most, f"{touched} samples of 10 faults, {lost} lost, should be 1000 +- {most}")
    check(stack == "dwarf" or lost == 0, f"{lost} small samples are lost")
    same(samples.info["samples"], sum(samples.weights), "samples of all triggers")


def test_a_trigger_that_the_machine_lacks_is_named():
    done = record([program("stacks/stacks"), "regions"], "--sample=cpu:1ms,cache-misses:1000")
    if any("no samples: the kernel" in line for line in done.tool_err):
        pytest.skip("the kernel takes no samples here")
    same(done.status, 0, "exit status")
    said = [line for line in done.tool_err if "cache-misses" in line]
    samples = Samples(done.trace)
    check((said == ["heddle record: no samples of cache-misses: this machine does not count them"]) != any(t == "cache-misses" for _, t, _ in samples.all),
          f"said {said}")
    check(any(t == "cpu" for _, t, _ in samples.all), "the other trigger works")


def test_refused_events_are_one_line():
    trace = os.path.join(directory(), "run.heddle")
    done = run([CONTAIN, "seccomp", "--", harness.HEDDLE, "record", "--sample", "-o", trace, "--", program("stacks/stacks"), "recursion", "0.01"])
    if done.status == harness.SKIPPED:
        pytest.skip(done.err)
    same(done.status, 0, "exit status")
    said = [line for line in done.tool_err if "no samples" in line]
    same(len(said), 1, f"lines: {done.tool_err}")
    check("perf_event_paranoid" in said[0] and "--sample=timer" in said[0], said[0])
    check(not os.path.exists(os.path.join(trace, "samples.otf2")) or set(Samples(trace).triggers) == {"wait"}, "there are no samples but of waits")


def timed(*command, **settings):
    """By timers, where the kernel takes no samples: in a sandbox."""
    trace = os.path.join(directory(), "run.heddle")
    done = run([CONTAIN, "seccomp", "--", harness.HEDDLE, "record", "--sample=timer:5ms", "-f", "-o", trace, "--", program(command[0]), *command[1:]], **settings)
    if done.status == harness.SKIPPED:
        pytest.skip(done.err)
    same((done.status, [line for line in done.tool_err if "samples" in line]), (0, []), f"exit status, and what is said of samples; {done.err}")
    return Samples(trace)


# Further callers may lie beyond the copy, which has 4 KB.
BY_TIMERS = {
    "regions": r"(main ; other_forker ; forker ; )?!\$omp parallel @stacks.c:\d+ ; in_region ; stay ; inlined_stay ; burn",
    "signal": r"(\S+ ; |\[callers unknown\] ; )*on_signal ; stay ; inlined_stay ; burn",
    "plugins": r"(\[callers unknown\] ; )?(main ; )?plugins ; plugin_run ; plugin_(first|second) ; stay ; inlined_stay ; burn",
    "recursion": WAYS["recursion"],
    "coroutine": WAYS["coroutine"],
    "deep": re.escape(UNKNOWN) + r" ; (descend ; ){5,}stay ; inlined_stay ; burn",
}


@pytest.mark.parametrize("way", BY_TIMERS)
def test_timers_take_samples_where_the_kernel_does_not(way):
    expect(timed("stacks/stacks", way, "0.4"), BY_TIMERS[way], least=0.9, of=in_burn)


def undisturbed(*command):
    """Output, status and the effects of signals are the same as without Heddle."""
    alone = run([program(command[0]), *command[1:]])
    traced = record([program(command[0]), *command[1:]], "--sample=timer:100us", "--wait-stacks=100us")
    same((traced.status, traced.out), (alone.status, alone.out), f"{' '.join(command)}: status and output")


@pytest.mark.parametrize("way", ["fork_exit", "fork_fast", "fork_region", "exec", "exec_fails", "spawn"])
def test_timers_do_not_disturb_processes(way):
    if harness.ON_LIBGOMP and way == "fork_fast":
        return  # libgomp itself hangs in a region of such a child
    undisturbed("processes", way)


@pytest.mark.parametrize("way", ["return", "exit_in_worker", "fast_exit", "quick_exit", "abort", "sigterm", "handled_sigterm"])
def test_timers_do_not_disturb_ends(way):
    undisturbed("endings", way)


def test_timers_do_not_disturb_signals():
    """All signals of a storm are handled. The signal of the timers does what it did, if another one sends it."""
    done = record([program("signals"), "2000"], "--sample=timer:100us")
    same(done.status, 0, f"exit status; {done.err}")
    check("result: right" in done.out, done.out)
    ended = record(["sh", "-c", "kill -s RTMAX $$"], "--sample=timer")
    same(ended.status, 128 + signal.SIGRTMAX, "the status of a program that the signal ends")


def test_samples_by_timers_are_all_accounted_for():
    """A sample each 5 ms of processor time, or, where the kernel's tick is longer, each tick: taken, or lost for a reason."""
    samples = timed("stacks/stacks", "recursion", "0.5", preexec=harness.before_others)  # programs that take turns with it have some of its ticks
    lost = samples.info["samples_lost"]
    taken = sum(t == "cpu" for _, t, _ in samples.all)
    check(taken > 0 and (taken + lost) * samples.triggers["cpu"] >= 450e6, f"{taken} taken, {lost} lost, each {samples.triggers['cpu']} ns")
    same(samples.info["samples_no_timer"], 0, "threads without a timer")


def test_samples_by_timers_exclude_sums_and_rings():
    for option in ("--profile", "--ring=1M"):
        done = record(["true"], "--sample=timer", option)
        same(done.status, 2, f"{option}: exit status")
        check(f"--sample=timer takes no samples with {option.split('=')[0]}" in done.err, done.err)
    done = record(["true"], "--sample=timer:1ns")
    same(done.status, 2, "exit status")
    check("--sample=timer:1ns: give the processor time between two samples, from 100us to 1s" in done.err, done.err)


# The way to each long wait. Parts in brackets are the runtime's own.
IN_RUNTIME = r"( ; (\[lib\S+\]|\w+))*"
WAITS = {
    "barrier": r"main ; barriers ; !\$omp parallel @waits.c:\d+ ; (come_early ; )?gather" + IN_RUNTIME,
    "region": r"main ; region" + IN_RUNTIME,
    "critical": r"main ; criticals ; !\$omp parallel @waits.c:\d+ ; guarded" + IN_RUNTIME,
    "taskwait": r"(main ; children ; )?!\$omp parallel @waits.c:\d+" + IN_RUNTIME,
    "mutex": "main ; with_holder ; await ; want ; pthread_mutex_lock",
    "coroutine": r"(\[callers unknown\] ; )?(\S+ ; )?coroutine ; await ; want ; pthread_mutex_lock",
    "signal": r"(\[callers unknown\] ; )?(\S+ ; )*on_signal ; await ; want ; pthread_mutex_lock",
}
ROUNDS = 5  # of tests/programs/stacks/waits.c


def waits_of(trace):
    """What each thread waited, in ms: a list a thread, of the parts of barriers and of others that wait."""
    waits, open_ones = collections.defaultdict(list), {}
    with otf2.reader.open(os.path.join(trace, "traces.otf2")) as archive:
        ms = archive.definitions.clock_properties.timer_resolution / 1000
        for location, event in archive.events:
            if isinstance(event, otf2.events.Enter) and re.match(r"!\$omp (barrier|implicit barrier|taskwait) wait", event.region.name):
                open_ones[location] = event.time
            elif isinstance(event, otf2.events.Leave) and location in open_ones:
                waits[location.name].append((event.time - open_ones.pop(location)) / ms)
    return waits


@pytest.mark.parametrize("way", WAITS)
def test_long_waits_have_callers(way):
    """A thread may come late to its wait, on a busy machine even too late. One that sleeps takes no task of libomp's."""
    awake = {"OMP_WAIT_POLICY": "active"} if way == "taskwait" else {}

    def seen():
        samples = sampled("stacks/waits", way, options=("--sample",), OMP_NUM_THREADS="2", **awake)
        same(samples.triggers.get("wait", 10_000_000), 10_000_000, "the period of waits")
        found = [(weight, " ; ".join(f for f, _ in path)) for (_, t, path), weight in zip(samples.all, samples.weights) if t == "wait"]
        mine = [weight for weight, path in found if re.fullmatch(WAITS[way], path)]
        return len(mine) >= ROUNDS and sum(mine) >= 2 * ROUNDS

    holds_mostly(seen, f"{ROUNDS} waits of 30 ms are seen")


def test_waits_stand_for_their_time():
    """All ends of the first thread's waits are reported at once. Its samples stand for all that it waited, but for less than a period."""
    done = record([program("stacks/waits"), "barrier"], "--sample=cpu:100ms", OMP_NUM_THREADS="2")
    samples, waits = Samples(done.trace), waits_of(done.trace)
    first = next(name for name in waits if "master" in name)
    long_ones = [wait for wait in waits[first] if wait >= 10]
    stood = sum(weight * 10 for (name, t, _), weight in zip(samples.all, samples.weights) if t == "wait" and name == first)
    check(len(long_ones) >= ROUNDS and abs(stood - sum(long_ones)) < 10.001, f"{stood} ms for {long_ones}")
    same(sum(t == "wait" and name == first for name, t, _ in samples.all), len(long_ones), "samples: one a wait")
    table = json.loads(heddle("calls", "--json", "--trigger", "wait", "--unit", "samples", done.trace).out)
    all_of_them = sum(weight for (_, t, _), weight in zip(samples.all, samples.weights) if t == "wait")
    same(table["analyzed"], all_of_them, "samples that heddle calls has")


def test_waits_need_no_kernel_and_no_samples():
    trace = os.path.join(directory(), "run.heddle")
    done = run([CONTAIN, "seccomp", "--", harness.HEDDLE, "record", "--wait-stacks=20ms", "-o", trace, "--", program("stacks/waits"), "mutex"])
    if done.status == harness.SKIPPED:
        pytest.skip(done.err)
    same(done.status, 0, "exit status")
    samples = Samples(trace)
    same(samples.triggers, {"wait": 20_000_000}, "triggers")
    check(any(re.fullmatch(WAITS["mutex"], path) for path in samples.paths("wait")), samples.paths("wait"))


def test_waits_can_be_left_out():
    check("wait" not in sampled("stacks/waits", "mutex", options=("--sample", "--wait-stacks=off")).triggers, "there are none")
    check("wait" not in sampled("stacks/waits", "mutex", options=()).triggers, "without --sample there are none")


WRONG = {
    "a wait": (["--wait-stacks=1ns"], "--wait-stacks 1ns: give a time from 100us to 1s"),
    "a trigger": (["--sample=nothing:1"], "'nothing:1' is no trigger of samples"),
    "a time": (["--sample=cpu:1ns"], "'cpu:1ns' needs the processor time between two samples, from 100us to 1s"),
    "a number": (["--sample=cpu,page-faults:none"], "'page-faults:none' needs the number of events"),
    "twice": (["--sample=cpu,1ms"], "'1ms' is there twice"),
    "a stack": (["--sample", "--stack=some"], "--stack=some: give none, fp, dwarf"),
    "a size": (["--sample", "--stack=dwarf:1G"], "--stack=dwarf:1G: give none, fp, dwarf"),
    "no samples": (["--stack=fp"], "--stack is for samples: give --sample, too"),
    "no kernel": (["--sample", "--no-switches"], "--sample takes no samples with --no-switches"),
    "a profile": (["--sample", "--profile"], "--sample takes no samples with --profile"),
    "a ring": (["--sample", "--ring=1M"], "--sample takes no samples with --ring"),
}


def test_wrong_options_are_refused():
    for what, (options, message) in WRONG.items():
        done = record(["true"], *options)
        same(done.status, 2, f"{what}: exit status")
        check(message in done.err, f"{what}: {done.err}")


def test_a_ring_of_the_environment_is_refused_too():
    done = record(["true"], "--sample", HEDDLE_RING="1M")
    same(done.status, 2, "exit status")
    check("--sample takes no samples with --ring" in done.err, done.err)
    same(record([program("stacks/stacks"), "recursion", "0.01"], "--sample", HEDDLE_RING="0").status, 0, "a ring of 0 is none")


def logged():
    """The trace of a run that was not converted, and its logs of the kernel."""
    done = record([program("stacks/stacks"), "regions"], "--sample=1ms", "--no-convert")
    logs = glob.glob(os.path.join(done.trace, "kernel", "*.log"))
    if not logs:
        pytest.skip("the kernel takes no samples here")
    return done.trace, logs


def test_the_log_is_private_and_removed():
    trace, logs = logged()
    for log in logs:
        same(stat.S_IMODE(os.stat(log).st_mode), 0o600, "mode of a log with copies of stacks")
    heddle("convert", trace)
    check(os.path.exists(os.path.join(trace, "samples.otf2")), "there are samples")
    same(glob.glob(os.path.join(trace, "kernel", "*")), [], "logs after the conversion")


def test_torn_logs_give_what_is_whole():
    """A log that ends anywhere gives an archive, with the samples up to there."""
    trace, logs = logged()
    whole, counts = open(logs[0], "rb").read(), []
    for part in (10, 6, 3, 1):
        with open(logs[0], "wb") as log:
            log.write(whole[: len(whole) * part // 10 - 5 * (part != 10)])
        output = os.path.join(directory(), "out")
        converted = heddle("convert", "--keep-raw", "-o", output, trace)
        same(converted.status, 0, f"exit status; {converted.err}")
        counts.append(len(Samples(output).all))
    check(counts == sorted(counts, reverse=True) and counts[0] > counts[-1], f"samples by what is left of the log: {counts}")


def damage(whole, seed):
    """The file of a program with some bytes changed or its end missing. Its head stays, and with it the mark that it is the same program."""
    draw, bytes_of = random.Random(seed), bytearray(whole)
    for _ in range(draw.choice([1, 4, 32, 200])):
        bytes_of[draw.randrange(4096, len(whole))] = draw.choice([0, 0x7f, 0x80, 0xff, draw.randrange(256)])
    return bytes_of[:draw.randrange(4096, len(whole))] if draw.random() < 0.2 else bytes_of


def test_damaged_programs_cost_names_alone():
    """Debug information, symbols and call frame information may be anything: all samples are there, whatever they are called."""
    own = os.path.join(directory(), "program")
    shutil.copy(program("stacks/stacks"), own)
    trace = record([own, "regions"], "--sample=1ms", "--no-convert").trace
    if not glob.glob(os.path.join(trace, "kernel", "*.log")):
        pytest.skip("the kernel takes no samples here")
    with open(own, "rb") as file:
        whole = file.read()
    counts, output = set(), os.path.join(directory(), "out")
    for seed in range(25):
        os.unlink(own)
        with open(own, "wb") as file:
            file.write(damage(whole, seed))
        converted = heddle("convert", "--keep-raw", "-o", output, trace)
        same((converted.status, converted.err), (0, ""), f"status and messages with seed {seed}")
        counts.add(len(Samples(output).all))
        shutil.rmtree(output)
    check(len(counts) == 1 and counts != {0}, f"samples: {counts}")


def test_a_run_without_samples_has_no_second_archive():
    done = record([program("stacks/stacks"), "recursion", "0.01"], "--no-samples")
    check(not os.path.exists(os.path.join(done.trace, "samples.otf2")), "there is none")
    record_again = heddle("record", "-f", "-o", done.trace, "--sample", "--", program("stacks/stacks"), "recursion", "0.01")
    same(record_again.status, 0, "exit status")
    heddle("record", "-f", "-o", done.trace, "--no-samples", "--", program("stacks/stacks"), "recursion", "0.01")
    check(not os.path.exists(os.path.join(done.trace, "samples.otf2")), "an older one goes")


def test_a_run_has_few_samples_by_default():
    """One event takes them together with the context switches. Each has some callers."""
    samples = sampled("stacks/stacks", "recursion", "0.5", options=())
    check(samples.triggers.get("cpu") == 10_000_000 and set(samples.triggers) == {"cpu", "futex", "syscall"}, f"triggers: {samples.triggers}")
    count = sum(samples.paths().values())
    check(5 <= count <= 100 and samples.info["samples"] >= count, f"{count} samples of half a second, {samples.info['samples']} in heddle info")
    check(samples.info["switches"] > 0, "the same event has the switches")
    check(any(" ; " in path for path in samples.paths()), f"no callers: {samples.paths()}")
    off = record([program("stacks/stacks"), "recursion", "0.1"], "--no-switches")
    check(not os.path.exists(os.path.join(off.trace, "samples.otf2")), "without switches there are no samples either")
    wrong = heddle("record", "--no-samples", "--sample", "--", program("stacks/stacks"))
    check(wrong.status == 2 and "--no-samples" in wrong.err, f"both: {wrong.err}")
