"""
HEDDLE_PROFILE: sums are recorded in place of events. Executions are exact, the times of a thread add up to its life, and
files don't grow with the run. A killed program has its profile.
"""
import collections
import glob
import json
import os
import re
import signal
import subprocess
import time

import pytest

import harness
import report_file
from harness import ON_LIBGOMP, check, directory, environment, heddle, program, record, run, run_raw, run_traced, same
from kill import counted
from budget import STORMS
from runtimes import libomp
from trace import Trace, check_well_formed, read_by_otf2_print

N = 2000
CONSTRUCTS = [os.path.basename(path).removesuffix(".c") for path in sorted(glob.glob(os.path.join(harness.SOURCE, "..", "programs", "constructs", "*.c")))]


def profiled(command, **settings):
    plain = harness.past_assertions_of_libomp(lambda: run(command, **settings))
    traced = run_traced(command, HEDDLE_PROFILE="1", **settings)
    same((traced.status, traced.tool_err), (plain.status, []), "exit status and Heddle's lines")
    return traced


def json_of(*arguments):
    done = heddle(*arguments)
    same((done.status, done.err), (0, ""), f"heddle {' '.join(arguments)}")
    return json.loads(done.out)


def rows(trace, *options):
    return json_of("profile", "--json", *options, trace)["rows"]


def kind(row):
    return row["construct"].split(" @")[0]


def executions(trace, *options):
    """(construct, part) -> number."""
    result = collections.Counter()
    for row in rows(trace, *options):
        result[kind(row), row["part"]] += row["executions"]
    return result


@pytest.mark.parametrize("what", STORMS)
def test_executions_are_exact(what):
    trace = profiled([program("storms"), what, str(N)]).trace
    found = executions(trace)
    for construct, n in STORMS[what].items():
        # Both threads of a team execute its work-sharing constructs; one of them a single, the other one passes by.
        if construct == "!$omp for":
            same(found[construct, "construct"], 2 * n, construct)
        elif construct == "!$omp single":
            same((found["!$omp single sblock", "construct"], found[construct, "construct"]), (n, n), construct)
        else:
            same(found[construct, "construct"], n, construct)
            check(found[construct, "member"] >= n, "a region has fewer members than executions")


def test_locks_and_tasks_are_exact():
    found = executions(profiled([program("waits")]).trace)
    for construct in ("!$omp critical", "omp_set_lock"):
        same((found[construct, "acquire"], found[construct, "hold"]), (18, 18), construct)
    traced = profiled([program("nqueens")])
    same(executions(traced.trace)["!$omp task", "construct"], traced.truths()["tasks"], "tasks")


def times_add_up(trace):
    archive = Trace(trace)
    check_well_formed(archive)
    self = collections.Counter()
    durations = collections.Counter()
    table = json_of("profile", "--json", "--jvm-threads", "--by", "thread", trace)
    for row in table["rows"]:
        self[row["thread"]] += row["self"]["ticks"]
    for row in table["durations"]:
        durations[row["row"]] += row["executions"]
    states = {thread["thread"]: thread for thread in json_of("states", "--json", "--jvm-threads", trace)["threads"]}
    for number, location in enumerate(archive.locations):
        life = location.events[-1].time - location.events[0].time
        same(self[number], life, f"self times of thread {number}")
        times = [value["ticks"] for key, value in states[number].items()
                 if isinstance(value, dict) and key != "lifetime" and not key.startswith(("synch_", "blocked_"))]
        same((states[number]["lifetime"]["ticks"], sum(times)), (life, life), f"lifetime and states of thread {number}")
    for row in table["rows"]:
        same(durations[row["row"]], row["executions"], f"executions by duration of {row['construct']}")


@pytest.mark.parametrize("name", ["imbalanced", "nqueens", "nested_4x4", "waits"] if not ON_LIBGOMP else ["nqueens", "waits"])
def test_times_add_up_to_the_threads_lives(name):
    trace = profiled([program(name)]).trace
    read_by_otf2_print(trace)
    times_add_up(trace)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_any_construct(name):
    times_add_up(profiled([program(f"constructs/{name}")]).trace)


