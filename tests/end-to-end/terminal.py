"""
What people see on a terminal: tables that fit 80 and 120 characters, with a heading over every column, in bold. Without a terminal, lines have
any length and no styles.
"""
import fcntl
import lzma
import os
import pty
import re
import struct
import tarfile
import termios

import pytest

from harness import HEDDLE, check, directory, heddle, once, same

ARCHIVES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outputs", "archives")
COMMANDS = ["info", "states", "states --by region", "imbalance --threads --waits", "locks", "waits", "tasks", "schedule", "critical-path", "events --of all",
            "why", "calls", "calls --tree"]
STYLE = re.compile(r"\x1b\[\d*m")


@once
def archives():
    place = directory()
    for name in ("lu-24", "java-pool", "java-philosophers", "samples", "user-events"):
        with lzma.open(os.path.join(ARCHIVES, name + ".tar.xz")) as packed, tarfile.open(fileobj=packed) as archive:
            archive.extractall(place)
    return place


def shown(width, words, **environment):
    """What a command prints on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        os.environ.update({"TERM": "xterm", **environment})
        os.execv(HEDDLE, [HEDDLE, *words])
    data = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the terminal's other side is closed
            piece = b""
        if not piece:
            break
        data += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return data.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", ["lu-24", "java-pool", "java-philosophers", "samples", "user-events"])
def test_nothing_is_wider_than_the_terminal(name, width):
    for command in COMMANDS:
        text = STYLE.sub("", shown(width, [*command.split(), os.path.join(archives(), name)]))
        wide = [line for line in text.splitlines() if len(line) > width and not line.startswith("heddle ")]  # no errors
        same(wide, [], f"heddle {command}: too wide for {width}")
        check(not any(line.endswith(" ") for line in text.splitlines() if not line.startswith("heddle")), f"heddle {command}: blanks at the end")


def test_what_has_no_room_is_named():
    """Nothing is lost without a word: a column is there, or its name is in a line below."""
    whole = heddle("imbalance", os.path.join(archives(), "lu-24")).out
    text = shown(80, ["imbalance", os.path.join(archives(), "lu-24")], NO_COLOR="1")
    titles = re.split(r"\s{2,}", whole.splitlines()[0])
    check("Lost, at most" in titles and len(titles) > 8, f"titles: {titles}")
    table = text.split("\n\n", maxsplit=1)[0]
    for title in titles:
        check(all(word in table for word in title.replace(",", "").split()), f"{title} is neither a column nor named:\n{table}")
    named = re.search(r"No room for: ([\s\S]*)", table)
    check(named and "Lost, at most" not in named[1] and "Balance" in named[1], f"details are left out first:\n{table}")
    check("100.0 %" in text or "17.3 %" in text, f"numbers stay whole:\n{text}")


def test_styles_are_for_terminals_that_want_them():
    path = os.path.join(archives(), "lu-24")
    bold = re.findall(r"\x1b\[1m(.*?)\x1b\[0m", shown(200, ["states", path]))
    check("Thread" in bold and "RUN" in bold, f"bold: {bold}")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        check("\x1b" not in shown(200, ["states", path], **environment), f"no styles with {environment}")
    check("\x1b" not in heddle("states", path).out, "no styles in a file")
    same(STYLE.sub("", shown(1000, ["states", path])), heddle("states", path).out, "a wide terminal has the same text as a file")
