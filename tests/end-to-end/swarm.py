"""
Samples of many threads; 200 threads live at a time. Each thread is there, and no sample is lost without being counted. For
a thread, the converter needs no more memory than the library's buffers of its two archives. HEDDLE_SWARM: how many threads;
ci/soak has 10,000, for which the converter takes 5 GB.
"""
import os
import re

import otf2
import pytest

import harness
from harness import check, directory, program, run, same
from sampled import check_samples

THREADS, AT_ONCE, US = int(os.environ.get("HEDDLE_SWARM", "2000")), 200, 500
PERIOD_NS = 250000
# Two chunks of 256 KiB, and 96 KiB for all else: one buffer more for each thread would be seen.
MOST_BYTES = (THREADS + 1) * (2 * 256 + 96) * 1024


def converted(trace):
    """Converts; the most memory that it took, in bytes."""
    converter = os.path.join(harness.BUILD, "bin", "heddle-convert")
    # A process that this large one starts counts its memory as its own: a small one is between.
    ask = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = run(["/usr/bin/python3", "-c", ask, converter, "--quiet", trace])
    same(done.status, 0, f"exit status of the conversion ({done.err})")
    return int(done.out) * 1024


@pytest.mark.parametrize("period", ["250us", "timer:1ms"])
def test_each_thread_and_each_sample_is_accounted_for(period):
    trace, command = os.path.join(directory(), "run.heddle"), [program("swarm"), str(THREADS), str(AT_ONCE), str(US)]
    done = run([harness.HEDDLE, "record", "--no-convert", "--wait-stacks=off", f"--sample={period}", "-o", trace, "--", *command])
    if "no samples: the kernel" in done.err:
        pytest.skip("the kernel takes no samples here")
    same((done.status, done.out), (0, f"{THREADS} threads\n"), f"status and output, {done.err}")
    burnt = int(re.search(rf"^at once: {AT_ONCE}, ns: (\d+)$", done.err, re.M).group(1))
    memory = converted(trace)
    check(memory <= MOST_BYTES, f"the conversion took {memory >> 20} MiB, more than {MOST_BYTES >> 20}")
    samples = check_samples_of_threads(trace)
    taken, lost = samples.number("SAMPLES"), samples.number("SAMPLES_LOST")
    if period == "250us":
        # A thread's last period is not over when it ends.
        check(taken + lost >= burnt // PERIOD_NS - THREADS, f"{taken} samples and {lost} lost in {burnt} ns")
    else:
        check(taken > 0 and samples.number("SAMPLES_NO_TIMER") == 0, f"{taken} samples")


def test_conversion_takes_memory_by_the_threads_that_live_at_a_time():
    trace, threads = os.path.join(directory(), "run.heddle"), 4000
    done = run([harness.HEDDLE, "record", "--no-convert", "-o", trace, "--", program("swarm"), str(threads), "2", "1"])
    same((done.status, done.out), (0, f"{threads} threads\n"), f"status and output, {done.err}")
    memory = converted(trace)
    check(memory <= 100 << 20, f"the conversion took {memory >> 20} MiB")
    with otf2.reader.open(os.path.join(trace, "traces.otf2")) as reader:
        ended = sum(isinstance(event, otf2.events.ThreadEnd) for _, event in reader.events)
        same(sum(l.type == otf2.LocationType.CPU_THREAD for l in reader.definitions.locations), threads + 1, "threads")
    check(ended >= threads, f"{ended} threads ended")
    # Text has a line for 50 threads, one for the others and one for all; it has all on request, as CSV always.
    def names(*options):
        return re.findall(r"^ *(?:\d+|-)  (\S+ \S+)", harness.heddle("states", *options, trace).out.split("\n\n")[0], re.M)
    same(len(names()), 52, "lines")
    check(f"{threads - 49} more (--all-threads)" in harness.heddle("states", trace).out, "a line for the others")
    same(len(names("--all-threads")), threads + 2, "lines on request")
    check(len(harness.heddle("states", "--csv", trace).out.splitlines()) >= threads + 2, "CSV has all threads")


def check_samples_of_threads(trace):
    """As many samples as the run says, in order, of threads that are all there."""
    with otf2.reader.open(os.path.join(trace, "traces.otf2")) as reader:
        threads = [l for l in reader.definitions.locations if l.type == otf2.LocationType.CPU_THREAD]
    same(len(threads), THREADS + 1, "threads")
    return check_samples(trace)
