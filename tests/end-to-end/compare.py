"""
`heddle compare` on recorded runs of tests/programs/compared.c, whose third loop can be made slower. Tested are verdicts and exit statuses, the
place of what became slower, the file of a history, and outputs that other programs read. SARIF is checked against the rules of its specification
(OASIS, 2.1.0) for the parts that Heddle writes; so are the findings of `heddle why --sarif`.
"""
import json
import os
import re
import xml.etree.ElementTree

import harness
from harness import check, heddle, program, record, same

NO_WORSE, WORSE, TOO_FEW = 0, 3, 4
ROUNDS = "3"


def recorded(rounds, percent):
    """The archive, and the line of the third loop."""
    done = record([program("compared"), str(rounds), str(percent)], OMP_NUM_THREADS="2")
    same(done.status, 0, f"status of compared ({done.err})")
    return done.trace, int(done.out)


@harness.once
def pair():
    """A run, one with more iterations' work, and one with more executions."""
    return recorded(ROUNDS, 0), recorded(ROUNDS, 100), recorded("4", 0)


def rows(result, **wanted):
    return [row for row in result["rows"] if all(row[key] == value for key, value in wanted.items())]


def test_one_run_each_proves_nothing():
    (old, line), (new, _), (longer, _) = pair()
    done = heddle("compare", old, "--", new)
    same(done.status, TOO_FEW, f"status ({done.err})")
    check("One run each proves nothing" in done.out, done.out)
    result = json.loads(heddle("compare", "--json", old, "--", longer).out)
    same((result["verdict"], result["old_runs"], result["new_runs"]), ("too few runs", 1, 1), "the verdict")
    executions, = rows(result, name="!$omp for", line=line, figure="executions")
    same((executions["old"], executions["new"]), (3, 4), "executions of the third loop")
    iterations, = rows(result, name="!$omp for", line=line, figure="iterations")
    same((iterations["old"], iterations["new"]), (600, 800), "iterations of the third loop")


def test_the_critical_path_is_in_the_rows():
    """Twice the work of a loop makes its part of the path longer. All parts are no longer than the run."""
    (old, line), (new, _), _ = pair()
    result = json.loads(heddle("compare", "--json", old, "--", new).out)
    path, = rows(result, name="!$omp for", line=line, figure="critical_path")
    check(path["new"] > path["old"] > 0, f"the loop on the path: {path}")
    same(path["outcome"], "not tested", "the outcome")
    wall, = rows(result, kind="run", figure="wall")
    for which in ("old", "new"):
        on_path = sum(row[which] for row in rows(result, figure="critical_path"))
        check(0 < on_path <= 1.001 * wall[which], f"{on_path} s of {wall[which]} s are on the path")


def test_a_file_replaces_archives():
    (old, _), (new, _), _ = pair()
    directory = harness.directory()
    path = os.path.join(directory, "runs.jsonl")
    for traces, lines in (([old], 1), ([new], 2), ([old, new], 2)):
        done = heddle("compare", "--history", path, *traces)
        same(done.status, TOO_FEW, f"status ({done.err})")
        with open(path, encoding="utf-8") as file:
            texts = file.readlines()
        same(len(texts), lines, "lines of the history")
    for text, name in zip(texts, ("old", "new")):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    archives = json.loads(heddle("compare", "--json", old, "--", new).out)
    files = json.loads(heddle("compare", "--json", os.path.join(directory, "old"), "--", os.path.join(directory, "new")).out)
    same(files["sentence"], archives["sentence"], "the sentence")
    same(len(files["rows"]), len(archives["rows"]), "rows")
    for one, other in zip(archives["rows"], files["rows"]):
        same(other["name"], one["name"], "the name of a row")
        check(abs(one["old"] - other["old"]) <= 1e-6 * one["old"], f"{one} is {other} in the file")


def test_profiles_are_compared():
    """Their locks have addresses, which differ from run to run: the place is the same."""
    traces = []
    for _ in range(2):
        done = record([program("compared"), ROUNDS], "--profile", OMP_NUM_THREADS="2")
        same(done.status, 0, f"status of compared ({done.err})")
        traces.append(done.trace)
    result = json.loads(heddle("compare", "--json", traces[0], "--", traces[1]).out)
    acquisitions = rows(result, kind="lock", figure="acquisitions")
    check(acquisitions and all(row["old"] == row["new"] > 0 for row in acquisitions), f"acquisitions are {acquisitions}")
    iterations = [(row["old"], row["new"]) for row in rows(result, figure="iterations")]
    same(iterations, [(600, 600)] * 4, "iterations of the loops")


