"""
heddle live of native programs that `heddle record` samples. The samples count by function and thread, however often observers
look, and the last reading has what the archive has.
"""
import collections
import glob
import json
import os
import re
import subprocess
import time

import otf2
import pytest

from harness import HEDDLE, Running, check, directory, environment, heddle, program, same

CONVERT = os.path.join(os.path.dirname(HEDDLE), "heddle-convert")
LONGEST = 60


class Sampled(Running):
    """A program under heddle record --live --sample."""

    def __init__(self, *command, options=("--sample=1ms",)):
        self.trace = os.path.join(directory(), "run.heddle")
        self.process = subprocess.Popen([HEDDLE, "record", "--live", "--keep-raw", *options, "-o", self.trace, "--", program(command[0]), *command[1:]],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
        until = time.monotonic() + LONGEST
        while not glob.glob(self.raw() + "control") and self.process.poll() is None:
            check(time.monotonic() < until, "the program records")
            time.sleep(0.001)
        if self.process.poll() is None and not glob.glob(os.path.join(self.trace, "kernel", "*.log")):
            self.process.communicate()
            pytest.skip("the kernel takes no samples here")

    def raw(self):
        return os.path.join(self.trace, "raw", "*", "")

    def pid(self):
        return glob.glob(self.raw())[0].rstrip("/").split(".")[-2]

    def end(self):
        """Samples of each thread and function in the archive."""
        out, err = self.process.communicate(timeout=LONGEST)
        same((self.process.returncode, "result: right" in out), (0, True), f"exit status and result: {out} {err}")
        found = collections.Counter()
        with otf2.reader.open(os.path.join(self.trace, "samples.otf2")) as archive:
            for location, event in archive.events:
                found[location.name, event.calling_context.region.name] += 1
        return found


class Follower:
    """Somebody who asks heddle-convert for readings, as heddle live does."""

    def __init__(self, sampled):
        self.process = subprocess.Popen([CONVERT, "--live", glob.glob(sampled.raw())[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.regions, self.threads, self.samples, self.over, self.wrong = {}, {}, {}, False, None
        self.process.stdout.readline()

    def read(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            word, *fields = line.rstrip("\n").split("\t")
            if word == "region":
                self.regions[fields[0]] = fields[4]
            elif word == "thread":
                self.threads[fields[0]] = fields[3]
            elif word == "look":
                self.samples[fields[0]] = collections.Counter()
            elif word == "metric" and fields[1] == "samples":
                self.samples[fields[0]][fields[2]] += int(fields[6])
                check(int(fields[13]) >= int(fields[6]), f"with what it called: {line}")
            elif word == "over":
                self.over = True
            elif word == "end":
                return self.counts()
        check(False, f"a reading: {self.process.stderr.read()}")

    def counts(self):
        found = collections.Counter()
        for thread, functions in self.samples.items():
            for region, count in functions.items():
                found[self.threads[thread], self.regions[region]] += count
        return +found

    def last(self):
        """The last reading; no figure of a reading is less than the same figure of the one before."""
        before = collections.Counter()
        while not self.over:
            now = self.read()
            check(sum(now.values()) >= sum(before.values()), f"{before}, and then {now}")
            before = now
            if not self.over:
                time.sleep(0.02)
        _, err = self.process.communicate(timeout=LONGEST)
        same((self.process.returncode, err), (0, ""), "exit status and stderr of the converter")
        return before


def equal(found, truth, what):
    same(sum(found.values()), sum(truth.values()), f"samples: {what}")
    check(found == truth, f"{what}: {found - truth} too many, {truth - found} are missing")


@pytest.mark.parametrize("way", ["regions", "plugins", "deep", "four"])
def test_the_last_reading_has_what_the_archive_has(way):
    """By thread and function; also of libraries that are loaded and unloaded meanwhile."""
    with Sampled("stacks/stacks", way, *(("0.08",) if way == "four" else ())) as sampled:  # the time of each of ten parts
        found = Follower(sampled).last()
        truth = sampled.end()
    check(sum(truth.values()) > 50, f"samples: {truth}")
    equal(found, truth, way)


@pytest.mark.parametrize("option", ["--stack=none", "--stack=fp", "--sample=cpu:2ms,page-faults:10"])
def test_however_samples_are_taken(option):
    with Sampled("stacks/stacks", "regions", options=("--sample=1ms", option)) as sampled:
        found = Follower(sampled).last()
        equal(found, sampled.end(), option)


def test_calls_shows_the_archive_of_a_live_run():
    """It has no events beside the samples: constructs and states at a time are not known."""
    with Sampled("stacks/stacks", "regions") as sampled:
        truth = sampled.end()
    of_functions, of_threads = collections.Counter(), collections.Counter()
    for (thread, function), count in truth.items():
        of_functions[function] += count
        of_threads[thread] += count
    document = json.loads(heddle("calls", "--json", sampled.trace, cwd=directory()).out)
    shown = collections.Counter()
    for row in document["functions"]:
        shown[row["function"]] += row["self_samples"]
    equal(+shown, of_functions, "by function")
    document = json.loads(heddle("calls", "--by=thread", "--json", sampled.trace, cwd=directory()).out)
    same({row["thread_name"]: row["samples"] for row in document["threads"]}, dict(of_threads), "samples by thread")
    for by in ("state", "construct"):
        done = heddle("calls", f"--by={by}", sampled.trace, cwd=directory())
        same((done.status, done.out, done.err.count("\n")), (1, "", 1), f"status, output and lines on stderr: {done.err}")


def test_observers_that_come_and_go_say_the_same():
    with Sampled("stacks/stacks", "regions", "0.6") as sampled:
        stays = Follower(sampled)
        for _ in range(3):
            killed = Follower(sampled)
            killed.read()
            killed.process.kill()
            killed.process.communicate()
            if not stays.over:
                stays.read()
        late = Follower(sampled)
        found = [late.last(), stays.last() if not stays.over else stays.counts()]
        truth = sampled.end()
        after = Follower(sampled).last()  # the raw trace is kept
    equal(found[0], truth, "who came last")
    equal(found[1], truth, "who stayed")
    equal(after, truth, "who came after the end")


def test_two_commands_show_the_same():
    with Sampled("stacks/stacks", "regions", "2") as sampled:  # both observers find it
        command = [HEDDLE, "live", "--json", "--interval", "20ms", sampled.pid()]
        observers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        outputs = [observer.communicate(timeout=LONGEST)[0] for observer in observers]
        truth = sampled.end()
    of_functions = collections.Counter()
    for (_, function), count in truth.items():
        of_functions[function] += count
    for output in outputs:
        documents, found = [json.loads(line) for line in output.splitlines()], collections.Counter()
        same(documents[-1]["over"], "yes", "the last reading")
        for document in documents:
            for row in document.get("samples", []):
                found[row["function"]] += row["samples"]
        equal(+found, of_functions, "all intervals")


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_who_records_may_be_killed():
    """Then the log ends, and the last reading does not wait for more."""
    with Sampled("stacks/stacks", "regions", "0.3") as sampled:
        follower, pid = Follower(sampled), int(sampled.pid())
        follower.read()
        sampled.process.kill()
        sampled.process.communicate()
        found = follower.last()
        check(has_ended(pid), "the program has ended")
    check(all(thread.startswith("OpenMP") for thread, _ in found), f"samples: {found}")


def test_a_program_that_is_started_is_sampled_for_pairs():
    done = heddle("live", "--sample=1ms", "--json", "--interval", "20ms", "--pair", "samples", "--pair", "samples@function=burn",
                  "--pair", "samples@stacks.c", "--pair", "samples@thread=nobody", program("stacks/stacks"), "regions", "0.5", cwd=directory())
    if "no samples" in done.err:
        pytest.skip("the kernel takes no samples here")
    same(done.status, 0, f"exit status: {done.err}")
    last = json.loads([line for line in done.out.splitlines() if line.startswith("{")][-1])
    every, burn, of_file, nobody = (pair["sum_count"] for pair in last["pairs"])
    check(every >= of_file >= burn > 20 and nobody == 0 and last["over"] == "yes", f"samples: {last}")


def test_what_is_refused_is_said_in_one_line():
    name = program("stacks/stacks")
    for arguments in (("record", "--live", "--sample=timer", "--", name), ("record", "--live", "--no-switches", "--sample=timer", "--", name),
                      ("live", "--sample=timer", "--once", name), ("live", "--sample", "1")):
        done = heddle(*arguments, cwd=directory())
        same((done.status, done.out, done.err.count("\n")), (2, "", 1), f"status, output and lines on stderr of {arguments}: {done.err}")
    with Sampled("stacks/stacks", "regions", options=("--sample=1ms", "--stack=none")):
        pass  # the kernel takes samples
    trace = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--live", "--keep-raw", "--sample=llc-misses", "-o", trace, "--", name, "four")
    if re.search("no samples of llc-misses", done.err):
        same((done.status, glob.glob(os.path.join(trace, "kernel", "*.log")), os.path.exists(os.path.join(trace, "samples.otf2"))), (0, [], False),
             "status, and logs of triggers that the kernel refuses")
