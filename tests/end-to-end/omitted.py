"""
Archives with omitted executions: omit.py omits executions of a made-up program with known totals as the recorder does. The same
command reads both archives. Times and choices come from fixed seeds, so what holds once holds always.
"""
import heapq
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import otf2
from otf2.enums import Paradigm, RegionRole, Type

from harness import HEDDLE, SOURCE, check

STEP = 100000  # ns: so hardly a wait is as short as the acquisition of a free lock, which such an archive takes it for
SEEDS = 40


def regions(definitions):
    role = {"set": RegionRole.WRAPPER, "critical": RegionRole.CRITICAL, "sblock": RegionRole.CRITICAL_SBLOCK, "loop": RegionRole.WORKSHARE}
    name = {"set": "omp_set_lock @a.c:3", "critical": "!$omp critical @a.c:7", "sblock": "!$omp critical sblock @a.c:7", "loop": "!$omp scope @a.c:9"}
    return {key: definitions.region(name[key], region_role=role[key], paradigm=Paradigm.OPENMP) for key in role}


def make(directory, rounds=1500, threads=3, seed=5, properties=None, recording=0):
    """Each round of each thread: one of two locks, a critical section, and a scope; locks are handed over in the order of the requests."""
    chance = random.Random(seed)
    with otf2.writer.open(directory, timer_resolution=10**9) as trace:
        definitions = trace.definitions
        region = regions(definitions)
        root = definitions.system_tree_node("machine")
        group = definitions.location_group("program [1]", system_tree_parent=root)
        for key, value in (properties or {}).items():
            definitions.location_group_property(group, key, Type.STRING, value)
        locations = [definitions.location(f"thread {i}", group=group) for i in range(threads)]
        for location in locations:
            definitions.location_property(location, "HEDDLE::RECORDING_TICKS", Type.UINT64, recording)
        events = [[] for _ in locations]
        free = [0] * 3  # when each lock is released
        order = [0] * 3
        queue = [(STEP * i, i, 0) for i in range(threads)]
        while queue:
            now, thread, number = heapq.heappop(queue)
            out = events[thread]
            lock = 2 if number % 2 else chance.randrange(2)
            held = int(STEP * (1 + chance.lognormvariate(1, 1)))
            got = max(now, free[lock])
            free[lock] = got + held
            order[lock] += 1
            kind = "critical" if lock == 2 else "set"
            out.append((now, "enter", region[kind]))
            if kind == "set":
                out.append((got, "leave", region[kind]))
            out.append((got, "thread_acquire_lock", lock, order[lock]))
            if kind == "critical":
                out += [(got, "enter", region["sblock"]), (got + held, "leave", region["sblock"])]
            out.append((got + held, "thread_release_lock", lock, order[lock]))
            if kind == "critical":
                out.append((got + held, "leave", region[kind]))
            scope = int(chance.expovariate(1 / STEP))
            out += [(got + held, "enter", region["loop"]), (got + held + scope, "leave", region["loop"])]
            then = got + held + scope + chance.randrange(20 * STEP)
            if number + 1 < 2 * rounds:
                heapq.heappush(queue, (then, thread, number + 1))
        for location, list_of in zip(locations, events):
            writer = trace.event_writer_from_location(location)
            for time, kind, *rest in list_of:
                if kind.startswith("thread_"):
                    getattr(writer, kind)(time, Paradigm.OPENMP, *rest)
                else:
                    getattr(writer, kind)(time, *rest)


def heddle(*words):
    done = subprocess.run([HEDDLE, *words], capture_output=True, text=True)
    check(done.returncode == 0, f"heddle {' '.join(words)}: {done.stderr}")
    return done.stdout


def omit(full, directory, every, seed, whole=0):
    omit_all(full, [directory], every, seed, whole)


def omit_all(full, directories, every, seed, whole=0):
    """The first one with this seed, the next one with the next."""
    words = [sys.executable, os.path.join(SOURCE, "omit.py"), full, *directories, "--every", str(every), "--seed", str(seed), "--whole", str(whole)]
    subprocess.run(words, check=True)


class Coverage:
    """How often the truth is in the interval of an estimate."""

    def __init__(self):
        self.inside, self.all, self.exact = 0, 0, 0

    def add(self, truth, row, key):
        estimate = row[key]["ticks"] if isinstance(row[key], dict) else row[key]
        if key + "_half_width" not in row:
            check(estimate == truth, f"{key} is said to be exact, and is {estimate}, not {truth}")
            self.exact += 1
            return
        half = row[key + "_half_width"]
        half = half["ticks"] if isinstance(half, dict) else half
        self.all += 1
        self.inside += half is None or abs(estimate - truth) <= half + 1

    def holds(self, what):
        check(self.all >= SEEDS and self.inside >= 0.93 * self.all, f"{what}: {self.inside} of {self.all} intervals have the truth")


