"""
When threads had a processor: `heddle record` asks the kernel. Programs measure themselves how long each thread ran and how
long it was blocked; the states in the archive say the same. Then the same without the kernel's help: where perf_event_open is
refused, or `heddle record` is not used, threads read sums themselves.
"""
import glob
import json
import os
import re
import subprocess
import sys
import time

import pytest

import harness
from harness import check, directory, heddle, holds_mostly, program, process_directories, record, run, run_raw, run_traced, same, until_it_happens
from trace import Trace, check_well_formed

CONTAIN = os.path.join(harness.BUILD, "tests", "end-to-end", "contain")
WAYS = ["sleep", "pipe", "page", "spin", "preempt", "yield", "stop"]
# What no clock of the program's sees: the region's begin and end, and the time in the kernel on the way to blocking.
SLACK_NS = 3e6


def switches(trace):
    done = heddle("info", "--json", trace)
    same((done.status, done.err), (0, ""), "heddle info")
    return json.loads(done.out).get("switches")


def check_status(done, command):
    if done.status == 77:
        pytest.skip(f"the kernel does not allow this: {' '.join(command)}")
    same(done.status, 0, f"{' '.join(command)}: exit status")


def recorded(*command, **settings):
    done = record([program(command[0]), *command[1:]], **settings)
    check_status(done, command)
    if switches(done.trace) is None:
        pytest.skip("the kernel does not tell of context switches here")
    return done


def states(trace, *options):
    done = heddle("states", "--json", *options, trace)
    same((done.status, done.err), (0, ""), "heddle states")
    return json.loads(done.out)


def is_near(is_, should_be, what):
    print(f"{what}: {is_ / 1e6:.2f} ms, should be {should_be / 1e6:.2f} ms")
    return abs(is_ - should_be) <= 0.02 * should_be + SLACK_NS


def of_region(trace, thread):
    """ns of a thread by state, in the program's region alone."""
    done = heddle("states", "--json", "--by", "region", "--only-threads", str(thread), trace)
    rows = [row for row in json.loads(done.out)["constructs"] if row["construct"].startswith("!$omp parallel")]
    same(len(rows), 1, "regions")
    return rows[0]


@pytest.mark.parametrize("how", WAYS)
def test_states_are_those_that_the_program_measured(how):
    holds_mostly(lambda: told_states(recorded("off_processor", how), how), "states are those of the program")


def told_states(done, how):
    """
    False: also if a thread came late to its own measurement, or was not stopped for long, because it had no processor. Also if the host took
    the processor away meanwhile: the thread's clock stands still then, and the kernel reports no switch.
    """
    truths = done.truths()
    for thread in range(2):
        row, wall = of_region(done.trace, thread), truths[f"{thread}_wall"]
        cpu, blocked = truths[f"{thread}_cpu"], truths[f"{thread}_blocked"]
        run, ready, off = (1e9 * row[key]["seconds"] for key in ("run", "ready", "off"))
        if run + ready + off > wall + SLACK_NS or run > 1.02 * cpu + SLACK_NS:
            return False
        if not is_near(run + ready + off, wall, f"{how}: all time of thread {thread}") or not is_near(run, cpu, f"{how}: RUN of thread {thread}"):
            return False
        if how != "stop":
            # Blocked is from the call to its return: a part of it may be READY, on a busy machine.
            check(off <= 1.02 * blocked + SLACK_NS, f"{how}: OFF of thread {thread}: {off} ns, blocked {blocked} ns")
            check(off + ready >= 0.98 * blocked - SLACK_NS, f"{how}: OFF and READY of thread {thread}: {off + ready} ns, blocked {blocked} ns")
        elif thread == 0 and off < 0.1e9: # of 150 ms: a thread that waits for a processor stops when it gets one
            return False
    return True


def test_of_a_crowd_run_is_the_processors_time():
    """8 threads on all processors; each measures how long it had one."""
    holds_mostly(lambda: told_crowd(recorded("off_processor", "crowd")), "states are those of the program")


