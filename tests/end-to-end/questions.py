"""
`heddle why` answers the questions of tests/questions: each program has one known reason for being slow. The first sentence is right in 4 of at
most 7 runs. tests/questions/ask.py asks each once, and compares the gains.
"""
import json
import os
import re
import subprocess
import sys

import pytest

import harness
from harness import HEDDLE, check, holds_mostly, same

sys.path.insert(0, os.path.join(harness.SOURCE, "..", "questions"))
import ask  # noqa: E402
from why import judged  # noqa: E402


@pytest.mark.parametrize("question", ask.questions(), ids=lambda question: question.name)
def test_the_first_sentence_is_right(question):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two threads need two processors")
    if ask.jdk(question) is None:
        pytest.skip(f"there is no JDK: {question.run}")
    directory = harness.directory()
    command = ask.build(question, directory)

    def once():
        said = ask.answer(question, HEDDLE, command, os.path.join(directory, "trace"))
        if "samples" in question.run and not os.path.exists(os.path.join(directory, "trace", "samples.otf2")):
            pytest.skip("the kernel takes no samples here")
        if "scale" in question.run:
            for step in said["steps"]:
                product = step["load_balance"] * step["serialization"] * step["transfer"] * step["work"] / 1e6
                check(abs(product - step["efficiency"]) < 1e-6, f"the efficiency is the product of its factors: {step}")
        else:
            same(round(sum(part["percent"] for part in said["account"])), 100, "percent of the account")
        check(said["first"]["kind"] != "unknown", "the kind is known")
        print(f"{said['first']['kind']}: {said['first']['sentence']}")
        return ask.is_right(question, said)

    holds_mostly(lambda: judged(once), question.text)


@pytest.mark.parametrize("name", ["sleeping_loop-gcc", "std_sleeps-gcc", "one_processor-gcc", "too_many-gcc"])
def test_readings_answer_where_the_kernel_reports_no_switches(name):
    """As in a container that allows no perf events."""
    question = next(question for question in ask.questions() if question.name == name)
    directory = harness.directory()
    command = ask.build(question, directory)

    def once():
        trace = os.path.join(directory, "trace")
        done = harness.run([harness.CONTAIN, "seccomp", "--", HEDDLE, "record", "-f", "-o", trace, "--", *command])
        if done.status == harness.SKIPPED:
            pytest.skip("the kernel refuses filters")
        same(done.status, 0, f"status: {done.err}")
        said = json.loads(harness.heddle("why", "--json", trace).out)
        same(round(sum(part["percent"] for part in said["account"])), 100, "percent of the account")
        print(f"{said['first']['kind']}: {said['first']['sentence']}")
        return ask.is_right(question, said)
    holds_mostly(once, question.text)


@pytest.mark.parametrize("name", ["std_mutex-gcc", "std_uneven-gcc", "serial_update-gcc"])
def test_on_a_busy_machine_the_lack_of_processors_is_first_and_the_programs_own_reason_next(name):
    question = next(question for question in ask.questions() if question.name == name)
    directory = harness.directory()
    command = ask.build(question, directory)
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True) for _ in range(8)]

    def once():
        said = ask.answer(question, HEDDLE, command, os.path.join(directory, "trace"))
        print(f"{said['first']['kind']}: {said['first']['sentence']}")
        _, _, own = said["first"]["sentence"].partition("In the program itself, look at ")
        by_kind = {part["kind"]: part["percent"] for part in said["account"]}
        losses = sorted((kind for kind in by_kind if kind not in ("work", "outside", "measurement", "unknown")), key=by_kind.get, reverse=True)
        return losses[0] == said["first"]["kind"] == "processors" and losses[1] in question.kinds and re.search(question.words, own, re.I)

    try:
        holds_mostly(once, question.text)
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()
