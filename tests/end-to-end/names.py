"""
Names come from outside: names of symbols, threads, processes, files, classes, attributes, machines. An archive has each
name of a list in each of these places. Every command prints it, every format holds it, the report and the view show it.
Each is read by a parser that is not ours: Python's of JSON and CSV, pj_dump, Chromium, checkers of Paraver's and Paje's
descriptions.
"""
import collections
import csv
import html.parser
import io
import json
import os
import re
import shutil
import signal

import otf2
import pytest
from otf2.enums import Paradigm, RegionRole as Role, Type

import export
import paraver
from harness import check, directory, heddle, once, record, run, same
from report import View, report

HARM = "document.documentElement.id='harmed'"
# Stands in the archive for bytes that are no UTF-8, which Python's writer refuses.
PLACEHOLDER, BYTES = "NOTUTF8--", b"\xff\xfe\xc0a\xed\xa0\x80\xf8\x80"
NAMES = [
    f"<script>{HARM}</script>", f"</script><script>{HARM}</script>", f'"><img src=x onerror="{HARM}">', f"<!--<script>{HARM}", "&lt;b&gt;&amp;",
    'a "quoted" \'name\' `here`', '"', "'", "\\", "back\\slash\\x0a", 'ends with \\"', "a\nb\r\nc\td\x0b\x0c", "\n", "\r", "\x01\x1b[31m\x1b]0;title\x07\x7f", "\x9b31m",
    "\u202eright to left", "\u2067isolated", "\u061cmark", "a\u2028b\u2029c", "\ufeffmark", "\u200b", "e\u0301\U0001f30d", "x" * 65536, "\u00e4" * 32768,
    ";:=|,\t#%$", "a,b;c:d=e", "=1+1", "@sum", "-", "--", "--help", "", " ", "   ", " spaces  ", "0", "-1", "0 End", "NaN", "null", "true", "{}", "[1,2]",
    "%EventDef PajeSetState 6", "%EndEventDef", "% Time date", "# comment", "6 0.0 S T0 S1", "EVENT_TYPE", "VALUES", "STATES", "LEVEL THREAD SIZE 9",
    "#Paraver (1/1/2000 at 0:0):9_ns:1(1):1:1(1:1),0", "2:1:1:1:1:0:1:1", "../../etc/passwd", "/", "$(harm)`harm`${HARM}", "%s%n%d%999999d", "!$omp ", "//omp ", "chunk",
    "schedule: dynamic; state: idle", PLACEHOLDER]
ALTERED = re.compile("[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
STEP = 10


def shown(name):
    """A name as it is shown on a terminal, by docs/: what is no text is \\xHH."""
    if name == PLACEHOLDER:
        return "".join(chr(byte) if byte == ord("a") else f"\\x{byte:02x}" for byte in BYTES)
    return ALTERED.sub(lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), name.replace("\\", "\\\\"))


def kept(name):
    """A name in JSON or in Protocol Buffers, which have a way to write everything but bytes that are no UTF-8."""
    return shown(name) if name == PLACEHOLDER else name


def write_region(definitions, name, role, paradigm, description):
    return definitions.region(name, canonical_name=name, description=description, source_file=name, begin_line_number=1, region_role=role,
                              paradigm=paradigm)


@once
def archive():
    at = os.path.join(directory(), "archive")
    with otf2.writer.open(at, timer_resolution=10 ** 9) as made:
        definitions = made.definitions
        root = definitions.system_tree_node(NAMES[0])
        groups = [definitions.location_group(name, system_tree_parent=root) for name in NAMES]
        for group, name in zip(groups, NAMES):
            for of in ("HEDDLE::COMMAND", "HEDDLE::CWD", "HEDDLE::EXE", "HEDDLE::HOST", name):
                definitions.location_group_property(group, of, Type.STRING, name)
        classes = definitions.attribute("object class", "", Type.STRING)
        objects = definitions.attribute("object", "", Type.UINT64)
        own = [definitions.attribute(name, name, Type.STRING) for name in NAMES]
        kinds = [(Role.FUNCTION, Paradigm.USER, ""), (Role.PARALLEL, Paradigm.OPENMP, ""), (Role.TASK, Paradigm.OPENMP, ""),
                 (Role.CRITICAL, Paradigm.OPENMP, ""), (Role.BARRIER, Paradigm.OPENMP, ""), (Role.LOOP, Paradigm.OPENMP, "schedule: static"),
                 (Role.CRITICAL, Paradigm.PTHREAD, "state: blocked in mutex")]
        regions = [[write_region(definitions, name, *kind) for kind in kinds] for name in NAMES]
        for number, name in enumerate(NAMES):
            writer, time = made.event_writer(name, group=groups[number]), 1000
            for i in range(len(NAMES)) if number == 0 else (number,):  # the first thread is in all, the others in their own
                for region in regions[i]:
                    java = region is regions[i][-1]
                    writer.enter(time, region, attributes={classes: NAMES[i], objects: i} if java else {own[i]: name})
                    time += STEP
                    writer.leave(time, region)
                    time += STEP
    path = os.path.join(at, "traces.def")
    with open(path, "rb") as file:
        data = file.read()
    check(PLACEHOLDER.encode() in data, "the name is not where this test looks for it")
    with open(path, "wb") as file:
        file.write(data.replace(PLACEHOLDER.encode(), BYTES))
    return os.path.join(at, "traces.otf2")