def told_crowd(done):
    truths = done.truths()
    rows = [of_region(done.trace, thread) for thread in range(8)]
    run_, ready, off = (sum(1e9 * row[key]["seconds"] for row in rows) for key in ("run", "ready", "off"))
    cpu, wall = (sum(truths[f"{thread}_{key}"] for thread in range(8)) for key in ("cpu", "wall"))
    if run_ + ready + off > wall + 8 * SLACK_NS or run_ > 1.02 * cpu + 8 * SLACK_NS: # as above
        return False
    check(abs(run_ + ready + off - wall) <= 0.02 * wall + 8 * SLACK_NS, f"all {run_ + ready + off} ns, lifetimes {wall} ns")
    check(abs(run_ - cpu) <= 0.02 * cpu + 8 * SLACK_NS, f"RUN {run_} ns, processor time {cpu} ns")
    most = len(os.sched_getaffinity(0)) * max(truths[f"{thread}_wall"] for thread in range(8))
    check(run_ <= 1.02 * most + 8 * SLACK_NS, f"RUN {run_} ns, but the processors had {most} ns")
    return True


BLOCKED_IN = {"sleep": "blocked in clock_nanosleep,", "pipe": "blocked in read (pipe),"}


@pytest.mark.parametrize("how", BLOCKED_IN)
def test_findings_say_who_was_blocked_and_in_what(how):
    # heddle record asks a thread that sleeps 30 ms after 10: on a busy machine that may be too late.
    def text():
        found = json.loads(heddle("imbalance", "--json", recorded("off_processor", how).trace).out)["findings"]
        texts = [f["text"] for f in found if f["subject"] == "off the processor" and f["text"].startswith("!$omp parallel")]
        same(len(texts), 1, "findings of the region")
        check("OpenMP thread 1 was off the processor for" in texts[0], texts[0])
        asked = "blocked in" in texts[0].replace("blocked in the kernel", "")
        check(not asked or BLOCKED_IN[how] in texts[0], texts[0])
        return texts[0] if asked else None

    until_it_happens(text, "the thread was asked while it was blocked")


def info(trace):
    return json.loads(heddle("info", "--json", trace).out)


def refused(*command, **settings):
    """Runs a program under `heddle record` where perf_event_open is refused."""
    trace = os.path.join(directory(), "run.heddle")
    done = run([CONTAIN, "seccomp", "--", harness.HEDDLE, "record", "-o", trace, "--", program(command[0]), *command[1:]], **settings)
    if done.status == 77:
        pytest.skip(done.err.strip())
    same((done.status, len(done.tool_err)), (0, 1), f"exit status and Heddle's lines: {done.err}")
    done.trace = trace
    return done


def alone(*command, **settings):
    """The same with the tool loaded, but without `heddle record`."""
    trace = os.path.join(directory(), "run.heddle")
    done = run_traced([program(command[0]), *command[1:]], trace, **settings)
    check_status(done, command)
    return done


def test_without_permission_threads_read_sums():
    done = refused("off_processor", "sleep")
    said = info(done.trace)
    check(said.get("processor_readings", 0) > 0, f"no readings: {said}")
    same(switches(done.trace), None, "switches")
    check("off" not in states(done.trace)["threads"][0], "there is a state OFF")
    Trace(done.trace)


def read_states(done, how):
    """
    False: also if the thread lacked a processor for longer than it was in the queue for one (a virtual machine's host may be why). Also if
    the thread lacked one while it did not measure itself.
    """
    truths, good = done.truths(), True
    for thread in range(2):
        row, wall = of_region(done.trace, thread), truths[f"{thread}_wall"]
        cpu, blocked = truths[f"{thread}_cpu"], truths[f"{thread}_blocked"]
        run_, fork, off, ready = (1e9 * row[key]["seconds"] for key in ("run", "overhead", "off_processor", "run_queue"))
        good = good and is_near(run_ + fork - off, cpu, f"{how}: RUN with a processor of thread {thread}") and abs(run_ - wall) <= 0.02 * wall + SLACK_NS
        if how != "stop":
            good = good and off - ready <= 1.02 * blocked + SLACK_NS
            check(off >= 0.98 * blocked - SLACK_NS, f"{how}: without a processor, thread {thread}: {off} ns, blocked {blocked}")
        elif thread == 0:
            check(off - ready >= 0.1e9, f"stopped for {off - ready} ns, should be some 150 ms")
    return good


@pytest.mark.parametrize("how", WAYS)
def test_sums_are_those_that_the_program_measured(how):
    holds_mostly(lambda: read_states(alone("off_processor", how), how), "sums are those of the program")


def test_sums_are_the_same_where_the_kernel_refuses():
    holds_mostly(lambda: read_states(refused("off_processor", "sleep"), "sleep"), "sums are those of the program")


