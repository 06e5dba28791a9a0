"""
The JVM's flight recorder beside Heddle, in one run. Where both record the waits of the program's threads, the numbers are the
same, and the times nearly so.
"""
import collections
import json
import os
import re
import subprocess

import pytest

from harness import SOURCE, check, directory, record, same
from java import JDKS, command
from trace import Trace, check_well_formed

EVENTS = os.path.join(SOURCE, "..", "bench", "locks", "all-events.jfc")
KINDS = {"jdk.JavaMonitorEnter": ("monitor enter",), "jdk.JavaMonitorWait": ("Object.wait", "Thread.join"), "jdk.ThreadPark": ("park", "lock", "idle"),
         "jdk.ThreadSleep": ("Thread.sleep",)}


def nanoseconds(duration):
    """The seconds of an ISO 8601 duration without days, as PT1M2.034S."""
    hours, minutes, seconds = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", duration).groups()
    return (int(hours or 0) * 3600 + int(minutes or 0) * 60) * 10 ** 9 + round(float(seconds or 0) * 10 ** 9)


def recorded_by_the_jvm(jdk, file):
    """{(thread, kind of event): its durations in ns, in order}"""
    tool = os.path.join(os.path.dirname(JDKS[jdk]), "jfr")
    if not os.path.exists(tool):
        pytest.skip("this JDK cannot print what its flight recorder writes")
    done = subprocess.run([tool, "print", "--json", "--events", ",".join(KINDS), file], text=True, capture_output=True, check=True)
    found = collections.defaultdict(list)
    for event in sorted(json.loads(done.stdout)["recording"]["events"], key=lambda event: event["values"]["startTime"]):
        values = event["values"]
        if not (values["stackTrace"] or {}).get("frames"): # behind its last method, where its joiners are woken: for Heddle it has ended
            continue
        found[values["eventThread"]["javaName"], event["type"]].append(nanoseconds(values["duration"]))
    return found


def recorded_by_heddle(trace):
    of_region = {region: kind for kind, regions in KINDS.items() for region in regions}
    found = collections.defaultdict(list)
    for location in trace.locations:
        for region, enter, leave in trace.spans(location):
            kind = of_region.get(region.name.partition(" @")[0])
            if kind:
                found[location.name, kind].append((leave.time - enter.time) * 10 ** 9 // trace.ticks_per_second)
    return found


@pytest.mark.parametrize("jdk", JDKS)
def test_waits_agree_in_number_and_time(jdk):
    """Where another program has the processor between the two looks at the clock, it is nobody's error: so half of them must agree."""
    file = os.path.join(directory(), "waits.jfr")
    done = record(command(jdk, "Waits", 5, options=[f"-XX:StartFlightRecording=filename={file},settings={EVENTS}", "-Xlog:jfr*=off", "-Xlog:jfr+startup=off"]),
                  HEDDLE_BUDGET="none")
    same((done.status, done.own_err), (0, ""), "status and stderr")
    trace = Trace(done.trace)
    check_well_formed(trace)
    ours, jvms = recorded_by_heddle(trace), recorded_by_the_jvm(jdk, file)
    threads = {line.removeprefix("did: ").split("|")[0] for line in done.out.splitlines() if line.startswith("did: ")}
    check(len(threads) == 5 * 8, f"{len(threads)} threads say what they did")
    kinds, apart = set(), []
    for thread in threads:
        for kind in KINDS:
            same(len(ours[thread, kind]), len(jvms[thread, kind]), f"{kind} of {thread}: {ours[thread, kind]}, {jvms[thread, kind]}")
            kinds |= {kind} if ours[thread, kind] else set()
            apart += [abs(one - other) - max(20000, other // 50) for one, other in zip(ours[thread, kind], jvms[thread, kind])]
    same(kinds, set(KINDS), "kinds of waits that were there")
    apart.sort()
    check(apart[len(apart) // 2] <= 0, f"half of {len(apart)} waits differ by more than 2 % or 20 us: by {apart[-5:]} ns more")
