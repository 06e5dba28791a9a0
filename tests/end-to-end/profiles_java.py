"""
HEDDLE_PROFILE in Java: the sums of waits and of JOMP's constructs. Records are added up and not written, so files don't grow with
the run. Executions are exact, the times of a thread add up to its life, and a killed program has its profile.
"""
import collections
import glob
import os
import signal
import subprocess
import time

import pytest

import java
import jomp
from harness import check, directory, environment, heddle, record, run, same
from profiles import executions, kind, rows, times_add_up
from trace import Trace, check_well_formed

N = 60000  # parks: their records fill a window several times
WINDOW = 128 << 10


def bytes_of(trace):
    """Disk blocks of the raw trace: files have holes."""
    return sum(os.stat(path).st_blocks * 512 for path in glob.glob(os.path.join(trace, "raw", "*", "*")))


@pytest.mark.parametrize("jdk", java.JDKS)
def test_waits_are_counted_by_line(jdk):
    done = record(java.command(jdk, "Waits", 3), "--profile")
    same((done.status, done.own_err), (0, ""), "exit status and stderr")
    did = collections.Counter()
    for line in done.out.splitlines():
        _, region, number, _ = line.removeprefix("did: ").split("|")
        region = "park" if region.split()[0] in ("park", "lock") else " ".join(w for w in region.split() if w not in ("timed", "out", "interrupted"))
        did[f"{region} @Waits.java:{number}"] += 1
    found = {row["construct"]: row for row in rows(done.trace)}
    for place, n in did.items():
        if not place.startswith("park"):  # the JDK may park several times for one wait
            same(found[place]["executions"], n, place)
        check(found[place]["executions"] >= n, f"{place}: {found[place]['executions']} of {n}")
    check("a profile: sums, no events" in heddle("info", done.trace).out, "heddle info does not say that it is a profile")
    times_add_up(done.trace)


@pytest.mark.parametrize("case", [f"{construct}-{jdk}" for construct in ("LU", "loops", "singles") for jdk in jomp.JAVAS])
def test_constructs_of_jomp_are_counted(case):
    construct, jdk = case.split("-")
    n = 48 if construct == "LU" else 3000
    arguments = ("LU", str(n)) if construct == "LU" else ("Storm", construct, str(n))
    trace = jomp.traced(jdk, 2, *arguments, HEDDLE_PROFILE="1").trace
    found = executions(trace)
    if construct == "LU":
        same((found["//omp parallel", "construct"], found["//omp parallel", "member"], found["//omp for", "construct"]), (n, 2 * n, 4 * n), "executions")
    elif construct == "loops":
        same((found["//omp parallel", "member"], found["//omp for", "construct"]), (2, 2 * n), "executions")
    else:
        same(found["//omp single", "construct"] + found["//omp single sblock", "construct"], 2 * n, "executions")
    times_add_up(trace)


@pytest.mark.parametrize("name", jomp.JAVAS)
def test_files_do_not_grow_with_the_run(name):
    sizes = []
    for n in (N // 10, N):
        trace = os.path.join(directory(), f"run-{n}.heddle")
        done = run([jomp.JAVAS[name], f"-agentpath:{jomp.AGENT}=level=jvm", "-cp", java.CLASSES, "Storms", "park", str(n)], HEDDLE_DIR=trace,
                   HEDDLE_PROFILE="1", HEDDLE_CONVERT="0", HEDDLE_WINDOW=str(WINDOW))
        same((done.status, done.tool_err), (0, []), "exit status and Heddle's lines")
        sizes.append(bytes_of(trace))
        same(heddle("convert", trace).status, 0, "exit status of heddle convert")
        same(executions(trace)["park", "construct"], n, "parks")
        times_add_up(trace)
    check(sizes[1] <= sizes[0] + 2 * WINDOW, f"bytes of the raw traces: {sizes}")


@pytest.mark.parametrize("name", jomp.JAVAS)
def test_a_killed_program_has_its_profile(name):
    trace = os.path.join(directory(), "run.heddle")
    process = subprocess.Popen([jomp.JAVAS[name], f"-agentpath:{jomp.AGENT}=level=jvm", "-cp", java.CLASSES, "Storms", "park", str(1 << 30)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env=environment(HEDDLE_DIR=trace, HEDDLE_PROFILE="1", HEDDLE_WINDOW=str(WINDOW)))
    ends = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < ends and not glob.glob(os.path.join(trace, "raw", "*", "chunks-*")):
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[1].decode()
    same(process.returncode, -signal.SIGKILL, f"how the program ended ({said})")
    same(heddle("convert", trace).status, 0, "exit status of heddle convert")
    check_well_formed(Trace(trace))
    found = executions(trace)
    check(found["park", "construct"] > N // 10, f"parks: {found}")
    same({kind(row) for row in rows(trace) if row["part"] == "construct"} - {"park", "Object.wait", "pool task", "file read"}, set(), "other constructs")
    times_add_up(trace)
