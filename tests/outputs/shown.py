"""
The outputs of commands, so that they can be compared. Text and files are as they are. For a report and for `heddle view`, the data in
the page is taken, not the page. Numbers of codes are replaced by their meaning, and lists in the order of codes are sorted, because
threads number codes as they meet them.
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
    text = re.sub(r"[\x00-\x08\x0b-\x1f]", lambda c: f"\\x{ord(c[0]):02x}", text)
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return lines[:-1] + [lines[-1] + "\\no newline"]


def scalars(values):
    return not any(isinstance(v, (list, dict)) for v in values)


def outline(value, full, indent=""):
    """
    JSON, a row a line. A value with nothing but scalars in it stays on its line, and long lists of numbers are a digest unless `full`.
    """
    def text():
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (list, dict)) or not value:
        return text()
    is_long = not full and len(value) > LONG
    inner = indent + " "
    if isinstance(value, dict):
        if scalars(value.values()):
            return text()
        parts = [f"{json.dumps(k, ensure_ascii=False)}: {outline(v, full, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + "\n" + indent + "}"
    if scalars(value):
        return f"[{len(value)} values, {digest(text())}]" if is_long else text()
    if is_long and all(isinstance(v, list) and scalars(v) for v in value):
        return f"[{len(value)} rows, {digest(text())}]"
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
    """A page's data as text, or why the page is not as analyzer/report/README.md describes it."""
    try:
        return (read(what, full) + "\n").encode()
    except Exception as reason:
        return f"(no page of heddle's: {type(reason).__name__}: {reason})\n".encode()


def report_data(path, full):
    """A report's data; the page around it is not of the archive."""
    made = report_file.Report(path)
    shown = {**made.bundle, "runs": []}
    for number, run in enumerate(made.runs):
        def lanes(location, lane, number=number):
            levels = made.levels(number, location, lane)
            return [made.segments(number, location, lane, level) for level in range(len(levels))]
        shown["runs"].append(run_shown(run, lanes, full))
    return outline(shown, full)


def view_data(command, full, **how):
    """What `heddle view` serves, and how it ends; its address is another one each time."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **how)
    address = process.stdout.readline().decode().strip()
    data = b""
    if address.startswith("http"):
        data = readable(served_data, urllib.parse.urlparse(address), full)
        process.send_signal(signal.SIGTERM)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    said = re.sub(rb"http://127\.0\.0\.1:\d+/\w+/", b"ADDRESS", address.encode() + b"\n" + out if address else out)
    return process.returncode, said, err, data


def ask(at, path):
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=60)
    connection.request("GET", at.path + path)
    body = connection.getresponse().read()
    connection.close()
    return body


def served_data(at, full):
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
    return outline(shown, full)


def file_data(path, full):
    """A file that a command wrote."""
    if not os.path.exists(path):
        return b"(not written)\n"
    if path.endswith(".html"):
        return readable(report_data, path, full)
    with open(path, "rb") as file:
        return file.read()