def test_wrong_input_is_one_line():
    (old, _), _, _ = pair()
    directory = harness.directory()
    damaged = os.path.join(directory, "damaged")
    with open(damaged, "w", encoding="utf-8") as file:
        file.write('{"format": "heddle run", "version": 1}\n')
    for operands, status, message in (([old, "--", old], 1, "same run"), ([damaged, "--", old], 1, "damaged run"), ([old, "--"], 2, "give old runs"),
                                      ([old], 2, "give old runs"), ([directory, "--", old], 1, "no archive"), ([old, "--", "/no/where"], 1, "cannot open"),
                                      (["--worse", "x", old, "--", old], 2, "--worse"), (["--json", "--sarif", old, "--", old], 2, "one of"),
                                      (["--history", damaged], 1, "damaged run"), (["--history", damaged, old, "--", old], 2, "--history")):
        done = heddle("compare", *operands)
        same(done.status, status, f"status of {operands} ({done.err})")
        same(done.err.count("\n"), 1, f"lines of {done.err}")
        check(message in done.err, f"{message} is not in {done.err}")


def must_be_sarif(text):
    """The rules for what Heddle writes: required members, types and allowed values; each index has its rule. Returns the results."""
    log = json.loads(text)
    same(set(log), {"$schema", "version", "runs"}, "members of the log")
    same(log["version"], "2.1.0", "the version")
    check(log["$schema"].startswith("https://"), log["$schema"])
    run, = log["runs"]
    same(set(run), {"tool", "results"}, "members of the run")
    driver = run["tool"]["driver"]
    same(set(driver), {"name", "version", "rules"}, "members of the driver")
    rules = [rule["id"] for rule in driver["rules"]]
    same(len(rules), len(set(rules)), "rules that differ")
    for result in run["results"]:
        check(set(result) - {"locations"} == {"ruleId", "ruleIndex", "level", "message"}, f"members of {result}")
        same(rules[result["ruleIndex"]], result["ruleId"], "the rule at the index")
        check(result["level"] in ("none", "note", "warning", "error"), result["level"])
        same(set(result["message"]), {"text"}, "members of the message")
        check(isinstance(result["message"]["text"], str) and result["message"]["text"], "a message has a text")
        for location in result.get("locations", ()):
            place = location["physicalLocation"]
            check(set(place) <= {"artifactLocation", "region"}, f"members of {place}")
            uri = place["artifactLocation"]["uri"]
            check(re.fullmatch(r"(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri), f"{uri} is no URI")
            if "region" in place:
                check(isinstance(place["region"]["startLine"], int) and place["region"]["startLine"] >= 1, f"the line of {place}")
    return run["results"]


def test_findings_as_sarif():
    done = record([program("known_imbalance")], OMP_NUM_THREADS="2")
    same(done.status, 0, f"status ({done.err})")
    findings = [row for row in json.loads(heddle("imbalance", "--json", done.trace).out)["findings"] if row["text"]]
    shown = heddle("why", "--sarif", done.trace)
    same(shown.status, 0, f"status ({shown.err})")
    results = must_be_sarif(shown.out)
    same([result["message"]["text"] for result in results], [row["text"] for row in findings], "the findings")
    for row, result in zip(findings, results):
        if row["line"]:
            place = result["locations"][0]["physicalLocation"]
            same(place["region"]["startLine"], row["line"], "the line")
            same(os.path.basename(place["artifactLocation"]["uri"]), os.path.basename(row["file"]), "the file")
    same(heddle("why", "--sarif", "--json", done.trace).status, 2, "status of two formats")


@harness.once
def groups():
    """Directories of eight runs each, in turns: old, the same, and with a loop that takes twice as long."""
    directory = harness.directory()
    old, equal, slower = (os.path.join(directory, name) for name in ("old", "equal", "slower"))
    line = 0
    for path, percent in ((old, 0), (equal, 0), (slower, 100)) * 8:
        number = len(os.listdir(path)) if os.path.exists(path) else 0
        os.makedirs(path, exist_ok=True)
        trace, line = recorded(20, percent)
        os.rename(trace, os.path.join(path, f"{number}.heddle"))
    return old, equal, slower, line


def slower_places(result):
    return {(row["name"], row["line"]) for row in rows(result, outcome="slower") if row["kind"] in ("construct", "task")}


def test_a_loop_is_found_at_its_line():
    old, _, slower, line = groups()
    done = heddle("compare", "--json", old, "--", slower)
    result = json.loads(done.out)
    same(done.status, WORSE, f"status ({result['sentence']})")
    check(("!$omp for", line) in slower_places(result), f"slower are {slower_places(result)}")
    check(f"@compared.c:{line}" in heddle("compare", old, "--", slower).out, "the line is in the text")
    iterations, = rows(result, name="!$omp for", line=line, figure="iterations")
    same((iterations["outcome"], iterations["exact"]), ("same", 1), "iterations")
    same(heddle("compare", "--worse", "300%", old, "--", slower).status != WORSE, True, "a higher threshold is not reached")


def test_equal_runs_are_no_worse():
    old, equal, _, _ = groups()
    done = heddle("compare", "--json", old, "--", equal)
    same(done.status in (NO_WORSE, TOO_FEW), True, f"status {done.status}: {json.loads(done.out)['sentence']}")


def test_services_read_it():
    old, _, slower, line = groups()
    suite, = xml.etree.ElementTree.fromstring(heddle("compare", "--junit", old, "--", slower).out)
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    same(int(suite.get("failures")), len(failed), "failures")
    same(int(suite.get("tests")), len(suite), "test cases")
    check(any(f"@compared.c:{line}" in name for name in failed), f"failed are {failed}")
    results = must_be_sarif(heddle("compare", "--sarif", old, "--", slower).out)
    check(any(result.get("locations") and result["locations"][0]["physicalLocation"].get("region") == {"startLine": line} and
              result["level"] == "error" for result in results), f"no error at line {line}: {results}")
    text = heddle("compare", "--markdown", old, "--", slower).out
    check(re.search(r"^\| What \| Figure \|.*\n\|( -+:? \|)+\n\| the run \|", text, re.MULTILINE), text)


def test_a_history_has_the_run_of_the_change():
    old, equal, slower, line = groups()
    path = os.path.join(harness.directory(), "runs.jsonl")
    done = heddle("compare", "--json", "--history", path, old, equal, slower)
    result = json.loads(done.out)
    same(done.status, WORSE, f"status ({result['sentence']})")
    found = [change for change in result["changes"] if change["line"] == line and change["name"] == "!$omp for" and change["outcome"] == "slower"]
    check(found and all(os.path.dirname(change["run"]) == slower and change["run"].endswith("/0.heddle") for change in found), f"changes are {found}")


def test_the_script_of_the_guide_works():
    """docs/ci.md's, as far as no service is needed: the same program is old and new."""
    with open(os.path.join(harness.SOURCE, "..", "..", "docs", "ci.md"), encoding="utf-8") as file:
        block = re.search(r"((?:    .*\n)+)", file.read())[1]
    script = re.sub("^    ", "", block, flags=re.MULTILINE)
    check(script.startswith("# compare.sh"), script)
    directory = harness.directory()
    with open(os.path.join(directory, "compare.sh"), "w", encoding="utf-8") as file:
        file.write(script)
    path = os.path.dirname(harness.HEDDLE) + os.pathsep + os.environ["PATH"]
    done = harness.run(["sh", "compare.sh", program("compared"), program("compared")], cwd=directory, PATH=path, OMP_NUM_THREADS="2")
    check(done.status in (NO_WORSE, WORSE, TOO_FEW), f"status {done.status}: {done.err}")
    check("the run" in done.out, done.out)
    with open(os.path.join(directory, "compare.sarif"), encoding="utf-8") as file:
        must_be_sarif(file.read())
    xml.etree.ElementTree.parse(os.path.join(directory, "compare.xml"))
    check(os.path.getsize(os.path.join(directory, "compare.md")) > 0, "the comment of a review")
