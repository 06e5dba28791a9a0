"""
A part of a run agrees with the whole. Stretches of time that tile a run add up to it to the tick, and threads and
processes have the same rows as among all. Data outside of the part is not read.
"""
import collections
import csv
import decimal
import io
import json
import lzma
import os
import random
import tarfile
import tempfile

import otf2
import pytest

import paraver
import perfetto
from harness import check, heddle, same
from report_file import Report

ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outputs", "archives")
NAMES = ["lu-24", "imbalanced", "loop-dynamic", "tasks", "philosophers", "nested", "pauses", "max-rate", "ring", "forks", "killed", "other-tool",
         "doacross", "threads-64", "java-holds", "java-gc", "java-virtual", "jomp", "user-events", "gomp-locks"]
STATES = ["run", "idle", "overhead", "synch", "blocked", "spin", "gc", "init", "traceflush", "unmeasured"]
SHARES = STATES + ["synch_implicit_barrier", "synch_barrier", "synch_mutex", "synch_ordered", "synch_taskwait", "synch_reduction"]
SEEDS = 3
FORMATS = ["csv", "paje", "paraver", "chrome", "perfetto"]


def unpack(name):
    place = tempfile.TemporaryDirectory(prefix="heddle-restriction-")
    with lzma.open(os.path.join(ARCHIVES, name + ".tar.xz")) as packed, tarfile.open(fileobj=packed) as archive:
        archive.extractall(place.name)
    return place, os.path.join(place.name, name)


def ask(*arguments):
    done = heddle(*arguments, "--json")
    same(done.status, 0, f"heddle {' '.join(arguments)} ({done.err})")
    return json.loads(done.out)


def length_of(archive):
    """The run's length, in ns and in ticks."""
    with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
        clock = trace.definitions.clock_properties
        return clock.trace_length * 10**9 // clock.timer_resolution, clock.trace_length


def tiles(archive, seed):
    """The options of stretches that follow each other from the run's begin to its end."""
    length, _ = length_of(archive)
    chance = random.Random(f"{os.path.basename(archive)} {seed}")
    borders = sorted({chance.randrange(1, max(length, 3)) for _ in range(chance.choice([1, 2, 5]))})
    texts = [None, *(f"{b}ns" for b in borders), None]
    return [(["--from", a] if a else []) + (["--to", b] if b else []) for a, b in zip(texts, texts[1:])]


def add(sums, key, row, fields):
    place = sums.setdefault(key, dict.fromkeys(fields, 0))
    for field in fields:
        value = row[field]
        place[field] += value["ticks"] if isinstance(value, dict) else value or 0


def states_sums(answer):
    sums = {}
    for row in answer["threads"]:
        if row["thread"] is not None:
            add(sums, row["thread"], row, ["lifetime", *SHARES])
    return sums


def construct_sums(answer):
    sums = {}
    for row in answer["constructs"]:
        add(sums, (row["construct"], row["function"], row["file"], row["line"]), row, ["executions", "time", *SHARES])
    return sums


def event_sums(answer):
    sums = {}
    for row in answer["events_by_kind"]:
        add(sums, row["event"], row, ["count"])
    for row in answer["constructs_by_kind"]:
        add(sums, ("construct", row["kind"]), row, ["executions"])
    return sums


def lock_sums(answer):
    sums = {}
    for row in answer["threads"]:
        add(sums, row["thread"], row, ["acquired", "waited"])
    return sums


def merged(parts):
    sums = {}
    for part in parts:
        for key, values in part.items():
            add(sums, key, values, list(values))
    return sums


def without_zeros(sums):
    return {key: values for key, values in sums.items() if any(values.values())}


@pytest.mark.parametrize("name", NAMES)
def test_stretches_add_up_to_the_run(name):
    place, archive = unpack(name)
    with place:
        for seed in range(SEEDS):
            stretches = tiles(archive, seed)
            for command, sums_of in ((["states"], states_sums), (["states", "--by", "region"], construct_sums), (["info"], event_sums),
                                     (["locks"], lock_sums)):
                whole = sums_of(ask(*command, archive))
                parts = merged(sums_of(ask(*command, *stretch, archive)) for stretch in stretches)
                same(without_zeros(parts), without_zeros(whole), f"heddle {' '.join(command)} over {stretches}")


