"""
Exactly the records of the callbacks that the runtime delivers: for each construct, expected/<construct>.txt says which
callbacks each thread gets. Heddle's raw trace must say the same, and so must callback_log.c, which shares no code with
Heddle. If a runtime delivers something else than expected, both differ, and the file is to be changed. If only the raw
trace differs, Heddle is wrong.

`sequences.py --write CONSTRUCT [NAME=value]...` prints what callback_log.c sees, as a draft of an expected file.

An expected file has one block a thread, begun by a line `thread`; blocks and threads match in any order. A line is one callback; `*` stands for any text; a line that begins with `any ` stands for any number of
such callbacks. A line that begins with `- ` is delivered, but not recorded, because measurement is paused; `#` begins a comment. Tasks, regions and mutexes have the letters t, p, m and a number in the order in
which the thread meets them. A line `env NAME=value` before the first block sets a variable for the run. A program with several expected files has names like reduction-tree.txt and reduction-critical.txt.
"""
import glob
import itertools
import os
import re
import sys

import pytest

import raw
from harness import CALLBACK_LOG, SOURCE, check, directory, matches, process_directories, program, run, run_raw

EXPECTED = os.path.join(SOURCE, "expected")
constructs = sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(EXPECTED, "*.txt")))


def canonical(lines):
    """Numbers the ids of tasks, regions and mutexes anew, in the order in which they appear."""
    numbers = {}

    def rename(match):
        kind, number = match.groups()
        if (kind, number) == ("p", "0"):
            return "=none"
        mine = numbers.setdefault(kind, {})
        return f"={kind}{mine.setdefault(number, len(mine) + 1)}"
    return [re.sub(r"=([tpm])(\d+)\b", rename, line) for line in lines]


def construct(name):
    """The command for a construct's program. The part behind a hyphen distinguishes expected files of one program."""
    return [program("constructs/" + name.split("-")[0])]


def callbacks(command, settings):
    """What callback_log.c sees of a program: a list of lines a thread."""
    log = directory()
    done = run(command, CALLBACK_LOG=log, OMP_TOOL_LIBRARIES=CALLBACK_LOG, **settings)
    check(done.status == 0, f"{command} failed under the callback log: {done.err}")
    files = sorted(glob.glob(os.path.join(log, "*.txt")), key=lambda f: int(os.path.basename(f)[:-4]))
    return [canonical(open(path).read().splitlines()) for path in files]


def task(id_):
    return {0: "none", 1: "implicit"}.get(id_, f"t{id_}")


def flags(detail):
    """The bits of RAW_TASK_* as OMPT has them."""
    bits = {0x01: 0x4, 0x02: 0x8, 0x04: 0x10, 0x08: 0x8000000, 0x10: 0x10000000, 0x20: 0x20000000, 0x40: 0x40000000,
            0x80: 0x80000000}
    return sum(ompt for raw_bit, ompt in bits.items() if detail & raw_bit)


def parallel(detail):
    return f"league={detail & 1} runtime={detail >> 1 & 1}"


def chunk(kind, first, iterations):
    return f"chunk kind={kind} first={first} iterations={iterations}"


def signed(n, bits):
    return n - (1 << bits) if n >> (bits - 1) else n


def kinds(words):
    return ",".join(str(w) for w in words[::2])


def of_kind(text):
    return lambda r: f"{text} kind={r.detail}"


def of_mutex(text):
    return lambda r: f"{text} kind={r.detail} id=m{r.value}"


# A record, as the callback that it stands for. This is the contract between the tool's callbacks and the raw trace.
CALLBACK_OF = {
    "thread_begin": lambda r: f"thread_begin type={r.detail}",
    "thread_end": lambda r: "thread_end",
    "parallel_begin": lambda r: f"parallel_begin id=p{r.words[0] & (1 << 48) - 1} requested={r.words[0] >> 48} {parallel(r.detail)}",
    "parallel_end": lambda r: f"parallel_end id=p{r.value} {parallel(r.detail)}",
    "implicit_begin": lambda r: f"implicit_begin flags={r.detail} id=p{r.value} index={r.words[0] >> 32} size={r.words[0] & 0xffffffff}",
    "implicit_end": lambda r: f"implicit_end flags={r.detail}",
    "work_begin": lambda r: f"work_begin kind={r.detail} count={r.words[0]}",
    "work_end": of_kind("work_end"),
    "chunk": lambda r: chunk(r.detail, signed(r.value >> 16, 32), r.value & 0xffff),
    "chunk_wide": lambda r: chunk(r.detail, signed(r.words[0], 64), r.words[1]),
    "section": lambda r: "section",
    "sync_begin": of_kind("sync_begin"),
    "sync_end": of_kind("sync_end"),
    "wait_begin": of_kind("wait_begin"),
    "wait_end": of_kind("wait_end"),
    "reduction_begin": lambda r: "reduction_begin",
    "reduction_end": lambda r: "reduction_end",
    "mutex_acquire": of_mutex("mutex_acquire"),
    "mutex_acquired": of_mutex("mutex_acquired"),
    "mutex_released": of_mutex("mutex_released"),
    "lock_init": of_mutex("lock_init"),
    "lock_destroy": of_mutex("lock_destroy"),
    "nest_begin": lambda r: f"nest_begin id=m{r.value}",
    "nest_end": lambda r: f"nest_end id=m{r.value}",
    "masked_begin": lambda r: "masked_begin",
    "masked_end": lambda r: "masked_end",
    "task_create": lambda r: f"task_create id={task(r.words[0])} flags={flags(r.detail):#x}",
    "task_dependences": lambda r: f"task_dependences id={task(r.value)} kinds={kinds(r.words)}",
    "task_switch": lambda r: f"task_schedule prior=* status={r.detail} next={task(r.value)}",
    "task_status": lambda r: f"task_schedule prior={task(r.words[0])} status={r.detail} next={task(r.value)}",
    "task_pair": lambda r: f"task_pair source={task(r.value)} sink={task(r.words[0])}",
    "cancel": lambda r: f"cancel flags={r.detail:#x}",
    "flush": lambda r: "flush",
    "control": lambda r: f"control command={r.value} modifier={r.words[0]}",
    "error": lambda r: f"error severity={r.detail}",
    "doacross": lambda r: f"doacross kinds={kinds(r.words)}",
}
# Records that no callback stands behind: the tool's own.
OWN = ["reading", "thread_name", "stall", "gap", "id_block_taken", "doacross_wait"]
# One record that is two callbacks.
TWO = {"barrier_begin": ("sync_begin", "wait_begin"), "barrier_end": ("wait_end", "sync_end")}


