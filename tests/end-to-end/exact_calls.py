"""
Exact call graphs (`heddle record --calls`): programs that count their own calls by path, whatever way functions are left, and whatever
way threads and processes end. HEDDLE_TEST_CALLS: how many a random tree has (100000).
"""
import collections
import glob
import json
import os
import random
import re

import pytest

import trace
from call_sums import COMPILERS, Calls, counted, own, path_of, recorded, same_as_counted
from harness import HEDDLE, check, directory, heddle, holds_mostly, run, same

CALLS = int(os.environ.get("HEDDLE_TEST_CALLS", "100000"))


def asked(directory_, *options):
    done = heddle("calls", "--json", *options, directory_)
    same((done.status, done.err), (0, ""), f"calls {options}")
    return json.loads(done.out)


def paths_of(rows):
    """The rows of a tree by path, which is a tuple of names; parents come first."""
    by_number = {}
    for row in rows:
        by_number[row["node"]] = (by_number[row["parent"]][0] if row["parent"] is not None else ()) + (row["function"],), row
    return dict(by_number.values())


@pytest.mark.parametrize("case", [f"{seed} {compiler}" for seed, compiler in enumerate(COMPILERS, 1)])
def test_each_path_of_a_random_tree_is_exact(case):
    done, calls = recorded(path_of("random_tree" + COMPILERS[case[2:]]), case[0], str(CALLS), "1")
    threads = same_as_counted(done, calls)
    same(sum(threads["random-0"].values()), CALLS, "calls")
    check(len(threads["random-0"]) > 20000, f"only {len(threads['random-0'])} paths")


@pytest.mark.parametrize("compiler", ["", "_gcc"])
def test_heddle_calls_has_each_path(compiler):
    """Its tree has the program's own counts and the archive's times; its table has what the tree adds up to."""
    done, calls = recorded(path_of("random_tree" + compiler), "8", str(CALLS), "1")
    should_be, tree = counted(done.out)["random-0"], paths_of(asked(calls.directory, "--tree")["tree"])
    is_ = collections.Counter({"".join(f[2] for f in path if f.startswith("f_")): row["calls"] for path, row in tree.items() if path[-1].startswith("f_")})
    same(sum(should_be.values()), CALLS, "calls that the program counted")
    check(is_ == should_be, f"{sum(is_[p] != should_be[p] for p in set(is_) | set(should_be))} of {len(should_be)} paths differ")
    below, times = collections.Counter(), {path: several for _, _, contexts in calls.locations for path, several in contexts.items()}
    for path, row in tree.items():
        ticks = [row[key]["ticks"] for key in ("self", "blocked", "inclusive", "shortest", "longest")]
        sums = times[path]
        same(ticks, [sum(s.self for s in sums), sum(s.blocked for s in sums), sum(s.inclusive for s in sums), min(s.shortest for s in sums),
                     max(s.longest for s in sums)], f"figures of {path}")
        below[path[:-1]] += ticks[2]
    for path, row in tree.items():
        same(row["self"]["ticks"] + row["blocked"]["ticks"] + below[path], row["inclusive"]["ticks"], f"{path}: self, blocked and below")
    the_table_is_that_of_the_tree(asked(calls.directory), tree)


def the_table_is_that_of_the_tree(answer, tree):
    """
    A function's inclusive time is the time of its outermost occurrences, however functions call themselves or each
    other.
    """
    sums, inclusive = collections.defaultdict(collections.Counter), collections.Counter()
    for path, row in tree.items():
        sums[path[-1]].update({"calls": row["calls"], "self": row["self"]["ticks"], "blocked": row["blocked"]["ticks"], "running": row["running"]})
        if path[-1] not in path[:-1]:
            inclusive[path[-1]] += row["inclusive"]["ticks"]
    same({row["function"]: (row["calls"], row["self"]["ticks"], row["blocked"]["ticks"], row["running"], row["inclusive"]["ticks"]) for row in answer["functions"]},
         {name: (n["calls"], n["self"], n["blocked"], n["running"], inclusive[name]) for name, n in sums.items()}, "functions")
    same((answer["figures"], answer["calls"], answer["paths"]), ("exact", sum(n["calls"] for n in sums.values()), len(tree)), "calls and paths")
    same(answer["time"]["ticks"], sum(n["self"] + n["blocked"] for n in sums.values()), "time")


