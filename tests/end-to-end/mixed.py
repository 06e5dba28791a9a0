"""Java and OpenMP in one process: both are recorded, into one raw trace and one archive."""
import os

from harness import PROGRAMS, check, directory, heddle, process_directories, record, run, same
from trace import Role, Trace, check_well_formed

CLASSES = os.path.join(PROGRAMS, "jni")
REGIONS = 20
COMMAND = ["java", f"-Djava.library.path={CLASSES}", "-cp", CLASSES, "Mixed", str(REGIONS)]


def told(done):
    """What the program says of itself, but how often its threads waited: that is another number in each run."""
    return [line for line in done.out.splitlines() if not line.startswith("truth: waits_")]


def both(done):
    """Every region, iteration and wait is there, on the threads of Java that asked for them."""
    trace = Trace(done.trace)
    check_well_formed(trace)
    same(len(trace.groups), 1, "processes in the archive")
    players = [l for l in trace.locations if l.name in ("player 0", "player 1")]
    same(len(players), 2, "threads of Java by their names")
    for number, player in enumerate(sorted(players, key=lambda l: l.name)):
        regions = [r for r, _, _ in trace.spans(player, Role.PARALLEL)]
        same(len(regions), REGIONS, f"parallel regions of {player.name}")
        waits = [r.name for r, _, _ in trace.spans(player) if r.name.startswith("Object.wait")]
        same(len(waits), done.truths()[f"waits_{number}"], f"waits of {player.name}")
        check(waits and all("@Mixed.java:" in name for name in waits), f"where {player.name} waits: {waits}")
        check(all("mixed.c:" in r.name for r in regions), f"regions without a place: {regions}")
    chunks = [e for l in trace.locations for r, e, _ in trace.spans(l, Role.LOOP) if "iterations" in e.attributes]
    same(sum(e.attributes["iterations"] for e in chunks), 2 * REGIONS * 100, "iterations")


def test_java_and_openmp_are_one_trace():
    plain = run(COMMAND)
    done = record(COMMAND)
    same((done.status, told(done), done.own_err), (0, told(plain), plain.err), "status, stdout, stderr")
    both(done)
    for command in ("info", "states", "imbalance"):
        said = heddle(command, done.trace)
        same((said.status, said.err), (0, ""), f"heddle {command}")
        check(said.out, f"heddle {command} says nothing")


def test_one_raw_trace():
    done = record(COMMAND, "--no-convert")
    processes = process_directories(done.trace)
    same(len(processes), 1, "process directories")
    with open(os.path.join(processes[0], "process")) as file:
        tools = [line.split()[1] for line in file if line.startswith("tool:")]
    same(sorted(tools), ["jvmti", "ompt"], "tools")
    same(heddle("convert", done.trace).status, 0, "heddle convert")
    both(done)


def test_a_jvm_below_a_script_is_recorded_when_asked():
    script = os.path.join(directory(), "run.sh")
    with open(script, "w") as file:
        file.write("#!/bin/sh\nexec java '%s'\n" % "' '".join(COMMAND[1:]))
    os.chmod(script, 0o755)
    done = record([script], "--all-jvms")
    same(done.status, 0, "status")
    both(done)
