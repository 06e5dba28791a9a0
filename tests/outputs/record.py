#!/usr/bin/python3
"""
How each archive in archives/ was made: RECIPES has a line an archive. By hand, `record.py NAME...` (or --all) makes it anew, with
the tool and the converter of HEDDLE_BUILD. Each recording is different, so run.py --update NAME belongs to it.

Programs are compiled from a copy of the sources in WORK and run there, under the host name `heddle` and without the caller's
environment. So nothing of this machine stands in an archive; an archive with such a thing is refused. Needs root (unshare
-u).

`record.py --release` records the archives of a release, in releases/VERSION, once: they are kept as they are, and releases.py opens them.
"""
import contextlib
import getpass
import glob
import io
import lzma
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile

import others

SOURCE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SOURCE))
BUILD = os.path.abspath(os.environ.get("HEDDLE_BUILD", os.path.join(ROOT, "build")))
ARCHIVES, RELEASES = os.path.join(SOURCE, "archives"), os.path.join(SOURCE, "releases")
WORK = "/tmp/heddle-outputs"
HEDDLE = f"{WORK}/heddle/bin/heddle"
AGENT = f"{WORK}/heddle/lib/libheddle-jvmti.so"
MOST = 60 * 1024  # bytes of a packed archive
JDK17, JDK25 = "/usr/lib/jvm/java-17-openjdk-amd64", "/usr/lib/jvm/temurin-25-jdk-amd64"
CLANG, GCC, GFORTRAN = "clang-19", "gcc", "gfortran"
FLAGS = ["-g", "-O2", f"-I{WORK}"]


def call(command, env=None, may_fail=False, **more):
    """Runs a command in WORK under a neutral host name, with nothing in its environment but what is given."""
    named = ["unshare", "-u", "sh", "-c", 'hostname heddle && exec "$@"', "-", *map(str, command)]
    done = subprocess.run(named, cwd=WORK, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **(env or {})}, capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, check=False, **more)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done


def built(compiler, source, name=None, flags=("-fopenmp",), more=()):
    """A program (or, of clang, a library) made of tests/programs/SOURCE; where it is, in WORK."""
    name = name or os.path.splitext(os.path.basename(source))[0]
    at = "libomp" if compiler == CLANG else "libgomp"
    os.makedirs(f"{WORK}/{at}", exist_ok=True)
    math = [] if compiler == GFORTRAN else ["-lm", "-ldl"]
    call([compiler, *flags, *FLAGS, f"tests/programs/{source}", "-o", f"{at}/{name}", *more, *math])
    return f"{at}/{name}"


