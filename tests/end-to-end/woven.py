"""
Hooks in Java classes follow what observers need. Classes are woven while somebody needs it, and get back their own bytes
afterwards, as often as that changes. Meanwhile threads are in their methods and other agents redefine them.
"""
import os
import struct
import time
import zipfile

import pytest

import jomp
from harness import ON_LIBGOMP, PROGRAMS, check, directory, same
from pairs import LONGEST, Dormant, Observer

JAVAS = jomp.JAVAS if not ON_LIBGOMP else []
ROUNDS = int(os.environ.get("HEDDLE_TEST_ROUNDS", 6))
# What is woven for tasks of executors and of fork-join pools, for regions, and for waits.
EXECUTOR, FORKS, SMALL = "java/util/concurrent/ThreadPoolExecutor", "java/util/concurrent/ForkJoinTask", "Served$Small"
RUNTIME, REGION, SERVED = "jomp/runtime/OMP", "Served$Region", "Served"
CLASSES = [EXECUTOR, FORKS, SMALL, RUNTIME, REGION, SERVED]
TASKS = ["tasks@thread=counted-task", "tasks@thread=counted-fork"]
REGIONS = "parallel-regions@thread=0"  # as JOMP names the main thread


class Served(Dormant):
    """The program Served, and the code that classes in it have."""

    def __init__(self, java, *options, heddle=True, **settings):
        pipe = os.path.join(directory(), "bytes-heddle" if heddle else "bytes")
        for path in pipe, pipe + ".answers":
            os.mkfifo(path)
        agents = [f"-agentpath:{PROGRAMS}/jni/libbytes.so={pipe}", *([f"-agentpath:{jomp.AGENT}"] if heddle else [])]
        command = jomp.command(java, 2, "Served")
        self.questions = None
        self.done = 0
        super().__init__([command[0], *agents, *options, *command[1:]], HEDDLE_CONVERT="0", **settings)
        self.questions = open(pipe, "w", buffering=1)
        self.answers = open(pipe + ".answers")

    def work(self, n):
        super().work(n)
        self.done += n

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        if self.questions:
            self.questions.close()
            self.answers.close()

    def code(self):
        """{class: its bytes of code, and their sum}"""
        found = {}
        for name in CLASSES:
            self.questions.write(name + "\n")
            found[name] = self.answers.readline()
            check(not found[name].startswith("0 "), f"{name}: no code")
        return found

    def changed(self, own):
        return {name for name, code in self.code().items() if code != own[name]}

    def on(self):
        """Hooks that are on, and classes that have hooks."""
        with open(self.raw() + "control", "rb") as file:
            return struct.unpack_from("<II", file.read(4096), 3140)

    def turns_back(self, own):
        until = time.monotonic() + LONGEST
        while self.on() != (0, 0):
            check(time.monotonic() < until, f"hooks that are on, and classes with hooks: {self.on()}")
            time.sleep(0.05)
        same(self.changed(own), set(), "classes that have not their own code")


def own_code(java):
    with Served(java, heddle=False) as plain:
        code = plain.code()
        plain.end()
        return code


class Counting(Observer):
    """It has what is done since it came, of each of its pairs."""

    def __init__(self, served, *pairs, **settings):
        self.served = served
        self.before = served.done
        super().__init__(served, *pairs, **settings)

    def counts(self, n):
        """
        A thread adds up its last deed when it does something later. So does the one thread whose last deed was for an observer before.
        """
        self.served.work(n)
        time.sleep(0.12)
        self.served.work(1)
        least, most = self.served.done - 1 - self.before, self.served.done - self.before
        until = time.monotonic() + LONGEST
        while min(found := self.read()) < least:
            check(time.monotonic() < until, f"{found} of {least}")
        check(max(found) <= most + 1, f"{found}, which is more than {most} and one of before")


@pytest.mark.parametrize("java", JAVAS)
def test_each_part_is_woven_while_it_is_needed(java):
    own = own_code(java)
    with Served(java) as served:
        same((served.changed(own), served.on()), (set(), (0, 0)), "what is woven before")
        tasks = Counting(served, *TASKS)
        same(served.changed(own), {EXECUTOR, FORKS, SMALL, SERVED}, "what is woven for tasks: it also submits some")
        regions = Counting(served, REGIONS)
        same(served.changed(own), {EXECUTOR, FORKS, SMALL, RUNTIME, REGION, SERVED}, "what is woven for tasks and regions")
        tasks.counts(10)
        tasks.end()
        until = time.monotonic() + LONGEST
        while served.changed(own) != {RUNTIME, REGION, SERVED}:
            check(time.monotonic() < until, f"what is woven for regions: {served.changed(own)}")
        regions.counts(10)
        regions.end()
        served.turns_back(own)
        collections = Observer(served, "gc")
        same(served.changed(own), set(), "what is woven for collections")
        collections.end()
        served.end()


@pytest.mark.parametrize("java", JAVAS)
def test_classes_are_woven_again_and_again(java):
    """What is counted is right each time."""
    own = own_code(java)
    with Served(java) as served:
        for _ in range(ROUNDS):
            observer = Counting(served, *TASKS, REGIONS, interval="100ms")
            same(served.changed(own), {EXECUTOR, FORKS, SMALL, RUNTIME, REGION, SERVED}, "what is woven")
            observer.counts(20)
            observer.end()
            served.turns_back(own)
        served.end()


@pytest.mark.parametrize("java", JAVAS)
def test_other_agents_may_redefine_classes_meanwhile(java):
    own = own_code(java)
    jar = os.path.join(directory(), "redefines.jar")
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Premain-Class: Redefines\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n")
    with Served(java, "-Xcheck:jni", f"-javaagent:{jar}") as served:
        for _ in range(3):
            observer = Counting(served, *TASKS, REGIONS)
            same(served.changed(own), {EXECUTOR, FORKS, SMALL, RUNTIME, REGION, SERVED}, "what is woven")
            observer.counts(20)
            observer.end()
            served.turns_back(own)
        served.end()
