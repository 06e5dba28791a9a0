"""
Made-up runs: a simulation of threads on processors, and a second implementation of the account. It follows the rules of docs/why.md, slowly and
simply. A run can be written as an archive; account.py compares the two.

A program has a list of steps for each thread: ("work", ticks), ("alone", ticks), ("sleep", ticks), ("lock", number), ("unlock", number),
("post", number), ("await", number), ("meet",). An await takes one post, or waits for it. In a team the threads are
members of one parallel region. Else they are POSIX threads: posix() makes thread 0 create and join the others.
"""
import collections
from fractions import Fraction

import otf2
from otf2.enums import GroupType, Paradigm, RegionRole as Role, Type

WAKE_UP = 100_000  # ticks, which are ns: a longer wake-up lacked a processor
START = 1_000_000  # ticks of the first event


class Wait:
    """From `begin` to `end`; from `release`, when `waker` ended it, the thread wakes up."""

    def __init__(self, thread, kind, begin, about=None):
        self.thread, self.kind, self.begin, self.about = thread, kind, begin, about
        self.release = self.end = self.waker = self.since = self.mix = None
        self.lost = Fraction(0)


class Thread:
    def __init__(self, number, steps):
        self.number, self.steps = number, collections.deque(steps)
        self.state, self.begin, self.end = "new", None, None
        self.pieces, self.waits = [], []  # pieces: (begin, end, kind of what it does, Wait or None)
        self.doing, self.left, self.used, self.until = "work", 0, 0, 0


class Run:
    """A simulation of a program. A thread leaves its processor after `quantum` if others are ready; `latency` passes after each release."""

    def __init__(self, program, processors, team, quantum=2_000_000, latency=20_000):
        self.processors, self.team, self.quantum, self.latency = processors, team, quantum, latency
        self.threads = [Thread(number, steps) for number, steps in enumerate(program)]
        self.holders, self.queues, self.held, self.acquired = {}, collections.defaultdict(collections.deque), collections.defaultdict(list), {}
        self.events = collections.defaultdict(list)  # thread -> (time, what, detail)
        self.posted = collections.Counter()
        self.met, self.last_meeting, self.ready, self.time = [], None, collections.deque(), START
        for thread in self.threads if team else self.threads[:1]:
            self.start(thread)
        self.settle()
        while any(thread.state not in ("new", "ended") for thread in self.threads):
            self.pass_time()
            self.settle()
        self.begin, self.end = START, self.time

    def running(self):
        return [thread for thread in self.threads if thread.state == "runs"]

    def note(self, thread, what, detail=None):
        self.events[thread].append((self.time, what, detail))

    def did(self, thread, kind, wait=None):
        begin = thread.pieces[-1][1] if thread.pieces else thread.begin
        if self.time > begin:
            thread.pieces.append((begin, self.time, kind, wait))

    def start(self, thread):
        thread.begin, thread.state, thread.used = self.time, "runs" if len(self.running()) < self.processors else "ready", 0
        if thread.state == "ready":
            self.note(thread, "ready")
            self.ready.append(thread)

    def wait(self, thread, kind, about=None):
        thread.waits.append(Wait(thread, kind, self.time, about))
        thread.state = "waits"
        self.note(thread, "wait", thread.waits[-1])

    def release(self, wait, waker):
        wait.release, wait.waker = self.time, waker
        wait.thread.state, wait.thread.until = "wakes", self.time + self.latency

    def step(self, thread):
        if not thread.steps:
            thread.state, thread.end = "ended", self.time
            for other in self.threads:
                if other.state == "waits" and other.waits[-1].about is thread:
                    self.release(other.waits[-1], thread)
            return
        kind, *about = thread.steps.popleft()
        if kind in ("work", "alone"):
            thread.doing, thread.left = kind, about[0]
            self.note(thread, kind)
        elif kind == "sleep":
            thread.state, thread.until = "sleeps", self.time + about[0]
            self.note(thread, "sleep")
        elif kind == "lock" and about[0] in self.holders:
            self.queues[about[0]].append(thread)
            self.wait(thread, "lock", about[0])
        elif kind == "lock":
            self.acquire(thread, about[0])
        elif kind == "unlock":
            self.unlock(thread, about[0])
        elif kind == "post":
            self.post(thread, about[0])
        elif kind == "await" and self.posted[about[0]] > 0:
            self.posted[about[0]] -= 1
        elif kind == "await":
            self.wait(thread, "await", about[0])
        elif kind == "meet":
            self.meet(thread)
        elif kind == "create":
            self.note(thread, "create", about[0])
            self.start(self.threads[about[0]])
        else:
            self.wait(thread, "join", self.threads[about[0]])
            if self.threads[about[0]].state == "ended":
                self.release(thread.waits[-1], self.threads[about[0]])

    def acquire(self, thread, lock):
        self.holders[lock], self.acquired[lock] = thread, self.time
        self.note(thread, "acquire", lock)

    def unlock(self, thread, lock):
        self.note(thread, "release", lock)
        self.held[lock].append((self.acquired[lock], self.time, thread))
        del self.holders[lock]
        if self.queues[lock]:
            following = self.queues[lock].popleft()
            self.holders[lock] = following  # on its way to it
            self.release(following.waits[-1], thread)

    def post(self, thread, number):
        for other in self.threads:
            if other.state == "waits" and (other.waits[-1].kind, other.waits[-1].about) == ("await", number):
                self.note(thread, "signal", number)
                self.release(other.waits[-1], thread)
                return
        self.posted[number] += 1

    def meet(self, thread):
        self.wait(thread, "meet")
        self.met.append(thread.waits[-1])
        if len(self.met) < len(self.threads):
            return
        for wait in self.met:
            wait.since = self.last_meeting
            self.release(wait, max((w for w in self.met if w.begin == self.time), key=lambda w: w.thread.number).thread)
        self.met, self.last_meeting = [], self.time

    def run(self, thread):
        thread.state, thread.used = "runs", 0

    def settle(self):
        """All threads that can run take steps until they work, at this time."""
        again = True
        while again:
            again = False
            for thread in self.threads:
                if len(self.running()) == self.processors or thread.until > self.time:
                    continue
                if thread.state == "wakes":
                    wait = thread.waits[-1]
                    self.did(thread, "wait", wait)
                    wait.end = self.time
                    self.note(thread, "woken", wait)
                    self.run(thread)
                    if wait.kind == "lock":
                        self.acquire(thread, wait.about)
                elif thread.state == "sleeps":
                    self.did(thread, "blocked")
                    self.note(thread, "slept")
                    self.run(thread)
            while self.ready and len(self.running()) < self.processors:
                thread = self.ready.popleft()
                self.did(thread, "ready")
                self.note(thread, "runs")
                self.run(thread)
            for thread in self.running():
                while thread.state == "runs" and thread.left == 0:
                    again = True
                    self.step(thread)

    def pass_time(self):
        others = [thread.until for thread in self.threads if thread.state in ("wakes", "sleeps") and thread.until > self.time]
        passed = min([min(t.left, self.quantum - t.used) for t in self.running()] + [until - self.time for until in others])
        self.time += passed
        for thread in self.running():
            thread.left -= passed
            thread.used += passed
            self.did(thread, thread.doing)
            if thread.left == 0:
                self.note(thread, "un" + thread.doing)
            elif thread.used == self.quantum and self.ready:
                thread.state = "ready"
                self.note(thread, "ready")
                self.ready.append(thread)
            elif thread.used == self.quantum:
                thread.used = 0


