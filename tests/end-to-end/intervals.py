"""`heddle intervals`: what it finds in traces of real programs is what follows from the archives' events one by one."""
import csv
import io
import json
import os
import re
import subprocess

import pytest

from harness import BUILD, PROGRAMS, check, directory, heddle, program, record, same
from report_file import Report
from trace import Trace, read_by_otf2_print

MESSAGES = os.path.join(PROGRAMS, "user", "messages")
SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SPEC = os.path.join(SOURCE, "docs", "messages.spec")


def messages():
    if not os.path.exists(MESSAGES):
        pytest.skip(f"there is no {MESSAGES}: its compiler is missing")
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


def test_each_message_arrives_once():
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
    same({(row["from_thread"], row["to_thread"]): row["count"] for row in answer["threads"] if row["interval"] == "Transit"},
         {(0, 1): 200, (1, 0): 20}, "threads")
    sums = [sum(ticks for ticks, thread, _ in transit if thread == begins) for begins in (0, 1)]
    row = next(row for row in answer["balance"] if row["interval"] == "Transit")
    most, mean = max(sums), sum(sums) / 2
    same((row["threads"], row["most"]["ticks"], row["thread"]), (2, most, sums.index(most)), "who begins most of the time")
    check(abs(row["imbalance"] - 100 * (most - mean) / most * 2) < 1e-6, f"imbalance {row['imbalance']} of {sums}")
    check(all(row["interval"] != "Answered" for row in answer["balance"]), "all answers begin on one thread")
    same([(row["held"], row["violated"]) for row in answer["assertions"]], [(220, 0)], "assertions")
    listed = heddle("intervals", "--spec", SPEC, "--list", "--csv", trace)
    rows = list(csv.DictReader(io.StringIO(listed.out.split("\n\n")[0])))
    same(sorted(int(row["duration_ticks"]) for row in rows if row["interval"] == "Transit"), [ticks for ticks, *_ in transit],
         "the list has the same times")


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_of_events_and_intervals_are_beside_that_of_states():
    trace, where = messages(), directory()
    done = heddle("export", "--to", "csv", "--spec", SPEC, "-o", os.path.join(where, "run.csv"), trace)
    same((done.status, done.out, done.err), (0, "", ""), "heddle export")
    same(sorted(os.listdir(where)), ["run.csv", "run.events.csv", "run.intervals.csv"], "files")
    told = sorted((row["event"], int(row["thread"]), int(row["attribute.src"]), int(row["attribute.seq"])) for row in table(os.path.join(where, "run.events.csv")))
    same(told, sorted((name, thread, src, seq) for name in ("Sendmsg", "Recvmsg") for _, thread, src, seq in events(trace, name)), "events")
    for name, options in (("events", ["events"]), ("intervals", ["intervals", "--spec", SPEC])):
        printed = heddle(*options, "--list", "--csv", trace).out.split("\n\n")[0]
        same(table(os.path.join(where, f"run.{name}.csv")), list(csv.DictReader(io.StringIO(printed))), f"the list that `heddle {name}` prints")
    same(heddle("export", "--to", "csv", "-o", os.path.join(where, "part.states.csv"), "--only-threads", "0", trace).status, 0, "a part")
    same({row["thread"] for row in table(os.path.join(where, "part.events.csv"))}, {"0"}, "threads of the part")
    check(not os.path.exists(os.path.join(where, "part.intervals.csv")), "intervals without a specification")
    for arguments, status in (["--to", "csv", "-o", "-", "--spec", SPEC], 2), (["--to", "paje", "--spec", SPEC], 2), (["--to", "csv", "-o", where, "--spec", "/nowhere"], 1):
        done = heddle("export", *arguments, trace)
        same((done.status, done.out, done.err.count("\n")), (status, "", 1), f"{arguments}: {done.err}")


def test_assertions_that_fail_are_told_from_bad_input():
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


def test_chunks_and_barriers_are_events_too():
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


def listed_intervals(trace):
    """By kind: from, to, begin since the first of all begins, length."""
    listed = heddle("intervals", "--spec", SPEC, "--list", "--json", trace)
    found = {"Transit": [], "Answered": []}
    for row in json.loads(listed.out)["list"]:
        found[row["interval"]].append((row["from_thread"], row["to_thread"], row["begin"]["ticks"], row["duration"]["ticks"]))
    first = min(row[2] for row in found["Transit"])
    return {name: sorted((*row[:2], row[2] - first, row[3]) for row in rows) for name, rows in found.items()}


