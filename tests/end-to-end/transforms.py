"""
Sequences of program states, transformed by the command and read from its CSL text: worked example, lists, files, errors.
"""
import hashlib
import json
import os
import re
import shlex

import pytest

from harness import SOURCE, check, directory, heddle, program, record, same

DINING = os.path.join(SOURCE, "..", "data", "pes", "philosophers.csl")


class Sequence:
    """CSL text, read by a parser of the tests' own: names of states, entries, the end."""

    def __init__(self, text):
        setup, trace = text.split("Trace:")
        components = {}
        for first, last, values in re.findall(r"Component (\d+)(?:-(\d+))? = [^;]*;([^:]*?)(?=Component|$)", setup, re.S):
            names = {int(i): code.strip() for i, code in re.findall(r"(\d+)\s*=\s*[^,;]+,\s*([^;\s]+)", values)}
            for number in range(int(first), int(last or first) + 1):
                components[number] = names
        self.records = []
        for entry, vector in re.findall(r"(\d+)\s*<([^>]*)>", trace):
            state = "".join(components[i][int(v)] for i, v in enumerate(vector.split(",")))
            self.records.append((state, int(entry)))
        until = re.search(r"Until\s+(\d+)", trace)
        self.terminal = None if until else self.records.pop()[0]
        self.end = int(until[1]) if until else int(re.findall(r"(\d+)\s*<", trace)[-1])

    def states(self):
        return [state for state, _ in self.records]

    def occupancies(self):
        entries = [entry for _, entry in self.records] + [self.end]
        return [b - a for a, b in zip(entries, entries[1:])]


def transformed(*arguments, source=DINING):
    done = heddle("transform", source, *arguments, "--csl", "-o", "-")
    same((done.status, done.err), (0, ""), f"status and messages of {arguments}")
    return Sequence(done.out)


def write_letters(path, letters):
    """CSL text of a sequence of these states; a state takes ten ticks."""
    values = sorted(set(letters))
    with open(path, "w", encoding="ascii") as file:
        file.write(f"Program Letters;\nbegin\nSetup:\n  maxcomps = 1\n  Component 0 = 'Letter', {len(values)}, char;\n    ")
        file.write("; ".join(f"{i}={value},{value}" for i, value in enumerate(values)) + "\nTrace:\n")
        file.writelines(f"  {10 * i} <{values.index(letter)}>\n" for i, letter in enumerate(letters))
        file.write("end.\n")