def test_callers_and_callees_add_up():
    done, calls = recorded(path_of("random_tree"), "9", "100000", "1")
    tree = paths_of(asked(calls.directory, "--tree")["tree"])
    cycle = asked(calls.directory, "--cycles")["cycles"]
    same({row["function"] for row in cycle}, {f"f_{c}" for c in "abcdefgh"}, "functions that call each other")
    outermost = sum(row["inclusive"]["ticks"] for path, row in tree.items() if path[-1].startswith("f_") and not any(f.startswith("f_") for f in path[:-1]))
    same({row["cycle_inclusive"]["ticks"] for row in cycle}, {outermost}, "time of the cycle")
    for name in ("f_a", "f_h", "main"):
        answer = asked(calls.directory, "--callers", name, "--callees", name)
        own, = answer["functions"]
        by_caller, by_callee = collections.Counter(), collections.Counter()
        for path, row in tree.items():
            if path[-1] == name:
                by_caller[path[-2] if len(path) > 1 else "(none)"] += row["calls"]
            if len(path) > 1 and path[-2] == name and path[-1] != name:
                by_callee[path[-1]] += row["calls"]
        same({row["function"]: row["calls"] for row in answer["callers"]}, dict(by_caller), f"calls of {name} by caller")
        same({row["function"]: row["calls"] for row in answer["callees"]}, dict(by_callee), f"calls by {name}")
        for key in ("calls", "self", "blocked"):
            value = (lambda row: row[key]) if key == "calls" else (lambda row: row[key]["ticks"])
            same(sum(value(row) for row in answer["callers"]), value(own), f"{key} of {name}")
        below = own["inclusive"]["ticks"] - own["self"]["ticks"] - own["blocked"]["ticks"]
        same(sum(row["below"]["ticks"] for row in answer["callers"]), below, f"below {name} by caller")
        same(sum(row[key]["ticks"] for row in answer["callees"] for key in ("self", "blocked", "below")), below, f"below {name} by callee")


def test_threads_have_their_own_calls():
    """By thread, and of single threads; and stacks in other formats have the same calls."""
    done, calls = recorded(path_of("random_tree"), "10", "30000", "3")
    own = sorted(sum(paths.values()) for paths in counted(done.out).values())
    answer = asked(calls.directory, "--by", "thread")
    by_thread = collections.Counter()
    for row in answer["functions"]:
        by_thread[row["thread"]] += row["calls"] if row["function"].startswith("f_") else 0
    same(sorted(n for n in by_thread.values() if n), own, "calls by thread")
    for row in answer["threads"]:
        alone = asked(calls.directory, "--only-threads", str(row["thread"]))
        same((alone["calls"], alone["time"]["ticks"]), (row["calls"], row["self"]["ticks"] + row["blocked"]["ticks"]), f"thread {row['thread']}")
    folded = heddle("export", "--to", "folded", "--trigger", "calls", "-o", "-", calls.directory)
    is_ = collections.Counter()
    for line in folded.out.splitlines():
        stack, _, number = line.rpartition(" ")
        frames = [f for f in stack.split(";") if f.startswith("f_")]
        if frames and stack.endswith(frames[-1]):
            is_["".join(f[2] for f in frames)] += int(number)
    same(is_, sum(counted(done.out).values(), collections.Counter()), "calls by stack")


