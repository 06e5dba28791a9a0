"""ThreadPoolExecutor: which tasks there were, who submitted them and where, how long they waited, and how a pool's workers share them."""
import os

import pytest

from forkjoin import command, traced
from harness import SOURCE, before_others, check, heddle, holds_mostly, run, same
from jomp import JAVAS, ask
from trace import Trace, check_well_formed


def pools(java, what, options=()):
    """A run without Heddle and one with it do the same. Returns the latter and what `heddle tasks` says of it."""
    done = traced(java, what, program="Pools", options=options, preexec=before_others)
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check_well_formed(Trace(done.trace))
    return done, ask("tasks", done.trace)


def lines(answer):
    return {s["name"]: s["made"] for s in answer["sites"]}


def each_ran(done, answer, by_caller=0):
    """Each task that ran is there once, executed by a worker and submitted by main; or executed at once by main."""
    ran = done.truths()["ran"]
    same((answer["ended"], sum(s["ended"] for s in answer["sites"])), (ran, ran), "tasks that ended")
    same(sum(t["ran"] for t in answer["threads"]), ran, "executed by all threads")
    same(sum(t["made"] or 0 for t in answer["threads"] if t["thread_name"] == "main"), ran - by_caller, "submitted by main")
    same(sum(p["tasks"] for p in answer["pools"]), ran, "tasks of all pools")
    same(sum(w["ran"] for w in answer["workers"]), ran, "tasks of their threads")


@pytest.mark.parametrize("java", JAVAS)
def test_tasks_wait_for_the_workers_of_a_small_pool(java):
    """Eight tasks of 20 ms, two workers: they wait for 0, 0, 20, 20, 40, 40, 60 and 60 ms."""
    def found():
        done, answer = pools(java, "small")
        each_ran(done, answer)
        same(list(answer["sites"][0]["name"].split("@"))[1].split(":")[0], "Pools.java", "file of the tasks")
        same((len(answer["sites"]), answer["sites"][0]["function"]), (1, "Pools.small"), "where they were submitted")
        pool = answer["pools"][0]
        same((pool["pool"], pool["workers"], pool["never_ran"], pool["tasks"]), ("pool-1-thread-*", 2, 0, 8), "the pool")
        same(len(answer["pools"]), 1, "pools")
        lengths = answer["lengths"][0]
        check(lengths["run_median"]["seconds"] >= 0.020, f"run: {lengths}")
        check(pool["for_worker"]["seconds"] <= pool["queue"]["seconds"], f"waits for a worker: {pool}")
        # The program's time begins before Heddle's, and ends after it.
        longest = lengths["queue_max"]["seconds"]
        more = done.truths()["longest_queue_us"] / 1e6 - longest
        check(more >= -0.001 and longest >= 0.020, f"longest queue time: {longest}, the program measured {more} more")
        if more > 0.02 * longest or pool["most_at_work"] != 2 or pool["for_worker"]["seconds"] <= pool["queue"]["seconds"] / 2:
            return False
        for command_name in "tasks", "imbalance":
            said = heddle(command_name, done.trace).out
            check("pool-1-thread-*: for " in said and "the pool is too small" in said, f"heddle {command_name}: {said}")
        why = heddle("why", done.trace).out
        check("pool-1-thread-*" in why, f"heddle why: {why}")
        return True

    holds_mostly(found, "queue times are as planted")


@pytest.mark.parametrize("java", JAVAS)
def test_an_uneven_pool_is_told_by_its_workers(java):
    """30 ms and 90 ms: with even shares 30 ms could be won."""
    def found():
        done, answer = pools(java, "uneven")
        each_ran(done, answer)
        pool = answer["pools"][0]
        same((pool["workers"], pool["most_at_work"]), (2, 2), "workers, at work at one time")
        shares = sorted(w["in_tasks"]["seconds"] for w in answer["workers"])
        check(shares[0] >= 0.030 and shares[1] >= 0.090, f"in tasks: {shares}")
        said = heddle("imbalance", done.trace).out
        check("no construct was executed" not in said, f"heddle imbalance: {said}")
        check(abs(pool["imbalance"]["seconds"] - (shares[1] - shares[0]) / 2) < 1e-6, f"imbalance: {pool['imbalance']} of {shares}")
        if abs(pool["imbalance"]["seconds"] - 0.030) > 0.015:
            return False
        check("Thread.sleep @Pools.java" in said, f"heddle imbalance, of tasks that sleep: {said}")
        return True

    holds_mostly(found, "the imbalance is as planted")


