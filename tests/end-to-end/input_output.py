"""Input and output of Java: who waited for which socket, file or host, for how long and at which line. Such a wait is OFF, not RUN."""
import os
import subprocess
import threading
import time

import pytest

from harness import PROGRAMS, check, directory, heddle, holds_mostly, run, same
from jomp import AGENT, JAVAS, ask
from trace import Trace, check_well_formed

CLASSES = os.path.join(PROGRAMS, "java")
SOCKETS = {"streamRead": ("socket read", "streams"), "timedRead": ("socket read", "streams"), "channelRead": ("socket read", "channels"),
           "streamAccept": ("accept", "accepts"), "timedConnect": ("connect", "connects"), "receive": ("socket read", "receives")}
OTHERS = {"channelAccept": "accept", "streamWrite": "socket write", "select": "select", "fileRead": "file read", "fileSync": "file write"}
TIMES = 4


def feed(pipe, questions):
    """Writes a byte into a pipe, 20 ms after each that comes out of the other one."""
    with open(pipe, "wb", buffering=0) as answers, open(questions, "rb", buffering=0) as asks:
        while asks.read(1):
            time.sleep(0.02)
            answers.write(b"1")


def traced(java, threads):
    place = directory()
    pipe, questions, path = (os.path.join(place, name) for name in ("pipe\n\x1b[1m", "questions", "a file"))
    os.mkfifo(pipe)
    os.mkfifo(questions)
    feeder = threading.Thread(target=feed, args=(pipe, questions), daemon=True)
    feeder.start()
    trace = os.path.join(place, "run.heddle")
    done = run([JAVAS[java], f"-agentpath:{AGENT}", "-Xcheck:jni", "-cp", CLASSES, "InputOutput", threads, pipe, questions, path],
               HEDDLE_DIR=trace, trace=trace)
    feeder.join()
    same((done.status, done.own_err, done.tool_err), (0, "", []), "status, stderr, what Heddle says")
    words = [line.split() for line in done.out.splitlines()]
    waited = {w[1]: int(w[2]) for w in words if w[0] == "wait:"}
    ports = {w[1]: w[2] for w in words if w[0] == "port:"}
    return done, waited, ports, pipe, path


def measured(answer):
    """The row of each method: the last one of its lines, for the first waits are on another one."""
    rows = {}
    for row in answer["waits"]:
        function = row["function"] or ""
        if function.startswith("InputOutput."):
            name = function.split(".")[1]
            if name not in rows or row["line"] > rows[name]["line"]:
                rows[name] = row
    return rows


def in_memory(path):
    """Whether the file is, or was, on a file system without a disk."""
    return subprocess.run(["stat", "--file-system", "--format", "%T", os.path.dirname(path)], text=True, stdout=subprocess.PIPE, check=True).stdout == "tmpfs\n"


def is_exact(found, told, times):
    return abs(found - told) <= max(0.02 * told, 20000 * times)


@pytest.mark.parametrize("case", [f"{java}.{threads}" for java in JAVAS for threads in ("platform", "virtual")])
def test_each_wait_has_its_address_its_line_and_its_time(case):
    java, threads = case.rsplit(".", 1)
    if threads == "virtual" and "17" in java:
        pytest.skip("this JDK has no virtual threads")
    runs = []

    def attempt():
        done, waited, ports, pipe, path = traced(java, threads)
        check_well_formed(Trace(done.trace))
        answer = ask("waits", done.trace)
        rows, exact = measured(answer), {}
        # A file in memory is written at once: calls of less than 10 us are no waits, whatever the machine takes beside them.
        if "fileSync" not in rows and (in_memory(path) or waited["fileSync"] < 20000 * TIMES or threads == "virtual"):
            exact["fileSync"] = True
        for name in [name for name in [*SOCKETS, *OTHERS] if name not in exact]:
            check(name in rows, f"no wait in {name}: {sorted(rows)}")
            row = rows[name]
            kind, port = SOCKETS.get(name, (OTHERS.get(name), None))
            same(row["place"].split(" @")[0], kind, f"kind of {name}")
            if port:
                same(row["object"], f"socket 127.0.0.1:{ports[port]}", f"object of {name}")
        same(rows["channelAccept"]["object"].rsplit(":", 1)[0], "socket 127.0.0.1", "object of channelAccept")
        same(rows["fileRead"]["object"], f"file {pipe}".replace("\n", "\\x0a").replace("\x1b", "\\x1b"), "path of a pipe")
        same(rows.get("fileSync", {"object": f"file {path}"})["object"], f"file {path}", "path")
        # A lookup may take no time at all.
        hosts = [row["object"] for row in answer["waits"] if row["place"].startswith("host lookup")]
        check(all(host.startswith("host heddle-") and host.endswith(".invalid") for host in hosts if "heddle" in host), f"hosts: {hosts}")
        for name, told in waited.items():
            if name in rows and name != "lookup":
                times = 1 if name == "timedConnect" else TIMES
                found = rows[name]["time"]["seconds"] * 1e9
                check(found <= told + 20000 * times or name == "streamWrite", f"{name}: {found} ns of waits, the program measured {told}")
                exact[name] = is_exact(found, told, rows[name]["times"])
        causes = {cause["ended_by"] for cause in answer["wakers"] if cause["wait"] in {rows[name]["wait"] for name in SOCKETS}}
        same(causes, {"input, output"}, "what ended the waits")
        # What a virtual thread does with a file keeps its carrier, so the JDK may begin another one first, which the program measures, too.
        if threads == "virtual":
            exact["fileSync"] = True
        same(set(exact), set(waited) - {"lookup"}, "waits that the program measured")
        runs.append(done)
        return exact

    holds_mostly(attempt, "the wait is as long as the program measures it")
    done = runs[-1]
    text = heddle("waits", "--top", "100", done.trace).out
    check("x0a" in text and "\x1b" not in text, f"a path with control characters: {text}")
    if threads == "platform":
        states = next(t for t in ask("states", done.trace)["threads"] if t["thread_name"] == "waits")
        waits = sum(row["time"]["seconds"] for name, row in measured(ask("waits", done.trace)).items() if name in {**SOCKETS, **OTHERS})
        check(states["off"]["seconds"] >= waits, f"OFF of the thread that waited {waits} s: {states}")
