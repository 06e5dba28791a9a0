#!/usr/bin/python3
"""
The soak: runs the stress program with many seeds, each without Heddle and with it, and compares (README.md).

    soak.py [--minutes N | --runs N] [--seed N] [--runtime libgomp|libomp] [--only NAME,...] [--without NAME,...]
            [--leave-out N,...] [--jobs N] [--log FILE] [--keep DIR] [--no-minimise]

Exit status: 0 no difference; 1 differences, each with the command that repeats it; 2 wrong usage.
"""
import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time

import run
import truth

CIRCUMSTANCES = ["killed", "small disk", "file size", "closed", "ring", "max size"]


class Outcome:
    """What came of one seed."""

    def __init__(self, circumstances, differences, counts, apart=None):
        self.circumstances, self.differences, self.apart = circumstances, differences, apart
        self.actions = list(counts.actions) if counts else []
        self.processes = len(counts.processes) if counts else 0
        self.events = sum(sum(p.done.values()) for p in counts.processes) if counts else 0


def _first_difference(text, other):
    """The first line in which outputs differ: its number from 1, and both; None: there is none."""
    for number, (a, b) in enumerate(zip(text.splitlines() + [b"(end)"], other.splitlines() + [b"(end)"]), 1):
        if a != b:
            return number, a, b
    return None


def _shown(text, other):
    number, a, b = _first_difference(text, other) or (0, b"", b"")
    return f"line {number} is {b[:200].decode(errors='replace')!r}, without us {a[:200].decode(errors='replace')!r}"


def _was_killed(circumstances, traced):
    return circumstances.kind == "killed" and traced.status == -9


def _undisturbed(circumstances, plain, traced):
    """Same output, same status."""
    if _was_killed(circumstances, traced):
        if not plain.out.startswith(traced.out):
            yield f"stdout before the kill: {_shown(plain.out, traced.out)}"
        return
    if traced.status != plain.status:
        yield f"status {traced.status}, without us {plain.status}"
    if traced.out != plain.out:
        yield f"stdout: {_shown(plain.out, traced.out)}"
    if traced.own_err != plain.err:
        yield f"stderr: {_shown(plain.err, traced.own_err)}"


def _not_ours(circumstances, place, wanted, plain, traced):
    """
    Why outputs differ, where that is not our doing: None or a text. What differs from run to run does so in the same
    line without us, too.
    """
    again = run.execute(circumstances, place, wanted.options, traced=False, again=True)
    if again.hang is not None:
        return "hangs without us, too, when it is run again"
    for kind in ("out", "err"):
        texts = [x.own_err if kind == "err" else x.out for x in (plain, again, traced)]
        a, b = _first_difference(texts[0], texts[1]), _first_difference(texts[0], texts[2])
        if a and b and a[0] == b[0]:
            return f"differs from run to run without us: std{kind}: {_shown(texts[0], texts[1])}"
    return f"differs from run to run without us: status {again.status}, {plain.status}" if again.status != plain.status else None


def _traced_truly(circumstances, place, traced):
    """The trace has what the program counted."""
    problem = run.convert(place)
    archive = os.path.join(place.archive_at, "traces.otf2")
    said = truth.Said(traced.tool_err, circumstances.kind in ("closed", "killed"), _was_killed(circumstances, traced))
    for process in traced.counts.processes:
        if circumstances.kind in ("small disk", "file size", "max size", "closed"):
            process.excuses |= truth.EXCUSE_SAID
    if not os.path.exists(archive):
        done = sum(sum(p.done.values()) for p in traced.counts.processes)
        excused = said.anything and all(p.excuses & (truth.EXCUSE_SAID | truth.EXCUSE_NO_TRACE) for p in traced.counts.processes)
        if done and not excused:
            yield problem or f"there is no archive, of {done} events"
        return
    if problem:
        yield problem
    yield from truth.differences(truth.Archive(archive), traced.counts, circumstances.kind == "ring", said)


def kept_hang(seed, hang, wanted):
    """What the processes waited for: much, so into a file."""
    path = os.path.join(wanted.keep or tempfile.gettempdir(), f"heddle-soak-hang.{seed}")
    with open(path, "w") as file:
        file.write(hang)
    return f"what the processes wait for is in {path}"


