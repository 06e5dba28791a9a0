"""
`heddle mcp` as an assistant speaks with it: the handshake, and each tool on recorded archives (tests/outputs/archives). Messages that are no requests
get errors, and paths lead nowhere else.
"""
import contextlib
import json
import os
import subprocess

import harness
from harness import check, same

MOST = 8192  # bytes of an answer
ARCHIVES = os.path.join(harness.SOURCE, "..", "outputs", "archives")
NOT_JSON, NO_REQUEST, NO_METHOD, WRONG_PARAMETERS = -32700, -32600, -32601, -32602


def unpack(name, place):
    subprocess.run(["tar", "-C", place, "-xf", os.path.join(ARCHIVES, name + ".tar.xz")], check=True)
    return os.path.join(place, name)


@harness.once
def archives():
    """A directory with recorded runs, by name."""
    place = harness.directory()
    for name in ("imbalanced", "lu-16", "lu-24", "samples", "waits", "tasks", "threads-64", "profile", "damaged"):
        unpack(name, place)
    return place


class Server:
    """A running `heddle mcp`. Each line that it writes is JSON-RPC 2.0, and below 8 KB."""

    def __init__(self, *directories):
        self.process = subprocess.Popen([harness.HEDDLE, "mcp", *directories], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=harness.environment())
        self.number = 0

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        check(line.endswith(b"\n") and len(line) <= MOST, f"a line has {len(line)} bytes")
        answer = json.loads(line)
        same(answer["jsonrpc"], "2.0", "version")
        return answer

    def ask(self, method, **parameters):
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}).encode())
        answer = self.read()
        same(answer["id"], self.number, "the id")
        return answer

    def call(self, tool, **arguments):
        """(text, whether it is an error)"""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        content, = result["content"]
        same(content["type"], "text", "type of the content")
        return content["text"], result["isError"]

    def end(self):
        out, err = self.process.communicate(timeout=harness.TIMEOUT)
        same((out, err, self.process.returncode), (b"", b"", 0), "the end")


@contextlib.contextmanager
def server(*directories):
    running = Server(*(directories or [archives()]))
    try:
        yield running
        running.end()
    finally:
        running.process.kill()
        running.process.communicate()


def test_the_handshake():
    with server() as running:
        for wanted, version in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-06-18")):
            result = running.ask("initialize", protocolVersion=wanted, capabilities={}, clientInfo={"name": "test", "version": "1"})["result"]
            same((result["protocolVersion"], result["capabilities"], result["serverInfo"]["name"]), (version, {"tools": {}}, "heddle"), "the answer")
        running.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        running.send(b"")
        same(running.ask("ping")["result"], {}, "ping")
        tools = {tool["name"]: tool for tool in running.ask("tools/list")["result"]["tools"]}
        same(sorted(tools), ["account", "archives", "calls", "compare", "imbalance", "locks", "tasks", "waits", "why"], "tools")
        for tool in tools.values():
            schema = tool["inputSchema"]
            same(schema["type"], "object", "type of the arguments")
            check(set(schema["required"]) <= set(schema["properties"]) and tool["description"], f"{tool}")


def test_each_tool_answers():
    with server() as running:
        for tool, archive, parts in (
                ("why", "imbalanced", ["Look first at", "@imbalanced.c:", "What to do"]), ("account", "imbalanced", ["work ", "Parallel efficiency"]),
                ("imbalance", "imbalanced", ["@imbalanced.c:"]), ("locks", "lu-24", []), ("waits", "waits", []), ("tasks", "tasks", []),
                ("calls", "samples", [])):
            text, failed = running.call(tool, archive=archive)
            check(not failed and text and all(part in text for part in parts), f"{tool}: {text}")
            command = "why" if tool == "account" else tool
            said = harness.run([harness.HEDDLE, command, os.path.join(archives(), archive)]).out
            check(said.startswith(text.split("[cut: ")[0]), f"{tool} differs from the command: {text}")
        account, _ = running.call("account", archive="imbalanced")
        check("What to do" not in account, account)
        text, failed = running.call("compare", old=["lu-16"], new=["lu-24"])
        check(not failed and "One run each proves nothing" in text, text)
        text, failed = running.call("archives")
        check(not failed and os.path.realpath(os.path.join(archives(), "imbalanced")) in text.splitlines(), text)
        part, failed = running.call("why", archive="imbalanced", **{"from": "50%"})
        check(not failed and part != running.call("why", archive="imbalanced")[0], "a part of the run has an answer of its own")


def test_long_answers_are_cut():
    directory = os.path.realpath(harness.directory())
    names = [os.path.join(directory, f"{number:03}-\u00e4\"" + 60 * "x") for number in range(150)]
    for name in names:
        os.mkdir(name)
        with open(os.path.join(name, "traces.otf2"), "w", encoding="utf-8"):
            pass
    with server(directory) as running:
        text, failed = running.call("archives")
        *lines, last = text.splitlines()
        check(not failed and 20 < len(lines) < 150 and set(lines) <= set(names), f"{len(lines)} lines")
        check(last.startswith("[cut: ") and last.endswith("ask about less: from, to, threads, or another tool]"), last)


