#!/usr/bin/python3
"""
What a command takes, for the benchmarks.

usage: tests/bench/measure.py NAME COMMAND [ARGUMENT]...     prints processor time and memory; not what the command prints
"""
import os
import subprocess
import sys
import threading
import time


def watch_peak(pid, peak):
    """Keeps the peak memory of a process in peak[0], KiB, until it ends. (What wait4() says counts this program's memory, too.)"""
    while True:
        try:
            with open(f"/proc/{pid}/status") as status:
                now = [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
        except OSError:
            return
        if not now:
            return
        peak[0] = now[0]
        time.sleep(0.005)


def measure(command):
    """Runs a command; returns (stdout, cpu seconds, wall seconds, peak MiB)."""
    start, peak = time.monotonic(), [0]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=watch_peak, args=(process.pid, peak))
    watcher.start()
    out = process.stdout.read()
    err = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - start
    watcher.join()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {err.strip()}")
    return out, usage.ru_utime + usage.ru_stime, wall, peak[0] / 1024


def best(command, rounds):
    """The least (cpu seconds, wall seconds) of some runs, and the most MiB."""
    runs = [measure(command) for _ in range(rounds)]
    return min(r[1] for r in runs), min(r[2] for r in runs), max(r[3] for r in runs)


if __name__ == "__main__":
    _, seconds, _, memory = measure(sys.argv[2:])
    print(f"{sys.argv[1]:<22}{seconds:8.1f} s of a processor{memory:9.0f} MiB")
