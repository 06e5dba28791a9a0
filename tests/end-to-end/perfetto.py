"""
A reader and checker of Perfetto's traces. protoc decodes them by perfetto.proto, and what one packet says must fit what others
of its sequence have said. read(path) returns the trace as events of Chrome's JSON, to which the same checks apply, and states.
"""
import collections
import math
import os
import re
import shutil
import subprocess

import pytest

from harness import check, same

HERE = os.path.dirname(os.path.abspath(__file__))
CLEARED, NEEDED = 1, 2
BOOTTIME = 6
MOST_COUNTERS = 8  # that readers take with an event


class Message(collections.defaultdict):
    """Fields by their names, each a list."""

    def __init__(self):
        super().__init__(list)

    def one(self, name, default=None):
        values = self.get(name, [default])
        same(len(values), 1, f"values of {name}")
        return values[0]


def value_of(text):
    """A number, a word, or a text, which must be UTF-8."""
    if text.startswith('"'):
        return text[1:-1].encode("ascii").decode("unicode_escape").encode("latin-1").decode("utf-8")
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def number_of(annotation):
    """An annotation's number, as Chrome's JSON has it: infinity and NaN are texts."""
    (field, (value,)), = ((k, v) for k, v in annotation.items() if k != "name_iid")
    if field != "double_value":
        return value
    return float(value) if math.isfinite(float(value)) else str(value)


def decoded(data, proto, kind):
    """A message by a .proto in this folder. A field that it does not have is a fault."""
    if not shutil.which("protoc"):
        pytest.skip("protoc is not installed (Debian: protobuf-compiler)")
    done = subprocess.run(["protoc", f"--proto_path={HERE}", f"--decode={kind}", proto], input=data, capture_output=True, check=False)
    same((done.returncode, done.stderr), (0, b""), "protoc")
    stack = [Message()]
    for line in done.stdout.decode("ascii").splitlines():
        name, _, text = line.strip().partition(" ")
        if name == "}":
            stack.pop()
            continue
        check(not name.rstrip(":").isdigit(), f"{proto} does not have the field of {line!r}")
        if text == "{":
            inner = Message()
            stack[-1][name].append(inner)
            stack.append(inner)
        else:
            stack[-1][name.removesuffix(":")].append(value_of(text))
    same(len(stack), 1, "the message")
    return stack[0]


def packets(path):
    """The packets of a file."""
    with open(path, "rb") as file:
        trace = decoded(file.read(), "perfetto.proto", "Trace")
    same(set(trace) - {"packet"}, set(), "the trace")
    return trace["packet"]


class Sequence:
    """What packets of a sequence may refer to."""

    def __init__(self):
        self.interned = {kind: {} for kind in ("event_categories", "event_names", "debug_annotation_names", "source_locations")}
        self.clocks, self.clock, self.track = {}, None, None

    def take(self, packet):
        """What a packet declares."""
        for clock in packet.one("clock_snapshot", Message())["clocks"]:
            incremental = clock.one("is_incremental", "false") == "true"
            same(clock.one("unit_multiplier_ns", 1), 1, "ns of a unit")
            check(incremental == (64 <= clock.one("clock_id") < 128), f"a clock: {clock}")
            same(clock.one("timestamp"), 0, "the begin of a clock")
            self.clocks[clock.one("clock_id")] = 0
        for defaults in packet["trace_packet_defaults"]:
            self.clock = defaults.one("timestamp_clock_id")
            self.track = defaults.one("track_event_defaults").one("track_uuid")
        for kind, entries in packet.one("interned_data", Message()).items():
            for entry in entries:
                check(entry.one("iid") > 0 and entry.one("iid") not in self.interned[kind], f"{kind}: {entry} is there already")
                self.interned[kind][entry.one("iid")] = entry

    def time(self, packet):
        clock = packet.one("timestamp_clock_id", self.clock)
        if clock == BOOTTIME:
            return packet.one("timestamp")
        self.clocks[clock] += packet.one("timestamp")
        return self.clocks[clock]

    def name(self, kind, iid):
        return self.interned[kind][iid].one("name")


