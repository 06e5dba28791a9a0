"""
The benchmark of storms works: with few executions, each row of its table is there and each cell is a number. Nothing is
said about the numbers. usage: works.py BUILD
"""
import csv
import math
import os
import subprocess
import sys

RUN = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "run"), "--build", sys.argv[1], "--quick"]
ROWS = {"libomp": 59, "libgomp": 57, "java": 13}
BUILT = {"libomp": "storms", "libgomp": "storms-gcc", "java": "Storms.class"}
NAMES = {"storm", "runtime", "threads", "regions"}
RATIOS = {name + which for name in ("empty", "floor") for which in ("", "_low", "_high")}


def check(holds, what):
    if not holds:
        sys.exit(f"works.py: {what}")


def run(*options):
    return subprocess.run(RUN + list(options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def may_be_empty(row, column):
    # OMPT tools are not for Java. Monitors are recorded only if a thread waits for them.
    monitor = row["storm"] in ("critical", "synchronized", "contended")
    return row["runtime"] == "java" and (column in RATIOS or (column == "recorded" and monitor))


def cells_are_numbers(row):
    for column, cell in row.items():
        if column in NAMES or (cell == "" and may_be_empty(row, column)):
            continue
        try:
            number = float(cell)
        except (TypeError, ValueError):
            number = math.nan
        check(math.isfinite(number) and number > 0, f"{column} is {cell!r} in {row}")
    check(int(row["executions"]) == (20000 if row["storm"] == "mesh" else 400), f"other executions than asked for: {row}")
    for name in ("empty", "floor", "all", "default"):
        if row[name]:
            check(row[name + "_low"] == row[name] == row[name + "_high"], f"one round has no spread: {row}")


def main():
    done = run("--csv")
    check(done.returncode == 0, f"it ended with {done.returncode}: {done.stderr}")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    own = os.path.join(sys.argv[1], "tests", "bench", "storms")
    for runtime, count in ROWS.items():
        built = os.path.exists(os.path.join(own, BUILT[runtime]))
        of = {tuple(row[name] for name in sorted(NAMES)) for row in rows if row["runtime"] == runtime}
        check(len(of) == (count if built else 0), f"{runtime} has {len(of)} different rows")
        check(built or f"{runtime} is left out" in done.stderr, f"{runtime} is missing, and nothing says so: {done.stderr}")
    check(len(rows) == sum(ROWS[runtime] for runtime in {row["runtime"] for row in rows}), "a row is there twice")
    for row in rows:
        cells_are_numbers(row)
    text = run("--runtime", "libomp", "lock").stdout.splitlines()
    check(len(text) == 1 + 4 + 1 and all(line.startswith("lock ") for line in text[1:5]), f"not a table of four rows: {text}")
    check(len({len(line) for line in text[:5]}) == 1, f"columns are not below each other: {text}")
    check(run("gale").returncode == 2 and run("--rounds", "0").returncode == 2, "wrong usage is not refused")
    print(f"{len(rows)} rows of {len(rows[0])} cells")


main()