@pytest.mark.parametrize("name", NAMES)
def test_executions_are_judged_once_at_most(name):
    """
    In stretches that tile a run, no execution counts twice; executions that are whole in no stretch are reported as
    omitted.
    """
    place, archive = unpack(name)
    with place:
        whole = {row["construct"]: row["executions"] for row in ask("imbalance", archive)["constructs"]}
        for seed in range(SEEDS):
            answers = [ask("imbalance", *stretch, archive) for stretch in tiles(archive, seed)]
            counted = {}
            for answer in answers:
                for row in answer["constructs"]:
                    counted[row["construct"]] = counted.get(row["construct"], 0) + row["executions"]
            check(all(counted[c] <= whole[c] for c in counted), f"{counted} of {whole}")
            missing = sum(whole.values()) - sum(counted.values())
            excluded = sum(answer["excluded"] for answer in answers)
            check(missing <= excluded, f"{missing} executions are nowhere, {excluded} are said to be left out")


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_run_as_a_stretch_is_the_run(name):
    place, archive = unpack(name)
    with place:
        for command in (["info"], ["states"], ["states", "--by", "region"], ["states", "--list", "0"], ["imbalance", "--threads", "--waits"],
                        ["locks"], ["schedule"], ["pes"], ["pes", "--vector", "counts"], ["pes", "--component", "lock"]):
            whole = ask(*command, archive)
            part = ask(*command, "--from", "0", "--to", "100%", archive)
            for key in ("excluded", "open_requests"):
                same(part.pop(key, 0), 0, f"{key} of heddle {command[0]}")
            if command == ["info"]:
                whole.pop("overhead", None)  # is known of threads as a whole alone
            if "findings" in whole:  # the account of the whole begins with the process, before the first event
                for key in ("verdict", "first", "account", "findings", "synchronization"):
                    whole.pop(key, None)
                    part.pop(key, None)
            if command == ["info"]:
                whole.pop("duration")
                part.pop("duration")
            same(part, whole, f"heddle {' '.join(command)}")


