"""
The raw trace of one process as lists of records, decoded as common/raw_trace.h describes it (kinds, numbers and lengths
are read from that header), without any code of Heddle.
"""
import collections
import glob
import os
import re
import struct

from harness import SOURCE, check

HEADER = os.path.join(SOURCE, "..", "..", "common", "raw_trace.h")
HEADER_BYTES = 64
MAGIC = 0x3157415244444548

Kind = collections.namedtuple("Kind", "name words")
Record = collections.namedtuple("Record", "name detail value ticks words")


def _kinds():
    found = re.findall(r"X\((RAW_\w+), (\d+), (\d+)\)", open(HEADER).read())
    check(len(found) >= 40, f"can't read the kinds of records in {HEADER}")
    return {int(number): Kind(name[4:].lower(), int(words)) for name, number, words in found}


def _with_short():
    """The kinds that have short records: those of the switch in the header."""
    body = re.search(r"raw_has_short\(unsigned kind\)\n{(.*?)default:", open(HEADER).read(), re.S)[1]
    return {name.lower() for name in re.findall(r"case RAW_(\w+):", body)}


KINDS = _kinds()
WITH_SHORT = _with_short()
FIRST_OF = {"barrier_begin": "sync_begin", "barrier_end": "wait_end"}  # how an entry calls it
BOTH_OF = {first: both for both, first in FIRST_OF.items()}
NUMBERS = {kind.name: number for number, kind in KINDS.items()}


def _entry(head, word):
    """Which entry a record takes, and what it holds."""
    kind = KINDS[head >> 56].name
    first = NUMBERS[FIRST_OF.get(kind, kind)] << 56 | head & (1 << 56) - 1
    return ((first ^ word << 7) * 0x9e3779b97f4a7c15 & (1 << 64) - 1) >> 55, (first, word)


def records(data):
    """The records of a chunk's bytes, up to the first zero head."""
    at, result, entries, base = 0, [], {}, 0
    while at + 8 <= len(data):
        head, = struct.unpack_from("Q", data, at)
        if head == 0:
            break
        check(head >> 56 in KINDS, f"there is no kind of record {head >> 56}")
        kind = KINDS[head >> 56]
        words = kind.words or 2 + 2 * (head >> 48 & 0xff)
        check(at + 8 * words <= len(data), f"a record of kind {kind.name} is cut off")
        if kind.name == "short":
            base += head & (1 << 46) - 1
            entry_head, word = entries[head >> 46 & 511]
            meant = KINDS[entry_head >> 56]
            name = BOTH_OF[meant.name] if head >> 55 & 1 else meant.name
            result.append(Record(name, entry_head >> 48 & 0xff, entry_head & (1 << 48) - 1, base, (word,) * (meant.words - 2)))
        else:
            ticks, *more = struct.unpack_from(f"{words - 1}Q", data, at + 8)
            result.append(Record(kind.name, head >> 48 & 0xff, head & (1 << 48) - 1, ticks, tuple(more)))
            if kind.name in WITH_SHORT:
                place, entry = _entry(head, more[0] if more else 0)
                entries[place], base = entry, ticks
        at += 8 * words
    return result


def threads(process_directory):
    """{thread number: its records}, from the logs and from the windows. Not for rings."""
    chunks = collections.defaultdict(dict)

    def add(data, at, in_window):
        """Takes what stands at a place; returns the window size that it names, 0 for a hole."""
        magic, _, window_size, owner, used = struct.unpack_from("QIIQQ", data, at)
        check(magic in (0, MAGIC), "a chunk does not begin with the magic number")
        thread, sequence = owner >> 32, owner & 0xffffffff
        length = window_size - HEADER_BYTES if in_window else used
        if owner and (in_window or sequence not in chunks[thread]):
            chunks[thread][sequence] = records(data[at + HEADER_BYTES:at + HEADER_BYTES + length])
        return window_size

    for path in glob.glob(os.path.join(process_directory, "chunks-*.log")) + [os.path.join(process_directory, "windows")]:
        data, at, step = open(path, "rb").read(), 0, 0
        while at + HEADER_BYTES <= len(data):
            step = add(data, at, path.endswith("windows")) or step
            at += step or 4096
    return {thread: [r for sequence in sorted(parts) for r in parts[sequence]] for thread, parts in sorted(chunks.items())}
