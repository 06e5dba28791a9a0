"""
heddle record finds out what a program needs, sets it, and says beforehand what it can't record. Programs are built here, with gcc
and with the compiler of the other OpenMP programs, so that each is exactly one of the kinds.
"""
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

from harness import BUILD, HEDDLE, PROGRAMS, check, directory, heddle, program, record, run, same
from trace import Trace, check_well_formed, counts

GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
OMP_COMPILER = os.environ.get("HEDDLE_OMP_COMPILER", "clang-19")
REGIONS = 7

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  int members = 0;
  for (int i = 0; i < %d; i++)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members++;
  printf("members: %%d\\n", members);
  return 3;
}
""" % REGIONS


def build(name, *flags, compiler="gcc", source=SOURCE):
    """Builds a program of a few parallel regions; its exit status is 3."""
    path = os.path.join(directory(), name)
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    done = subprocess.run([compiler, "-x", "c", "-", "-g", "-o", path, *flags], input=source, text=True, capture_output=True)
    if done.returncode != 0:
        pytest.skip(f"{compiler} {' '.join(flags)} can't build here: {done.stderr[-200:]}")
    return path


def gomp_program():
    return build("on_gomp", "-fopenmp")


def omp_program():
    return build("on_omp", "-fopenmp", compiler=OMP_COMPILER)


def need_provider():
    if not os.path.exists(GOMP):
        pytest.skip("libheddle-gomp.so is not built")


def plan(*command, cwd=None, **settings):
    """What --dry-run prints: comments, variables, the command."""
    done = heddle("record", "--dry-run", *command, cwd=cwd, **settings)
    same((done.status, done.err), (0, ""), "status, stderr of --dry-run")
    lines = done.out.splitlines()
    comments = [l for l in lines if l.startswith("#")]
    variables = dict(l.split("=", 1) for l in lines[len(comments):-1])
    return comments, variables, lines[-1]


def regions(trace):
    check_well_formed(trace)
    return counts(trace)["parallel"]


@pytest.mark.parametrize("runtime", ["gomp", "omp"])
def test_what_a_dry_run_prints_does_the_same(runtime):
    command = gomp_program() if runtime == "gomp" else omp_program()
    if runtime == "gomp":
        need_provider()
    here = directory()
    done = heddle("record", "--dry-run", "-o", "t", "--", command, cwd=here)
    same(done.status, 0, "exit status of --dry-run")
    same(os.listdir(here), [], "what --dry-run leaves behind")
    check(any(f"lib{runtime}" in l for l in done.out.splitlines() if l.startswith("# library:")), done.out)
    ran = run(["bash", "-c", f"set -a\n{done.out}"], cwd=here)
    same((ran.status, ran.out), (3, f"members: {2 * REGIONS}\n"), "status, stdout")
    same(heddle("convert", os.path.join(here, "t")).status, 0, "heddle convert")
    same(regions(Trace(os.path.join(here, "t"))), REGIONS, "parallel regions")


def test_an_option_behind_the_program_is_pointed_out():
    """The program gets it in any case; `--` says that this is meant."""
    out = os.path.join(directory(), "out")
    for words, told in ((["/bin/echo", "--sample=cpu"], True), (["--", "/bin/echo", "--sample=cpu"], False), (["/bin/echo", "--sampled"], False)):
        done = heddle("record", "--off", "-o", out, *words)
        same((done.status, done.out), (0, words[-1] + "\n"), f"status and output of {words}")
        same(f"heddle record: {words[-1].split('=')[0]} stands behind the program" in done.err, told, f"{words}: {done.err!r}")


def test_a_program_of_gcc_is_recorded():
    need_provider()
    done = record([gomp_program()])
    same((done.status, done.out, done.own_err), (3, f"members: {2 * REGIONS}\n", ""), "status, stdout, stderr")
    same(len(done.tool_err), 1, "Heddle's lines")
    same(regions(Trace(done.trace)), REGIONS, "parallel regions")


def test_a_script_that_starts_all_kinds_is_one_archive():
    need_provider()
    classes = os.path.join(PROGRAMS, "jni")
    java = f"java -Djava.library.path={classes} -cp {classes} Mixed 1"
    if not shutil.which("java") or not os.path.exists(os.path.join(classes, "Mixed.class")):
        java = "true"
    script = os.path.join(directory(), "all.sh")
    with open(script, "w") as file:
        file.write(f"#!/usr/bin/env -S sh -e\n{gomp_program()} || true\n{omp_program()} || true\n{java}\n")
    os.chmod(script, 0o755)
    done = record([script], "--all-jvms")
    same(done.status, 0, "status")
    trace = Trace(done.trace)
    check_well_formed(trace)
    groups = {name.split("[")[0].strip() for name in trace.groups}
    same(groups, {"on_gomp", "on_omp"} | ({"Mixed"} if java != "true" else set()), "processes in the archive")


PLUGIN_HOST = SOURCE.replace("int main(void)\n{", """
#include <dlfcn.h>
int main(int n, char **v)
{
  void *plugin = dlopen(v[n - 1], RTLD_NOW);
  void (*work)(void) = plugin ? (void (*)(void))dlsym(plugin, "work") : NULL;
  if (!work)
    return 9;
  work();
""")
PLUGIN = """
#include <stdio.h>
void work(void)
{
  int members = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  members++;
  printf("plugin: %d\\n", members);
}
"""


@pytest.mark.parametrize("host", ["omp", "gomp", "none"])
def test_a_plugin_of_gcc_is_recorded_once(host):
    need_provider()
    plugin = build("plugin.so", "-fopenmp", "-shared", "-fPIC", source=PLUGIN)
    compiler, flags, own = {"omp": (OMP_COMPILER, ["-fopenmp"], REGIONS), "gomp": ("gcc", ["-fopenmp"], REGIONS),
                            "none": ("gcc", [], 0)}[host]
    command = [build("host", *flags, compiler=compiler, source=PLUGIN_HOST), plugin]
    plain, done = run(command), record(command)
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    check("plugin: 2" in done.out, f"the plugin did not work: {done.out}")
    same(regions(Trace(done.trace)), own + 1, "parallel regions")


# What stands against recording: how such a program is built, and what the one line says.
OBJECTIONS = {
    "static": (["-static"], "statically linked"),
    "static_gomp": (["-fopenmp", "-static"], "and contains libgomp"),
    "static_gomp_stripped": (["-fopenmp", "-static", "-s"], "and seems to contain libgomp"),
    "gomp_inside": (["-fopenmp", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"], "contains libgomp as a static library"),
    "gomp_inside_stripped": (["-fopenmp", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic", "-s"], "seems to contain libgomp as a static library"),
}


def holds_objection(command, words, same_as=None):
    """The program does what it does, and exactly two lines are said: why nothing can be recorded, and that nothing was."""
    plain, done = run(same_as or command), record(command)
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    same(len(done.tool_err), 2, f"lines that Heddle says: {done.tool_err}")
    check(words in done.tool_err[0], f"{done.tool_err[0]!r} does not say {words!r}")
    check("nothing was recorded" in done.tool_err[1], done.tool_err[1])
    check(not os.path.exists(done.trace), "a directory stays behind")
    comments, _, _ = plan(*command)
    check(any(l.startswith("# note:") and words in l for l in comments), f"--dry-run does not say it: {comments}")


@pytest.mark.parametrize("kind", list(OBJECTIONS))
def test_what_cannot_be_recorded_is_said_before(kind):
    flags, words = OBJECTIONS[kind]
    if "inside" in kind:  # the driver adds a shared libgomp behind everything, so it must not link
        archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True).stdout.strip()
        obj = build("p.o", "-fopenmp", "-c")
        path = os.path.join(directory(), "p")
        subprocess.run(["gcc", "-o", path, obj, archive, "-ldl", "-pthread"] + flags[4:], check=True)
    else:
        path = build("p", *flags)
    holds_objection([path], words)


def test_a_32_bit_program():
    source = "void _start(void) { __asm__(\"mov $1, %eax; mov $4, %ebx; int $0x80\"); }"
    path = build("p", "-m32", "-nostdlib", "-static", source=source)
    try:
        runs = run([path]).status == 4
    except OSError:  # the kernel refuses its format
        runs = False
    if not runs:
        pytest.skip("32-bit programs don't run here")
    holds_objection([path], "32-bit")
    same("LD_PRELOAD" in plan(path)[1], False, "whether something is preloaded that can't be")


def test_a_program_for_another_processor():
    path = build("p")
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", 21))  # e_machine: PowerPC
    done = record([path])
    check(done.status != 0, "it ran?")  # the kernel refuses it; then the shell has a try, as execvp(3) says
    check("another processor" in done.tool_err[0], done.tool_err[0])


def test_a_program_with_another_c_library():
    # The loader is asked for by another name; that is all that can be known of a C library beforehand.
    loader = os.path.join(directory(), "ld-musl-x86_64.so.1")
    system = re.search(r"interpreter: (.*)\]", subprocess.run(["readelf", "-l", "/bin/sh"], capture_output=True, text=True).stdout)
    os.symlink(system[1], loader)
    path = build("p", f"-Wl,--dynamic-linker={loader}")
    holds_objection([path], "another C library")
    same("LD_PRELOAD" in plan(path)[1], False, "whether something is preloaded that can't be")


def test_a_set_user_id_program():
    if os.geteuid() != 0:
        pytest.skip("only the super-user can give a file away")
    path = build("p")
    os.chmod(os.path.dirname(path), 0o755)
    os.chown(path, 65534, -1)
    os.chmod(path, 0o4755)
    holds_objection([path], "set-user-ID")


THREADS = """
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *p) { usleep(20000); return p; }
int joined(void) { pthread_t t; return pthread_create(&t, 0, sleeps, 0) || pthread_join(t, 0); }
#ifndef LIBRARY
int main(void) { return joined() ? 1 : 3; }
#endif
"""
OPENS = """
#include <dlfcn.h>
int main(void)
{
  void *library = dlopen("%s", RTLD_NOW);
  int (*joined)(void) = library ? (int (*)(void))dlsym(library, "joined") : 0;
  return !joined || joined() ? 1 : 3;
}
"""
WRAPPERS = {
    "env": ["env", "A=1", "PROGRAM"],
    "nice": ["nice", "-n", "1", "PROGRAM"],
    "taskset": ["taskset", "-c", "0", "PROGRAM"],
    "timeout": ["timeout", "60", "PROGRAM"],
    "sh": ["sh", "-c", "PROGRAM; exit $?"],
    "make": ["make", "-s", "-f", "MAKEFILE"],
    "xargs": ["xargs", "-a", "/dev/null", "PROGRAM"],
    "itself": ["PROGRAM"],
}


def joins(done):
    trace = Trace(done.trace)
    check_well_formed(trace)
    return sum(e.kind == "Enter" and e.region.name.startswith("pthread join") for e in trace.events())


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_threads_are_recorded_below_any_program(wrapper):
    if not shutil.which(WRAPPERS[wrapper][0]) and wrapper != "itself":
        pytest.skip(f"there is no {wrapper}")
    path = build("threads", "-pthread", source=THREADS)
    makefile = os.path.join(os.path.dirname(path), "makefile")
    with open(makefile, "w", encoding="ascii") as file:
        file.write(f"all:\n\t{path} || true\n")
    done = record([w.replace("PROGRAM", path).replace("MAKEFILE", makefile) for w in WRAPPERS[wrapper]])
    same((done.status, done.own_err), ({"make": 0, "xargs": 123}.get(wrapper, 3), ""), "status, stderr")
    same(joins(done), 1, "joins")


BINDS = """
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
int main(void)
{
  cpu_set_t all, one;
  volatile double x = 1;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all))
      CPU_SET(i, &one);
  if (!getenv("GOMP_CPU_AFFINITY") && sched_setaffinity(0, sizeof one, &one) != 0)
    return 1;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10000000; i++)
    x = x * 0.999 + 0.1;
  return 3;
}
"""


@pytest.mark.parametrize("who", ["program", "runtime"])
def test_processors_are_known_from_before_threads_are_bound(who):
    need_provider()
    usable = os.sched_getaffinity(0)
    done = record([build("binds", "-fopenmp", source=BINDS)], **({"GOMP_CPU_AFFINITY": str(min(usable))} if who == "runtime" else {}))
    same(done.status, 3, f"status: {done.err}")
    properties = list(Trace(done.trace).group_properties.values())
    same([p["HEDDLE::PROCESSORS"] for p in properties if "HEDDLE::PROCESSORS" in p], [str(len(usable))], "processors")


def test_threads_of_a_library_that_a_program_opens_are_recorded():
    library = build("threads.so", "-shared", "-fPIC", "-DLIBRARY", "-pthread", source=THREADS)
    done = record([build("opens", source=OPENS % library)])
    same((done.status, done.own_err, joins(done)), (3, "", 1), "status, stderr, joins")


def test_threads_beside_jemalloc_are_recorded():
    path = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    jemalloc = re.search(r"libjemalloc\.so\.2 .*x86-64.* => (\S+)", path)
    if not jemalloc:
        pytest.skip("there is no libjemalloc")
    done = record(["env", build("threads", "-pthread", source=THREADS)], LD_PRELOAD=jemalloc[1])
    same((done.status, done.own_err, joins(done)), (3, "", 1), "status, stderr, joins")


def test_threads_with_address_sanitizer_below_another_program_are_recorded():
    path = build("threads", "-pthread", "-fsanitize=address", source=THREADS)
    done = record(["sh", "-c", f"{path}; exit $?"])
    same((done.status, done.own_err, joins(done)), (3, "", 1), "status, stderr, joins")


def test_a_process_without_threads_leaves_nothing_below_any_program():
    done = record(["env", build("none", source="int main(void) { return 3; }")])
    same((done.status, done.own_err), (3, ""), "status, stderr")
    check("nothing was recorded" in done.tool_err[0], f"{done.tool_err}")


LASTS = """
#include <signal.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **arguments)
{
  struct timespec half = {.tv_nsec = 500000000};
#pragma omp parallel num_threads(2)
  (void)arguments;
  nanosleep(&half, 0);
  if (count > 1)
    raise(SIGKILL);
  _exit(3);
}
"""


@pytest.mark.parametrize("killed", [False, True])
def test_a_trace_ends_with_a_process_that_cannot_record_its_end(killed):
    need_provider()
    done = record([build("lasts", "-fopenmp", source=LASTS), *(["killed"] if killed else [])], "--no-switches")
    trace = Trace(done.trace)
    check_well_formed(trace)
    times = [e.time for e in trace.events()]
    joined = max(e.time for e in trace.events() if e.kind == "ThreadJoin")
    after = (max(times) - joined) / trace.ticks_per_second
    check(after >= 0.5, f"the trace ends {after} s after the region")


COUNTS_SIGNALS = """
import os, signal, sys
if sys.argv[1] == "apart":
    os.setpgid(0, 0)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1])