def test_findings_from_sums_name_no_call():
    found = json.loads(heddle("imbalance", "--json", refused("off_processor", "sleep").trace).out)["findings"]
    texts = [f["text"] for f in found if f["subject"] == "off the processor" and f["text"].startswith("!$omp parallel")]
    same(len(texts), 1, "findings of the region")
    check("OpenMP thread 1 was off the processor for" in texts[0], texts[0])
    check(texts[0].endswith("; another schedule does not help."), texts[0])
    check("blocked" not in texts[0] and "nanosleep" not in texts[0], texts[0])


def test_sums_know_who_shares_a_processor():
    trace = alone("off_processor", "preempt").trace
    found = json.loads(heddle("imbalance", "--json", trace).out)["findings"]
    check([f for f in found if f["subject"] == "ready" and "waited for a processor for" in f["text"]] or fills_one_processor(trace), f"{found}")


def fills_one_processor(trace):
    """A recording that begins after the process has bound itself takes one processor for all that it may use: work fills it."""
    return heddle("why", trace).out.startswith("Nothing stands out: work fills") and "of the time of 1 processor." in heddle("why", trace).out.splitlines()[0]


@pytest.mark.parametrize("case", [f"{who}.{how}" for who in ("the kernel", "sums") for how in ("places", "pinned")])
def test_threads_that_are_bound_to_too_few_processors_are_told(case):
    """By the runtime, and by the program itself."""
    who, how = case.split(".")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor")
    one = str(min(os.sched_getaffinity(0)))
    places = {"OMP_PLACES": f"{{{one}}}", "OMP_PROC_BIND": "true"} if how == "places" else {}
    run_it = recorded if who == "the kernel" else alone
    done = run_it("off_processor", "work" if places else "preempt", **places)
    trace = Trace(done.trace)
    processors = [location.properties.get("HEDDLE::BOUND_TO") for location in trace.locations if location.name.startswith("OpenMP")]
    same(processors, [one, one], "processors of the threads")
    texts = [f["text"] for f in json.loads(heddle("imbalance", "--json", done.trace).out)["findings"] if f["subject"] == "ready"]
    bound = "2 threads are bound to 1 processor (OMP_PLACES, OMP_PROC_BIND): give each thread a processor of its own, or try 1 thread."
    shared = "its 2 threads share 1 processor: try 1 thread."
    check(any(bound in text or (how == "pinned" and shared in text) for text in texts) or (case == "sums.pinned" and fills_one_processor(done.trace)), f"{texts}")
    if len(os.sched_getaffinity(0)) == os.cpu_count():
        free = Trace(run_it("off_processor", "work").trace)
        check(not any("HEDDLE::BOUND_TO" in location.properties for location in free.locations), "threads that are not bound")


def test_sums_belong_to_the_waits_around_them():
    done = alone("known_imbalance", OMP_WAIT_POLICY="passive", KMP_BLOCKTIME="0")
    said = states(done.trace)
    all_threads, off = said["threads"][-1], said["off_processor"][-1]
    synch = all_threads["synch"]["ticks"]
    check(synch > 0, "nobody waited")
    check(0.9 * synch <= off["synch"]["ticks"] <= synch, f"{off['synch']} of {synch} ticks")


@pytest.mark.parametrize("java", sorted(glob.glob("/usr/lib/jvm/*-openjdk-*/bin/java"))[:1])
def test_waits_of_java_sleep(java):
    agent = os.path.join(harness.BUILD, "lib", "libheddle-jvmti.so")

    def asleep():
        trace = os.path.join(directory(), "run.heddle")
        done = run([java, f"-agentpath:{agent}", "-cp", os.path.join(harness.PROGRAMS, "java"), "Waits", "3"], HEDDLE_DIR=trace)
        same(done.status, 0, "exit status")
        said = states(trace)
        off, found = {row["thread"]: row["blocked"]["ticks"] for row in said["off_processor"]}, 0
        queued = {row["thread"]: row["run_queue"]["ticks"] for row in said["off_processor"]}  # other programs had the processor
        for row in said["threads"]:
            blocked = row["blocked"]["ticks"]
            if row["thread_name"].split()[0] in ("enter", "wait", "sleep", "join", "park", "lock") and row["blocked"]["seconds"] > 0.003:
                found += 1
                check(off[row["thread"]] <= blocked, f"{row['thread_name']}: {off[row['thread']]} of {blocked} ticks")
                if off[row["thread"]] + queued[row["thread"]] < 0.9 * blocked:
                    return False
        return found > 3

    holds_mostly(asleep, "threads that wait sleep")