@pytest.mark.parametrize("version", ["libomp", "14", "16"])
def test_members_have_their_work_and_wait_for_the_slowest(version):
    if ON_LIBGOMP:
        pytest.skip("the program is not built with gcc")
    # Older versions call all implicit barriers the same.
    settings = {} if version == "libomp" else libomp(version)
    traced = profiled([program("known_imbalance")], OMP_NUM_THREADS="4", **settings)
    found = rows(traced.trace, "--by", "thread")
    # The first region: the second one has a loop, at whose barrier its threads wait.
    first = min(row["line"] for row in found if kind(row) == "!$omp parallel")
    of_region = [row for row in found if kind(row) == "!$omp parallel" and row["line"] == first]
    region = next(row for row in of_region if row["part"] == "construct")
    members = sorted((row for row in of_region if row["part"] == "member"), key=lambda row: row["thread"])
    same((region["executions"], [row["executions"] for row in members]), (3, [3] * 4), "executions")
    worked = collections.Counter()
    for thread, ns in re.findall(r"^measured: region repeat=\d+ thread=(\d+) ns=(\d+)$", traced.out, re.M):
        worked[int(thread)] += int(ns) * 1e-9
    for row in members:
        time, wait = row["inclusive"], row["waiting"]
        check(time["seconds"] * 1.001 >= worked[row["thread"]], f"thread {row['thread']} worked {worked}, the profile has {time}")
        check(time["ticks"] + wait["ticks"] <= region["inclusive"]["ticks"], f"a member worked and waited longer than {region}")
    # Who has work for one unit waits for who has work for four.
    check(members[0]["waiting"]["ticks"] > members[3]["waiting"]["ticks"], f"{members[0]} waits less than {members[3]}")


    waits = {row["construct"]: row for row in json_of("imbalance", "--json", traced.trace)["waits"]}[region["construct"]]
    each = [row["waiting"]["ticks"] for row in members]
    same((waits["executions"], waits["threads"], waits["waiting"]["ticks"], waits["waiting_least"]["ticks"], waits["waiting_most"]["ticks"]),
         (3, 4, sum(each), min(each), max(each)), "what heddle imbalance says of it")
    same((waits["could_win_low"]["ticks"], waits["could_win_high"]["ticks"]), (sum(each) // 4 - min(each), sum(each) // 4), "what could be won")


def test_locks_have_their_waits_and_holds():
    trace = profiled([program("waits")]).trace
    places = json_of("locks", "--json", trace)["places"]
    found = rows(trace)
    same(sorted(p["place"] for p in places), sorted(row["construct"] for row in found if row["part"] == "acquire"), "places")
    for place in places:
        wait, hold = (next(row for row in found if (row["construct"], row["part"]) == (place["place"], part)) for part in ("acquire", "hold"))
        same((place["acquired"], place["wait"]["ticks"], place["held"]["ticks"]),
             (wait["executions"], wait["self"]["ticks"], hold["inclusive"]["ticks"]), f"sums of {place['place']}")
    # Thread 1 waits for the lock in each of nine repeats, while thread 0 sleeps for 10 ms with it.
    check(sum(p["contended"] for p in places) >= 18, f"contended acquisitions: {places}")


def size_of_raw(trace):
    return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(os.path.join(trace, "raw")) for f in files)


def test_files_do_not_grow():
    sizes = [size_of_raw(run_raw([program("storms"), "mixed", str(n)], HEDDLE_PROFILE="1").trace) for n in (N, 10 * N)]
    check(sizes[1] <= sizes[0] + 4096, f"the raw trace has {sizes} bytes for {N} and {10 * N} rounds")


def test_many_places_share_one_row():
    traced = profiled([program("many_places")])
    found = rows(traced.trace)
    locks = sum(row["executions"] for row in found if row["part"] in ("acquire", "hold"))
    others = [row for row in found if row["part"] == "others"]
    same(len(others), 1, "rows of other constructs")
    same(locks + others[0]["executions"], 2 * traced.truths()["locks"], "executions of all rows")
    check(0 < locks <= 2 * 3 * 1024, f"{locks} executions have rows of their own")
    check("table was full" in heddle("profile", traced.trace).out, "heddle profile does not say that the table was full")
    check(size_of_raw(run_raw([program("many_places")], HEDDLE_PROFILE="1").trace) < 3 * 416 * 1024, "files are not bounded")


def killed(signal_number):
    """A profile, and what the program counted until it was killed."""
    at = directory()
    trace, counters = os.path.join(at, "run.heddle"), os.path.join(at, "counters")
    process = subprocess.Popen([program("counter"), counters], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment(OMP_TOOL_LIBRARIES=harness.TOOL, HEDDLE_DIR=trace, HEDDLE_PROFILE="1",
                                               **({"LD_PRELOAD": harness.GOMP} if ON_LIBGOMP else {})))
    while process.poll() is None and sum(sum(c.values()) for c in counted(counters).values()) < 1000:
        time.sleep(0.001)
    process.send_signal(signal_number)
    process.communicate()
    same(process.returncode, -signal_number, "how the program ended")
    done = heddle("convert", trace)
    same(done.status, 0, f"heddle convert ({done.err})")
    return trace, counted(counters)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_killed_program_has_its_profile(name):
    trace, counts = killed(getattr(signal, name))
    check_well_formed(Trace(trace))
    found = executions(trace)
    for key, row in {"criticals": ("!$omp critical", "hold"), "locks": ("omp_set_lock", "hold"),
                     "barriers": ("!$omp barrier", "construct"), "singles": ("!$omp single", "construct")}.items():
        n = sum(thread[key] for thread in counts.values())
        has = found[row] + (found["!$omp single sblock", "construct"] if key == "singles" else 0)
        # A thread may have been killed between a construct and its counting.
        check(n <= has <= n + 4, f"the program counted {n} {key}, the profile has {has}")


def test_the_programs_own_regions_are_rows():
    path = os.path.join(harness.PROGRAMS, "user", "events-gfortran" if ON_LIBGOMP else "events-flang")
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}: its compiler is missing")
    found = executions(record([path], "--profile").trace)
    same((found["whole", "construct"], found["step", "construct"]), (1, 3), "executions of the program's regions")


