#!/usr/bin/python3
"""
Opens the archives that earlier releases recorded, in releases/VERSION/: this version says the same of each.

  releases.py            compares the first sentence of `heddle why` with releases/VERSION/first-sentences
  releases.py --update   writes that file for releases that have none

An archive of a release is never made anew. A line of first-sentences changes only where the old answer was wrong.
HEDDLE_BUILD is the build tree.
"""
import glob
import os
import subprocess
import sys
import tarfile
import tempfile

SOURCE = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.path.abspath(os.path.join(os.environ.get("HEDDLE_BUILD", os.path.join(SOURCE, "..", "..", "build")), "bin", "heddle"))


def asked(*words, cwd):
    done = subprocess.run([HEDDLE, *words], cwd=cwd, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}, capture_output=True,
                          text=True, timeout=120, check=False)
    if done.returncode != 0:
        sys.exit(f"heddle {' '.join(words)}: status {done.returncode}: {done.stderr}")
    return done.stdout


def first_sentence(path):
    """The first paragraph of the answer, as one line. The other commands that a user begins with open the archive, too."""
    name = os.path.basename(path)[:-len(".tar.xz")]
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(path) as tar:
            tar.extractall(work)
        answer = asked("why", name, cwd=work)
        for command in (["info", name], ["states", name], ["report", name, "-o", "page.html"]):
            asked(*command, cwd=work)
    return f"{name}: {' '.join(answer.split(chr(10) * 2)[0].split())}"


def main():
    wrong = 0
    folders = sorted(glob.glob(os.path.join(SOURCE, "releases", "*", "")))
    if not folders:
        sys.exit("there are no archives of releases")
    for folder in folders:
        said = [first_sentence(path) for path in sorted(glob.glob(f"{folder}*.tar.xz"))]
        expected = f"{folder}first-sentences"
        if not os.path.exists(expected) and sys.argv[1:] == ["--update"]:
            with open(expected, "w", encoding="utf-8") as file:
                file.write("\n".join(said) + "\n")
        with open(expected, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(said) < 5 or len(said) != len(lines):
            sys.exit(f"{folder}: {len(said)} archives, {len(lines)} sentences; five or more, and as many")
        for was, now in zip(lines, said):
            if was != now:
                wrong += 1
                print(f"{folder}\n  was: {was}\n  now: {now}")
    return 1 if wrong else 0


sys.exit(main())
