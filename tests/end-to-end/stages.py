"""Stages of CompletableFuture, work given to a ForkJoinPool, parallel streams: which tasks there were, and the line that called for them."""
import collections
import json
import os
import subprocess

import pytest

from executors import each_ran
from forkjoin import command, traced
from harness import PROGRAMS, before_others, check, directory, environment, heddle, holds_mostly, run, same, until_it_happens
from jomp import AGENT, JAVAS, ask
from trace import Trace, check_well_formed


COMMON = "-Djava.util.concurrent.ForkJoinPool.common.parallelism="


def stages(java, what, options=(), parallelism=2, **settings):
    done = traced(java, what, program="Stages", options=[f"{COMMON}{parallelism}", *options], **settings)
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check_well_formed(Trace(done.trace))
    return done, ask("tasks", done.trace)


def made_once(done, answer, functions):
    """Each task that ran is there once, made and executed, at a line of the program."""
    ran = done.truths()["ran"]
    same((answer["made"], answer["ended"]), (ran, ran), "tasks made, ended")
    same({s["name"].split("@")[1].split(":")[0] for s in answer["sites"]}, {"Stages.java"}, "files of the tasks")
    same({s["function"] for s in answer["sites"]}, functions, "methods of the tasks")


# Without threads in the common pool JDK 17 makes a thread for each stage.
@pytest.mark.parametrize("case", [f"{java}.{parallelism}" for java in JAVAS for parallelism in (1, 2) if parallelism == 2 or java == "17"])
def test_each_stage_is_a_task_at_the_line_that_made_it(case):
    """Also those with an executor of their own, and one that main executes."""
    java, parallelism = case.split(".")
    done, answer = stages(java, "chains", options=["-Xcheck:jni", "-Xverify:all"], parallelism=parallelism)
    made_once(done, answer, {"Stages.chains", "Stages.own"})
    same(sorted(s["made"] for s in answer["sites"]), [1, 1, 20, 20, 50, 50, 50, 50, 50], "stages of each line")
    without = [s["function"] for s, l in zip(answer["sites"], answer["lengths"]) if l["queue_median"] is None]
    same(without, ["Stages.own"], "lines without a queue time")


@pytest.mark.parametrize("java", JAVAS)
def test_queue_times_are_those_of_the_program(java):
    def found():
        done, answer = stages(java, "queued", preexec=before_others)
        each_ran(done, answer)
        made_once(done, answer, {"Stages.queued"})
        pool = answer["pools"][0]
        same((pool["pool"], pool["workers"], pool["tasks"]), ("ForkJoinPool.commonPool-worker-*", 2, 8), "the pool")
        longest = answer["lengths"][0]["queue_max"]["seconds"]
        more = done.truths()["longest_queue_us"] / 1e6 - longest
        check(more >= -0.001 and longest >= 0.020, f"longest queue time: {longest}, the program measured {more} more")
        return more <= 0.02 * longest

    holds_mostly(found, "queue times are as the program measures them")


@pytest.mark.parametrize("java", JAVAS)
def test_a_fork_join_pool_has_tasks_of_runnables_and_callables(java):
    done, answer = stages(java, "given", options=["-Xcheck:jni", "-Xverify:all"])
    made_once(done, answer, {"Stages.given"})
    each_ran(done, answer)
    same(sorted(s["made"] for s in answer["sites"]), [10, 20, 20, 20, 20], "tasks of each line")


@pytest.mark.parametrize("java", JAVAS)
def test_tasks_of_a_stream_have_the_line_of_its_operation(java):
    """Four operations at a line each, and one in a task of another pool; a sort and a prefix sum."""
    done, answer = stages(java, "streams", options=["-Xcheck:jni"])
    tasks = [s for s in answer["sites"] if s["function"].startswith(("Stages.streams", "Stages.lambda"))]
    same({s["name"].split("@")[1].split(":")[0] for s in tasks}, {"Stages.java"}, "files of the tasks")
    same(len(tasks), 6, "lines: four of streams, one of a task and one of its stream")
    same(sum(s["made"] for s in tasks), done.truths()["stream_tasks"] + 1, "tasks")
    others = [s for s in answer["sites"] if s not in tasks]
    same(sum(s["function"] == "Stages.sorts" for s in others), 2, f"lines of the sort and the prefix, among {[s['name'] for s in others]}")


@pytest.mark.parametrize("java", JAVAS)
def test_waits_of_submitters_stand_with_the_pool(java):
    """Waits for FutureTask, CompletableFuture and a fork-join pool: within 2 % of what the program measures."""
    def found():
        done, answer = stages(java, "awaited", preexec=before_others)
        same(answer["made"], 15, "tasks")
        pools = {p["pool"].rstrip("*0123456789"): p for p in answer["pools"]}
        names = {"fixed": "pool-1-thread-", "forked": "ForkJoinPool-1-worker-", "common": "ForkJoinPool.commonPool-worker-"}
        same(set(pools), set(names.values()), "pools")
        apart = []
        for name, pool in names.items():
            waited, truth = pools[pool]["await"]["seconds"], done.truths()[f"{name}_us"] / 1e6
            check(1 <= pools[pool]["waits"] and 0 < waited <= truth, f"{name}: {pools[pool]}, the program measured {truth}")
            apart.append((truth - waited) / truth)
        return max(apart) <= 0.02

    holds_mostly(found, "waits are as the program measures them")


@pytest.mark.parametrize("java", [max(JAVAS)] if JAVAS else [])
def test_observers_use_the_words_and_lines_of_the_trace(java):
    """The worker that executes a task is not the thread that submits it: its reading has the line nonetheless."""
    process = subprocess.Popen(command(java, "queued", "wait", program="Stages", options=[COMMON + "2", f"-agentpath:{AGENT}"]), text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=directory(),
                               env=environment(HEDDLE_DIR=os.path.join(directory(), "run.heddle"), HEDDLE_LIVE="1", HEDDLE_CONVERT="0"))
    try:
        while (line := process.stdout.readline()) != "truth: ran=8\n":
            check(line, "the program ended early")
        def found():
            now = heddle("live", "--once", "--json", str(process.pid))
            same((now.status, now.err), (0, ""), "heddle live")
            tasks = collections.Counter()
            for row in json.loads(now.out)["rows"]:
                if "task" in row["construct"]:
                    tasks[row["construct"].split(":")[0]] += row["executions"]
            same(set(tasks), {"pool task @Stages.java"}, "constructs")
            return True if sum(tasks.values()) == 8 else None
        until_it_happens(found, "do all workers wait")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("java", [java for java in JAVAS if java != "17"])
def test_virtual_threads_are_no_tasks_of_their_carriers(java):
    """A pool is given a task for each time that a virtual thread goes on."""
    trace = os.path.join(directory(), "run.heddle")
    classes = os.path.join(PROGRAMS, "java")
    done = run([JAVAS[java], f"-agentpath:{AGENT}", "-cp", classes, "Many", "virtual", "100"], HEDDLE_DIR=trace, trace=trace)
    same((done.status, done.own_err, done.tool_err), (0, "", []), "status, stderr, what Heddle says")
    answer = ask("tasks", done.trace)
    same((answer["made"], answer["ended"]), (0, 0), "tasks made, ended")