def recorded(trace, command, options=(), env=None):
    call([HEDDLE, "record", "-f", "-o", trace, *options, "--", *command], {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", **(env or {})}, may_fail=True)


def run(compiler, source, *arguments, options="", before="", flags=("-fopenmp",), **env):
    """Compiles a program and records it."""
    def make(trace):
        gomp = ["-std=gnu11", "-D_GNU_SOURCE"] if source.endswith(".c") else ["-Itests/programs/fortran"]
        program = built(compiler, source, flags=[*flags, *gomp])
        recorded(trace, [*before.split(), f"./{program}", *arguments], options.split(), env)
    return make


def omp(source, *arguments, **settings):
    return run(CLANG, source, *arguments, **settings)


def gomp(source, *arguments, **settings):
    return run(GCC, source, *arguments, **settings)


def fortran(source, *arguments, **settings):
    return run(GFORTRAN, f"fortran/{source}", *arguments, **settings)


def compiled(folder, jdk, release, classpath=()):
    """The classes of tests/programs/FOLDER, in WORK/java/FOLDER."""
    os.makedirs(f"{WORK}/java/{folder}", exist_ok=True)
    sources = glob.glob(f"{WORK}/tests/programs/{folder}/**/*.java", recursive=True)
    call([f"{jdk}/bin/javac", "--release", release, "-Xlint:-options", "-g", *classpath, "-d", f"java/{folder}", *sources])
    return f"java/{folder}"


def java(folder, *arguments, jdk=JDK17, release="17", flags=(), options="", **env):
    """Compiles the programs of a folder and records one of them."""
    def make(trace):
        classes = compiled(folder, jdk, release)
        recorded(trace, [f"{jdk}/bin/java", "-Xint", "-XX:+UseSerialGC", *flags, "-cp", classes, *arguments], options.split(), env)
    return make


def mixed(trace):
    """A JVM whose native code uses OpenMP."""
    classes = compiled("jni", JDK17, "17")
    jni = [f"-isystem{JDK17}/include", f"-isystem{JDK17}/include/linux"]
    library = built(CLANG, "jni/mixed.c", "libmixed.so", ["-fopenmp", "-fPIC", "-shared", *jni])
    recorded(trace, [f"{JDK17}/bin/java", "-Xint", f"-Djava.library.path={os.path.dirname(library)}", "-cp", classes, "Mixed", "10"])


def user_events(compiler, source, way):
    def make(trace):
        recorded(trace, [f"./{built(compiler, source, 'events', ['-fopenmp', '-std=gnu11', '-D_GNU_SOURCE'], ['heddle/lib/libheddle-user.a'])}", way])
    return make


def java_user_events(trace):
    jar = "heddle/share/java/heddle.jar"
    classes = compiled("user", JDK17, "17", ["-cp", jar])
    recorded(trace, [f"{JDK17}/bin/java", "-Xint", "-cp", f"{classes}:{jar}", "Events", "sequence"])


def plug_ins(trace):
    """Two plug-ins that take each other's place, without the preloaded library that would distinguish them."""
    flags = ["-fopenmp", "-std=gnu11", "-D_GNU_SOURCE"]
    libraries = [built(CLANG, "plugins/plugin.c", f"{name}.so", [*flags, "-shared", "-fPIC", f"-DPLUGIN_LINE={line}", f'-DPLUGIN_FILE="{name}.c"'])
                 for name, line in (("one", 100), ("two", 200))]
    host = built(CLANG, "plugins/host.c", flags=flags)
    recorded(trace, [f"./{host}", "turns", "3", *libraries], ["--no-preload"])


def script(text, *programs, **env):
    """A shell script that starts several programs."""
    def make(trace):
        for program in programs:
            built(CLANG, program, flags=["-fopenmp", "-std=gnu11", "-D_GNU_SOURCE"])
        recorded(trace, ["/bin/sh", "-c", text], env=env)
    return make


def of(name, change):
    """An archive that is here already, changed."""
    def make(trace):
        with tarfile.open(os.path.join(ARCHIVES, f"{name}.tar.xz")) as tar:
            tar.extractall(f"{WORK}/unpacked")
        shutil.move(f"{WORK}/unpacked/{name}", f"{WORK}/{trace}")
        change(f"{WORK}/{trace}")
    return make


def written(write):
    """What python3-otf2 writes, as another tool would."""
    return lambda trace: write(f"{WORK}/{trace}")


RECIPES = {
    # On libomp: loops.
    "lu-16": omp("lu.c", "16"),
    "lu-24": omp("lu.c", "24"),
    "lu-32": omp("lu.c", "32"),
    "imbalanced": omp("imbalanced.c", "200", "2", OMP_NUM_THREADS="4"),
    "mploop": omp("mploop.c", OMP_NUM_THREADS="4"),
    "loop-dynamic": omp("schedules.c", "triangular", "sleep", "3", "60", "100", OMP_SCHEDULE="dynamic,2", OMP_NUM_THREADS="3"),
    "loop-guided": omp("schedules.c", "random", "sleep", "3", "80", "100", OMP_SCHEDULE="guided,2", OMP_NUM_THREADS="4"),
    "loop-static-chunk": omp("schedules.c", "constant", "sleep", "2", "40", "50", OMP_SCHEDULE="static,3"),
    "loop-ordered": omp("constructs/loop_ordered.c"),
    "doacross": omp("chain.c", OMP_NUM_THREADS="3"),
    # Other constructs.
    "sections": omp("constructs/sections_many.c", OMP_NUM_THREADS="3"),
    "reduction-tree": omp("constructs/reduction.c", KMP_FORCE_REDUCTION="tree", OMP_NUM_THREADS="4"),
    "nested": omp("nested_4x4.c"),
    "tasks": omp("nqueens.c", "6", OMP_NUM_THREADS="4"),
    "taskloop": omp("constructs/taskloop.c", OMP_NUM_THREADS="3"),
    "taskgroup": omp("constructs/taskgroup.c"),
    "task-depend": omp("constructs/task_depend.c"),
    "philosophers": omp("philosophers.c", "4", "15"),
    "waits": omp("waits.c"),
    "nest-lock": omp("constructs/nest_lock.c", OMP_NUM_THREADS="3"),
    "cancel": omp("constructs/cancel_for_dynamic.c", OMP_CANCELLATION="true"),
    # Circumstances.
    "one-thread": omp("lu.c", "12", OMP_NUM_THREADS="1"),
    "threads-64": omp("lu.c", "6", OMP_NUM_THREADS="64"),
    "oversubscribed": omp("jacobi.c", before="taskset -c 0", OMP_NUM_THREADS="4", OMP_WAIT_POLICY="active"),
    "roots": omp("roots.c", "12", "4"),
    "max-rate": omp("storms.c", "mixed", "300", HEDDLE_BUDGET="1/20", HEDDLE_SEED="1"),
    "profile": omp("imbalanced.c", "500", "3", options="--profile"),
    "paused": omp("paused_tasks.c", options="--paused"),
    "pauses": omp("constructs/control_tool.c"),
    "ring": omp("lu.c", "400", options="--ring 64K --window 16K"),
    "max-size": omp("outlasts.c", options="--max-size 64K --window 16K"),
    "killed": omp("endings.c", "sigkill"),
    "forks": omp("processes.c", "fork"),
    "script": script("./libomp/endings exit; ./libomp/lu 10 & ./libomp/philosophers 2 5; wait; exit 4", "endings.c", "lu.c", "philosophers.c"),
    "plug-ins": plug_ins,
    "samples": omp("shares.c", "10", options="--sample=1ms --stack fp"),
    "user-events": user_events(CLANG, "user/events.c", "sequence"),
    # On libgomp.
    "gomp-lu": gomp("lu.c", "20", OMP_NUM_THREADS="3"),
    "gomp-tasks": gomp("nqueens.c", "5", OMP_NUM_THREADS="3"),
    "gomp-doacross": gomp("chain.c", OMP_NUM_THREADS="3"),
    "gomp-locks": gomp("philosophers.c", "3", "15"),
    "fortran": fortran("loops.f90"),
    # Java.
    "java-philosophers": java("java", "Philosophers", "4", "5", options="--java owner=on,stack=3"),
    "java-waits": java("java", "Waits", "2"),
    "java-holds": java("java", "Holds", "2", "4", options="--java owner=on"),
    "java-virtual": java("java", "Many", "virtual", "60", jdk=JDK25),
    "java-gc": java("java", "Many", "collections", "5"),
    "java-pool": java("forkjoin", "Forks", flags=["-Djava.util.concurrent.ForkJoinPool.common.parallelism=3"]),
    "jomp": java("jomp", "LU", "12", release="8", flags=["-Djomp.threads=3"]),
    "java-openmp": mixed,
    "java-user-events": java_user_events,
    # These come from no program.
    "empty": written(others.nothing),
    "other-tool": written(others.threads_and_counters),
    "thinned": written(others.thinned),
    "truncated": of("lu-16", others.truncate_events),
    "damaged": of("philosophers", others.damage_events),
    "without-events": of("lu-16", others.lose_events),
    "no-definitions": of("lu-16", others.damage_definitions),
}


def asked(compiler, source, *launcher, options="", flags=("-fopenmp",)):
    """A program with one known reason, of tests/questions."""
    def make(trace):
        program = built(compiler, f"../questions/{source}", flags=flags)
        recorded(trace, [*launcher, f"./{program}"], options.split())
    return make


def one_lock(trace):
    call([f"{JDK17}/bin/javac", "-g", "-d", ".", "tests/questions/OneLock.java"])
    recorded(trace, [f"{JDK17}/bin/java", "-XX:+UseSerialGC", "OneLock"])


# What each release records anew: a kind of program each.
RELEASE = {
    "libomp": asked(CLANG, "one_big_task.c"),
    "libgomp": asked(GCC, "triangle.c"),
    "threads": asked("g++", "std_mutex.cpp", options="--sample", flags=["-pthread"]),
    "java": one_lock,
    "ranks": asked(GCC, "triangle.c", "mpiexec", "--allow-run-as-root", "--bind-to", "none", "-n", "2"),
}


def prepare():
    """Sources and Heddle itself, in WORK."""
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in ("programs", "questions", "soak"):
        shutil.copytree(os.path.join(ROOT, "tests", folder), f"{WORK}/tests/{folder}")
    shutil.copytree(os.path.join(ROOT, "user-events"), f"{WORK}/user-events")
    for folder in ("bin", "lib", "share"):
        shutil.copytree(os.path.join(BUILD, folder), f"{WORK}/heddle/{folder}")


def packed(name):
    """The archive as a tar file that is the same for the same archive, whenever it is packed. topology.xml is for the converter."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(path for part in ("traces*", "traces/*", "samples*", "samples/*") for path in glob.glob(f"{WORK}/{name}/{part}")):
            info = tar.gettarinfo(path, arcname=os.path.relpath(path, WORK))
            info.mtime, info.uid, info.gid, info.uname, info.gname = 0, 0, 0, "", ""
            info.mode = 0o755 if info.isdir() else 0o644
            with open(path, "rb") if info.isreg() else contextlib.nullcontext() as file:
                tar.addfile(info, file)
    return raw.getvalue()


def betrays(name):
    """What of this machine stands in an archive's definitions; events have no text."""
    data = b""
    for path in glob.glob(f"{WORK}/{name}/traces.*") + glob.glob(f"{WORK}/{name}/samples.*"):
        with open(path, "rb") as file:
            data += file.read()
    roots = [f"/{path.split('/')[1]}/" for path in (ROOT, os.path.expanduser("~"))]
    paths = [path for path in (ROOT, BUILD, "/home/", *roots) if path.encode() in data]
    names = [name for name in (socket.gethostname(), getpass.getuser(), os.environ.get("SUDO_USER"))
             if name and re.search(rb"(?<![\w.])%b(?![\w.])" % re.escape(name.encode()), data)]
    return paths + names


def make(name, recipe, folder):
    shutil.rmtree(f"{WORK}/{name}", ignore_errors=True)
    os.makedirs(f"{WORK}/unpacked", exist_ok=True)
    recipe(name)
    data = packed(name)
    found = betrays(name)
    if found or not data.strip(b"\0"):
        sys.exit(f"{name}: {found or 'no archive'}")
    small = lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)
    print(f"{name:24} {len(data):9} bytes, packed {len(small):6}", "TOO LARGE" if len(small) > MOST else "", flush=True)
    with open(os.path.join(folder, f"{name}.tar.xz"), "wb") as file:
        file.write(small)


def make_release():
    with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
        folder = os.path.join(RELEASES, file.read().strip())
    if os.path.exists(folder):
        sys.exit(f"{folder} is there: archives of a release stay as they are")
    prepare()
    os.makedirs(folder)
    for name, recipe in RELEASE.items():
        make(name, recipe, folder)


def main():
    if sys.argv[1:] == ["--release"]:
        return make_release()
    names = list(RECIPES) if sys.argv[1:] == ["--all"] else sys.argv[1:]
    unknown = [name for name in names if name not in RECIPES]
    if unknown or not names:
        sys.exit(f"Usage: record.py --all | --release | NAME...; names: {' '.join(RECIPES)}")
    prepare()
    for name in names:
        make(name, RECIPES[name], ARCHIVES)
    return None


if __name__ == "__main__":
    main()