def try_seed(seed, wanted, base):
    """Both runs of a seed."""
    run.adopt_orphans()
    circumstances = run.Circumstances(seed, wanted.runtime, wanted.may_mount, wanted.no_circumstances)
    place = run.Place(base, f"{seed}.{os.getpid()}")
    try:
        plain = run.execute(circumstances, place, wanted.options, traced=False)
        if plain.hang is not None:
            return Outcome(circumstances, [], plain.counts, f"hangs without us: {kept_hang(seed, plain.hang, wanted)}")
        if circumstances.kind == "small disk":
            place.mount(circumstances.disk)
        traced = run.execute(circumstances, place, wanted.options, traced=True)
        if traced.hang is not None:
            return Outcome(circumstances, [f"hangs: {kept_hang(seed, traced.hang, wanted)}"], traced.counts)
        differences, apart = list(_undisturbed(circumstances, plain, traced)), None
        if differences and (apart := _not_ours(circumstances, place, wanted, plain, traced)):
            differences = []
        differences += _traced_truly(circumstances, place, traced)
        if differences:
            differences += [f"said: {line}" for line in dict.fromkeys(traced.tool_err)][:5]
            if wanted.keep:
                shutil.copytree(place.path, os.path.join(wanted.keep, str(seed)), dirs_exist_ok=True, symlinks=True)
        return Outcome(circumstances, differences, traced.counts, apart)
    finally:
        place.remove()


def guarded(seed, wanted, base):
    try:
        return try_seed(seed, wanted, base)
    except Exception as problem:  # the driver's own: a difference, too, for somebody must look at it
        circumstances = run.Circumstances(seed, wanted.runtime, wanted.may_mount, wanted.no_circumstances)
        return Outcome(circumstances, [f"the driver failed: {type(problem).__name__}: {problem}"], None)


class Wanted:
    """What the user asked for, in what the tries need of it."""

    def __init__(self, arguments, may_mount):
        self.runtime, self.keep, self.may_mount = arguments.runtime, arguments.keep, may_mount
        without = arguments.without.split(",") if arguments.without else []
        self.no_circumstances = [c for c in CIRCUMSTANCES if c.replace(" ", "_") in without]
        actions = ",".join(w for w in without if w.replace("_", " ") not in CIRCUMSTANCES)
        self.chosen = (["--only", arguments.only] if arguments.only else []) + (["--without", actions] if actions else [])
        self.left_out = [int(n) for n in arguments.leave_out.split(",")] if arguments.leave_out else []

    @property
    def options(self):
        return self.chosen + [word for n in self.left_out for word in ("--leave-out", str(n))]


def _kinds(differences):
    """Differences without numbers and names, so that one of another run is known again."""
    return {re.sub(r"'.*?'|\d+|process.*?:", "", text) for text in differences if not text.startswith("said: ")}


def minimise(seed, wanted, base, differences, seconds=120):
    """Omits one of the root process' actions after the other, as long as such a difference shows (in one of three runs)."""
    until = time.monotonic() + seconds
    wanted.keep = None  # what the first run left behind stays
    for n in range(run.Circumstances(seed, wanted.runtime, wanted.may_mount, wanted.no_circumstances).actions):
        if n in wanted.left_out:
            continue
        wanted.left_out.append(n)
        shows = False
        for _ in range(3):
            shows = time.monotonic() < until and bool(_kinds(guarded(seed, wanted, base).differences) & _kinds(differences))
            if shows:
                break
        if not shows:
            wanted.left_out.remove(n)
    return wanted


def command_for(seed, arguments, left_out):
    words = ["tests/soak/soak.py", f"--seed {seed} --runs 1"]
    words += [f"--{name} {value}" for name in ("runtime", "only", "without") if (value := getattr(arguments, name))]
    return " ".join(words + ([f"--leave-out {','.join(map(str, left_out))}"] if left_out else []))


class Tally:
    """All that goes into the log."""

    def __init__(self, arguments, skipped):
        self.arguments, self.skipped = arguments, skipped
        self.began = time.time()
        self.actions, self.kinds = collections.Counter(), collections.Counter()
        self.runs = self.processes = self.events = 0
        self.differences, self.apart = [], []
        program = os.path.join(run.BUILD, "tests", "soak", run.RUNTIMES[0], "soak")
        self.names = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()

    def add(self, outcome):
        self.runs += 1
        self.processes += outcome.processes
        self.events += outcome.events
        self.kinds[outcome.circumstances.kind] += 1
        self.kinds[outcome.circumstances.runtime] += 1
        self.kinds[outcome.circumstances.how] += 1
        self.actions.update({name: n for name, n in zip(self.names, outcome.actions) if n})

    def text(self):
        minutes = (time.time() - self.began) / 60
        commit = subprocess.run(["git", "-C", run.SOURCE, "describe", "--always", "--dirty", "--abbrev=12"], capture_output=True, text=True)
        yield f"# Soak of {time.strftime('%Y-%m-%d %H:%M', time.gmtime(self.began))} UTC"
        yield ""
        yield f"- commit: {commit.stdout.strip()}"
        yield f"- machine: {platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}"
        yield f"- duration: {minutes:.1f} minutes"
        yield f"- seeds: {self.arguments.seed} to {self.arguments.seed + self.runs - 1} ({self.runs} runs beside a run without us)"
        yield f"- processes: {self.processes}; events counted by the program itself: {self.events}"
        yield f"- differences: {len(self.differences)}"
        yield f"- could not be compared: {len(self.apart)}"
        yield f"- skipped: {'; '.join(self.skipped) or 'nothing'}"
        yield ""
        yield "| circumstances | runs |\n|---|---|"
        yield from (f"| {kind} | {n} |" for kind, n in sorted(self.kinds.items()))
        yield ""
        yield "| action | executed |\n|---|---|"
        yield from (f"| {name} | {self.actions[name]} |" for name in self.names)
        if self.apart:
            yield "\nCould not be compared, for a reason that is not ours:"
            yield from (f"- {text}" for text in self.apart)
        for difference in self.differences:
            yield f"\n```\n{difference}\n```"


