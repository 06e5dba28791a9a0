"""
Recording or converting is hindered (disk full, no directory, a limit). The program runs as it would without us, the
trace is what it can be, and one clear line says what is missing.
"""
import contextlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess

import pytest

from harness import ON_LIBGOMP, TOOL, check, directory, heddle, process_directories, program, record, run, run_raw, run_traced, same
from trace import Trace, check_well_formed, counts, is_off, size_of, total

KIB = 1024
REGIONS = 199 * 8


def lu():
    """The program of these tests: so many regions, about 150 KiB of raw trace a thread."""
    return [program("lu"), "200", str(REGIONS // 199)]


def undisturbed(traced):
    plain = run(lu())
    same((traced.status, traced.out), (plain.status, plain.out), "status, stdout")


def one_line(traced, *words):
    """Heddle said exactly one line, with these words in it."""
    check(len(traced.tool_err) == 1, f"should say one line, says {traced.tool_err}")
    missing = [w for w in words if w.lower() not in traced.tool_err[0].lower()]
    check(not missing, f"{traced.tool_err[0]!r} does not mention {missing}")


def converted(trace_directory, output=None):
    """Converts a raw trace, with what was lost; checks that the archive is well-formed and shows only what happened."""
    options = ["-o", output] if output else []
    done = heddle("convert", *options, trace_directory)
    same(done.status, 0, f"heddle convert ({done.err})")
    trace = Trace(output or trace_directory)
    check_well_formed(trace)
    check(counts(trace)["parallel"] <= REGIONS, "more regions than the program has")
    return trace


def lost_and_said(trace):
    """Something was lost, and the archive says how much and where."""
    lost = total(trace, "HEDDLE::EVENTS_LOST")
    check(lost > 0, "nothing was lost?")
    check(any(is_off(e) for e in trace.events()), "no MeasurementOnOff shows the gap")
    return lost


@contextlib.contextmanager
def small_disk(kib):
    """A mounted tmpfs of so many KiB."""
    at = directory()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k,mode=777", "heddle-test", at],
                                           capture_output=True).returncode != 0:
        pytest.skip("a small file system can't be mounted here")
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", at], check=False)


def test_a_disk_that_fills_up_while_recording():
    # 32 KiB are the windows, so a third of the logs fits in.
    with small_disk(112) as disk:
        traced = run_raw(lu(), trace=os.path.join(disk, "t"), HEDDLE_WINDOW="16K")
        undisturbed(traced)
        one_line(traced, "no space left on")
        lost_and_said(converted(traced.trace, os.path.join(directory(), "t")))


def fill(disk):
    with open(os.path.join(disk, "filler"), "wb") as filler, contextlib.suppress(OSError):
        for _ in range(16):
            filler.write(bytes(KIB))
            filler.flush()


def test_what_is_said_of_a_full_disk_is_true():
    with small_disk(16) as disk:
        fill(disk)
        done, trace = recorded_on(disk)
        check("nothing was recorded: the trace could not be written" in done.err and "stays" not in done.err, done.err)
        check(not os.path.exists(trace), "an empty directory is left")
    with small_disk(112) as disk:
        done, trace = recorded_on(disk)
        check("the raw trace stays in" in done.err and "with -o DIR" in done.err, done.err)
        there = os.path.join(directory(), "there")
        same(heddle("convert", "-o", there, trace).status, 0, "exit status of heddle convert")
        same(heddle("info", there).status, 0, "exit status of heddle info")


def recorded_on(disk):
    trace = os.path.join(disk, "t")
    done = heddle("record", "-o", trace, "--", *lu())
    same(done.status, 0, "exit status")
    return done, trace


def test_a_disk_that_is_full_from_the_beginning():
    with small_disk(16) as disk:
        fill(disk)
        traced = run_traced(lu(), os.path.join(disk, "t"))
        undisturbed(traced)
        one_line(traced, "no space left on")


def test_a_disk_that_fills_up_while_converting():
    raw = run_raw(lu())
    with small_disk(40) as disk:
        done = heddle("convert", "-o", os.path.join(disk, "t"), raw.trace)
        same(done.status, 1, "exit status of heddle convert")
        one_line(done, "no space left on")
        check(not os.path.exists(os.path.join(disk, "t", "traces.otf2")), "half an archive is left")
    converted(raw.trace)


def test_a_file_size_limit_while_recording():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (48 * KIB, resource.RLIM_INFINITY))
    traced = run_raw(lu(), preexec=limit, HEDDLE_WINDOW="16K")
    undisturbed(traced)
    one_line(traced, "size")
    lost_and_said(converted(traced.trace))


