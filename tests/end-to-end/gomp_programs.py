"""
Programs from packages of the distribution that run on libgomp. With the provider they do what they do without it, and
the archive shows their threads and regions. Each gets a small input made here; what is not installed is skipped.
"""
import collections
import os
import re

import pytest

from analysis import adds_up
from harness import BUILD, TOOL, check, directory, heddle, run, same
from launch import build
from trace import Trace, check_well_formed, counts, read_by_otf2_print

GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
ARCHIVE_CHECK = os.path.join(BUILD, "tests", "end-to-end", "archive-check")
THREADS = 2

# - command: run in a directory of its own; `inputs` are written to it
# - prepare: commands run there first, untraced
# - results: files that must be the same byte for byte
# - figures: (pattern in the output, how far apart they may be)
# - regions, loops: at least so many parallel regions, or loops
Program = collections.namedtuple("Program", "command inputs prepare results figures regions loops")


def argon(side=8, spacing=0.42):
    """So many argon atoms on a grid, in GROMACS' fixed columns."""
    atoms = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]
    lines = [f"{n:5d}{'AR':<5}{'Ar':>5}{n:5d}" + "".join(f"{0.1 + c * spacing:8.3f}" for c in atom)
             for n, atom in enumerate(atoms, 1)]
    return "\n".join(["argon", str(len(atoms)), *lines, f"{side * spacing:10.5f}" * 3]) + "\n"


ARGON = """[ defaults ]
1 1 no 1.0 1.0
[ atomtypes ]
Ar 18 39.948 0.0 A 0.00622 9.697e-06
[ moleculetype ]
Argon 1
[ atoms ]
1 Ar 1 AR Ar 1 0.0 39.948
[ system ]
argon
[ molecules ]
Argon 512
"""
DYNAMICS = """integrator = md
nsteps = 40
cutoff-scheme = Verlet
rcoulomb = 0.9
rvdw = 0.9
gen_vel = yes
gen_temp = 100
gen_seed = 4711
nstenergy = 10
"""
WATER = """6
two molecules
O 0.000 0.000 0.000
H 0.757 0.586 0.000
H -0.757 0.586 0.000
O 0.000 2.900 0.300
H 0.757 3.486 0.300
H -0.757 3.486 0.300
"""
MATRICES = """import hashlib
import numpy
random = numpy.random.default_rng(1)
a, b = random.random((300, 300)), random.random((300, 300))
for result in (a @ b, numpy.linalg.solve(a, b)):
    print(hashlib.sha256(result.tobytes()).hexdigest())
"""

PROGRAMS = {
    # C. A picture of few rows is done by one thread.
    "imagemagick": Program(["/usr/bin/convert", "-size", "8x12000", "gradient:red-blue", "-swirl", "90", "-blur", "0x3",
                            "ppm:picture"], {}, [], ["picture"], [], 5, 5),
    # libgomp comes with a plug-in of Python's: dlopen, in a scope of its own.
    "numpy": Program(["/usr/bin/python3", "matrices.py"], {"matrices.py": MATRICES}, [], [], [(r"(?s).*", 0)], 3, 0),
    # Fortran.
    "xtb": Program(["/usr/bin/xtb", "water.xyz", "--gfn", "2", "--norestart"], {"water.xyz": WATER}, [], [],
                   [(r"TOTAL ENERGY\s+(\S+)", 1e-9), (r"HOMO-LUMO GAP\s+(\S+)", 1e-6)], 20, 10),
    # C++. -reprod: the same result every time.
    "gromacs": Program(["/usr/bin/gmx", "-quiet", "mdrun", "-s", "run.tpr", "-ntmpi", "1", "-ntomp", str(THREADS), "-reprod",
                        "-nb", "cpu", "-deffnm", "out"],
                       {"argon.gro": argon(), "argon.top": ARGON, "argon.mdp": DYNAMICS},
                       [["/usr/bin/gmx", "-quiet", "grompp", "-f", "argon.mdp", "-c", "argon.gro", "-p", "argon.top", "-o",
                         "run.tpr", "-maxwarn", "2"]], ["out.gro", "out.edr"], [], 41, 0),
}


