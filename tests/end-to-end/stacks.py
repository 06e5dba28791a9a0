"""
Samples in the formats of other tools: folded stacks, and pprof's profiles, which protoc decodes by pprof.proto. Both have the figures of
`heddle calls`.
"""
import collections
import gzip
import json
import lzma
import os
import tarfile

import otf2
from otf2.enums import Paradigm, RegionRole

from harness import check, directory, heddle, once, same
from perfetto import decoded

ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outputs", "archives")
PERIOD = 1000000  # ns


@once
def trace():
    """A run of the program `shares`, recorded with a sample each millisecond."""
    place = directory()
    with lzma.open(os.path.join(ARCHIVES, "samples.tar.xz")) as packed, tarfile.open(fileobj=packed) as archive:
        archive.extractall(place)
    return os.path.join(place, "samples")


def calls(*options):
    done = heddle("calls", "--json", *options, trace())
    same((done.status, done.err), (0, ""), f"calls {options}")
    return json.loads(done.out)


def exported(form, *options):
    path = os.path.join(directory(), "x")
    done = heddle("export", "--to", form, *options, "-o", path, trace())
    same((done.status, done.out, done.err), (0, "", ""), f"export --to {form} {options}")
    with open(path, "rb") as file:
        return file.read()


def folded(*options):
    """Samples by stack."""
    stacks = collections.Counter()
    for line in exported("folded", *options).decode().splitlines():
        frames, _, samples = line.rpartition(" ")
        stacks[tuple(frames.split(";"))] += int(samples)
    return stacks


def figures(stacks):
    """Self and inclusive samples of each function; a function counts once a stack."""
    own, inclusive = collections.Counter(), collections.Counter()
    for frames, samples in stacks.items():
        own[frames[-1]] += samples
        for frame in set(frames):
            inclusive[frame] += samples
    return {name: (own[name], inclusive[name]) for name in inclusive}


def expected_figures():
    return {row["function"]: (row["self_samples"], row["inclusive_samples"]) for row in calls()["functions"] if row["self_samples"] is not None}


def test_folded_stacks_have_the_figures_of_calls():
    same(figures(folded()), expected_figures(), "self and inclusive samples")


def test_roots_are_processes_and_threads():
    stacks, with_threads = folded(), folded("--root", "thread")
    without = collections.Counter()
    threads = collections.Counter()
    for frames, samples in with_threads.items():
        without[frames[2:]] += samples
        threads[frames[1]] += samples
    same(without, stacks, "stacks without their roots")
    same(threads, {row["thread_name"]: row["samples"] for row in calls("--by", "thread")["threads"]}, "samples of threads")
    same({frames[0] for frames in folded("--root", "process")}, {frames[0] for frames in with_threads}, "processes")


class Profile:
    """A pprof profile; all that it refers to must be there, and once."""

    def __init__(self, data):
        profile = decoded(gzip.decompress(data), "pprof.proto", "Profile")
        self.strings = profile["string_table"]
        same((self.strings[0], len(set(self.strings))), ("", len(self.strings)), "the table of strings")
        self.types = [(self.text(t, "type"), self.text(t, "unit")) for t in profile["sample_type"]]
        self.mappings = self.by_id(profile["mapping"])
        self.functions = self.by_id(profile["function"])
        self.locations = self.by_id(profile["location"])
        self.samples = profile["sample"]
        self.period = (self.text(profile.one("period_type"), "type"), profile.one("period"))
        self.profile = profile

    def text(self, message, field):
        return self.strings[message.one(field, 0)]

    @staticmethod
    def by_id(messages):
        ids = {message.one("id"): message for message in messages}
        check(len(ids) == len(messages) and 0 not in ids, "ids differ, and none is 0")
        return ids

    def frame(self, location):
        """Name, file and line."""
        at = self.locations[location]
        if "mapping_id" in at:
            check(at.one("mapping_id") in self.mappings, f"the mapping of {at}")
        line = at.one("line")
        function = self.functions[line.one("function_id")]
        return self.text(function, "name"), self.text(function, "filename"), line.one("line", 0)

    def labels(self, sample):
        return {self.text(label, "key"): self.text(label, "str") for label in sample["label"]}


