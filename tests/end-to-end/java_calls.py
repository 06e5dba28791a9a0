"""`heddle record --sample` on a JVM, whose Java threads the agent samples and whose other threads the kernel, and what shows the samples."""
import gzip
import json
import os
import time

import pytest

from harness import check, heddle, holds_mostly, record, same
from java import JDKS, command
from java_samples import COLLECTORS, counts_of, functions
from report_file import Report
from sampled import check_samples
from trace import Trace, check_well_formed

FUNCTIONS = ("one", "two", "three", "four")
TICK = int(1e9 * time.clock_getres(6))  # CLOCK_MONOTONIC_COARSE


def sampled(jdk, *arguments, options=(), sample="10ms"):
    """A run that both sample; each sample of the agent is in the archive, or lost."""
    done = record(command(jdk, "Samples", *arguments, options=options), f"--sample={sample}", "--keep-raw")
    if any("no samples of native code" in line for line in done.tool_err):
        pytest.skip("the kernel allows no samples here")
    same((done.status, done.own_err), (0, ""), "status and stderr")
    check(f"done {arguments[0]}\n" in done.out, f"the program's output: {done.out}")
    check_well_formed(Trace(done.trace))
    samples = check_samples(done.trace)
    due, taken, *lost = counts_of(done.trace)
    same(taken + sum(lost), due, "taken and lost samples")
    same(sum(s.java for s in samples.list), taken, "the agent's samples in the archive")
    samples.lost()
    return done, samples


def ask(trace, *options):
    done = heddle("calls", "--json", *options, trace)
    same((done.status, done.err), (0, ""), f"calls {options}")
    return json.loads(done.out)


def check_times(samples):
    """The kernel's samples of a thread stand before the agent's: from there on it would count the thread's time twice."""
    for thread in {s.thread for s in samples.list if s.java}:
        kinds = [s.java for s in samples.of(thread)]
        same(kinds, sorted(kinds), f"kinds of the samples of {thread}")


@pytest.mark.parametrize("jdk", JDKS)
def test_shares_lie_within_their_intervals(jdk):
    """An interval of 95 % may miss one time in 20."""
    def found():
        done, samples = sampled(jdk, "shares", 1000, 4)
        check_times(samples)
        answer = ask(done.trace)
        same((answer["taken"], len(answer["triggers"])), (len(samples.list), 1), "samples, and triggers")
        truths, rows = done.truths(), {row["function"]: row for row in answer["functions"]}
        check(all(f"Samples.{name}" in rows for name in FUNCTIONS), f"functions: {sorted(rows)}")
        chosen = [rows[f"Samples.{name}"] for name in FUNCTIONS]
        for row in chosen:
            same((row["file"], row["module"]), ("Samples.java", None), f"file and module of {row['function']}")
        of_them = sum(row["self_samples"] for row in chosen)
        same([row["function"] for row in answer["functions"] if row["function"] == "[kernel]"], [], "estimates of the kernel's time")
        all_truths = sum(truths[name] for name in FUNCTIONS)
        return {name: row["self_low"] <= 100 * truths[name] / all_truths * of_them / answer["analyzed"] <= row["self_high"]
                for name, row in zip(FUNCTIONS, chosen)}
    holds_mostly(found, "the share is in its interval")


def lines_of(method):
    """The source lines of a method's body."""
    with open(os.path.join(os.path.dirname(__file__), "..", "programs", "java", "Samples.java")) as file:
        source = file.read().splitlines()
    begin = next(number for number, line in enumerate(source, 1) if f" {method}(int parts) {{" in line)
    return set(range(begin + 1, source.index("    }", begin) + 1))


@pytest.mark.parametrize("jdk", JDKS)
def test_all_views_and_formats_have_the_same_samples(jdk):
    done, samples = sampled(jdk, "shares", 700, 2)
    count = {name: len([s for s in samples.list if functions(s)[-1] == f"Samples.{name}"]) for name in FUNCTIONS}
    check(min(count.values()) > 0, f"samples by function: {count}")
    answer = ask(done.trace)
    rows = {row["function"]: row for row in answer["functions"]}
    folded = heddle("export", "--to", "folded", "-o", "-", done.trace)
    same((folded.status, folded.err), (0, ""), "export --to folded")
    stacks = [line.rsplit(" ", 1) for line in folded.out.splitlines()]
    same(sum(int(n) for _, n in stacks), len(samples.list), "samples in folded stacks")
    tree = ask(done.trace, "--tree")["tree"]
    same(sum(row["self_samples"] for row in tree), answer["analyzed"], "samples in the tree")
    # A sample that the agent's own begin of a thread is interrupted by comes before the thread's first event.
    check(0 <= len(samples.list) - answer["analyzed"] <= 1, f"of {len(samples.list)} samples {answer['analyzed']} are analyzed")
    for name in FUNCTIONS:
        function = f"Samples.{name}"
        same(rows[function]["self_samples"], count[name], f"samples of {name}, heddle calls")
        same(sum(int(n) for path, n in stacks if path.split(";")[-1] == function), count[name], f"samples of {name}, folded")
        callers = ask(done.trace, "--callers", function)["callers"]
        same([row["function"] for row in callers if row["self_samples"]], ["Samples.shares"], f"callers of {name}")
    # At some instructions the JVM knows no line: of 60 samples one or two have none.
    lines = {row["line"]: row["self_samples"] for row in ask(done.trace, "--lines")["lines"] if row["function"] == "Samples.four" and row["self_samples"]}
    without = lines.pop(None, 0)
    check(lines and set(lines) <= lines_of("four") and 4 * without <= sum(lines.values()), f"lines of four(): {lines}, none: {without}")
    profile = os.path.join(done.trace, "samples.pb.gz")
    same(heddle("export", "--to", "pprof", "-o", profile, done.trace).status, 0, "export --to pprof")
    with gzip.open(profile) as file:
        data = file.read()
    check(all(text in data for text in (b"Samples.four", b"Samples.java")), "names and files in pprof's profile")
    page = os.path.join(done.trace, "page.html")
    same(heddle("report", "-o", page, done.trace).status, 0, "heddle report")
    bundle = json.dumps(Report(page).bundle)
    check(all(f'"Samples.{name}"' in bundle for name in FUNCTIONS), "the report has the functions")


@pytest.mark.parametrize("case", [f"{jdk}-{collector}" for jdk in JDKS for collector in COLLECTORS])
def test_no_time_counts_twice_under_any_collector(case):
    jdk, collector = case.rsplit("-", 1)
    done, samples = sampled(jdk, "garbage", 500, options=[f"-XX:+Use{collector}GC", "-Xmx256m"])
    check_times(samples)
    same({s.thread for s in samples.in_function("Samples.allocate")}, {"main", "allocates"}, "threads that allocate")
    same(sum(row["self_samples"] or 0 for row in ask(done.trace, "--jvm-threads")["functions"]), len(samples.list), "samples by function")


@pytest.mark.parametrize("jdk", JDKS)
def test_a_period_shorter_than_the_tick_becomes_a_tick_for_both(jdk):
    done, samples = sampled(jdk, "recursion", 200, sample="cpu:100us,page-faults:10")
    check(any("no finer than the kernel's tick" in line for line in done.tool_err), f"heddle's lines: {done.tool_err}")
    same({(name, period) for name, _, _, period in samples.generators}, {("cpu", TICK), ("page-faults", 10)}, "triggers")
    same(samples.generators[0][0], "cpu", "the first trigger")
