"""
`heddle why` names the reasons that tests/programs/planted.c and java/Planted.java plant, with their source lines, alone and in pairs;
with none it names none. An answer must be right in 4 of at most 7 runs. Other programs can take the processors at any time, and a wrong answer
does not count then. tests/soak/planted.py has the same with random seeds, counts all runs, and prints how often it is right.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import harness
from control import Program
from harness import HEDDLE, check, environment, heddle, holds_mostly, program, record, same, until_it_happens

sys.path.insert(0, os.path.join(harness.SOURCE, "..", "soak"))
import planted  # noqa: E402

SEEDS = (1,)
PAIRS = ["critical,serial", "io,imbalance-work", "small-regions,barrier", "lock,small-tasks"]
# The others of planted.KINDS are in pairs; ci/soak has each of them alone, too.
SINGLES = [kind for kind in planted.KINDS if kind not in ",".join(PAIRS).split(",")]
JAVA = ["monitor,io", "lock,imbalance", "serial,blocked", "collection"]
OTHERS_MOST = 0.1  # the processors' time for programs that are not the test's
OWN_LOSSES = ("--threshold", "8")  # barriers and a JVM's warm-up cost the programs 2 to 6 %, by how fast the machine wakes threads
LOST_MOST = 15  # percent, about 10 on a quiet machine: what else takes the processors is a reason itself


def recorded(seed, reasons, *more, of=planted.OPENMP):
    """The trace, the (kind, line) that were planted, and what the program printed."""
    if os.environ.get("HEDDLE_TEST_PRELOAD"):
        pytest.skip("the sanitizers' own cost is a reason")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processors")
    options = ["--budget", "none"] if "measurement" in reasons else []
    done = record([*of.command, str(seed), reasons], *options, *more, preexec=harness.before_others)
    same(done.status, 0, f"status of planted {seed} {reasons} ({done.err})")
    truth = planted.truth(of, done.out)
    same(len(truth), 0 if reasons == "none" else reasons.count(",") + 1, "reasons that the program planted")
    return done.trace, truth, done.out


def taken():
    """
    Seconds of processor time that all programs took, or the hypervisor, without programs that this process waited for.
    """
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    times = os.times()
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK") - sum(times[:4])


def judged(is_right):
    """is_right() as holds_mostly() takes it: None where it is wrong, and other programs had much of the processors meanwhile."""
    begin, before = time.monotonic(), taken()
    right = is_right()
    others = (taken() - before) / (time.monotonic() - begin) / os.cpu_count()
    print(f"right: {right}; other programs had {100 * others:.0f} % of the processors")
    return True if right else None if others > OTHERS_MOST else False


def ask(command, trace, *options):
    done = heddle(command, "--json", *options, trace)
    same((done.status, done.err), (0, ""), f"heddle {command}")
    return json.loads(done.out)


def check_one_answer(answer, trace):
    """The first sentence is the account's, which is whole; all advice comes from the findings."""
    findings = ask("imbalance", trace)
    same(answer["verdict"], answer["first"]["sentence"], "first sentence")
    check(abs(sum(row["percent"] for row in answer["account"]) - 100) < 1e-6, f"the account is not whole: {answer['account']}")
    texts = [finding["text"] for finding in findings["findings"]]
    for node in answer["hypotheses"]:
        check(node["advice"] is None or node["advice"] in texts, f"not in the findings: {node['advice']}")


def mostly_named(seed, reasons, of=planted.OPENMP):
    """All that is planted, and nothing before it, is named. The other commands are asked once, as they take as long."""
    answers = []

    def named():
        trace, truth, _ = recorded(seed, reasons, of=of)
        answers.append(ask("why", trace))
        if len(answers) == 1:
            check_one_answer(answers[0], trace)
        said = planted.places(answers[-1])
        print(f"seed {seed}: planted {truth}, said {said[:3]}")
        return set(said[: len(truth)]) == truth

    holds_mostly(lambda: judged(named), f"{reasons} of seed {seed} is named first")


@pytest.mark.timeout(900)  # four long runs
@pytest.mark.parametrize("reason", SINGLES)
def test_names_a_planted_reason(reason):
    for seed in SEEDS[:1]:
        mostly_named(seed, reason)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("reasons", PAIRS)
def test_names_two_planted_reasons(reasons):
    for seed in SEEDS[:1]:
        mostly_named(seed, reasons)


