"""
Advice on schedules is checked by following it. Loops whose iterations cost a known time are executed under one schedule, and
its chunks are put into an archive. The predictions of `heddle schedule` for other
schedules are compared with what the runtime then really does with them. programs/schedules.c does that on clocks of its own, so the answer does not depend on the machine.
"""
import itertools
import os
import re
import statistics

import jomp
import otf2
import pytest
from otf2.enums import Paradigm, RegionRole as Role

from analysis import ask
from harness import PROGRAMS, check, directory, program, run, run_traced, same

THREADS = 4
LOADS = ["triangular", "random", "constant"]
JOMP = {"LoopStatic": "schedule(static)", "LoopStaticChunk": "schedule(static,10)", "LoopDynamic": "schedule(dynamic,3)",
        "LoopGuided": "schedule(guided,1)"}
OTHERS = ["static", "static,1", "static,4", "dynamic,1", "dynamic,2", "dynamic,8", "guided,1", "guided,4"]
RUNTIMES = {"libomp": (os.path.join(PROGRAMS, "schedules"), "LLVM OMP version: 5.0.20140926"),
            "libgomp": (os.path.join(PROGRAMS, "gcc", "schedules"), "Heddle 0.1.0 OMPT on /usr/lib/libgomp.so.1")}


def execute(runtime, load, schedule):
    """One run: the time of its loops in ns, and its iterations as (call, thread, number, begin, end)."""
    path = RUNTIMES[runtime][0]
    check(os.path.exists(path), f"{path} is missing; build the targets test-programs and gomp-programs")
    done = run([path, load, "virtual"], OMP_NUM_THREADS=str(THREADS), OMP_SCHEDULE=schedule)
    same(done.status, 0, f"status ({done.err})")
    iterations = [tuple(map(int, m)) for m in re.findall(r"^iteration: (\d+) (\d+) (\d+) (\d+) (\d+)$", done.out, re.M)]
    return int(re.search(r"^loop: (\d+)$", done.out, re.M)[1]), iterations


def chunks_of(iterations, schedule):
    """{(call, thread): [(first, how many, begin, end)]}: what a thread did one after the other in one chunk."""
    size = int(schedule.split(",")[1]) if "," in schedule else 10**9
    chunks = {}
    for call, thread, number, begin, end in sorted(iterations):
        own = chunks.setdefault((call, thread), [])
        last = own[-1] if own else None
        if last and last[0] + last[1] == number and last[0] // size == number // size:
            own[-1] = (last[0], last[1] + 1, last[2], end)
        else:
            own.append((number, 1, begin, end))
    return chunks


def write_archive(runtime, schedule, iterations):
    """The run as an archive, in the form of docs/otf2.md; without teams: the threads of the process are one."""
    at = os.path.join(directory(), "archive")
    chunks = chunks_of(iterations, schedule)
    calls = 1 + max(i[0] for i in iterations)
    length = 1000 + max(i[4] for i in iterations)
    with otf2.writer.open(at, timer_resolution=10**9) as archive:
        definitions = archive.definitions
        group = definitions.location_group("process", system_tree_parent=definitions.system_tree_node("machine"))
        definitions.location_group_property(group, "HEDDLE::RUNTIME", otf2.enums.Type.STRING, RUNTIMES[runtime][1])
        make = lambda name, role, text="": definitions.region(name, description=text, source_file="x.c", region_role=role,
                                                              paradigm=Paradigm.OPENMP, begin_line_number=7)
        parallel = make("!$omp parallel @x.c:5", Role.PARALLEL)
        loop = make("!$omp for @x.c:7", Role.LOOP, f"schedule: {schedule.split(',')[0]}")
        chunk = make("chunk @x.c:7", Role.LOOP)
        first = definitions.attribute("first iteration", type=otf2.enums.Type.INT64)
        count = definitions.attribute("iterations", type=otf2.enums.Type.UINT64)
        for thread in range(THREADS):
            writer = archive.event_writer(f"thread {thread}", group=group)
            for call in range(calls):
                start = call * length
                own = sorted(chunks.get((call, thread), []), key=lambda c: c[2])
                writer.enter(start, parallel)
                writer.enter(start, loop)
                for number, many, begin, end in own:
                    writer.enter(start + begin, chunk, attributes={first: number, count: many})
                    writer.leave(start + end, chunk)
                leave = start + max([end for _, _, _, end in own], default=0)
                writer.leave(leave, loop)
                writer.leave(leave, parallel)
    return os.path.join(at, "traces.otf2")


def predicted(answer, schedule):
    rows = [s for s in answer["schedules"] if s["schedule"] == f"schedule({schedule})" and s["threads"] == THREADS]
    same(len(rows), 1, f"predictions for {schedule}")
    return {key: rows[0][key]["ticks"] for key in ("time", "least", "most")}


