"""
What Java threads do and wait for, on every JDK that is here. Some programs say themselves what they did (tests/programs/java),
others end in every way there is.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile

import pytest

from harness import BUILD, PROGRAMS, TIMEOUT, Run, check, directory, environment, heddle, holds_mostly, jdks, until_it_happens
from harness import process_directories, record, run, same, until_it_happens
from trace import Trace, check_well_formed, read_by_otf2_print
import raw

AGENT = os.path.join(BUILD, "lib", "libheddle-jvmti.so")
CLASSES = os.path.join(PROGRAMS, "java")
JDKS = jdks()
WAITS = ("monitor enter", "lock", "Object.wait", "park", "Thread.sleep", "Thread.join", "idle")

STATES = ("run", "idle", "overhead", "synch", "init", "blocked_mutex", "blocked_condvar", "spin", "gc", "traceflush", "unmeasured", "ready", "off")

Wait = collections.namedtuple("Wait", "region line ticks")


def command(jdk, *arguments, options=()):
    return [JDKS[jdk], *options, "-cp", CLASSES, *map(str, arguments)]


def traced(jdk, *arguments, options=(), **settings):
    """Runs a program under heddle record; it does what it does without."""
    done = record(command(jdk, *arguments, options=options), **settings)
    same((done.status, done.own_err), (0, ""), "status and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    return done, trace


def spans_of_program(trace, location):
    """Without waits at a thread's end: JDK 17 has it leave its group, and threads that end at once wait for each other there."""
    return [span for span in trace.spans(location) if "@ThreadGroup.java:" not in span[0].name]


def waits(trace, location):
    """What a thread waited for, as the archive has it; the JDK may park several times for one wait of the program's."""
    result = []
    for region, enter, leave in spans_of_program(trace, location):
        name, _, place = region.name.partition(" @")
        if name not in WAITS:
            continue
        for how in ("timed out", "interrupted"):
            if leave.attributes.get(how):
                name += " " + how
        wait = Wait(name, place, leave.time - enter.time)
        if result and result[-1].line == place and name in ("park", "lock"):
            wait = Wait(name, place, wait.ticks + result.pop().ticks)
        result.append(wait)
    return result


def locations(trace, thread_type):
    return [l for l in trace.locations if l.properties.get("HEDDLE::THREAD_TYPE") == thread_type]


def by_name(trace, name):
    found = [l for l in trace.locations if l.name == name]
    same(len(found), 1, f"threads with the name {name}")
    return found[0]


