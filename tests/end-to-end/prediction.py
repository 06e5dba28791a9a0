"""
Functions of a parameter, from traces of programs: counts that follow from the source are found exactly, and times add up.
What was not measured is marked as such. How far predicted times are off: tests/bench/prediction/run.
"""
import json
import os

from harness import check, directory, heddle, program, record, same


def ask(*arguments):
    done = heddle(*arguments)
    same((done.status, done.err), (0, ""), f"heddle {' '.join(arguments)}")
    return done.out


def sequences(where, sizes, parameter="size", vector="select=0", **settings):
    paths = []
    for size in sizes:
        trace = directory()
        record([program("lu"), str(size)], "-o", trace, "--no-switches", **settings)  # READY and OFF come by chance
        paths.append(os.path.join(where, "-".join([str(size), *settings.values()]) + ".pes"))
        ask("pes", trace, "--vector", vector, "--param", f"{parameter}={size}", "-o", paths[-1])
    return paths


def visits_are_as_in(run, predicted):
    """n - 1 regions of lu with two loops and a barrier each: what the initial thread does is linear in n, for all threads."""
    visits = {s["state"]: s["visits"] for s in json.loads(ask("model", run, "--json"))["states"]}
    for state in predicted["states"]:
        if state["state"] in visits:
            seen = visits[state["state"]]
            check(abs(state["visits"] - seen) <= 0.02 * seen + 2, f"{state}: {visits}")


def test_visits_of_lu_are_predicted_exactly():
    where = directory()
    train = sequences(where, (20, 30, 40, 60))
    (other,) = sequences(where, (50,))
    path = os.path.join(where, "fit.json")
    fit = json.loads(ask("fit", "--by", "size", "--json", "-o", path, *train))
    same([v["value"] for v in fit["values"]], ["20", "30", "40", "60"], "values")
    predicted = json.loads(ask("predict", "--param", "size=50", "--json", path))
    visits_are_as_in(other, predicted)
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


def test_what_was_not_measured_is_said():
    where = directory()
    train = sequences(where, (20, 30, 40))
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "size", "-o", path, *train)
    done = heddle("predict", "--param", "size=80", path)
    same(done.status, 1, "exit status outside")
    check("size=80 is 2.0x beyond the largest measured value, 40" in done.err, done.err)
    done = heddle("predict", "--param", "size=10", path)
    check("2.0x below the smallest measured value, 20" in done.err, done.err)
    wide = json.loads(ask("predict", "--param", "size=80", "--extrapolate", "--json", path))
    near = json.loads(ask("predict", "--param", "size=30", "--json", path))
    check("largest measured value" in wide["outside"] and "outside" not in near, f"{wide.get('outside')}, {near.get('outside')}")


def test_threads_and_size_are_predicted_together():
    where = directory()
    by_threads = {n: sequences(where, (20, 30, 40), OMP_NUM_THREADS=n) for n in ("2", "3", "4")}
    held_out = by_threads["3"].pop(1)
    train = sum(by_threads.values(), [])
    path = os.path.join(where, "fit.json")
    fit = json.loads(ask("fit", "--by", "threads", "--by", "size", "--json", "-o", path, *train))
    same([(v["value"], v["value2"]) for v in fit["values"]],
         [(n, z) for n in ("2", "3", "4") for z in ("20", "30", "40") if (n, z) != ("3", "30")], "pairs of values")
    check("others" not in fit, f"runs differ in nothing else: {fit.get('others')}")
    with open(path) as file:
        same(json.load(file)["version"], 2, "version of a fit with two parameters")
    predicted = json.loads(ask("predict", "--param", "size=30", "--param", "threads=3", "--json", path))
    same([predicted[key] for key in ("parameter", "value", "parameter2", "value2")], ["threads", "3", "size", "30"], "asked")
    visits_are_as_in(held_out, predicted)
    narrow = json.loads(ask("predict", "--param", "threads=3", "--param", "size=30", "--confidence", "90", "--json", path))
    check(narrow["total_high"]["ticks"] < predicted["total_high"]["ticks"], "an interval of 90 % is not within that of 95 %")
    check("probability 90 %" in narrow["interval"], narrow["interval"])
    one = json.loads(ask("fit", "--by", "size", "--json", *train))
    check("differ in OMP_NUM_THREADS (such as 2 and 3)" in one["others"], f"runs with other threads: {one['others']}")


def test_pairs_far_from_measured_ones_are_said_to_be_so():
    where = directory()
    along = sequences(where, (20, 30, 40), OMP_NUM_THREADS="1")
    train = along + [path for n in ("2", "4") for path in sequences(where, (20,), OMP_NUM_THREADS=n)]
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "threads", "--by", "size", "-o", path, *train)
    far = ("predict", "--param", "threads=4", "--param", "size=40")
    done = heddle(*far, path)
    same(done.status, 1, "exit status of a pair that is far from all")
    check("no measured run has threads of 4 or more and size of 40 or more; the nearest one is 2.0x away" in done.err, done.err)
    check("was not measured" in json.loads(ask(*far, "--extrapolate", "--json", path))["outside"], "a far pair")
    ask("predict", "--param", "threads=1", "--param", "size=35", path)
    for status, word, *arguments in ((1, "with --param threads=", "predict", "--param", "size=30", path),
                                     (1, "not of other", "predict", "--param", "other=3", "--param", "size=30", path),
                                     (2, "twice", "predict", "--param", "size=3", "--param", "size=30", path),
                                     (2, "at most twice", "predict", "--param", "a=1", "--param", "b=1", "--param", "c=1", path),
                                     (2, "same parameter", "fit", "--by", "threads", "--by", "OMP_NUM_THREADS", *train),
                                     (1, "3 or more values", "fit", "--by", "threads", "--by", "size", *along, train[3])):
        done = heddle(*arguments)
        same((done.status, len(done.err.splitlines())), (status, 1), f"{arguments}: {done.err}")
        check(word in done.err, f"{word} in {done.err}")


def test_categories_are_not_interpolated():
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


def test_mistakes_are_told_in_one_line():
    where = directory()
    train = sequences(where, (20, 30, 40))
    path = os.path.join(where, "fit.json")
    ask("fit", "--by", "size", "-o", path, *train)
    for status, *arguments in ((2, "fit", *train), (2, "fit", "--by", "size"), (1, "fit", "--by", "nothing", *train),
                               (1, "fit", "--by", "size", train[0], train[1]), (1, "fit", "--by", "size", path),
                               (2, "fit", "--by", "size", "--by", "threads", "--by", "kind", *train), (2, "predict", path),
                               (2, "predict", "--param", "size", path), (1, "predict", "--param", "threads=2", path),
                               (1, "predict", "--param", "size=many", path), (1, "predict", "--param", "size=30", train[0]),
                               (2, "predict", "--param", "size=30"), (2, "predict", "--param", "size=30", "-o", "x", path)):
        done = heddle(*arguments)
        same(done.status, status, f"exit status of {arguments} ({done.err})")
        same(len(done.err.splitlines()), 1, f"lines on stderr of {arguments}: {done.err}")
