"""
Exact calls of Java methods (`heddle record --calls` of a JVM), on every JDK that is here. Programs count their own calls by path,
whatever way methods end.
"""
import collections
import json
import os
import re
import zipfile

import pytest

import trace
from call_sums import Calls, counted
from harness import check, directory, heddle, same
from java import JDKS, command

# What the programs count are calls of body(), by the letter of who calls it.
LETTERS = {"CallTree$Made.<init>": "m", "CallTree$Base.<init>": "t", "CallTree$Default.f_g": "g"}
OWN = "CallTree.*,Made.*,Base.*,Thrown.*,Default.*"  # not what counts
VERIFIED = ["-Xverify:all", "-XX:-StackTraceInThrowable"]


def letter(caller):
    found = re.fullmatch(r"CallTree\.(?:f_([a-f])|lambda\$one\$(\d+))", caller)
    return (found.group(1) or "l") if found else LETTERS[caller]


def calls_by_path(contexts):
    """The calls in one location, or in a tree as printed."""
    calls = collections.Counter()
    for path, n in contexts:
        if path[-1] == "CallTree.body":
            calls["".join(letter(path[i - 1]) for i in range(1, len(path)) if path[i] == "CallTree.body")] += n
    return calls


def recorded(jdk, which, *arguments, options=(), err="", **settings):
    """A run under `heddle record --calls`; it does what it does without."""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", which, "-o", directory_, "--", *command(jdk, *arguments, options=[*VERIFIED, *options]), **settings)
    said = [line for line in done.err.splitlines() if " the archive is in " not in line and not line.startswith("OpenJDK 64-Bit Server VM warning")]
    same((done.status, re.sub(r"[0-9]+", "N", "\n".join(said))), (0, err), "status and messages")
    calls = Calls(directory_)
    calls.are_whole()
    calls.directory = directory_
    return done, calls


def sums_of(calls, function):
    return [s for _, _, contexts in calls.locations for path, several in contexts.items() if path[-1] == function for s in several]


def number_of(calls, function):
    return sum(s.calls for s in sums_of(calls, function))


def threads_of(calls):
    return {name: calls_by_path((path, sum(s.calls for s in several)) for path, several in contexts.items()) for name, _, contexts in calls.locations}


def same_as_counted(done, threads):
    own = counted(done.out)
    check(own, "the program counted nothing")
    for name, paths in own.items():
        different = {p: (threads[name][p], paths[p]) for p in set(threads[name]) | set(paths) if threads[name][p] != paths[p]}
        check(not different, f"{name}: {len(different)} of {len(paths)} paths differ: {list(different.items())[:10]}")
    return own


@pytest.mark.parametrize("jdk", JDKS)
def test_each_path_of_a_random_tree_is_exact(jdk):
    done, calls = recorded(jdk, f"--calls={OWN}", "CallTree", 1, 1000000, 1, 4)
    paths = same_as_counted(done, threads_of(calls))["random-0"]
    check(len(paths) > 10000 and sum(paths.values()) >= 1000000, f"{sum(paths.values())} calls in {len(paths)} paths")
    check({letter for path in paths for letter in path} == set("abcdefglmt"), "each way to call was taken")


@pytest.mark.parametrize("jdk", JDKS)
def test_each_path_of_several_threads_is_exact(jdk):
    """Methods in and below themselves are deep here; and all commands have the same calls under the methods' names."""
    done, calls = recorded(jdk, "--calls=@CallTree.java", "CallTree", 5, 500, 4, 11)
    same(len(same_as_counted(done, threads_of(calls))), 4, "threads")
    own = sum(counted(done.out).values(), collections.Counter())
    folded = heddle("export", "--to", "folded", "--trigger", "calls", "-o", "-", calls.directory)
    stacks = [line.rpartition(" ") for line in folded.out.splitlines()]
    frames = [(stack.split(";"), int(n)) for stack, _, n in stacks]
    same(calls_by_path((tuple(f for f in names if f.startswith("CallTree")), n) for names, n in frames if names[-1].startswith("CallTree")), own,
         "calls by stack")
    table = heddle("calls", "--csv", "--top", "100", calls.directory)
    check(re.search(r"^CallTree\.body,CallTree\.java,\d+,,\d+,", table.out, re.M), f"the table names methods and places: {table.out[:300]}")
    tree = heddle("calls", "--tree", calls.directory)
    check("CallTree$Made.<init>" in tree.out and "CallTree.lambda$one$" in tree.out, "the tree names methods")


