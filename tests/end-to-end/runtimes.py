"""
Other versions of libomp, and code that we did not write. HEDDLE_OMP_DIRS holds directories with a libomp.so.5 each; they
must be named after the version (ci/omp-runtimes unpacks libomp 14 and 16 into .../14 and .../16).
"""
import glob
import os

import pytest

import harness
from harness import check, program, run, run_traced, same
from sequences import same_as_delivered
from trace import Trace, check_truth, check_well_formed, counts, read_by_otf2_print

VERSIONS = ["14", "16"]
# Version 14 lacks an entry that clang-19 calls for dynamic loops, so these have none. All are without any choice of the
# runtime: what a version delivers is the same in each run.
CONSTRUCTS = ["parallel", "parallel_serialized", "parallel_nested_serialized", "loop_static", "loop_nowait", "single",
              "single_copyprivate", "masked", "barrier", "critical", "lock", "nest_lock", "test_lock", "task", "taskwait",
              "taskgroup", "taskloop", "task_depend", "task_undeferred", "task_final", "task_detach", "task_in_barrier",
              "flush", "teams", "distribute"]
# What a version does not deliver: 14 no dispatch, both a test of a lock as if it were set.
UNKNOWN_TO = {"14": ["chunks", "iterations", "failed_tests"], "16": ["failed_tests"]}


def libomp(version):
    """Settings that run a program with another libomp."""
    for directory in os.environ.get("HEDDLE_OMP_DIRS", "").split(":"):
        if os.path.basename(os.path.normpath(directory)) == version:
            found = glob.glob(os.path.join(directory, "**", "libomp.so.5"), recursive=True)
            check(found, f"there is no libomp.so.5 below {directory}")
            # Links between packages may dangle where only one of them is unpacked.
            real = [f for f in found if os.path.exists(f)]
            return {"LD_LIBRARY_PATH": os.path.dirname(real[0])}
    pytest.skip(f"HEDDLE_OMP_DIRS has no libomp {version}; see ci/omp-runtimes")


def is_really(version, settings):
    """That the run used the version that it should: the trace says what the loader found."""
    done = run(["ldd", program("lu")], **settings)
    path = [line.split()[2] for line in done.out.splitlines() if "libomp.so.5" in line]
    check(path and path[0].startswith(settings["LD_LIBRARY_PATH"]), f"libomp {version} was not used: {path}")


@pytest.mark.parametrize("case", [f"{version}.{name}" for version in VERSIONS for name in CONSTRUCTS])
def test_records_are_the_callbacks_of_libomp(case):
    version, name = case.split(".")
    settings = libomp(version)
    is_really(version, settings)
    same_as_delivered(name, **settings)


@pytest.mark.parametrize("case", [f"{version}.{name}" for version in VERSIONS for name in
       ["constructs/" + c for c in CONSTRUCTS] + ["lu", "nqueens", "philosophers", "known_imbalance"]])
def test_archive_tells_the_truth_with_libomp(case):
    version, name = case.split(".")
    done = run_traced([program(name)], **libomp(version))
    same((done.status, done.tool_err), (0, []), "status, Heddle's lines")
    trace = Trace(done.trace)
    check_well_formed(trace)
    truths = {k: v for k, v in done.truths().items() if k not in UNKNOWN_TO[version]}
    check_truth(trace, truths)


def test_the_parallel_mode_of_libstdcxx_is_traced():
    """Code that we did not write: std::sort, std::accumulate and others on OpenMP, as GCC's headers have them."""
    if not os.path.exists(os.path.join(harness.PROGRAMS, "parallel_mode")):
        pytest.skip("there is no C++ compiler for libomp")
    done = run_traced([program("parallel_mode")])
    same((done.status, done.tool_err), (0, []), f"status ({done.out}), Heddle's lines")
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    n = counts(trace)
    check(n["parallel"] >= done.truths()["parallel_at_least"] and n["members"] >= 2 * n["parallel"] - 2, f"shows {n}")
    files = {os.path.basename(r.source_file or "") for r in trace.regions}
    check(any(f.endswith(".h") for f in files), f"no construct is in a header of the library: {files}")
