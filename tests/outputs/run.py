#!/usr/bin/python3
"""
Runs every command of heddle on the archives in archives/, and compares the outputs with expected/: data by digests, text as it is.

  run.py [NAME...]          these archives, or all of them (`several`: the commands that take more than one)
  run.py --list             prints their names
  run.py --only TEXT        archives or commands with TEXT in their name
  run.py --update           makes the present outputs the expected ones
  run.py --other HEDDLE     compares with another build's command instead of expected/, all outputs in full
  run.py --lines N          prints N lines of a difference (default: 60 a command)

HEDDLE_BUILD is the build tree. Exit status: 0 all outputs are as expected, 1 some differ, 2 wrong usage.
"""
import argparse
import collections
import difflib
import glob
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile

import cases
import shown

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build"))
HEDDLE = os.path.abspath(os.path.join(BUILD, "bin", "heddle"))
ARCHIVES, EXPECTED = os.path.join(SOURCE, "archives"), os.path.join(SOURCE, "expected")
TIMEOUT = 120

# data: [(name, bytes)], what programs read: standard output, a page's data, files. text: standard output for people, as lines.
Output = collections.namedtuple("Output", "status data text messages")


def names():
    found = [os.path.basename(path)[:-len(".tar.xz")] for path in glob.glob(os.path.join(ARCHIVES, "*.tar.xz"))]
    return [*sorted(found), "several"]


def environment(work):
    """The same everywhere; the options of sanitizers are passed on."""
    env = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    return {**env, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": work}


def output(heddle, case, work, full):
    """Runs a command. `full`: the data of pages without digests in it."""
    command, how, served = [heddle, *case.words], {"cwd": work, "env": environment(work)}, []
    try:
        if case.words[0] == "view":
            status, out, err, served = shown.view_data(command, full, **how)
        else:
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False, **how)
            status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return Output(f"hangs (more than {TIMEOUT} s)", [], [], [])
    is_data = cases.is_data(case)
    data = ([("standard output", out)] if is_data else []) + ([("page", served)] if served else [])
    data += [(file, shown.file_data(os.path.join(work, file), full)) for file in case.files]
    return Output(str(status), data, [] if is_data else shown.lines_of(out), shown.lines_of(err))


def needed(case, only):
    """Whether to run a command: one that writes a file may be needed by another."""
    return not only or only in command_of(case) or {"-o", "--save-list"} & set(case.words)


def command_of(case):
    return "heddle " + " ".join(case.words)


def outputs(heddle, name, full=False, only=None):
    """{command: Output} of an archive."""
    of_it, archives = cases.of(name)
    with tempfile.TemporaryDirectory(prefix="heddle-outputs-") as work:
        for archive in archives:
            with tarfile.open(os.path.join(ARCHIVES, f"{archive}.tar.xz")) as tar:
                tar.extractall(work)
        with open(os.path.join(work, "run.spec"), "w", encoding="utf-8") as file:
            file.write(cases.SPECIFICATION)
        return {command_of(case): output(heddle, case, work, full) for case in of_it if needed(case, only)}


def summary(output):
    """A line of a .digests file, without the command: status, number of messages, lines of data, digest."""
    lines = sum(data.count(b"\n") for _, data in output.data)
    pieces = b"".join(b"%s %d\n%s" % (name.encode(), len(data), data) for name, data in output.data)
    what = shown.digest(pieces) if output.data else "text" if output.text else "nothing"
    return f"{output.status} {len(output.messages)} {lines if output.data else '-'} {what}"


def text_of(output):
    return ["  " + line for line in output.text] + ["! " + line for line in output.messages]


def texts(name, found):
    """
    {command: lines} of the commands whose text is compared. A long text that an earlier command printed, too, is not repeated.
    """
    first, kept = {}, {}
    for command, output in found.items():
        lines = text_of(output)
        if not lines or not cases.has_text(name, command.split()[1]):
            continue
        same_as = first.setdefault("\n".join(lines), command)
        kept[command] = lines if same_as == command or len(lines) < 8 else [f"# as: {same_as}"]
    return kept


def in_full(found):
    """{command: lines} of everything, for a comparison of two builds."""
    lines = {}
    for command, output in found.items():
        lines[command] = [f"= status {output.status}", *text_of(output)]
        for name, data in output.data:
            binary = name.endswith((".pes", ".pftrace"))
            lines[command] += [f"> {name}", *([f"  {len(data)} bytes, {shown.digest(data)}"] if binary else ["  " + line for line in shown.lines_of(data)])]
    return lines


def path_of(name, kind):
    return os.path.join(EXPECTED, f"{name}.{kind}")