def posix(program):
    others = range(1, len(program))
    return [[("create", i) for i in others] + list(program[0]) + [("join", i) for i in others]] + [list(steps) for steps in program[1:]]


def add(sums, kind, ticks):
    if ticks > 0:
        sums[kind] = sums.get(kind, 0) + ticks


def more(one, other):
    return {kind: ticks - other.get(kind, 0) for kind, ticks in one.items() if ticks > other.get(kind, 0)}


class Account:
    """sums: kind -> ticks, of `processors` times the run's duration."""

    def __init__(self, run):
        self.run, self.sums = run, {}
        waits = [wait for thread in run.threads for wait in thread.waits]
        times = {time for thread in run.threads for begin, end, _, _ in thread.pieces for time in (begin, end)}
        times |= {time for wait in waits for time in (wait.release, wait.release + WAKE_UP)}
        times = sorted(time for time in times if run.begin <= time <= run.end)
        self.spans = [(begin, end, self.at(begin)) for begin, end in zip(times, times[1:])]
        self.processors = min(run.processors, self.most())
        self.fullness = [(begin, end, sum(kind in ("work", "alone") for _, kind, _ in at) >= self.processors) for begin, end, at in self.spans]
        for begin, end, at in self.spans:
            self.book(begin, end, at)
        for wait in waits:
            for kind, part in self.mix(wait).items():
                add(self.sums, kind, part * wait.lost)

    def at(self, time):
        """(thread, what it does, its wait) of each thread."""
        return [(thread, kind, wait) for thread in self.run.threads for begin, end, kind, wait in thread.pieces if begin <= time < end]

    def weight(self, wait, time):
        """A wait for threads stands for the ended ones; it has no demand while all of them live."""
        created = self.run.threads[1:]
        ended = sum(thread.end is not None and thread.end <= time for thread in created)
        if wait.kind != "join" or len(created) < 2 or time >= wait.release:
            return 1
        return 1 + ended if ended else 0

    def most(self):
        at_once = collections.Counter()
        for begin, end, at in self.spans:
            demand = [wait is None or self.weight(wait, begin) > 0 or
                      (wait.kind == "join" and any(t.end is not None and t.end <= begin for t in self.run.threads[1:])) for _, _, wait in at]
            at_once[sum(demand)] += end - begin
        total = 0
        for count in sorted(at_once, reverse=True):
            total += at_once[count]
            if total >= (self.run.end - self.run.begin) // 100:
                return max(count, len(self.run.threads) if self.run.team else 1)
        return 1

    def book(self, begin, end, at):
        ticks = Fraction(end - begin)
        runs = sum(kind in ("work", "alone") for _, kind, _ in at)
        ready = sum(kind == "ready" for _, kind, _ in at)
        waiting = [(kind, wait, self.weight(wait, begin) if wait else 1) for _, kind, wait in at if kind in ("wait", "blocked")]
        weight = sum(count for _, _, count in waiting)
        add(self.sums, "work", ticks * min(runs, self.processors))
        idle = max(0, self.processors - runs)
        lacking = min(idle, ready)
        add(self.sums, "processors", ticks * lacking)
        idle -= lacking
        share = 0 if not weight else Fraction(idle, weight) if not runs else min(Fraction(1), Fraction(idle, weight))
        for kind, wait, count in waiting:
            if kind == "blocked":
                add(self.sums, "blocked", ticks * share * count)
            elif begin < wait.release:
                wait.lost += ticks * share * count
            else:
                self.wake_up(self.sums, wait, begin, end, share)
        add(self.sums, "serial" if runs or ready else "outside", ticks * (idle - share * weight))

    def wake_up(self, sums, wait, begin, end, share):
        """Adds a time in which the thread of a wait wakes up."""
        if wait.kind == "lock":
            add(sums, "synchronization", share * (end - begin))
            return
        crowded = wait.kind == "meet" and self.run.team and len(self.run.threads) > self.processors
        own = 0 if crowded else WAKE_UP
        runtime = min(own, self.free(wait.release, end)) - min(own, self.free(wait.release, begin))
        add(sums, "runtime", share * runtime)
        add(sums, "processors", share * (end - begin - runtime))

    def free(self, begin, end):
        """Ticks in which not all processors run threads."""
        return sum(max(0, min(b, end) - max(a, begin)) for a, b, full in self.fullness if not full)

    def did(self, thread, begin, end, own):
        """Kind -> ticks of what a thread did; its own work is `own`."""
        sums = {}
        for a, b, kind, wait in thread.pieces:
            if min(b, end) <= max(a, begin):
                continue
            if kind != "wait":
                names = {"work": own, "alone": "serial", "ready": "processors", "blocked": "blocked"}
                add(sums, names[kind], min(b, end) - max(a, begin))
                continue
            for cause, part in self.mix(wait).items() if max(a, begin) < wait.release else ():
                add(sums, cause, part * (min(b, wait.release, end) - max(a, begin)))
            for x, y, _ in self.spans:
                if max(x, a, begin, wait.release) < min(y, b, end):
                    self.wake_up(sums, wait, max(x, begin), min(y, end), 1)
        return sums

    def mix(self, wait):
        """Kind -> part of the wait, up to its release."""
        if wait.mix is None:
            sums = {}
            if wait.release > wait.begin:
                sums = {"meet": self.mix_of_meeting, "lock": self.mix_of_lock, "join": self.mix_of_join, "await": self.mix_of_await}[wait.kind](wait)
            total = sum(sums.values())
            wait.mix = {kind: Fraction(ticks) / total for kind, ticks in sums.items()}
        return wait.mix

    def mix_of_meeting(self, wait):
        since = self.run.begin if wait.since is None else wait.since
        return more(self.did(wait.waker, since, wait.release, "imbalance"), self.did(wait.thread, since, wait.begin, "imbalance")) or {"runtime": 1}

    def mix_of_lock(self, wait):
        sums = {}
        for since, until, holder in self.run.held[wait.about]:
            for kind, ticks in self.did(holder, max(since, wait.begin), min(until, wait.release), "synchronization").items():
                add(sums, kind, ticks)
        add(sums, "synchronization", wait.release - wait.begin - sum(sums.values()))
        return sums

    def mix_of_await(self, wait):
        return self.did(wait.waker, wait.begin, wait.release, "serial")

    def mix_of_join(self, wait):
        joined, sums = wait.waker, {}
        ended = [thread for thread in self.run.threads[1:] if thread is not joined and thread.end <= wait.release]
        team = len(self.run.threads) > 2
        if team and ended:
            mean = {}
            for thread in ended:
                for kind, ticks in self.did(thread, thread.begin, thread.end, "imbalance").items():
                    add(mean, kind, Fraction(ticks) / len(ended))
            sums = more(self.did(joined, joined.begin, joined.end, "imbalance"), mean)
        return sums or self.did(joined, wait.begin, wait.release, "imbalance" if team else "serial")