def test_children_have_profiles_of_their_own():
    way = "daemon" if ON_LIBGOMP else "fork"  # libgomp has no threads in a child
    traced = run_traced([program("processes"), way], HEDDLE_PROFILE="1")
    plain = run([program("processes"), way])
    same((traced.status, traced.out), (plain.status, plain.out), "status and output")
    archive = Trace(traced.trace)
    check_well_formed(archive)
    check(len({location.group for location in archive.locations}) > 1, "there is one process only")


def test_the_report_shows_the_sums():
    """Its documents are the output of the commands; analyzer/report/page/test looks at the page."""
    trace = record([program("waits")], "--profile").trace
    path = os.path.join(directory(), "page.html")
    done = heddle("report", "-o", path, trace)
    same((done.status, done.out, done.err), (0, "", ""), "status and output of heddle report")
    with open(path, encoding="utf-8") as file:
        shown, = json.loads(report_file.inflate(report_file.elements(file.read())["heddle-bundle"]))["runs"]
    for name in ("states", "profile", "imbalance", "locks"):
        same(shown["documents"][name], json_of(name, "--json", trace), f"the document {name}")
    same(shown["documents"]["constructs"]["constructs"], json_of("states", "--by", "region", "--json", trace)["constructs"], "the document of constructs")
    worst = max((row for row in rows(trace) if row["part"] in ("member", "acquire")), key=lambda row: row["waiting"]["ticks"])
    check(shown["findings"][0]["text"].startswith(worst["construct"]), f"{shown['findings'][0]} is not about {worst}")
    check(any("need events: record without --profile" in note for note in shown["notes"]), f"no note of {shown['notes']} says what needs events")
    other = record([program("waits")]).trace
    done = heddle("report", "-o", path, other, trace)
    same((done.status, len(done.err.splitlines())), (1, 1), "status and lines of heddle report on a trace and a profile")


def test_what_needs_events_says_so():
    trace = record([program("waits")], "--profile").trace
    for command in (["schedule"], ["pes"], ["export", "--to", "chrome"], ["report", "--to", "1ms", "-o", "/dev/null"],
                    ["states", "--list", "0"], ["states", "--from", "1ms"], ["profile", "--to", "1ms"]):
        done = heddle(*command, trace)
        same((done.status, done.out, len(done.err.splitlines())), (1, "", 1), f"status, output and lines of heddle {command}")
        check("is a profile and has no" in done.err, f"heddle {command} says {done.err!r}")
    check("a profile: sums, no events" in heddle("info", trace).out, "heddle info does not say that it is a profile")
    whole = record([program("waits")]).trace
    done = heddle("profile", whole)
    same((done.status, len(done.err.splitlines())), (1, 1), "status and lines of heddle profile on an archive with events")