def test_calls_of_workers_begin_at_main():
    """As samples do: a worker's calls are below the function that all calls of the initial thread are below."""
    done, calls = recorded(path_of("random_tree"), "10", "3000", "3", "omp")
    same(len(counted(done.out)), 3, "threads")
    folded = heddle("export", "--to", "folded", "-o", "-", calls.directory)
    same({line.split(";")[0].split(" ")[0] for line in folded.out.splitlines()}, {"main"}, "where stacks begin")
    tree = paths_of(asked(calls.directory, "--tree")["tree"])
    same({path[0] for path in tree}, {"main"}, "where the tree begins")
    same(tree["main",]["calls"], 1, "calls of main")


def test_exact_calls_and_samples_of_one_run():
    """Both may be taken at once: exact calls come first, --use chooses."""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls", "--sample=1ms", "-o", directory_, "--", path_of("random_tree"), "11", "1000000", "1")
    same(done.status, 0, done.err)
    if not os.path.exists(os.path.join(directory_, "samples.otf2")):
        pytest.skip("the kernel allows no samples here")
    same(asked(directory_)["figures"], "exact", "figures")
    check("figures" not in asked(directory_, "--use", "samples"), "figures of samples")
    refused = heddle("calls", "--lines", directory_)
    same((refused.status, refused.out, len(refused.err.splitlines()), "--use samples" in refused.err), (1, "", 1, True), refused.err)


@pytest.mark.parametrize("case", COMPILERS)
def test_each_path_of_several_threads_is_exact(case):
    done, calls = recorded(path_of("random_tree" + COMPILERS[case]), "3", "10000", "4")
    same(len(same_as_counted(done, calls)), 4, "threads")


@pytest.mark.parametrize("case", COMPILERS)
def test_each_path_of_openmp_threads_is_exact(case):
    done, calls = recorded(path_of("random_tree" + COMPILERS[case]), "4", "10000", "4", "omp")
    same(len(same_as_counted(done, calls)), 4, "threads")


@pytest.mark.parametrize("case", COMPILERS)
def test_what_longjmp_and_exit_leave_is_repaired(case):
    done, calls = recorded(path_of("left" + COMPILERS[case]), status=3)
    same_as_counted(done, calls)


@pytest.mark.parametrize("case", COMPILERS)
def test_what_exceptions_leave_is_repaired(case):
    done, calls = recorded(path_of("exceptions" + COMPILERS[case]))
    is_, should_be = calls.own_calls(), counted(done.out)["first"]
    same(dict(is_), dict(should_be), "calls by path")


@pytest.mark.parametrize("case", [f"stack of {whose}, {hooks}" for whose in ("the thread", "its own") for hooks in ("clang", "gcc -mfentry")])
def test_handlers_do_not_disturb(case):
    done, calls = recorded(path_of("handlers" + COMPILERS[case.split(", ")[1]]), *(["alternate"] if "own" in case else []))
    b, handled = (int(n) for n in re.findall(r"\d+", done.out))
    is_ = calls.own_calls()
    inside = {path: n for path, n in is_.items() if "x" in path}
    same((is_["b"], is_["bc"]), (b, 2 * b), "calls outside of handlers")
    check(sum(n for path, n in inside.items() if path.endswith("x")) <= handled, f"{inside}, {handled} handled")
    check({path.replace("x", "").replace("y", "") for path in inside} <= {"", "b", "bc"}, f"handlers in {sorted(inside)}")


@pytest.mark.parametrize("case", [f"{how}, {hooks}" for how in ("fork", "clone") for hooks in ("clang", "gcc -mfentry")])
def test_a_child_has_a_tree_of_its_own(case):
    how, hooks = case.split(", ")
    _, calls = recorded(path_of("forks" + COMPILERS[hooks]), *(["raw"] if how == "clone" else []))
    by_process = collections.defaultdict(collections.Counter)
    for _, process, contexts in calls.locations:
        for path, several in contexts.items():
            if path[-1] in ("f_b", "f_c"):
                by_process[process][path[-1]] += sum(s.calls for s in several)
    same(sorted((n["f_b"], n["f_c"]) for n in by_process.values()), [(1, 5), (2, 17)], "calls of the processes")


