"""Reads a report of `heddle report` back: its bundle and the lanes of its timeline, by the format's description alone
(analyzer/report/README.md)."""
import base64
import json
import re
import zlib

ELEMENT = re.compile(r'<script type="application/octet-stream;base64" id="(heddle-[a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>')


def inflate(data):
    return zlib.decompressobj(-15).decompress(data)


def elements(html):
    return {name: base64.b64decode(text, validate=True) for name, text in ELEMENT.findall(html)}


ELIDED = 1
WHOLE = 32


def numbers_of(data):
    """LEB128."""
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0
    assert shift == 0


def segments_of(data):
    """A block's segments: (duration, code, mixture). A mixture is the shares of codes, empty but for elided segments."""
    numbers = numbers_of(data)
    found = []
    for duration in numbers:
        code = next(numbers)
        mixture = []
        parts = next(numbers) if code == ELIDED else 0
        for part in range(parts):
            mixed = next(numbers)
            mixture.append((mixed, next(numbers) if part + 1 < parts else WHOLE - sum(share for _, share in mixture)))
        assert code != ELIDED or (parts > 0 and all(share > 0 for _, share in mixture)), mixture
        found.append((duration, code, tuple(mixture)))
    return found


class Report:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.html = file.read()
        parts = elements(self.html)
        self.bundle = json.loads(inflate(parts["heddle-bundle"]))
        self.runs = self.bundle["runs"]
        self.blobs = [parts[f"heddle-lanes-{i}"] for i in range(len(self.runs))]

    def levels(self, run, location, lane):
        """A lane's levels, each a list of blocks."""
        levels = self.runs[run]["timeline"]["locations"][location]["lanes"][lane]["levels"]
        blocks = []
        for entry in levels:
            blocks.append(blocks[entry] if isinstance(entry, int) else entry)
        return blocks

    def segments(self, run, location, lane, level):
        """All segments of one level: (begin, end, code, mixture). Checks the blocks on the way."""
        found = []
        for begin, end, count, longest, offset, size in self.levels(run, location, lane)[level]:
            time = begin
            seen = 0
            segments = segments_of(inflate(self.blobs[run][offset:offset + size]))
            assert 0 < len(segments) == count <= 2046
            for duration, code, mixture in segments:
                assert duration > 0
                found.append((time, time + duration, code, mixture))
                time += duration
                seen = max(seen, duration if code != ELIDED else 0)
            assert time == end and seen == longest, (time, end, seen, longest)
        return found