def test_sums_can_be_left_out():
    trace = alone("off_processor", "sleep", HEDDLE_SWITCHES="off").trace
    same(info(trace).get("processor_readings"), None, "readings")
    done = record([program("off_processor"), "sleep"], "--no-switches")
    same((done.status, info(done.trace).get("processor_readings")), (0, None), "exit status, readings")


def test_where_the_kernel_tells_of_switches_nothing_is_read():
    same(info(recorded("off_processor", "sleep").trace).get("processor_readings"), None, "readings")


@pytest.mark.parametrize("option", ["--no-switches", "--ring=1M", "--profile"])
def test_they_can_be_left_out(option):
    done = record([program("off_processor"), "sleep"], option)
    same((done.status, switches(done.trace)), (0, None), "exit status, switches")


def test_what_is_lost_at_the_end_is_counted():
    """`heddle record` is stopped while two threads hand each other 8000 bytes, so that nobody empties the kernel's buffers."""
    if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 0):
        pytest.skip("the kernel does not count what it loses at the end")
    turns, rounds = os.path.join(harness.BUILD, "tests", "bench", "switches", "turns"), 8000
    script = os.path.join(directory(), "stopped")
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\nkill -STOP $PPID\n'{turns}' {rounds}\nkill -CONT $PPID\n")
    os.chmod(script, 0o700)
    done = record([script])
    same(done.status, 0, "exit status")
    told = info(done.trace)
    if told.get("switches") is None:
        pytest.skip("the kernel does not tell of context switches here")
    check(told["switches_lost"] > 0, f"a buffer has room for all: {told['switches']} switches")
    # Each switch is an event where a thread leaves its processor, and one where the next thread gets it.
    check(told["switches"] + told["switches_lost"] / 2 >= 2 * rounds - 8, f"{told['switches']} switches, {told['switches_lost']} lost, of {2 * rounds}")


def test_recording_switches_has_its_price():
    """Two threads on one processor hand over 20000 times. What recording that took counts as time of recording."""
    done = record([os.path.join(harness.BUILD, "tests", "bench", "switches", "turns"), "20000"], "--no-samples")
    told = info(done.trace)
    if told.get("switches") is None:
        pytest.skip("the kernel does not tell of context switches here")
    check(told["switches_cost_ns"] > 0, "no price of switches")


def test_the_log_stays_with_the_raw_trace():
    done = record([program("off_processor"), "sleep"], "--no-convert")
    logs = os.path.join(done.trace, "kernel")
    if not os.path.exists(logs):
        pytest.skip("the kernel does not tell of context switches here")
    same({oct(os.stat(os.path.join(logs, name)).st_mode & 0o777) for name in os.listdir(logs)}, {"0o600"}, "logs")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    check(switches(done.trace) > 0, "no switches")
    check(not os.path.exists(logs), "the log is still there")


def test_waits_stay_waits_and_say_how_long_they_had_no_processor():
    done = recorded("known_imbalance", OMP_WAIT_POLICY="passive", KMP_BLOCKTIME="0")
    said = states(done.trace)
    all_threads, off = said["threads"][-1], said["off_processor"][-1]
    synch = all_threads["synch"]["ticks"]
    check(synch > 0, "nobody waited")
    # A thread that waits passively for tens of milliseconds sleeps nearly all of that.
    check(0.9 * synch <= off["synch"]["ticks"] <= synch, f"{off['synch']} of {synch} ticks")


def test_each_processor_has_a_line_of_its_own():
    trace = Trace(recorded("off_processor", "preempt").trace)
    check_well_formed(trace)
    check(trace.processors, "no processor has a line")
    # A thread has a processor where it is not without one: both sides say so, to the tick.
    off = [region.name for region in trace.regions if region.name.startswith("blocked in") or region.name == "waits for a processor"]
    for thread in trace.locations:
        begin, end = thread.events[0].time, thread.events[-1].time
        without = sum(leave.time - enter.time for region, enter, leave in trace.spans(thread) if region.name in off)
        on = sum(min(leave.time, end) - max(enter.time, begin) for processor in trace.processors
                 for region, enter, leave in trace.spans(processor)
                 if region.name == thread.name and enter.time < end and leave.time > begin)
        check(is_near(1e9 * on / trace.ticks_per_second, 1e9 * (end - begin - without) / trace.ticks_per_second, f"{thread.name}: time on processors"),
              f"{thread.name}: time on processors is not that of its states")
    # One thread at a time.
    names = {thread.name for thread in trace.locations}
    for processor in trace.processors:
        check({region.name for region, _, _ in trace.spans(processor)} <= names | {"no recorded thread"}, processor.name)