def test_errors_of_tools_are_answers():
    with server() as running:
        for tool, arguments, part in (
                ("why", {}, "archive: must be the path"), ("why", {"archive": 7}, "archive: must be"), ("why", {"archive": "none"}, "no such directory"),
                ("why", {"archive": "imbalanced", "from": "soon"}, "--from"), ("why", {"archive": "imbalanced", "jobs": "2"}, "no such argument"),
                ("why", {"archive": "imbalanced", "from": "x" * 300}, "1 to 256 bytes"), ("locks", {"archive": "imbalanced", "top": 0}, "top: must be"),
                ("waits", {"archive": "profile"}, "is a profile"), ("imbalance", {"archive": ".."}, "no such directory"), ("why", {"archive": "."}, ""),
                ("compare", {"old": [], "new": ["lu-16"]}, "list of 1 to 32"), ("compare", {"old": ["lu-16"]}, "new: must be")):
            text, failed = running.call(tool, **arguments)
            check(failed and text and part in text, f"{tool} {arguments}: {text}")
        running.call("why", archive="damaged")
        check(not running.call("why", archive="imbalanced")[1], "it goes on")


def test_what_is_no_request_gets_an_error():
    with server() as running:
        for line, code, number in (
                (b"{", NOT_JSON, None), (b"what?", NOT_JSON, None), (b"\xff\xfe", NOT_JSON, None), (b'"text"', NO_REQUEST, None), (b"[]", NO_REQUEST, None),
                (b"{}", NO_REQUEST, None), (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', NO_REQUEST, 1), (b'{"jsonrpc": "2.0", "id": 1}', NO_REQUEST, 1),
                (b'{"jsonrpc": "2.0", "id": [], "method": "ping"}', NO_REQUEST, None), (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', NOT_JSON, None),
                (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": 3}', NO_REQUEST, 5),
                (b'{"jsonrpc": "2.0", "id": "' + 300 * b"x" + b'", "method": "ping"}', NO_REQUEST, None),
                (b'{"jsonrpc": "2.0", "id": 2, "method": "resources/list"}', NO_METHOD, 2),
                (b'{"jsonrpc": "2.0", "id": 3, "method": "' + 10000 * b"x" + b'"}', NO_METHOD, 3),
                (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "rm"}}', WRONG_PARAMETERS, 4),
                (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "why", "arguments": []}}', WRONG_PARAMETERS, 4),
                (b'{"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": []}', WRONG_PARAMETERS, 4),
                (50000 * b"[", NO_REQUEST, None), (200000 * b"x", NO_REQUEST, None), (65537 * b" ", NO_REQUEST, None)):
            running.send(line)
            answer = running.read()
            same((answer["error"]["code"], answer["id"]), (code, number), f"error of {line[:80]}")
        running.send(b'{"jsonrpc": "2.0", "method": "no/such/notification"}')
        same(running.ask("ping")["result"], {}, "ping after all of these")


def test_paths_lead_nowhere_else():
    """What lies outside looks as if it were not there, however it is named."""
    top = harness.directory()
    inside, outside = os.path.join(top, "inside"), os.path.join(top, "inside-not")
    os.mkdir(inside)
    os.rename(unpack("imbalanced", harness.directory()), os.path.join(inside, "run"))
    os.rename(unpack("imbalanced", harness.directory()), outside)
    os.symlink(outside, os.path.join(inside, "link"))
    os.symlink("run", os.path.join(inside, "good-link"))
    os.mkdir(os.path.join(inside, "parts"))
    for name in os.listdir(outside):
        os.symlink(os.path.join(outside, name), os.path.join(inside, "parts", name))
    with server(inside) as running:
        for path in ("run", "./run", "good-link", os.path.join(inside, "run"), os.path.join(inside, "link", "..", "inside", "run")):
            text, failed = running.call("account", archive=path)
            check(not failed and "work" in text, f"{path}: {text}")
        for path in ("..", "../inside-not", outside, "link", "run/../../inside-not", "/etc", "/", "/proc/self/root", "parts", "run/traces.otf2", "-h", "--help", "1"):
            text, failed = running.call("account", archive=path)
            check(failed and "work" not in text, f"{path}: {text}")
            text, failed = running.call("compare", old=["run"], new=[path])
            check(failed, f"compare {path}: {text}")
        same(running.call("archives")[0].splitlines(), [os.path.realpath(os.path.join(inside, "run"))], "the list")
        # A program in place of an archive is not started.
        program = os.path.join(inside, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {top}/started\n")
        os.chmod(program, 0o755)
        check(running.call("why", archive="program")[1] and not os.path.exists(os.path.join(top, "started")), "a program is not started")


def test_wrong_usage():
    for operands, status, part in (([], 2, "see `heddle mcp --help`"), (["/no/such/directory"], 1, "cannot open"), (["/etc/passwd"], 1, "is not a directory")):
        done = harness.heddle("mcp", *operands)
        check(done.status == status and part in done.err and len(done.err.splitlines()) == 1 and not done.out, f"{operands}: {done.status} {done.err}")
