"""
Reports are read back by their format's description alone (report_file.py), and compared with what the commands print. The
documents are the same, the lanes' states add up to `heddle states`, and each level of detail follows the rule. `heddle
view` gives the same blocks, and nothing to anybody else.
"""
import base64
import collections
import http.client
import itertools
import json
import os
import pty
import random
import signal
import subprocess
import urllib.parse

import otf2
import pytest
from otf2.enums import Paradigm, RegionRole as Role

from analysis import ask
from harness import BUILD, HEDDLE, SOURCE, archive, check, directory, environment, heddle, program, run_traced, same
from report_file import ELEMENT, ELIDED, WHOLE, Report, elements, inflate

PAGE = os.path.join(BUILD, "analyzer", "report", "page.html")
DINING = os.path.join(SOURCE, "..", "data", "pes", "philosophers.csl")
COMMANDS = {"info": ["info"], "states": ["states"], "constructs": ["states", "--by", "region"],
            "imbalance": ["imbalance", "--threads", "--waits", "--over-time"], "locks": ["locks"], "schedule": ["schedule"]}
CELL = 4  # thresholds


def report(*traces, options=()):
    path = os.path.join(directory(), "report.html")
    done = heddle("report", *options, "-o", path, *traces)
    same((done.status, done.err), (0, ""), "heddle report")
    return Report(path)


def traced(name):
    done = run_traced([program(name)], OMP_NUM_THREADS="4")
    same(done.status, 0, f"status of {name} ({done.err})")
    return archive(done.trace)


def mixed(timeline, code):
    """What a code's time counts as in a mixture, after its rank: a state whatever its construct, a region as itself."""
    state, region = timeline["codes"][code]
    return (0, state) if state >= 0 else (1, region)


