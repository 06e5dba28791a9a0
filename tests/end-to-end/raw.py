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


KINDS = _kinds()


def records(data):
    """The records of a chunk's bytes, up to the first zero head."""
    at, result = 0, []
    while at + 16 <= len(data):
        head, ticks = struct.unpack_from("2Q", data, at)
        if head == 0:
            break
        check(head >> 56 in KINDS, f"there is no kind of record {head >> 56}")
        kind, detail = KINDS[head >> 56], head >> 48 & 0xff
        words = kind.words or 2 + 2 * detail
        check(at + 8 * words <= len(data), f"a record of kind {kind.name} is cut off")
        result.append(Record(kind.name, detail, head & (1 << 48) - 1, ticks, struct.unpack_from(f"{words - 2}Q", data, at + 16)))
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
