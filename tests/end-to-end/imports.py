"""heddle import: events that another program logged, as CSV or in the binary logs of Glimpse, are in the archive as they were."""
import json
import os
import random
import struct

import pytest

from harness import check, directory, heddle, same
from trace import Trace, check_well_formed, read_by_otf2_print
from user_events import by_name

SPEC = """graze msgs
event Sendmsg(dest, size) = plus;
event Recvmsg(source, size) = x;
event Done;
interval Transit [ s:Sendmsg -> r:Recvmsg ] Match = line;
end msgs.
"""
ATTRIBUTES = {"Sendmsg": ("dest", "size"), "Recvmsg": ("source", "size"), "Done": ()}
HEAD = (0x12345670, 0x123456789abcdef0)


def log(events, order="<", types=tuple(ATTRIBUTES)):
    """A log as Glimpse writes it: header, records, end mark."""
    parts = [struct.pack(order + "iq", *HEAD)]
    for name, time, values in events:
        parts.append(struct.pack(f"{order}iq{len(values)}i", types.index(name), time, *values))
    return b"".join(parts) + struct.pack(order + "i", -1)


def write(where, name, content):
    path = os.path.join(where, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def imported(files, *options):
    where = os.path.join(directory(), "run.heddle")
    done = heddle("import", *options, "-o", where, *files)
    same((done.status, done.out, done.err), (0, "", ""), "heddle import")
    read_by_otf2_print(where)
    trace = Trace(where)
    check_well_formed(trace)
    return where, trace


def times(trace):
    return {l.name: [e.time for e in l.events if e.kind == "Enter"] for l in trace.locations}


@pytest.mark.parametrize("order", ["<", ">"])
def test_logs_of_both_byte_orders_are_read(order):
    where, generator = directory(), random.Random(20)
    spec, logs = write(where, "msgs.spec", SPEC), {}
    for thread in (0, 2, 10):
        time, events = 5_000_000_000, []
        for _ in range(200):
            name = generator.choice(list(ATTRIBUTES))
            time += generator.randrange(0, 1000)
            events.append((name, time, tuple(generator.choice([-2**31, -1, 0, 7, 2**31 - 1]) for _ in ATTRIBUTES[name])))
        logs[thread] = events
    files = [write(where, f"log.{thread}", log(events, order)) for thread, events in logs.items()]
    made, trace = imported(files, "--from", "glimpse", "--spec", spec)
    same(times(trace), {f"thread {t}": [e[1] for e in events] for t, events in logs.items()}, "times")
    same(by_name(trace), {f"thread {t}": [(n, dict(zip(ATTRIBUTES[n], v))) if v else n for n, _, v in events] for t, events in logs.items()}, "events")
    shown = heddle("info", "--json", made)
    same(shown.status, 0, "heddle info")
    shown = heddle("states", "--json", made)
    check(shown.status == 0 and {f"thread {t}" for t in logs} <= {row["thread_name"] for row in json.loads(shown.out)["threads"]}, f"heddle states: {shown.out}")


def test_types_may_be_numbered_from_the_last():
    where = directory()
    events = [("Sendmsg", 10, (1, 2)), ("Done", 20, ())]
    file = write(where, "log.0", log(events, types=tuple(reversed(ATTRIBUTES))))
    spec = write(where, "msgs.spec", SPEC)
    _, trace = imported([file], "--from", "glimpse", "--spec", spec, "--ids", "reversed", "--unit", "us")
    same(by_name(trace), {"thread 0": [("Sendmsg", {"dest": 1, "size": 2}), "Done"]}, "events")
    same(times(trace), {"thread 0": [10_000, 20_000]}, "times in ns")


def refused(arguments, expected, status=1):
    where = os.path.join(directory(), "run.heddle")
    done = heddle("import", *arguments, "-o", where)
    same((done.status, done.out), (status, ""), f"status of {arguments}")
    check(done.err.startswith("heddle import: ") and done.err.count("\n") == 1 and expected in done.err, f"{done.err!r} without {expected!r}")
    check(not os.path.exists(where), "a directory is left")


def test_damaged_logs_are_errors_with_their_byte():
    where = directory()
    spec, whole = write(where, "msgs.spec", SPEC), log([("Sendmsg", 10, (1, 2)), ("Done", 20, ())])
    cases = {b"": "byte 0: not a log of Glimpse", b"\0" * 40: "byte 0: not a log of Glimpse: 0x00000000 in place of 0x12345670",
             whole[:8] + b"\0" * 8: "byte 4: not a log of Glimpse", whole[:-4]: "byte 44: the log ends without its end mark",
             whole[:-8]: "byte 36: the log ends inside the record that begins at byte 32",
             whole + b"\0": "byte 48: the log goes on behind its end mark",
             whole[:12] + struct.pack("<i", 3) + whole[16:]: "byte 12: an event of type 3, but the specification has types 0 to 2",
             whole[:16] + struct.pack("<q", -5) + whole[24:]: "byte 16: not a time: -5",
             whole[:16] + struct.pack("<q", 21) + whole[24:]: "byte 32: the time of thread `thread 0` goes back, from 21 to 20 ns"}
    for content, expected in cases.items():
        refused(["--from", "glimpse", "--spec", spec, write(where, "log.0", content)], "log.0: " + expected)
    for cut in range(1, len(whole), 7):
        refused(["--from", "glimpse", "--spec", spec, write(where, "log.0", whole[:cut])], "log.0: byte ")
    refused(["--from", "glimpse", write(where, "log.0", whole)], "needs --spec", 2)


CSV = """thread,time,event,step,norm,"who, exactly"
main,100,begin,,,
worker 1,90,residual,1,0.5,"a ""name""
in two lines"
main,100,residual,-9223372036854775808,-1e-3,
main,350,end,9223372036854775808,7,inf
"""


def test_tables_are_read():
    where = directory()
    _, trace = imported([write(where, "events.csv", CSV)], "--from", "csv")
    same(times(trace), {"main": [100, 100, 350], "worker 1": [90]}, "times")
    who = "who, exactly"
    same(by_name(trace), {
        "main": ["begin", ("residual", {"step": -2**63, "norm": -0.001}), ("end", {"step": float(2**63), "norm": 7, who: "inf"})],
        "worker 1": [("residual", {"step": 1, "norm": 0.5, who: 'a "name"\nin two lines'})]}, "events")
    _, trace = imported([write(where, "latin.csv", CSV.replace("worker", "w\u00f6rker").encode("latin-1"))], "--from", "csv")
    same(times(trace), {"main": [100, 100, 350], "w\\xf6rker 1": [90]}, "names that are not UTF-8")
    _, trace = imported([write(where, "seconds.csv", "\ufeffevent,time,thread\r\na,0.000000001,t\r\n\r\na,12.5000000019,t\r\n")], "--from", "csv",
                        "--unit", "s")
    same(times(trace), {"t": [1, 12_500_000_001]}, "times in ns")


def test_damaged_tables_are_errors_with_their_line():
    where = directory()
    head = "thread,time,event,a\n"
    cases = {"": "1: the table is empty", "thread,event\n": "1: no column is called time", "thread,time,event,a,a\n": "1: two columns are called a",
             "thread,time,event,\n": "1: a column has no name", head: "there are no events", head + "t,1,e\n": "2: 3 cells, but the first line has 4",
             head + "t,1,e,\nt,x,e,\n": "3: not a time: x", head + "t,-1,e,\n": "2: not a time: -1",
             head + "t,9223372036854775808,e,\n": "2: not a time: 9223372036854775808", head + ",1,e,\n": "2: no thread", head + "t,1,,\n": "2: no event",
             head + 't,1,e,"x': "2: a cell in quotes has no end", head + "t,1,e,x\0\n": "2: a cell has a byte of 0",
             head + "t,2,e,\nt,1,e,\n": "3: the time of thread `t` goes back, from 2 to 1 ns", head + "t,1,e," + "x" * 5000: "2: a cell has more than 4096 bytes",
             "thread,time,event," + ",".join(f"a{i}" for i in range(256)): "1: more than 258 columns"}
    for content, expected in cases.items():
        refused(["--from", "csv", write(where, "bad.csv", content)], expected if expected.startswith("there") else "bad.csv:" + expected)
    refused(["--from", "csv", "/nowhere/events.csv"], "/nowhere/events.csv: cannot open: No such file or directory")
    table = write(where, "good.csv", head + "t,1,e,\n")
    made = os.path.join(directory(), "run.heddle")
    same([heddle("import", "--from", "csv", "-o", made, table).status for _ in range(2)], [0, 1], "the second time there is an archive")
    same(len(Trace(made).locations), 1, "the archive is whole")