def test_a_file_size_limit_while_converting():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (16 * KIB, resource.RLIM_INFINITY))
    raw = run_raw(lu())
    done = heddle("convert", raw.trace, preexec=limit)
    same(done.status, 1, "exit status of heddle convert")
    check(len(done.tool_err) == 1, f"should say one line, says {done.tool_err}")
    check(not os.path.exists(os.path.join(raw.trace, "traces.otf2")), "half an archive is left")
    check(counts(converted(raw.trace))["parallel"] == REGIONS, "the raw trace suffered")


def test_a_directory_that_cannot_be_made():
    traced = run_traced(lu(), "/proc/heddle")
    undisturbed(traced)
    one_line(traced, "/proc/heddle", "nothing is recorded")


def test_a_directory_that_cannot_be_written():
    at = directory()
    os.chmod(at, 0o755)

    def become_nobody():
        if os.geteuid() == 0:
            os.setuid(65534)
    if os.geteuid() != 0:
        os.chmod(at, 0o555)
    # A copy that nobody can reach: the build tree may be closed to others.
    copy = os.path.join(directory(), "lu")
    shutil.copy(lu()[0], copy)
    os.chmod(os.path.dirname(copy), 0o755)
    traced = run_traced([copy, *lu()[1:]], os.path.join(at, "t"), preexec=become_nobody)
    undisturbed(traced)
    if not traced.tool_err and os.geteuid() == 0:
        pytest.skip("the build tree is not readable for user nobody")
    one_line(traced, os.path.join(at, "t"), "Permission denied")


def test_a_trace_directory_that_holds_a_trace_is_left_alone():
    first = run_traced(lu())
    before = open(os.path.join(first.trace, "traces.otf2"), "rb").read(), size_of(first.trace)
    second = run_traced(lu(), first.trace)
    undisturbed(second)
    one_line(second, first.trace, "already")
    same((open(os.path.join(first.trace, "traces.otf2"), "rb").read(), size_of(first.trace)), before, "the old trace")


def test_record_refuses_a_trace_directory_that_holds_a_trace():
    first = run_traced(lu())
    done = heddle("record", "-o", first.trace, "--", *lu())
    check(done.status in (1, 2), f"exit status is {done.status}")
    check("truth" not in done.out, "the program ran, although it can't be traced")
    one_line(done, first.trace)


def test_an_empty_trace_directory_that_exists_is_used():
    at = directory()
    traced = run_traced(lu(), at)
    same(traced.tool_err, [], "Heddle's lines")
    check_well_formed(Trace(at))


def test_a_missing_converter_leaves_the_raw_trace():
    traced = run_traced(lu(), HEDDLE_CONVERTER="/nonexistent/heddle-convert")
    undisturbed(traced)
    one_line(traced, "/nonexistent/heddle-convert", "heddle convert")
    same(counts(converted(traced.trace))["parallel"], REGIONS, "regions")


def test_no_conversion_when_asked():
    traced = run_raw(lu())
    undisturbed(traced)
    same(traced.tool_err, [], "Heddle's lines")
    check(not os.path.exists(os.path.join(traced.trace, "traces.otf2")), "there is an archive")
    same(counts(converted(traced.trace))["parallel"], REGIONS, "regions")
    check(not os.path.exists(os.path.join(traced.trace, "raw")), "the raw trace was not removed")


