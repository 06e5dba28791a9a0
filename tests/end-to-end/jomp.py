"""
JOMP programs: each construct is recorded as libomp's OMPT callbacks would report it, with the lines of the generated
class. Programs do what they do without the agent. ../programs/jomp/ has the programs, and a stand-in for their runtime.

expected/jomp/<construct>.txt are in the format of sequences.py; there are blocks for the threads with records of OpenMP. Those in
alone/ are for a program of one thread.
"""
import collections
import glob
import json
import os
import re
import shutil

import pytest

import raw
import sequences
from harness import BUILD, PROGRAMS, SOURCE, check, directory, heddle, jdks, process_directories, run, same
from trace import Role, Trace, check_well_formed

CLASSES = os.path.join(PROGRAMS, "jomp")
AGENT = os.path.join(BUILD, "lib", "libheddle-jvmti.so")
CONSTRUCTS = ["Parallel", "Barrier", "LoopStatic", "LoopHelped", "LoopStaticChunk", "LoopDynamic", "LoopGuided", "LoopRuntime", "LoopOrdered",
              "Sections", "Single", "Critical", "NamedCritical", "Reduction", "Nested", "Throwing"]


def javas():
    """{version: java} of all JDKs that are installed."""
    found = {}
    for java in jdks().values():
        home = os.path.dirname(os.path.dirname(os.path.realpath(java)))
        release = os.path.join(home, "release")
        version = re.search(r'JAVA_VERSION="(\d+)', open(release).read()) if os.path.exists(release) else None
        if version and int(version[1]) >= 17:
            found.setdefault(version[1], os.path.join(home, "bin", "java"))
    return found


JAVAS = javas()
CRITICAL = 5  # ompt_mutex_critical
STATES = ["run", "idle", "overhead", "synch", "blocked", "spin", "gc", "init", "traceflush", "unmeasured", "ready", "off"]


def command(java, threads, *program, classes=CLASSES):
    check(os.path.exists(os.path.join(classes.partition(":")[0], "LU.class")), f"{classes} has no classes; build the target jomp-programs")
    return [JAVAS[java], f"-Djomp.threads={threads}", "-cp", classes, *program]


def traced(java, threads, *program, classes=CLASSES, convert="1", flags=(), level="jomp", **settings):
    """Runs a program with the agent, to its end."""
    trace = os.path.join(directory(), "run.heddle")
    at_start = command(java, threads, *program, classes=classes)
    done = run([at_start[0], f"-agentpath:{AGENT}=level={level}", *flags, *at_start[1:]], HEDDLE_DIR=trace, HEDDLE_CONVERT=convert,
               trace=trace, **settings)
    same(done.tool_err, [], "what Heddle says")
    return done


def records(done):
    """{thread: its records} of the only process."""
    directories = process_directories(done.trace)
    same(len(directories), 1, "process directories")
    return raw.threads(directories[0])


def openmp(done):
    """The records of OpenMP, as callbacks, of each thread that has any."""
    threads = [sequences.one_a_callback(thread) for thread in records(done).values()]
    lines = [sequences.as_callbacks([r for r in thread if r.name in sequences.CALLBACK_OF and not r.name.startswith("thread_")])
             for thread in threads]
    return [of for of in lines if of]


def counts(done):
    return collections.Counter(r.name for thread in records(done).values() for r in thread)


@pytest.mark.parametrize("case", [f"{construct}-{java}" for construct in CONSTRUCTS for java in JAVAS])
def test_records_are_those_of_openmp(case):
    construct, java = case.split("-")
    blocks = sequences.expected(os.path.join("jomp", construct))[1]
    done = traced(java, 2, "Constructs", construct, convert="0")
    sequences.compare("the raw trace", blocks, openmp(done))