@pytest.mark.parametrize("form", list(export.FORMS))
def test_slices_have_the_names_as_they_are(form):
    events = export.events_of(form, archive())
    for kind, names in ("thread_name", NAMES), ("process_name", NAMES):
        same([e["args"]["name"] for e in events if e.get("name") == kind], [kept(name) for name in names], kind)
    slices = [e for e in events if e["ph"] == "B"]
    same({e["name"] for e in slices}, {kept(name) for name in NAMES}, "names of slices")
    same({e["args"].get("function", "") for e in slices}, {kept(name) for name in NAMES}, "functions")


def test_csv_has_a_field_for_each():
    done = heddle("export", "--to", "csv", "-o", "-", archive())
    same((done.status, done.err), (0, ""), "status")
    csv.field_size_limit(1 << 20)
    rows = list(csv.DictReader(io.StringIO(done.out, newline="")))
    check(all(None not in row and None not in row.values() for row in rows), "a row has another number of fields than the head")
    for column in ("thread_name", "process"):
        same({row[column] for row in rows}, {shown(name) for name in NAMES}, column)
    for column in ("construct", "function", "file"):
        same({row[column] for row in rows if row["line"]}, {shown(name) for name in NAMES}, column)


def test_paraver_has_a_line_for_each():
    base = export.exported("paraver", archive(), "x.prv")[:-4]
    files, rows = paraver.read(base), paraver.row(base + ".row")
    same(len(files.threads), len(NAMES), "threads")
    for level in ("THREAD", "TASK"):
        same(rows[level], [shown(name) if name.strip(" ") else "-" for name in NAMES], level)
    for type in (60000018, 60000023, 60000019):
        names = set(files.values[type].values())
        for name in NAMES:
            check((f"{shown(name)}: {shown(name)}" if name else "-") in names, f"type {type} has no {shown(name)[:80]!r}")


def test_paje_has_no_name_that_ends_early():
    path = export.exported("paje", archive(), "x.trace")
    with open(path, encoding="utf-8", newline="\n") as file:
        body = file.read().split("%EndEventDef\n")[-1]
    lines = body.split("\n")
    same(lines.pop(), "", "what is behind the last line")
    for line in lines:
        check(re.fullmatch(r'\d( (?:[^" ]+|"[^"]*"))*', line), f"a line of Paje: {line[:200]!r}")
    names = [re.search(r'"([^"]*)"$', line)[1] for line in lines if re.match(r"4 \S+ T\d", line)]
    same(names, [shown(name).replace('"', "'") or "-" for name in NAMES], "threads")


def test_pj_dump_reads_paje():
    if not shutil.which("pj_dump"):
        pytest.skip("pj_dump is not installed (Debian: pajeng)")
    done = run(["pj_dump", export.exported("paje", archive(), "x.trace")])
    same((done.status, done.err), (0, ""), "pj_dump")
    kinds = collections.Counter(line.split(",")[0] for line in done.out.splitlines())
    same(kinds["Container"], 2 * len(NAMES) + 2, "containers, with pj_dump's own and the run")


COMMANDS = [["info"], ["states"], ["states", "--by", "region"], ["imbalance", "--threads", "--waits"], ["locks"], ["schedule"], ["why"]]


@pytest.mark.parametrize("command", [" ".join(command) for command in COMMANDS])
def test_a_command_prints_no_name_as_it_must_not_be(command):
    words = command.split()
    document = json.loads(heddle(*words, "--json", archive()).out)
    check(document, "an empty document")
    done = heddle(*words, "--csv", archive())
    same(done.status, 0, "status")
    csv.field_size_limit(1 << 20)
    for table in re.split(r"\n\n", done.out):
        sizes = {len(row) for row in csv.reader(io.StringIO(table, newline=""), strict=True)}
        check(len(sizes) <= 1, f"rows of a table have {sizes} fields: {table[:300]!r}")
    done = heddle(*words, archive())
    same(done.status, 0, "status")
    check(not ALTERED.search(done.out.replace("\n", "")), "what moves the cursor or the text is printed")
    check("\ufffd" not in done.out, "what is printed is not UTF-8")


def test_the_report_has_the_names_as_they_are():
    made = report(archive())
    timeline = made.runs[0]["timeline"]
    same([location["name"] for location in timeline["locations"]], [kept(name) for name in NAMES], "locations")
    same({region["name"] for region in timeline["regions"]}, {kept(name) for name in NAMES}, "regions")
    check(HARM not in made.html, "a name stands in the page")