def test_totals_of_locks_are_in_their_intervals():
    with tempfile.TemporaryDirectory() as room:
        full = room + "/full"
        make(full)
        truth = json.loads(heddle("locks", "--json", full))
        check(len(truth["locks"]) == 3 and not any("half_width" in key for row in truth["locks"] for key in row), "the full archive has no estimates")
        coverage = {key: Coverage() for key in ("acquired", "waited", "wait", "held")}
        directories = [f"{room}/{seed}" for seed in range(SEEDS)]
        omit_all(full, directories, 8, 0)
        for directory in directories:
            found = json.loads(heddle("locks", "--json", directory))
            total = sum(row["acquired"] for row in found["locks"])
            check(abs(total - sum(row["acquired"] for row in truth["locks"])) <= 1, f"{total} acquisitions in all")  # two are rounded
            critical = next(row for row in found["locks"] if row["kind"] == "critical")
            expected = next(row for row in truth["locks"] if row["kind"] == "critical")
            check("acquired_half_width" not in critical, "a place with one lock has exact numbers")
            for key, of in coverage.items():
                of.add(expected[key]["ticks"] if isinstance(expected[key], dict) else expected[key], critical, key)
            locks = [row for row in found["locks"] if row["kind"] == "lock"]
            expected = [row for row in truth["locks"] if row["kind"] == "lock"]
            for key in ("wait", "held"):  # which of both locks is which, the archive says by its number alone: the sum
                halves = [row[key + "_half_width"] for row in locks]
                if None in halves:
                    continue
                together = {key: {"ticks": sum(row[key]["ticks"] for row in locks)},
                            key + "_half_width": {"ticks": sum(half["ticks"] ** 2 for half in halves) ** 0.5}}
                coverage[key].add(sum(row[key]["ticks"] for row in expected), together, key)
        check(coverage["acquired"].exact == SEEDS, "the critical section's acquisitions are exact")
        for key in ("waited", "wait", "held"):
            coverage[key].holds(key)


def test_constructs_have_calls_and_estimated_times():
    with tempfile.TemporaryDirectory() as room:
        full = room + "/full"
        make(full, rounds=1000)
        names = ("!$omp critical @a.c:7", "!$omp scope @a.c:9", "omp_set_lock @a.c:3")
        truth = {row["construct"]: row for row in json.loads(heddle("states", "--by", "region", "--json", full))["constructs"]}
        coverage = Coverage()
        directories = [f"{room}/{seed}" for seed in range(SEEDS)]
        omit_all(full, directories, 10, 0, whole=50)
        for directory in directories:
            document = json.loads(heddle("states", "--by", "region", "--json", directory))
            found = {row["construct"]: row for row in document["constructs"]}
            check("omitted" in document, "a sentence says that places have omitted executions")
            for name in names:
                check(found[name]["executions"] == truth[name]["executions"], f"{name}: {found[name]['executions']} calls")
                coverage.add(truth[name]["time"]["ticks"], found[name], "time_of_all")
            everything = sum(row["time"]["ticks"] for row in document["constructs"])
            check(everything == sum(row["time"]["ticks"] for row in truth.values()), "recorded times still add up to the lifetimes")
        coverage.holds("time of all calls")


def test_info_says_what_is_not_recorded():
    with tempfile.TemporaryDirectory() as room:
        make(room + "/full", properties={"HEDDLE::BUDGET": "5 %"}, recording=10**7)
        omit(room + "/full", room + "/omitted", 16, 1)
        text = heddle("info", room + "/omitted")
        facts = json.loads(heddle("info", "--json", room + "/omitted"))
        check(facts["budget"] == "5 %" and facts["threads_over_budget"] == 0 and facts["recording_time"]["ticks"] == 3 * 10**7, str(facts))
        check("!$omp critical @a.c:7: 4,500 executions, 1 in 16 is recorded." in text, text)
        check(re.search(r"Recording took 0\.2 % of the threads' time \(budget 5 %\)\.", text) and "could not be held" not in text, text)
        make(room + "/small", properties={"HEDDLE::BUDGET": "0.01 %"}, recording=10**9)
        said = heddle("info", room + "/small")
        check("The budget of 0.01 % could not be held: recording" in said, said)
        rows = {row["construct"]: row for row in json.loads(heddle("info", "--json", room + "/omitted"))["omitted_in_part"]}
        check(rows["!$omp scope @a.c:9"]["executions"] == 9000 and 550 <= rows["!$omp scope @a.c:9"]["recorded"] <= 575, str(rows))
        check("omitted_in_part" not in json.loads(heddle("info", "--json", room + "/full")), "the full archive has all executions")
        share = json.loads(heddle("imbalance", "--json", room + "/omitted")).get("omitted_share", "")
        check("93.7 % of the 18,000 executions of 3 partly recorded places are omitted" in share, share)