print(os.getpid(), flush=True)
while signal.sigwait([signal.SIGTERM, signal.SIGUSR1]) == signal.SIGTERM:
    print("SIGTERM", flush=True)
print("end")
"""


def has_not_handled(pid, number):
    """It is pending, or blocked as long as its handler runs."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in file if line.startswith(("SigPnd", "ShdPnd", "SigBlk")))


@pytest.mark.parametrize("program,to", [("beside", ["one"] * 3), ("beside", ["group", "one", "group", "group", "one"]), ("apart", ["group", "one", "group"])])
def test_a_program_has_each_signal_once(program, to):
    """`kill` and `timeout` signal a process and its group, which the program is in, too, or has left."""
    with subprocess.Popen([HEDDLE, "record", "-o", os.path.join(directory(), "trace"), "--", sys.executable, "-c", COUNTS_SIGNALS, program],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True) as recording:
        pid = int(recording.stdout.readline())
        for target in to:
            if target == "group" and program == "beside":
                os.kill(recording.pid, signal.SIGSTOP)  # what it passes on comes later, so it is not one with the group's
            (os.killpg if target == "group" else os.kill)(recording.pid, signal.SIGTERM)
            same(recording.stdout.readline(), "SIGTERM\n", "what the program has")
            os.kill(recording.pid, signal.SIGCONT)
            while has_not_handled(recording.pid, signal.SIGTERM):  # else the next one is one with it
                time.sleep(0.01)
        time.sleep(0.3)  # what comes twice comes soon
        os.kill(pid, signal.SIGUSR1)
        same(recording.stdout.read(), "end\n", "what it has besides")
        same(recording.wait(60), 0, "status")