def write(run, path):
    """The run as an archive, in the form of docs/otf2.md."""
    with otf2.writer.open(path, timer_resolution=10**9) as archive:
        define, number = archive.definitions, Type.UINT64
        group = define.location_group("made", system_tree_parent=define.system_tree_node("machine"))
        define.location_group_property(group, "HEDDLE::PROCESSORS", Type.STRING, str(run.processors))

        def region(name, role, paradigm, line, description=""):
            return define.region(f"{name} @made.c:{line}" if line else name, source_file="made.c", region_role=role, paradigm=paradigm,
                                 begin_line_number=line, description=description)
        omp, kernel, posix_threads = Paradigm.OPENMP, Paradigm.MEASUREMENT_SYSTEM, Paradigm.PTHREAD
        about = {kind: define.attribute(name, type=number) for kind, name in (("join", "thread"), ("await", "object"))}
        regions = {"ready": region("waits for a processor", Role.ARTIFICIAL, kernel, 0, "state: ready"),
                   "sleep": region("blocked in the kernel", Role.ARTIFICIAL, kernel, 0, "state: off"),
                   "work": region("!$omp for", Role.LOOP, omp, 2), "alone": region("!$omp single sblock", Role.SINGLE_SBLOCK, omp, 3),
                   "meet": region("!$omp barrier wait", Role.BARRIER, omp, 4), "lock": region("!$omp critical", Role.CRITICAL, omp, 5),
                   "join": region("pthread join", Role.THREAD_WAIT, posix_threads, 6, "state: synch join"),
                   "await": region("pthread condition", Role.THREAD_WAIT, posix_threads, 7, "state: synch pthread condition"),
                   "signal": region("pthread signal", Role.FUNCTION, posix_threads, 8)}
        parallel, writers, locations = region("!$omp parallel", Role.PARALLEL, omp, 1), {}, []
        for thread in run.threads:
            kind = "initial" if thread.number == 0 else "worker" if run.team else "other"
            location = define.location(f"thread {thread.number}", group=group)
            define.location_property(location, "HEDDLE::THREAD_TYPE", Type.STRING, kind)
            define.location_property(location, "HEDDLE::TID", number, 1000 + thread.number)
            writers[thread] = archive.event_writer_from_location(location)
            locations.append(location)
        define.group("all", group_type=GroupType.COMM_LOCATIONS, paradigm=omp, members=locations)
        team = define.comm("team", define.group("team", group_type=GroupType.COMM_GROUP, paradigm=omp, members=locations))
        for thread, writer in writers.items():
            write_events(run, thread, writer, regions, parallel, team, about)


