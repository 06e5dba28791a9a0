"""
Newer versions of clang on the libomp of their release. HEDDLE_CLANG_DIRS has directories clang-VERSION, as ci/clang-releases makes them: the
compiler, its headers, libomp, and the C library for all. The machine's own tools link. A program finds its libraries by its interpreter and
its run path, so that no other program is concerned.
"""
import os

import pytest

from gcc_releases import quietly
from harness import SOURCE, check, directory, once, record, run, run_traced, same
from programs import ARGUMENTS, CONSTRUCTS, KERNELS
from trace import Trace, check_truth, check_well_formed, read_by_otf2_print

ROOT = os.path.realpath(os.path.join(SOURCE, "..", ".."))
VERSIONS = ["22"]


def unpacked(version):
    for path in filter(None, os.environ.get("HEDDLE_CLANG_DIRS", "").split(":")):
        if os.path.basename(os.path.normpath(path)) == f"clang-{version}":
            return path
    pytest.skip(f"HEDDLE_CLANG_DIRS has no clang {version}; see ci/clang-releases")


@once
def compiled(source, version, *options):
    compiler, libomp, libraries = (os.path.realpath(os.path.join(unpacked(version), name)) for name in ("clang", "libomp", "lib"))
    loader, path = os.path.join(libraries, "ld-linux-x86-64.so.2"), os.path.join(directory(), os.path.basename(source))
    quietly([loader, "--library-path", libraries, compiler, "-resource-dir", os.path.realpath(os.path.join(unpacked(version), "resource")),
             "-std=gnu11", "-D_GNU_SOURCE", "-I" + ROOT, "-fopenmp", "-g", "-O2", "-fPIE", *options, "-c",
             os.path.join(SOURCE, "..", "programs", source + ".c"), "-o", path + ".o"])
    quietly(["gcc", path + ".o", "-o", path, os.path.join(libomp, "libomp.so.5"), "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,{libomp}:{libraries}",
             f"-Wl,--dynamic-linker,{loader}", "-lm"])
    return path


def shows_the_truth(path, source, runner=run_traced):
    command, settings = [path, *ARGUMENTS.get(source, [])], {"OMP_CANCELLATION": "true"}
    plain, done = run(command, **settings), runner(command, **settings)
    same((done.status, done.truths()), (plain.status, plain.truths()), f"status, truths ({done.out}{done.err})")
    check("result: right" in done.out, done.out)
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    check_truth(trace, done.truths())


@pytest.mark.parametrize("case", [f"{version}.{source}" for version in VERSIONS for source in CONSTRUCTS + KERNELS])
def test_archive_shows_what_a_program_did(case):
    version, source = case.split(".")
    shows_the_truth(compiled(source, version), source)


@pytest.mark.parametrize("version", VERSIONS)
def test_heddle_record_finds_all(version):
    shows_the_truth(compiled("constructs/taskloop", version), "constructs/taskloop", record)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_program_runs_on_the_unpacked_runtime(version):
    """Its loader says which libraries it takes."""
    path = compiled("constructs/parallel", version)
    said = run([os.path.join(unpacked(version), "lib", "ld-linux-x86-64.so.2"), "--list", path]).out
    for name in "libomp.so.5", "libc.so.6":
        found, = [line.split()[2] for line in said.splitlines() if line.split()[0] == name]
        check(os.path.realpath(found).startswith(os.path.dirname(os.path.realpath(unpacked(version)))), f"{name} is {found}")