PROGRAM = r"""
#include <sys/prctl.h>
static void work(void) __asm__("na\"st;y,</script>");
__attribute__((noinline)) static void work(void)
{
#pragma omp parallel num_threads(2)
  prctl(PR_SET_NAME, "\"\n\xff\x1b;,</b>");
}
int main(void)
{
  work();
  return 0;
}
"""
THREADS = r"""
public class Names {
  static class \u00e4\u202e { synchronized void pause() throws InterruptedException { wait(10); } }
  public static void main(String[] arguments) throws Exception {
    String[] names = {"a\0b", "x\ud800y", "new\nline\t\u001b[31m", "</script>", "q\"'`;:=,", "\u202eleft\u061c", "\ud83c\udf0d", "", " ", "z".repeat(65536)};
    for (String name : names) {
      Thread thread = new Thread(() -> { try { new \u00e4\u202e().pause(); } catch (InterruptedException e) { } }, name);
      thread.start();
      thread.join();
    }
  }
}
"""


def check_exports(trace):
    """All formats are read by their checkers; the names of threads and the constructs' files, as Perfetto gets them."""
    paraver.read(export.exported("paraver", trace, "x.prv")[:-4])
    if shutil.which("pj_dump"):
        same(run(["pj_dump", export.exported("paje", trace, "x.trace")]).status, 0, "pj_dump")
    with open(export.exported("csv", trace, "x.csv"), encoding="utf-8", newline="") as file:
        same(len({len(row) for row in csv.reader(file, strict=True)}), 1, "numbers of fields in CSV")
    report(os.path.join(trace, "traces.otf2"))
    events = export.events_of("perfetto", trace)
    return ({e["args"]["name"] for e in events if e.get("name") == "thread_name"},
            {e["args"]["file"] for e in events if e["ph"] == "B" and "file" in e["args"]})


def test_a_program_s_own_names_are_shown():
    """The names of its file, its directory, its source, its threads, its symbols."""
    at = os.path.join(directory(), 'd\n"ir;')
    os.mkdir(at)
    source, program = os.path.join(at, 'we"ird;n:a,m=e %s.c'), os.path.join(at, "pro,g'")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    same(run([os.environ.get("HEDDLE_OMP_COMPILER", "clang-19"), "-g", "-fopenmp", source, "-o", program]).status, 0, "the compiler")
    done = record([program])
    same(done.status, 0, f"status ({done.err})")
    threads, files = check_exports(done.trace)
    same(threads, {'"\\x0a\\xff\\x1b;,</b>'}, "threads")
    check(any(os.path.basename(file) == os.path.basename(source) for file in files), f"files: {files}")


def test_a_java_program_s_own_names_are_shown():
    if not shutil.which("javac"):
        pytest.skip("there is no JDK")
    at = directory()
    with open(os.path.join(at, "Names.java"), "w", encoding="utf-8") as file:
        file.write(THREADS)
    same(run(["javac", "-encoding", "UTF-8", "Names.java"], cwd=at).status, 0, "the compiler")
    done = record(["java", "-cp", at, "Names"])
    same(done.status, 0, f"status ({done.err})")
    threads, _ = check_exports(done.trace)
    check({"</script>", "q\"'`;:=,", "\u202eleft\u061c", "\U0001f30d", "", " ", "new\\x0aline\\x09\\x1b[31m"} <= threads, f"threads: {threads}")
    check(any(len(name) > 1000 and set(name) == {"z"} for name in threads), "the long name")


class Page(html.parser.HTMLParser):
    """What a browser made of a page: whether a name did what it says, its elements, and what is text in it."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.images, self.harmed = [], "", 0, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.images += tag == "img"
        self.harmed |= tag == "html" and ("id", "harmed") in attributes

    def handle_endtag(self, tag):
        while tag in self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text += data


def browsed(address):
    """The page as it is when its scripts have run."""
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium")
    done = run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,6000", f"--user-data-dir={directory()}", "--virtual-time-budget=20000", "--dump-dom",
                address])
    return Page(done.out)


def check_page(page, where):
    check(not page.harmed, f"a name was executed in {where}")
    same(page.images, 0, f"images in {where}")
    for name in NAMES[:4]:
        check(name in page.text, f"{where} does not show {name}")


def test_the_pages_of_a_report_show_names_as_text():
    path = os.path.join(directory(), "report.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"<html><body>{NAMES[0]}</body></html>")
    check(browsed("file://" + path).harmed, "a name that is no text does no harm: this test can't see any")
    same(heddle("report", "-o", path, archive()).status, 0, "heddle report")
    for where in "timeline", "states", "locks":
        check_page(browsed(f"file://{path}#{where}"), where)


def test_the_page_of_a_view_shows_names_as_text():
    view = View(archive())
    check_page(browsed(view.address + "#timeline"), "the view")
    same(view.end(signal.SIGTERM), 0, "status")