def test_a_profile_has_the_figures_of_calls():
    profile = Profile(exported("pprof"))
    trigger = calls()["trigger"]
    same(profile.types, [(name, unit) for of in (trigger, "wait") for name, unit in ((f"{of} samples", "count"), (of, "nanoseconds"))], "types of values")
    same(profile.period, (trigger, PERIOD), "the period")
    stacks, lines = collections.Counter(), collections.Counter()
    for sample in profile.samples:
        count, ns, waits, waited = sample["value"]
        same((ns, waited), (count * PERIOD, waits * 10_000_000), f"values of {sample}")
        if count == 0:  # of a wait alone
            continue
        frames = [profile.frame(location) for location in sample["location_id"]]
        stacks[tuple(name for name, _, _ in reversed(frames))] += count
        lines[frames[0]] += count
    same(stacks, folded(), "stacks")
    same(figures(stacks), expected_figures(), "self and inclusive samples")
    rows = {(row["function"], row["file"] or "", row["line"] or 0): row["self_samples"] for row in calls("--lines")["lines"] if row["self_samples"]}
    same(lines, rows, "samples of lines")


def test_labels_are_threads_constructs_and_states():
    profile = Profile(exported("pprof"))
    for by in ("thread", "construct", "state"):
        found = collections.Counter()
        for sample in profile.samples:
            found[profile.labels(sample).get(by, "")] += sample["value"][0]
        rows, key = collections.Counter(), "thread_name" if by == "thread" else by
        for row in calls("--by", by)[by + "s"]:
            rows["" if row[key].startswith("(") else row[key]] += row["samples"]
        same(found, +rows, f"samples by {by}")


def test_a_profile_can_have_roots():
    profile = Profile(exported("pprof", "--root", "thread"))
    for sample in profile.samples:
        frames = [profile.frame(location)[0] for location in sample["location_id"]]
        labels = profile.labels(sample)
        same(frames[-2:], [labels["thread"], labels["process"]], f"roots of {sample}")


def instrumented(at):
    """As Score-P's compiler instrumentation writes it: functions are plain Enter and Leave, and so are constructs."""
    with otf2.writer.open(at, timer_resolution=10**9) as made:
        define = made.definitions
        group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
        function = {name: define.region(name, source_file="a.c", region_role=RegionRole.FUNCTION, paradigm=Paradigm.COMPILER, begin_line_number=line)
                    for line, name in enumerate(("main", "solve", "step"), 1)}
        barrier = define.region("!$omp barrier @a.c:9", source_file="a.c", region_role=RegionRole.BARRIER, paradigm=Paradigm.OPENMP, begin_line_number=9)
        writer = made.event_writer("Master thread", group=group)
        for time, is_enter, region in ((0, 1, "main"), (100, 1, "solve"), (150, 1, "step"), (160, 1, "step"), (180, 0, "step"), (200, 0, "step"), (300, 1, None),
                                       (340, 0, None), (400, 0, "solve"), (450, 1, "step"), (500, 0, "step"), (1000, 0, "main")):
            (writer.enter if is_enter else writer.leave)(time, function[region] if region else barrier)
        writer = made.event_writer("OMP worker thread 1", group=group)
        writer.enter(100, function["solve"])
        writer.enter(200, function["step"])
        writer.enter(250, barrier)  # the last event: three calls did not return


def test_calls_of_other_tools_are_enter_and_leave():
    path = os.path.join(directory(), "run")
    instrumented(path)
    said = heddle("export", "--to", "folded", "-o", "-", path)
    same((said.status, said.err), (0, ""), "heddle export")
    same(dict(line.rsplit(" ", 1) for line in said.out.splitlines()),
         {"main": "650", "main;solve": "210", "main;solve;step": "30", "main;solve;step;step": "20", "main;solve;!$omp barrier @a.c:9": "40", "main;step": "50",
          "solve": "100", "solve;step": "50"}, "time by path")  # what ends with the events has no time
    said = json.loads(heddle("calls", "--json", path).out)
    rows = {row["function"]: row for row in said["functions"]}
    same({name: (row["calls"], row["self"]["ticks"], row["blocked"]["ticks"], row["inclusive"]["ticks"], row["running"]) for name, row in rows.items()},
         {"main": (1, 650, 0, 1000, 0), "solve": (2, 310, 0, 450, 1), "step": (4, 150, 0, 150, 1), "!$omp barrier @a.c:9": (2, 0, 40, 40, 1)}, "functions")
    same((rows["step"]["shortest"]["ticks"], rows["step"]["longest"]["ticks"], said["figures"]), (20, 50, "exact"), "calls of step")
    same(heddle("report", "-o", os.path.join(directory(), "page.html"), path).status, 0, "heddle report")


def test_other_formats_have_no_stacks():
    for options, why in ((["--to", "csv", "--root", "thread"], "--root is for"), (["--to", "pprof", "--trigger", "cpu"], "--trigger is for")):
        done = heddle("export", *options, trace())
        same((done.status, done.err.count("\n"), why in done.err), (2, 1, True), f"{options}: {done.err}")
