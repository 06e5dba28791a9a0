"""Runs under `heddle record --calls`, and the sums of calls.otf2, for the tests of exact calls."""
import collections
import functools
import os
import re

import otf2
import pytest

import quick_otf2  # noqa: F401
from harness import PROGRAMS, check, directory, heddle, same

Sums = collections.namedtuple("Sums", "calls inclusive self blocked shortest longest running durations site")
COMPILERS = {"clang": "", "gcc": "_gcc", "clang -mfentry": "_fentry", "gcc -mfentry": "_fentry_gcc"}  # the programs, by the ends of their names


@functools.cache
def own(function):
    """The letter of a function that the programs count, too: f_a, or (anonymous namespace)::f_a(int). Empty: it is another one."""
    found = re.fullmatch(r"(?:.*::)?f_([a-z])(?:\(.*\))?", function)
    return found.group(1) if found else ""


@functools.cache
def exponent(attribute):
    """n of a class of durations, "shorter than 2^n"."""
    return int(attribute.split("^")[1])


def path_of(name):
    path = os.path.join(PROGRAMS, "calls", name)
    if not os.path.exists(path):
        pytest.skip(f"{path} is not built")
    return path


class Calls:
    """calls.otf2: by location, the sums of each path of functions, which is a tuple of names."""

    def __init__(self, directory_):
        self.locations = []  # (name, process, {path: [Sums]})
        with otf2.reader.open(os.path.join(directory_, "calls.otf2")) as reader:
            self.paths, by_definition = {}, {}
            for context in reader.definitions.calling_contexts:
                above = self.paths[context.parent] if context.parent else ()
                self.paths[context] = above + (context.region.name,)
            for location in reader.definitions.locations:
                by_definition[location] = {}
                self.locations.append((location.name, location.group.name, by_definition[location]))
            for location, event in reader.events:
                by_definition[location].setdefault(self.paths[event.calling_context], []).append(self.sums(event))

    @staticmethod
    def sums(event):
        values = {a.name: v for a, v in event.attributes.items()}
        durations = {exponent(n): v for n, v in values.items() if n.startswith("shorter than")}
        return Sums(values["calls"], values["inclusive"], values["self"], values.get("blocked", 0), values.get("shortest"), values.get("longest"),
                    values.get("running", 0), durations, values.get("called at"))

    @staticmethod
    def own_calls_of(contexts):
        """Calls by path, of the functions that the program counts, too, as letters: f_a is a."""
        calls = collections.Counter()
        for path, several in contexts.items():
            if own(path[-1]):
                calls["".join(own(f) for f in path)] += sum(s.calls for s in several)
        return calls

    def own_calls(self):
        """The same of all threads."""
        return sum((self.own_calls_of(contexts) for _, _, contexts in self.locations), collections.Counter())

    def are_whole(self):
        """What must hold of all sums."""
        for name, _, contexts in self.locations:
            children = collections.Counter()
            for path, several in contexts.items():
                children[path[:-1]] += sum(s.inclusive for s in several)
                for s in several:
                    same(sum(s.durations.values()) + s.running, s.calls, f"{name} {path}: calls by duration, and running")
                    check(s.running <= 1, f"{name} {path}: {s.running} running")
                    if s.durations:
                        check(s.shortest <= s.longest <= s.inclusive, f"{name} {path}: shortest {s.shortest}, longest {s.longest}")
            for path, several in contexts.items():
                same(sum(s.self + s.blocked for s in several) + children[path], sum(s.inclusive for s in several),
                     f"{name} {path}: self, blocked and children's time")


def recorded(*command, status=0, options=(), **settings):
    """A run under `heddle record --calls`, with the same output and status as the program alone."""
    directory_ = os.path.join(directory(), "run.heddle")
    done = heddle("record", "--calls", *options, "-o", directory_, "--", *command, **settings)
    same(done.status, status, f"exit status, with {done.err}")
    calls = Calls(directory_)
    calls.are_whole()
    calls.directory = directory_
    return done, calls


def counted(out):
    """What a program says of itself: calls by thread, then by path."""
    threads = collections.defaultdict(collections.Counter)
    for thread, path, calls in re.findall(r"^path (\S+) (\w+) (\d+)$", out, re.M):
        threads[thread][path] += int(calls)
    return threads


def same_as_counted(done, calls):
    threads = counted(done.out)
    check(threads, "the program counted nothing")
    trees = [calls.own_calls_of(contexts) for _, _, contexts in calls.locations]
    for thread, paths in threads.items():
        is_ = min(trees, key=lambda tree: sum(abs(tree[p] - paths[p]) for p in set(tree) | set(paths)))  # threads' names are not ours alone
        trees.remove(is_)
        different = {p: (is_[p], paths[p]) for p in set(is_) | set(paths) if is_[p] != paths[p]}
        check(not different, f"{thread}: {len(different)} of {len(paths)} paths differ: {list(different.items())[:10]}")
    return threads
