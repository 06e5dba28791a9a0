"""
`heddle try` on tests/programs/tried.c. A schedule makes a loop faster, and there are too many threads. Some programs print something else, crash or
never end with fewer threads: such experiments are rejected. Programs that can't be tried are refused with one line.
"""
import difflib
import json
import os
import shutil
import subprocess

import pytest

import harness
from harness import check, heddle, program, run, same
from java import JDKS

CROWD = {"OMP_NUM_THREADS": "8", "OMP_WAIT_POLICY": "active"}


def tried(*operands, status=0, cwd=None, **settings):
    done = run([harness.HEDDLE, "try", *operands], cwd=cwd or harness.directory(), **settings)
    same(done.status, status, f"status ({done.err})")
    return done


def experiments(mode, *options, rounds="2", **settings):
    """{setting: experiment} of `heddle try --json`."""
    done = tried("--json", *options, "--", program("tried"), mode, rounds, **settings)
    return {experiment["change"]: experiment for experiment in json.loads(done.out)["experiments"]}


def test_a_schedule_is_proved():
    path = os.path.join(harness.directory(), "record.jsonl")
    found = experiments("schedule", "--record", path, "--time", "60s", rounds="1", OMP_NUM_THREADS="2")
    dynamic = found["OMP_SCHEDULE=dynamic,1"]
    if dynamic["outcome"] == "undecided":
        harness.skip_busy(f"the runs' times differ too much: {dynamic}")
    same(dynamic["outcome"], "kept", f"{dynamic}")
    check(dynamic["low"] < 52 and dynamic["high"] > 30 and dynamic["predicted_percent"] > 10, f"{dynamic}")
    check(dynamic["line"] > 0 and dynamic["file"].endswith("tried.c"), f"the place is {dynamic}")
    check(f"faster ({dynamic['low']:.1f} to {dynamic['high']:.1f}, {dynamic['pairs']} pairs); predicted" in dynamic["sentence"], dynamic["sentence"])
    with open(path, encoding="utf-8") as file:
        lines = {line["change"]: line for line in map(json.loads, file)}
    same(lines["OMP_SCHEDULE=dynamic,1"]["outcome"], "kept", "the outcome in the file")
    check(abs(lines["OMP_SCHEDULE=dynamic,1"]["gain_percent"] - dynamic["gain_percent"]) < 0.01, f"{lines}")


def test_a_static_loop_keeps_its_schedule():
    found = experiments("static", "--time", "60s", "--runs", "8", rounds="1", OMP_NUM_THREADS="2")
    check(not any("SCHEDULE" in change for change in found), f"experiments are {found}")


def test_fewer_threads_are_proved():
    """With more threads than processors, one setting at least is proved to help."""
    found = experiments("small", "--time", "60s", **CROWD)
    check("OMP_WAIT_POLICY=passive" in found, f"experiments are {found}")
    if not any(experiment["outcome"] == "kept" for experiment in found.values()):
        harness.skip_busy(f"nothing is proved: {found}")


def rejected(mode, outcome):
    """With 2 threads the program misbehaves: the experiment is rejected after one run."""
    def attempt():
        found = experiments(mode, "--time", "60s", "--runs", "8", rounds="4", **CROWD)
        processors = len(os.sched_getaffinity(0))
        return found.get(f"OMP_NUM_THREADS={processors}")
    experiment = harness.until_it_happens(attempt, "the threads lacked processors")
    same((experiment["outcome"], experiment["pairs"]), (outcome, 0), f"{experiment}")
    return experiment


def test_another_output_is_rejected():
    check("output differs" in rejected("output", "other output")["sentence"], "the sentence")


def test_a_crash_is_rejected():
    check("was ended by signal 6" in rejected("crash", "failed")["sentence"], "the sentence")


def test_a_hang_is_rejected():
    check("did not end in time" in rejected("hang", "hung")["sentence"], "the sentence")


