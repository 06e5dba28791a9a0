#!/usr/bin/python3
"""
Makes an input for fuzz_export and fuzz_report (otf2_player_kinds.h) of an archive: its definitions, and each thread's first events.

    archive_input.py ARCHIVE OUTPUT [EVENTS]
"""
import os
import re
import sys

import otf2
from otf2 import events as kinds

HERE = os.path.dirname(os.path.abspath(__file__))
UNSIGNED_64 = 4 + 128


def enumerators():
    """Numbers of the kinds of records, from otf2_player_kinds.h."""
    with open(os.path.join(HERE, "otf2_player_kinds.h"), encoding="utf-8") as file:
        body = re.search(r"enum played_kind \{(.*?)\};", file.read(), re.S)[1]
    names = re.findall(r"PLAYED_(\w+)", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
    return {name: number for number, name in enumerate(names)}


def known_names():
    with open(os.path.join(HERE, "otf2_player_input.c"), encoding="utf-8") as file:
        body = re.search(r"played_names\[\] = \{(.*?)\};", file.read(), re.S)[1]
    return {name: 160 + number for number, name in enumerate(re.findall(r'"([^"]*)"', body))}


class Output:
    def __init__(self):
        self.kinds, self.bytes, self.texts, self.refs = enumerators(), bytearray(), known_names(), {}
        self.defined = 0

    def put(self, kind, *fields):
        data = b"".join(field if isinstance(field, bytes) else bytes([field]) for field in fields)[:254]
        self.bytes += bytes([self.kinds[kind], len(data)]) + data

    def text(self, text):
        """The ref of a string, which is defined when it comes first."""
        if text not in self.texts:
            self.texts[text] = min(self.defined, 159)
            self.defined += 1
            self.put("STRING", self.texts[text], text.encode()[:200])
        return self.texts[text]

    def ref(self, thing):
        """A number a definition, by its kind, or 255."""
        if thing is None:
            return 255
        known = self.refs.setdefault(type(thing), {})
        return min(known.setdefault(thing, len(known)), 254)

    def step(self, ticks):
        if ticks < 240:
            return ticks
        return min(240 + (ticks.bit_length() - 5) // 4, 254)


def put_definitions(out, definitions):
    clock = definitions.clock_properties
    out.put("CLOCK", *(n.to_bytes(8, "little") for n in (clock.timer_resolution, 0, min(clock.trace_length, 2 ** 40), 0)))
    for node in definitions.system_tree_nodes:
        out.put("NODE", out.ref(node), out.text(node.name), out.ref(node.parent))
    for group in definitions.location_groups:
        out.put("LOCATION_GROUP", out.ref(group), out.text(group.name))
    for location in definitions.locations:
        out.put("LOCATION", out.ref(location), out.text(location.name), out.ref(location.group), min(location.number_of_events, 255), 1)
    for region in definitions.regions:
        texts = [out.text(t or "") for t in (region.name, region.canonical_name, region.description)]
        out.put("REGION", out.ref(region), *texts, region.region_role.value, region.paradigm.value, out.text(region.source_file or ""),
                min(region.begin_line_number, 255))
    for comm in definitions.comms:
        group = comm.group
        out.put("GROUP", out.ref(group), group.group_type.value, group.paradigm.value, 0 if group.members else 255,
                *(out.ref(m) if not isinstance(m, int) else m % 255 for m in group.members))
        out.put("COMM", out.ref(comm), out.ref(group))
    for attribute in definitions.attributes:
        out.put("ATTRIBUTE", out.ref(attribute), out.text(attribute.name))


def put_attributes(out, event):
    fields = []
    for attribute, value in (event.attributes or {}).items():
        if isinstance(value, str):
            fields += [out.ref(attribute), 11, out.text(value)]
        elif isinstance(value, int):
            fields += [out.ref(attribute), UNSIGNED_64, (value % 2 ** 64).to_bytes(8, "little")]
    return fields


def put_event(out, location, ticks, event):
    where = (out.ref(location), out.step(ticks))
    name = type(event).__name__
    more = put_attributes(out, event)
    if isinstance(event, (kinds.Enter, kinds.Leave)):
        out.put(name.upper(), *where, out.ref(event.region), *more)
    elif isinstance(event, (kinds.ThreadTeamBegin, kinds.ThreadTeamEnd)):
        out.put({"ThreadTeamBegin": "TEAM_BEGIN", "ThreadTeamEnd": "TEAM_END"}[name], *where, out.ref(event.thread_team), *more)
    elif isinstance(event, (kinds.ThreadFork, kinds.ThreadJoin)):
        out.put(name[6:].upper(), *where, 4, *more)
    elif isinstance(event, (kinds.ThreadAcquireLock, kinds.ThreadReleaseLock)):
        out.put(name[6:13].upper(), *where, event.lock_id % 255, event.acquisition_order % 255, *more)
    elif isinstance(event, (kinds.ThreadTaskCreate, kinds.ThreadTaskSwitch, kinds.ThreadTaskComplete)):
        out.put("TASK_" + name[10:].upper(), *where, out.ref(event.thread_team), event.creating_thread % 255, event.generation_number % 255,
                *more)
    elif isinstance(event, kinds.MeasurementOnOff):
        out.put("MEASUREMENT", *where, event.measurement_mode.value, *more)
    else:
        out.put("OTHER", *where, 0, *more)


def main():
    out, most, counts, times = Output(), int(sys.argv[3]) if len(sys.argv) > 3 else 60, {}, {}
    with otf2.reader.open(sys.argv[1]) as archive:
        put_definitions(out, archive.definitions)
        for location, event in archive.events:
            counts[location] = counts.get(location, 0) + 1
            if counts[location] <= most:
                put_event(out, location, event.time - times.get(location, event.time), event)
                times[location] = event.time
    with open(sys.argv[2], "wb") as file:
        file.write(out.bytes)


main()