def test_keep_raw_keeps_the_raw_trace():
    raw = run_raw(lu())
    same(heddle("convert", "--keep-raw", raw.trace).status, 0, "heddle convert --keep-raw")
    check(process_directories(raw.trace), "the raw trace was removed")


def test_a_size_limit_stops_the_recording():
    traced = run_raw(lu(), HEDDLE_MAX_SIZE="64K", HEDDLE_WINDOW="16K")
    undisturbed(traced)
    one_line(traced, "HEDDLE_MAX_SIZE")
    chunks = [os.path.getsize(os.path.join(d, f)) // (16 * KIB) - 1 for d in process_directories(traced.trace)
              for f in os.listdir(d) if f.startswith("chunks-")]
    check(sum(chunks) <= 4, f"the logs have {chunks} chunks, more than the limit")
    lost_and_said(converted(traced.trace))


def figures(command, trace, *options):
    return json.loads(heddle(command, "--json", *options, trace).out)


def test_time_after_a_limit_is_in_no_figure():
    traced = run_traced([program("outlasts")], HEDDLE_MAX_SIZE="64K", HEDDLE_WINDOW="16K")
    same(traced.status, 0, "exit status")
    all_ns, long_ns = map(int, re.search(r"all=(\d+) long=(\d+)", traced.out).groups())
    known = (all_ns - long_ns / 2) / 1e9  # executions of a loop overlap where a thread leaves one late
    imbalance = figures("imbalance", traced.trace)
    for construct in imbalance["constructs"]:
        check(construct["time"]["seconds"] <= known, f"{construct['construct']} took {construct['time']}, of {known} s that can be known")
    # Half of the time of the loops is one thread's alone; the critical sections may be contended, too.
    check(imbalance["verdict"].startswith("Look first at"), f"imbalance says {imbalance['verdict']!r}")
    check("Not measured: " in imbalance["not_measured"], f"imbalance says {imbalance['not_measured']!r}")
    for thread in figures("states", traced.trace)["threads"]:
        shares = sum(share["percent"] for key, share in thread.items() if key in ("run", "idle", "overhead", "synch", "traceflush"))
        check(99.9 < shares < 100.1, f"what was measured of {thread['thread_name']} adds up to {shares} %")
    wait = figures("locks", traced.trace)["wait"]
    check(wait["seconds"] <= 2 * known, f"waited for locks {wait}")


@pytest.mark.parametrize("given", ["--max-size 1", "--max-size 65535", "--ring 1", "--window 1", "--window 16383", "--window 17M", "--max-size 64K",
       "--ring 64K", "--window 16K", "--window 16M", "--window 0"])
def test_a_size_out_of_bounds_is_refused(given):
    # heddle record refuses what the recorder would not take, and nothing else.
    option, value = given.split()
    variable = {"--max-size": "HEDDLE_MAX_SIZE", "--ring": "HEDDLE_RING", "--window": "HEDDLE_WINDOW"}[option]
    done = record([program("lu"), "10"], option, value)
    recorder = run_raw([program("lu"), "10"], **{variable: value})
    unusable = any("not a usable size" in line for line in recorder.tool_err)
    same(done.status, 2 if unusable else 0, f"status, where the recorder says {recorder.tool_err}")
    if unusable:
        one_line(done, option, "give", "64K" if option != "--window" else "16K to 16M")
        check(not os.path.exists(done.trace), "a directory was made")


def test_recording_that_was_never_started_is_said():
    recorded = record(lu(), "--paused")
    same(recorded.status, 0, "exit status")
    check("recording was never started" in recorded.tool_err[-1], f"record says {recorded.tool_err}")
    check("recording was never started" in heddle("info", recorded.trace).out, "info does not say so")
    check("recording was never started" not in heddle("info", record(lu()).trace).out, "info says so of a recording")