def installed(name):
    path = PROGRAMS[name].command[0]
    if not os.path.exists(path):
        pytest.skip(f"{path} is not installed")
    if name == "numpy" and run([path, "-c", "import numpy"]).status != 0:
        pytest.skip("python3-numpy is not installed")
    if name == "numpy" and "openmp" not in os.path.realpath("/usr/lib/x86_64-linux-gnu/libblas.so.3"):
        pytest.skip("numpy does not use OpenBLAS' OpenMP build (libopenblas0-openmp)")


def prepared(name):
    """A directory with the program's input."""
    where = directory()
    for file, text in PROGRAMS[name].inputs.items():
        with open(os.path.join(where, file), "w") as out:
            out.write(text)
    for command in PROGRAMS[name].prepare:
        done = run(command, cwd=where)
        same(done.status, 0, f"{' '.join(command)}: {done.err[-500:]}")
    return where


def same_result(program, plain, plain_in, done, done_in, how):
    same(done.status, plain.status, f"exit status, {how}")
    for file in program.results:
        with open(os.path.join(plain_in, file), "rb") as a, open(os.path.join(done_in, file), "rb") as b:
            check(a.read() == b.read(), f"{file} differs, {how}")
    for pattern, apart in program.figures:
        a, b = (re.findall(pattern, d.out) for d in (plain, done))
        check(a, f"the output has no {pattern}")
        if apart:
            same(len(b), len(a), f"{pattern}, {how}")
            check(all(abs(float(x) - float(y)) <= apart for x, y in zip(a, b)), f"{pattern}: {a} without, {b} {how}")
        else:
            same(b, a, f"output, {how}")


def shown(name, trace):
    """What the archive must show of the program."""
    program = PROGRAMS[name]
    done = run([ARCHIVE_CHECK, os.path.join(trace, "traces.otf2")])
    same((done.status, done.err), (0, ""), "archive-check")
    read_by_otf2_print(trace)
    adds_up(trace)
    shown = Trace(trace)
    check_well_formed(shown)
    same(len([l for l in shown.locations if l.name.startswith("OpenMP")]), THREADS, "OpenMP threads")
    n = counts(shown)
    check(n["parallel"] >= program.regions, f"{n['parallel']} parallel regions, at least {program.regions} expected")
    check(n["loops"] >= program.loops, f"{n['loops']} loops, at least {program.loops} expected")
    check(n["parallel"] < n["members"] <= THREADS * n["parallel"], f"{n['members']} members of {n['parallel']} teams")


def compared(name, how, traced):
    installed(name)
    program = PROGRAMS[name]
    plain_in, done_in = prepared(name), prepared(name)
    plain = run(program.command, cwd=plain_in, OMP_NUM_THREADS=str(THREADS))
    trace = os.path.join(directory(), "run.heddle")
    done = traced(program.command, done_in, trace)
    same_result(program, plain, plain_in, done, done_in, how)
    shown(name, trace)


@pytest.mark.parametrize("name", PROGRAMS)
def test_does_the_same_under_record(name):
    compared(name, "under record", lambda command, where, trace: heddle(
        "record", "-o", trace, "--", *command, cwd=where, OMP_NUM_THREADS=str(THREADS)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_does_the_same_with_two_variables(name):
    preload = ":".join(filter(None, [os.environ.get("HEDDLE_TEST_PRELOAD"), GOMP]))
    compared(name, "with LD_PRELOAD and OMP_TOOL_LIBRARIES", lambda command, where, trace: run(
        command, cwd=where, OMP_NUM_THREADS=str(THREADS), LD_PRELOAD=preload, OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=trace))


TASKS_OUTSIDE = """
#include <stdio.h>
int main(void)
{
  int done = 0;
#pragma omp task shared(done)
  done++;
#pragma omp taskloop shared(done)
  for (int i = 0; i < 10; i++)
    done++;
  printf("%d\\n", done);
}
"""


def test_tasks_outside_of_all_regions_where_cancellation_is_on():
    preload = ":".join(filter(None, [os.environ.get("HEDDLE_TEST_PRELOAD"), GOMP]))
    done = run([build("outside", "-fopenmp", source=TASKS_OUTSIDE)], OMP_CANCELLATION="true", LD_PRELOAD=preload,
               OMP_TOOL_LIBRARIES=TOOL, HEDDLE_DIR=os.path.join(directory(), "run.heddle"), HEDDLE_CONVERT="0")
    same((done.status, done.out), (0, "11\n"), "status and output")