def test_programs_that_cannot_be_tried_are_refused():
    for mode, message in (("short", "too short to compare"), ("fail", "ended with status 3 without any change"),
                          ("input", "reads standard input")):
        done = tried("--", program("tried"), mode, status=1)
        check(message in done.err and len(done.err.splitlines()) == 1 and not done.out, f"{mode}: {done.err}")
    done = tried("--", "./no-such-program", status=1)
    check("cannot be started" in done.err, done.err)
    for options, message in ((["--time", "soon"], "give a time"), (["--runs", "33"], "from 1 to 32")):
        check(message in tried(*options, "--", "true", status=2).err, f"{options}")


def test_an_output_with_chance_needs_a_command():
    done = tried("--time", "60s", "--", program("tried"), "chance", "4", status=1, **CROWD)
    check("its output changes from run to run: compare it with --same CMD" in done.err, done.err)
    found = experiments("chance", "--time", "60s", "--runs", "8", "--same", "cmp -s -n 0", rounds="4", **CROWD)
    check(found and not any(experiment["outcome"] == "other output" for experiment in found.values()), f"{found}")


SOURCE = """#include <stdio.h>
#include <time.h>

static void piece(int i)
{
  struct timespec time = {.tv_nsec = i >= 8 ? 30000000 : 0};
  nanosleep(&time, NULL);
}

int main(void)
{
#pragma omp parallel for
  for (int i = 0; i < 16; i++)
    piece(i);
  printf("done\\n");
  return 0;
}
"""