def test_the_report_has_each_interval():
    trace = messages()
    path = os.path.join(directory(), "report.html")
    done = heddle("report", "--spec", SPEC, "-o", path, trace)
    same((done.status, done.out), (0, ""), f"status, output ({done.err})")
    run = Report(path).runs[0]
    shown = run["documents"]["intervals"]
    wanted = listed_intervals(trace)
    same([(kind["name"], kind["drawn"], kind["count"]) for kind in shown["kinds"]], [("Transit", "line", 220), ("Answered", "rectangle", 20)], "kinds")
    same([(event["name"], event["symbol"], event["offset"]) for event in shown["events"]], [("Sendmsg", "plus", 0), ("Recvmsg", "box", 0)], "symbols")
    same([(entry["held"], entry["violated"]) for entry in shown["assertions"]], [(220, 0)], "assertions")
    sent = [time for time, *_ in events(trace, "Sendmsg")]
    start = int(run["timeline"]["start"])
    for kind in shown["kinds"]:
        begins, time = [], start - sent[0]
        for later in kind["later"]:
            time += later
            begins.append(time)
        rows = wanted[kind["name"]]
        same(sorted(zip(kind["from"], kind["to"], begins, kind["length"])), rows, f"the list of {kind['name']}")
        same((kind["max"], kind["every"], "weights" in kind), (max(row[3] for row in rows), 1, False), "the longest one; all are there")
    plain = heddle("report", "-o", path, trace)
    same((plain.status, "intervals" in Report(path).runs[0]["documents"]), (0, False), "without a specification")
    wrong = heddle("report", "--spec", trace + "/none", "-o", path, trace)
    check(wrong.status == 1 and "cannot read the specification" in wrong.err and wrong.err.count("\n") == 1, f"no such file: {wrong.err}")