def soak(arguments, tally, wanted, base):
    """Seed after seed until the time is up, some at once."""
    until = time.monotonic() + arguments.minutes * 60 if arguments.runs is None else None
    seeds = iter(range(arguments.seed, arguments.seed + arguments.runs) if arguments.runs is not None else range(arguments.seed, 1 << 62))
    # Each seed in a new process: what a reader leaks or keeps open is not the next one's.
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        waiting = {}
        while True:
            while len(waiting) < arguments.jobs and (until is None or time.monotonic() < until):
                seed = next(seeds, None)
                if seed is None:
                    break
                waiting[pool.submit(guarded, seed, wanted, base)] = seed
            if not waiting:
                return
            done, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                report(waiting.pop(future), future.result(), arguments, tally, wanted, base)


def report(seed, outcome, arguments, tally, wanted, base):
    tally.add(outcome)
    if outcome.apart:
        tally.apart.append(f"seed {seed} ({outcome.circumstances}): {outcome.apart}")
        print(f"not compared: {tally.apart[-1]}", flush=True)
    if not outcome.differences:
        if arguments.verbose:
            print(f"{seed}: {outcome.circumstances}: {outcome.processes} processes, {outcome.events} events", flush=True)
        return
    left_out = wanted.left_out
    if not arguments.no_minimise:
        left_out = minimise(seed, Wanted(arguments, wanted.may_mount), base, outcome.differences).left_out
    text = f"DIFFERENCE with seed {seed} ({outcome.circumstances}):\n  " + "\n  ".join(outcome.differences)
    text += f"\n  repeat: {command_for(seed, arguments, left_out)}"
    tally.differences.append(text)
    print(text, flush=True)


def parse():
    parser = argparse.ArgumentParser(description="Runs the stress program with many seeds, without Heddle and with it, and compares.")
    parser.add_argument("--minutes", type=float, default=120, help="how long (default: 120)")
    parser.add_argument("--runs", type=int, help="so many seeds, however long it takes")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each run has the next one")
    parser.add_argument("--runtime", choices=run.RUNTIMES, help="only on this one")
    parser.add_argument("--only", help="these actions, separated by commas")
    parser.add_argument("--without", help=f"all but these actions and circumstances ({', '.join(c.replace(' ', '_') for c in CIRCUMSTANCES)})")
    parser.add_argument("--leave-out", help="numbers of the root process' actions")
    parser.add_argument("--jobs", type=int, default=1, help="so many seeds at once")
    parser.add_argument("--log", help="file for the log; it is replaced")
    parser.add_argument("--keep", help="directory for what runs with a difference left behind")
    parser.add_argument("--no-minimise", action="store_true", help="don't look for the actions that matter")
    parser.add_argument("--verbose", action="store_true", help="a line a seed")
    return parser.parse_args()


def main():
    arguments = parse()
    may_mount = os.geteuid() == 0 and run.own_mounts()
    skipped = [] if os.geteuid() == 0 else ["actions that need root (setuid, setgid, chroot, unshare, limit_processes): not run as root"]
    skipped += [] if may_mount else ["small disks: nothing may be mounted here"]
    skipped += [f"asked for: --{name} {value}" for name in ("only", "without") if (value := getattr(arguments, name))]
    wanted = Wanted(arguments, may_mount)
    base = tempfile.mkdtemp(prefix="heddle-soak-")
    os.chmod(base, 0o755)
    if wanted.keep:
        os.makedirs(wanted.keep, exist_ok=True)
    tally = Tally(arguments, skipped)
    try:
        soak(arguments, tally, wanted, base)
    except KeyboardInterrupt:
        pass
    finally:
        shutil.rmtree(base, ignore_errors=True)
    log = "\n".join(tally.text()) + "\n"
    if arguments.log:
        with open(arguments.log, "w") as file:
            file.write(log)
    else:
        print(log)
    sys.exit(1 if tally.differences else 0)


if __name__ == "__main__":
    main()
