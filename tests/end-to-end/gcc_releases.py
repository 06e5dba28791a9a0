"""
Other versions of gcc and of its libgomp. HEDDLE_GCC_DIRS has directories named after the version, as ci/gcc-releases makes them: the
compiler proper, its headers, its libgomp, and the C library for both. The machine's own tools assemble and link. A program finds its
libraries by its interpreter and its run path, so that no other program is concerned.

gcc 17 is tested if it is there: ci/gcc-releases fetches it by name alone.
"""
import os
import subprocess

import pytest

from fortran import in_one_of, places, regions
from gomp import LIBGOMP
from gomp_results import HAVE_STATIC_LOOPS, NEVER_SEEN, STATIC_LOOPS, UNSEEN
from gomp_tools import exports, symbols_def
from harness import SOURCE, check, directory, once, record, run, run_traced, same
from trace import Trace, check_truth, check_well_formed, read_by_otf2_print

ROOT = os.path.realpath(os.path.join(SOURCE, "..", ".."))
VERSIONS = ["13", "14", "15", "16"]
PROGRAMS = ["constructs/" + name for name in (
    "barrier", "cancel_for_dynamic", "critical", "distribute", "loop_doacross", "loop_dynamic", "loop_guided", "loop_ordered",
    "loop_runtime", "loop_static", "loop_static_chunk", "masked", "nest_lock", "parallel", "parallel_nested", "reduction", "sections",
    "single", "single_copyprivate", "task", "task_depend", "task_detach", "taskgroup", "taskloop", "taskwait", "teams", "atomic")
] + ["gomp/" + name for name in ("doacross_levels", "loop_ull", "scope", "task_reduction", "taskloop_ull")]

STATIC_TOO = ["constructs/" + name for name in ("cancel_for", "loop_auto", "loop_nowait", "loop_wide", "loop_zero")]
# From -O1 on one call serves all masked constructs of a function that ask for the same thread.
UNSEEN_BY_17 = {"-O2.constructs/masked": ["masked"]}


def unpacked(version):
    for path in filter(None, os.environ.get("HEDDLE_GCC_DIRS", "").split(":")):
        if os.path.basename(os.path.normpath(path)) == version:
            return path
    pytest.skip(f"HEDDLE_GCC_DIRS has no gcc {version}; see ci/gcc-releases")


def quietly(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(command)}: {done.stderr}")


@once
def compiled(source, version, runtime, *options):
    """Compiles by one version ("12": the machine's), for the libgomp of another one."""
    below, of = unpacked(runtime), os.path.join(SOURCE, "..", "programs", source + ".c")
    path = os.path.join(directory(), os.path.basename(source))
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-I" + ROOT, "-fopenmp", "-g", "-fPIE", *options]
    if version == "12":
        quietly(["gcc", *flags, "-S", of, "-o", path + ".s"])
    else:
        compiler = os.path.realpath(unpacked(version))
        libraries = os.path.join(compiler, "lib")
        quietly([os.path.join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries, os.path.join(compiler, "cc1"), "-quiet", *flags,
                 "-isystem", os.path.join(compiler, "include"), "-isystem", "/usr/include/x86_64-linux-gnu", "-isystem", "/usr/include", of,
                 "-o", path + ".s"])
    places = [os.path.join(os.path.realpath(below), name) for name in ("libgomp", "lib")]
    quietly(["gcc", path + ".s", "-o", path, os.path.join(places[0], "libgomp.so.1"), "-Wl,--allow-shlib-undefined",
             "-Wl,-rpath," + ":".join(places), f"-Wl,--dynamic-linker,{places[1]}/ld-linux-x86-64.so.2", "-lm"])
    return path


def shows_the_truth(path, source, unseen, runner=run_traced):
    settings = {"OMP_CANCELLATION": "true"}
    plain, done = run([path], **settings), runner([path], **(settings if runner is record else LIBGOMP))
    same((done.status, done.truths()), (plain.status, plain.truths()), f"status, truths ({done.out}{done.err})")
    check("result: right" in done.out, done.out)
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    check_truth(trace, {k: v for k, v in done.truths().items() if k not in unseen})
    return trace


def unseen_before_17(source):
    name = os.path.basename(source)
    return NEVER_SEEN + UNSEEN.get(name, []) + (STATIC_LOOPS if name in HAVE_STATIC_LOOPS else [])


@pytest.mark.parametrize("case", [f"{version}.{source}" for version in VERSIONS for source in PROGRAMS])
def test_archive_shows_what_a_program_did(case):
    version, source = case.split(".")
    shows_the_truth(compiled(source, version, version, "-O2"), source, unseen_before_17(source))


@pytest.mark.parametrize("case", [f"{version}.{source}" for version in ("14", "16", "17") for source in PROGRAMS])
def test_programs_of_gcc_12_run_on_newer_runtimes(case):
    """Debian's releases have one libgomp each: of the newest gcc."""
    version, source = case.split(".")
    shows_the_truth(compiled(source, "12", version, "-O2"), source, unseen_before_17(source))


@pytest.mark.parametrize("case", [f"{level}.{source}" for level in ("-O0", "-O2") for source in PROGRAMS + STATIC_TOO])
def test_gcc_17_shows_static_loops_and_masked_regions(case):
    """With -fopenmp-ompt=extended."""
    level, source = case.split(".")
    shows_the_truth(compiled(source, "17", "17", level, "-fopenmp-ompt=extended"), source, UNSEEN_BY_17.get(case, []))


@pytest.mark.parametrize("case", [f"{option}.{source}" for option in ("", "-fopenmp-ompt") for source in PROGRAMS])
def test_gcc_17_shows_what_others_show(case):
    option, source = case.split(".")
    shows_the_truth(compiled(source, "17", "17", "-O2", *filter(None, [option])), source, unseen_before_17(source))


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_gcc_17_shows_each_static_loop_at_its_line(level):
    trace = shows_the_truth(compiled("gomp/lines", "17", "17", level, "-fopenmp-ompt=extended"), "gomp/lines", [])
    extents = places("gomp/lines.c")["for"]
    found = [in_one_of(region.begin_line_number, extents) for region in regions(trace, "for")]
    same(sorted(extent[-1] for extent in found if extent), sorted(extents), "loops by line")


@pytest.mark.parametrize("version", ["14", "16", "17"])
def test_every_entry_point_of_libgomp_is_known(version):
    entries = {s for s in exports(os.path.join(unpacked(version), "libgomp", "libgomp.so.1")) if s.startswith("GOMP_")}
    same(sorted(s for s in entries - set(symbols_def()) if not s.startswith("GOMP_PLUGIN_")), [], "entries that symbols.def lacks")


@pytest.mark.parametrize("version", VERSIONS + ["17"])
def test_heddle_record_finds_all(version):
    shows_the_truth(compiled("constructs/taskloop", version, version, "-O2"), "constructs/taskloop", NEVER_SEEN, record)
