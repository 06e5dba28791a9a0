"""
`heddle live --web` and clients that are not browsers: what a reading says, how often the process is read, and who gets nothing. (The
page is tested in Chromium, analyzer/report/page/test. The server's own part is the server of `heddle view`, view.py.)
"""
import glob
import http.client
import json
import os
import signal
import struct
import subprocess
import threading
import time
import urllib.parse

from harness import HEDDLE, TOOL, check, directory, environment, heddle, program, same

INTERVAL = 0.5


class Watched:
    """A program that runs until it is killed, and `heddle live --web` of it."""

    def __init__(self, *options):
        settings = environment(HEDDLE_PROFILE="1", HEDDLE_DIR=os.path.join(directory(), "run.heddle"), OMP_TOOL_LIBRARIES=TOOL)
        self.program = subprocess.Popen([program("philosophers"), "3", "1000000000"], env=settings, stdout=subprocess.DEVNULL)
        for _ in range(200):  # until it records
            self.server = subprocess.Popen([HEDDLE, "live", "--web", "--interval", f"{INTERVAL}s", *options, str(self.program.pid)], stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True, env=environment())
            address = self.server.stdout.readline().strip()
            if address:
                break
            self.server.communicate()
            check(self.program.poll() is None, "the program runs")
        parts = urllib.parse.urlparse(address)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=30)

    def reading(self, whole=0, after=0, connection=None):
        connection = connection or self.connect()
        connection.request("GET", f"{self.path}reading?whole={whole}&after={after}")
        answer = connection.getresponse()
        same(answer.status, 200, "status")
        return json.loads(answer.read())

    def status(self, path):
        connection = self.connect()
        connection.request("GET", path)
        return connection.getresponse().status

    def end(self, with_signal=signal.SIGTERM):
        self.program.kill()
        self.program.wait()
        self.server.send_signal(with_signal)
        said, wrong = self.server.communicate(timeout=30)
        same(wrong, "", "messages")
        return self.server.returncode, said


def until(what, name):
    for _ in range(600):
        found = what()
        if found:
            return found
        time.sleep(0.05)
    check(False, name)


def test_an_interval_is_the_difference_of_two_readings():
    watched = Watched()
    before = watched.reading(whole=1)
    # The reading after that, and both of its documents: no other may come between them.
    while True:
        number = before["number"]
        now = until(lambda: (found := watched.reading(after=number))["reading"] and found, "there is no second reading")
        whole = watched.reading(whole=1)
        if number + 1 == now["number"] == whole["number"]:
            break
        before = watched.reading(whole=1)
    same({now["over"], now["reading"]["over"]}, {False, "no"}, "over")
    places = [{place["place"]: place["acquired"] for place in one["reading"]["places"]} for one in (before, now, whole)]
    check(len(places[2]) >= 3, f"two locks and a critical: {places[2]}")
    for place, acquired in places[2].items():
        same(places[0].get(place, 0) + places[1].get(place, 0), acquired, place)
    threads = [{thread["thread"]: thread["run"]["ticks"] for thread in one["reading"]["threads"]} for one in (before, now, whole)]
    for location, ticks in threads[2].items():
        check(threads[0][location] <= ticks, f"RUN of {location} decreases")
    same(watched.end(), (0, ""), "the end")


