"""
Samples in samples.otf2, read with python3-otf2: which code each thread was in, and what the archive says of them.
"""
import collections
import os
import re

import _otf2
import otf2

from harness import check, same

Sample = collections.namedtuple("Sample", "thread time path java")  # path: (function, line), outermost first; java: of Java's methods


def is_java(region):
    """Native code has its module as description, or is [unknown]."""
    return region.description == "" and region.name != "[unknown]"


class Samples:
    def __init__(self, directory):
        with otf2.reader.open(os.path.join(directory, "samples.otf2")) as reader:
            self.generators = [(g.name, g.base, g.exponent, g.period) for g in reader.definitions.interrupt_generators]
            self.locations = [l.name for l in reader.definitions.locations]
            paths, java = {None: ()}, {None: True}
            for context in reader.definitions.calling_contexts:
                line = context.source_code_location
                name = context.region.name
                paths[context] = (*paths[context.parent], (name, line.line_number if line else 0))
                java[context] = name == "[callers unknown]" or (java[context.parent] and is_java(context.region))
            self.list = [Sample(location.name, event.time, paths[event.calling_context], java[event.calling_context])
                         for location, event in reader.events]
        with otf2.reader.open(os.path.join(directory, "traces.otf2")) as reader:
            self.properties = properties_of(reader)

    def number(self, name):
        return int(self.properties[f"HEDDLE::{name}"])

    def lost(self):
        """Numbers of lost samples by reason; they add up."""
        why = self.properties.get("HEDDLE::SAMPLES_LOST_WHY", "")
        reasons = {m[2]: int(m[1]) for m in re.finditer(r"(\d+) ([^,]+)", why)}
        same(sum(reasons.values()), self.number("SAMPLES_LOST"), f"the sum of {why!r}")
        return reasons

    def of(self, thread):
        return [s for s in self.list if s.thread == thread]

    def in_function(self, name, samples=None):
        return [s for s in (self.list if samples is None else samples) if any(f == name for f, _ in s.path)]


def properties_of(reader):
    return {name: _otf2.Reader_GetProperty(reader.handle, name) for name in _otf2.Reader_GetPropertyNames(reader.handle)}


def check_samples(directory):
    """Whether the archive of samples is well-formed and says how many it has."""
    samples = Samples(directory)
    same(len(samples.list), samples.number("SAMPLES"), "samples in the archive")
    last = collections.defaultdict(int)
    for sample in samples.list:
        check(sample.time >= last[sample.thread], f"time goes back in {sample.thread}")
        last[sample.thread] = sample.time
    cut = [s for s in samples.list if s.path[0][0] == "[callers unknown]"]
    same(len(cut), samples.number("SAMPLES_CUT"), "samples whose outermost callers are unknown")
    same(len(samples.in_function("[unknown method]")), samples.number("SAMPLES_UNNAMED"), "samples in or below a method without a name")
    return samples
