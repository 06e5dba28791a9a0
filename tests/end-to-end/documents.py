"""
Every command line in README.md, docs/getting-started.md, docs/troubleshooting.md and docs/guides/ can be typed as it is. A block of
code whose first line is a command has nothing but commands; other blocks are output. The lines of a document run in its order, in one
directory that has the programs it names. A line whose program is not installed here is not run. Lines that install something are run
by the tests of packages.
"""
import os
import re
import shutil
import subprocess

import pytest

from harness import BUILD, SOURCE, check, directory

SOURCES = os.path.abspath(os.path.join(SOURCE, "..", ".."))

PAGES = ["README.md", "docs/getting-started.md", "docs/troubleshooting.md"]
PAGES += sorted("docs/guides/" + name for name in os.listdir(os.path.join(SOURCES, "docs/guides")))
# The first word of a line that is a command; the second list is for lines that this test does not run.
RUN = ["heddle", "gcc", "g++", "gfortran", "javac", "java", "mpicc", "mpiexec", "for", "export", "otf2-print", "LD_PRELOAD", "OMP_NUM_THREADS"]
INSTALL = ["ci/demo", "ci/setup", "ci/test", "cmake", "sudo", "tar", "spack", "docker"]
COMMAND = re.compile(rf"(?:{'|'.join(map(re.escape, RUN + INSTALL))})[ =]|(?:ci/\w+)$|\./\w+( |$)")
QUESTIONS = os.path.join(SOURCES, "tests/questions")

# The programs that the pages name, all of them short.
PREPARE = r"""
sources=$1
cp "$sources"/tests/questions/*.c "$sources"/tests/questions/*.cpp "$sources"/tests/questions/OneLock.java .
mkdir -p tests && cp -r "$sources"/tests/questions tests/
sed -e 's|"tests/programs/program.h"|"program.h"|' "$sources"/tests/programs/lu.c >lu.c
cp "$sources"/tests/programs/program.h .
cat >heat.f90 <<'END'
program heat
  real(8) :: a(100000)
  integer :: i, k
  a = 1
  do k = 1, 20
!$omp parallel do
    do i = 1, 100000
      a(i) = sqrt(a(i)) + k
    end do
  end do
  print *, sum(a)
end program
END
cat >App.java <<'END'
public class App {
  public static void main(String[] a) throws Exception {
    Thread[] all = new Thread[2];
    for (int i = 0; i < 2; i++) { all[i] = new Thread(() -> { synchronized (App.class) { try { Thread.sleep(20); } catch (InterruptedException e) { } } }); all[i].start(); }
    for (Thread one : all) one.join();
  }
}
END
cat >ranks.c <<'END'
#include <mpi.h>
int main(int n, char **v)
{
  double s = 0;
  MPI_Init(&n, &v);
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 10000000; i++)
    s += 1.0 / (i + 1);
  MPI_Finalize();
  return s < 1;
}
END
mkdir -p classes
gcc -D_GNU_SOURCE -O2 -g -fopenmp lu.c -o lu -lm
gcc -O2 -g -fopenmp triangle.c -o triangle -lm
if command -v javac >/dev/null; then javac -g -d classes App.java OneLock.java; fi
"""


def blocks(page):
    """The blocks of code of a page, as lists of lines."""
    found, block, before = [], None, ""
    with open(os.path.join(SOURCES, page), encoding="utf-8") as text:
        for line in text.read().splitlines():
            if line.startswith("    ") and (block is not None or not before.strip()) and not re.match(r"\s*(-|\d+\.|:)\s", line):
                if block is None:
                    found.append(block := [])
                block.append(line[4:])
            elif line.strip() or block is None:
                block = None
            before = line
    return found


def commands(page):
    """The lines that can be typed. A block that begins with a command has nothing else."""
    lines = []
    for block in blocks(page):
        if not COMMAND.match(block[0]):
            continue
        for line in block:
            if line.strip():
                check(COMMAND.match(line), f"{page}: not a command: {line}")
                lines.append(re.sub(r"\s{2,}#.*|\s+# .*$", "", line))
    return lines


def inline_commands(page):
    """Commands in sentences, whose options must exist: `heddle record --ring 4M`."""
    with open(os.path.join(SOURCES, page), encoding="utf-8") as text:
        return re.findall(r"`(heddle [a-z][^`]*)`", text.read())


def environment():
    words = {**os.environ, "PATH": os.path.join(BUILD, "bin") + ":" + os.environ["PATH"], "OMP_NUM_THREADS": "2", "PREFIX": BUILD}
    return {name: value for name, value in words.items() if not name.startswith("HEDDLE_")}


def script(page):
    """A line after the other; the first one that fails is named. PID is the program of the last line that ends with &."""
    text = ["set -eu", PREPARE, "trap 'kill $(jobs -p) 2>/dev/null || :' EXIT"]
    whole = "\n".join(commands(page))
    # Archives that a page has from elsewhere.
    text += [f"heddle record -o {name} -- ./lu 64" for name in ("old.heddle", "run.heddle") if name in whole and f"-o {name}" not in whole]
    text += [f"heddle record -o {name}/1.heddle -- ./lu 64" for name in ("old", "new") if "compare old -- new" in whole and f"-o {name}/" not in whole]
    for line in commands(page):
        words = re.findall(r"[\w.+/-]+", line)
        tool = words[0] if "=" not in line.split(" ")[0] else None
        if tool and (tool in INSTALL or tool.startswith("ci/") or tool not in ("for", "export") and "/" not in tool and tool != "heddle" and not shutil.which(tool)):
            continue
        if "mpiexec" in line and not shutil.which("mpiexec") or "ranks" in line and not shutil.which("mpicc") or " heat" in line and not shutil.which("gfortran"):
            continue
        text.append(f"cat >last <<'END_OF_LINE'\n{line}\nEND_OF_LINE")
        line = re.sub(r"\bPID\b", '"$(cat pid)"', line.replace("/usr/local/lib/", "$PREFIX/lib/"))
        text.append(line + " || [ $? -ge 3 ]" * line.startswith("heddle compare"))  # 3, 4: worse, or too few runs to say
        if line.endswith("&"):
            text.append("heddle_pid=$!; for try in $(seq 100); do pgrep -P $heddle_pid | grep -vxf <(pgrep heddle) >pid && break; sleep 0.1; done; sleep 2")
    return "\n".join(text)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_runs(page):
    at = directory()
    check(commands(page) or page == "docs/troubleshooting.md", f"{page} has no command line any more")
    done = subprocess.run(["bash", "-c", script(page), page, SOURCES], cwd=at, env=dict(environment(), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"), capture_output=True, text=True, timeout=240, check=False)
    last = os.path.join(at, "last")
    line = open(last, encoding="utf-8").read().strip() if os.path.exists(last) else "(preparation)"
    check(done.returncode == 0, f"{page}: {line}: status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")


@pytest.mark.parametrize("page", PAGES)
def test_options_in_sentences_exist(page):
    for line in inline_commands(page):
        command = line.split()[1]
        options = set(re.findall(r" (--[a-z-]+)", line.split(" -- ")[0]))
        done = subprocess.run([os.path.join(BUILD, "bin/heddle"), "help", command], capture_output=True, text=True, check=False)
        check(done.returncode == 0 or command in ("help",), f"{page}: {line}: there is no command {command}")
        missing = [option for option in options - {"--help"} if not re.search(rf"{option}\b", done.stdout)]
        check(not missing, f"{page}: {line}: heddle {command} has no {missing}")
