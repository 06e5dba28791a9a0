"""
The provider, compiled with AddressSanitizer and UndefinedBehaviorSanitizer, under the programs that gcc and gfortran compiled. The
sanitizers have nothing to say, and the results are right.
"""
import os
import re
import shutil

from gomp import CONSTRUCTS, FORTRAN, OF_GCC, built
from harness import CALLBACK_LOG, check, directory, run

SANITIZED = os.path.join(os.path.dirname(CALLBACK_LOG), "libheddle-gomp-sanitized.so")
LARGE = ["gomp/task_many"]


def run_time_libraries():
    """The sanitizers' own; AddressSanitizer's must be the first that a program loads."""
    return re.findall(r"lib(?:asan|ubsan)\.so\.\d+ => (\S+)", run(["ldd", SANITIZED]).out)


def test_sanitizers_find_nothing():
    libraries = sorted(run_time_libraries())
    check(len(libraries) == 2, f"{SANITIZED} needs {libraries}")
    for name in CONSTRUCTS + [n for n in OF_GCC if n not in LARGE] + FORTRAN + ["gomp/inline", "gomp/inline-strange"]:
        log = directory()
        # Leaks are what the programs' libraries leave at exit; blocks that the provider keeps for later tasks are there, too.
        done = run([built(name)], cwd=log, LD_PRELOAD=":".join([*libraries, SANITIZED]), OMP_TOOL_LIBRARIES=CALLBACK_LOG, CALLBACK_LOG=log,
                   OMP_CANCELLATION="true", ASAN_OPTIONS="detect_leaks=0", UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1")
        logs = [f for f in os.listdir(log) if f.endswith(".txt")]
        check(done.status == 0 and "result: right" in done.out and not re.search("Sanitizer|runtime error", done.err),
              f"{name}: status {done.status}, {done.out[-200:]} {done.err[:2000]}")
        check(logs, f"{name}: the tool was not told of anything")
        shutil.rmtree(log)
