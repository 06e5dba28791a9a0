#!/usr/bin/python3
"""
Asks `heddle why` the questions of this folder and prints whether its first sentence is right.
Some programs can be mended. Then the gain that Heddle names is beside the measured gain.

    tests/questions/ask.py [NAME...]     HEDDLE_BUILD is the build tree, by default build/

Each program has a header: the question as a user would ask it, and the right kinds with a regular expression for the sentence.
One line has the compilers. One says how it runs: samples (they are needed), scale (with one and two threads), jvm=OPTION, jdk=N (at least),
killed=SECONDS if it would not end.
-DMENDED removes the reason.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {"gcc": ("gcc", "g++"), "clang": ("clang-19", "clang++-19")}
RUNS = 3  # a program is timed by the shortest

Question = collections.namedtuple("Question", "name source compiler run text kinds words mended")


def questions():
    """All questions; a program with two compilers is two of them."""
    found = []
    for file in sorted(os.listdir(HERE)):
        with open(os.path.join(HERE, file), encoding="utf-8") as source:
            text = source.read()
        header = dict(re.findall(r"^// (question|answer|compilers|run): (.+)$", text, re.M))
        if "question" in header:
            kinds, words = header["answer"].split("; ", 1)
            name = file.rsplit(".", 1)[0]
            for compiler in header.get("compilers", "java").split():
                found.append(Question(f"{name}-{compiler}", os.path.join(HERE, file), compiler, header.get("run", "").split(), header["question"],
                                      kinds.split(","), words, "MENDED" in text))
    return found


def values(question, name):
    return [word.split("=", 1)[1] for word in question.run if word.startswith(name + "=")]


def jdk(question):
    """The JDK's directory; None if there is none that is new enough. "" stands for the programs in PATH."""
    least = int((values(question, "jdk") or ["0"])[0])
    found = {int(version[1]): home for home in glob.glob("/usr/lib/jvm/*") if (version := re.search(r"-(\d+)(-|$)", home)) and not os.path.islink(home)}
    return "" if least == 0 else next((found[version] for version in sorted(found) if version >= least), None)


def build(question, directory, *options):
    """The command that runs the question's program."""
    if question.compiler == "java":
        subprocess.run([os.path.join(jdk(question), "bin/javac") if jdk(question) else "javac", "-g", "-d", directory, question.source], check=True)
        return [os.path.join(jdk(question), "bin/java") if jdk(question) else "java", *values(question, "jvm"), "-cp", directory,
                os.path.basename(question.source)[:-5]]
    compiler = COMPILERS[question.compiler][question.source.endswith(".cpp")]
    standard = ["-std=c++20"] if question.source.endswith(".cpp") else []
    program = os.path.join(directory, question.name + "".join(options))
    subprocess.run([compiler, *standard, "-O2", "-g", "-fopenmp", "-pthread", "-I", os.path.dirname(os.path.dirname(HERE)), *options, question.source, "-o", program, "-lm"], check=True)
    return [program]


def answer(question, heddle, command, trace):
    """What `heddle why` says of a run, or `heddle scale` of runs with one and two threads."""
    if "scale" in question.run:
        return json.loads(subprocess.run([heddle, "scale", "--threads", "1,2", "--runs", "1", "--json", "-o", f"{trace}-{time.monotonic_ns()}", "--", *command],
                                         check=True, capture_output=True).stdout)
    record = subprocess.Popen([heddle, "record", "-f", "-o", trace, "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=dict(os.environ, OMP_NUM_THREADS="2"))
    limit = values(question, "killed")
    try:
        record.wait(float(limit[0]) if limit else None)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-KILL", "-P", str(record.pid)], check=True)
        record.wait()
    return json.loads(subprocess.run([heddle, "why", "--json", trace], check=True, capture_output=True).stdout)


def is_right(question, said):
    """The kind and the words are right, and no share is above 100 %."""
    shares = [float(share) for share in re.findall(r"([\d.]+) %", said["first"]["sentence"])]
    return (said["first"]["kind"] in question.kinds and re.search(question.words, said["first"]["sentence"], re.I) is not None
            and all(share <= 100 for share in shares))


def seconds(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def gain(question, directory, command):
    """The part of the time, in percent, that mending wins: both programs by turns."""
    mended = build(question, directory, "-DMENDED")
    times = [(seconds(command), seconds(mended)) for _ in range(RUNS)]
    return 100 * (1 - min(after for _, after in times) / min(before for before, _ in times))


def main():
    heddle = os.path.join(os.environ.get("HEDDLE_BUILD", "build"), "bin", "heddle")
    asked = [question for question in questions() if (not sys.argv[1:] or any(name in question.name for name in sys.argv[1:])) and jdk(question) is not None]
    right, gains = 0, []
    for question in asked:
        with tempfile.TemporaryDirectory(prefix="questions-") as directory:
            command = build(question, directory)
            said = answer(question, heddle, command, os.path.join(directory, "trace"))
            figures = ""
            if question.mended and said["first"]["could_win_percent"] is not None:
                gains.append((said["first"]["could_win_percent"], gain(question, directory, command)))
                figures = f" [said {gains[-1][0]:.0f} %, won {gains[-1][1]:.0f} %]"
        good = is_right(question, said)
        right += good
        print(f"{'right' if good else 'WRONG'}  {question.name}{figures}: {said['first']['kind']}: {said['first']['sentence']}", flush=True)
    near = sum(abs(said - won) <= 10 for said, won in gains)
    print(f"{right} of {len(asked)} right; {near} of {len(gains)} gains within 10 points")


if __name__ == "__main__":
    main()