@pytest.mark.parametrize("name", NAMES)
def test_events_are_those_of_the_stretch(name):
    """As another reader counts them."""
    place, archive = unpack(name)
    with place:
        length, ticks = length_of(archive)
        first, last = length // 3, 2 * length // 3
        counted = {}
        with otf2.reader.open(os.path.join(archive, "traces.otf2")) as trace:
            clock = trace.definitions.clock_properties
            begin, end = ((2 * t * clock.timer_resolution + 10**9) // (2 * 10**9) + clock.global_offset for t in (first, last))
            for _, event in trace.events:
                if begin <= event.time < end:
                    kind = type(event).__name__
                    counted[kind] = counted.get(kind, 0) + 1
        answer = ask("info", "--from", f"{first}ns", "--to", f"{last}ns", archive)
        same({row["event"]: row["count"] for row in answer["events_by_kind"]}, counted, "events")


@pytest.mark.parametrize("name", NAMES)
def test_a_list_of_states_is_cut_at_the_borders(name):
    place, archive = unpack(name)
    with place:
        length, _ = length_of(archive)
        first, last = length // 3, 2 * length // 3
        for thread in [row["thread"] for row in ask("states", archive)["threads"] if row["thread"] is not None][:3]:
            whole = ask("states", "--list", str(thread), archive)["states"]
            part = ask("states", "--list", str(thread), "--from", f"{first}ns", "--to", f"{last}ns", archive)["states"]
            if not part:
                continue
            begin = part[0]["start"]["ticks"]
            end = part[-1]["start"]["ticks"] + part[-1]["duration"]["ticks"]
            expected = []
            for row in whole:
                start = max(row["start"]["ticks"], begin)
                stop = min(row["start"]["ticks"] + row["duration"]["ticks"], end)
                if start < stop:
                    expected.append((row["state"], row["construct"], start, stop - start))
            same([(r["state"], r["construct"], r["start"]["ticks"], r["duration"]["ticks"]) for r in part], expected, f"states of thread {thread}")


@pytest.mark.parametrize("name", NAMES)
def test_threads_have_the_rows_that_they_have_among_all(name):
    place, archive = unpack(name)
    with place:
        whole = [row for row in ask("states", archive)["threads"] if row["thread"] is not None]
        locations = [row["thread"] for row in whole]
        some = locations[::2]
        part = ask("states", "--only-threads", ",".join(map(str, some)), archive)["threads"]
        same([row for row in part if row["thread"] is not None], [row for row in whole if row["thread"] in some], "rows of states")
        locks = [row for row in ask("locks", archive)["threads"] if row["thread"] in some]
        waits = {(row["thread"], row["acquired"], row["waited"], row["wait"]["ticks"]) for row in locks if row["acquired"] or row["waited"]}
        part = [row for row in ask("locks", "--only-threads", ",".join(map(str, some)), archive)["threads"] if row["thread"] in some]
        same({(row["thread"], row["acquired"], row["waited"], row["wait"]["ticks"]) for row in part if row["acquired"] or row["waited"]},
             waits, "locks, though others have them")


class Exported:
    """
    Contents of a trace or of a part of it in one format, by thread. They are the time in each state (states), the thread's slices,
    and the arrows (kind, thread, time, thread, time). All times are ns. In Chrome's and Perfetto's formats, states belong to
    processes.
    """
    def __init__(self, form, archive, *options):
        self.options, self.states, self.arrows, self.slices = options, collections.Counter(), set(), collections.defaultdict(list)
        with tempfile.TemporaryDirectory(prefix="heddle-exported-") as place:
            path = os.path.join(place, "x.prv")
            done = heddle("export", "--to", form, *options, "-o", path, archive)
            said = [line for line in done.err.splitlines() if "not recorded: UNMEASURED" not in line]
            same((done.status, done.out, said), (0, "", []), f"heddle export --to {form} {options}")
            getattr(self, form)(path)

    def csv(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                begin, end = int(row["start_ticks"]), int(row["end_ticks"])
                same(int(row["duration_ticks"]), end - begin, "a duration")
                self.states[row["thread"], row["state"], row["construct"]] += end - begin
                self.slices[row["thread"]].append((row["state"], row["construct"], begin, end))

    def paje(self, path):
        now, ends = {}, {}
        def change(thread, state, time):
            if now.get(thread):
                self.states[thread, now[thread][0]] += time - now[thread][1]
            now[thread] = state and (state, time)
        with open(path, encoding="utf-8") as file:
            for line in file:
                kind, *fields = line.split()
                time = int(fields[0].replace(".", "")) if kind in ("4", "5", "6", "7", "8") and "." in fields[0] else None
                if kind == "6":
                    change(fields[2], fields[3], time)
                elif kind == "5":
                    change(fields[2], None, time)
                elif kind == "7" and time is not None:
                    ends[fields[5]] = (fields[3], fields[4], time)
                elif kind == "8" and time is not None:
                    self.arrows.add((*ends.pop(fields[5]), fields[4], time))
        check(not ends and not any(now.values()), "something does not end")

    def paraver(self, path):
        depth = collections.Counter()
        begin = "--from" in self.options
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines()[1:]:
                kind, _, _, task, thread, time, *rest = line.split(":")
                if kind == "1" and rest[-1] != "2" and not (begin and time == "0"):
                    self.states[task, thread, rest[1]] += int(rest[0]) - int(time)
                for type, value in zip(rest[::2], rest[1::2]) if kind == "2" else ():
                    if int(type) not in paraver.ATTRIBUTES and type not in ("60000006", "60000007", "60000028", "60000033", "60000011"):
                        depth[task, thread, type] += 1 if value != "0" else -1
                        check(depth[task, thread, type] >= 0, f"{type} ends without a begin: {line}")
        check(not any(depth.values()), f"begun and not ended: {+depth}")

    def chrome(self, path):
        with open(path, encoding="utf-8") as file:
            self.take_events([{**e, "ts": int(e.get("ts", 0) * 1000)} for e in json.load(file, parse_float=decimal.Decimal)["traceEvents"]])

    def perfetto(self, path):
        self.take_events(sorted(perfetto.read(path), key=lambda e: e.get("ts", 0)))

    def take_events(self, events):
        counters, begins, depth = {}, {}, collections.Counter()
        for event in events:
            if event["ph"] == "C":
                key = event["pid"], event["name"]
                count, since = counters.get(key, (0, 0))
                self.states[key] += count * (event["ts"] - since)
                counters[key] = event["args"]["threads"], event["ts"]
            elif event["ph"] in "BE":
                depth[event["tid"]] += 1 if event["ph"] == "B" else -1
                check(depth[event["tid"]] >= 0, f"an end without a begin: {event}")
                self.slices[event["tid"]].append((event["ph"], event["ts"]))
            elif event["ph"] == "s":
                begins[event["id"]] = (event["name"], event["tid"], event["ts"])
        for event in events:
            if event["ph"] == "f":
                self.arrows.add((*begins.pop(event["id"]), event["tid"], event["ts"]))
        check(not begins and not any(depth.values()) and not any(count for count, _ in counters.values()), "something does not end")


def inside(arrows, options, slack):
    """The arrows whose both ends are in a part, each border moved out by so many ns."""
    borders = {name: int(time.removesuffix("ns")) for name, time in zip(options[::2], options[1::2])}
    first, last = borders.get("--from", 0) - slack, borders.get("--to", 1 << 63) + slack
    return {arrow for arrow in arrows if first <= arrow[2] and first <= arrow[4] and arrow[2] < last and arrow[4] < last}


@pytest.mark.parametrize("which", [f"{form}-{name}" for form in FORMATS for name in NAMES if form != "perfetto" or name in ("nested", "tasks", "philosophers")])
def test_exports_of_stretches_add_up_to_that_of_the_run(which):
    form, name = which.split("-", 1)
    place, archive = unpack(name)
    with place:
        whole = Exported(form, archive)
        stretches = tiles(archive, form)
        parts = [Exported(form, archive, *options) for options in stretches]
        total = sum((part.states for part in parts), collections.Counter())
        same(+total, +whole.states, f"states of {stretches}")
        for options, part in zip(stretches, parts):
            check(inside(whole.arrows, options, -2) <= part.arrows <= inside(whole.arrows, options, 2), f"arrows of {options}")


@pytest.mark.parametrize("name", NAMES)
def test_exported_states_are_cut_at_the_borders(name):
    place, archive = unpack(name)
    with place:
        length, _ = length_of(archive)
        whole = Exported("csv", archive).slices
        for thread, part in Exported("csv", archive, "--from", f"{length // 3}ns", "--to", f"{2 * length // 3}ns").slices.items():
            begin, end = part[0][2], part[-1][3]
            cut = [(state, construct, max(begin, a), min(end, b)) for state, construct, a, b in whole[thread]]
            same(part, [row for row in cut if row[2] < row[3]], f"states of thread {thread}")


@pytest.mark.parametrize("name", NAMES)
def test_exported_threads_are_those_asked_for(name):
    place, archive = unpack(name)
    with place:
        whole = Exported("csv", archive).slices
        some = list(whole)[::2]
        if not some:
            return
        part = Exported("csv", archive, "--only-threads", ",".join(some)).slices
        same(part, {thread: whole[thread] for thread in some}, "states")
        alone, all = (Exported("paje", archive, *options) for options in (["--only-threads", ",".join(some)], []))
        names = {f"T{thread}" for thread in some}
        same(alone.arrows, {arrow for arrow in all.arrows if arrow[1] in names and arrow[3] in names}, "arrows")
        same(alone.states, {key: time for key, time in all.states.items() if key[0] in names}, "states of Paje")


def test_formats_and_times_share_an_option():
    place, archive = unpack("nested")
    with place:
        for options in (["--to", "csv", "--to", "1ms"], ["--to", "1ms", "--to", "csv"], ["--to", ".001", "--to=csv"]):
            done = heddle("export", *options, "-o", "-", archive)
            same(done.status, 0, f"heddle export {options} ({done.err})")
            rows = list(csv.DictReader(io.StringIO(done.out)))
            same(max(float(row["end_s"]) for row in rows), 0.001, f"the last end of {options}")
        done = heddle("export", "--to", "1ms", "-o", "-", archive)
        same((done.status, done.out), (2, ""), "no format")
        check("no format is given" in done.err, done.err)


@pytest.mark.parametrize("name", ["damaged", "truncated"])
def test_what_is_behind_the_stretch_is_not_read(name):
    """These archives are damaged somewhere behind: all of it cannot be read."""
    place, archive = unpack(name)
    with place:
        for command in ("info", "states"):  # what a part lost is known by the whole run alone: commands with the account read all
            same(heddle(*command.split(), archive).status, 1, f"status of heddle {command}, which reads all")
            same(heddle(*command.split(), "--to", "10%", archive).status, 0, f"status of heddle {command} --to 10%")
        for form in FORMATS:
            command = ["export", "--to", form, "-o", os.path.join(place.name, "x")]
            same(heddle(*command, archive).status, 1, f"status of heddle {command}, which reads all")
            same(heddle(*command, "--to", "10%", archive).status, 0, f"status of heddle {command} --to 10%")


def test_processes_are_chosen_by_name_program_id_and_number():
    place, archive = unpack("forks")
    with place:
        names = [row["process"] for row in ask("info", archive)["process_list"]]
        same(len(names), 2, "processes")
        whole = [row for row in ask("states", archive)["threads"] if row["thread"] is not None]
        for number, name in enumerate(names):
            rows = [row for row in whole if row["process"] == name]
            for word in (name, name[name.index("[") + 1:-1], str(number), f"{number}-{number}"):
                part = ask("states", "--only-processes", word, archive)["threads"]
                same([row for row in part if row["thread"] is not None], rows, f"--only-processes {word}")
        for words in ("processes", "0-1", ",".join(names)):
            part = ask("states", "--only-processes", words, archive)["threads"]
            same([row for row in part if row["thread"] is not None], whole, f"--only-processes {words}")


def test_wrong_restrictions_are_one_line():
    place, archive = unpack("loop-dynamic")
    with place:
        for status, options in ((2, "--from 1m"), (2, "--to -1s"), (2, "--from ''"), (2, "--from 1.2.3"), (2, "--only-threads 1-"), (2, "--only-threads x"),
                                (2, "--only-threads 3-1"), (2, "--only-threads ,"), (2, "--only-processes ''"), (1, "--from 1000s"), (1, "--from 20% --to 10%"),
                                (1, "--from 1ms --to 1000us"), (1, "--to 0"), (1, "--only-threads 3"), (1, "--only-threads 0-4000000000"),
                                (1, "--only-processes nobody"), (1, "--only-processes 1")):
            for command in ("info", "states", "imbalance", "locks", "schedule", "why", "pes", "report -o /dev/null", "export --to csv -o -"):
                done = heddle(*command.split(), *(word.strip("'") for word in options.split()), archive)
                same(done.status, status, f"heddle {command} {options} ({done.err})")
                same(done.out, "", "output")
                same(done.err.count("\n"), 1, f"lines on stderr ({done.err})")
                check(options.split()[0] in done.err, f"{options} is not named: {done.err}")


@pytest.mark.parametrize("name", NAMES)
def test_sequences_of_stretches_follow_each_other(name):
    place, archive = unpack(name)
    with place:
        length, ticks = length_of(archive)
        border = length // 3
        before, after, lock = (ask("pes", *options, archive) for options in (["--to", f"{border}ns"], ["--from", f"{border}ns"],
                                                                           ["--component", "lock", "--from", f"{border}ns", "--to", f"{2 * border}ns"]))
        whole = ask("pes", archive)
        if before["records"] > 0 and after["records"] > 0:
            same(before["begin"], whole["begin"], "begin of the first part")
            same(after["end"], whole["end"], "end of the last part")
            check(before["end"] <= after["begin"], "the parts overlap")
            check(sum(state["count"] for part in (before, after) for state in part["state_list"]) >= whole["records"] - 1, "records are missing")
        check(lock["end"] - lock["begin"] <= ticks // 3 + 2, "the sequence of locks is longer than the part")


def test_sequences_in_files_have_no_parts():
    place, archive = unpack("loop-dynamic")
    with place:
        file = os.path.join(place.name, "run.pes")
        same(heddle("pes", "-o", file, archive).status, 0, "heddle pes -o")
        done = heddle("pes", "--from", "1ms", file)
        same((done.status, done.err.count("\n")), (1, 1), f"heddle pes --from of a sequence ({done.err})")
        done = heddle("pes", "--vector", "select=1", "--only-threads", "0", archive)
        same((done.status, done.err.count("\n")), (1, 1), f"heddle pes of a thread that is left out ({done.err})")


@pytest.mark.parametrize("name", NAMES)
def test_a_report_of_a_stretch_can_be_made(name):
    place, archive = unpack(name)
    with place:
        for options in (["--from", "30%", "--to", "60%"], ["--only-threads", "0"], ["--from", "99.999%"], ["--to", "1%", "--only-threads", "0"]):
            page = os.path.join(place.name, "page.html")
            done = heddle("report", *options, "-o", page, archive)
            same(done.status, 0, f"heddle report {options} ({done.err})")
            check(any("Only a part was analyzed" in note for note in Report(page).runs[0]["notes"]), "the page does not say that it shows a part")
