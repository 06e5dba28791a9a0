"""Stages of CompletableFuture, work given to a ForkJoinPool, parallel streams: which tasks there were, and the line that called for them."""
from executors import each_ran
from forkjoin import traced
from harness import check, each, main, same, until_it_happens
from jomp import JAVAS, ask
from trace import Trace, check_well_formed


def stages(java, what, options=(), parallelism=2):
    common = f"-Djava.util.concurrent.ForkJoinPool.common.parallelism={parallelism}"
    done = traced(java, what, program="Stages", options=[common, *options])
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
@each([f"{java}.{parallelism}" for java in JAVAS for parallelism in (1, 2)])
def each_stage_is_a_task_at_the_line_that_made_it(case):
    java, parallelism = case.split(".")
    done, answer = stages(java, "chains", options=["-Xcheck:jni", "-Xverify:all"], parallelism=parallelism)
    made_once(done, answer, {"Stages.chains"})
    same(sorted(s["made"] for s in answer["sites"]), [1, 50, 50, 50, 50, 50], "stages of each line")
    same([l["queue_median"] is None for l in answer["lengths"]], [False] * 6, "queue times are missing")


@each(JAVAS)
def stages_with_an_executor_are_tasks_of_it(java):
    done, answer = stages(java, "own")
    made_once(done, answer, {"Stages.own"})
    same(sorted(s["made"] for s in answer["sites"]), [1, 20, 20], "stages of each line")


@each(JAVAS)
def queue_times_are_those_of_the_program(java):
    def found():
        done, answer = stages(java, "queued")
        each_ran(done, answer)
        made_once(done, answer, {"Stages.queued"})
        pool = answer["pools"][0]
        same((pool["pool"], pool["workers"], pool["tasks"]), ("ForkJoinPool.commonPool-worker-*", 2, 8), "the pool")
        longest = answer["lengths"][0]["queue_max"]["seconds"]
        more = done.truths()["longest_queue_us"] / 1e6 - longest
        check(more >= -0.001 and longest >= 0.020, f"longest queue time: {longest}, the program measured {more} more")
        return True if more <= 0.02 * longest else None

    until_it_happens(found, "are queue times as the program measures them")


@each(JAVAS)
def a_fork_join_pool_has_tasks_of_runnables_and_callables(java):
    done, answer = stages(java, "given", options=["-Xcheck:jni", "-Xverify:all"])
    made_once(done, answer, {"Stages.given"})
    each_ran(done, answer)
    same(sorted(s["made"] for s in answer["sites"]), [10, 20, 20, 20, 20], "tasks of each line")


@each(JAVAS)
def tasks_of_a_stream_have_the_line_of_its_operation(java):
    done, answer = stages(java, "streams", options=["-Xcheck:jni"])
    functions = {s["function"].split("$")[0] for s in answer["sites"]}
    same(functions, {"Stages.streams", "Stages.lambda"}, "methods of the tasks: one stream is in a task")
    same({s["name"].split("@")[1].split(":")[0] for s in answer["sites"]}, {"Stages.java"}, "files of the tasks")
    same(len(answer["sites"]), 6, "lines: four of streams, one of a task and one of its stream")
    same(answer["made"], done.truths()["stream_tasks"] + 1, "tasks")


@each(JAVAS)
def tasks_of_a_sort_have_its_line(java):
    done, answer = stages(java, "sorts")
    lines = {s["name"].split("@")[1].split(":")[0]: s["made"] for s in answer["sites"]}
    check(lines.get("Stages.java", 0) > 0, f"tasks by file: {lines}")


if __name__ == "__main__":
    main()