@pytest.mark.parametrize("case", [f"{construct}-{java}" for construct in CONSTRUCTS if construct != "NamedCritical" for java in JAVAS])
def test_a_thread_alone_has_the_same_records(case):
    """One hook reports a region and its body, and one a wait from begin to end: they have one time."""
    construct, java = case.split("-")
    done = traced(java, 1, "Constructs", construct, convert="0")
    sequences.compare("the raw trace", sequences.expected(os.path.join("jomp", "alone", construct))[1], openmp(done))
    thread, = (t for t in records(done).values() if any(r.name == "parallel_begin" for r in t))
    for name, follows in (("implicit_begin", "parallel_begin"), ("barrier_end", "barrier_begin"), ("mutex_acquired", "mutex_acquire"),
                          ("parallel_end", "implicit_end")):
        ticks, before = ([r.ticks for r in thread if r.name == kind and r.detail != CRITICAL] for kind in (name, follows))
        same(ticks, before, f"times of {name}, and of {follows}")


@pytest.mark.parametrize("case", [f"{construct}-{java}" for construct in CONSTRUCTS for java in JAVAS])
def test_output_is_what_it_is_without_the_agent(case):
    construct, java = case.split("-")
    plain = run(command(java, 3, "Constructs", construct))
    same(plain.status, 0, "status without the agent")
    done = traced(java, 3, "Constructs", construct, level="jvm,jomp", flags=["-Xcheck:jni", "-Xverify:all"])
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout and stderr")
    check_well_formed(Trace(done.trace))


