"""
heddle record below a launcher of ranks: all ranks record into one directory, in any order. The launcher sees the programs
and nothing else. A small launcher behaves as MPICH's does; MPICH and Open MPI are asked where they are installed.
"""
import contextlib
import fcntl
import json
import os
import random
import shutil
import subprocess
import tempfile
import termios
import threading
import time

import pytest

from harness import HEDDLE, archive, check, directory, environment, heddle, same
from limits import small_disk
from slurm import machines
from trace import Trace, check_well_formed, counts

SOURCE = """
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **values)
{
  int rank = atoi(getenv("PMI_RANK"));
  for (int i = 0; i <= rank; i++)
#pragma omp parallel num_threads(2)
    ;
  usleep(rank * 20000);
  if (count > 1 && rank == 1)
    _exit(atoi(values[1]));
  return 0;
}
"""

MPI_SOURCE = """
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **values)
{
  int rank;
  const char *end = count > 1 ? values[1] : "";
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
  ;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && puts("ready"))
    fflush(stdout);
  if (strcmp(end, "kill-all") == 0 || (strcmp(end, "kill-one") == 0 && rank == 1))
    raise(SIGKILL);
  if (strcmp(end, "abort") == 0 && rank == 1)
    MPI_Abort(MPI_COMM_WORLD, 3);
  if (strcmp(end, "exit") == 0 && rank == 1)
    exit(5);
  if (*end)
    sleep(20);
  MPI_Finalize();
  return 0;
}
"""
SLURM_SOURCE = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **values)
{
  int rank = atoi(getenv("SLURM_PROCID"));
#pragma omp parallel num_threads(2)
  ;
  if (strcmp(values[1], "kill-all") == 0 || (strcmp(values[1], "kill-one") == 0 && rank == 1))
    raise(SIGKILL);
  return strcmp(values[1], "exit") == 0 && rank == 1 ? 5 : 0;
}
"""


def build(source=SOURCE, compiler="gcc"):
    path = os.path.join(directory(), "ranks")
    subprocess.run([compiler, "-x", "c", "-", "-fopenmp", "-o", path], input=source, text=True, check=True)
    return path


SCRIPT = 'shift 2; "$@" 2>&"$PIPE" & wait $!'


def launch(ranks, trace, *command, delays=None, options=(), job=None, **settings):
    """
    Starts ranks as hydra does: below a proxy that has the job's address as an argument. It waits for their ends, and for the ends of
    their pipes. Returns their statuses, and what the proxies and the ranks have printed.
    """
    ended = {}
    address = job or f"test:{random.randrange(10 ** 9)}"

    def one(rank):
        time.sleep(delays[rank] if delays else random.random() / 5)
        here, there = os.pipe()
        with tempfile.TemporaryFile("w+") as messages:
            proxy = subprocess.Popen(["bash", "-c", SCRIPT, "proxy", "--control-port", address, HEDDLE, "record", "-o", trace, *options, "--", *command],
                                     stderr=messages, stdout=subprocess.DEVNULL, pass_fds=[there],
                                     env=environment(PMI_RANK=str(rank), PMI_SIZE=str(ranks), PMI_FD="0", PIPE=str(there), **settings))
            os.close(there)
            with os.fdopen(here) as pipe:
                printed = pipe.read()
            ended[rank] = proxy.wait(60), messages, printed
            wait_for_archive(trace)
            messages.seek(0)
            ended[rank] = ended[rank][0], messages.read() + printed
    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [ended[rank][0] for rank in range(ranks)], "".join(ended[rank][1] for rank in range(ranks))


def wait_for_archive(trace):
    """Commands wait for the last rank's conversion."""
    heddle("info", trace)


