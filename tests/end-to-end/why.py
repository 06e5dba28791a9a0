#!/usr/bin/python3
"""
`heddle why` names the reasons that tests/programs/planted.c plants, with their source lines, alone and in pairs; with none it names
none. Other programs can take the processors at any time, so each run may be repeated, with a count. tests/soak/planted.py has the
same with random seeds, without repeating, and prints how often it is right.
"""
import json
import os
import re
import sys

import harness
from harness import check, each, heddle, main, program, record, same, skip, test, until_it_happens

sys.path.insert(0, os.path.join(harness.SOURCE, "..", "soak"))
import planted  # noqa: E402

SEEDS = (1, 3)
PAIRS = ["critical,serial", "io,imbalance-work", "small-regions,barrier", "lock,small-tasks"]
RUNS = 4


def recorded(seed, reasons):
    """The trace, and the (kind, line) that were planted."""
    if os.environ.get("HEDDLE_TEST_PRELOAD"):
        skip("the sanitizers' own cost is a reason")
    if len(os.sched_getaffinity(0)) < 2:
        skip("two threads need two processors")
    options = ["--budget", "none"] if "measurement" in reasons else []
    done = record([program("planted"), str(seed), reasons], *options, preexec=harness.before_others)
    same(done.status, 0, f"status of planted {seed} {reasons} ({done.err})")
    truth = {(planted.KINDS[m[1]], int(m[2]) or None) for m in re.finditer(r"^planted: (\S+) line=(\d+)$", done.out, re.M)}
    same(len(truth), 0 if reasons == "none" else reasons.count(",") + 1, "reasons that the program planted")
    return done.trace, truth


def ask(command, trace):
    done = heddle(command, "--json", trace)
    same((done.status, done.err), (0, ""), f"heddle {command}")
    return json.loads(done.out)


def check_one_answer(answer, trace):
    """No opinion of its own: the first sentence and all advice are those of the findings."""
    findings = ask("imbalance", trace)
    same(answer["verdict"], findings["verdict"], "first sentence")
    texts = [finding["text"] for finding in findings["findings"]]
    for node in answer["hypotheses"]:
        check(node["advice"] is None or node["advice"] in texts, f"not in the findings: {node['advice']}")


def named(seed, reasons):
    """Whether all that is planted, and nothing before it, is named."""
    trace, truth = recorded(seed, reasons)
    answer = ask("why", trace)
    check_one_answer(answer, trace)
    said = planted.places(answer)
    print(f"seed {seed}: planted {truth}, said {said[:3]}")
    return True if set(said[: len(truth)]) == truth else None


@each(list(planted.KINDS))
def names_a_planted_reason(reason):
    for seed in SEEDS[:1]:
        until_it_happens(lambda: named(seed, reason), f"seed {seed} of {reason} was named first", runs=RUNS)


@each(PAIRS)
def names_two_planted_reasons(reasons):
    for seed in SEEDS[:1]:
        until_it_happens(lambda: named(seed, reasons), f"seed {seed} of {reasons} was named first", runs=RUNS)


@test
def names_nothing_where_nothing_is_planted():
    def is_silent(seed):
        trace, _ = recorded(seed, "none")
        answer = ask("why", trace)
        check_one_answer(answer, trace)
        return True if not planted.true_kinds(answer) else None

    for seed in SEEDS:
        until_it_happens(lambda: is_silent(seed), f"seed {seed} was free of reasons", runs=RUNS)


if __name__ == "__main__":
    main()