def test_other_viewers_read_the_intervals():
    trace = messages()
    out = os.path.join(directory(), "intervals")
    done = heddle("intervals", "--spec", SPEC, "--otf2", out, trace)
    same((done.status, done.err), (0, ""), "status, standard error")
    read_by_otf2_print(out)
    wanted, made = listed_intervals(trace), Trace(out)
    found = {"Transit": [], "Answered": []}
    for location in made.locations:
        kind, number = location.name.split(": ")[0], int(location.name.split(" ")[1])
        check(Trace(trace).locations[number].name in location.name, f"the name {location.name}")
        same([event.kind for event in location.events], ["Enter", "Leave"] * (len(location.events) // 2), "regions do not overlap")
        for begin, end in zip(location.events[::2], location.events[1::2]):
            same((begin.region.name, end.region.name), (kind, kind), "regions")
            found[kind].append((number, begin.attributes["to_location"], begin.time, end.time - begin.time))
    sent = [time for time, *_ in events(trace, "Sendmsg")]
    same({kind: sorted((*row[:2], row[2] - sent[0], row[3]) for row in rows) for kind, rows in found.items()}, wanted, "the list")
    same((made.ticks_per_second, made.groups), (Trace(trace).ticks_per_second, ["intervals"]), "clock and process")
    again = heddle("intervals", "--spec", SPEC, "--otf2", out, trace)
    check(again.status == 1 and again.err.count("\n") == 1, f"there is an archive already: {again.err}")
    none = os.path.join(directory(), "none")
    empty = asked("interval No [ \"nowhere\" -> lock ]", trace, "--otf2", none, status=1)
    check("there are no intervals to write" in empty.err and not os.path.exists(none), f"nothing to write: {empty.err}")


EVIL = '<img src=x>", \\ "w\u00f6rk'
PARCELS = """thread,time,event,to,weight,label,id
a,100,send,7,0.5,"{evil}",9007199254740993
a,150,send,8,2,plain,2
b,160,take,8,1.25,plain,2
b,300,take,7,1.5,"",9007199254740993
a,400,send,9,1e300,late,3
"""
PARCELS_SPEC = """event send(to, weight: real, label: text, id) event take(id, weight: real, label: text)
                  interval Way [ s:send -> t:take ] { s.id == t.id } = line
                  interval Gap [ send -> send ]
                  interval Last [ s:send -> t:take ] last { t.thread != s.thread && t.label == s.label }"""
# attributes of the intervals, with the types that readers get; a 2 in a column of real numbers is an integer in CSV
PARCELS_FOUND = {"Way": [{"s.to": 7, "s.weight": 0.5, "s.label": EVIL, "s.id": 9007199254740993, "t.id": 9007199254740993, "t.weight": 1.5},
                         {"s.to": 8, "s.weight": 2, "s.label": "plain", "s.id": 2, "t.id": 2, "t.weight": 1.25, "t.label": "plain"}],
                 "Gap": [{"begin.to": 7, "begin.weight": 0.5, "begin.label": EVIL, "begin.id": 9007199254740993, "end.to": 8, "end.weight": 2, "end.label": "plain", "end.id": 2},
                         {"begin.to": 8, "begin.weight": 2, "begin.label": "plain", "begin.id": 2, "end.to": 9, "end.weight": 1e300, "end.label": "late", "end.id": 3}],
                 "Last": [{"s.to": 8, "s.weight": 2, "s.label": "plain", "s.id": 2, "t.id": 2, "t.weight": 1.25, "t.label": "plain"}]}


def parcels():
    where = directory()
    table_of, trace = os.path.join(where, "events.csv"), os.path.join(where, "parcels")
    with open(table_of, "w", encoding="utf-8") as file:
        file.write(PARCELS.replace("{evil}", EVIL.replace('"', '""')))
    done = heddle("import", "--from", "csv", "-o", trace, table_of)
    same((done.status, done.err), (0, ""), "heddle import")
    spec = os.path.join(where, "spec")
    with open(spec, "w", encoding="utf-8") as file:
        file.write(PARCELS_SPEC)
    return trace, spec


def test_archives_have_the_attributes_of_both_ends():
    trace, spec = parcels()
    out = os.path.join(directory(), "intervals")
    done = heddle("intervals", "--spec", spec, "--otf2", out, trace)
    same((done.status, done.err), (0, ""), "status, standard error")
    read_by_otf2_print(out)
    found = {"Way": [], "Gap": [], "Last": []}
    for location in Trace(out).locations:
        for event in location.events[::2]:
            values = dict(event.attributes)
            same((values.pop("to"), values.pop("to_location")), ("a", 0) if event.region.name == "Gap" else ("b", 1), "where it ends")
            found[event.region.name].append((event.time, values))
    same({name: [values for _, values in sorted(rows, key=lambda row: row[0])] for name, rows in found.items()}, PARCELS_FOUND, "attributes")
    same({type(v) for rows in found.values() for _, values in rows for v in values.values()}, {int, float, str}, "types")


def test_the_page_has_the_attributes_of_both_ends():
    trace, spec = parcels()
    path = os.path.join(directory(), "report.html")
    done = heddle("report", "--spec", spec, "-o", path, trace)
    same((done.status, done.out), (0, ""), f"status, output ({done.err})")
    documents = Report(path).runs[0]["documents"]
    found = {kind["name"]: [{column["name"]: column["values"][i] for column in kind["attributes"] if column["values"][i] is not None} for i in range(len(kind["from"]))]
             for kind in documents["intervals"]["kinds"]}
    large = str(9007199254740993) # which is no number of the page
    wanted = {name: [{key: large if value == 9007199254740993 else value for key, value in values.items()} for values in rows] for name, rows in PARCELS_FOUND.items()}
    same(found, wanted, "attributes")
    names = documents["points"]["attributes"]
    texts = {value for entry in documents["points"]["lists"] for k, values in zip(entry["attributes"], entry["values"]) if names[k] == "label" for value in values}
    same(texts, {EVIL, "plain", "late", None}, "texts of events")


def test_constructs_have_their_attributes():
    done = record([program("mploop")], "--budget", "none")
    out = os.path.join(directory(), "chunks")
    asked("interval Chunk [ c: chunk -> d: chunk_end ]", done.trace, "--otf2", out)
    wanted = sorted((e.time, e.attributes["first iteration"], e.attributes["iterations"]) for location in Trace(done.trace).locations
                    for e in location.events if e.kind == "Enter" and e.region.name.startswith("chunk"))
    made = sorted((e.time, e.attributes["c.first_iteration"], e.attributes["c.iterations"]) for location in Trace(out).locations
                  for e in location.events if e.kind == "Enter")
    check(len(wanted) > 0, "there are chunks")
    same(made, wanted, "attributes of chunks")


def tutorial():
    """The commands of the tutorial in docs/intervals.md, in their order."""
    with open(os.path.join(SOURCE, "docs", "intervals.md"), encoding="utf-8") as file:
        text = file.read().split("## How long does a message take?")[1].split("\n## ")[0]
    return [line.strip() for line in text.splitlines() if re.match("    (cmake|gcc|build/bin/heddle) ", line)]


def test_the_tutorial_works_as_it_is_written():
    """In a folder with the sources, and what is built here in place of the first command."""
    if not os.path.exists(MESSAGES):
        pytest.skip(f"there is no {MESSAGES}: its compiler is missing")
    where, commands = directory(), tutorial()
    for name in ("docs", "tests", "user-events"):
        os.symlink(os.path.join(SOURCE, name), os.path.join(where, name))
    os.symlink(BUILD, os.path.join(where, "build"))
    check(commands[0].startswith("cmake -S . -B build ") and len(commands) == 7, f"commands: {commands}")
    outputs = []
    for command in commands[1:]:
        done = subprocess.run(["bash", "-c", command], cwd=where, capture_output=True, text=True, timeout=120, check=False)
        same(done.returncode, 0, f"status of: {command} ({done.stderr})")
        outputs.append(done.stdout)
    check(re.search(r"Transit +220 +0 +0 ", outputs[2]) and "220         0" in outputs[2], f"figures, and the assertion holds: {outputs[2]}")
    same(outputs[3].count("\nTransit ") + outputs[3].count("\nAnswered "), 240, "the list")
    check("What lies inside" in outputs[4], f"what lies inside: {outputs[4]}")
    same([kind["count"] for kind in Report(os.path.join(where, "page.html")).runs[0]["documents"]["intervals"]["kinds"]], [220, 20], "the picture")


def test_slow_messages_are_told_from_others():
    trace = messages()
    done = heddle("intervals", "--spec", SPEC, "--inside", "5", "--json", trace)
    same((done.status, done.err), (0, ""), "status, standard error")
    answer = json.loads(done.out)
    lengths = sorted((row[3] for row in listed_intervals(trace)["Transit"]), reverse=True)
    slow = answer["slow"][0]
    same((slow["interval"], slow["slow"], slow["others"], slow["slow_from"]["ticks"]), ("Transit", 5, 215, lengths[4]), "the slow ones")
    rows = [row for row in answer["inside"] if row["interval"] == "Transit"]
    same({row["thread_name"] for row in rows}, {"where it begins", "where it ends"}, "threads")
    # The sender lives all the time; the receiver may begin after the first message.
    for thread in ("where it begins", "where it ends"):
        told = sum(row["slow"]["ticks"] for row in rows if row["thread_name"] == thread)
        check(told <= sum(lengths[:5]) / 5 * (1 + 1e-9), f"more time than there is: {told}")
    sender = sum(row["slow"]["ticks"] for row in rows if row["thread_name"] == "where it begins")
    check(abs(sender * 5 / sum(lengths[:5]) - 1) < 1e-6, f"the sender's time is told: {sender} of {sum(lengths[:5]) / 5}")
    wrong = heddle("intervals", "--spec", SPEC, "--inside", "0%", trace)
    check(wrong.status == 2 and "--inside 0%" in wrong.err, f"wrong usage: {wrong.err}")


def open_for(rows):
    """Ticks for which so many intervals are open, between the first begin and the last end."""
    steps = sorted([(begin, 1) for *_, begin, length in rows] + [(begin + length, -1) for *_, begin, length in rows])
    found, number, before = {}, 0, steps[0][0]
    for time, by in steps:
        found[number] = found.get(number, 0) + time - before
        number, before = number + by, time
    return {number: ticks for number, ticks in found.items() if number > 0 and ticks > 0}


def test_models_work_on_intervals():
    trace = messages()
    spec = os.path.join(directory(), "spec")
    with open(spec, "w", encoding="utf-8") as file: # many messages wait for one answer
        file.write("""event Sendmsg(src, seq) event Recvmsg(src, seq)
                      interval Many [ s:Sendmsg -> r:Recvmsg ] { s.src == 0 && r.src == 1 }
                      interval Transit [ s:Sendmsg -> r:Recvmsg ] Match""")
    listed = json.loads(heddle("intervals", "--spec", spec, "--list", "--json", trace).out)["list"]
    rows = [(row["from_thread"], row["begin"]["ticks"], row["duration"]["ticks"]) for row in listed if row["interval"] == "Many"]
    wanted = open_for(rows)
    check(max(wanted) > 1, f"several are open at a time: {wanted}")
    out = os.path.join(directory(), "many.pes")
    done = heddle("pes", "--component", "interval=Many", "--vector", "counts", "--spec", spec, "-o", out, "--json", trace)
    same((done.status, done.err), (0, ""), "status, standard error")
    answer = json.loads(done.out)
    told = {row["name"]: row["time"]["ticks"] for row in answer["state_list"]}
    same({1 if name == "O" else int(name[1:]): ticks for name, ticks in told.items() if name != "N"}, wanted, "how long so many are open")
    same((answer["components"], sum(told.values())), (1, answer["duration"]["ticks"]), "components, duration")
    threads = json.loads(heddle("pes", "--component", "interval=Transit", "--spec", spec, "--json", trace).out)
    same(threads["components"], 2, "both threads send")
    same(heddle("model", out).status, 0, "status of the model")
    wrong = heddle("pes", "--component", "interval=No", "--spec", spec, trace)
    check(wrong.status == 1 and "has no such interval" in wrong.err and wrong.err.count("\n") == 1, f"no such interval: {wrong.err}")
    same(heddle("pes", "--component", "interval=Many", trace).status, 2, "status without --spec")