def check_archive(trace, ranks):
    """The archive of all ranks, in their order; asking for it waits until it is there."""
    states = json.loads(heddle("states", "--json", trace).out)
    names = list(dict.fromkeys(thread["process"] for thread in states["threads"] if thread["process"]))
    same([name.split(":")[0] for name in names], [f"rank {rank}" for rank in range(ranks)], "processes")
    read = Trace(trace)
    check_well_formed(read)
    check(not os.path.exists(os.path.join(trace, "raw")), "the raw traces are gone")
    return read


@pytest.mark.parametrize("delays", [[0, 0, 0], [0, 0.3, 0.1], [0.4, 0, 0.2]], ids=["at-once", "one-later", "first-later"])
def test_all_ranks_are_in_one_archive(delays):
    trace = os.path.join(directory(), "trace")
    statuses, said = launch(3, trace, build(), delays=delays)
    same(statuses, [0, 0, 0], "statuses")
    same(counts(check_archive(trace, 3))["parallel"], 1 + 2 + 3, "regions of all ranks")
    same(said.count("the archive is in"), 1, f"closing lines: {said}")
    check("failed" not in said, said)


def test_a_rank_has_the_status_of_its_program():
    trace = os.path.join(directory(), "trace")
    same(launch(3, trace, build(), "5")[0], [0, 5, 0], "statuses")
    check_archive(trace, 3)


