"""
Ends the processes that a test leaves. They have a mark in their environment, or are below the tests' process.
As a program (leftovers.py MARK): waits until the tests' process ends, even if it is killed, and ends the processes with its mark then.
"""
import contextlib
import glob
import os
import secrets
import signal
import subprocess
import sys
import time

NAME = "END_TO_END_TESTS"  # the mark's name; harness.environment() leaves the mark in place
_guard = None


def begin():
    """Marks all processes that this one starts from now on."""
    global _guard
    value, unmarked = f"{os.getpid()}-{secrets.token_hex(4)}", dict(os.environ)
    _guard = subprocess.Popen([sys.executable, __file__, value], env=unmarked, start_new_session=True, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ[NAME] = value


def end_own():
    """Ends what runs of the current test."""
    if _guard:
        _end(os.environ[NAME], _guard.pid)


def _below():
    """The processes below this one that have not ended."""
    children = {}
    for path in glob.iglob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            state, parent = file.read().rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(path.split("/")[2]))
    found, above = set(), [os.getpid()]
    while above:
        below = children.get(above.pop(), [])
        found.update(below)
        above += below
    return found


def _marked(value):
    wanted, found = f"{NAME}={value}".encode(), set()
    for path in glob.iglob("/proc/[0-9]*/environ"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            if wanted in file.read().split(b"\0"):
                found.add(int(path.split("/")[2]))
    return found


def _end(value, *spared):
    """Kills, and waits for a second until nothing is there any more."""
    for _ in range(100):
        found = (_marked(value) | _below()) - {os.getpid(), *spared}
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


if __name__ == "__main__":
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    _end(sys.argv[1])
