"""
Samples of the code that threads ran, of programs whose functions take known parts of the time.
"""
import collections
import json

import pytest

from harness import before_others, check, heddle, holds_mostly, program, record, same

FUNCTIONS = ["one", "two", "three", "four"]
CONSTRUCTS = {"one": "!$omp parallel", "two": "!$omp for", "three": "!$omp critical", "four": "!$omp for"}


def ask(trace, *options):
    done = heddle("calls", "--json", *options, trace)
    same((done.status, done.err), (0, ""), f"calls {options}")
    return json.loads(done.out)


def sampled(part, **how):
    """A run of the program, with samples each millisecond."""
    done = record([program("shares"), str(part)], "--sample=1ms", "--wait-stacks=off", "--stack", "fp", **how)
    same(done.status, 0, "status")
    if heddle("calls", done.trace).status != 0:
        pytest.skip("the kernel allows no samples here")
    return done


def by_name(rows, **wanted):
    return {row["function"]: row for row in rows if all(row[k] == v for k, v in wanted.items())}


def test_shares_lie_within_their_intervals():
    """An interval of 95 % may miss one time in 20."""
    def found():
        done = sampled(40)
        answer = ask(done.trace)
        truths, rows = done.truths(), by_name(answer["functions"])
        check(set(FUNCTIONS) <= set(rows), f"functions: {sorted(rows)}")
        of_them = sum(rows[name]["self_samples"] for name in FUNCTIONS)
        same(of_them <= answer["analyzed"], True, "samples of some functions, and of all")
        shares = {name: 100 * truths[name] / sum(truths.values()) * of_them / answer["analyzed"] for name in FUNCTIONS}
        for name in FUNCTIONS:
            check(rows[name]["file"].endswith("/shares.c"), f"the file of {name}: {rows[name]['file']}")
        return {name: rows[name]["self_low"] <= share <= rows[name]["self_high"] for name, share in shares.items()}
    holds_mostly(found, "the share is in its interval")


def spread(rows, name, key):
    """Samples of a function by `key`; one at a border may be on its other side, because clocks are converted."""
    counts = collections.Counter()
    for row in rows:
        if row["function"] == name and row["self_samples"]:
            counts[row[key]] += row["self_samples"]
    (most, _), *others = counts.most_common()
    check(sum(count for _, count in others) <= 1, f"{name} by {key}: {counts}")
    return most


def test_each_function_has_its_thread_and_construct():
    done = sampled(20)
    for number, name in enumerate(FUNCTIONS):
        same(spread(ask(done.trace, "--by", "thread")["functions"], name, "thread"), number, f"the thread of {name}")
        construct = spread(ask(done.trace, "--by", "construct")["functions"], name, "construct")
        same(construct.split(" @")[0], CONSTRUCTS[name], f"the construct of {name}")
        same(spread(ask(done.trace, "--by", "state")["functions"], name, "state"), "RUN", f"the state of {name}")


def test_samples_add_up():
    """By trigger, thread, state, construct, function and line, and in the tree."""
    done = sampled(10)
    answer = ask(done.trace)
    all_of_them = answer["taken"]
    check(all_of_them > 0, "there are no samples")
    same(sum(row["samples"] for row in answer["triggers"]), all_of_them, "samples by trigger")
    same(answer["analyzed"], all_of_them, "samples of the only trigger")
    same(sum(row["self_samples"] or 0 for row in answer["functions"]), all_of_them, "samples by function")
    same(sum(row["self_samples"] or 0 for row in ask(done.trace, "--lines")["lines"]), all_of_them, "samples by line")
    for by in ("thread", "construct", "state"):
        answer = ask(done.trace, "--by", by)
        same(sum(row["samples"] for row in answer[by + "s"]), all_of_them, f"samples by {by}")
        same(sum(row["self_samples"] or 0 for row in answer["functions"]), all_of_them, f"samples by {by} and function")
    tree = ask(done.trace, "--tree")["tree"]
    same(sum(row["self_samples"] for row in tree), all_of_them, "samples in the tree")
    same(sum(row["inclusive_samples"] for row in tree if row["parent"] is None), all_of_them, "samples below the roots")
    parts = [ask(done.trace, "--only-threads", str(thread))["analyzed"] for thread in range(4)]
    same(sum(parts), all_of_them, "samples of single threads")