def test_the_ranks_end_before_the_conversion():
    """A launcher waits for its ranks' pipes: a converter that waits for the launcher must not keep it."""
    there = directory()
    trace, go, converter = (os.path.join(there, name) for name in ("trace", "go", "converter"))
    with open(converter, "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\nwhile ! [ -e "{go}" ]; do sleep 0.05; done\nexec "{os.path.join(os.path.dirname(HEDDLE), "heddle-convert")}" "$@"\n')
    os.chmod(converter, 0o755)
    address = f"test:{random.randrange(10 ** 9)}"
    for rank in range(2):  # the launcher of the first one ends before the second one begins, as on two machines
        done = subprocess.run(["bash", "-c", 'shift 2; "$@" & wait $!', "proxy", "--control-port", address, HEDDLE, "record", "-o", trace, "--", build()],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60,
                              env=environment(PMI_RANK=str(rank), PMI_SIZE="2", PMI_FD="0", HEDDLE_CONVERTER=converter))
        same(done.stdout, b"", "what the rank prints, up to the end of its pipe")
        same(done.returncode, 0, "status")
    check(not os.path.exists(os.path.join(trace, "traces.otf2")), "nothing is converted yet")
    with open(go, "w", encoding="utf-8"):
        pass
    check_archive(trace, 2)


def test_a_killed_rank_is_in_the_archive():
    trace = os.path.join(directory(), "trace")
    statuses, _ = launch(2, trace, "sh", "-c", f'[ "$PMI_RANK" = 1 ] && exec {build()}; {build()}; kill -9 $$')
    same(statuses, [137, 0], "statuses")
    check(heddle("states", trace).status == 0, "the archive is there")


def test_another_job_is_refused_on_all_ranks_alike():
    trace, program = os.path.join(directory(), "trace"), build()
    launch(2, trace, program)
    statuses, said = launch(2, trace, program)
    same(statuses, [1, 1], "statuses")
    same(said.count("already holds a trace"), 2, f"refusals: {said}")
    check_archive(trace, 2)
    same(launch(2, trace, program, options=["--force"])[0], [0, 0], "statuses with --force")
    check_archive(trace, 2)


def test_one_rank_is_recorded_as_any_program():
    trace = os.path.join(directory(), "trace")
    same(launch(1, trace, build())[0], [0], "status")
    check(os.path.exists(archive(trace)), "converted before the end")


def test_a_program_that_cannot_be_started():
    trace = os.path.join(directory(), "trace")
    same(launch(2, trace, "/nowhere/program")[0], [127, 127], "statuses")
    check(not os.path.exists(os.path.join(trace, "job")), "nothing is left")


def mpi(kind):
    """A launcher, a program, and variables for them."""
    compiler, launcher = f"mpicc.{kind}", {"mpich": ["mpiexec.mpich"], "openmpi": ["mpiexec.openmpi", "--oversubscribe"]}[kind]
    if not shutil.which(compiler) or not shutil.which(launcher[0]):
        pytest.skip(f"{kind} is not installed")
    return launcher, build(MPI_SOURCE, compiler), dict(environment(), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_WAIT_POLICY="passive")


@pytest.mark.parametrize("kind,ranks", [("mpich", 2), ("mpich", 4), ("openmpi", 2), ("openmpi", 4)])
def test_a_launcher_of_mpi(kind, ranks):
    launcher, program, variables = mpi(kind)
    for command in ([*launcher, "-n", str(ranks), HEDDLE, "record", "-o", "{trace}", "--", program], [HEDDLE, "record", "-o", "{trace}", "--", *launcher, "-n", str(ranks), program]):
        trace = os.path.join(directory(), "trace")
        done = subprocess.run([word.format(trace=trace) for word in command], env=variables, capture_output=True, text=True, timeout=120)
        same(done.returncode, 0, f"status: {done.stderr}")
        check_archive(trace, ranks)
        same(done.stderr.count("the archive is in"), 1, f"closing lines: {done.stderr}")


# Statuses of the launchers without us. Chance has a part in some: hydra's mpiexec ends by a signal, or after its proxies did.
ENDS = {"kill-one": {"mpich": {9}, "openmpi": {137}}, "kill-all": {"mpich": {9}, "openmpi": {137}}, "abort": {"mpich": {3}, "openmpi": {3}},
        "exit": {"mpich": {5, 9}, "openmpi": {5}}, "SIGTERM": {"mpich": {0, 15}, "openmpi": {1}}, "SIGINT": {"mpich": {0, 2}, "openmpi": {1}}}


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
@pytest.mark.parametrize("end", ENDS)
def test_a_job_of_mpi_that_ends_early(end, kind):
    launcher, program, variables = mpi(kind)
    for forms in ("behind", "before"):
        trace = os.path.join(directory(), "trace")
        record, start = [HEDDLE, "record", "-o", trace, "--"], [*launcher, "-n", "4"]
        command = start + record if forms == "behind" else record + start
        with tempfile.TemporaryFile("w+") as messages, terminal() as (keyboard, its):
            with subprocess.Popen([*command, program, end], env=variables, stdin=its, stdout=subprocess.PIPE, stderr=messages, text=True,
                                  start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as job:
                if end.startswith("SIG"):
                    same(job.stdout.readline(), "ready\n", "what a rank prints")
                if end == "SIGINT":
                    os.write(keyboard, b"\x03")
                elif end == "SIGTERM":
                    job.terminate()
                job.communicate(timeout=60)
            check(job.returncode in ENDS[end][kind], f"{forms}: status {job.returncode}")
            same(counts(check_archive(trace, 4))["parallel"], 4, "regions of all ranks")
            one_closing_line(messages)


@contextlib.contextmanager
def terminal():
    keyboard, its = os.openpty()
    try:
        yield keyboard, its
    finally:
        os.close(keyboard)
        os.close(its)


def one_closing_line(messages):
    """It is printed after the archive is there."""
    for _ in range(100):
        messages.seek(0)
        said = messages.read()
        if "the archive is in" in said:
            break
        time.sleep(0.05)
    same(said.count("the archive is in"), 1, f"closing lines: {said}")
    check("failed" not in said, said)


def test_a_launcher_does_not_write_over_the_closing_line():
    """Its messages go to a file, at the position after its last one."""
    trace = os.path.join(directory(), "trace")
    script = f'for PMI_RANK in 0 1; do export PMI_RANK; "$@" & done; wait; while [ -e {trace}/job ]; do sleep 0.05; done; echo the launcher has ended >&2'
    with tempfile.TemporaryFile("w+") as messages:
        subprocess.run(["bash", "-c", script, HEDDLE, HEDDLE, "record", "-o", trace, "--", build()], stderr=messages, check=True, timeout=60,
                       env=environment(PMI_SIZE="2", PMI_FD="0"))
        one_closing_line(messages)
        messages.seek(0)
        check("the launcher has ended" in messages.read(), "the launcher's line is there, too")


def test_without_a_closing_line_the_first_rank_says_so():
    """The launcher's messages are not to be had where it is another user's, as Slurm's is."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv")
    there, program = directory(), build()
    os.chown(there, 65534, 65534)
    os.chmod(os.path.dirname(program), 0o755)
    script = 'for PMI_RANK in 0 1; do export PMI_RANK; setpriv --reuid=65534 --regid=65534 --clear-groups "$@" & done; wait'
    done = subprocess.run(["bash", "-c", script, HEDDLE, HEDDLE, "record", "-o", os.path.join(there, "trace"), "--", program], capture_output=True, text=True,
                          check=True, timeout=60, env=environment(PMI_SIZE="2", PMI_FD="0"))
    same(done.stderr.count("no further line says so"), 1, done.stderr)
    check_archive(os.path.join(there, "trace"), 2)


def test_a_rank_may_end_after_its_launcher():
    trace = os.path.join(directory(), "trace")
    done = heddle("record", "-o", trace, "--", "sh", "-c", f"(PMI_RANK=40 {build()}) & sleep 0.4; exit 3")
    same(done.status, 3, f"status: {done.err}")
    check(os.path.exists(archive(trace)), f"the archive is there: {done.err}")


def test_a_full_disk_costs_the_recording_and_not_the_job():
    with small_disk(16) as disk:
        with open(os.path.join(disk, "filler"), "wb") as filler, contextlib.suppress(OSError):
            for _ in range(16):
                filler.write(bytes(1024))
        trace, program = os.path.join(disk, "trace"), build()
        ended = [subprocess.run([HEDDLE, "record", "-o", trace, "--", program, "5"], env=environment(PMI_RANK=str(rank), PMI_SIZE="2", PMI_FD="0"),
                                capture_output=True, text=True, timeout=60) for rank in range(2)]
        same([done.returncode for done in ended], [0, 5], "statuses")
        for rank, done in enumerate(ended):
            check(f"rank {rank} is not recorded" in done.stderr, done.stderr)


@pytest.mark.parametrize("kind", ["mpich", "openmpi"])
def test_a_job_of_mpi_whose_disk_gets_full(kind):
    launcher, program, variables = mpi(kind)
    with small_disk(64) as disk:
        trace = os.path.join(disk, "trace")
        done = subprocess.run([*launcher, "-n", "2", HEDDLE, "record", "-o", trace, "--", program], env=variables, capture_output=True, text=True, timeout=60)
        same(done.returncode, 0, f"status: {done.stderr}")
        wait_for_archive(trace)
        check(os.path.exists(os.path.join(trace, "raw")), "what was recorded is kept")


@pytest.mark.parametrize("kind", ["none", "pmi2"])
def test_a_job_of_slurm_on_two_machines(kind):
    """pmi2: srun speaks to the ranks as MPICH's launcher does."""
    program = build(SLURM_SOURCE)
    os.chmod(os.path.dirname(program), 0o755)
    with machines() as variables:
        for end, status in ("", 0), ("exit", 5), ("kill-one", 137), ("kill-all", 137):
            trace = os.path.join(directory(), "trace")
            with tempfile.TemporaryFile("w+") as messages:
                done = subprocess.run(["srun", f"--mpi={kind}", "-N2", "-n4", HEDDLE, "record", "-o", trace, "--", program, end],
                                      env=dict(variables, OMP_WAIT_POLICY="passive"), stderr=messages, timeout=100, check=False)
                same(done.returncode, status, f"status with {end or 'nothing'}")
                same(counts(check_archive(trace, 4))["parallel"], 4, "regions of all ranks")
                one_closing_line(messages)