@pytest.mark.parametrize("jdk", JDKS)
def test_every_wait_is_there_as_long_as_it_was(jdk):
    done, trace = traced(jdk, "Waits", 5)
    did = collections.defaultdict(list)
    for line in done.out.splitlines():
        thread, region, number, ns = line.removeprefix("did: ").split("|")
        did[thread].append((region, f"Waits.java:{number}", int(ns)))
    check(len(did) == 5 * 8, f"{len(did)} threads say what they did")
    late = []
    for thread, truth in did.items():
        shown = waits(trace, by_name(trace, thread))
        same([(w.region, w.line) for w in shown], [t[:2] for t in truth], f"the waits of {thread}")
        for wait, (_, line, ns) in zip(shown, truth):
            shown_ns = wait.ticks * 10 ** 9 / trace.ticks_per_second
            check(shown_ns <= ns + 20000, f"{thread}, {line}: {shown_ns:.0f} ns in the trace, {ns} ns in the program")
            late.append(ns - shown_ns)
    # Where another program had the processor between the program's own look at the clock and the wait, it is not our error.
    late.sort()
    check(late[len(late) // 2] < 1e6, f"half of the waits are {late[len(late) // 2]:.0f} ns shorter than the program measured, or more")


@pytest.mark.parametrize("jdk", JDKS)
def test_executors_threads_without_work_are_idle(jdk):
    """What a task waits for is no idleness; and who gives work is on the critical path of the thread that gets it."""
    rounds = 4
    done, trace = traced(jdk, "Pool", rounds)
    rows = {row["thread_name"]: row for row in json.loads(heddle("states", "--json", done.trace).out)["threads"]}
    for name in ("fixed", "cached", "scheduled"):
        kinds = collections.Counter(w.region.split(" ")[0] + " @" + w.line.split(":")[0] for w in waits(trace, by_name(trace, name)))
        check(kinds["idle @ThreadPoolExecutor.java"] >= rounds and not [k for k in kinds if k.startswith("park @") and k[6:] not in ("", "Pool.java")], f"{name} waits: {kinds}")
        same(kinds["park @Pool.java"], rounds, f"waits of the tasks of {name}")
        check(rows[name]["idle"]["seconds"] >= (rounds - 1) * 0.03, f"{name} had no work for {rows[name]['idle']}")
    places = [w["place"] for w in json.loads(heddle("waits", "--json", done.trace).out)["waits"]]
    check(not [place for place in places if place.startswith("idle")], f"idleness is no wait: {places}")
    path = json.loads(heddle("critical-path", "--json", done.trace).out)
    check({"fixed", "cached", "scheduled"} & {part["thread_name"] for part in path["parts"]}, "tasks are on the critical path")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_wait_has_its_object(jdk):
    _, trace = traced(jdk, "Waits", 2)
    locks = "java.util.concurrent.locks."
    wanted = {"enter 0": ('java.lang.Object "Waits.monitor"',), "join 1": ('java.lang.Thread "Truth.thread"',), "lock 0": (f'{locks}ReentrantLock$NonfairSync "Waits.lock"',),
              "condition 1": (f'{locks}AbstractQueuedSynchronizer$ConditionObject "Waits.condition"', f"{locks}AbstractQueuedSynchronizer$ConditionObject")}
    for name, class_names in wanted.items():
        found = [e.attributes for _, e, _ in trace.spans(by_name(trace, name)) if not e.attributes.get("object class", "file ").startswith("file ")]  # nor a class that is read
        check(found and all(a["object class"] in class_names and a["object"] for a in found), f"objects of {name}: {found}")
    entered = {e.attributes["object"] for n in range(2) for _, e, _ in trace.spans(by_name(trace, f"enter {n}"))
               if "object" in e.attributes}
    same(len(entered), 1, "identities of one monitor")


@pytest.mark.parametrize("jdk", JDKS)
def test_objects_of_one_hash_keep_their_classes(jdk):
    """A JVM in which all objects have the same identity hash."""
    _, trace = traced(jdk, "Hashes", 5, options=["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2"])
    found = [(e.attributes["object"], e.attributes["object class"]) for r, e, _ in trace.spans(by_name(trace, "main"))
             if r.name.startswith("notify @Hashes.java") or r.name == "notify"]
    same(len({hash for hash, _ in found}), 1, "identity hashes")
    same([name for _, name in found], 5 * ["Hashes$First", "Hashes$Second"], "classes of the objects")


@pytest.mark.parametrize("jdk", JDKS)
def test_of_many_threads_each_timeout_is_told(jdk):
    threads, times = 100, 3
    _, trace = traced(jdk, "Timeouts", threads, times)
    for number in range(threads):
        found = [name for name, *_ in waits(trace, by_name(trace, f"waits {number}")) if name.startswith("Object.wait")]
        same(found, times * ["Object.wait timed out", "Object.wait"], f"waits of thread {number}")


def blocked_at_the_monitor(jdk, n, **settings):
    _, trace = traced(jdk, "Waits", n, **settings)
    found = [e.attributes for i in range(n) for r, e, _ in spans_of_program(trace, by_name(trace, f"enter {i}")) if r.name.startswith("monitor enter")]
    same(len(found), n, "blocked at the monitor")
    return trace, found


@pytest.mark.parametrize("jdk", JDKS)
def test_owners_and_callers_are_told_when_asked(jdk):
    def told():
        """The main thread has the monitor, and sleeps in Truth.java. Others may have the processor until it has given it up."""
        trace, found = blocked_at_the_monitor(jdk, 5, HEDDLE_JAVA="owner=on,stack=3")
        main_id = int(by_name(trace, "main").properties["HEDDLE::JAVA_ID"])
        same({a["owner"] for a in found if "owner" in a} - {main_id}, set(), "owners beside the main thread")
        places = [a["owner at"].name for a in found if "owner at" in a]
        check(all("@Truth.java:" in place or "@Waits.java:" in place for place in places), f"places of the main thread: {places}")
        for attributes in found:
            callers = attributes.get("callers", "").split(" < ")
            check(len(callers) == 2 and callers[1].startswith("Truth.lambda$new$0 (Truth.java:"), f"callers: {callers}")
        return True if any("owner" in a and "@Truth.java:" in a["owner at"].name for a in found if "owner at" in a) else None

    until_it_happens(told, "is the owner asked for while it has the monitor")
    _, found = blocked_at_the_monitor(jdk, 5, HEDDLE_JAVA="owner=off")
    check(not any("owner" in a or "callers" in a for a in found), "told without having been asked")


@pytest.mark.parametrize("jdk", JDKS)
def test_owners_of_waits_that_last_are_told_by_default(jdk):
    """Each worker waits for the main thread for some milliseconds: to ask in time takes a processor."""
    def told():
        trace, found = blocked_at_the_monitor(jdk, 5)
        main_id = int(by_name(trace, "main").properties["HEDDLE::JAVA_ID"])
        same({a["owner"] for a in found if "owner" in a} - {main_id}, set(), "owners beside the main thread")
        return True if any("owner" in a for a in found) else None

    until_it_happens(told, "was an owner asked for in time")


def rounds_at_the_monitor(trace, rounds, workers):
    """
    The waits of each round, (enter, leave); None where not all of them had begun before the main thread released the monitor.
    """
    spans = [[(enter.time, leave.time) for worker in range(workers)
              for r, enter, leave in spans_of_program(trace, by_name(trace, f"round {number} worker {worker}")) if r.name.startswith("monitor enter")]
             for number in range(rounds)]
    same([len(s) for s in spans], rounds * [workers], "waits of each round")
    together = all(max(enter for enter, _ in s) < min(leave for _, leave in s) for s in spans)
    return spans if together else None


@pytest.mark.parametrize("jdk", JDKS)
def test_holds_that_others_waited_for_are_as_long_as_they_were(jdk):
    rounds, workers = 4, 5

    def seen():
        """Who has the monitor is asked for every 10 ms at most: where a round begins earlier, it is taken for its last owner's."""
        done, trace = traced(jdk, "Holds", rounds, workers, HEDDLE_JAVA="owner=on")
        spans = rounds_at_the_monitor(trace, rounds, workers)
        said = heddle("locks", "--json", done.trace)
        same((said.status, said.err), (0, ""), "heddle locks")
        answer = json.loads(said.out)
        place = next(p["lock"] for p in answer["places"] if p["place"].startswith("monitor enter @Holds.java:"))
        threads = {t["thread_name"]: t for t in answer["threads"] if t["lock"] == place}
        lock = next(l for l in answer["locks"] if l["lock"] == place)
        return (done, trace, spans, lock, threads) if spans and threads["main"]["holds"] == rounds else None

    done, trace, spans, lock, threads = until_it_happens(seen, "do all workers wait at once, and is the owner asked for in each round")
    truth = [line.removeprefix("held: ").split("|") for line in done.out.splitlines()]
    same(len(truth), rounds * (workers - 1), "holds that the program tells of")
    same((lock["waited"], lock["holds"], lock["held"]), (rounds * workers, rounds * workers, None), "waits and holds")

    def check_seen(row, least, most, who):
        """The trace's hold begins behind the last look of the one before, and ends before the first look of the next one."""
        ns = row["held_seen"]["seconds"] * 1e9
        check(least * 0.9999 - 1000 <= ns <= most * 1.0001 + 1000, f"{who} held it {least:.0f} to {most:.0f} ns, in the trace {ns:.0f} ns")

    for name, least, most in truth:
        same(threads[name]["holds"], 1, f"holds of {name}")
        check_seen(threads[name], int(least), int(most), name)
    same(sum(t["holds"] for name, t in threads.items() if name != "main"), len(truth), "holds of the workers")
    # The main thread's is seen from when the first one waits for it until somebody else has it.
    ticks = [min(leave for _, leave in s) - min(enter for enter, _ in s) for s in spans]
    main_ns = sum(ticks) * 1e9 / trace.ticks_per_second
    check_seen(lock, main_ns + sum(int(least) for _, least, _ in truth), main_ns + sum(int(most) for *_, most in truth), "all")
    check_seen(threads["main"], main_ns, main_ns, "main")


def monitors_held(done):
    """What `heddle locks` says of monitors, by class."""
    said = heddle("locks", "--json", done.trace)
    same((said.status, said.err), (0, ""), "heddle locks")
    return {l["name"].split("@")[0]: l for l in json.loads(said.out)["locks"] if l["kind"] == "monitor"}


def check_held(done, rounds):
    """Each monitor is held so often, and as long as the program says: between what it saw inside and what it saw outside."""
    held = monitors_held(done)
    truth = [line.removeprefix("held: ").split("|") for line in done.out.splitlines() if line.startswith("held: ")][-4:]
    same({name: int(times) for name, times, _, _ in truth},
         {"Monitors$Block": 4 * rounds, "Monitors$Waited": rounds, "Monitors": 2 * rounds, "Monitors.class": 3 * rounds}, "holds")
    for name, times, least, most in truth:
        same(held[name]["acquired"], int(times), f"{name} was acquired")
        ns = held[name]["held"]["seconds"] * 1e9
        check(int(least) * 0.9999 - 1000 <= ns <= int(most) * 1.0001 + 1000, f"{name} held {ns:.0f} ns, not {least} to {most}")


def held_in_sequence(done):
    """How long each lock was held in what `heddle pes` makes of the trace. At most ten threads: T0 is one."""
    said = heddle("pes", "--component", "lock", "--json", done.trace)
    same((said.status, said.err), (0, ""), "heddle pes")
    held = collections.Counter()
    for state in json.loads(said.out)["state_list"]:
        for i, value in enumerate(re.findall(r"F|T\d", state["name"])):
            held[i] += state["time"]["ticks"] if value != "F" else 0
    return sorted(held.values())


@pytest.mark.parametrize("jdk", JDKS)
def test_with_hold_each_hold_is_as_long_as_it_was(jdk):
    done, _ = traced(jdk, "Monitors", 5, options=["-Xverify:all"] if "17" in jdk else [], HEDDLE_JAVA="hold=Monitors*")
    check_held(done, 5)
    same(held_in_sequence(done), sorted(l["held"]["ticks"] for l in monitors_held(done).values()), "holds in heddle pes")


# To compile all that a JVM runs at its start takes most of a minute.
CODE = {"interpreted": ["-Xint"], "mixed": ["-Xcheck:jni"],
        "compiled": ["-Xcomp", "-XX:CompileCommand=quiet", "-XX:CompileCommand=compileonly,Monitors.*"]}


@pytest.mark.parametrize("case", [f"{jdk}.{how}" for jdk in JDKS for how in CODE])
def test_with_hold_monitors_are_given_up_when_the_stack_overflows(case):
    jdk, how = case.rsplit(".", 1)
    done, trace = traced(jdk, "Monitors", 1, "deep", options=CODE[how], HEDDLE_JAVA="hold=Monitors*")
    same(done.out.splitlines()[0], "overflow", "stdout")
    main_thread = by_name(trace, "main")
    counts = collections.Counter()
    for event in main_thread.events:
        if event.kind in ("ThreadAcquireLock", "ThreadReleaseLock"):
            counts[event.kind, event.event.lock_id] += 1
    locks = {lock for _, lock in counts}
    check(len(locks) >= 5, f"{len(locks)} locks")
    for lock in locks:
        same(counts["ThreadAcquireLock", lock], counts["ThreadReleaseLock", lock], f"acquisitions and releases of lock {lock}")


@pytest.mark.parametrize("jdk", JDKS)
def test_with_hold_a_class_can_be_redefined(jdk):
    jar = os.path.join(directory(), "redefine.jar")
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Premain-Class: Redefine\nCan-Redefine-Classes: true\n")
    done, trace = traced(jdk, "Redefine", 2, options=[f"-javaagent:{jar}"], HEDDLE_JAVA="hold=Monitors*")
    held = [e for e in by_name(trace, "main").of_kind("Enter") if e.region.name.startswith("monitor held @Monitors.java:")
            and e.attributes["object class"] == "Monitors$Waited"]
    same(len(held), 3, "holds before and after")


@pytest.mark.parametrize("jdk", JDKS)
def test_with_hold_monitors_have_their_class_without_waits(jdk):
    done, _ = traced(jdk, "Holds", 2, 2, HEDDLE_JAVA="level=jomp,hold=Holds")
    check("java.lang.Object" in monitors_held(done), f"monitors: {monitors_held(done)}")


@pytest.mark.parametrize("jdk", JDKS)
def test_with_hold_a_monitor_has_one_holder_at_a_time(jdk):
    rounds, workers = 3, 4
    done, trace = traced(jdk, "Holds", rounds, workers, HEDDLE_JAVA="hold=nothing:Holds")
    lock = monitors_held(done)['java.lang.Object "Holds.monitor"']
    same((lock["acquired"], lock["waited"]), (rounds * (workers + 1), rounds * workers), "acquisitions and waits")
    holds = []
    for location in trace.locations:
        begin = {}
        for event in location.events:
            if event.kind == "ThreadAcquireLock":
                begin[event.event.lock_id] = event.time
            elif event.kind == "ThreadReleaseLock":
                holds.append((begin.pop(event.event.lock_id), event.time, event.event.lock_id))
        same(begin, {}, f"held at the end of {location.name}")
    same((len(holds), len({lock for _, _, lock in holds})), (rounds * (workers + 1), 1), "holds and locks in the archive")
    holds.sort()
    check(all(a[1] <= b[0] for a, b in zip(holds, holds[1:])), f"two hold it at once: {holds}")


@pytest.mark.parametrize("jdk", JDKS)
def test_notes_and_yields_are_counted(jdk):
    n = 3000
    done, trace = traced(jdk, "Notes", n)
    truths = done.truths()
    source = by_name(trace, "source renamed \u00e4\U0001f600")
    same(source.properties["HEDDLE::JAVA_ID"], truths["source"], "its id")
    counts = collections.Counter(e.region.name.split(" @")[0] for e in source.of_kind("Enter"))
    same({k: counts[k] for k in ("notify", "notifyAll", "unpark", "interrupt")},
         {"notify": n, "notifyAll": n, "unpark": n, "interrupt": n}, "notes")
    same({e.attributes["thread"] for e in source.of_kind("Enter") if e.region.name == "unpark"}, {truths["target"]}, "unparked")
    yields = [e.attributes.get("count", 1) for e in source.of_kind("Enter") if e.region.name.startswith("Thread.yield")]
    same(sum(yields), n, "yields")
    check(len(yields) < n / 10, f"{n} yields are {len(yields)} intervals")


@pytest.mark.parametrize("case", [f"{jdk}|{' '.join(options)}" for jdk in JDKS for options in ((), ("-Xverify:all", "-Xint", "-Xcheck:jni"), ("-Xcomp",))])
def test_calls_have_their_lines(case):
    """Calls of the program by their hooks, calls of the JDK by the stack; a note's stack is not looked at."""
    jdk, _, options = case.partition("|")
    plain = run(command(jdk, "Calls"))
    done, trace = traced(jdk, "Calls", options=options.split())
    same(done.out, plain.out, "stdout")
    truth = [tuple(line.split()[1:]) for line in done.out.splitlines() if line.startswith("did: ")]
    check(len(truth) == 1 + 3 * 13, f"{len(truth)} calls")
    bad = "Object.wait", done.out.split()[-1]
    shown = [e.region.name.partition(" @")[::2] for e in by_name(trace, "main").of_kind("Enter")]
    calls = [(name, place.partition(":")[2] or "0") for name, place in shown]
    calls = [c for c in calls if c[0] in ("notify", "notifyAll", "Object.wait", "Thread.sleep") and c != bad]
    if calls[len(truth):] == [("notifyAll", "0")]:  # to threads that wait for the end of this one
        calls.pop()
    same(calls, truth, "calls")


@pytest.mark.parametrize("jdk", JDKS)
def test_neighbours_never_eat_at_once(jdk):
    philosophers, meals = 5, 40
    _, trace = traced(jdk, "Philosophers", philosophers, meals)
    eating = []
    for i in range(philosophers):
        spans = [(e.time, l.time) for r, e, l in trace.spans(by_name(trace, f"philosopher {i}")) if r.name.startswith("Thread.sleep")]
        same(len(spans), meals, f"meals of philosopher {i}")
        eating.append(spans)
    for i in range(philosophers):
        for a in eating[i]:
            for b in eating[(i + 1) % philosophers]:
                check(a[1] <= b[0] or b[1] <= a[0], f"philosopher {i} and the next eat at once: {a}, {b}")


@pytest.mark.parametrize("jdk", JDKS)
def test_lu_by_threads_is_the_same(jdk):
    n, threads = 100, 3
    plain = run(command(jdk, "ThreadLU", n, threads))
    done, trace = traced(jdk, "ThreadLU", n, threads)
    same(done.out, plain.out, "the result")
    lasts = 0
    for t in range(threads):
        spans = spans_of_program(trace, by_name(trace, f"LU {t}"))
        lasts += sum(r.name.startswith("notifyAll") for r, _, _ in spans)
        places = {r.name for r, _, _ in spans if r.name.startswith(("Object.wait", "monitor enter"))}
        same([p for p in places if "@ThreadLU.java:" not in p], [], f"places of thread {t}")
    same(lasts, n, "the last of each step wakes the others")


@pytest.mark.parametrize("jdk", JDKS)
def test_short_threads_are_all_there(jdk):
    """By the raw trace: python3-otf2 takes minutes for so many locations. HEDDLE_TEST_THREADS: how many; ci/soak has 10,000."""
    n = int(os.environ.get("HEDDLE_TEST_THREADS", "3000"))
    done = record(command(jdk, "Many", "threads", n), "--keep-raw")
    same((done.status, done.out, done.own_err), (0, f"done: {n}\n", ""), "status, stdout, stderr")
    (process,) = process_directories(done.trace)
    threads = {text_of(records): records for records in raw.threads(process).values()}
    for i in range(n):
        kinds = [r.name for r in threads[f"short {i}"]]
        same((kinds[0], kinds[-1], kinds.count("java_thread")), ("thread_begin", "thread_end", 1), f"records of short {i}")
    started = {r.words[0] for r in threads["main"] if r.name == "java_start"}
    check(all(r.value in started for i in range(n) for r in threads[f"short {i}"] if r.name == "java_thread"), "starts on main")
    said = heddle("states", "--json", done.trace)
    same((said.status, said.err), (0, ""), "heddle states")
    same(sum(t["thread_name"].startswith("short ") for t in json.loads(said.out)["threads"]), n, "short threads in the archive")


def text_of(records):
    """The name that a thread has last."""
    texts = [b"".join(word.to_bytes(8, "little") for word in r.words)[:r.value & 0xffff].decode()
             for r in records if r.name == "thread_text" and r.value >> 16 == 1]
    return texts[-1] if texts else None


@pytest.mark.parametrize("jdk", JDKS)
def test_states_add_up_to_lifetimes(jdk):
    done, trace = traced(jdk, "Waits", 1)
    said = heddle("states", "--json", "--jvm-threads", done.trace)
    same((said.status, said.err), (0, ""), "heddle states")
    threads = [t for t in json.loads(said.out)["threads"] if t["thread"] is not None]
    same(len(threads), len(trace.locations), "threads")
    for thread, location in zip(threads, trace.locations):
        same(thread["thread_name"], location.name, "a thread")
        same(thread["lifetime"]["ticks"], location.events[-1].time - location.events[0].time, f"lifetime of {location.name}")
        same(sum(thread[state]["ticks"] for state in STATES if state in thread), thread["lifetime"]["ticks"], f"all states of {location.name}")
        condvar = sum(w.ticks for w in waits(trace, location) if not w.region.startswith(("monitor enter", "lock", "idle")))
        same(thread["blocked_condvar"]["ticks"], condvar, f"BLOCKED IN CONDVAR of {location.name}")
    read_by_otf2_print(done.trace)


@pytest.mark.parametrize("jdk", JDKS)
def test_virtual_threads_are_told_on_their_carriers(jdk):
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    n = 100000
    done, trace = traced(jdk, "Many", "virtual", n)
    same(done.out, f"done: {n}\n", "stdout")
    mounted = {e.attributes["virtual thread"] for l in trace.locations for e in l.of_kind("Enter")
               if e.region.name.startswith("virtual thread")}
    check(len(mounted) >= n, f"{len(mounted)} virtual threads of {n}")
    check(len(trace.locations) < 100, f"{len(trace.locations)} locations")


@pytest.mark.parametrize("jdk", JDKS)
def test_waits_of_virtual_threads_are_as_long_as_they_were(jdk):
    """Where they were unmounted meanwhile. The machine may take a processor between the program's clock and ours."""
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    threads = 20

    def attempt():
        done = record(command(jdk, "VirtualTruth", threads, 2))
        same((done.status, done.own_err), (0, ""), "status and stderr")
        told = dict(line.split() for line in done.out.splitlines())
        if "0" in told.values(): # all threads came too late to wait
            return None
        answer = json.loads(heddle("waits", "--json", done.trace).out)
        locks = json.loads(heddle("locks", "--json", done.trace).out)["locks"]
        found = collections.Counter()
        for wait in answer["waits"]:
            if (wait["function"] or "").startswith("VirtualTruth."):
                found[wait["function"].split(".")[1]] += wait["time"]["seconds"] * 1e9
        for name, ns in told.items():
            check(found[name] > 0, f"no wait in {name}")
        same({lock["kind"] for lock in locks} >= {"Java lock", "monitor"}, True, "both locks are there")
        far = {name: (found[name], ns) for name, ns in told.items()
               if abs(found[name] - int(ns)) > max(0.02 * int(ns), 20000 * threads)}
        return not far
    holds_mostly(attempt, "the waits are as long as the program measures them")


@pytest.mark.parametrize("jdk", JDKS)
def test_who_wakes_virtual_threads_is_known(jdk):
    """
    Each park ends by an unpark of a thread with a name, and goes on after it; the main thread unparks the threads of parks().
    """
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    threads = 20
    done = record(command(jdk, "VirtualTruth", threads, 1, options=["-Xcheck:jni"]))
    same((done.status, done.own_err), (0, ""), "status and stderr")
    answer = json.loads(heddle("waits", "--json", done.trace).out)
    numbers = {w["wait"]: w for w in answer["waits"]}
    ends = collections.defaultdict(list)
    for end in answer["wakers"]:
        wait = numbers[end["wait"]]
        if wait["function"] and not wait["place"].startswith("monitor enter "):  # the JDK has monitors of its own below
            ends[wait["function"].removeprefix("VirtualTruth.")].append(end)
    for method in ("locks", "permits", "parks"):
        check(ends[method], f"no waits in {method}")
        for end in ends[method]:
            check(end["ended_by"] == "thread" and end["at"] == "unpark" and end["woken"]["ticks"] > 0, f"{method}: {end}")
    same([(e["thread_name"], e["times"]) for e in ends["parks"]], [("main", threads)], "who unparked those of parks()")


@pytest.mark.parametrize("jdk", JDKS)
def test_virtual_threads_are_tasks_of_the_line_that_starts_them(jdk):
    """30 of an executor, which run 3 ms each on one carrier; ten that yield, or wait for a monitor; one that starts another one."""
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    done = record(command(jdk, "VirtualTasks", options=["-Djdk.virtualThreadScheduler.parallelism=1", "-Xcheck:jni"]))
    same((done.status, done.own_err), (0, ""), "status and stderr")
    told = done.truths()
    with open(os.path.join(os.path.dirname(__file__), "..", "programs", "java", "VirtualTasks.java"), encoding="utf-8") as file:
        lines = {m[1]: n for n, line in enumerate(file, 1) if (m := re.search(r"// line ([A-F])", line))}
    answer = json.loads(heddle("tasks", "--json", done.trace).out)
    by_line = {row["line"]: row for row in answer["virtual_threads"]}
    wanted = {"A": 30, "B": 10, "C": 1, "D": 1, "E": 1, "F": 10}
    same({line: row["threads"] for line, row in by_line.items()}, {lines[name]: n for name, n in wanted.items()}, "started on which line")
    same({line: row["ended"] for line, row in by_line.items()}, {lines[name]: n for name, n in wanted.items()}, "ended")
    a, b = by_line[lines["A"]], by_line[lines["B"]]
    same(a["mounts"], 60, "on the carrier: before and after its sleep, each")
    check(b["mounts"] >= 10, f"those that yield were mounted {b['mounts']} times")
    # One runs after the other: the last one waits for all others.
    check(29 * 3e-3 <= a["queue_max"]["seconds"] <= told["longest_ns"] / 1e9, f"the longest wait for the carrier: {a['queue_max']}, {told}")
    check(a["run"]["seconds"] >= told["busy_ns"] / 1e9, f"they ran for {a['run']}, {told}")
    same(a["most_alive"], 30, "at one time")
    check(by_line[lines["E"]]["run"]["seconds"] > 0, "the one that kept the carrier ran")
    text = heddle("tasks", done.trace).out
    check("most of these virtual threads waited longer for a carrier than they ran" in text, f"what stands out: {text}")
    check("no tasks but virtual threads" in text, f"the text: {text}")


@pytest.mark.parametrize("jdk", JDKS)
def test_what_pins_virtual_threads_is_named(jdk):
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    done = record(command(jdk, "VirtualPins", 20, options=["-Xcheck:jni", "-Djdk.reflect.useNativeAccessorOnly=true"]))
    same((done.status, done.own_err), (0, ""), "status and stderr")
    answer = json.loads(heddle("waits", "--json", done.trace).out)
    pinned = {row["pinned_by"]: row for row in answer["pinned"]}
    native = "jdk.internal.reflect.DirectMethodHandleAccessor$NativeAccessor.invoke0"
    same(set(pinned), {"VirtualPins$Slow.<clinit>", native}, "what pins")
    same((pinned["VirtualPins$Slow.<clinit>"]["file"], pinned["VirtualPins$Slow.<clinit>"]["line"]), ("VirtualPins.java", 16), "the line of the initializer")
    for name, row in pinned.items():
        check(row["time"]["seconds"] >= 0.0199, f"{name}: {row}")
    (place,) = {row["wait"] for row in answer["pinned"]}
    wait = next(w for w in answer["waits"] if w["wait"] == place)
    check(wait["function"] == "VirtualPins.park" and wait["times"] > sum(row["times"] for row in pinned.values()), f"the wait: {wait}, {pinned}")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_virtual_thread_that_keeps_its_carrier_waits_on_it_for_a_monitor(jdk):
    """The JVM says that the carrier lets go of it, and then that it does not."""
    if "17" in jdk:
        pytest.skip("this JDK has no virtual threads")
    done = record(command(jdk, "VirtualPins", 20, "monitors", options=["-Xcheck:jni", "-Djdk.reflect.useNativeAccessorOnly=true"]))
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check_well_formed(Trace(done.trace))
    answer = json.loads(heddle("waits", "--json", done.trace).out)
    wait = next(w for w in answer["waits"] if w["function"] == "VirtualPins.enter")
    check(wait["time"]["seconds"] >= 2 * 0.0199, f"two waits of 20 ms: {wait}")
    pinned = {row["pinned_by"]: row for row in answer["pinned"]}
    same(set(pinned), {"jdk.internal.reflect.DirectMethodHandleAccessor$NativeAccessor.invoke0"}, "what pins")
    row, = pinned.values()
    check(row["wait"] == wait["wait"] and row["time"]["seconds"] >= 0.0199, f"the wait that kept its carrier: {row}")


@pytest.mark.parametrize("jdk", JDKS)
def test_classes_may_be_unloaded(jdk):
    n = 300
    done, trace = traced(jdk, "Many", "classes", n)
    same(done.out, f"done: {n}\n", "stdout")
    found = [w for w in waits(trace, by_name(trace, "main")) if w.region.startswith("Object.wait")]
    same(len(found), n, "waits")
    same({w.line.split(":")[0] for w in found}, {"Many.java"}, "where")


COLLECTORS = ["Serial", "Parallel", "G1", "Z"]


@pytest.mark.parametrize("case", [f"{jdk}.{gc}" for jdk in JDKS for gc in COLLECTORS])
def test_collections_are_pauses(case):
    jdk, gc = case.rsplit(".", 1)
    done, trace = traced(jdk, "Many", "collections", 20, options=[f"-XX:+Use{gc}GC", "-Xmx128m", "-Xcheck:jni"])
    same(done.out, "done: 20\n", "stdout")
    pauses = [e for l in locations(trace, "jvm") for e in l.of_kind("Enter") if e.region.name == "garbage collection"]
    check(len(pauses) >= 20, f"{len(pauses)} pauses")


def plain_and_traced(java, preexec=None, **settings):
    """A program without us and with us: status, stdout and stderr are the same. Not the addresses in them."""
    plain = run(java, preexec=preexec)
    trace = os.path.join(directory(), "run.heddle")
    done = record(java, "--no-convert", **settings)
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    return done


def convert(done, threads):
    """The raw trace is whole, and these threads are in it."""
    said = heddle("convert", done.trace)
    same(said.status, 0, f"heddle convert ({said.err})")
    trace = Trace(done.trace)
    check_well_formed(trace)
    for name in threads:
        by_name(trace, name)
    return trace


@pytest.mark.parametrize("case", [f"{jdk}.{how}" for jdk in JDKS for how in ("return", "exit", "halt", "throw", "memory", "stack", "hook")])
def test_ends_as_without_us(case):
    jdk, how = case.rsplit(".", 1)
    done = plain_and_traced(command(jdk, "Endings", how, options=["-Xmx64m", "-Xcheck:jni"]))
    trace = convert(done, ["blocked", "waiting", "sleeping", "busy"])
    (enter,) = [r.name for r, _, _ in trace.spans(by_name(trace, "blocked")) if r.name.startswith("monitor enter")]
    check("@Endings.java:" in enter, f"where it is blocked: {enter}")


@pytest.mark.parametrize("case", [f"{jdk}.{name}" for jdk in JDKS for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")])
def test_a_signal_ends_it_as_without_us(case):
    jdk, name = case.rsplit(".", 1)
    results = []
    for with_us in (False, True):
        trace = os.path.join(directory(), "run.heddle")
        options = [f"-agentpath:{AGENT}"] if with_us else []
        process = subprocess.Popen(command(jdk, "Endings", "signal", options=options), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment(HEDDLE_DIR=trace, HEDDLE_CONVERT="0"))
        lines = [process.stdout.readline() for _ in range(2)]
        time.sleep(0.1)
        process.send_signal(getattr(signal, name))
        out, err = process.communicate(timeout=TIMEOUT)
        results.append((process.returncode, lines, out, err))
    same(results[1], results[0], "status, stdout, stderr")
    convert(Run(process, out, err, trace), ["main", "blocked", "sleeping", "busy"])


# Each ending so often, one run after the other; HEDDLE_JAVA_RUNS=100 for an afternoon.
RUNS = int(os.environ.get("HEDDLE_JAVA_RUNS", "5"))
STATUS = {"return": 0, "exit": 3, "halt": 4, "hook": 5, "throw": 1, "memory": 1, "stack": 1, "SIGTERM": 143, "SIGKILL": 137}


def end_again_and_again(case, *endings):
    """RUNS times each of the endings, on one JDK: every JVM ends as it should, none crashes, the last raw trace is whole."""
    for how in endings:
        for i in range(RUNS):
            trace = os.path.join(directory(), "run.heddle")
            by_signal = how.startswith("SIG")
            process = subprocess.Popen(command(case, "Endings", "signal" if by_signal else how,
                                               options=["-Xmx64m", f"-agentpath:{AGENT}", "-XX:ErrorFile=" + trace + ".crash"]),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env=environment(HEDDLE_DIR=trace, HEDDLE_CONVERT="0"))
            lines = [process.stdout.readline() for _ in range(2 if by_signal else 0)]
            if by_signal:
                time.sleep(i % 10 / 1000)
                process.send_signal(getattr(signal, how))
            out, err = process.communicate(timeout=TIMEOUT)
            done = Run(process, out, err, trace)
            says = f"run {i + 1} of {how}"
            same(("".join(lines) + out).splitlines()[:1], ["all wait"], f"stdout, {says}")
            same((done.status, os.path.exists(trace + ".crash")), (STATUS[how], False), f"status and crash, {says}: {err}")
            if i == RUNS - 1:
                convert(done, ["main", "blocked", "sleeping", "busy"])
            shutil.rmtree(trace)


@pytest.mark.parametrize("jdk", JDKS)
def test_endings_never_crash(jdk):
    end_again_and_again(jdk, "return", "exit", "halt", "hook")


@pytest.mark.parametrize("jdk", JDKS)
def test_errors_never_crash(jdk):
    end_again_and_again(jdk, "throw", "memory", "stack")


@pytest.mark.parametrize("jdk", JDKS)
def test_signals_never_crash(jdk):
    end_again_and_again(jdk, "SIGTERM", "SIGKILL")


@pytest.mark.parametrize("jdk", JDKS)
def test_an_agent_that_comes_late_sees_what_was_bound_before(jdk):
    """For a moment alone: the busy thread fills the trace. A JVM that needs longer to come to it has longer."""
    seconds = [0.05, 0.1, 0.2, 0.5, 1, 2]

    def is_seen():
        trace = os.path.join(directory(), "late.heddle")
        process = subprocess.Popen(command(jdk, "Endings", "signal", options=["-Xcheck:jni", "-XX:+EnableDynamicAgentLoading"]),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        try:
            lines = [process.stdout.readline() for _ in range(2)]
            same(heddle("attach", "-o", trace, str(process.pid)).status, 0, "heddle attach")
            time.sleep(seconds.pop(0))
            same(heddle("detach", str(process.pid)).status, 0, "heddle detach")
        finally:
            process.kill()
            out, err = process.communicate(timeout=TIMEOUT)
        same((lines, out, err), (["all wait\n", "ready\n"], "", ""), "stdout and stderr")
        trace = Trace(trace)
        check_well_formed(trace)
        seen = {name: {e.region.name.split(" @")[0] for l in trace.locations if l.name == name for e in l.of_kind("Enter")}
                for name in ("busy", "waiting")}
        print(f"seen: {seen}")
        return True if {"notifyAll", "Thread.yield"} <= seen["busy"] and "Object.wait" in seen["waiting"] else None

    until_it_happens(is_seen, "the busy thread notifies and yields, and the other one waits", runs=len(seconds))


@pytest.mark.parametrize("jdk", JDKS)
def test_a_full_disk_does_not_hurt(jdk):
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk = directory()
    if run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", disk]).status != 0:
        pytest.skip("mounting is not allowed here")
    try:
        plain = run(command(jdk, "Many", "threads", 300))
        done = run(command(jdk, "Many", "threads", 300, options=[f"-agentpath:{AGENT}"]), HEDDLE_DIR=os.path.join(disk, "t"),
                   HEDDLE_CONVERT="0")
        same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
        check(done.tool_err and "space" in done.err, f"nothing is said of the full disk: {done.err!r}")
    finally:
        run(["umount", disk])


def test_options_that_make_no_sense_cost_a_line():
    jdk = min(JDKS)
    plain = run(command(jdk, "Philosophers", 2, 1))
    for text, lines in [("stack=4,level=jvm", 0), ("stack=99", 1), ("nonsense", 1), ("notes=maybe,stack=0", 2), ("level=jvm,jomp,x", 1)]:
        done = record(command(jdk, "Philosophers", 2, 1), "--no-convert", HEDDLE_JAVA=text)
        same((done.status, done.out), (0, plain.out), f"status and stdout with {text}")
        same(len([l for l in done.tool_err if "ignored" in l]), lines, f"lines about {text}: {done.err}")


def test_wrong_options_are_refused_before_the_program_starts():
    jdk = min(JDKS)
    for text, word in [("stack=99", "a number from 1 to 16"), ("nonsense", "hold, internal"), ("level=jvm,notes=maybe", "on or off"), ("sample=2s", "100us to 1s"),
                       ("hold=" + 300 * "a", "255 bytes")]:
        for command_line in (["record", "--java", text, "--", *command(jdk, "Philosophers", 2, 1)], ["attach", "--java", text, str(os.getpid())]):
            done = heddle(*command_line)
            same((done.status, done.out, len(done.err.splitlines())), (2, "", 1), f"{command_line[0]} --java {text}: status, stdout, lines of stderr ({done.err})")
            check(word in done.err and text.split(",")[-1] in done.err, f"{command_line[0]} --java {text}: {done.err}")
    done = heddle("attach", "--java", "hold=com.acme.*", str(os.getpid()))
    same(done.status, 2, f"status of heddle attach --java hold= ({done.err})")
    check("heddle record" in done.err, f"heddle attach --java hold=: {done.err}")


def test_totals_are_those_of_the_programs_threads():
    """The JVM's own threads are in no table and no total, unless they are asked for."""
    done, trace = traced(min(JDKS), "Pool", 1)
    jvms = {location.name for location in locations(trace, "jvm")}
    check(jvms, "the archive has threads of the JVM's")

    def states(*options):
        return {row["thread_name"]: row for row in json.loads(heddle("states", "--json", *options, done.trace).out)["threads"]}

    def lived(rows):
        return sum(row["lifetime"]["ticks"] for thread, row in rows.items() if thread != "all threads")

    rows, with_jvms = states(), states("--jvm-threads")
    same((jvms & set(rows), set(with_jvms) - set(rows)), (set(), jvms), "threads of the JVM's, without and with --jvm-threads")
    for each_row in rows, with_jvms:
        same(each_row["all threads"]["lifetime"]["ticks"], lived(each_row), "lifetime of all threads")
    same(rows["all threads"].get("unmeasured", {"ticks": 0})["ticks"], 0, "UNMEASURED of the program's threads")
    by_region = json.loads(heddle("states", "--json", "--by", "region", done.trace).out)["constructs"]
    same(sum(row["time"]["ticks"] for row in by_region), lived(rows), "time of all constructs")
    one = min(jvms)
    same(json.loads(heddle("states", "--json", "--list", one, done.trace).out)["thread_name"], one, "a thread that is asked for")
    number = str(with_jvms[one]["thread"])
    check(one in states("--only-threads", number), "a thread that --only-threads names")
    same(json.loads(heddle("info", "--json", done.trace).out)["threads"], len(with_jvms) - 1, "threads that heddle info counts")


def test_internal_threads_can_be_left_out():
    jdk = min(JDKS)
    done = record(command(jdk, "Waits", 1), HEDDLE_JAVA="internal=off,notes=off")
    trace = Trace(done.trace)
    same([l.name for l in locations(trace, "jvm") if l.name != "VM Thread"], [], "internal threads")
    same([e.region.name for e in trace.events() if e.kind == "Enter" and e.region.name.startswith(("notify", "unpark", "interrupt"))],
         [], "notes")


def test_off_is_off():
    trace = os.path.join(directory(), "run.heddle")
    done = run(command(min(JDKS), "Philosophers", 2, 1, options=[f"-agentpath:{AGENT}"]), HEDDLE="off", HEDDLE_DIR=trace)
    same((done.status, done.out, done.err, os.path.exists(trace)), (0, "all ate\n", "", False), "status, stdout, stderr, trace")