@pytest.mark.parametrize("jdk", JDKS)
def test_each_call_is_in_the_trace(jdk):
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", f"--calls=trace,{OWN}", "-o", directory_, "--", *command(jdk, "CallTree", 2, 3000, 2, 6, options=VERIFIED))
    same(done.status, 0, done.err)
    threads = {}
    for location in trace.Trace(directory_).locations:
        path, found = [], []
        for event in location.of_kind("Enter", "Leave"):
            if not event.region.name.startswith("CallTree"):
                continue
            if event.kind == "Enter":
                path.append(event.region.name)
                found.append((tuple(path), 1))
            else:
                same(event.region.name, path.pop(), "the method that is left")
        same(path, [], "methods that are not left")
        threads[location.name] = calls_by_path(found)
    same_as_counted(done, threads)


@pytest.mark.parametrize("jdk", JDKS)
def test_overflows_of_the_stack_disturb_nothing_else(jdk):
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls=CallEnds*", "-o", directory_, "--", *command(jdk, "CallEnds", "overflow", options=VERIFIED))
    same((done.status, done.out), (0, "true\n"), "status and output")
    answer = json.loads(heddle("calls", "--json", "--callers", "CallEnds.after", directory_).out)
    same([(row["function"], row["calls"]) for row in answer["callers"]], [("CallEnds.overflow", 40)], "callers after overflows")
    answer = json.loads(heddle("calls", "--json", directory_).out)
    calls = {row["function"]: row["calls"] for row in answer["functions"]}
    same((calls["CallEnds.main"], calls["CallEnds.overflow"]), (1, 1), "calls")
    check(calls["CallEnds.deeper"] > 2000, f"{calls['CallEnds.deeper']} calls of the recursion")


@pytest.mark.parametrize("jdk", JDKS)
def test_waits_are_blocked_time(jdk):
    """Sleep, park, Object.wait, and a monitor that another thread has: 60 ms each, at least."""
    _, calls = recorded(jdk, "--calls=CallEnds.*", "CallEnds", "waits")
    with_ticks = trace.Trace(calls.directory).ticks_per_second * 0.06
    for method in ("sleeps", "parks", "waits", "enters"):
        sums, = sums_of(calls, f"CallEnds.{method}")
        check(sums.blocked >= with_ticks * 0.98, f"{method} is blocked for {sums.blocked / with_ticks * 60:.1f} ms")


@pytest.mark.parametrize("jdk", JDKS)
def test_static_initializers_and_reflection_are_calls(jdk):
    _, calls = recorded(jdk, "--calls=CallEnds*", "CallEnds", "classes")
    paths = {path: sum(s.calls for s in several) for _, _, contexts in calls.locations for path, several in contexts.items()}
    outer = ("CallEnds.main", "CallEnds.classes")
    same({path[len(outer):]: n for path, n in paths.items() if path[:2] == outer},
         {(): 1, ("CallEnds$Fails.<clinit>",): 1, ("CallEnds$Fails.<clinit>", "CallEnds.after"): 1, ("CallEnds.after",): 101}, "calls")


@pytest.mark.parametrize("case", [f"{jdk} {which}" for jdk in JDKS for which in ("CallTree.f_?", "f_a,f_c", "CallTree.one,java.util.Random.nextInt", "nextInt")])
def test_a_list_chooses_methods(case):
    """Lambdas have their method's name; a method of the JDK is chosen only if it is named with its package."""
    jdk, which = case.split(" ", 1)
    err = "heddle: --calls=nextInt: no such Java method was loaded; the JDK's own must be named with their package" if which == "nextInt" else ""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", f"--calls={which}", "-o", directory_, "--", *command(jdk, "CallTree", 3, 20000, 1, 5, options=VERIFIED))
    same((done.status, [line for line in done.err.splitlines() if "no such Java" in line]), (0, [err] if err else []), "status and messages")
    if err:
        return
    calls = Calls(directory_)
    should_be = {"CallTree.f_?": {*(f"CallTree.f_{c}" for c in "abcdefg"), "CallTree.lambda$f_g$"}, "f_a,f_c": {"CallTree.f_a", "CallTree.f_c"},
                 "CallTree.one,java.util.Random.nextInt": {"CallTree.one", "CallTree.lambda$one$"}}[which]
    names = {re.sub(r"\d+$", "", path[-1]) for _, _, contexts in calls.locations for path in contexts}
    same(names - {"java.util.Random.nextInt"} if "java" in which else names, should_be, "methods")


