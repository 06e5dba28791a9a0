"""
The raw trace of one process as lists of records, decoded as common/raw/raw_trace.h describes it, without any code of
Heddle. Kinds, numbers and lengths are read from this header.
"""
import collections
import glob
import os
import re
import struct

from harness import SOURCE, check

HEADER = os.path.join(SOURCE, "..", "..", "common", "raw", "raw_trace.h")
HEADER_BYTES = 64
MAGIC = 0x3157415244444548

Kind = collections.namedtuple("Kind", "name words")
Record = collections.namedtuple("Record", "name detail value ticks words")


def _kinds():
    found = re.findall(r"X\((RAW_\w+), (\d+), (\d+)\)", open(HEADER).read())
    check(len(found) >= 40, f"can't read the kinds of records in {HEADER}")
    return {int(number): Kind(name[4:].lower(), int(words)) for name, number, words in found}


def _with_short():
    """The kinds that have short records: the cases of the switch in the header."""
    body = re.search(r"raw_has_short\(unsigned kind\)\n{(.*?)default:", open(HEADER).read(), re.S)[1]
    return {name.lower() for name in re.findall(r"case RAW_(\w+):", body)}


KINDS = _kinds()
WITH_SHORT = _with_short()
FIRST_OF = {"barrier_begin": "sync_begin", "barrier_end": "wait_end"}  # how an entry calls it
BOTH_OF = {first: both for both, first in FIRST_OF.items()}
NUMBERS = {kind.name: number for number, kind in KINDS.items()}


MOVING_WORD = {"parallel_begin", "task_create", "work_begin"}  # the second word moves
MOVING_VALUE = {"parallel_end", "chunk"}
MOVING_IDS = 1 << 24
MONITOR = 64


def _bits(word, first, last):
    return word >> first & (1 << last - first + 1) - 1


def _signed(number, bits):
    return number - (1 << bits) if number >> bits - 1 else number


def _split(kind, detail, value, word):
    """What of a record stays, as a head and a word, and what moves; None: nothing does."""
    head = NUMBERS[FIRST_OF.get(kind, kind)] << 56 | detail << 48
    if kind in MOVING_WORD:
        return head | value, 0, word
    if kind in MOVING_VALUE or kind == "task_switch" and value >= MOVING_IDS:
        return head, 0, value
    if kind == "implicit_begin" and word >> 32 < 1 << 24 and word & 0xffffffff < 1 << 24:
        return head | word >> 32 << 24 | word & 0xffffff, 0, value
    if kind == "mutex_acquire" and detail != MONITOR:
        return head | word, 0, value
    return head | value, word, None


def _moved(kind, was, by):
    """The part that moves, after it has."""
    if kind == "chunk":
        first, iterations = (was >> 16) + _signed(by >> 5, 11), (was & 0xffff) + _signed(by & 31, 5)
        return (first & 0xffffffff) << 16 | iterations
    return was + _signed(by, 16) * (4 if kind == "mutex_acquire" else 1)


class _Chunk:
    """What the short records of a chunk build on."""

    def __init__(self):
        self.entries, self.base, self.lock = {}, 0, None

    def note(self, record):
        """A whole record of a kind that has short ones."""
        word = record.words[0] if record.words else 0
        head, more, _ = _split(record.name, record.detail, record.value, word)
        place = ((head ^ more << 7) * 0x9e3779b97f4a7c15 & (1 << 64) - 1) >> 55
        self.entries[place] = record._replace(name=FIRST_OF.get(record.name, record.name))
        self._built(record)

    def _built(self, record):
        self.base = record.ticks
        if record.name in ("mutex_acquire", "mutex_acquired"):
            self.lock = record.detail, record.value

    def _move(self, word, ticks):
        place = _bits(word, 46, 54)
        was = self.entries[place]
        _, _, moving = _split(was.name, was.detail, was.value, was.words[0] if was.words else 0)
        check(moving is not None, f"nothing moves in a {was.name}")
        moving = _moved(was.name, moving, _bits(word, 30, 45))
        change = {"words": (moving,)} if was.name in MOVING_WORD else {"value": moving}
        self.entries[place] = was._replace(ticks=self.base + ticks, **change)
        self._built(self.entries[place])
        return self.entries[place]

    def meant(self, name, word):
        """The records that a short one means."""
        if name == "short":
            record = self.entries[_bits(word, 46, 54)]
            record = record._replace(name=BOTH_OF[record.name] if word >> 55 & 1 else record.name, ticks=self.base + _bits(word, 0, 45))
            result = [record]
        elif name == "short_lock":
            name = "mutex_released" if word >> 55 & 1 else "mutex_acquired"
            result = [Record(name, *self.lock, self.base + _bits(word, 0, 54), ())]
        elif name == "short_moved":
            result = [self._move(word, _bits(word, 0, 29))]
        else:
            acquire = self._move(word, _bits(word, 0, 19))
            result = [acquire, acquire._replace(name="mutex_acquired", ticks=self.base + _bits(word, 20, 29), words=())]
        self._built(result[-1])
        return result


def records(data):
    """The records of a chunk's bytes, up to the first zero head."""
    at, result, chunk = 0, [], _Chunk()
    while at + 8 <= len(data):
        head, = struct.unpack_from("Q", data, at)
        if head == 0:
            break
        check(head >> 56 in KINDS, f"there is no kind of record {head >> 56}")
        kind = KINDS[head >> 56]
        words = kind.words or 2 + 2 * (head >> 48 & 0xff)
        check(at + 8 * words <= len(data), f"a record of kind {kind.name} is cut off")
        if kind.name.startswith("short"):
            result += chunk.meant(kind.name, head)
        else:
            ticks, *more = struct.unpack_from(f"{words - 1}Q", data, at + 8)
            result.append(Record(kind.name, head >> 48 & 0xff, head & (1 << 48) - 1, ticks, tuple(more)))
            if kind.name in WITH_SHORT:
                chunk.note(result[-1])
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