def update(name, digests, kept):
    """
    Writes the expectation: a .digests file of each archive, and a .txt file of each archive whose text is compared.
    """
    os.makedirs(EXPECTED, exist_ok=True)
    with open(path_of(name, "digests"), "w", encoding="utf-8", newline="\n") as file:
        file.write("".join(f"{line} {command}\n" for command, line in digests.items()))
    if kept:
        with open(path_of(name, "txt"), "w", encoding="utf-8", newline="\n") as file:
            file.write("".join(f"$ {command}\n" + "".join(line + "\n" for line in lines) for command, lines in kept.items()))
    elif os.path.exists(path_of(name, "txt")):
        os.unlink(path_of(name, "txt"))


def lines_in(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def expected(name):
    """The digests and the texts as update() got them."""
    digests, kept, lines = {}, {}, []
    for line in lines_in(path_of(name, "digests")):
        before, _, words = line.partition(" heddle ")
        digests[f"heddle {words}"] = before
    for line in lines_in(path_of(name, "txt")):
        if line.startswith("$ "):
            lines = kept.setdefault(line[2:], [])
        else:
            lines.append(line)
    return digests, kept


def number(count, what):
    return f"{count} {what}{'s' if count != '1' else ''}"


def readable(line):
    """A line of a .digests file, for a message."""
    status, messages, lines, what = line.rsplit(" ", 3)
    data = f"{number(lines, 'line')} of data with digest {what}" if lines != "-" else what
    return f"status {status}, {number(messages, 'line')} on standard error, {data}"


def digest_difference(old, new, messages):
    """What differs in a line of a .digests file, and the standard error, if it is not compared elsewhere."""
    if old == new:
        return []
    if old is None or new is None:
        return ["is not expected" if old is None else "is no command of cases.py any more"]
    return [f"- {readable(old)}", f"+ {readable(new)}", *(f"! {line}" for line in messages)]


def text_difference(old, new, most):
    """A unified diff, or nothing."""
    lines = list(difflib.unified_diff(old, new, "expected", "is", n=2, lineterm=""))
    left = [f"... and {len(lines) - most} lines more (--lines)"] if len(lines) > most else []
    return [*(line[:2000] for line in lines[:most]), *left]


def hint(name, commands):
    """Advice how to see a difference if only digests are known."""
    only = ["--only", shlex.quote(commands[0][len("heddle "):])] if len(commands) == 1 else []
    return " ".join([f"HEDDLE_BUILD={shlex.quote(os.path.abspath(BUILD))}", shlex.quote(os.path.join(SOURCE, "run.py")), "--other OTHER/build/bin/heddle",
                     name, *only])


def compare(name, arguments):
    """Prints how an archive's outputs differ; how many do."""
    only = arguments.only if arguments.only != name else None
    found = outputs(HEDDLE, name, bool(arguments.other), only)
    if arguments.other:
        old, new = in_full(outputs(os.path.abspath(arguments.other), name, True, only)), in_full(found)
        old_digests = new_digests = {}
    else:
        new_digests, new = {command: summary(output) for command, output in found.items()}, texts(name, found)
        if arguments.update:
            update(name, new_digests, new)
            return 0
        old_digests, old = expected(name)
    differ, unseen = 0, []
    for command in {**old_digests, **found}:
        if only and only not in command:
            continue
        messages = found[command].messages[:arguments.lines] if command in found and command not in new else []
        digests = digest_difference(old_digests.get(command), new_digests.get(command), messages)
        lines = digests + text_difference(old.get(command, []), new.get(command, []), arguments.lines)
        if lines:
            print("\n".join([f"{name}: {command}", *lines, ""]))
            differ += 1
        if digests:
            unseen.append(command)
    if unseen:
        print(f"{name}: to see all that differs, compare with the command of a build with the expected outputs:\n  {hint(name, unseen)}\n")
    return differ


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="run.py [OPTION]... [NAME]...")
    parser.add_argument("names", nargs="*")
    for flag in ("list", "update"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--other")
    parser.add_argument("--lines", type=int, default=60)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names())
    if unknown:
        parser.error(f"there is no archive {unknown.pop()!r}")
    if arguments.update and (arguments.other or arguments.only):
        parser.error("--update takes all commands of an archive: give the archive's name")
    arguments.names = arguments.names or ([arguments.only] if arguments.only in names() else names())
    return arguments


def main():
    arguments = parse()
    if arguments.list:
        print("\n".join(arguments.names))
        return
    differ = {name: count for name in arguments.names if (count := compare(name, arguments))}
    for name, count in differ.items():
        print(f"DIFFERS: {name}: {count} commands")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
