#!/usr/bin/python3
"""`heddle intervals`: what it finds in traces of real programs is what follows from the archives' events one by one."""
import csv
import io
import json
import os

from harness import PROGRAMS, check, directory, heddle, main, program, record, same, skip, test
from trace import Trace

MESSAGES = os.path.join(PROGRAMS, "user", "messages")
SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "messages.spec")


def messages():
    if not os.path.exists(MESSAGES):
        skip(f"there is no {MESSAGES}: its compiler is missing")
    done = record([MESSAGES], "--budget", "none")
    same((done.status, done.out), (0, "done\n"), "status and output")
    return done.trace


def events(trace, name):
    """(time, thread, src, seq) of all of a type."""
    return sorted((e.time, number, e.attributes["src"], e.attributes["seq"])
                  for number, location in enumerate(Trace(trace).locations) for e in location.events
                  if e.kind == "Enter" and e.region.name == name)


def asked(text, trace, *options, status=0):
    spec = os.path.join(directory(), "spec")
    with open(spec, "w", encoding="utf-8") as file:
        file.write(text)
    done = heddle("intervals", "--spec", spec, *options, trace)
    same(done.status, status, f"status ({done.err})")
    return done


@test
def each_message_arrives_once():
    trace = messages()
    sent, received = events(trace, "Sendmsg"), events(trace, "Recvmsg")
    same((len(sent), len(received)), (220, 220), "messages and answers")
    arrival = {(src, seq): (time, thread) for time, thread, src, seq in received}
    transit = sorted((arrival[src, seq][0] - time, thread, arrival[src, seq][1]) for time, thread, src, seq in sent)
    done = heddle("intervals", "--spec", SPEC, "--json", trace)
    same((done.status, done.err), (0, ""), "status, standard error")
    answer = json.loads(done.out)
    rows = {row["interval"]: row for row in answer["intervals"]}
    same([(rows[name]["count"], rows[name]["unmatched_starts"], rows[name]["unmatched_ends"]) for name in ("Transit", "Answered")],
         [(220, 0, 0), (20, 180, 0)], "counts")
    same((rows["Transit"]["total"]["ticks"], rows["Transit"]["min"]["ticks"], rows["Transit"]["max"]["ticks"]),
         (sum(ticks for ticks, *_ in transit), transit[0][0], transit[-1][0]), "times")
    median = transit[109][0]
    check(median <= rows["Transit"]["p50"]["ticks"] <= median * 33 / 32, "the median is exact to 1/32")
    same({(row["from_location"], row["to_location"]): row["count"] for row in answer["threads"] if row["interval"] == "Transit"},
         {(0, 1): 200, (1, 0): 20}, "threads")
    same([(row["held"], row["violated"]) for row in answer["assertions"]], [(220, 0)], "assertions")
    listed = heddle("intervals", "--spec", SPEC, "--list", "--csv", trace)
    rows = list(csv.DictReader(io.StringIO(listed.out.split("\n\n")[0])))
    same(sorted(int(row["duration_ticks"]) for row in rows if row["interval"] == "Transit"), [ticks for ticks, *_ in transit],
         "the list has the same times")


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@test
def tables_of_events_and_intervals_are_beside_that_of_states():
    trace, where = messages(), directory()
    done = heddle("export", "--to", "csv", "--spec", SPEC, "-o", os.path.join(where, "run.csv"), trace)
    same((done.status, done.out, done.err), (0, "", ""), "heddle export")
    same(sorted(os.listdir(where)), ["run.csv", "run.events.csv", "run.intervals.csv"], "files")
    told = sorted((row["event"], int(row["location"]), int(row["attribute.src"]), int(row["attribute.seq"])) for row in table(os.path.join(where, "run.events.csv")))
    same(told, sorted((name, thread, src, seq) for name in ("Sendmsg", "Recvmsg") for _, thread, src, seq in events(trace, name)), "events")
    for name, options in (("events", ["events"]), ("intervals", ["intervals", "--spec", SPEC])):
        printed = heddle(*options, "--list", "--csv", trace).out.split("\n\n")[0]
        same(table(os.path.join(where, f"run.{name}.csv")), list(csv.DictReader(io.StringIO(printed))), f"the list that `heddle {name}` prints")
    same(heddle("export", "--to", "csv", "-o", os.path.join(where, "part.states.csv"), "--only-threads", "0", trace).status, 0, "a part")
    same({row["location"] for row in table(os.path.join(where, "part.events.csv"))}, {"0"}, "threads of the part")
    check(not os.path.exists(os.path.join(where, "part.intervals.csv")), "intervals without a specification")
    for arguments, status in (["--to", "csv", "-o", "-", "--spec", SPEC], 2), (["--to", "paje", "--spec", SPEC], 2), (["--to", "csv", "-o", where, "--spec", "/nowhere"], 1):
        done = heddle("export", *arguments, trace)
        same((done.status, done.out, done.err.count("\n")), (status, "", 1), f"{arguments}: {done.err}")


@test
def assertions_that_fail_are_told_from_bad_input():
    trace = messages()
    text = """event Sendmsg(src, seq) event Recvmsg(src, seq) interval T [ s:Sendmsg -> r:Recvmsg ] Match
              assert { T.time < 0 s } assert { count(T) == 220 && max(T) >= LEAST } assert { count(T) == 1 }"""
    done = asked(text, trace, "--define", "LEAST=1 ns", "--json", status=1)
    same([(row["held"], row["violated"]) for row in json.loads(done.out)["assertions"]], [(0, 220), (1, 0), (0, 1)], "assertions")
    same(len(json.loads(done.out)["violations"]), 220, "violations")
    check(done.err.startswith("heddle intervals: assertion failed: ") and "in 220 of 220 intervals; 1 more assertions failed" in done.err
          and done.err.count("\n") == 1, f"the message: {done.err}")
    done = asked("event A(x)\ninterval I [ A -> ]", trace, status=1)
    check(done.err.endswith("/spec:2:19: unexpected `]`: a name or a quoted text expected\n"), f"the message: {done.err}")
    check("assertion failed" not in done.err, "bad input is no failed assertion")
    same(heddle("intervals", trace).status, 2, "status without --spec")


@test
def chunks_and_barriers_are_events_too():
    done = record([program("mploop")], "--budget", "none")
    trace = Trace(done.trace)
    chunks = [e for location in trace.locations for e in location.events if e.kind == "Enter" and e.region.name.startswith("chunk")]
    answer = json.loads(asked("""interval Chunk [ c: chunk -> d: chunk_end ]
                                 interval Long [ c: chunk -> d: chunk_end ] { c.thread == d.thread && c.iterations > 25 }
                                 interval Wait [ "!$omp implicit barrier wait" -> "end of !$omp implicit barrier wait" ]""",
                              done.trace, "--json").out)
    counts = {row["interval"]: row["count"] for row in answer["intervals"]}
    same((counts["Chunk"], counts["Long"]), (len(chunks), sum(e.attributes["iterations"] > 25 for e in chunks)), "chunks")
    check(counts["Wait"] > 0, "waits at barriers")


main()