def test_many_clients_make_no_further_readings():
    watched = Watched()
    first, begin, answers = watched.reading()["number"], time.monotonic(), []

    def ask():
        connection = watched.connect()  # one for all of them
        while time.monotonic() < begin + 3 * INTERVAL:
            answers.append(watched.reading(after=first, connection=connection)["number"])
        connection.close()

    clients = [threading.Thread(target=ask) for _ in range(8)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    elapsed = time.monotonic() - begin
    check(len(answers) > 8, "clients are answered")
    check(max(answers) - first <= elapsed / INTERVAL + 1, f"{max(answers) - first} readings in {elapsed} s")
    watched.end()


def test_the_last_reading_stays():
    watched = Watched()
    watched.program.kill()
    watched.program.wait()
    until(lambda: watched.reading()["over"], "the end is not reported")
    last = watched.reading(whole=1)
    same((last["over"], last["next"], last["reading"]["over"]), (True, None, "yes"), "the last reading")
    same({thread["inside"] for thread in last["reading"]["now"]}, {"(ended)"}, "where threads are")
    check(watched.reading()["reading"]["threads"][-1]["lifetime"]["ticks"] > 0, "the last interval has no time")
    time.sleep(2 * INTERVAL)
    same(watched.reading(whole=1)["number"], last["number"], "number")
    same(watched.reading(whole=1, after=last["number"])["reading"], None, "a reading that is known")
    same(watched.end(signal.SIGINT), (0, f"\nphilosophers [{watched.program.pid}] has ended.\n"), "the end")


class Dormant(Watched):
    """The program measures nothing of its own accord."""

    def __init__(self, *options):
        self.trace = os.path.join(directory(), "run.heddle")
        settings = environment(HEDDLE_LIVE="1", HEDDLE_PAUSED="1", HEDDLE_DIR=self.trace, HEDDLE_CONVERT="0", OMP_TOOL_LIBRARIES=TOOL)
        self.program = subprocess.Popen([program("phases")], env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.work(10)
        self.server = subprocess.Popen([HEDDLE, "live", "--web", "--interval", "100ms", *options, str(self.program.pid)], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, env=environment())
        parts = urllib.parse.urlparse(self.server.stdout.readline().strip())
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def work(self, n):
        self.program.stdin.write(f"{n}\n")
        self.program.stdin.flush()
        same(self.program.stdout.readline(), f"done: {n}\n", "what the program prints")

    def change(self, **query):
        connection = self.connect()
        connection.request("GET", f"{self.path}pairs?{urllib.parse.urlencode(query)}")
        answer = connection.getresponse()
        return json.loads(answer.read())["error"] if answer.status == 200 else answer.status

    def measured(self):
        with open(glob.glob(os.path.join(self.trace, "raw", "*", "control"))[0], "rb") as file:
            return struct.unpack_from("<I", file.read(4096), 48)[0]


def test_pairs_are_added_and_removed():
    """Counts are the program's own from then on; alone, nothing else is measured."""
    watched = Dormant()
    same(watched.measured(), 0x1fff, "what is measured for the page")
    same([watched.change(add=pair) for pair in ("locks", "parallel-regions@phases.c", "locks@member=1")], [None] * 3, "what is against the pairs")
    same(watched.change(alone=1), None, "what is against these alone")
    until(lambda: watched.measured() == 0x8001, "regions and locks alone are measured")
    same(watched.change(remove="parallel-regions@phases.c"), None, "what is against removing one")
    same(watched.change(remove="locks@member=1"), None, "what is against removing one")
    until(lambda: watched.measured() == 0x8000, "locks alone are measured")
    same(watched.change(alone=0), None, "what is against all")
    until(lambda: watched.measured() == 0x1fff, "all is measured")
    same(watched.change(add="locks@member=0"), None, "what is against the pair")
    watched.work(1234)
    check("no such metric" in watched.change(add="nonsense"), "nonsense is refused")
    check("there already" in watched.change(add="locks"), "a pair twice is refused")
    check("no such pair" in watched.change(remove="tasks"), "what is not there is not removed")
    check("at most" in watched.change(add="locks@" + 2000 * "x"), "a long text is refused")
    same([watched.change(**query) for query in ({}, {"alone": 2}, {"alone": 1, "add": "tasks"}, {"other": 1})], [404] * 4, "other changes")
    watched.program.stdin.close()
    watched.program.wait()
    last = until(lambda: (found := watched.reading())["over"] and found, "the end is not reported")
    same({pair["pair"]: pair["sum_count"] for pair in last["pairs"]["pairs"]}, {"locks": 2 * 1234, "locks@member=0": 1234}, "since they were added")
    check("ended" in watched.change(add="tasks"), "a program that has ended measures nothing")
    watched.end()


def test_pairs_of_the_command_line_are_there_from_the_begin():
    watched = Dormant("--pair", "locks", "--pair", "parallel-regions@phases.c")
    same(watched.measured(), 0x8001, "what is measured for the page")
    watched.work(1234)
    check("there already" in watched.change(add="locks"), "a pair twice is refused")
    same(watched.change(remove="parallel-regions@phases.c"), None, "what is against removing one")
    until(lambda: watched.measured() == 0x8000, "locks alone are measured")
    watched.program.stdin.close()
    watched.program.wait()
    last = until(lambda: (found := watched.reading())["over"] and found, "the end is not reported")
    same((last["alone"], {pair["pair"]: pair["sum_count"] for pair in last["pairs"]["pairs"]}), (True, {"locks": 2 * 1234}), "what is left")
    watched.end()


def test_others_get_nothing():
    watched = Watched()
    for path in ("reading", "reading?whole=0", "reading?after=0", "reading?whole=2&after=0", "reading?whole=-1&after=0", "reading?whole=0&after=x", "blob", "..", "reading/"):
        same(watched.status(watched.path + path), 404, path)
    for path in ("/", "/reading?whole=0&after=0", watched.path[:-3] + "00/", watched.path[:-1] + "0/reading?whole=0&after=0"):
        same(watched.status(path), 404, path)
    same(watched.status(watched.path), 200, "the page")
    watched.end(signal.SIGHUP)


def test_wrong_usage_is_said():
    for options, message in ((["--web", "--once"], "--web excludes"), (["--web", "--json"], "--web excludes"), (["--port", "80"], "--port needs --web"),
                             (["--web", "--pair", "locks", "--by", "thread"], "--pair excludes"), (["--web", "--pair", "nonsense"], "no such metric")):
        done = heddle("live", *options, str(os.getpid()))
        same(done.status, 2, f"status with {options}")
        check(message in done.err, done.err)
