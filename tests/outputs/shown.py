"""
What commands write, as lines that can be compared and looked at. Text is shown as it is. Of a report and of `heddle view` it is the
data in the page, not the page: numbers of codes are replaced by what they mean, and what is in their order is sorted, for threads
number them as they meet them.
"""
import hashlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))
import report_file

LONG = 64  # numbers of a list that are shown; of a longer one the sum of the digits counts


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


def lines_of(data):
    """Bytes as lines that can be printed; whether the last one had an end is kept."""
    text = data.decode("utf-8", "backslashreplace").replace("\\r", "\\\\r").replace("\r", "\\r")
    text = "".join(c if c in "\n\t" or ord(c) >= 32 else f"\\x{ord(c):02x}" for c in text)
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return lines[:-1] + [lines[-1] + "\\no newline"]


def scalars(value):
    return isinstance(value, list) and not any(isinstance(v, (list, dict)) for v in value)


def outline(value, full, indent=""):
    """JSON, a row a line: what has nothing but scalars in it stays on its line, and long lists of numbers are a digest unless `full`."""
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (list, dict)) or not value:
        return text
    if scalars(value):
        return text if full or len(value) <= LONG else f"[{len(value)} values, {digest(text)}]"
    if isinstance(value, list) and not full and len(value) > LONG and all(map(scalars, value)):
        return f"[{len(value)} rows, {digest(text)}]"
    if isinstance(value, dict) and not any(isinstance(v, (list, dict)) for v in value.values()):
        return text
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {outline(v, full, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + indent + "}"
    return "[\n" + ",\n".join(inner + outline(v, full, inner) for v in value) + "\n" + indent + "]"


def meaning(timeline, code):
    """A code as its state and region, by their names."""
    state, region = timeline["codes"][code]
    return [timeline["state_keys"][state] if state >= 0 else "elided" if code == 1 else "-",
            timeline["regions"][region]["name"] if region >= 0 else "-"]


def lane_shown(timeline, lane, segments_of_level, full):
    """Each level of a lane: how many segments it has, and what they say."""
    levels = []
    for level, segments in enumerate(segments_of_level):
        said = [[end - begin, *meaning(timeline, code), *([*meaning(timeline, part), share] for part, share in mixture)]
                for begin, end, code, mixture in segments]
        levels.append(said if full and level == 0 else f"{len(said)} segments, {digest(json.dumps(said))}")
    return {"kind": lane["kind"], "depth": lane["depth"], "levels": levels}


def run_shown(run, lanes, full):
    """A run of a bundle. lanes(location, lane) gives the segments of each level."""
    timeline = run["timeline"]
    shown = dict(run)
    shown["documents"] = {name: document if full else digest(json.dumps(document)) for name, document in run["documents"].items()}
    shown["timeline"] = dict(timeline)
    del shown["timeline"]["codes"]
    shown["timeline"]["sums"] = timeline["sums"] and sorted([l, *meaning(timeline, c), t, n] for l, c, t, n in timeline["sums"])
    if timeline["instants"]:
        shown["timeline"]["instants"] = {**timeline["instants"], "list": sorted(timeline["instants"]["list"])}
    shown["timeline"]["locations"] = [{**location, "lanes": [lane_shown(timeline, lane, lanes(i, j), full) for j, lane in enumerate(location["lanes"])]}
                                      for i, location in enumerate(timeline["locations"])]
    return shown


def readable(read, what, full):
    """The lines of a page's data; if it is not what analyzer/report/README.md says, that is what is to be seen."""
    try:
        return read(what, full)
    except Exception as reason:
        return [f"(no page of heddle's: {type(reason).__name__}: {reason})"]


def report_lines(path, full):
    """A report's data; the page around it is not of the archive."""
    made = report_file.Report(path)
    shown = {**made.bundle, "runs": []}
    for number, run in enumerate(made.runs):
        def lanes(location, lane, number=number):
            levels = made.levels(number, location, lane)
            return [made.segments(number, location, lane, level) for level in range(len(levels))]
        shown["runs"].append(run_shown(run, lanes, full))
    return outline(shown, full).split("\n")


def view_lines(command, full, **how):
    """What `heddle view` serves, and how it ends; its address is another one each time."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **how)
    address = process.stdout.readline().decode().strip()
    lines = []
    if address.startswith("http"):
        lines = readable(served_lines, urllib.parse.urlparse(address), full)
        process.send_signal(signal.SIGTERM)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    said = re.sub(rb"http://127\.0\.0\.1:\d+/\w+/", b"ADDRESS", address.encode() + b"\n" + out if address else out)
    return process.returncode, said, err, lines


def ask(at, path):
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
    connection.request("GET", at.path + path)
    body = connection.getresponse().read()
    connection.close()
    return body


def served_lines(at, full):
    html = ask(at, "").decode()
    bundle = json.loads(report_file.inflate(report_file.elements(html)["heddle-bundle"]))
    shown = {**bundle, "runs": []}
    for number, run in enumerate(bundle["runs"]):
        def lanes(location, lane, number=number):
            """The finest level: the others follow from it, and a report has them."""
            segments = []
            for begin, _, _, _, offset, size in json.loads(ask(at, f"blocks?run={number}&location={location}&lane={lane}&level=0")):
                for duration, *what in report_file.segments_of(report_file.inflate(ask(at, f"blob?run={number}&offset={offset}&bytes={size}"))):
                    segments.append((begin, begin + duration, *what))
                    begin += duration
            return [segments]
        shown["runs"].append(run_shown(run, lanes, full))
    return outline(shown, full).split("\n")


def file_lines(path, full):
    """A file that a command wrote. Sequences in binary, and what Perfetto gets, are shown by other cases as text, so a digest is enough."""
    if not os.path.exists(path):
        return ["(not written)"]
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".html"):
        return readable(report_lines, path, full)
    if path.endswith((".pes", ".pftrace")):
        return [f"{len(data)} bytes, {digest(data)}"]
    return lines_of(data)