@pytest.mark.parametrize("case", [f"{n} {hooks}" for n in (0, 1, 100000) for hooks in ("clang", "gcc -mfentry")])
def test_a_kill_loses_nothing(case):
    n, hooks = case.split(" ", 1)
    _, calls = recorded(path_of("killed" + COMPILERS[hooks]), n, status=137)
    same(dict(calls.own_calls()), {"a": 1, "ab": 1, **({"abc": int(n)} if n != "0" else {})}, "calls")
    running = {path[-1] for _, _, contexts in calls.locations for path, several in contexts.items() if any(s.running for s in several)}
    same(running, {"main", "f_a", "f_b"}, "functions that ran at the end")


@pytest.mark.parametrize("case", ["gcc -mfentry"])
def test_thousands_of_threads(case):
    """HEDDLE_TEST_THREADS: how many; ci/soak has 10,000."""
    n = int(os.environ.get("HEDDLE_TEST_THREADS", "2500"))
    _, calls = recorded(path_of("many_threads" + COMPILERS[case]), str(n))
    same(dict(calls.own_calls()), {"a": n, "ab": 2 * n}, "calls")
    same(sum(1 for _, _, contexts in calls.locations if any(path == ("f_a",) for path in contexts)), n, "threads")


def calls_in_trace(directory_):
    """Calls by path from Enter and Leave of the functions, of all threads; and what was left without its end."""
    calls, closed = collections.Counter(), 0
    for location in trace.Trace(directory_).locations:
        path = []
        for event in location.of_kind("Enter", "Leave"):
            if not own(event.region.name):
                continue
            closed += "closed" in event.attributes
            if event.kind == "Enter":
                path.append(own(event.region.name))
                calls["".join(path)] += 1
            else:
                same(own(event.region.name), path.pop(), "the function that is left")
        same(path, [], "functions that are not left")
    return calls, closed


@pytest.mark.parametrize("case", [f"{name} {compiler}" for name in ("random_tree", "left", "exceptions") for compiler in COMPILERS])
def test_each_call_is_in_the_trace(case):
    name, compiler = case.split(" ", 1)
    arguments = ["7", "10000", "3"] if name == "random_tree" else []
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls=trace", "-o", directory_, "--", path_of(name + COMPILERS[compiler]), *arguments)
    same(done.status, 3 if case.startswith("left") else 0, done.err)
    should_be = sum(counted(done.out).values(), collections.Counter())
    calls, closed = calls_in_trace(directory_)
    same(dict(calls), dict(should_be), "calls by path")
    same(dict(Calls(directory_).own_calls()), dict(should_be), "calls by path, of the tree")
    same(closed, 3 if case.startswith("left") else 0, "functions that call exit, or pthread_exit")


def test_a_kill_leaves_a_balanced_trace():
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls=trace", "-o", directory_, "--", path_of("killed"), "50000")
    same(done.status, 137, done.err)
    calls, closed = calls_in_trace(directory_)
    same((dict(calls), closed), ({"a": 1, "ab": 1, "abc": 50000}, 2), "calls, and functions that ran")


@pytest.mark.parametrize("case", COMPILERS)
def test_states_are_those_without_functions(case):
    """Regions and states of OpenMP threads: the same ones, as often."""
    seen = []
    for option in ("--calls", "--calls=trace"):
        directory_ = os.path.join(directory(), "run.heddle")
        done = heddle("record", "--no-switches", option, "-o", directory_, "--", path_of("waits" + COMPILERS[case]))
        same(done.status, 0, done.err)
        enters = collections.Counter(e.region.name for e in trace.Trace(directory_).events() if e.kind == "Enter" and "!$omp" in e.region.name and
                                     "(omp" not in e.region.name)
        states = heddle("states", "--csv", directory_)
        same(states.status, 0, states.err)
        seen.append((enters, states.out.splitlines()[0]))
    same(seen[1], seen[0], "constructs and states")