def elide(segments, threshold):
    """The rule: what is shorter is elided; all that is elided in a row within a cell is one segment. Those come with their codes' ticks."""
    made = []
    for begin, end, code, _ in segments:
        if code != ELIDED and end - begin >= threshold:
            made.append((begin, end, code, None))
            continue
        while begin < end:
            until = min(end, (begin // (CELL * threshold) + 1) * CELL * threshold)
            if not made or made[-1][2] != ELIDED or begin % (CELL * threshold) == 0:
                made.append((begin, begin, ELIDED, collections.Counter()))
            made[-1][3][code] += until - begin
            made[-1] = (made[-1][0], until, ELIDED, made[-1][3])
            begin = until
    return made


def check_mixture(timeline, ticks, mixture, where):
    """The shares of an elided segment end where the parts end, rounded: each is off by less than one."""
    by_part, told = collections.Counter(), collections.Counter()
    for code, time in ticks.items():
        by_part[mixed(timeline, code)] += time
    for code, share in mixture:
        told[mixed(timeline, code)] += share
    total = sum(by_part.values())
    for part in by_part | told:
        check(abs(told[part] * total - by_part[part] * WHOLE) < total, f"{where}: {by_part} are told as {told}")


def check_level(report, run, number, at, level, finest):
    """A level is the rule's result for the finest one, which is said to have all segments if level 0 is in the file."""
    timeline = report.runs[run]["timeline"]
    kept, location = timeline["levels_kept_from"], timeline["locations"][number]
    segments = report.segments(run, number, at, level)
    made = elide(finest, timeline["level_thresholds"][kept + level]) if level else finest
    where = f"location {number}, lane {at}, level {level}"
    same([segment[:3] for segment in segments], [segment[:3] for segment in made], where)
    same([segments[0][0], segments[-1][1]], [location["begin"], location["end"]], "from where to where")
    check(all(a[1] == b[0] for a, b in zip(segments, segments[1:])), "a gap")
    if kept == 0 and level > 0:
        for segment, wanted in zip(segments, made):
            if segment[2] == ELIDED:
                check_mixture(timeline, wanted[3], segment[3], f"{where}, from {segment[0]}")


def check_lanes(report, run):
    """Every level of every lane is gapless, and what the rule makes of the finest one. Returns the sums of the states' lanes."""
    timeline = report.runs[run]["timeline"]
    sums = collections.Counter()
    for number, location in enumerate(timeline["locations"]):
        for at, lane in enumerate(location["lanes"]):
            if lane["kind"] != "threads":
                same((lane["kind"], lane["depth"]), ("constructs", at - 1) if at else ("states", 0), "kind and depth of a lane")
            finest = report.segments(run, number, at, 0)
            for level in range(len(timeline["level_thresholds"]) - timeline["levels_kept_from"]):
                check_level(report, run, number, at, level, finest)
            if at == 0:
                for begin, end, code, _ in finest:
                    sums[number, code] += end - begin
    return sums


def check_sums(report, run, sums):
    timeline, documents = report.runs[run]["timeline"], report.runs[run]["documents"]
    same({(location, code): ticks for location, code, ticks, _ in timeline["sums"]}, dict(sums), "sums by code")
    by_state = collections.Counter()
    for (location, code), ticks in sums.items():
        by_state[location, timeline["codes"][code][0]] += ticks
    for row in documents["states"]["threads"]:
        for state, key in enumerate(timeline["state_keys"]):
            if row["thread"] is not None:
                same(by_state[row["thread"], state], row[key]["ticks"], f"{key} of {row['thread_name']}")
            else:
                same(sum(timeline["bins"]["ticks"][state]), row[key]["ticks"], f"{key} in all bins")


def check_threads(report, run, path):
    """Lanes at the level of threads add up to what the command prints; where there is none, the first lane does."""
    timeline = report.runs[run]["timeline"]
    for row in ask("states", "--level", "threads", path)["threads"]:
        if row["thread"] is None:
            continue
        kinds = [lane["kind"] for lane in timeline["locations"][row["thread"]]["lanes"]]
        sums = collections.Counter()
        for begin, end, code, _ in report.segments(run, row["thread"], kinds.index("threads") if "threads" in kinds else 0, 0):
            if timeline["codes"][code][0] >= 0:
                sums[timeline["state_keys"][timeline["codes"][code][0]]] += end - begin
        for key in timeline["state_keys"]:
            same(sums[key], row[key]["ticks"], f"{key} of {row['thread_name']} at the level of threads")


def check_arrows(timeline):
    for kind, source, begin, target, end, region, *since in timeline["arrows"]:
        check(source != target and begin <= end and region < len(timeline["regions"]), "an arrow")
        same(len(since), int(kind == "lock"), f"times of an arrow of kind {kind}")
        check(all(timeline["locations"][target]["begin"] <= time < end for time in since), "a lock is waited for before it is acquired")
        for location, time in (source, begin), (target, end):
            lives = timeline["locations"][location]
            check(lives["begin"] <= time <= lives["end"], f"an arrow ends at {time}, outside of {location}")


def check_chunks(timeline):
    for loop in timeline["chunks"]:
        same(timeline["regions"][loop["region"]]["role"], "LOOP", "role of what has chunks")
        same(sum(chunk[4] for chunk in loop["list"]), loop["iterations"], "iterations")
        at = loop["first"]
        for _, begin, end, first, iterations in sorted(loop["list"], key=lambda chunk: chunk[3]):
            check(loop["instance_begin"] <= begin <= end <= loop["instance_end"], "when a chunk was")
            same(first, at, "the iterations follow each other")
            at += iterations


@pytest.mark.parametrize("name", ["lu", "nqueens", "waits"])
def test_a_report_is_what_the_commands_print(name):
    path = traced(name)
    made = report(path, options=["--command"])
    documents, timeline = made.runs[0]["documents"], made.runs[0]["timeline"]
    for document, command in COMMANDS.items():
        same(documents[document], ask(*command, path), document)
    why = ask("why", path)
    same(made.runs[0]["findings"][0]["text"], why["verdict"], "the first sentence is the account's")
    same(documents["imbalance"]["account"], why["account"], "the account that the page draws")
    check_sums(made, 0, check_lanes(made, 0))
    if timeline["levels_kept_from"] == 0:
        check_threads(made, 0, path)
    check_arrows(timeline)
    check_chunks(timeline)
    kinds = {arrow[0] for arrow in timeline["arrows"]}
    check({"fork", "join"} <= kinds, f"arrows: {kinds}")
    check(("lock" in kinds) == (name == "waits"), f"arrows of locks: {kinds}")
    same(bool(timeline["chunks"]), name == "lu", "chunks")
    for finding in made.runs[0]["findings"]:
        if "lane" in finding:
            lives = timeline["locations"][finding["lane"]]
            check(lives["begin"] <= finding["begin"] < finding["end"] <= lives["end"], f"{finding}")
    same(made.runs[0]["findings"][-1]["kind"], "states", "the last finding")


def test_times_count_from_the_start_of_the_run():
    """An event has one time in all commands: since the run's first process began. The page adds `since_begin` to its own times."""
    trace = run_traced([program("waits")]).trace
    page = os.path.join(directory(), "page.html")
    for part in [], ["--from", "25%"]:
        same(heddle("report", *part, "-o", page, trace).status, 0, "status of heddle report")
        timeline = Report(page).runs[0]["timeline"]
        first = ask("states", *part, "--list", "0", trace)["states"][0]
        same(timeline["since_begin"] + timeline["locations"][0]["begin"], first["start"]["ticks"], f"begin of the first thread, {part}")
    check(timeline["since_begin"] > 0, "a part of the run begins at its start")


def test_reasons_tasks_and_lines_of_source():
    """why and tasks are what the commands print; lines of source are there only if they were asked for."""
    trace = run_traced([program("nqueens")]).trace
    page = os.path.join(directory(), "page.html")
    same(heddle("report", "-o", page, trace).status, 0, "status of heddle report")
    documents = Report(page).runs[0]["documents"]
    for name in "why", "tasks":
        same(documents[name], ask(name, trace), name)
    check("source" not in documents, "a page has lines of source that nobody asked for")
    same(heddle("report", "--source", "-o", page, trace).status, 0, "status of heddle report --source")
    places = Report(page).runs[0]["documents"]["source"]
    check(places, "no place has lines of source")
    for place in places:
        with open(place["file"], encoding="utf-8") as file:
            lines = file.read().split("\n")
        same(place["lines"], lines[place["first"] - 1:place["first"] - 1 + len(place["lines"])], f"lines of {place['file']}")


def test_models_are_those_of_the_commands():
    path = traced("lu")
    made = report(path)
    pes = os.path.join(directory(), "run.pes")
    same(heddle("pes", path, "--vector", "counts", "-o", pes).status, 0, "heddle pes")
    documents = made.runs[0]["documents"]
    model = ask("model", pes)
    model.pop("phases", None)  # the command warns of a run that changes
    same(documents["model"], model, "model")
    same(documents["spectrum"], ask("spectrum", "--domain", "time", "--bins", "200", pes), "spectrum")
    for shown in documents["occupancies"]:
        same(shown["occupancy"], ask("model", "--occupancy", shown["state"], pes)["occupancy"], f"occupancies of {shown['state']}")


def test_what_was_predicted_is_what_heddle_predict_prints():
    work = directory()
    sequences = []
    for size in ("24", "32", "40"):
        done = run_traced([program("lu"), size], OMP_NUM_THREADS="2")
        sequences.append(os.path.join(work, size + ".pes"))
        made = heddle("pes", "--vector", "counts", "--param", "size=" + size, "-o", sequences[-1], archive(done.trace))
        same(made.status, 0, f"heddle pes ({made.err})")
    fit = os.path.join(work, "lu.fit")
    same(heddle("fit", "--by", "size", "-o", fit, *sequences).status, 0, "heddle fit")
    path = archive(run_traced([program("lu"), "36"], OMP_NUM_THREADS="2").trace)
    made = report(path, options=["--fit", fit, "--param", "size=36"])
    same(made.runs[0]["documents"]["prediction"], json.loads(heddle("predict", "--json", "--param", "size=36", fit).out), "prediction")
    for wrong, status, word in [(["--fit", fit, "--param", "size=999"], 1, "beyond"), (["--fit", fit], 2, "--param"),
                                (["--fit", fit, "--param", "width=3"], 1, "not of width"), (["--fit", path, "--param", "size=36"], 1, path)]:
        done = heddle("report", *wrong, "-o", os.path.join(work, "none.html"), path)
        same((done.status, len(done.tool_err), word in done.err, os.path.exists(os.path.join(work, "none.html"))),
             (status, 1, True, False), f"heddle report {wrong} ({done.err})")


def write_archive(threads, events, names=(), thread_names=None):
    """Threads that enter and leave regions at random times, that add up: each (name, enter, leave) is known."""
    at = os.path.join(directory(), "archive")
    numbers = random.Random(42)
    names = list(names) or ["!$omp critical @x.c:3", "user"]
    with otf2.writer.open(at, timer_resolution=10**9) as made:
        definitions = made.definitions
        group = definitions.location_group("process", system_tree_parent=definitions.system_tree_node("machine"))
        regions = [definitions.region(name, source_file="x.c", region_role=Role.CRITICAL if i == 0 else Role.CODE,
                                      paradigm=Paradigm.OPENMP if i == 0 else Paradigm.USER, begin_line_number=3)
                   for i, name in enumerate(names)]
        for thread in range(threads):
            writer = made.event_writer(thread_names[thread] if thread_names else f"thread {thread}", group=group)
            time = numbers.randrange(1000)
            for i in range(events):
                writer.enter(time, regions[i % len(regions)])
                time += int(2 ** numbers.uniform(0, 20))
                writer.leave(time, regions[i % len(regions)])
                time += int(2 ** numbers.uniform(0, 12))
    return os.path.join(at, "traces.otf2")


def test_a_file_stays_below_its_limit():
    """The finest levels go first; what is left is what it was, and the notes say what is gone."""
    path = write_archive(4, 12000)
    whole, small = report(path), report(path, options=["--size", "1"])
    check(len(whole.html) > 1000000, "the archive is too small for this test")
    check(len(small.html) <= 1000000, f"{len(small.html)} bytes")
    same(whole.runs[0]["timeline"]["levels_kept_from"], 0, "kept of the whole")
    kept = small.runs[0]["timeline"]["levels_kept_from"]
    check(kept > 0, "nothing was left out")
    for level in range(kept, len(whole.runs[0]["timeline"]["level_thresholds"])):
        same(small.segments(0, 1, 0, level - kept), whole.segments(0, 1, 0, level), f"level {level}")
    check(any("heddle view" in note for note in small.runs[0]["notes"]), f"notes: {small.runs[0]['notes']}")
    check_lanes(small, 0)


NAMES = ["<script>alert(1)</script>", "</script><b>", "<!--HEDDLE-BUNDLE-->", "<!--<script>", "x" * 10240, "a\u2028b\u2029c", "\x1b[31m\x07",
         "\"'&\\", "NOTUTF8"]


def test_names_do_no_harm():
    """Nothing of them stands in the page; they come back as they were, or escaped where they are not UTF-8."""
    path = write_archive(len(NAMES), 20, NAMES, NAMES)
    definitions = path.replace(".otf2", ".def")
    with open(definitions, "rb") as file:
        data = file.read()
    check(b"NOTUTF8" in data, "the name is not where this test looks for it")
    with open(definitions, "wb") as file:
        file.write(data.replace(b"NOTUTF8", b"\xff\xfe\xc0abc\x80"))
    made = report(path)
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    same(page.count("<!--HEDDLE-BUNDLE-->"), 1, "markers in the page")
    same(ELEMENT.sub("", made.html).replace("\n", ""), page.replace("<!--HEDDLE-BUNDLE-->", "").replace("\n", ""), "the rest of the file")
    expected = NAMES[:-1] + ["\\xff\\xfe\\xc0abc\\x80"]
    timeline = made.runs[0]["timeline"]
    same([region["name"] for region in timeline["regions"]], expected, "regions")
    same([location["name"] for location in timeline["locations"]], expected, "locations")
    check_sums(made, 0, check_lanes(made, 0))
    for document, command in COMMANDS.items():
        same(made.runs[0]["documents"][document], ask(*command, path), document)


def test_two_runs_stand_side_by_side():
    paths = [write_archive(2, 100), write_archive(3, 50)]
    made = report(*paths)
    same(len(made.runs), 2, "runs")
    for run, path in enumerate(paths):
        same(made.runs[run]["documents"]["states"], ask("states", path), "states")
        check_sums(made, run, check_lanes(made, run))


def test_up_to_eight_runs_are_compared():
    """Each has its own lanes, in the order of the command line."""
    paths = [write_archive(threads, 60) for threads in range(1, 9)]
    result = report(*paths)
    same([len(run["timeline"]["locations"]) for run in result.runs], list(range(1, 9)), "threads of the runs")
    for run in range(8):
        check_lanes(result, run)


def test_what_is_damaged_makes_no_file():
    """One line, status 1, and a file that was there stays."""
    path = write_archive(2, 100)
    events = os.path.join(os.path.dirname(path), "traces")
    first = sorted(name for name in os.listdir(events) if name.endswith(".evt"))[0]
    with open(os.path.join(events, first), "r+b") as file:
        file.truncate(os.path.getsize(file.name) // 2)
    place = directory()
    for name, before in ("new.html", None), ("old.html", "what was there"):
        out = os.path.join(place, name)
        if before:
            with open(out, "w") as file:
                file.write(before)
        done = heddle("report", "-o", out, path)
        same((done.status, len(done.err.splitlines())), (1, 1), f"status and lines ({done.err})")
        same(open(out).read() if os.path.exists(out) else None, before, "the file")
    same(os.listdir(place), ["old.html"], "files beside it")
    same(heddle("report", path).status, 2, "without -o")
    same(heddle("report", "-o", "x", *[path] * 9).status, 2, "nine archives")
    same(heddle("report", "-o", "/nonexistent/x.html", write_archive(1, 1)).status, 1, "nowhere to write")


def on_a_terminal(command, until=None):
    """What a command writes to a terminal as its stderr; it is ended when it has printed a line to stdout, if asked."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, stdin=subprocess.DEVNULL, env=environment())
    os.close(theirs)
    if until:
        process.stdout.readline()
        process.send_signal(until)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # EIO: nobody has the other end any more
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.stdout.close()
    same(process.wait(), 0, f"status of {command}")
    return shown.decode()


def test_sequences_are_those_of_heddle_pes():
    """The page of --pes: its records and documents are what the commands print; what is wrong makes no file."""
    page, short = (os.path.join(directory(), name) for name in ("page.html", "short.pes"))
    same(heddle("transform", DINING, "--filter-time", "31ticks", "-o", short).status, 0, "transform")
    done = heddle("report", "--pes", DINING, "--pes", short, "-o", page)
    same((done.status, done.err, done.out), (0, "", ""), "heddle report --pes")
    with open(page, encoding="utf-8") as file:
        bundle = json.loads(inflate(elements(file.read())["heddle-bundle"]))
    for path, sequence in zip((DINING, short), bundle["sequences"], strict=True):
        names = {state["number"]: state for state in sequence["states"]}
        entries = list(itertools.accumulate(sequence["later"], initial=int(sequence["begin"])))[1:]
        ours = [(entry, number, names[number]["name"], names[number]["kind"], names[number]["stands_for"])
                for entry, number in zip(entries, sequence["state"], strict=True)]
        rows = ask("pes", path, "--records")["records"]
        same(ours, [tuple(row[key] for key in ("entry", "state", "name", "kind", "stands_for")) for row in rows], "records")
        totals = collections.Counter()
        for row in rows:
            totals[row["state"]] += row["duration"]
        same({state: ticks for state, _, ticks in sequence["totals"]}, dict(totals), "ticks by state")
        documents = sequence["documents"]
        same(documents["model"], ask("model", path), "model")
        for domain in ("time", "event"):
            same(documents[f"spectrum_{domain}"], ask("spectrum", path, "--domain", domain, "--bins", "200"), domain)
    os.remove(page)
    with open(short, "rb") as file:
        whole = file.read()
    for left in (len(whole) // 2, len(whole) - 1, 10, 0):
        with open(short, "wb") as file:
            file.write(whole[:left])
        done = heddle("report", "--pes", DINING, "--pes", short, "-o", page)
        same((done.status, done.out, done.err.count("\n"), os.path.exists(page)), (1, "", 1, False), f"{left} bytes: {done.err}")
    for wrong in ([], ["--pes", DINING, directory()], ["--pes", DINING, "--from", "1s"], ["--pes", DINING] * 9):
        done = heddle("report", *wrong, "-o", page)
        same((done.status, done.err.count("\n"), os.path.exists(page)), (2, 1, False), f"{wrong}: {done.err}")


def test_progress_is_shown_on_a_terminal_alone():
    path = write_archive(2, 100)
    out = os.path.join(directory(), "report.html")
    for command, until in ((["report", "-o", out, path], None), (["view", path], signal.SIGTERM)):
        shown = on_a_terminal([HEDDLE, *command], until)
        check(f"heddle {command[0]}: 1 of 3: analyses" in shown and "3 of 3: models" in shown, f"a terminal shows {shown!r}")
        check(shown.endswith("\r\x1b[K"), f"a line stays on the terminal: {shown!r}")
    same(heddle("report", "-o", out, path).err, "", "stderr that is no terminal")


class View:
    """`heddle view` while it serves."""

    def __init__(self, *traces):
        self.process = subprocess.Popen([HEDDLE, "view", *traces], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment())
        self.address = self.process.stdout.readline().strip()
        parts = urllib.parse.urlparse(self.address)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def end(self, with_signal):
        self.process.send_signal(with_signal)
        return self.process.wait(30)


def test_a_view_gives_the_same_blocks_and_nothing_to_others():
    path = write_archive(3, 3000)
    made, view = report(path), View(path)
    same(view.host, "127.0.0.1", "host")
    check(len(view.path.strip("/")) == 32, f"token {view.path}")
    status, page = view.ask(view.path)
    same(status, 200, "the page")
    bundle = json.loads(inflate(base64.b64decode(ELEMENT.findall(page.decode())[0][1])))
    same((bundle["mode"], bundle["runs"][0]["documents"]), ("view", made.runs[0]["documents"]), "bundle")
    for number, location in enumerate(bundle["runs"][0]["timeline"]["locations"]):
        for lane in range(len(location["lanes"])):
            same(location["lanes"][lane]["levels"], None, "levels")
            for level, blocks in enumerate(made.levels(0, number, lane)):
                status, body = view.ask(f"{view.path}blocks?run=0&location={number}&lane={lane}&level={level}")
                given = json.loads(body)
                same((status, [b[:4] for b in given]), (200, [b[:4] for b in blocks]), "blocks")
                for ours, theirs in zip(blocks, given):
                    status, data = view.ask(f"{view.path}blob?run=0&offset={theirs[4]}&bytes={theirs[5]}")
                    same((status, data), (200, made.blobs[0][ours[4]:ours[4] + ours[5]]), "bytes of a block")
    for wrong in ("/", "/blocks", view.path[:-1], "/" + "0" * 32 + "/", view.path + "x", f"{view.path}blocks?run=1&location=0&lane=0&level=0",
                  f"{view.path}blocks?run=0&location=3&lane=0&level=0", f"{view.path}blocks?run=0&location=0&lane=9&level=0",
                  f"{view.path}blocks?run=0&location=0&lane=0&level=99", f"{view.path}blocks?run=0&location=-1&lane=0&level=0",
                  f"{view.path}blocks", f"{view.path}blob?run=0&offset=0&bytes=99999999999", f"{view.path}blob?run=0&offset=18446744073709551615&bytes=2"):
        same(view.ask(wrong)[0], 404, wrong)
    same(view.ask(view.path, Host="evil.example")[0], 403, "another host's name")
    same(view.ask(view.path, Host=f"evil.example:{view.port}")[0], 403, "another host's name, this port")
    same(view.ask(view.path, Host=f"localhost:{view.port}")[0], 200, "localhost")
    same(view.ask(view.path, method="POST")[0], 405, "POST")
    same(view.end(signal.SIGINT), 0, "status after an interrupt")