def test_a_jvm_under_another_name_needs_all_jvms():
    if not shutil.which("javac"):
        pytest.skip("there is no JDK")
    done = record(["javac", "-version"])
    check("--all-jvms" in done.tool_err[0], f"{done.tool_err}")
    comments, variables, command = plan("--all-jvms", "javac", "-version")
    check("-agentpath:" in variables["JAVA_TOOL_OPTIONS"], variables)
    check(not any("# note:" in c for c in comments), f"{comments}")
    same(command, "javac -version", "the command")
    _, variables, command = plan("java", "-version")
    check(re.fullmatch(r"java '?-agentpath:\S+'? -version", command), command)
    check("JAVA_TOOL_OPTIONS" not in variables, "java is told twice")


def test_a_program_without_openmp_gets_a_note_at_the_end():
    path = build("p")
    done = record([path])
    same((done.status, done.out), (3, f"members: {REGIONS}\n"), "status, stdout")
    same(len(done.tool_err), 1, f"lines that Heddle says: {done.tool_err}")
    check("-fopenmp" in done.tool_err[0], done.tool_err[0])
    check(any("no OpenMP runtime found" in c for c in plan(path)[0]), "--dry-run says nothing of it")


def test_what_the_user_preloads_stays_first():
    need_provider()
    mine = build("mine.so", "-shared", "-fPIC", source="int mine;")
    source = '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv("LD_PRELOAD")); return 0; }'
    done = record([build("p", source=source)], LD_PRELOAD=mine)
    same(done.out.split(":")[0], mine, "the first library")
    check("/libheddle-gomp.so" in done.out and "/libheddle-pthread.so" in done.out, done.out)
    variables = plan("--no-preload", "true", LD_PRELOAD=mine)[1]
    same("LD_PRELOAD" in variables or "ASAN_OPTIONS" in variables, False, "--no-preload sets something")


