"""
What the program says that it did (counts.h), and whether a trace says so, too.
"""
import collections
import mmap
import os
import re
import struct

import _otf2
import otf2
from otf2.enums import LocationGroupType, Paradigm, RegionRole

# As in counts.h.
COUNTED = ["event", "entered", "left", "parallel", "critical", "lock", "task", "plugin_a", "plugin_b"]
MOST_PROCESSES, MOST_ACTIONS = 4096, 128
EXCUSE_SAID, EXCUSE_NO_TRACE, EXCUSE_MUTE, EXCUSE_IN_MEMORY = 1, 2, 4, 8

_HEAD = 8 * (1 + MOST_ACTIONS)
_PROCESS = struct.Struct(f"4q{len(COUNTED)}q{len(COUNTED)}q")
SIZE = _HEAD + MOST_PROCESSES * _PROCESS.size
OPENMP, PLUGINS = COUNTED[3:], COUNTED[-2:]


class Process:
    """What one process image of the program counted."""

    def __init__(self, number, words):
        self.number = number
        self.pid, self.excuses, self.ended, self.exited = words[:4]
        self.begun = collections.Counter(dict(zip(COUNTED, words[4:])))
        self.done = collections.Counter(dict(zip(COUNTED, words[4 + len(COUNTED):])))

    def __str__(self):
        return f"process {self.number} [{self.pid}]"


class Said:
    """What Heddle said on standard error, as far as it may excuse something; killed: the program was, from outside."""

    def __init__(self, lines, anything, killed):
        self.anything, self.killed = bool(lines) or anything, killed
        self.has_archive = any("already holds a trace" in line for line in lines)
        self.in_memory = {int(m[1]) for line in lines if "in memory only" in line and (m := re.search(r"/raw/[^/]*\.(\d+)\.\d+: ", line))}

    def of(self, images):
        """Something, or these processes can't say anything."""
        return self.anything or any(p.excuses & EXCUSE_MUTE for p in images)

    def no_trace(self, images):
        """
        That there is none of these processes. Who begins when the program was killed and nobody recorded any more comes when
        there is an archive.
        """
        excuses = EXCUSE_SAID | EXCUSE_NO_TRACE
        late = self.killed and (self.has_archive or any(p.excuses & EXCUSE_MUTE for p in images))
        return late or (self.of(images) and any(p.excuses & excuses for p in images))

    def lost_in_memory(self, pid, images):
        """That what threads recorded last was in memory alone, and the process was killed, or ended by _exit."""
        may = any(p.excuses & EXCUSE_IN_MEMORY for p in images) and not any(p.ended for p in images)
        return may and (pid in self.in_memory or any(p.excuses & EXCUSE_MUTE for p in images))