def contents(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_the_sequence_itself_is_read_and_written():
    with open(DINING, encoding="ascii") as file:
        original = Sequence(file.read())
    same(len(original.records), 20, "records of the example")
    same(sum(original.occupancies()), 210, "its duration")
    for written in (transformed(), transformed("--filter-count", "2", "--upto", "0")):
        same((written.records, written.end, written.terminal), (original.records, original.end, original.terminal), "sequence")


def records(command, *arguments):
    done = heddle(command, *arguments, "--json")
    same((done.status, done.err), (0, ""), f"status and messages of {command} {arguments}")
    return json.loads(done.out)["records"]


def test_records_are_those_of_the_sequence_and_say_what_they_stand_for():
    with open(DINING, encoding="ascii") as file:
        original = Sequence(file.read())
    rows = records("pes", "--records", DINING)
    same([(row["name"], row["entry"]) for row in rows], original.records, "records")
    same([row["duration"] for row in rows], original.occupancies(), "durations")
    same([row["number"] for row in rows], list(range(1, 21)), "numbers")
    same([row["since_begin"] for row in rows], [entry - original.records[0][1] for _, entry in original.records], "times since the begin")
    same({row["kind"] for row in rows}, {"basic"}, "kinds")
    same({row["stands_for"] for row in rows if row["name"] == "EA1"}, {"Philosopher=Eat, Philosopher=Acq1"}, "what EA1 stands for")
    rows = records("transform", "--filter-time", "0.147", "--records=3-5", DINING)
    same([(row["number"], row["name"], row["kind"]) for row in rows], [(3, "T2", "filter"), (4, "A1E", "basic"), (5, "T3", "filter")], "rows")
    same([row["duration"] for row in rows], [48, 18, 44], "durations of aggregates")
    stands_for = {row["name"]: row["stands_for"] for row in records("transform", "--filter-time", "0.147", "--records", DINING)}
    check(stands_for["T2"].startswith("after EA1, before A1E: "), stands_for["T2"])
    same(len(re.findall(r"\(\d+x\)", stands_for["T2"])), 2, "its sequences")
    rows = records("transform", "--aggregate", "R2A2,TA2,TE=Z", "--records", DINING)
    same({row["stands_for"] for row in rows if row["name"] == "Z"}, {"R2A2 TA2 TE (2x)"}, "what Z stands for")
    for wrong in ("0", "x", "3-1", "1,2"):
        done = heddle("pes", f"--records={wrong}", DINING)
        same((done.status, len(done.err.splitlines())), (2, 1), f"--records={wrong} ({done.err})")
    same(heddle("transform", "--records", "--suggest", DINING).status, 2, "--records with --suggest")


def test_the_worked_example():
    rare = transformed("--filter-time", "0.147")
    # In CSL text aggregates are values of one component; a terminal state is an entry of its own.
    same(rare.states(), "T1 EA1 T2 A1E T3 EA1 T2 A1E".split(), "filtered by time")
    same((rare.occupancies(), rare.terminal), ([20, 15, 48, 18, 44, 16, 34, 15], "A1R1"), "its occupancies")
    both = transformed("--filter-time", "0.147", "--filter-count", "2")
    same(both.states(), "T4 EA1 T2 A1E T5 EA1 T2 A1E".split(), "filtered again")
    same(both.occupancies(), rare.occupancies(), "its occupancies")
    pattern = transformed("--aggregate", "R2A2,TA2,TE=Z")
    same(pattern.occupancies(), [10, 10, 15, 12, 4, 32, 18, 17, 1, 16, 1, 9, 16, 12, 22, 15], "aggregated")
    for arguments in (["--clip-ends", "8,8"], ["--clip-range", "9,12"], ["--clip-time", "1633,1669"]):
        clipped = transformed(*arguments)
        same((clipped.states(), clipped.occupancies()), ("A1E A1R1 A2R1 A2R2".split(), [18, 17, 1, 16]), "clipped")
        same((clipped.end, clipped.terminal), (1685, None), "its end")
    first = transformed("--project", "0")
    same(first.states(), "A2 E R1 R2 T A1 A2 E R1 R2 T A1".split(), "first philosopher")
    same([entry for _, entry in first.records], [1550, 1560, 1585, 1597, 1607, 1633, 1668, 1686, 1711, 1723, 1731, 1745], "when")
    same(len(transformed("--project", "0", "--no-merge").records), 20, "records that are not merged")


def test_replay_gives_the_same_bytes_and_the_original_stays():
    at = directory()
    source, steps = os.path.join(at, "run.pes"), os.path.join(at, "steps.txt")
    same(heddle("transform", DINING, "-o", source).status, 0, "status of conversion")
    before = contents(source)
    arguments = ["--clip-time", "1560,", "--filter-time", "14.7%", "--filter-count", "2", "--project", "0", "--no-merge",
                 "--aggregate", "A1,T5=again"]
    outputs = [os.path.join(at, f"{i}.pes") for i in range(4)]
    done = heddle("transform", source, *arguments, "-o", outputs[0], "--save-list", steps)
    same((done.status, done.out), (0, ""), "status and output")
    for output in outputs[1:]:
        same(heddle("transform", source, "--list", steps, "-o", output).status, 0, "status of replay")
    same({contents(output) for output in outputs}, {contents(outputs[0])}, "what replay gives")
    same(contents(source), before, "the original")
    # Undone to the third step, and the rest done on what that gave.
    half = os.path.join(at, "half.pes")
    same(heddle("transform", source, "--list", steps, "--upto", "3", "-o", half).status, 0, "status of half the list")
    rest = transformed("--project", "0", "--no-merge", "--aggregate", "A1,T5=again", source=half)
    whole = transformed("--list", steps, source=source)
    same((rest.records, rest.end), (whole.records, whole.end), "halves of the list")


def test_lists_are_compared_on_the_same_sequence():
    at = directory()
    other = os.path.join(at, "other.txt")
    with open(other, "w", encoding="ascii") as file:
        file.write("# what happens twice\naggregate R2A2,TA2,TE=Z\n")
    done = heddle("transform", DINING, "--filter-time", "0.147", "--compare", other, "--json")
    same(done.status, 0, "status")
    none, own, others = json.loads(done.out)["lists"]
    same([(l["records"], l["states"], l["transitions"], l["duration"]["ticks"]) for l in (none, own, others)],
         [(20, 12, 13, 210), (8, 5, 5, 210), (16, 10, 11, 210)], "records, states, transitions, duration")
    same(round(own["in_filter_aggregates"] * 2.1), 20 + 48 + 44 + 34, "ticks in aggregates of the filter")
    same(round(others["in_pattern_aggregates"] * 2.1), 54, "ticks in the pattern's")


def test_a_preview_changes_nothing():
    done = heddle("transform", DINING, "--aggregate", "R2A2,TA2,TE=Z", "--preview", "--json")
    same(done.status, 0, "status")
    answer = json.loads(done.out)
    same((answer["records_before"], answer["records"]), (20, 16), "records")
    same([(s["state"], s["count"], s["time"]["ticks"]) for s in answer["states"]], [("Z", 2, 54)], "what would be there")
    same([(p["entry"], p["time"]["ticks"]) for p in answer["places"]], [(1601, 32), (1723, 22)], "where")
    nowhere = heddle("transform", DINING, "--aggregate", "A2T,A2T", "--preview")
    check("no aggregate" in nowhere.out, f"says {nowhere.out}")


def test_suggested_steps_do_what_they_say():
    """For a sequence that repeats a pattern 199 times: the printed steps, as a shell takes them."""
    path = os.path.join(directory(), "repeating.csl")
    write_letters(path, "XY" + "ABDACD" * 199 + "Z")
    done = heddle("transform", "--suggest", "--json", path)
    same((done.status, done.err), (0, ""), "status and messages")
    found = json.loads(done.out)
    same([(p["count"], p["records"], p["step"]) for p in found["patterns"]], [(199, 6 * 199, "--aggregate 'A,B,D,A,C,D'")], "patterns")
    for row, kind in [(found["patterns"][0], "pattern"), *((row, "filter") for row in found["filters"])]:
        compared = json.loads(heddle("transform", *shlex.split(row["step"]), "--compare", os.devnull, "--json", path).out)["lists"]
        same(compared[1][f"in_{kind}_aggregates"], row["share"], row["step"])


def test_a_traced_program_keeps_its_duration():
    at = directory()
    source, other = os.path.join(at, "run.pes"), os.path.join(at, "other.txt")
    done = record([program("philosophers")], OMP_NUM_THREADS="3")
    same(done.status, 0, "status of recording")
    same(heddle("pes", done.trace, "-o", source).status, 0, "status of heddle pes")
    with open(other, "w", encoding="ascii") as file:
        file.write("filter-count 5\nproject 0\nfilter-time 1%\n")
    done = heddle("transform", source, "--filter-time", "5%", "--drop", "0", "--compare", other, "--json")
    same((done.status, done.err), (0, ""), "status and messages")
    none, *lists = json.loads(done.out)["lists"]
    check(none["records"] > 10 and none["duration"]["ticks"] > 0, f"a sequence: {none}")
    for transformed_one in lists:
        same(transformed_one["duration"], none["duration"], "duration")
        check(0 < transformed_one["records"] < none["records"], f"records: {transformed_one}")


WRONG = {
    "no_step": (["--filter-time", "1h", "-o", "x"], 2, "unit is unknown"),
    "no_state": (["--aggregate", "nobody", "-o", "x"], 1, "no state nobody"),
    "no_component": (["--project", "7", "-o", "x"], 1, "their numbers are 0 to 1"),
    "no_output": (["--filter-count", "2"], 2, "-o FILE"),
    "no_list": (["--list", "missing.txt", "-o", "x"], 1, "missing.txt"),
    "no_plugin": (["--plugin", "missing.so", "-o", "x"], 1, "missing.so"),
    "no_projection": (["--filter-count", "2", "--no-merge", "-o", "x"], 2, "--no-merge"),
    "no_place": (["-o", "/nowhere/at/all.pes"], 1, "/nowhere/at/all.pes"),
}


@pytest.mark.parametrize("case", sorted(WRONG))
def test_what_is_wrong_is_one_clear_line(case):
    arguments, status, words = WRONG[case]
    at = directory()
    done = heddle("transform", DINING, *arguments, cwd=at)
    same((done.status, done.out), (status, ""), f"status and output of {arguments}")
    check(words in done.err and done.err.count("\n") == 1, f"says {done.err!r}")
    same(os.listdir(at), [], "what was written")


def test_a_list_with_an_error_says_its_line():
    at = directory()
    steps = os.path.join(at, "steps.txt")
    with open(steps, "w", encoding="ascii") as file:
        file.write("# good\nfilter-count 2\nfilter-coutn 3\n")
    done = heddle("transform", DINING, "--list", steps, "-o", os.path.join(at, "x"))
    same((done.status, done.err), (1, f"heddle transform: {steps}:3: there is no step filter-coutn\n"), "status and message")


def test_the_sequence_is_never_written_over():
    at = directory()
    source, link = os.path.join(at, "run.pes"), os.path.join(at, "link.pes")
    same(heddle("transform", DINING, "-o", source).status, 0, "status of conversion")
    os.link(source, link)
    before = contents(source)
    for output in (source, link):
        done = heddle("transform", source, "--project", "0", "-o", output)
        same(done.status, 1, "status")
        check("the sequence itself" in done.err, f"says {done.err!r}")
    same(contents(source), before, "the original")