def limited_group(quota_us):
    """A control group that may use so many us on processors in each 100 ms: its directory. Others leave it that much."""
    for root, files in (("/sys/fs/cgroup/cpu", {"cpu.cfs_quota_us": f"{quota_us}", "cpu.shares": "262144"}),
                        ("/sys/fs/cgroup", {"cpu.max": f"{quota_us} 100000", "cpu.weight": "10000"})):
        path = os.path.join(root, f"heddle-test-{os.getpid()}")
        try:
            os.makedirs(os.path.join(path, "below"))
            for name, text in files.items():
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    file.write(text)
            return path
        except OSError:
            removed(path)
    pytest.skip("no control group can be made here")


def removed(group):
    """None: processes of it are not gone yet."""
    try:
        for path in os.path.join(group, "below"), group:
            if os.path.isdir(path):
                os.rmdir(path)
        return True
    except OSError:
        time.sleep(0.2)
        return None


def periods(group):
    """How many the group ran in, and in how many it was stopped."""
    with open(os.path.join(group, "cpu.stat"), encoding="utf-8") as file:
        told = dict(line.split() for line in file)
    return int(told["nr_periods"]), int(told["nr_throttled"])


def throttled(below, status, runner, *command):
    """A run in a control group that may use a tenth of a processor, or in one below it. None: other work left it less than that."""
    group = limited_group(10000)
    try:
        join = f'echo $$ > {os.path.join(group, below)}/cgroup.procs; exec "$@"'
        done = runner(["sh", "-c", join, "sh", *command])
        all_of, stopped = periods(group)
    finally:
        until_it_happens(lambda: removed(group), "the group is empty", 100)
    if done.status == 77:
        pytest.skip("no such name space can be made here")
    same(done.status, status, "exit status")
    same(info(done.trace)["cpu_limit"], "0.10", "limit")
    return done.trace if stopped > 10 and stopped >= 0.9 * all_of else None


NAMESPACE = ["unshare", "--cgroup", "--mount"]


@pytest.mark.parametrize("case", ["plain", "group-above", "namespace", "namespace-above", "own-mount", "readings"])
def test_a_container_that_is_throttled_is_named(case):
    """The limit is its group's, or one above has it. In a namespace the group has no name that it knows, or is the root of a mount."""
    def run_it():
        command = [program("off_processor"), "work"]
        if case.startswith("namespace"):
            command = NAMESPACE + command
        if case == "own-mount":
            kind = "cgroup2 none /sys/fs/cgroup" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "cgroup -o cpu none /sys/fs/cgroup"
            command = [*NAMESPACE, "sh", "-c", f'umount -R /sys/fs/cgroup && mount -t {kind} && exec "$@" || exit 77', "sh", *command]
        return throttled("below" if case.endswith("above") else "", 0, run_traced if case == "readings" else record, *command)
    trace = until_it_happens(run_it, "the group was throttled")
    found = json.loads(heddle("imbalance", "--json", trace).out)["findings"]
    texts = [f["text"] for f in found if f["subject"] == "throttled"]
    check(texts and "may use 0.1 processors and was throttled for" in texts[0], f"{found}")
    first = heddle("why", trace).out.splitlines()[0]
    check("the limit of the control group" in first and "may use 0.1 processors" in first and "Raise the limit, or use 1 thread" in first, first)


def test_a_limit_is_named_where_nobody_knows_how_long_it_stopped_a_program():
    command = ["sh", "-c", '(sleep 1.7; kill -KILL $$) & exec "$@"', "sh", program("off_processor"), "work"]
    trace = until_it_happens(lambda: throttled("", 137, record, *command), "the group was throttled")
    first = heddle("why", trace).out.splitlines()[0]
    check("may use 0.1 processors" in first and "is not known" in first, first)