class Counts:
    """The file that the program counts in."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(SIZE)
        os.chmod(path, 0o666)

    def read(self):
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), SIZE, prot=mmap.PROT_READ) as bytes_:
            words = struct.unpack_from(f"{1 + MOST_ACTIONS}q", bytes_)
            self.actions = words[1:]
            n = min(words[0], MOST_PROCESSES)
            self.processes = [Process(i, _PROCESS.unpack_from(bytes_, _HEAD + i * _PROCESS.size)) for i in range(n)]
        return self


class Shown:
    """What an archive shows of the processes with one pid: an image of the program, and the images that replaced it."""

    def __init__(self):
        self.n = collections.Counter()  # of COUNTED
        self.skipped = self.lost = 0
        self.holes = 0  # times when nothing was recorded
        self.endings = []


class Archive:
    """An archive: what it shows of each process, and what is wrong with it in itself."""

    def __init__(self, path):
        self.wrong = []
        self.of_pid = collections.defaultdict(Shown)
        self.events = collections.defaultdict(list)  # process number -> [(serial, pid)]
        with otf2.reader.open(path, batch_events=10000) as reader:
            definitions = reader.definitions
            pids = {g: int(re.search(r"\[(\d+)\]$", g.name)[1]) for g in definitions.location_groups
                    if g.location_group_type == LocationGroupType.PROCESS}
            for p in definitions._location_properties:
                shown = self.of_pid[pids[p.location.group]]
                if p.name == "HEDDLE::EVENTS_LOST":
                    shown.lost += int(p.value)
                elif p.name == "HEDDLE::EVENTS_SKIPPED":
                    shown.skipped += int(p.value)
            for p in definitions._location_group_properties:
                if p.name == "HEDDLE::ENDED":
                    self.of_pid[pids[p.location_group]].endings.append(p.value)
            for group, pid in pids.items():
                self.of_pid[pid]  # is there, if only with nothing in it
            self.threads_lost = _archive_number(reader, "HEDDLE::THREADS_LOST")
            # Lost by threads that had no place in the trace any more, or not yet: their process is unknown.
            self.lost_elsewhere = _archive_number(reader, "HEDDLE::EVENTS_LOST") - sum(s.lost for s in self.of_pid.values())
            if pids and len(definitions.locations):
                self._read_events(reader, pids)

    def _read_events(self, reader, pids):
        stacks = collections.defaultdict(list)
        times = {}
        for location, event in reader.events:
            if location.group not in pids:  # a processor
                continue
            kind = type(event).__name__
            shown = self.of_pid[pids[location.group]]
            if event.time < times.get(location, 0):
                self.wrong.append(f"time runs backwards on {location.name} of {location.group.name}")
            times[location] = event.time
            stack = stacks[location]
            if kind == "Enter":
                stack.append(event.region)
                self._count_enter(shown, pids[location.group], event)
            elif kind == "Leave":
                if not stack or stack[-1] is not event.region:
                    self.wrong.append(f"{event.region.name} is left where it is not entered, on {location.name} of {location.group.name}")
                else:
                    stack.pop()
            elif kind == "ThreadFork":
                shown.n[self._place(stack)] += 1
            elif kind == "ThreadAcquireLock":
                construct = stack and stack[-1].region_role in (RegionRole.CRITICAL, RegionRole.ORDERED, RegionRole.ATOMIC)
                shown.n["critical" if construct else "lock"] += 1
            elif kind == "ThreadTaskCreate":
                shown.n["task"] += 1
            elif kind == "MeasurementOnOff":
                shown.holes += 1
        self.wrong += [f"{stack[-1].name} is never left, on {location.name}" for location, stack in stacks.items() if stack]

    def _count_enter(self, shown, pid, event):
        region = event.region
        if region.paradigm != Paradigm.USER:
            return
        if region.name != "event":
            shown.n["entered"] += region.region_role == RegionRole.CODE and region.name != "(further names)" and \
                "phase" not in str(region.region_flags).lower()
            return
        shown.n["event"] += 1
        says = {a.name: v for a, v in (event.attributes or {}).items()}
        if set(says) != {"process", "serial"}:
            self.wrong.append(f"an event of [{pid}] has the attributes {says}")
            return
        self.events[says["process"]].append((says["serial"], pid))

    @staticmethod
    def _place(stack):
        name = stack[-1].name if stack else ""
        return "plugin_a" if "plugin_a" in name else "plugin_b" if "plugin_b" in name else "parallel"


def _archive_number(reader, name):
    """A property of the archive; 0 where it has none of that name."""
    return int(_otf2.Reader_GetProperty(reader.handle, name)) if name in _otf2.Reader_GetPropertyNames(reader.handle) else 0


def _wrong_events(archive, processes):
    """Events that are recorded twice, in another process' part, or that nobody emitted."""
    for number, events in archive.events.items():
        process = processes[number]
        serials = collections.Counter(serial for serial, _ in events)
        twice = [s for s, n in serials.items() if n > 1]
        if twice:
            yield f"{process}: {len(twice)} events are there twice, the first is {min(twice)}"
        elsewhere = collections.Counter(pid for _, pid in events if pid != process.pid)
        for pid, n in elsewhere.items():
            yield f"{process}: {n} of its events are shown as those of [{pid}]"
        if max(serials) > process.begun["event"]:
            yield f"{process}: event {max(serials)} of {process.begun['event']}"


def _total(processes, counter, names):
    return sum(getattr(p, counter)[name] for p in processes for name in names)


def _ranges(events, begun):
    """Which serial numbers are missing, as text: where they lie says what was lost."""
    missing = sorted(set(range(1, begun + 1)) - {serial for serial, _ in events})
    ranges = []
    for serial in missing:
        if ranges and ranges[-1][1] == serial - 1:
            ranges[-1][1] = serial
        else:
            ranges.append([serial, serial])
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in ranges[:8]) + (", ..." if len(ranges) > 8 else "")


