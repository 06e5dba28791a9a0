"""ForkJoinPool, parallel streams and sorts: what a pool executes are tasks, who waits for them is in a taskwait."""
import collections
import os
import subprocess
import zipfile

import pytest

from harness import PROGRAMS, check, directory, environment, heddle, run, same
from jomp import AGENT, JAVAS, STATES, ask, counts
from trace import Role, Trace, check_well_formed

CLASSES = os.path.join(PROGRAMS, "forkjoin")
# Streams and sorts are parallel where the common pool has threads.
COMMON_POOL = "-Djava.util.concurrent.ForkJoinPool.common.parallelism=3"


def command(java, *arguments, options=(), program="Forks"):
    return [JAVAS[java], *options, "-cp", CLASSES, program, *arguments]


def traced(java, *arguments, options=(), before=(), program="Forks", **settings):
    trace = os.path.join(directory(), "run.heddle")
    done = run(command(java, *arguments, options=[*before, f"-agentpath:{AGENT}", *options], program=program), HEDDLE_DIR=trace,
               trace=trace, **settings)
    same(done.tool_err, [], "what Heddle says")
    return done


@pytest.mark.parametrize("java", JAVAS)
def test_each_compute_is_a_task(java):
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


@pytest.mark.parametrize("java", JAVAS)
def test_heddle_tasks_has_them_by_line_and_thread(java):
    done = traced(java)
    answer = ask("tasks", done.trace)
    same((answer["made"], answer["ended"]), (done.truths()["computed"],) * 2, "tasks")
    same(sorted(s["function"] for s in answer["sites"]), ["Forks$Failing.compute", "Forks$Fibonacci.compute"], "their methods")
    same(sum(t["ran"] for t in answer["threads"]), done.truths()["computed"], "executed by all threads")
    check(all("worker" in t["thread_name"] for t in answer["threads"] if t["ran"]), f"executed by {answer['threads']}")
    same(answer["span"], None, "what the trace does not say")
    # Fibonacci forks one of two, and computes the other one; main gives the pool two.
    made = {"main": 0, "worker": 0}
    for row in answer["threads"]:
        made["main" if row["thread_name"] == "main" else "worker"] += row["made"]
    same(made, {"main": 2, "worker": (done.truths()["computed"] - 2) // 2}, "who made those that were forked or given to the pool")


def made_by(answer):
    """(thread, method): tasks that it made, and others executed."""
    found = collections.Counter()
    for row in answer["threads"]:
        thread = "worker" if "worker" in row["thread_name"] else row["thread_name"]
        found[thread, answer["sites"][row["site"] - 1]["function"]] += row["made"]
    return {key: made for key, made in found.items() if made}


def makers(java, what, *options):
    done = traced(java, what, program="Makers", options=["-Xverify:all", *options])
    plain = run(command(java, what, program="Makers", options=options))
    same((done.status, done.own_err), (plain.status, plain.err), "status and stderr")
    same([l for l in done.out.splitlines() if "truth" not in l], [l for l in plain.out.splitlines() if "truth" not in l], "stdout")
    check_well_formed(Trace(done.trace))
    return done, ask("tasks", done.trace)


@pytest.mark.parametrize("java", JAVAS)
def test_a_forked_task_waits_from_its_fork_on(java):
    done, answer = makers(java, "holds")
    same(made_by(answer), {("main", "Makers$Holding.compute"): 1, ("worker", "Makers$Leaf.compute"): 2}, "who made which")
    leaf = next(n for n, site in enumerate(answer["sites"]) if site["function"] == "Makers$Leaf.compute")
    same((answer["sites"][leaf]["made"], answer["sites"][leaf]["stolen"]), (3, 0), "tasks, one of them computed directly, and stolen ones")
    waited = answer["lengths"][leaf]["queue_max"]["seconds"]
    low, high = done.truths()["held_ms"] / 1e3, done.truths()["longest_ns"] / 1e9
    check(low <= waited <= high, f"the longest time in the queue is {waited} s, and not {low} to {high} s")
    check(answer["lengths"][leaf]["queue_median"]["seconds"] >= low, f"both waited: {answer['lengths'][leaf]}")


@pytest.mark.parametrize("java", JAVAS)
def test_each_way_to_fork_has_its_maker(java):
    """invokeAll() computes one of its tasks itself, and forks the others; main gives the pool the first one."""
    _, answer = makers(java, "ways")
    same(made_by(answer), {("main", "Makers$Ways.compute"): 1, ("worker", "Makers$Leaf.compute"): 5}, "who made which")
    same((answer["made"], answer["ended"]), (11, 11), "tasks")


@pytest.mark.parametrize("java", JAVAS)
def test_tasks_that_a_pool_is_given_wait_for_its_worker(java):
    _, answer = makers(java, "given")
    same(made_by(answer), {("main", "Makers$1.compute"): 1, ("main", "Makers$Leaf.compute"): 2}, "who made which")
    same(sum(site["stolen"] for site in answer["sites"]), 3, "executed by another thread")


@pytest.mark.parametrize("java", JAVAS)
def test_methods_of_the_same_name_are_no_tasks(java):
    _, answer = makers(java, "overloads")
    same((answer["made"], [s["function"] for s in answer["sites"]]), (1, ["Makers$Overloads.compute"]), "tasks")


@pytest.mark.parametrize("java", JAVAS)
def test_a_class_is_a_task_however_it_inherits(java):
    """A compute() that calls its superclass's is one task; the JVM shows a class before its superclasses."""
    _, answer = makers(java, "heirs")
    same(made_by(answer), {("main", "Makers$Heirs.compute"): 1, ("worker", "Makers$Upper.compute"): 1, ("worker", "Makers$Middle.compute"): 1}, "who made which")
    same({s["function"]: (s["made"], s["ended"]) for s in answer["sites"]},
         {"Makers$Heirs.compute": (1, 1), "Makers$Upper.compute": (3, 3), "Makers$Middle.compute": (2, 2)}, "tasks")


@pytest.mark.parametrize("java", JAVAS)
def test_a_cancelled_task_never_runs(java):
    _, answer = makers(java, "cancels")
    same((answer["made"], answer["ended"], answer["never_ran"]), (2, 1, "1 tasks were made, but never begun."), "tasks")


@pytest.mark.parametrize("java", JAVAS)
def test_a_part_of_a_stream_is_made_by_who_forks_it(java):
    _, answer = makers(java, "streams", COMMON_POOL)
    same([s["function"] for s in answer["sites"]], ["Makers.main"], "methods of the tasks")
    same(sum(made_by(answer).values()), answer["made"] - 1, "tasks that were forked: all but the root")


@pytest.mark.parametrize("java", JAVAS)
def test_streams_and_sorts_are_tasks(java):
    plain = run(command(java, "all", options=[COMMON_POOL]))
    done = traced(java, "all", options=[COMMON_POOL, "-Xcheck:jni", "-Xverify:all"])
    same((done.status, done.out, done.own_err), (0, plain.out, plain.err), "status, stdout and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    methods = collections.Counter(r.canonical_name for r in trace.regions if r.region_role == Role.TASK)
    same(methods["Forks.main"], 2, f"lines of the stream and of the sort, among {methods}")


@pytest.mark.parametrize("java", JAVAS)
def test_nothing_is_said_of_teams_where_pools_work(java):
    """Pools are no parallel regions: no sentence may deny that several threads executed their tasks."""
    done = traced(java)
    for command_name in "imbalance", "locks":
        said = heddle(command_name, done.trace).out
        check("no construct was executed" not in said and "no pools" not in said, f"heddle {command_name}: {said}")
        check(command_name != "imbalance" or "ForkJoinPool-1-worker-*" in said, f"the pool is not named: {said}")
        check("pthreads" not in said and "MPI" not in said, f"heddle {command_name} of a Java program: {said}")


@pytest.mark.parametrize("java", JAVAS)
def test_workers_are_idle_without_a_task(java):
    done = traced(java)
    workers = [t for t in ask("states", done.trace)["threads"] if "worker" in t["thread_name"]]
    check(workers, "there are no workers")
    for thread in workers:
        same(sum(thread[s]["ticks"] for s in STATES if s in thread), thread["lifetime"]["ticks"], f"sum of the states of {thread['thread_name']}")
        check(thread["idle"]["ticks"] > 0, f"{thread['thread_name']} is never idle")


@pytest.mark.parametrize("java", JAVAS)
def test_level_jvm_has_no_tasks(java):
    trace = os.path.join(directory(), "run.heddle")
    done = run(command(java, options=[f"-agentpath:{AGENT}=level=jvm"]), HEDDLE_DIR=trace, HEDDLE_CONVERT="0", trace=trace)
    same(counts(done)["task_create"], 0, "tasks")


def tasks_of(done):
    trace = Trace(done.trace)
    check_well_formed(trace)
    return sum(1 for l in trace.locations for _ in trace.spans(l, Role.TASK))


# Code that is compiled at once, interpreted only, verified everywhere.
CODE = {"verified": ["-Xverify:all", "-Xcheck:jni"], "held": ["-Xverify:all"], "interpreted": ["-Xint"],
        "compiled": ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Rich*.*"]}


@pytest.mark.parametrize("case", [f"{java}.{how}" for java in JAVAS for how in CODE if java == min(JAVAS) or how == "held"])
def test_classes_look_and_do_as_without_us(case):
    """Methods, annotations, generic types, parameters; what is thrown has the same stack."""
    java, how = case.rsplit(".", 1)
    plain = run(command(java, program="Rich", options=CODE[how]))
    done = traced(java, program="Rich", options=CODE[how], **({"HEDDLE_JAVA": "hold=Rich*"} if how == "held" else {}))
    same((done.status, done.out, done.own_err), (0, plain.out, plain.err), "status, stdout and stderr")
    same(tasks_of(done), done.truths()["computed"], "tasks")


@pytest.mark.parametrize("case", [f"{how}-{budget}" for how in ("interpreted", "mixed", "compiled") for budget in ("none", "5%")])
def test_tasks_are_whole_when_the_stack_overflows(case):
    """With a budget, hooks in Java may fail where the stack ends. Then some endless tasks may be too deep to be recorded."""
    how, budget = case.split("-")
    options = {"interpreted": ["-Xint"], "mixed": [],
               "compiled": ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Deep*.*"]}[how]
    java = min(JAVAS)
    plain = run(command(java, program="Deep", options=["-Xss512k", *options]))
    done = traced(java, program="Deep", options=["-Xss512k", *options], HEDDLE_BUDGET=budget)
    same((done.status, done.out), (0, plain.out), f"status and stdout ({done.err})")
    trace = Trace(done.trace)
    check_well_formed(trace)
    for location in trace.locations:
        if location.name in ("main", "another"):
            tasks = collections.Counter(r.canonical_name for r, _, _ in trace.spans(location, Role.TASK))
            endless = tasks.pop("Deep$Endless.compute")
            check(10 * 64 * (1 if budget == "none" else 0.5) <= endless <= 10 * 64, f"{endless} tasks of {location.name}; 64 in each other are told")
            same(tasks, {"Deep$Few.compute": 11}, f"tasks of {location.name}")


def other_agent(options=""):
    """The argument for a JVM that loads it."""
    jar = os.path.join(directory(), "other.jar")
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF",
                      "Premain-Class: Other\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n")
    return f"-javaagent:{jar}={options}"


@pytest.mark.parametrize("case", [f"{java}.{how}" for java in JAVAS for how in ("before.looks", "before.changes", "after.looks", "after.changes")
       if java == min(JAVAS) or how == "after.changes"])
def test_other_agents_may_change_classes(case):
    """Another agent, loaded before or after us, redefines and retransforms a class that has hooks."""
    java, order, what = case.rsplit(".", 2)
    other = other_agent(what)
    plain = run(command(java, program="Other", options=[other]))
    done = traced(java, program="Other", **({"before": [other]} if order == "before" else {"options": [other]}))
    same((done.status, done.out), (0, plain.out), f"status and stdout ({done.err})")
    seen = dict(line.split()[1:] for line in done.own_err.splitlines())
    here = "original" if order == "before" else "hooked"
    same(seen, {"load": here, "redefine": here, "again": here, "changed": "other" if order == "before" else "hooked",
                "retransform": here}, "what it was given")
    same(tasks_of(done), done.truths()["computed"], "tasks, before and after each change")


@pytest.mark.parametrize("java", JAVAS)
def test_classes_are_their_own_again_after_detach(java):
    """Another agent, which is asked after us, is given the class as it was."""
    trace = os.path.join(directory(), "run.heddle")
    options = [f"-agentpath:{AGENT}", other_agent("looks")]
    process = subprocess.Popen(command(java, "wait", program="Other", options=options), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, cwd=directory(), env=environment(HEDDLE_DIR=trace))
    try:
        while (line := process.stdout.readline()) != "ready\n":
            check(line, f"the program ended early: {process.stderr.read() if not line else ''}")
        done = heddle("detach", str(process.pid))
        same((done.status, len(done.tool_err)), (0, 1), f"heddle detach ({done.err})")
        _, err = process.communicate("\n", timeout=60)
    finally:
        process.kill()
    same(process.returncode, 0, f"status ({err})")
    seen = [line.split()[1:] for line in err.splitlines() if line.startswith("seen: ")]
    same(seen[-3:], [["retransform", "hooked"], ["detached", "original"], ["once-more", "original"]], "what it was given")
    check_well_formed(Trace(trace))
