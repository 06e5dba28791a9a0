"""heddle live of JVMs that take samples: they count by function and thread, none is lost on the way, and none is counted for nobody."""
import array
import json
import re
import signal
import time

import pytest

from harness import check, heddle, same
from pairs import ALL, LONGEST, Dormant, Observer
from pairs_java import JDKS, DormantJvm

SAMPLES = 0x4000  # common/raw/live_control.h
THREADS = 8192    # likewise
HOT, COLD, BRIEF = "Functions.hot", "Functions.cold", "Functions.brief"
PAIRS = ["samples", f"samples@function={HOT}", f"samples@{HOT},thread=works-?", f"samples@function={HOT},thread=ends", f"samples@function={BRIEF},thread=ends",
         f"samples@function={COLD}", f"samples@function=Functions.[hc]o*"]


class SampledJvm(DormantJvm):
    """The program Functions: its methods have known shares of its processor time."""

    def __init__(self, jdk, **settings):
        super().__init__(jdk, "Functions", **{"HEDDLE_SAMPLE": "10ms", **settings})

    def counted(self):
        """How many samples the process has counted so far, and how many of them without room."""
        with open(self.raw() + "samples", "rb") as file:
            words = array.array("Q", file.read())
        without_room = sum(words[:THREADS])
        return sum(words[THREADS + 1::2]) + without_room, without_room


def functions(jvm):
    """The table of heddle live --once, once it has all samples. All is measured meanwhile, so there may be more."""
    until = time.monotonic() + LONGEST
    while True:
        done = heddle("live", "--once", "--json", jvm.pid)
        same((done.status, done.err), (0, ""), "exit status and stderr of heddle live")
        rows = json.loads(done.out).get("samples", [])
        if sum(row["samples"] for row in rows) == jvm.counted()[0]:
            return rows
        check(time.monotonic() < until, f"samples of all functions: {rows}, of {jvm.counted()}")


def reads_all(observer, jvm):
    """
    Names come a little later than samples. There may be many readings to read, as the observer goes on meanwhile, and few samples to come,
    as the program does.
    """
    until, counted = time.monotonic() + LONGEST, jvm.counted()[0]
    while (found := observer.read())[0] != counted:
        check(time.monotonic() < until, f"samples: {found} of {counted}")
        if found[0] > counted:
            counted = jvm.counted()[0]
    return dict(zip(PAIRS, found))


@pytest.mark.parametrize("jdk", JDKS)
def test_samples_of_each_function_count(jdk):
    with SampledJvm(jdk) as jvm:
        same((jvm.page(), jvm.counted()), ((0, 0), (0, 0)), "what is measured, and samples, before")
        observer = Observer(jvm, *PAIRS)
        same(jvm.page()[0], SAMPLES, "what is measured while the pair is there")
        jvm.work(300)
        found = reads_all(observer, jvm)
        every, hot, of_workers, hot_of_ends, brief, cold, both = found.values()
        check(every >= 30 and hot > cold and hot > every / 3 and brief > every / 10, f"samples: {found}")
        same((of_workers, hot_of_ends, hot + cold), (hot, 0, both), "samples of threads, and of two functions")
        observer.end(signal.SIGKILL)
        jvm.becomes(0)
        counted = jvm.counted()
        jvm.work(100)
        time.sleep(0.1)
        same((jvm.page()[0], jvm.counted()), (0, counted), "what is measured, and samples, after")
        rows = functions(jvm)
        same((rows[0]["function"], rows[0]["samples"]), (HOT, hot), "the function with the most")
        callers = {row["function"]: row for row in rows}
        check(callers["Functions.both"]["with_callees"] >= hot + cold, f"what calls both: {callers['Functions.both']}")
        jvm.end()


@pytest.mark.parametrize("jdk", JDKS)
def test_all_samples_that_are_taken_count(jdk):
    """Where all is measured, and nobody looks before the end."""
    with SampledJvm(jdk, HEDDLE_PAUSED="0") as jvm:
        same(jvm.page()[0], ALL, "what is measured")
        jvm.work(100)
        observer = Observer(jvm, *PAIRS)
        jvm.work(100)
        jvm.end()
        counted, found = jvm.counted(), observer.last()
        with open(jvm.raw() + "process") as file:
            taken = int(re.findall(r"^java-samples: \d+ (\d+)", file.read(), re.MULTILINE)[-1])
        same(counted, (taken, 0), "samples that count, and those without room")
        check(0 < found["samples"] <= taken, f"samples since the pair was inserted: {found} of {taken}")


def test_what_takes_no_samples_has_none():
    with Dormant() as traced:
        done = heddle("live", "--once", "--pair", "samples", traced.pid)
        same((done.status, done.out, done.err.count("\n")), (1, "", 1), "status, output and lines on stderr")
        check("takes no samples" in done.err and "--sample" in done.err, done.err)
        same(traced.page(), (0, 0), "what is measured")
        traced.end()


def test_a_focus_that_samples_do_not_have_is_refused():
    for focus in ("lock=a", "construct=a.c:12", "member=1", "state=run"):
        done = heddle("live", "--pair", f"samples@{focus}", "1")
        same((done.status, done.out, done.err.count("\n")), (2, "", 1), f"status, output and lines on stderr of {focus}")