def _missing_or_too_many(archive, pid, images, may_be_less, said):
    who, shown = ", ".join(map(str, images)), archive.of_pid[pid]
    may_be_less = may_be_less or said.lost_in_memory(pid, images)
    said = said.of(images)
    user = ["event", "entered"]
    n, done, begun = sum(shown.n[k] for k in user), _total(images, "done", user), _total(images, "begun", user)
    left = _total(images, "begun", ["left"])
    counted = n + shown.skipped + shown.lost
    excused = any(p.excuses & EXCUSE_SAID for p in images) or (len(images) > 1 and any(p.excuses & EXCUSE_NO_TRACE for p in images))
    forgiven = may_be_less or (excused and said)
    taken = 0 if forgiven else min(max(done - counted, 0), archive.lost_elsewhere)  # else another process has too few
    archive.lost_elsewhere -= taken
    counted += taken
    if counted < done and not forgiven:
        yield (f"{who}: {done} events ended and {begun} began; the trace has {n}, skipped {shown.skipped}, "
               f"lost {shown.lost}: {done - counted} are missing{', and nothing is said' if excused else ''}; not there: "
               + "; ".join(_ranges(archive.events[p.number], p.begun["event"]) for p in images))
    if n > begun or (not shown.lost and n + shown.skipped > begun + left):
        yield f"{who}: {begun} events began, the trace has {n}, skipped {shown.skipped}: too many"
    # The place of a plug-in that could not be listed is unknown, but never another one's. That may be one whose region was
    # begun when the process was killed.
    hidden = sum(max(_total(images, "begun", [kind]) - shown.n[kind], 0) for kind in PLUGINS)
    shown.n["parallel"] -= min(hidden, max(shown.n["parallel"] - _total(images, "done", ["parallel"]), 0))
    # Where events are missing, so may be the begin of a critical section, whose lock is then anybody's.
    sections = max(_total(images, "begun", ["critical"]) - shown.n["critical"], 0) if shown.lost or shown.holes or may_be_less else 0
    shown.n["lock"] -= min(sections, max(shown.n["lock"] - _total(images, "done", ["lock"]), 0))
    for kind in OPENMP:
        if kind in PLUGINS and shown.n[kind] <= _total(images, "begun", [kind]):
            continue
        done, begun = _total(images, "done", [kind]), _total(images, "begun", [kind])
        if shown.n[kind] > begun or (shown.n[kind] < done and not shown.lost and not forgiven):
            yield f"{who}: {kind} {done} to {begun} times, the trace has {shown.n[kind]}"


def _ended_wrongly(endings, images, said):
    """How a process ended. Who came to its end may have been killed at it, where its parent did not see it exit."""
    image = images[0]
    if len(images) > 1 or not endings or image.excuses & (EXCUSE_SAID | EXCUSE_NO_TRACE):
        return
    if said.killed and image.ended and not image.exited and endings[0] in ("unknown", "signal 9 (SIGKILL)"):
        return
    if (endings[0] == "exit") != bool(image.ended):
        yield f"{image} {'ended by itself' if image.ended else 'was ended'}, the trace says: {endings[0]}"


def differences(archive, counts, may_be_less, said):
    """
    What a trace says that is not so. may_be_less: the recording was bounded (ring), older parts may be missing without a
    number; said: a Said.
    """
    wrong = list(dict.fromkeys(archive.wrong))[:5]
    wrong += _wrong_events(archive, counts.processes)
    by_pid = collections.defaultdict(list)
    for process in counts.processes:
        by_pid[process.pid].append(process)
    said.anything = said.anything or bool(archive.threads_lost)
    for pid, images in by_pid.items():
        shown = archive.of_pid.get(pid)
        if shown is None:
            if any(sum(p.done.values()) for p in images) and not said.no_trace(images):
                wrong.append(f"{', '.join(map(str, images))}: is not in the trace, with {_total(images, 'done', ['event'])} events")
            continue
        wrong += _missing_or_too_many(archive, pid, images, may_be_less, said)
        wrong += _ended_wrongly(shown.endings, images, said)
    strangers = set(archive.of_pid) - set(by_pid)
    strangers = {pid for pid in strangers if sum(archive.of_pid[pid].n.values())}
    wrong += [f"[{pid}] is in the trace, and is not of the program" for pid in sorted(strangers)]
    return wrong