def test_names_nothing_where_nothing_is_planted():
    """A run that was disturbed, as the program itself says, may have reasons."""
    def is_silent():
        trace, _, out = recorded(SEEDS[0], "none")
        check_one_answer(ask("why", trace), trace)
        answer = ask("why", trace, *OWN_LOSSES)
        memory = next(node for node in answer["hypotheses"] if node["aspect"] == "kind" and node["key"] == "memory")
        same(memory["verdict"], "unknown", "memory, without counters")
        check("compare with runs of fewer threads (heddle scale), or record with --counters instructions" in memory["text"], f"what to record: {memory['text']}")
        lost, kinds = int(re.search(r"^lost: (-?\d+) %$", out, re.M)[1]), planted.true_kinds(answer)
        print(f"lost {lost} %, reasons: {kinds}")
        return True if not kinds else None if lost > LOST_MOST else False

    holds_mostly(is_silent, "nothing is named")


def need_java():
    if not shutil.which("java") or harness.ON_LIBGOMP:
        pytest.skip("needs Java, of which one runtime of OpenMP is enough")


@pytest.mark.parametrize("reasons", JAVA)
def test_names_planted_reasons_of_java(reasons):
    need_java()
    mostly_named(1, reasons, planted.JAVA)


def test_names_nothing_of_java_where_nothing_is_planted():
    need_java()

    def is_silent():
        trace, _, _ = recorded(1, "none", of=planted.JAVA)
        return not planted.true_kinds(ask("why", trace, *OWN_LOSSES))

    holds_mostly(lambda: judged(is_silent), "nothing is named")


def test_a_jvm_is_attached_and_searched():
    """A JVM that was started without Heddle: the reason is named, and what was switched on is off again."""
    need_java()
    if os.environ.get("HEDDLE_TEST_PRELOAD"):
        pytest.skip("the sanitizers' own cost is a reason")

    def is_named():
        options = ["-XX:+EnableDynamicAgentLoading"]
        with subprocess.Popen([*planted.JAVA.command[:1], *options, *planted.JAVA.command[1:], "1", "serial", "60"], stdout=subprocess.PIPE, text=True,
                              env=planted.environment(), preexec_fn=harness.before_others) as jvm:
            try:
                truth = planted.truth(planted.JAVA, jvm.stdout.readline())
                done = heddle("attach", "--live", "-o", os.path.join(harness.directory(), "attached"), str(jvm.pid))
                same(done.status, 0, f"heddle attach ({done.err})")
                until(lambda: planted.has_control(jvm.pid), "the JVM takes requests")
                before = planted.words(jvm.pid)
                done = heddle("why", "--for", "2s", "--json", str(jvm.pid))
                if done.status != 0:
                    return print(done.err)
                answer = json.loads(done.out)
                planted.check_inserted(answer, before, planted.words(jvm.pid))
                check(("during", True, True) in planted.steps(answer), f"inserted: {planted.steps(answer)}")
                print(f"planted {truth}, said {planted.places(answer)[:3]}, inserted {planted.steps(answer)}")
                return set(planted.places(answer)[:1]) == truth
            finally:
                jvm.kill()

    holds_mostly(lambda: judged(is_named), "the reason is named first")


LIVE = ["critical", "serial", "io,serial"]


@pytest.mark.parametrize("reasons", LIVE)
def test_names_planted_reasons_live(reasons):
    """
    Reasons of a running program, which is then as before. Its threads report only how long they were blocked: that is not uneven
    work.
    """
    if os.environ.get("HEDDLE_TEST_PRELOAD") or harness.ON_LIBGOMP:
        pytest.skip("planted.py runs the program on libomp, without sanitizers")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processors")

    def is_named():
        truth, answer = planted.watch(SEEDS[0], reasons.split(","), harness.directory(), 2)
        said = planted.places(answer)
        print(f"planted {truth}, said {said[:3]}, inserted {planted.steps(answer)}")
        return set(said[: len(truth)]) == truth

    holds_mostly(lambda: judged(is_named), f"{reasons} are named first")


def test_a_program_is_started_and_searched():
    """heddle why -- PROGRAM: a document is not mixed with what the program writes, and the exit status is the program's."""
    if os.environ.get("HEDDLE_TEST_PRELOAD"):
        pytest.skip("the sanitizers' own cost is a reason")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processors")

    def is_named():
        command = f"{program('planted')} 3 critical 3; exit 7"
        done = heddle("why", "--json", "--for", "2s", "--", "/bin/sh", "-c", command, cwd=harness.directory())
        same(done.status, 7, f"status of the program ({done.err})")
        truth = {(planted.KINDS[m[1]], int(m[2])) for m in re.finditer(r"^planted: (\S+) line=(\d+)$", done.err, re.M)}
        same(len(truth), 1, f"what the program writes goes to standard error: {done.err}")
        answer = json.loads(done.out)
        steps = planted.steps(answer)
        check(("during", True, True) in steps and steps[0][1:] == steps[-1][1:], f"inserted: {steps}")
        return set(planted.places(answer)[:1]) == truth

    holds_mostly(lambda: judged(is_named), "the reason is named first")


