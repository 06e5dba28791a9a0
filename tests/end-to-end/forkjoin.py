"""ForkJoinPool, parallel streams and sorts: what a pool executes are tasks, who waits for them is in a taskwait."""
import collections
import os

from harness import PROGRAMS, check, directory, each, main, run, same
from jomp import AGENT, JAVAS, STATES, ask, counts
from trace import Role, Trace, check_well_formed

CLASSES = os.path.join(PROGRAMS, "forkjoin")
# Streams and sorts are parallel where the common pool has threads.
COMMON_POOL = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=3"


def command(java, *arguments, options=()):
    return [JAVAS[java], *options, "-cp", CLASSES, "Forks", *arguments]


def traced(java, *arguments, options=(), **settings):
    trace = os.path.join(directory(), "run.heddle")
    done = run(command(java, *arguments, options=[f"-agentpath:{AGENT}", *options]), HEDDLE_DIR=trace, trace=trace, **settings)
    same(done.tool_err, [], "what Heddle says")
    return done


@each(JAVAS)
def each_compute_is_a_task(java):
    done = traced(java)
    plain = run(command(java))
    same((done.status, done.out, done.own_err), (0, plain.out, plain.err), "status, stdout and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    tasks = collections.Counter(r.name for l in trace.locations for r, _, _ in trace.spans(l, Role.TASK))
    same(sum(tasks.values()), done.truths()["computed"], "tasks")
    same({name.split("@")[1].split(":")[0] for name in tasks}, {"Forks.java"}, "files of the tasks")
    same(sorted(r.canonical_name for r in trace.regions if r.region_role == Role.TASK),
         ["Forks$Failing.compute", "Forks$Fibonacci.compute"], "methods of the tasks")
    completed = sum(len(l.of_kind("ThreadTaskComplete")) for l in trace.locations)
    same(completed, done.truths()["computed"], "completed tasks")
    executing = {l.name for l in trace.locations for _ in trace.spans(l, Role.TASK)}
    check(all("worker" in name for name in executing), f"tasks of the pool were executed by {executing}")
    waits = [r.name for l in trace.locations if l.name == "main" for r, _, _ in trace.spans(l, Role.TASK_WAIT) if " wait" not in r.name]
    same(len(waits), 2, "waits of the main thread for the pool")
    check(all("Forks.java" in name for name in waits), f"places of these waits: {waits}")


@each(JAVAS)
def streams_and_sorts_are_tasks(java):
    plain = run(command(java, "all", options=[COMMON_POOL]))
    done = traced(java, "all", options=[COMMON_POOL, "-Xcheck:jni", "-Xverify:all"])
    same((done.status, done.out, done.own_err), (0, plain.out, plain.err), "status, stdout and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    names = " ".join(r.name for r in trace.regions if r.region_role == Role.TASK)
    check("AbstractTask.java" in names, f"there are no tasks of a stream: {names}")
    check("DualPivotQuicksort.java" in names, f"there are no tasks of the sort: {names}")


@each(JAVAS)
def workers_are_idle_without_a_task(java):
    done = traced(java)
    workers = [t for t in ask("states", done.trace)["threads"] if "worker" in t["thread"]]
    check(workers, "there are no workers")
    for thread in workers:
        same(sum(thread[s]["ticks"] for s in STATES), thread["lifetime"]["ticks"], f"sum of the states of {thread['thread']}")
        check(thread["idle"]["ticks"] > 0, f"{thread['thread']} is never idle")


@each(JAVAS)
def level_jvm_has_no_tasks(java):
    trace = os.path.join(directory(), "run.heddle")
    done = run(command(java, options=[f"-agentpath:{AGENT}=level=jvm"]), HEDDLE_DIR=trace, HEDDLE_CONVERT="0", trace=trace)
    same(counts(done)["task_create"], 0, "tasks")


if __name__ == "__main__":
    main()
