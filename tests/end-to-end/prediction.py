#!/usr/bin/python3
"""
Functions of a parameter, of programs that were traced: counts that follow from the source are found exactly, times add up, and
what was not measured is said to be so. How far predicted times are off: tests/bench/prediction/run.
"""
import json
import os

from harness import check, directory, heddle, main, program, record, same, test


def ask(*arguments):
    done = heddle(*arguments)
    same((done.status, done.err), (0, ""), f"heddle {' '.join(arguments)}")
    return done.out


def sequences(where, sizes, parameter="size", vector="select=0"):
    paths = []
    for size in sizes:
        trace = directory()
        record([program("lu"), str(size)], "-o", trace)
        paths.append(os.path.join(where, f"{size}.pes"))
        ask("pes", trace, "--vector", vector, "--param", f"{parameter}={size}", "-o", paths[-1])
    return paths


@test
def visits_of_lu_are_predicted_exactly():
    where = directory()
    train = sequences(where, (20, 30, 40, 60))
    (other,) = sequences(where, (50,))
    path = os.path.join(where, "fit.json")
    fit = json.loads(ask("fit", "--by", "size", "--json", "-o", path, *train))
    same([v["value"] for v in fit["values"]], ["20", "30", "40", "60"], "values")
    model = {s["state"]: s["visits"] for s in json.loads(ask("model", other, "--json"))["states"]}
    predicted = json.loads(ask("predict", "--param", "size=50", "--json", path))
    for state in predicted["states"]:
        if state["state"] in model:  # n - 1 regions with two loops and a barrier each: all counts are linear
            check(abs(state["visits"] - model[state["state"]]) <= 0.02 * model[state["state"]] + 2, f"{state}: {model}")
    total = sum(s["time"]["ticks"] for s in predicted["states"])
    check(abs(total - predicted["total"]["ticks"]) <= 1e-9 * total, f"times add up to {total}, not to {predicted['total']}")
    check(abs(sum(s["part"] for s in predicted["states"]) - 100) < 1e-6, "parts don't add up")
    check(abs(sum(s["longrun"] for s in predicted["states"]) - 1) < 1e-6, "long-run parts don't add up")
    leaving = {}
    for edge in predicted["transitions"]:
        leaving[edge["from"]] = leaving.get(edge["from"], 0) + edge["probability"]
    check(all(abs(row - 1) < 1e-9 for row in leaving.values()), f"rows add up to {leaving}")
    for time in [predicted["total"]["ticks"]] + [s["time"]["ticks"] for s in predicted["states"]]:
        check(time >= 0, "a time is negative")


@test
def what_was_not_measured_is_said():
    where = directory()
    train = sequences(where, (20, 30, 40))
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "size", "-o", path, *train)
    done = heddle("predict", "--param", "size=80", path)
    same(done.status, 1, "exit status outside")
    check("size=80 is 2.0x beyond the largest seen, 40: not measured there" in done.err, done.err)
    done = heddle("predict", "--param", "size=10", path)
    check("2.0x below the smallest seen, 20" in done.err, done.err)
    wide = json.loads(ask("predict", "--param", "size=80", "--extrapolate", "--json", path))
    near = json.loads(ask("predict", "--param", "size=30", "--json", path))
    check("not measured there" in wide["outside"] and "outside" not in near, f"{wide.get('outside')}, {near.get('outside')}")


@test
def categories_are_not_interpolated():
    where = directory()
    (run,) = sequences(where, (20,))
    paths = []
    for schedule in ("static", "dynamic,4"):
        paths.append(os.path.join(where, schedule + ".pes"))
        ask("pes", run, "--param", f"kind={schedule}", "-o", paths[-1])
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "kind", "-o", path, *paths)
    known = json.loads(ask("predict", "--param", "kind=static", "--json", path))
    whole = json.loads(ask("model", run, "--json"))["duration"]["ticks"]
    check(abs(known["total"]["ticks"] - whole) < 0.5, "a measured value is not what was measured")
    done = heddle("predict", "--param", "kind=guided", path)
    same((done.status, len(done.err.splitlines())), (1, 1), f"a value that was not seen: {done.err}")


@test
def mistakes_are_told_in_one_line():
    where = directory()
    train = sequences(where, (20, 30, 40))
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "size", "-o", path, *train)
    for status, *arguments in ((2, "fit", *train), (2, "fit", "--by", "size"), (1, "fit", "--by", "nothing", *train),
                               (1, "fit", "--by", "size", train[0], train[1]), (1, "fit", "--by", "size", path),
                               (2, "fit", "--by", "size", "--by", "threads", *train), (2, "predict", path),
                               (2, "predict", "--param", "size", path), (1, "predict", "--param", "threads=2", path),
                               (1, "predict", "--param", "size=many", path), (1, "predict", "--param", "size=30", train[0]),
                               (2, "predict", "--param", "size=30"), (2, "predict", "--param", "size=30", "-o", "x", path)):
        done = heddle(*arguments)
        same(done.status, status, f"exit status of {arguments} ({done.err})")
        same(len(done.err.splitlines()), 1, f"lines on stderr of {arguments}: {done.err}")


main()