@pytest.mark.parametrize("jdk", JDKS)
def test_deep_calls_are_counted(jdk):
    done, calls = recorded(jdk, "--calls=CallEnds*", "CallEnds", "overflow", HEDDLE_CALLS_DEPTH="5")
    same(max(len(path) for _, _, contexts in calls.locations for path in contexts), 5, "depth")
    same(number_of(calls, "CallEnds.after"), 40, "calls after overflows")
    same(number_of(calls, "CallEnds.deeper"), 60, "calls of the recursion that are not too deep")


@pytest.mark.parametrize("jdk", JDKS)
def test_virtual_threads_are_counted_alone(jdk):
    if jdk.startswith("java-17"):
        return
    done, calls = recorded(jdk, "--calls=CallTree*", "CallTree", 4, 2000, 3, 6, "virtual", HEDDLE_JAVA="virtual=off")
    same(sum((Calls.own_calls_of(c) for _, _, c in calls.locations), collections.Counter()), collections.Counter(), "calls")
    same(number_of(calls, "CallTree.main"), 1, "calls of other threads")
    own = sum(sum(paths.values()) for paths in counted(done.out).values())
    facts = heddle("info", "--json", calls.directory).out
    counted_calls = int(re.search(r'"calls_on_virtual":\s*(\d+)', facts).group(1))
    check(counted_calls > 3 * own, f"{counted_calls} calls by virtual threads, for {own} of body")
    same(number_of(calls, "CallTree.body"), 0, "their calls in trees")


LONG = """
public final class Long {
    static int x;
    static void small() {}
    static void nearly() { BODY 999 }
    static void larger() { BODY 3000 }
    static void largest() { BODY 8190 }
    public static void main(String[] arguments) {
        for (int i = 0; i < 7; i++) { small(); nearly(); larger(); largest(); }
        System.out.println(x);
    }
}
"""


@pytest.mark.parametrize("jdk", JDKS)
def test_methods_without_room_stay_as_they_are(jdk):
    """
    A method that would not be compiled any more, and one that would be too long for a class file. A method that is not compiled anyhow
    does not count.
    """
    source = os.path.join(directory(), "Long.java")
    with open(source, "w") as file:
        file.write(re.sub(r"BODY (\d+)", lambda found: "x++;" * int(found.group(1)), LONG))
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls=Long.*", "-o", directory_, "--", JDKS[jdk], *VERIFIED, source)
    same((done.status, done.out), (0, f"{7 * (999 + 3000 + 8190)}\n"), f"status and output, {done.err}")
    same(re.findall(r"methods of (\S+) whose calls are not recorded: (\d+)", done.err), [("Long", "2")], "methods left out")
    calls = Calls(directory_)
    same({name: number_of(calls, f"Long.{name}") for name in ("small", "nearly", "larger", "largest", "main")},
         {"small": 7, "nearly": 0, "larger": 7, "largest": 0, "main": 1}, "calls")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_class_can_be_redefined(jdk):
    """By another agent, which gives the JVM the class of the file: the methods are the same ones, with all hooks."""
    jar = os.path.join(directory(), "redefine.jar")
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Premain-Class: Redefine\nCan-Redefine-Classes: true\n")
    _, calls = recorded(jdk, "--calls=Monitors.*,Redefine.*", "Redefine", 2, options=[f"-javaagent:{jar}"])
    same([s.calls for s in sums_of(calls, "Monitors.main")], [1, 1] if len(sums_of(calls, "Monitors.main")) == 2 else [2], "calls of main")
    same(number_of(calls, "Redefine.main"), 1, "calls of the caller")