def limited(begin, end):
    """A trace of more threads than processors; its group has these limits and stops: quota, period and stops in us. None: it was killed."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(2)]  # the crowd alone lacks little
    try:
        done = record([program("off_processor"), "crowd"], "--no-convert")
    finally:
        for other in others:
            other.kill()
            other.wait()
    same(done.status, 0, "exit status")
    path = os.path.join(process_directories(done.trace)[0], "process")
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("cpu-limit:") and (end or not line.startswith("ended:"))]
    for limit, mark in (begin, "clock:"), (end, "ended:"):
        if limit:
            at, = [i for i, line in enumerate(lines) if line.startswith(mark)]
            lines[at:at] = [f"cpu-limit: {' '.join(map(str, limit))}\n"]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    same(heddle("convert", done.trace).status, 0, "exit status of heddle convert")
    return done.trace


@pytest.mark.parametrize("case", ["long", "short", "none", "fills", "filled-and-killed", "loose-and-killed", "part"])
def test_a_limit_is_named_where_it_is_the_reason(case):
    tight, loose = (2000, 100000), (9000000, 100000)
    begin, end, named = {"long": ((*loose, 7), (*loose, 9000000007), True), "short": ((*loose, 7), (*loose, 8), False),
                         "none": ((*tight, 7), (*tight, 7), False), "fills": ((*tight, 7), (*tight, 50007), True),
                         "filled-and-killed": ((*tight, 7), None, True), "loose-and-killed": ((*loose, 7), None, False),
                         "part": ((*loose, 0), (*loose, 30000), False)}[case]
    trace = limited(begin, end)
    first = heddle("why", trace).out.splitlines()[0]
    if case == "part":  # 30 ms may be half of what there is: threads that have processors soon lack little
        account = json.loads(heddle("why", "--json", trace).out)["account"]
        named = 0.03 >= sum(part["ticks"] for part in account if part["kind"] == "processors") / info(trace)["ticks_per_second"] / 2
    same("limit of the control group" in first, named, first)
    check(named or "number of threads" in first or "wait for a processor" in first, first)
    finding = [f for f in json.loads(heddle("imbalance", "--json", trace).out)["findings"] if f["subject"] == "throttled"]
    same(bool(finding), case in ("long", "fills", "filled-and-killed", "part"), f"a finding: {finding}")
    check(case != "part" or finding[0]["could_win"]["seconds"] <= 0.0301, f"{finding}")


def stolen(begin, end):
    """
    A trace; on its machine a hypervisor had taken so much of so much at the program's begin and end; None: it says nothing.
    """
    done = run_raw([program("philosophers"), "4", "10"])
    same(done.status, 0, "exit status")
    path = os.path.join(process_directories(done.trace)[0], "process")
    with open(path) as file:
        lines = [line for line in file if not line.startswith("stolen:")]
    for told, mark in (begin, "clock:"), (end, "ended:"):
        at, = [i for i, line in enumerate(lines) if line.startswith(mark)]
        lines[at:at] = [f"stolen: {told[0]} {told[1]}\n"] if told else []
    with open(path, "w") as file:
        file.writelines(lines)
    same(heddle("convert", done.trace).status, 0, "exit status of heddle convert")
    return done.trace


@pytest.mark.parametrize("case", ["much", "little", "none", "killed", "unknown", "damaged"])
def test_what_a_hypervisor_took_is_told(case):
    begin, end, percent = {"much": ((1000, 50000), (1145, 52000), 7.25), "little": ((0, 1), (1, 1001), 0.1), "none": ((7, 100), (7, 200), None),
                           "killed": ((1000, 50000), None, None), "unknown": (None, None, None),
                           "damaged": ((1000, 50000), (9000, 50100), None)}[case]
    trace = stolen(begin, end)
    same(info(trace).get("stolen"), f"{percent:.2f}" if percent else None, "heddle info")
    for command in "why", "imbalance", "locks", "schedule":
        said = json.loads(heddle(command, "--json", trace).out).get("stolen", "")
        check(("took 7.2 %" in said or "took 7.3 %" in said) if case == "much" else not said, f"heddle {command}: {said}")


def test_the_kernel_is_asked_what_a_hypervisor_took():
    """At the begin and at the end, on machines that have one."""
    done = run_raw([program("philosophers"), "4", "10"])
    with open("/proc/cpuinfo") as file:
        virtual = re.search(r"^flags.*\bhypervisor\b", file.read(), re.M)
    with open(os.path.join(process_directories(done.trace)[0], "process")) as file:
        told = [tuple(map(int, line.split()[1:])) for line in file if line.startswith("stolen:")]
    if os.uname().machine != "x86_64":
        pytest.skip("only on x86-64 is it known whether there is a hypervisor")
    same(len(told), 2 if virtual else 0, "lines")
    check(all(taken <= of for taken, of in told) and told == sorted(told), f"{told}")