def test_a_program_may_end_before_the_time():
    """What was read until then is the answer."""
    def is_answered():
        done = heddle("why", "--json", "--for", "10s", program("planted"), "3", "critical", "4", cwd=harness.directory())
        check(done.status == 0 or "ended" in done.err, f"status {done.status}: {done.err}")
        return json.loads(done.out)["hypotheses"] if done.status == 0 else None

    check(until_it_happens(is_answered, "the program lived for long enough"), "a tree")


def live(**settings):
    return Program([program("planted"), "3", "critical", "60"], **settings)


def until(is_so, what):
    for _ in range(3000):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError(f"never: {what}")


def until_it_is_there(traced):
    """What is on, once the program records."""
    until(lambda: planted.has_control(traced.pid), "the program takes requests")
    return planted.words(traced.pid)


def why_live(traced, *options):
    return heddle("why", "--for", "1s", "--json", *options, traced.pid)


def test_what_was_off_is_off_again():
    """--paused --live: nothing is measured before, sums and events during, and nothing after the search."""
    with live(HEDDLE_LIVE="1", HEDDLE_PAUSED="1") as traced:
        before = until_it_is_there(traced)
        same(before, 0, "on before")
        done = why_live(traced)
        same((done.status, done.err), (0, ""), "heddle why")
        steps = planted.steps(json.loads(done.out))
        planted.check_inserted(json.loads(done.out), before, planted.words(traced.pid))
        check(("during", True, False) in steps, f"sums: {steps}")


def test_a_killed_search_is_taken_back():
    with live(HEDDLE_LIVE="1") as traced:
        before = until_it_is_there(traced)
        search = subprocess.Popen([HEDDLE, "why", "--for", "8s", traced.pid], env=environment(), stdout=subprocess.DEVNULL)
        until(lambda: planted.words(traced.pid) & 2 or search.poll() is not None, "events are on")
        same(search.poll(), None, "the search goes on")
        search.kill()
        search.wait()
        until(lambda: planted.words(traced.pid) == before, "the process is as before")


def test_an_interrupted_search_is_taken_back():
    with live(HEDDLE_LIVE="1") as traced:
        before = until_it_is_there(traced)
        search = subprocess.Popen([HEDDLE, "why", "--for", "8s", traced.pid], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until(lambda: planted.words(traced.pid) & 2 or search.poll() is not None, "events are on")
        search.send_signal(signal.SIGINT)
        out, err = search.communicate(timeout=harness.TIMEOUT)
        same((search.returncode, err), (0, ""), "status and messages: readings have an answer")
        check("Ruled out" in out and "Inserted" in out, out)
        same(planted.words(traced.pid), before, "what is on")


def test_a_process_without_requests_is_read_alone():
    with live(HEDDLE_PROFILE="1") as traced:
        until(lambda: heddle("live", "--once", "--json", traced.pid).status == 0, "the program is recorded")
        done = why_live(traced)
        same((done.status, done.err), (0, ""), "heddle why")
        answer = json.loads(done.out)
        same(planted.steps(answer), [("before", True, False), ("during", True, False), ("after", True, False)], "inserted")
        kinds = {node["key"]: node["verdict"] for node in answer["hypotheses"] if node["aspect"] == "kind"}
        same(kinds["deadlock"], "unknown", "needs the order of events")


def test_a_profile_has_the_answers_that_sums_have():
    trace, truth, _ = recorded(3, "critical", "--profile")
    answer = ask("why", trace)
    same(set(planted.places(answer)[:1]), truth, "what is named first")
    kinds = {node["key"]: node["verdict"] for node in answer["hypotheses"] if node["aspect"] == "kind"}
    same((kinds["memory"], kinds["blocked"]), ("unknown", "unknown"), "what sums do not have")


def test_mistakes_are_named():
    for arguments, status, text in ((["why", "999999999"], 1, "there is no process"), (["why", "--for", "1s", "/nowhere"], 2, "--for is for running"),
                                    (["why", "--from", "1s", str(os.getpid())], 2, "are for traces"), (["why", "--for", "1ms", "1"], 2, "1s or more"),
                                    (["why", str(os.getpid())], 1, "does not record"),
                                    (["why", "/nowhere", "/nowhere"], 2, "-- PROGRAM"), (["why", "--", "/nowhere"], 127, "No such file"),
                                    (["why", "--from", "1s", "--", "/bin/true"], 2, "are for traces")):
        done = heddle(*arguments)
        same((done.status, text in done.err), (status, True), f"{arguments}: {done.err}")
