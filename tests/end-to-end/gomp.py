"""
OMPT on libgomp: the callbacks of libheddle-gomp.so for programs compiled by gcc and gfortran, beside the callbacks of libomp
for the same programs. What differs is in the table "Differences" of docs/libgomp.md, and nothing else may.

`gomp.py --write PROGRAM [NAME=value]...` prints what callback_log.c sees, as a draft of a file in expected/gomp/;
`gomp.py --differences [CONSTRUCT]...` prints the rows that the table would need.
"""
import collections
import fnmatch
import os
import re
import sys

import pytest

import sequences
from harness import GOMP, PROGRAMS, SOURCE, check, preloading

DOCUMENT = os.path.join(SOURCE, "..", "..", "docs", "libgomp.md")
LIBGOMP = {"LD_PRELOAD": preloading(GOMP), "OMP_CANCELLATION": "true"}
LIBOMP = {"OMP_CANCELLATION": "true"}


def names_in(folder):
    """Programs that gcc compiled, in a folder of the build tree."""
    below = os.path.join(SOURCE, "..", "programs", folder)
    return sorted(f"{folder}/{f.rsplit('.', 1)[0]}" for f in os.listdir(below) if f.endswith((".c", ".cpp", ".f90")))


HAVE_TESTS_OF_THEIR_OWN = ["gomp/plugin", "gomp/plugin_host", "gomp/both_host", "gomp/serial", "gomp/fork_in_callback", "gomp/error_fatal", "gomp/unreported", "gomp/inline", "gomp/inline_library", "gomp/tools_library"]
CONSTRUCTS = names_in("constructs")
OF_GCC = [n for n in names_in("gomp") if n not in HAVE_TESTS_OF_THEIR_OWN]
FORTRAN = ["fortran/" + n for n in ("detach", "locks", "loops", "nested", "parallel", "reductions", "sections", "tasks", "workshare")]
EXPECTED = sorted(f[:-4] for f in os.listdir(os.path.join(SOURCE, "expected", "gomp")) if f.endswith(".txt"))


def built(name, level=""):
    """A program by gcc; at -O2 where no other level is given."""
    path = os.path.join(PROGRAMS, "gcc" + level, name)
    check(os.path.exists(path), f"{path} is missing; build the target gomp-programs")
    return path


@pytest.mark.parametrize("name", EXPECTED)
def test_records_are_the_callbacks(name):
    """expected/gomp/<folder>.<program>.txt"""
    sequences.same_as_expected(os.path.join("gomp", name), [built(name.replace(".", "/", 1))], LD_PRELOAD=LIBGOMP["LD_PRELOAD"])


def profile(threads):
    """How often each callback came, whatever the thread and the order; chunks by their number and their iterations."""
    n = collections.Counter()
    for line in (line for lines in threads for line in lines):
        line = re.sub(r" id=\S+| prior=\S+| next=\S+", "", line)
        chunk = re.fullmatch(r"chunk (kind=\d+) first=-?\d+ iterations=(\d+)", line)
        if chunk:
            n[f"chunk {chunk[1]}"] += 1
            n[f"iterations {chunk[1]}"] += int(chunk[2])
        elif not line.startswith("thread_"):
            n[line] += 1
    return n


def differences(name):
    """{callback: (times on libomp, times on libgomp)}, where they are not the same."""
    on_libomp = profile(sequences.callbacks([os.path.join(PROGRAMS, name)], LIBOMP))
    on_libgomp = profile(sequences.callbacks([built(name)], LIBGOMP))
    return {line: (on_libomp[line], on_libgomp[line]) for line in sorted(on_libomp | on_libgomp)
            if on_libomp[line] != on_libgomp[line]}


def table():
    """The rows of the document: [(patterns of programs, pattern of callbacks, times on libomp, times on libgomp)]."""
    text = open(DOCUMENT).read()
    section = text[text.index("\n## Differences\n"):].split("\n## ")[1]
    rows = [[column.strip() for column in line.strip("|\n").split("|")] for line in section.splitlines() if line.startswith("| `")]
    check(rows and all(len(row) == 5 for row in rows), f"{DOCUMENT} has rows of other than five columns: {rows}")
    return [(re.findall("`(.*?)`", programs), callback.strip("`"), times) for programs, callback, *times, _ in rows]


def as_said(said, n, on_libomp):
    """Whether n is what a row says of it: a number, n for any number, or n-1 for one less than on libomp."""
    return {"n": True, "n-1": n == on_libomp - 1}.get(said, said == str(n))


def is_listed(rows, name, line, times):
    return any(any(fnmatch.fnmatchcase(os.path.basename(name), p) for p in programs) and fnmatch.fnmatchcase(line, callback) and
               all(as_said(said, n, times[0]) for said, n in zip(listed, times)) for programs, callback, listed in rows)


@pytest.mark.parametrize("name", [os.path.basename(n) for n in CONSTRUCTS])
def test_libgomp_tells_what_libomp_tells(name):
    rows = table()
    not_listed = {line: times for line, times in differences("constructs/" + name).items() if not is_listed(rows, name, line, times)}
    check(not not_listed, f"differences that docs/libgomp.md does not list, (libomp, libgomp): {not_listed}")


def test_every_listed_difference_is_one():
    rows, all_differences = table(), {name: differences(name) for name in CONSTRUCTS}
    for row in rows:
        check(any(is_listed([row], name, line, times) for name in CONSTRUCTS for line, times in all_differences[name].items()),
              f"docs/libgomp.md lists {row}, which is no difference")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        sequences.write([built(sys.argv[2])], ["LD_PRELOAD=" + LIBGOMP["LD_PRELOAD"], *sys.argv[3:]])
    elif sys.argv[1:2] == ["--differences"]:
        for name in sys.argv[2:] or [os.path.basename(n) for n in CONSTRUCTS]:
            for line, times in differences("constructs/" + name).items():
                print(f"| `{name}` | `{line}` | {times[0]} | {times[1]} |")
