"""Periodograms, computed again here by the definition from what the program was traced to do; what can't be done is said in one line."""
import cmath
import csv
import json
import os

from harness import check, directory, heddle, program, record, same

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "pes", "philosophers.csl")


def ask(*arguments):
    done = heddle(*arguments)
    same((done.status, done.err), (0, ""), f"heddle {' '.join(arguments)}")
    return done.out


def powers(signal):
    """P_0 to P_(N/2) by the formulas, one sum a line."""
    n = len(signal)
    result = []
    for k in range(n // 2 + 1):
        total = sum(g * cmath.exp(-2j * cmath.pi * (j * k % n) / n) for j, g in enumerate(signal))
        result.append(abs(total) ** 2 / n * (1 if k == 0 or 2 * k == n else 2))
    return result


def near(one, other, whole):
    check(len(one) == len(other), f"{len(one)} lines, not {len(other)}")
    check(all(abs(a - b) <= 1e-9 * whole for a, b in zip(one, other)), f"{one} is not {other}")


def test_the_worked_example_in_all_formats():
    states = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 5, 6, 7, 8]
    said = json.loads(ask("spectrum", "--json", "--lines", "--bins", "3", EXAMPLE))
    near([line["power"] for line in said["lines"]], powers(states), 694)
    same((said["samples"], said["power"], said["squares"]), (20, 694.0, 694.0), "samples and sums")
    same([line["line"] for line in said["strongest"]][0], 2, "the strongest line")
    check(abs(sum(part["power"] for part in said["bins"]) - said["varying_power"]) < 1e-9, "bins don't add up")
    check("No period stands out" in said["verdict"], said["verdict"])
    rows = list(csv.reader(ask("spectrum", "--csv", "--lines", EXAMPLE).splitlines()))
    near([float(row[2]) for row in rows[-11:]], powers(states), 694)
    check("Sum of powers         694\n" in ask("spectrum", EXAMPLE), "the text has no sum")


def test_a_traced_program_as_its_sequence_says():
    where = directory()
    trace, run, text = directory(), os.path.join(where, "run.pes"), os.path.join(where, "run.csl")
    record([program("philosophers"), "5", "20"], "-o", trace)
    ask("pes", trace, "--vector", "counts", "-o", run)
    ask("pes", run, "--csl", "-o", text)
    same(ask("spectrum", "--json", text), ask("spectrum", "--json", run), "what the text form gives")
    for more in (("--samples", "64"), ("--domain", "time", "--samples", "100")):
        said = json.loads(ask("spectrum", "--json", "--lines", *more, run))
        check(abs(said["power"] - said["squares"]) <= 1e-9 * said["squares"], f"{said['power']} is not {said['squares']}")
        same(len(said["lines"]), said["samples"] // 2 + 1, "lines")
        same([line["power"] for line in said["strongest"]],
             sorted((line["power"] for line in said["lines"][1:]), reverse=True)[:10], "the strongest lines")


def test_a_period_is_said_in_a_sentence():
    path = os.path.join(directory(), "cycle.csl")
    with open(path, "w") as file:
        file.write("Program Cycle;\nbegin\nSetup:\n  maxcomps = 1\n  Component 0 = 'Phase', 3, char;\n"
                   "    0=Compute,C; 1=Send,S; 2=Wait,W\nTrace:\n")
        for cycle in range(60):
            for state, at in ((0, 0), (1, 50 + cycle * 7 % 5), (2, 70)):
                file.write(f"{100 * cycle + at} <{state}>\n")
        file.write("6000 <0>\nend.\n")
    said = json.loads(ask("spectrum", "--json", "--domain", "time", "--delta", "2", "--signal", "state=C", path))
    same(said["period"]["ticks"], 100.0, "the period in ticks")
    check(said["verdict"].startswith("A period of 100 stands out"), said["verdict"])
    said = json.loads(ask("spectrum", "--json", "--signal", "state=C", path))
    same(said["period"], 3.0, "the period in events")


def test_mistakes_are_told_in_one_line():
    missing = os.path.join(directory(), "missing")
    for status, *arguments in ((2,), (2, "--domain", "space", EXAMPLE), (2, "--signal", "noise", EXAMPLE),
                               (2, "--delta", "5", EXAMPLE), (2, "--delta", "0", "--domain", "time", EXAMPLE),
                               (2, "--samples", "16777217", EXAMPLE), (2, "--top", "0", EXAMPLE), (2, "--bins", "x", EXAMPLE),
                               (2, "--json", "--csv", EXAMPLE), (2, EXAMPLE, EXAMPLE), (1, missing),
                               (1, "--samples", "21", EXAMPLE), (1, "--signal", "state=\x1bX", EXAMPLE),
                               (1, "--signal", "component=2", EXAMPLE), (1, "--domain", "time", "--delta", "100", EXAMPLE),
                               (1, "--domain", "time", "--samples", "16777213", EXAMPLE)):
        done = heddle("spectrum", *arguments)
        same((done.status, done.out), (status, ""), f"exit status of {arguments} ({done.err})")
        same(len(done.err.splitlines()), 1, f"lines on stderr of {arguments}: {done.err}")
        check("\x1b" not in done.err, "a name is not escaped")
