#!/usr/bin/python3
"""
Programs of the JDK itself under Heddle: javac on the sources of the tests, jlink, jshell, and jwebserver (JDK 18 and later) with 200
clients. Each must do what it does without Heddle, and Heddle's sentences must fit what is known of such programs.

    jdk_programs.py [PROGRAM]...        (HEDDLE_BUILD: the build tree; JDKs: those in /usr/lib/jvm)

Exit status 1: an output differs, or a sentence does not fit.
"""
import concurrent.futures
import filecmp
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build"))
HEDDLE = os.path.join(BUILD, "bin", "heddle")
CLIENTS = 200
TIMEOUT = 600  # seconds for one run
SNIPPETS = """int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
System.out.println(f(20))
/exit
"""


def files_of(directory):
    return sorted(os.path.relpath(os.path.join(path, name), directory) for path, _, names in os.walk(directory) for name in names)


def differences(made, expected):
    """What two runs made that should be alike."""
    names = files_of(expected)
    if files_of(made) != names:
        return ["names of files"]
    return filecmp.cmpfiles(expected, made, names, shallow=False)[1]


def run(command, given=""):
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout


def recorded(trace, command):
    return [HEDDLE, "record", "--all-jvms", "-o", trace, "--", *command]


def maker(command):
    """A program that writes files into the directory behind its command line."""
    def check(trace, work):
        results = []
        for name, prefix in (("plain", []), ("traced", recorded(trace, []))):
            made = os.path.join(work, name)
            results.append((made, run([*prefix, *command, made])))
        (plain, said), (traced, said_traced) = results
        problems = [f"{name} differs" for name in differences(traced, plain)]
        return problems + ([] if said == said_traced and said[0] == 0 else [f"status and output: {said_traced}, not {said}"])
    return check


def shell(command):
    def check(trace, _):
        said, said_traced = run(command, SNIPPETS), run(recorded(trace, command), SNIPPETS)
        return [] if said == said_traced and "6765" in said[1] else [f"status and output: {said_traced}, not {said}"]
    return check


DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(port, name):
    """What the server answers; a text says why it does not. On a loaded machine it drops clients that waited for 30 s."""
    said = ""
    for _ in range(5):
        try:
            with DIRECTLY.open(f"http://127.0.0.1:{port}/{name}", timeout=TIMEOUT) as answer:
                return answer.read()
        except OSError as error:
            said = str(error)
    return said


def web_server(command):
    def check(trace, work):
        page = os.path.join(work, "page")
        content = os.urandom(100_000)
        with open(page, "wb") as file:
            file.write(content)
        traced = recorded(trace, [*command, "-p", "0", "-d", work, "-o", "info"])
        with subprocess.Popen(traced, stdout=subprocess.PIPE, text=True, start_new_session=True) as server:
            port = next(int(found[1]) for line in server.stdout if (found := re.search(r"http://127\.0\.0\.1:(\d+)/", line)))
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
                answers = list(clients.map(lambda _: ask(port, "page"), range(CLIENTS)))
            os.killpg(server.pid, signal.SIGINT)
            server.stdout.read()
        wrong = [answer for answer in answers if answer != content]
        return [f"{len(wrong)} of {CLIENTS} answers differ, the first: {wrong[0][:200]!r}"] if wrong else []
    return check


def sentences(trace):
    """What does not fit in what Heddle says."""
    answers = {command: json.loads(run([HEDDLE, command, "--json", trace])[1]) for command in ("imbalance", "states", "tasks")}
    first = answers["imbalance"]["verdict"]
    print("   ", first, flush=True)
    problems = [] if first.startswith(("Look first at ", "Nothing stands out")) else [f"first sentence: {first}"]
    if "HeddleHook" in json.dumps(answers):
        problems.append("Heddle's own class is named")
    if re.search(r"pthread|MPI|OpenMP", first):
        problems.append(f"words that are not Java's: {first}")
    of_all = next(row for row in answers["states"]["threads"] if row["thread_name"] == "all threads")
    if of_all.get("unmeasured", {"ticks": 0})["ticks"] > 0:
        problems.append("threads of the JVM's own are in the total")
    return problems


def programs(home):
    def tool(name):
        return os.path.join(home, "bin", name)

    sources = sorted(path for path in glob.glob(os.path.join(SOURCE, "..", "programs", "java", "*.java")) if "Virtual" not in path)
    listed = {"javac": maker([tool("javac"), *sources, "-d"]), "jlink": maker([tool("jlink"), "--add-modules", "java.base", "--output"]),
              "jshell": shell([tool("jshell"), "-s", "-"]), "jwebserver": web_server([tool("jwebserver")])}
    return {name: check for name, check in listed.items() if os.path.exists(tool(name))}


def main():
    wanted, failed = sys.argv[1:], False
    for home in sorted(path for path in glob.glob("/usr/lib/jvm/*") if os.path.isdir(path) and not os.path.islink(path)):
        for name, check in programs(home).items():
            if wanted and name not in wanted:
                continue
            with tempfile.TemporaryDirectory() as work:
                trace, begun = os.path.join(work, "run.heddle"), time.monotonic()
                files = os.path.join(work, "files")
                os.mkdir(files)
                problems = check(trace, files) + sentences(trace)
            what = f"{name} of {os.path.basename(home)} ({time.monotonic() - begun:.0f} s)"
            print(f"{'differs' if problems else 'holds'}: {what}", *problems, sep="\n    ", flush=True)
            failed |= bool(problems)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