class Reader:
    def __init__(self):
        self.events, self.tracks, self.flows, self.last = [], {}, {}, 0
        self.sequences = collections.defaultdict(Sequence)
        self.owners = {}  # sequence of each thread's events

    def describe(self, track):
        kind = [k for k in ("process", "thread", "counter") if k in track]
        check(track.one("uuid") not in self.tracks and track.one("uuid") > 0, f"described twice: {track}")
        if not kind:
            same(track.one("name"), "states", f"the name of {track}")
            self.tracks[track.one("uuid")] = {"states_of": self.tracks[track.one("parent_uuid")]["tid"], "open": False}
            return
        same(len(kind), 1, f"kinds of {track}")
        if kind != ["process"]:
            parent = self.tracks[track.one("parent_uuid")]
            pid = parent["pid"]
        if kind == ["counter"]:
            self.tracks[track.one("uuid")] = {"pid": pid, "counter": track.one("name")}
            return
        descriptor = track.one(kind[0])
        ids = {k: descriptor.one(k) for k in ("pid", "tid") if k in descriptor}
        check(kind == ["process"] or ids["pid"] == pid, f"the process of {track}")
        self.tracks[track.one("uuid")] = ids
        self.events.append({"ph": "M", **ids, "name": f"{kind[0]}_name", "args": {"name": descriptor.one(f"{kind[0]}_name")}})

    def count(self, uuid, value, time):
        track = self.tracks[uuid]
        self.events.append({"ph": "C", "pid": track["pid"], "ts": time, "name": track["counter"], "args": {"threads": value}})

    def named(self, sequence, event):
        """Name, category and arguments, as in Chrome's JSON."""
        args = {}
        if "source_location_iid" in event:
            source = sequence.interned["source_locations"][event.one("source_location_iid")]
            args = {k: source.one(f) for k, f in (("function", "function_name"), ("file", "file_name"), ("line", "line_number")) if f in source}
        for annotation in event["debug_annotations"]:
            args[sequence.name("debug_annotation_names", annotation.one("name_iid"))] = number_of(annotation)
        return {"name": sequence.name("event_names", event.one("name_iid")),
                "cat": sequence.name("event_categories", event.one("category_iids")), "args": args}

    def flow(self, base, event, name):
        for number in event["flow_ids"]:
            check(number not in self.flows, f"begins twice: {event}")
            self.flows[number] = name
            self.events.append({"ph": "s", **base, "id": number, "name": name, "cat": "arrow"})
        for number in event["terminating_flow_ids"]:
            check(event.one("type") == "TYPE_SLICE_BEGIN" or name == self.flows[number], f"another name than the begin's: {event}")
            self.events.append({"ph": "f", **base, "id": number, "name": self.flows[number], "cat": "arrow", "bp": "e"})

    def take_state(self, sequence, event, time):
        """Begins and ends alternate. They become events of a kind of their own, an end without a name."""
        track = self.tracks[event.one("track_uuid")]
        begins = event.one("type") == "TYPE_SLICE_BEGIN"
        check("states_of" in track and begins != track["open"] and (begins or event.one("type") == "TYPE_SLICE_END"), f"a state: {event}")
        track["open"] = begins
        said = self.named(sequence, event) if begins else {"name": None, "cat": "state", "args": {}}
        same((said["cat"], said["args"]), ("state", {}), f"a state: {event}")
        self.events.append({"ph": "state", "tid": track["states_of"], "ts": time, "name": said["name"]})

    def take_event(self, number, sequence, event, time):
        kind = event.one("type")
        if kind == "TYPE_COUNTER":
            self.count(event.one("track_uuid"), event.one("counter_value"), time)
            return
        if "track_uuid" in event:
            self.take_state(sequence, event, time)
            return
        base = {**self.tracks[sequence.track], "ts": time}
        same(self.owners.setdefault(base["tid"], number), number, f"the sequence of {base}")
        extra = list(zip(event["extra_counter_track_uuids"], event["extra_counter_values"], strict=True))
        check(len(extra) <= MOST_COUNTERS, f"too many counters: {event}")
        for uuid, value in extra:
            self.count(uuid, value, time)
        said = {} if kind == "TYPE_SLICE_END" else self.named(sequence, event)
        if kind == "TYPE_INSTANT":
            same((said["cat"], said["args"], len(event["flow_ids"] + event["terminating_flow_ids"])), ("arrow", {}, 1), f"an instant: {event}")
        else:
            self.events.append({"ph": {"TYPE_SLICE_BEGIN": "B", "TYPE_SLICE_END": "E"}[kind], **base, **said})
        self.flow(base, event, said.get("name"))

    def take(self, packet):
        number, flags = packet.one("trusted_packet_sequence_id"), packet.one("sequence_flags", 0)
        check(number > 0, f"no sequence: {packet}")
        check((flags == CLEARED) == (number not in self.sequences and number > 1), f"the first packet of its sequence, and no other, begins it: {packet}")
        sequence = self.sequences[number]
        sequence.take(packet)
        for track in packet["track_descriptor"]:
            self.describe(track)
        for event in packet["track_event"]:
            same(flags, NEEDED, f"flags of {packet}")
            self.take_event(number, sequence, event, sequence.time(packet))


def read(path):
    reader = Reader()
    for packet in packets(path):
        reader.take(packet)
    return reader.events