def write_events(run, thread, writer, regions, parallel, team, about):
    if run.team:
        writer.enter(thread.begin, parallel)
        writer.thread_team_begin(thread.begin, team)
    elif thread.number:
        writer.thread_begin(thread.begin, team, thread.number)
    for time, what, detail in run.events[thread]:
        if what in ("work", "alone", "ready", "sleep"):
            writer.enter(time, regions[what])
        elif what in ("unwork", "unalone"):
            writer.leave(time, regions[what[2:]])
        elif what in ("runs", "slept"):
            writer.leave(time, regions["ready" if what == "runs" else "sleep"])
        elif what == "wait":
            number = 1000 + detail.about.number if detail.kind == "join" else detail.about
            writer.enter(time, regions[detail.kind], attributes={about[detail.kind]: number} if detail.kind in about else {})
            writer.enter(time, regions["sleep"])
        elif what == "signal":
            writer.enter(time, regions[what], attributes={about["await"]: detail})
            writer.leave(time, regions[what])
        elif what == "woken":
            writer.leave(time, regions["sleep"])
            if detail.kind != "lock":
                writer.leave(time, regions[detail.kind])
        elif what == "create":
            writer.thread_create(time, team, detail)
        elif what == "acquire":
            writer.thread_acquire_lock(time, Paradigm.OPENMP, detail, 0)
            if thread.waits and thread.waits[-1].kind == "lock" and thread.waits[-1].end == time:
                writer.leave(time, regions["lock"])
        elif what == "release":
            writer.thread_release_lock(time, Paradigm.OPENMP, detail, 0)
    if run.team:
        writer.thread_team_end(thread.end, team)
        writer.leave(thread.end, parallel)