def test_patches_are_tried_in_copies():
    """One makes the loop even, one changes the output, one does not compile, and one is none."""
    directory, patches = harness.directory(), harness.directory()
    with open(os.path.join(directory, "loop.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE)
    for name, old, new in (("even", "parallel for", "parallel for schedule(dynamic)"), ("other", "done", "ready"), ("broken", "done", '"')):
        lines = difflib.unified_diff(SOURCE.splitlines(True), SOURCE.replace(old, new).splitlines(True), "a/loop.c", "b/loop.c")
        with open(os.path.join(patches, name), "w", encoding="utf-8") as file:
            file.writelines(lines)
    with open(os.path.join(patches, "none"), "w", encoding="utf-8") as file:
        file.write("no patch\n")
    build = f"{os.environ.get('HEDDLE_OMP_COMPILER', 'clang-19')} -g -O1 -fopenmp -o loop loop.c"
    even, other = os.path.join(patches, "even"), os.path.join(patches, "other")
    done = tried("--json", "--time", "60s", "--patch", even, "--patch", other, "--build", build, "--", "./loop", cwd=directory, OMP_NUM_THREADS="2")
    found = {experiment["change"]: experiment for experiment in json.loads(done.out)["experiments"]}
    same(found[f"patch {other}"]["outcome"], "other output", f"{found}")
    patched = found[f"patch {even}"]
    same((os.path.basename(patched["file"]), patched["line"]), ("loop.c", 12), "the place")
    same(sorted(os.listdir(directory)), ["loop.c"], "files in the working directory")
    for name, message in (("broken", "the build ended with status"), ("none", "patch -p1 ended with status"), ("missing", "cannot be read")):
        done = tried("--patch", os.path.join(patches, name), "--build", build, "--", "./loop", cwd=directory, status=1, OMP_NUM_THREADS="2")
        check(message in done.err and len(done.err.splitlines()) == 1, done.err)
    check("needs --build" in tried("--patch", even, "--", "./loop", status=2).err, "usage")
    if patched["outcome"] == "undecided":
        harness.skip_busy(f"the runs' times differ too much: {patched}")
    same(patched["outcome"], "kept", f"{patched}")
    check(patched["high"] > 30 and patched["predicted_percent"] > 10, f"{patched}")


PLANTED = """#include <stdio.h>
#include <time.h>

static void spend(long us)
{
  struct timespec now, begin;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

int main(int count, char **values)
{
  long sum = 0;
  (void)values;
  if (count == 1) {
#pragma omp parallel for \\
    reduction(+ : sum) // all
    for (int i = 0; i < 40; i++) {
      spend(i < 20 ? 100 : 4000);
      sum += i;
    }
  } else if (count == 2) {
#pragma omp parallel
    for (int i = 0; i < 10; i++) {
#pragma omp single
      spend(10000);
    }
  } else if (count == 3) {
#pragma omp parallel for
    for (int i = 0; i < 2000000; i++) {
#pragma omp critical
      sum += i % 7;
    }
  } else {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 200; i++) {
#pragma omp taskloop
      for (int k = 0; k < 1000; k++) {
        volatile int none = k;
        (void)none;
      }
    }
  }
  printf("%ld\\n", sum);
  return 0;
}
"""


@pytest.mark.parametrize("title", ["schedule(dynamic)", "nowait", "reduction(+:sum)", "num_tasks(8)"])
def test_a_planted_reason_has_a_patch(title):
    """It changes one directive, the program builds with it and prints the same. Nothing is applied before."""
    directory, compiler = harness.directory(), os.environ.get("HEDDLE_OMP_COMPILER", "clang-19")
    number = ["schedule(dynamic)", "nowait", "reduction(+:sum)", "num_tasks(8)"].index(title)
    source, build = os.path.join(directory, "planted one.c"), [compiler, "-g", "-O1", "-fopenmp", "-o", "planted", "planted one.c"]
    with open(source, "w", encoding="utf-8") as file:
        file.write(PLANTED)
    subprocess.run(build, cwd=directory, check=True)

    def suggested():
        arguments, trace, patches = ["x"] * number, os.path.join(harness.directory(), "trace"), harness.directory()
        plain = run([harness.HEDDLE, "record", "-o", trace, "--", "./planted", *arguments], cwd=directory, OMP_NUM_THREADS="2")
        same(plain.status, 0, "status")
        done = run([harness.HEDDLE, "why", "--suggest", patches, trace], cwd=directory)
        same((done.status, done.err), (0, ""), "status, stderr")
        for name in os.listdir(patches):
            with open(os.path.join(patches, name), encoding="utf-8") as file:
                if title in file.read():
                    return plain.out, arguments, os.path.join(patches, name), trace, done.out
        return None
    out, arguments, patch, trace, said = harness.until_it_happens(suggested, f"{title} was worth a patch")
    check(f"{title} at planted one.c:" in said and patch in said, said)
    with open(source, encoding="utf-8") as file:
        same(file.read(), PLANTED, "the source")
    subprocess.run(["patch", "-p1", "--batch", "--forward", "--dry-run", "-i", patch], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    together = os.path.join(directory, "all.patch")
    same(run([harness.HEDDLE, "why", "--suggest", together, trace], cwd=directory).status, 0, "status with a file")
    subprocess.run(["patch", "-p1", "--batch", "--forward", "-i", together], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    with open(source, encoding="utf-8") as file:
        changed = [line for line in difflib.ndiff(PLANTED.splitlines(), file.read().splitlines()) if line[0] in "+-"]
    check(all("#pragma" in line or "reduction(+ : sum)" in line for line in changed) and any(title in line for line in changed), f"{changed}")
    check("No finding has" in run([harness.HEDDLE, "why", "--suggest", "-", trace], cwd=directory).out, "a source that was changed has a patch")
    subprocess.run([*build[:3], "-Werror", *build[3:]], cwd=directory, check=True)
    same(run(["./planted", *arguments], cwd=directory).out, out, "what the program prints")


def test_no_patch_is_for_sources_elsewhere():
    directory = harness.directory()
    trace = os.path.join(directory, "trace")
    same(run([harness.HEDDLE, "record", "-o", trace, "--", program("tried"), "static", "1"], OMP_NUM_THREADS="2").status, 0, "status")
    done = run([harness.HEDDLE, "why", "--suggest", os.path.join(directory, "x"), trace], cwd=directory)
    same((done.status, done.err, os.listdir(directory)), (0, "", ["trace"]), "status, stderr, files")
    check("No finding has one obvious edit" in done.out, done.out)
    for options, message in ((["--json"], "is enough"), (["--sarif"], "is enough")):
        check(message in run([harness.HEDDLE, "why", "--suggest", "x", *options, trace]).err, f"{options}")
    check("for traces" in run([harness.HEDDLE, "why", "--suggest", "x", "--", "true"]).err, "programs")


CALLS = """import java.util.stream.IntStream;

public class Calls {
  static int call(int i) {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return i;
  }

  public static void main(String[] unused) {
    System.out.println(IntStream.range(0, 24).parallel().map(Calls::call).sum());
  }
}
"""
GARBAGE = """import java.util.ArrayDeque;

public class Garbage {
  public static void main(String[] unused) {
    ArrayDeque<byte[]> kept = new ArrayDeque<>();
    for (int i = 0; i < 400000; i++) {
      kept.add(new byte[1000]);
      if (kept.size() > 20000)
        kept.poll();
    }
    System.out.println(kept.size());
  }
}
"""


def of_java(jdk, source, name, *options):
    """{option: experiment} of `heddle try --json` with a program of one class."""
    directory = harness.directory()
    with open(os.path.join(directory, name + ".java"), "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([os.path.join(os.path.dirname(JDKS[jdk]), "javac"), "-g", name + ".java"], cwd=directory, check=True)
    own = [option for option in options if option.startswith("-X")]
    done = tried("--json", *[option for option in options if option not in own], "--", JDKS[jdk], *own, "-cp", ".", name, cwd=directory)
    return {experiment["change"]: experiment for experiment in json.loads(done.out)["experiments"]}


@pytest.mark.parametrize("jdk", JDKS)
def test_a_larger_pool_of_java_is_proved(jdk):
    workers = 2 * len(os.sched_getaffinity(0))
    option = f"-Djava.util.concurrent.ForkJoinPool.common.parallelism={workers}"
    found = harness.until_it_happens(lambda: of_java(jdk, CALLS, "Calls", "--time", "60s").get(option), "the pool was small")
    same(found["kind"], "tasks", f"{found}")
    check(found["predicted_percent"] > 30, f"{found}")
    if found["outcome"] == "undecided":
        harness.skip_busy(f"the runs' times differ too much: {found}")
    same(found["outcome"], "kept", f"{found}")


@pytest.mark.parametrize("jdk", JDKS)
def test_collectors_of_java_are_tried(jdk):
    """Each in runs of its own; one that was chosen stays."""
    collectors = ["-XX:+UseParallelGC", "-XX:+UseSerialGC", "-XX:+UseG1GC"]
    found = harness.until_it_happens(lambda: of_java(jdk, GARBAGE, "Garbage", "--time", "40s", "--runs", "8", "-Xmx40m") or None, "collections cost time")
    same(sorted(found), sorted(collectors), f"experiments: {found}")
    same({experiment["kind"] for experiment in found.values()}, {"collection"}, "kinds")
    wrong = [experiment for experiment in found.values() if experiment["outcome"] in ("failed", "hung", "other output")]
    check(not wrong, f"{wrong}")
    same(of_java(jdk, GARBAGE, "Garbage", "--time", "20s", "--runs", "5", "-Xmx40m", "-XX:+UseSerialGC"), {}, "experiments where one is chosen")


def test_the_working_directory_stays_as_it_is():
    """The program writes into a copy, and nothing is left of it."""
    directory, temporary = harness.directory(), harness.directory()
    shutil.copy(program("tried"), os.path.join(directory, "tried"))
    with open(os.path.join(directory, "data"), "w", encoding="utf-8") as file:
        file.write("as it was\n")
    script = "test -f data && echo more >> data && ./tried static 1"
    tried("--time", "60s", "--runs", "8", "--", "sh", "-c", script, cwd=directory, OMP_NUM_THREADS="2", TMPDIR=temporary)
    with open(os.path.join(directory, "data"), encoding="utf-8") as file:
        same(file.read(), "as it was\n", "the file")
    same(sorted(os.listdir(directory)), ["data", "tried"], "files in the working directory")
    same(os.listdir(temporary), [], "files in the directory for temporary files")
    tried("--time", "60s", "--runs", "8", "--in-place", "--", "sh", "-c", script, cwd=directory, OMP_NUM_THREADS="2", TMPDIR=temporary)
    with open(os.path.join(directory, "data"), encoding="utf-8") as file:
        check(file.read().count("more") >= 2, "runs in place write into the directory")


def test_an_interruption_leaves_nothing():
    temporary = harness.directory()
    done = run(["timeout", "-s", "INT", "1.5", harness.HEDDLE, "try", "--", program("tried"), "hang"], cwd=harness.directory(), OMP_NUM_THREADS="2", TMPDIR=temporary)
    check("interrupted by signal 2" in done.err, done.err)
    same(os.listdir(temporary), [], "files in the directory for temporary files")