def one_a_callback(records_):
    return [record._replace(name=name) for record in records_ for name in TWO.get(record.name, [record.name])]


def as_callbacks(records_):
    """The callbacks that a thread's records stand for. A switch is from the task that the thread is in."""
    lines, current = [], "implicit"
    for record in one_a_callback(records_):
        if record.name in OWN:
            continue
        line = CALLBACK_OF[record.name](record)
        if record.name == "task_switch":
            line, current = line.replace("prior=*", "prior=" + current), task(record.value)
        elif record.name == "task_status" and record.value:
            current = task(record.value)
        lines.append(line)
    return canonical(lines)


def records(command, settings):
    """What Heddle's raw trace has of a program: a list of lines a thread."""
    done = run_raw(command, **settings)
    check(done.status == 0, f"{command} failed: {done.err}")
    directories = process_directories(done.trace)
    check(len(directories) == 1, f"{len(directories)} process directories in {done.trace}")
    return [as_callbacks(thread) for thread in raw.threads(directories[0]).values()]


def expected(name):
    """Settings for the run and the blocks of an expected file, named as below expected/."""
    settings, blocks = {}, []
    for line in open(os.path.join(EXPECTED, name + ".txt")):
        line = line.split("#")[0].strip()
        if line.startswith("env "):
            settings.update([line[4:].split("=", 1)])
        elif line == "thread":
            blocks.append([])
        elif line:
            blocks[-1].append(line)
    return settings, blocks


def first_difference(block, lines):
    """None when a thread's lines are what the block says, else (index, text)."""
    at = 0
    for expectation in block:
        if expectation.startswith("any "):
            while at < len(lines) and matches(expectation[4:], lines[at]):
                at += 1
        elif at == len(lines):
            return at, f"ends before {expectation!r}"
        elif not matches(expectation, lines[at]):
            return at, f"line {at + 1} is {lines[at]!r}, should be {expectation!r}"
        else:
            at += 1
    return None if at == len(lines) else (at, f"line {at + 1} is one too many: {lines[at]!r}")


def compare(source, blocks, threads):
    check(len(blocks) == len(threads), f"{source} has {len(threads)} threads, should have {len(blocks)}")
    for order in itertools.permutations(threads):
        differences = [first_difference(block, lines) for block, lines in zip(blocks, order)]
        if not any(differences):
            return
    # Say where the given order differs: nearly always this order was meant.
    for number, (block, lines) in enumerate(zip(blocks, threads)):
        difference = first_difference(block, lines)
        if difference:
            shown = "\n    ".join(lines[max(0, difference[0] - 5):difference[0] + 3])
            raise AssertionError(f"{source}, thread {number}: {difference[1]}; around it:\n    {shown}")


def same_as_delivered(name, **settings):
    """Records and callbacks of two runs are the same, whatever they are. For programs without any choice."""
    compare("the raw trace", callbacks(construct(name), settings), records(construct(name), settings))


def same_as_expected(name, command, **settings):
    """Callbacks and records agree with an expected file."""
    in_file, blocks = expected(name)
    settings.update(in_file)
    delivered = [[line.removeprefix("- ") for line in block] for block in blocks]
    recorded = [[line for line in block if not line.startswith("- ")] for block in blocks]
    compare("the runtime", delivered, callbacks(command, settings))
    compare("the raw trace", recorded, records(command, settings))


@pytest.mark.parametrize("name", constructs)
def test_records_are_the_callbacks(name):
    same_as_expected(name, construct(name))


def write(command, settings):
    """Prints what callback_log.c sees as a draft of an expected file; `settings` are arguments NAME=value."""
    for lines in callbacks(command, dict(setting.split("=", 1) for setting in settings)):
        print("thread\n  " + "\n  ".join(lines))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(construct(sys.argv[2]), sys.argv[3:])