@pytest.mark.parametrize("case", [f"{runtime}-{load}" for runtime in RUNTIMES for load in LOADS])
def test_single_iterations_predict_exactly(case):
    """Where each chunk is one iteration, nothing is left to guess."""
    runtime, load = case.split("-")
    time, iterations = execute(runtime, load, "dynamic,1")
    answer = ask("schedule", write_archive(runtime, "dynamic,1", iterations))
    loop = answer["loops"][0]
    same((loop["executions"], loop["incomplete"], loop["sampled"], loop["threads"]), (3, 0, 3, THREADS), "what was used")
    same((loop["schedule"], loop["time"]["ticks"]), ("schedule(dynamic,1)", time), "schedule and time as recorded")
    for schedule in OTHERS:
        says, real = predicted(answer, schedule), execute(runtime, load, schedule)[0]
        check(abs(says["time"] - real) <= 4, f"{schedule}: {says['time']} instead of {real} ns")
        check(says["least"] - 4 <= real <= says["most"] + 4, f"{schedule}: {real} ns is not in {says}")


def test_predictions_are_within_a_tenth():
    """From chunks of several iterations, for schedules that were not recorded: the median error is at most 10 %."""
    errors = []
    for runtime, load, recorded in itertools.product(RUNTIMES, LOADS, ["dynamic,2", "dynamic,4", "static,3"]):
        answer = ask("schedule", write_archive(runtime, recorded, execute(runtime, load, recorded)[1]))
        for schedule in OTHERS:
            says, real = predicted(answer, schedule), execute(runtime, load, schedule)[0]
            errors.append(abs(says["time"] / real - 1))
            check(says["least"] - 4 <= real <= says["most"] + 4,
                  f"{runtime}, {load}, {schedule} from {recorded}: {real} ns is not in {says}")
    print(f"median error {100 * statistics.median(errors):.2f} %, largest {100 * max(errors):.1f} %, of {len(errors)}")
    check(statistics.median(errors) <= 0.1, f"the median error is {100 * statistics.median(errors):.1f} %")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_advice_leads_to_a_good_schedule(runtime):
    """
    A static triangular loop: its chunks are too large for an answer, the record that is asked for shows what is best.
    """
    time, iterations = execute(runtime, "triangular", "static")
    loop = ask("schedule", write_archive(runtime, "static", iterations))["loops"][0]
    same((loop["verdict"], loop["schedule"]), ("too coarse", "schedule(static)"), "schedule and verdict")
    best = re.fullmatch(r"schedule\((.*)\)", loop["best"])[1]
    saved = 100 * (1 - execute(runtime, "triangular", best)[0] / time)
    check(loop["gain_low"] <= saved <= loop["gain_high"], f"{best} saves {saved} %: {loop['advice']}")
    finer = f"dynamic,{loop['record_with']}"
    better, iterations = execute(runtime, "triangular", finer)
    loop = ask("schedule", write_archive(runtime, finer, iterations))["loops"][0]
    same((loop["verdict"], loop["schedule"]), ("good", f"schedule({finer})"), "schedule and verdict of the second record")
    more = int(re.search(r"schedule\(static\) would take (\d+) % more", loop["advice"])[1])
    check(abs(more - 100 * (time / better - 1)) <= 1, f"static takes {100 * (time / better - 1)} % more: {loop['advice']}")


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_an_even_static_loop_is_left_alone(runtime):
    iterations = execute(runtime, "constant", "static")[1]
    loop = ask("schedule", write_archive(runtime, "static", iterations))["loops"][0]
    same((loop["verdict"], loop["best"]), ("good", "schedule(static)"), "verdict and best")


def test_what_is_recorded_is_complete():
    """A real recording: all executions are used, the schedule is recognized."""
    for schedule in ("dynamic,3", "guided,2", "static"):
        done = run_traced([program("schedules"), "constant", "sleep", "4", "64", "50"], OMP_SCHEDULE=schedule)
        same(done.status, 0, f"status ({done.err})")
        loop = [l for l in ask("schedule", done.trace)["loops"] if l["iterations"]][0]
        same((loop["executions"], loop["incomplete"], loop["iterations"]), (4, 0, 4 * 64), "what was used")
        same(loop["schedule"], f"schedule({schedule})", "schedule as recorded")


@pytest.mark.parametrize("case", [f"{construct}-{java}" for construct in JOMP for java in jomp.JAVAS])
def test_jomp_loops_are_understood(case):
    construct, java = case.split("-")
    done = jomp.traced(java, 3, "Constructs", construct)
    loops = ask("schedule", done.trace)["loops"]
    check(loops, "there is no loop")
    for loop in loops:
        same((loop["incomplete"], loop["schedule"], loop["threads"]), (0, JOMP[construct], 3), "what was recorded")
        check((loop["verdict"] == "chunk times unknown") == (construct == "LoopStaticChunk"), f"verdict: {loop['advice']}")
