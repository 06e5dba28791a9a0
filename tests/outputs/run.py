#!/usr/bin/python3
"""
What every command of heddle says of the archives in archives/ is what expected/ has: stdout, stderr, exit status, files.

  run.py [NAME...]          the archives to look at, all by default (`several`: what takes more than one)
  run.py --list             their names
  run.py --only TEXT        of the archives or commands with this in their name
  run.py --update           makes what is there the expectation
  run.py --other HEDDLE     compares with another build's command instead of expected/, everything in full
  run.py --show             prints what is expected
  run.py --lines N          of a difference, N lines (default: 60 a command)

HEDDLE_BUILD is the build tree. Exit status: 0 all is as expected, 1 something is not, 2 wrong usage.
"""
import argparse
import difflib
import glob
import lzma
import os
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
PLAIN, PROSE, PACKED = 2500, 8000, 24000  # bytes of an output that are kept as text; for a reader; packed. Of what is longer, digests
PROSE_OF = ("info", "states", "imbalance", "locks", "schedule", "pes", "predict", "fit")
EACH = 100  # lines of a digest


def names():
    found = [os.path.basename(path)[:-len(".tar.xz")] for path in glob.glob(os.path.join(ARCHIVES, "*.tar.xz"))]
    return [*sorted(found), "several"]


def environment(work):
    """The same everywhere; what the sanitizers are told is passed on."""
    env = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    return {**env, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": work}


def output(heddle, case, work, full):
    """What a command did, as lines: `= status` (unless 0), `  stdout`, `! stderr`, `> file` and its lines."""
    command, how, served = [heddle, *case.words], {"cwd": work, "env": environment(work)}, []
    try:
        if case.words[0] == "view":
            status, out, err, served = shown.view_lines(command, full, **how)
        else:
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False, **how)
            status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return [f"= hangs (more than {TIMEOUT} s)"]
    lines = [f"= status {status}"] if status else []
    lines += ["  " + line for line in shown.lines_of(out) + served] + ["! " + line for line in shown.lines_of(err)]
    for file in case.files:
        lines += [f"> {file}", *("  " + line for line in shown.file_lines(os.path.join(work, file), full))]
    return lines


def outputs(heddle, name, full=False):
    """{command: lines} of an archive."""
    of_it, archives = cases.of(name)
    with tempfile.TemporaryDirectory(prefix="heddle-outputs-") as work:
        for archive in archives:
            with tarfile.open(os.path.join(ARCHIVES, f"{archive}.tar.xz")) as tar:
                tar.extractall(work)
        with open(os.path.join(work, "run.spec"), "w", encoding="utf-8") as file:
            file.write(cases.SPECIFICATION)
        return {"$ heddle " + " ".join(case.words): output(heddle, case, work, full) for case in of_it}


def size(lines):
    return sum(len(line.encode()) + 1 for line in lines)


def digested(lines):
    """Lines that are too many: the first ones, and a digest of each hundred, so that it can be seen where something differs."""
    first = lines[:20]
    pieces = [shown.digest("\n".join(lines[at:at + EACH])) for at in range(0, len(lines), EACH)]
    return [*(line[:500] for line in first), f"# {len(lines)} lines, {size(lines)} bytes; digests of each {EACH}:",
            *("# " + " ".join(pieces[at:at + 6]) for at in range(0, len(pieces), 6))]


def referred(found):
    """Outputs that are those of an earlier command, as those of another number of threads should be, are named, not repeated."""
    first, short = {}, {}
    for command, lines in found.items():
        same_as = first.setdefault("\n".join(lines), command)
        short[command] = lines if same_as == command or size(lines) < 300 else [f"# as: {same_as[2:]}"]
    return short


def path_of(name, packed):
    return os.path.join(EXPECTED, f"{name}.more.xz" if packed else f"{name}.txt")


def text_of(found):
    return "".join(f"{command}\n" + "".join(line + "\n" for line in lines) for command, lines in found.items())


def parsed(text):
    found, lines = {}, []
    for line in text.split("\n")[:-1]:
        if line.startswith("$ "):
            lines = found.setdefault(line, [])
        else:
            lines.append(line)
    return found


def is_prose(command):
    """Tables and sentences are looked at in a commit, what programs read is not."""
    return command.split()[2] in PROSE_OF and not any(word.startswith(("--json", "--csv", "--csl", "--list")) for word in command.split())


def update(name, found):
    """Writes what is expected: small outputs as text, others packed, with a digest in the text."""
    os.makedirs(EXPECTED, exist_ok=True)
    large = {command: lines for command, lines in found.items() if size(lines) > (PROSE if is_prose(command) else PLAIN)}
    small = {command: [f"# packed: {len(lines)} lines, {shown.digest(text_of({command: lines}))}"] if command in large else lines
             for command, lines in found.items()}
    with open(path_of(name, False), "w", encoding="utf-8", newline="\n") as file:
        file.write(text_of(small))
    with open(path_of(name, True), "wb") as file:
        file.write(lzma.compress(text_of(large).encode(), preset=9 | lzma.PRESET_EXTREME))


def expected(name):
    """{command: lines} as update() got them."""
    if not os.path.exists(path_of(name, False)):
        return {}
    with open(path_of(name, False), encoding="utf-8", newline="\n") as file:
        small = parsed(file.read())
    with open(path_of(name, True), "rb") as file:
        return {**small, **parsed(lzma.decompress(file.read()).decode())}


def difference(command, old, new, most):
    """A unified diff, or nothing."""
    if old == new:
        return []
    if old is None or new is None:
        return [f"{command}: is not {'expected' if old is None else 'a command of cases.py any more'}"]
    lines = list(difflib.unified_diff(old, new, "expected", "is", n=2, lineterm=""))
    left = [f"... and {len(lines) - most} lines more (--lines)"] if len(lines) > most else []
    return [command, *(line[:2000] for line in lines[:most]), *left, ""]


def compare(name, arguments):
    """Prints how an archive's outputs differ; how many do."""
    found = outputs(HEDDLE, name, bool(arguments.other))
    if arguments.other:
        before = outputs(os.path.abspath(arguments.other), name, True)
    else:
        found = {c: digested(l) if size(l) > PACKED else l for c, l in referred(found).items()}
        before = expected(name)
    if arguments.update:
        update(name, found)
        return 0
    differ = 0
    for command in {**before, **found}:
        if arguments.only and arguments.only != name and arguments.only not in command:
            continue
        lines = difference(command, before.get(command), found.get(command), arguments.lines)
        if lines:
            print("\n".join([f"{name}: {lines[0]}", *lines[1:]]))
            differ += 1
    return differ


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage="run.py [OPTION]... [NAME]...")
    parser.add_argument("names", nargs="*")
    for flag in ("list", "update", "show"):
        parser.add_argument(f"--{flag}", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--other")
    parser.add_argument("--lines", type=int, default=60)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(names())
    if unknown:
        parser.error(f"there is no archive {unknown.pop()!r}")
    arguments.names = arguments.names or ([arguments.only] if arguments.only in names() else names())
    return arguments


def main():
    arguments = parse()
    if arguments.list:
        print("\n".join(arguments.names))
        return
    if arguments.show:
        for name in arguments.names:
            print(text_of({c: l for c, l in expected(name).items() if not arguments.only or arguments.only == name or arguments.only in c}), end="")
        return
    differ = {name: count for name in arguments.names if (count := compare(name, arguments))}
    for name, count in differ.items():
        print(f"DIFFERS: {name}: {count} commands")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