def sums_of(calls, function):
    return [s for _, _, contexts in calls.locations for path, several in contexts.items() if path[-1] == function for s in several]


def test_threads_without_calls_have_none():
    """They are locations, as in the trace."""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls=main", "-o", directory_, "--", path_of("random_tree_gcc"), "9", "1000", "3", "omp")
    same(done.status, 0, done.err)
    calls = Calls(directory_)
    same(sorted(sorted(contexts) for _, _, contexts in calls.locations), [[], [], [("main",)]], "contexts of the threads")


@pytest.mark.parametrize("case", COMPILERS)
def test_waiting_is_told_from_running(case):
    """Who waits for another one's sleep waited for most of it; who sleeps by itself did not wait for anyone."""
    def a_run():
        _, calls = recorded(path_of("waits" + COMPILERS[case]))
        w, = sums_of(calls, "f_w")
        b = sorted(sums_of(calls, "f_b"), key=lambda s: s.blocked)
        same(sum(s.blocked for s in sums_of(calls, "f_s")), 0, "blocked in a function that sleeps")
        same(sum(s.calls for s in sums_of(calls, "f_t")), 3, "tasks")
        check(b[0].blocked <= b[0].inclusive and len(b) == 2, f"b_: {b}")
        tasks, k = sum(s.inclusive for s in sums_of(calls, "f_t")), sums_of(calls, "f_k")[0]
        check(k.blocked <= k.inclusive - tasks, f"blocked includes tasks: {k}")
        return 2 * w.blocked > w.inclusive and 2 * b[1].blocked > b[1].inclusive

    holds_mostly(a_run, "the waits are most of the functions' time")


@pytest.mark.parametrize("case", ["clang", "gcc -mfentry"])
def test_a_depth_cuts_deeper_calls(case):
    """main is at depth 1."""
    full = counted(run([path_of("random_tree"), "5", "20000", "1"]).out)["random-0"]
    for depth in (1, 3, 6):
        _, calls = recorded(path_of("random_tree" + COMPILERS[case]), "5", "20000", "1", options=["--calls-depth", str(depth)])
        is_ = calls.own_calls()
        same(dict(is_), {p: n for p, n in full.items() if len(p) <= depth - 1}, f"calls with --calls-depth {depth}")


@pytest.mark.parametrize("case", ["clang", "clang -mfentry", "gcc -mfentry"])
def test_functions_are_chosen_by_name_and_file(case):
    full = counted(run([path_of("random_tree"), "5", "20000", "1"]).out)["random-0"]
    for option, names in (("--calls=f_[abc]", "abc"), ("--calls=f_a,*_b", "ab"), ("--calls=@random_tree.c", "abcdefgh"), ("--calls=@calls/random_tree.c", "abcdefgh")):
        directory_ = os.path.join(directory(), "run.heddle")
        done = heddle("record", option, "-o", directory_, "--", path_of("random_tree" + COMPILERS[case]), "5", "20000", "1")
        same(done.status, 0, done.err)
        is_, should_be = Calls(directory_).own_calls(), collections.Counter()
        for path, n in full.items():
            if path[-1] in names:
                should_be["".join(f for f in path if f in names)] += n
        same(dict(is_), dict(should_be), f"calls with {option}")


@pytest.mark.parametrize("case", ["exceptions", "exceptions_gcc"])
def test_functions_of_cxx_are_chosen_by_either_name(case):
    """The name in the source, and the name with its namespace, as heddle calls prints it."""
    _, calls = recorded(path_of(case))
    (name, number), = [(row["function"], row["calls"]) for row in asked(calls.directory)["functions"] if own(row["function"]) == "d"]
    for pattern in ("f_d", name, "*f_d"):
        directory_ = os.path.join(directory(), "run.heddle")
        done = heddle("record", "--calls=" + pattern, "-o", directory_, "--", path_of(case))
        same(done.status, 0, done.err)
        same({row["function"]: row["calls"] for row in asked(directory_)["functions"]}, {name: number}, f"functions with --calls={pattern}")