def test_gcc_programs_with_address_sanitizer_run():
    need_provider()
    path = build("p", "-fopenmp", "-fsanitize=address")
    plain, done = run([path]), record([path])
    same((done.status, done.out, done.own_err), (plain.status, plain.out, plain.err), "status, stdout, stderr")
    same(regions(Trace(done.trace)), REGIONS, "parallel regions")


def test_the_converter_runs_as_the_users_programs_do():
    at = directory()
    converter = os.path.join(at, "converter")
    with open(converter, "w") as file:
        file.write(f"#!/bin/sh\nenv > {at}/env\n")
    os.chmod(converter, 0o755)
    record([program("lu"), "10"], "--converter", converter, HEDDLE_VERBOSE="0")
    with open(os.path.join(at, "env")) as file:
        names = {line.split("=")[0] for line in file}
    same(names & {"LD_PRELOAD", "OMP_TOOL_LIBRARIES", "HEDDLE_DIR", "ASAN_OPTIONS"}, set(), "settings of the recorder")


def test_a_damaged_program_is_run_all_the_same():
    path = build("p")
    size = os.path.getsize(path)
    for cut in (4, 60, 300, 900, size // 2):
        with contextlib.suppress(OSError):
            os.truncate(path, size)
        os.truncate(path, cut)
        plain, done = subprocess.run(["bash", "-c", path], capture_output=True).returncode, record([path])
        check(done.signal == 0 or plain > 128, f"cut at {cut}: heddle dies of signal {done.signal}")
        check(done.status != 0, f"cut at {cut}: status 0")
        same(heddle("record", "--dry-run", path).signal, 0, f"cut at {cut}: signal of --dry-run")


def test_names_are_words_for_a_shell():
    at = directory()
    strange = os.path.join(at, "it's a \x1b[31m\nprogram")
    shutil.copy("/bin/true", strange)
    done = heddle("record", "--dry-run", strange, "a b", "$HOME")
    same(done.status, 0, "status")
    check("\x1b" not in done.out, "a control character is printed")
    check(all(l.startswith("#") or "=" in l for l in done.out.splitlines()[:-1]), done.out)
    same(run(["bash", "-c", f"set -a\n{done.out}"], cwd=at).status, 0, "status of the command as printed")


@pytest.mark.parametrize("name", ["plain", "with space", "it's \"quoted\" $HOME `id`", "two\nlines", "-dash", "-o"])
def test_what_is_next_is_for_a_shell(name):
    at = directory()
    for options, result in ((), "Share"), (("--no-convert",), "converted"):
        done = heddle("record", "-f", f"--output={name}", *options, "--", program("lu"), "10", cwd=at)
        lines = [l for l in done.err.splitlines() if "; next: heddle " in l]
        same(len(lines), 1, f"lines with what is next: {done.err!r}")
        after = run(["bash", "-c", lines[0].split("; next: ")[1].replace("heddle ", f"{HEDDLE} ", 1)], cwd=at)
        same(after.status, 0, f"status of {lines[0]!r} ({after.err})")
        check(result in after.out or result == "converted" and os.path.exists(os.path.join(at, name, "traces.otf2")), after.out)


def test_a_program_that_is_not_there():
    done = heddle("record", "--dry-run", "./nosuch")
    same((done.status, len(done.tool_err)), (1, 1), "status, lines")