def test_a_ring_keeps_the_newest():
    traced = run_raw(lu(), HEDDLE_RING="64K", HEDDLE_WINDOW="16K")
    undisturbed(traced)
    logs = [os.path.join(d, f) for d in process_directories(traced.trace) for f in os.listdir(d) if f.endswith(".log")]
    size = sum(512 * os.stat(log).st_blocks for log in logs)
    trace = converted(traced.trace)
    most = (len(logs) + 4 * len(trace.locations)) * 16 * KIB  # a head each, and what was asked for
    check(0 < size <= most, f"the logs have {size} bytes on disk, more than {most}")
    # How many events the chunks had that were written over, nobody knows; that they are missing must be said.
    info = heddle("info", traced.trace)
    check("chunks missing" in info.out, f"info does not say that chunks are missing: {info.out[:1500]}")
    n = counts(trace)
    check(0 < n["parallel"] < REGIONS, f"{n['parallel']} regions of {REGIONS}")
    if ON_LIBGOMP:  # gcc's static loops have no chunks
        return
    # The newest: the last loop of the factorization has one iteration, the ones before it have more.
    last = [e for e in trace.locations[0].events if e.kind == "Enter" and e.region.name.startswith("chunk")][-1]
    same((last.attributes["first iteration"], last.attributes["iterations"]), (0, 1), "the last chunk of the master")
    check(any(is_off(e) for e in trace.locations[0].events[:3]), "no MeasurementOnOff where the missing part was")


def test_a_ring_that_is_large_enough_loses_nothing():
    traced = run_traced([program("lu"), "50"], HEDDLE_RING="64M")
    trace = Trace(traced.trace)
    same(counts(trace)["parallel"], 49, "regions")
    same(total(trace, "HEDDLE::EVENTS_LOST"), 0, "events lost")


NOBODY = 65534


def as_nobody():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def give_capabilities(path):
    """CAP_NET_RAW, permitted and effective: struct vfs_cap_data of revision 2."""
    os.setxattr(path, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))


@pytest.mark.parametrize("case", ["set-user-ID", "set-group-ID", "capabilities"])
def test_a_program_with_more_rights_than_its_caller_is_not_traced(case):
    # Run by somebody else, the kernel says AT_SECURE. libomp loads what OMP_TOOL_LIBRARIES names all the same.
    at = directory()
    if os.geteuid() != 0 or os.statvfs(at).f_flag & os.ST_NOSUID:
        pytest.skip("a program with more rights can't be made here")
    os.chmod(at, 0o777)
    mine, tool = shutil.copy(program("lu"), at), os.path.join(at, "tool.so")
    shutil.copy(TOOL, tool)
    os.chmod(tool, 0o755)
    os.chmod(mine, {"set-user-ID": 0o4755, "set-group-ID": 0o2755}.get(case, 0o755))
    if case == "capabilities":
        try:
            give_capabilities(mine)
        except OSError as error:
            pytest.skip(f"no capabilities in files here: {error}")
    before = sorted(os.listdir(at))
    for settings in ({"HEDDLE_DIR": os.path.join(at, "chosen")}, {"HEDDLE": "on", "HEDDLE_MAX_SIZE": "nonsense"}):
        traced = run([mine, *lu()[1:]], cwd=at, preexec=as_nobody, OMP_TOOL_LIBRARIES=tool, **settings)
        undisturbed(traced)
        same(traced.tool_err, [], "what Heddle says")
        same(sorted(os.listdir(at)), before, "files")


def test_settings_without_sense_are_said_and_ignored():
    traced = run_traced([program("lu"), "20"], HEDDLE_WINDOW="many")
    same(traced.status, 0, "exit status")
    one_line(traced, "HEDDLE_WINDOW", "many")
    same(counts(Trace(traced.trace))["parallel"], 19, "regions")
