"""`heddle tasks` of programs that know how many tasks they have, and which of them come after which."""
import csv
import io
import json

from harness import check, heddle, program, record, same, until_it_happens


def ask(trace, *options):
    done = heddle("tasks", "--json", *options, trace)
    same((done.status, done.err), (0, ""), "heddle tasks")
    return json.loads(done.out)


def adds_up(answer):
    """Sites and threads have the same tasks. Returns the answer."""
    same(sum(s["made"] for s in answer["sites"]), answer["made"], "tasks of all sites")
    for at, site in enumerate(answer["sites"], 1):
        threads = [t for t in answer["threads"] if t["site"] == at]
        same(sum(t["made"] for t in threads), site["made"], "made by all threads")
        same(sum(t["ran"] for t in threads), site["ended"], "executed by all threads")
        same(sum(t["stolen"] for t in threads), site["stolen"], "stolen by all threads")
        same(sum(t["run"]["ticks"] for t in threads), site["run"]["ticks"], "time of all threads")
    check(0 < answer["span"]["ticks"] <= answer["work"]["ticks"], f"span and work: {answer['span']}, {answer['work']}")
    return answer


def test_each_task_is_counted():
    done = record([program("nqueens"), "8"], "--budget", "none", OMP_NUM_THREADS="3")
    same(done.status, 0, "status")
    answer = adds_up(ask(done.trace))
    same((answer["made"], answer["ended"]), (done.truths()["tasks_completed"],) * 2, "tasks")
    same(len(answer["sites"]), 1, "sites")
    site, lengths = answer["sites"][0], answer["lengths"][0]
    check("nqueens.c:" in site["name"], f"its place: {site['name']}")
    check(lengths["run_median"]["ticks"] <= lengths["run_90"]["ticks"] <= lengths["run_max"]["ticks"], f"lengths: {lengths}")
    rows = list(csv.DictReader(io.StringIO(heddle("tasks", "--csv", done.trace).out.split("\n\n")[0].replace("\r", ""))))
    same([int(r["made"]) for r in rows], [site["made"]], "tasks in CSV")
    check(site["name"] in heddle("tasks", done.trace).out, "the text has the site")


def test_dependences_hold_tasks_back():
    """Tasks of 30, 50 and 20 ms in a row, and one of 10 ms beside the second."""
    def found():
        done = record([program("graph")], "--budget", "none")
        same(done.status, 0, "status")
        answer = adds_up(ask(done.trace))
        same(answer["made"], 4, "tasks")
        check(answer["work"]["seconds"] >= 0.110, f"work: {answer['work']}")
        check(answer["span"]["seconds"] >= 0.100, f"span: {answer['span']}")
        check(answer["span"]["seconds"] <= answer["work"]["seconds"] - 0.010, f"the short task is not in the span: {answer['span']}")
        same(sorted(l["held_tasks"] for l in answer["lengths"]), [0, 1, 1, 1], "tasks that were held back")
        held = sorted(l["held_median"]["seconds"] for l in answer["lengths"] if l["held_tasks"])
        check(held[0] >= 0.030 and held[2] >= 0.080, f"held back for {held}")
        return True if sum(t["ran"] > 0 for t in answer["threads"]) == 4 else None

    until_it_happens(found, "are all four tasks executed")


def test_a_program_without_tasks_has_none():
    done = record([program("lu"), "40"], "--budget", "none")
    same(done.status, 0, "status")
    same(ask(done.trace)["made"], 0, "tasks")
    check("The trace has no tasks." in heddle("tasks", done.trace).out, "the text says so")