def test_a_program_without_hooks_is_told_what_to_do():
    """One line before it runs; at the end the reason is not given twice, and is no other one."""
    done = heddle("record", "--calls", "-o", os.path.join(directory(), "x"), "--", "/bin/true")
    same((done.status, len(done.err.splitlines())), (0, 2), done.err)
    check("compile with -finstrument-functions" in done.err.splitlines()[0], done.err)
    check("nothing was recorded, for the reason given before" in done.err.splitlines()[1], done.err)
    done = heddle("record", "--calls=f_c", "-o", os.path.join(directory(), "x"), "--", path_of("killed"), "0")
    check("called none of the functions that --calls names" in done.err and len(done.err.splitlines()) == 1, done.err)


@pytest.mark.parametrize("case", ["random_tree", "left", "exceptions_gcc", "forks", "random_tree_fentry", "left_fentry_gcc", "exceptions_fentry_gcc", "forks_fentry_gcc"])
def test_output_and_status_are_those_without(case):
    command = [path_of(case)] + (["6", "50000", "2"] if case.startswith("random_tree") else [])
    alone = run(command)
    done, _ = recorded(*command, status=alone.status)
    same(sorted(done.out.splitlines()), sorted(alone.out.splitlines()), "output")
    same(done.own_err, alone.err, "stderr")


def test_damaged_trees_end_well():
    """Bytes of the raw trees are changed, and their files cut: a converter makes an archive whose sums can be read, or says why not."""
    trace_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls", "--no-convert", "-o", trace_, "--", path_of("random_tree"), "8", "3000", "2")
    same(done.status, 0, done.err)
    raw, = glob.glob(os.path.join(trace_, "raw", "*", "calls"))
    whole, random_ = open(raw, "rb").read(), random.Random(8)
    heads = [at for at in range(0, len(whole), 16384) if whole[at:at + 8] == b"HDCALLS1"]
    check(len(heads) > 2, f"segments at {heads}")
    told = 0
    for _ in range(60):
        bytes_ = bytearray(whole)
        for _ in range(random_.choice([1, 3, 20, 200])):
            at = random_.choice([random_.randrange(len(bytes_)), random_.choice(heads) + random_.randrange(128 + 384)])
            bytes_[at] = random_.choice([0, 1, 0x7f, 0xff, random_.randrange(256)])
        with open(raw, "wb") as file:
            file.write(bytes_[:random_.choice([len(bytes_), len(bytes_), random_.randrange(len(bytes_))])])
        out = directory()
        done = run([os.path.join(os.path.dirname(HEDDLE), "heddle-convert"), "-q", "-k", "-o", out, trace_])
        check(done.status in (0, 1) and not done.signal, f"status {done.status}, signal {done.signal}: {done.err}")
        if done.status == 0 and os.path.exists(os.path.join(out, "calls.otf2")):
            told += 1
            Calls(out)
    check(told > 0, "no damaged file became an archive")


def test_wrong_options_are_said():
    for options, text in ((["--calls="], None), (["--calls=a,,b"], "give names of functions"), (["--calls=@"], "give names of functions"),
                          (["--calls-depth", "0", "--calls"], "not a number from 1"), (["--calls-depth", "2"], "give --calls, too"),
                          (["--calls", "--profile"], "leave one of them out")):
        done = heddle("record", *options, "-o", os.path.join(directory(), "x"), "--", path_of("killed"), "1")
        if text:
            same(done.status, 2, f"{options}: {done.err}")
            check(text in done.err and len(done.err.splitlines()) == 1, f"{options}: {done.err}")
    directory_ = os.path.join(directory(), "x")
    done = heddle("record", "--calls=no_such,@no_such.c", "-o", directory_, "--", path_of("forks"))
    check("no_such: no function" in done.err and "@no_such.c: no function" in done.err, done.err)
    check(not os.path.exists(os.path.join(directory_, "calls.otf2")) or not Calls(directory_).own_calls(), "functions that nobody named")