def test_waiting_is_blamed_on_who_is_late():
    """Three of the first loop's threads wait for `two`; then three wait for `four`, one of them after `three`, which runs beside it."""
    def found():
        done = sampled(20, preexec=before_others)  # who waits for a processor is late, too
        answer = ask(done.trace)
        rows = by_name(answer["functions"])
        blamed = {name: rows[name]["blame"]["ticks"] for name in FUNCTIONS}
        late = blamed["four"] > blamed["two"] > 10 * max(blamed["one"], blamed["three"])
        return late and [row["function"] for row in answer["functions"][:2]] == ["four", "two"]
    holds_mostly(found, "four and two have the blame")


def test_a_threads_states_have_functions_and_durations():
    """Each thread of the four runs its own function; how long states were follows from the list."""
    done = sampled(20)
    for number, name in enumerate(FUNCTIONS):
        answer = json.loads(heddle("states", "--list", str(number), "--json", done.trace).out)
        for total in answer["totals"]:
            rows = [row["duration"]["ticks"] for row in answer["states"] if row["state"] == total["state"]]
            same((total["times"], total["time"]["ticks"], total["shortest"]["ticks"], total["longest"]["ticks"]),
                 (len(rows), sum(rows), min(rows), max(rows)), f"{total['state']} of thread {number}")
        same(sum(total["times"] for total in answer["totals"]), len(answer["states"]), "states in all")
        same([total["function"] for total in answer["totals"] if total["state"] == "RUN"], [name], f"RUN of thread {number}")
        check(name in {row["function"] for row in answer["states"] if row["state"] == "RUN"}, f"functions of thread {number}")


def test_waiting_is_conserved():
    done = sampled(10)
    answer, states = ask(done.trace), json.loads(heddle("states", "--json", done.trace).out)
    waiting = answer["waiting"]["ticks"]
    all_threads, = [row for row in states["threads"] if row["thread"] is None]
    same(sum(all_threads[key]["ticks"] for key in ("idle", "synch", "blocked")), waiting, "waiting in the states")
    not_attributed = sum(row["waiting"]["ticks"] for row in answer["not_attributed"])
    same(answer["blamed"]["ticks"] + not_attributed, waiting, "blamed and not attributed")
    for view, table in (([], "functions"), (["--lines"], "lines")):
        rows = ask(done.trace, *view)[table]
        same(sum(row["blame"]["ticks"] for row in rows if row["blame"]), answer["blamed"]["ticks"], f"blame by {table}")
    for by in ("thread", "construct"):
        groups = ask(done.trace, "--by", by)
        sampleless = sum(row["waiting"]["ticks"] for row in answer["not_attributed"] if row["reason"] == "no_samples")
        same(sum(row["blame"]["ticks"] for row in groups[by + "s"]), answer["blamed"]["ticks"] + sampleless, f"blame by {by}")
        same(sum(row["blame"]["ticks"] for row in groups["functions"] if row["blame"]), answer["blamed"]["ticks"], f"blame by {by} and function")


def test_callers_and_callees_add_up():
    done = sampled(10)
    for row in ask(done.trace)["functions"]:
        if row["self_samples"] is None:
            continue
        answer = ask(done.trace, "--callers", row["function"], "--callees", row["function"])
        own = {key: sum(r[key] for r in answer["functions"]) for key in ("self_samples", "inclusive_samples")}
        below = own["inclusive_samples"] - own["self_samples"]
        same(sum(r["self_samples"] for r in answer["callers"]), own["self_samples"], f"self of {row['function']} by caller")
        same(sum(r["below_samples"] for r in answer["callers"]), below, f"below {row['function']} by caller")
        same(sum(r["self_samples"] + r["below_samples"] for r in answer["callees"]), below, f"below {row['function']} by callee")


def test_a_run_does_not_differ_from_itself():
    done = sampled(10)
    answer = json.loads(heddle("calls", "--json", done.trace, done.trace).out)
    check(answer["differences"], "there are no functions")
    for row in answer["differences"]:
        same((row["self_change"]["ticks"], row["inclusive_change"]["ticks"], row["self_beyond_chance"], row["inclusive_beyond_chance"]),
             (0, 0, "no", "no"), f"changes of {row['function']}")


def test_four_times_the_time_is_beyond_chance():
    small, large = sampled(10), sampled(40)
    rows = by_name(json.loads(heddle("calls", "--json", small.trace, large.trace).out)["differences"])
    for name in FUNCTIONS:
        same((rows[name]["self_beyond_chance"], rows[name]["self_change"]["ticks"] > 0), ("yes", True), f"more of {name}")


def test_a_trace_without_samples_says_how_to_take_some():
    done = record([program("shares"), "1"], "--no-samples")
    answer = heddle("calls", done.trace)
    same((answer.status, answer.out, answer.err.count("\n"), "--sample" in answer.err), (1, "", 1, True), answer.err)