@pytest.mark.parametrize("java", JAVAS)
def test_workers_without_tasks_are_told(java):
    done, answer = pools(java, "large")
    each_ran(done, answer)
    pool = answer["pools"][0]
    most = pool["most_at_work"] # a worker may still end a task when the next one is submitted
    check(pool["workers"] == 4 and 1 <= most <= 2 and 1 <= pool["never_ran"] <= 3, f"the pool: {pool}")
    was = "was" if most == 1 else "were"
    check(f"pool-1-thread-*: never more than {most} of its 4 workers {was} in tasks at one time, and some never were"
          in heddle("tasks", done.trace).out, "the text says so")


@pytest.mark.parametrize("java", JAVAS)
def test_one_object_may_be_submitted_many_times(java):
    done, answer = pools(java, "same", options=["-Xcheck:jni"])
    each_ran(done, answer)
    same(list(lines(answer).values()), [1000], "tasks of the only line")


@pytest.mark.parametrize("java", JAVAS)
def test_all_ways_to_submit_and_to_end_are_told(java):
    """Pools that override the hooks; that refuse a task in each of four ways, or put it back; calls, exceptions, workers that die."""
    plain = run(command(java, "kinds", program="Pools"))
    done, answer = pools(java, "kinds", options=["-Xverify:all"])
    same(done.out, plain.out, "stdout")
    each_ran(done, answer, by_caller=1)
    same(answer["made"], done.truths()["ran"] + 4, "tasks made: two were refused, and two fell out of the queue")
    same(sum(s["stolen"] for s in answer["sites"]), done.truths()["ran"] - 1, "executed by workers: all but the one that its submitter ran")
    check("4 tasks were made, but never begun" in heddle("tasks", done.trace).out, "the text says so")


@pytest.mark.parametrize("java", JAVAS)
def test_tasks_that_wait_for_their_time_have_no_queue_time(java):
    done, answer = pools(java, "scheduled")
    same(answer["made"], done.truths()["ran"], "tasks")
    same({s["function"] for s in answer["sites"]}, {"Pools.scheduled"}, "where they were submitted")
    same(len(answer["sites"]), 2, "lines")
    same([l["queue_median"] for l in answer["lengths"]], [None, None], "queue times")


@pytest.mark.parametrize("java", JAVAS)
def test_tasks_taken_out_of_the_queue_never_run(java):
    done, answer = pools(java, "stopped")
    same(done.out.splitlines()[0], "removed=true left=1", "what the program did")
    same((answer["made"], answer["ended"]), (3, 1), "tasks made, ended")
    check("2 tasks were made, but never begun" in heddle("tasks", done.trace).out, "the text says so")


@pytest.mark.parametrize("java", [max(JAVAS)] if JAVAS else [])
def test_tasks_that_never_run_make_room_for_others(java):
    """More than are followed at one time fall out of the queue, are left over or purged; those after them have line and queue time."""
    done, answer = pools(java, "dropped", options=["-Xmx300m"])
    same(done.out.splitlines()[0], "left=100000", "what the program did")
    same((answer["made"], answer["ended"]), (done.truths()["made"], done.truths()["ran"]), "tasks made, ended")
    same({s["function"] for s in answer["sites"]}, {"Pools.dropped"}, "where they were submitted")
    same(sorted(s["made"] for s in answer["sites"]), [1, 1, 100], "tasks of each line that ran")


@pytest.mark.parametrize("java", JAVAS)
def test_each_line_has_the_tasks_that_it_submitted(java):
    """By execute() or submit() of any class or interface, and by what has no such call: invokeAll, a reference, another class of the JDK."""
    with open(os.path.join(SOURCE, "..", "programs", "forkjoin", "Pools.java"), encoding="utf-8") as source:
        planted = {number: int(line.split("// lines: ")[1]) for number, line in enumerate(source, 1) if "// lines: " in line}
    done, answer = pools(java, "lines", options=["-Xcheck:jni", "-Xverify:all"])
    each_ran(done, answer)
    same({int(s["name"].split(":")[-1]): s["made"] for s in answer["sites"]}, planted, "tasks of each line")
    same(sum(planted.values()), done.truths()["ran"], "tasks that ran")