@pytest.mark.parametrize("java", JAVAS)
def test_exit_in_a_region(java):
    done = traced(java, 3, "Constructs", "Exiting", level="jvm,jomp")
    same((done.status, done.out, done.own_err), (7, "", ""), "status, stdout and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(sum(r.region_role == Role.PARALLEL for l in trace.locations for r, _, _ in trace.spans(l)), 3, "members of the team")


@pytest.mark.parametrize("case", [f"{gc}-{java}" for gc in ("Serial", "Parallel", "G1", "Z") for java in JAVAS])
def test_collectors_do_no_harm(case):
    """Objects move while hooks look at them."""
    gc, java = case.split("-")
    plain = run(command(java, 2, "LU", "40", "30"))
    done = traced(java, 2, "LU", "40", "30", level="jvm,jomp", convert="0", flags=[f"-XX:+Use{gc}GC", "-Xmx32m", "-Xcheck:jni"])
    same((done.status, done.out.splitlines()[0], done.own_err), (0, plain.out.splitlines()[0], ""), "status, stdout and stderr")
    same(counts(done)["parallel_begin"], 40 * 30, "parallel regions")


@pytest.mark.parametrize("java", JAVAS)
def test_lu_has_its_constructs(java):
    n = 48
    plain = run(command(java, 2, "LU", str(n)))
    done = traced(java, 2, "LU", str(n), convert="0")
    same(done.out, plain.out, "the matrix")
    has = counts(done)
    same({kind: has[kind] for kind in ("parallel_begin", "parallel_end", "implicit_begin", "work_begin", "work_end")},
         {"parallel_begin": n, "parallel_end": n, "implicit_begin": 2 * n, "work_begin": 4 * n, "work_end": 4 * n}, "records")
    # Two barriers a thread and region: the second loop's, and the region's.
    same(has["barrier_begin"], 4 * n, "barriers")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    trace = Trace(done.trace)
    check_well_formed(trace)
    rows = collections.Counter()
    for location in trace.locations:
        for region, enter, _ in trace.spans(location, Role.LOOP):
            if "iterations" in enter.attributes:
                first = enter.attributes["first iteration"]
                rows.update(range(first, first + enter.attributes["iterations"]))
    # For each k both loops have the rows from k + 1.
    same(dict(rows), {i: 2 * i for i in range(1, n)}, "rows of all chunks")
    names = {r.name for r in trace.regions if r.region_role == Role.LOOP and r.name.startswith("//omp")}
    lines = [number for number, line in enumerate(open(os.path.join(SOURCE, "..", "programs", "jomp", "LU.java")), 1)
             if "getLoopStatic" in line]
    same(names, {f"//omp for @LU.java:{line}" for line in lines}, "names of the loops")


@pytest.mark.parametrize("java", JAVAS)
def test_philosophers_have_their_meals(java):
    plain = run(command(java, 3, "Philosophers", "20"))
    done = traced(java, 3, "Philosophers", "20", level="jvm,jomp")
    same((done.status, done.out), (plain.status, plain.out), "status and stdout")
    check_well_formed(Trace(done.trace))


@pytest.mark.parametrize("java", JAVAS)
def test_class_files_of_jomps_own_version(java):
    """JOMP's are of version 45.3, which knows no stack maps."""
    classes = os.path.join(directory(), "classes")
    shutil.copytree(CLASSES, classes)
    for path in glob.glob(os.path.join(classes, "**", "*.class"), recursive=True):
        with open(path, "r+b") as file:
            file.seek(4)
            file.write(bytes([0, 3, 0, 45]))
    for construct in ("LoopStaticChunk", "Sections", "Throwing"):
        plain = run(command(java, 2, "Constructs", construct, classes=classes))
        done = traced(java, 2, "Constructs", construct, classes=classes, convert="0", flags=["-Xverify:all"])
        same((done.status, done.out, done.own_err), (0, plain.out, plain.err), f"status, stdout and stderr of {construct}")
        sequences.compare("the raw trace", sequences.expected(os.path.join("jomp", construct))[1], openmp(done))


@pytest.mark.parametrize("java", JAVAS)
def test_a_runtime_that_cannot_be_asked_for_its_threads(java):
    """Then -Djomp.threads says how large teams are."""
    classes = os.path.join(directory(), "classes")
    shutil.copytree(CLASSES, classes)
    path = os.path.join(classes, "jomp", "runtime", "OMP.class")
    with open(path, "rb") as file:
        changed = file.read().replace(b"getMaxThreads", b"getSomething!")
    with open(path, "wb") as file:
        file.write(changed)
    done = traced(java, 2, "LU", "4", classes=classes, convert="0")
    sizes = [r.words[0] & 0xffffffff for thread in records(done).values() for r in thread if r.name == "implicit_begin"]
    same(sizes, [2] * 8, "sizes of teams")


@pytest.mark.parametrize("java", JAVAS)
def test_who_executes_single_and_sections(java):
    """One thread executes a single; each section is executed once, by any thread."""
    single = [r for thread in records(traced(java, 3, "Constructs", "Single", convert="0")).values() for r in thread]
    same(sorted(r.detail for r in single if r.name == "work_begin"), [3, 4, 4], "kinds of single")
    sections = [r for thread in records(traced(java, 3, "Constructs", "Sections", convert="0")).values() for r in thread]
    same(len({r.value for r in sections if r.name == "section"}), 3, "places of sections")
    same(len([r for r in sections if r.name == "section"]), 3, "sections")


@pytest.mark.parametrize("java", JAVAS)
def test_chunks_are_the_iterations(java):
    """What all threads got together is the loop, once."""
    loops = {"LoopDynamic": list(range(20, 0, -2)), "LoopGuided": list(range(100)), "LoopRuntime": list(range(10)),
             "LoopStatic": list(range(5, 105)), "LoopStaticChunk": list(range(5, 105))}
    for name, iterations in loops.items():
        trace, got = Trace(traced(java, 3, "Constructs", name).trace), []
        step = iterations[1] - iterations[0]
        for location in trace.locations:
            for _, enter, _ in trace.spans(location, Role.LOOP):
                first, n = enter.attributes.get("first iteration"), enter.attributes.get("iterations", 0)
                if n:
                    got += range(first, first + n * step, step)
        same(sorted(got), sorted(iterations), f"iterations of {name}")


@pytest.mark.parametrize("java", JAVAS)
def test_one_thread_is_a_team(java):
    done = traced(java, 1, "Constructs", "LoopStatic")
    has = Trace(done.trace)
    check_well_formed(has)
    chunks = [e for l in has.locations for _, e, _ in has.spans(l, Role.LOOP) if "iterations" in e.attributes]
    same([(e.attributes["first iteration"], e.attributes["iterations"]) for e in chunks], [(5, 100)], "chunks")


@pytest.mark.parametrize("java", JAVAS)
def test_woven_code_calls_no_hooks_while_paused(java):
    """It calls the hooks of regions only, so that the region of a thread is known when recording continues."""
    jar = os.path.join(os.path.abspath(BUILD), "share", "java", "heddle.jar")
    if not os.path.exists(jar):
        pytest.skip("there is no heddle.jar: javac is missing")
    n = 300
    done = traced(java, 1, "Pauses", str(n), classes=f"{CLASSES}:{jar}", convert="0", flags=["-Xverify:all"])
    same((done.status, done.out, done.own_err), (0, f"sum={(n + 2) * sum(range(5, 105))}\n", ""), "status, stdout and stderr")
    has = counts(done)
    same({kind: has[kind] for kind in ("parallel_begin", "parallel_end", "work_begin", "chunk", "work_end", "barrier_begin", "barrier_end")},
         {"parallel_begin": 3, "parallel_end": 3, "work_begin": 2, "chunk": 2, "work_end": 2, "barrier_begin": 4, "barrier_end": 4}, "records")
    # Refused events: four of each region, and the call that switches measurement off.
    same([r.value for thread in records(done).values() for r in thread if r.name == "gap"], [4 * n + 1, 1], "events that gaps count")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    check_well_formed(Trace(done.trace))


@pytest.mark.parametrize("java", JAVAS)
def test_level_jvm_has_no_constructs(java):
    has = counts(traced(java, 2, "LU", "8", convert="0", level="jvm"))
    same(has["parallel_begin"], 0, "parallel regions")


def ask(*arguments):
    done = heddle(*arguments, "--json")
    same((done.status, done.err), (0, ""), f"heddle {arguments[0]}")
    return json.loads(done.out)


@pytest.mark.parametrize("java", JAVAS)
def test_a_critical_section_that_was_waited_for_has_its_name(java):
    done = traced(java, 2, "Constructs", "NamedCritical", level="jvm,jomp")
    same((done.status, done.out), (0, "NamedCritical sum=1 threads=2\n"), "status and stdout")
    trace = Trace(done.trace)
    check_well_formed(trace)
    answer = ask("locks", done.trace)
    named = [l for l in answer["locks"] if l["name"] == "critical (table \u00e4)"]
    same([(l["kind"], l["acquired"], l["waited"]) for l in named], [("critical", 2, 1)], "the section")
    threads = {t["thread_name"]: t for t in answer["threads"] if t["lock"] == named[0]["lock"]}
    same({name: (t["acquired"], t["waited"]) for name, t in threads.items()}, {"thread 0": (1, 0), "thread 1": (1, 1)}, "who acquired it, and waited")
    same(threads["thread 0"]["others_waited"]["ticks"], threads["thread 1"]["wait"]["ticks"], "what the holder is held responsible for")
    with open(os.path.join(SOURCE, "..", "programs", "jomp", "Constructs.java"), encoding="utf-8") as source:
        lines = [number for number, line in enumerate(source, 1) if 'getLockByName("table' in line]
    places = {p["place"]: (p["acquired"], p["waited"]) for p in answer["places"] if p["lock"] == named[0]["lock"]}
    same(places, {f"//omp critical @Constructs.java:{line}": (1, number) for number, line in enumerate(lines)}, "where")
    rows = ask("states", "--by", "region", done.trace)["constructs"]
    waits = [row for row in rows if row["construct"] == f"//omp critical @Constructs.java:{lines[1]}"]
    check(sum(row["synch_mutex"]["ticks"] for row in waits) > 0, f"the wait is no SYNCH: {waits}")


@pytest.mark.parametrize("java", JAVAS)
def test_states_and_imbalance_of_a_known_program(java):
    """
    In 5 regions thread 0 is busy 10 ms, thread 1 20 ms, by the clock. The machine's delays make these times longer, never
    shorter.
    """
    done = traced(java, 2, "Imbalanced")
    trace = Trace(done.trace)
    check_well_formed(trace)
    worker = next(l for l in trace.locations if l.name == "thread 1")
    same(worker.properties["HEDDLE::THREAD_TYPE"], "worker", "what thread 1 is")
    threads = {t["thread"]: t for t in ask("states", done.trace)["threads"]}
    of_master, of_worker = (threads[l.definition._ref] for l in (trace.locations[0], worker))
    check(of_worker["idle"]["ticks"] > 0, "the worker is never idle, though it lives before the first region")
    check(of_worker["run"]["seconds"] >= 0.1, f"thread 1 runs {of_worker['run']['seconds']} s of 0.1")
    check(of_master["overhead"]["ticks"] > 0, "creating the teams is no overhead of the master")
    for thread in (of_worker, of_master):
        sums = sum(thread[s]["ticks"] for s in STATES if s in thread)
        same(sums, thread["lifetime"]["ticks"], f"sum of the states of {thread['thread_name']}")
    check(of_master["run"]["seconds"] >= 0.05, f"thread 0 runs {of_master['run']['seconds']} s of 0.05")
    loop = next(c for c in ask("imbalance", done.trace)["constructs"] if c["construct"].startswith("//omp for"))
    same(loop["executions"], 5, "executions of the loop")
    same((loop["schedule"], loop["chunks"], loop["iterations"]), ("static", 10, 10), "what is known of the loop")
    check(loop["busy_max"]["seconds"] >= 0.1, f"the busiest thread is busy {loop['busy_max']['seconds']} s of 0.1")


@pytest.mark.parametrize("java", JAVAS)
def test_waits_in_a_barrier_are_the_barriers_or_the_threads(java):
    """By default JOMP's barriers have the time of the yields inside of them; at the level of threads the yields have it."""
    done = traced(java, 2, "Imbalanced", level="jvm,jomp")
    model, threads = (ask("states", "--by", "region", "--level", level, done.trace)["constructs"] for level in ("model", "threads"))

    def ticks(rows, begins, *states):
        return sum(row[state]["ticks"] for row in rows if row["construct"].startswith(begins) for state in states if state in row)

    of_model = [state for state in model[0] if state in ("idle", "overhead") or state.startswith("synch")]
    check("synch_implicit_barrier" in of_model, f"states: {list(model[0])}")
    yields = ("Thread.yield", "Object.wait")
    same(ticks(model, yields, *of_model), 0, "ticks of the model's states at waits")
    same(ticks(threads, "", *of_model), 0, "ticks of the model's states at the level of threads")
    check(ticks(model, "//omp implicit barrier", "synch_implicit_barrier") > 0, "no barrier has waits")
    check(ticks(threads, yields, "spin", "blocked_condvar") > ticks(model, yields, "spin", "blocked_condvar"), "waits have no time of the barriers'")
    same(ticks(threads, "", "time"), ticks(model, "", "time"), "ticks of all")
    for level in ("model", "threads"):
        for thread in ask("states", "--level", level, done.trace)["threads"]:
            same(sum(thread[s]["ticks"] for s in STATES if s in thread), thread["lifetime"]["ticks"], f"{level}: sum of the states of {thread['thread_name']}")


def test_vite_opens_it():
    """Threads whose names are numbers are others' numbers for it."""
    if not shutil.which("vite") or not shutil.which("xvfb-run"):
        pytest.skip("vite or xvfb-run is not installed")
    done = traced(min(JAVAS), 2, "Imbalanced")
    picture = os.path.join(directory(), "jomp.png")
    said = run(["xvfb-run", "-a", "vite", "-e", picture, os.path.join(done.trace, "traces.otf2")])
    check("Assertion" not in said.out + said.err and os.path.exists(picture), f"vite: {(said.out + said.err)[-500:]}")
