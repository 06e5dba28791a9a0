"""
heddle spec: the code that it generates compiles in C, C++, Fortran and Java, logs what the specification says, and refuses
other types. The trace says what the program was built with.
"""
import glob
import json
import os
import shutil

import pytest

from harness import BUILD, check, directory, heddle, record, run, same
from trace import Trace, check_well_formed
from user_events import by_name

HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "..", "..", "user-events", "include")
LIBRARY = ["-L", os.path.join(BUILD, "lib"), "-lheddle-user"]
JAR = os.path.join(os.path.abspath(BUILD), "share", "java", "heddle.jar")

# `class` is a keyword of C++ and Java, `int` of C too, a0 is a name that the generated macros use; Ping has no attributes.
SPEC = """graze msgs
event Sendmsg(dest, size) = plus;
event residual(step, norm: real, class, int, a0) = box;
event Ping;
interval Transit [ s:Sendmsg -> r:residual ] where { s.size == r.step } = line;
end msgs.
"""
MOST, LEAST = 2**63 - 1, -2**63
LOGGED = [("Sendmsg", {"dest": 1, "size": -3}), ("Sendmsg", {"dest": MOST, "size": LEAST}),
          ("residual", {"step": 4, "norm": 2.5, "class": 99, "int": 5, "a0": 1}), "Ping"]

C = """#include "msgs.h"
enum color { GREEN = 5 };
int main(void)
{
  short size = -3;
  int evaluated = 0;
  msgs_Sendmsg(++evaluated, size);
  msgs_Sendmsg(9223372036854775807LL, -9223372036854775807L - 1);
  msgs_residual(4u, 2.5f, 'c', GREEN, 1ul);
  msgs_Ping();
  return evaluated == heddle_listens() %s ? 0 : 1;
}
"""
FORTRAN = """program logs
  use msgs
  use iso_fortran_env
  call msgs_Sendmsg(1, -3)
  call msgs_Sendmsg(huge(0_int64), -huge(0_int64) - 1)
  call msgs_residual(4, 2.5_real32, 99, 5, 1)
  call msgs_Ping()
end program logs
"""
JAVA = """public class Logs {
  public static void main(String[] arguments) {
    msgs.Sendmsg(1, -3);
    msgs.Sendmsg(Long.MAX_VALUE, Long.MIN_VALUE);
    msgs.residual(4, 2.5f, 'c', 5, (short) 1);
    msgs.Ping();
  }
}
"""


def write(where, name, text):
    path = os.path.join(where, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def generated(where, language, name, spec=SPEC):
    done = heddle("spec", "generate", "--lang", language, "-o", os.path.join(where, name), write(where, "msgs.spec", spec))
    same((done.status, done.err), (0, ""), "heddle spec generate")
    return os.path.join(where, name)


def tool(name):
    path = shutil.which(name) or next(iter(sorted(glob.glob(f"/usr/lib/jvm/*/bin/{name}"))), None)
    return path or pytest.skip(f"there is no {name}")


STRICT = ["-Wall", "-Wextra", "-Werror"]


def build_c(where, text, compiler="gcc", ending="c"):
    generated(where, "c", "msgs.h")
    source = write(where, f"logs.{ending}", text)
    done = run([tool(compiler), *STRICT, "-Wconversion", "-pedantic", "-I", SHIM, source, "-o", os.path.join(where, "logs"), *LIBRARY])
    return done, [os.path.join(where, "logs")]


def build_cxx(where, text):
    return build_c(where, text, "g++", "cpp")


def build_fortran(where, text):
    module = generated(where, "fortran", "msgs.f90")
    source = write(where, "logs.f90", text)
    done = run([tool("gfortran"), *STRICT, "-std=f2008", os.path.join(SHIM, "heddle.f90"), module, source, "-o", "logs", *LIBRARY], cwd=where)
    return done, [os.path.join(where, "logs")]


def build_java(where, text):
    if not os.path.exists(JAR):
        pytest.skip(f"there is no {JAR}")
    generated(where, "java", "msgs.java")
    write(where, "Logs.java", text)
    done = run([tool("javac"), "-Xlint:all", "-Werror", "-cp", JAR, "msgs.java", "Logs.java"], cwd=where)
    return done, [tool("java"), "-cp", f"{where}:{JAR}", "Logs"]


# Where nothing records, C computes no argument; C++ does, as for all functions.
LANGUAGES = {"C": (build_c, C % ""), "C++": (build_cxx, C % "|| evaluated == 1"), "Fortran": (build_fortran, FORTRAN),
             "Java": (build_java, JAVA)}
# A real number, and a text, where the specification has an integer; and an event that it does not have.
WRONG = {"C": ["msgs_Sendmsg(1, 2.5);", 'msgs_Sendmsg(1, "2");', "msgs_Sendmsg(1, (char *)0);", "msgs_Sendmsg(1);", "msgs_Lost(1);"],
         "C++": ["msgs_Sendmsg(1, 2.5);", 'msgs_Sendmsg(1, "2");', "msgs_Sendmsg(1, (char *)0);", "msgs_Sendmsg(1);", "msgs_Lost(1);"],
         "Fortran": ["call msgs_Sendmsg(1, 2.5)", "call msgs_Sendmsg(1, '2')", "call msgs_Sendmsg(1)", "call msgs_Lost(1)"],
         "Java": ["msgs.Sendmsg(1, 2.5);", 'msgs.Sendmsg(1, "2");', "msgs.Sendmsg(1);", "msgs.Lost(1);"]}
PING = {"C": "msgs_Ping();", "C++": "msgs_Ping();", "Fortran": "call msgs_Ping()", "Java": "msgs.Ping();"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_generated_code_logs_the_specification(language):
    build, text = LANGUAGES[language]
    where = directory()
    done, command = build(where, text)
    same((done.status, done.err), (0, ""), "compiling")
    same(run(command).status, 0, "a run that nothing records")
    done = record(command)
    same(done.status, 0, "status")
    trace = Trace(done.trace)
    check_well_formed(trace)
    same([event for events in by_name(trace).values() for event in events], LOGGED, "what was logged")
    shown = heddle("spec", "check", "--json", os.path.join(where, "msgs.spec"), done.trace)
    same((shown.status, shown.err), (0, ""), "heddle spec check")
    row, = json.loads(shown.out)["processes"]
    same((row["specification"], row["fits"], row["hash"]), ("msgs", "fits", json.loads(shown.out)["hash"]), "what is built in")
    properties, = trace.group_properties.values()
    same(properties["HEDDLE::SPECIFICATION::msgs"], f"{row['hash']} {row['version']}", "the process' property")
    other = write(where, "other.spec", SPEC.replace("norm: real", "norm"))
    shown = heddle("spec", "check", other, done.trace)
    same(shown.status, 1, "another specification")
    check("other.spec: does not fit: process" in shown.err and row["hash"] in shown.err, f"what does not fit: {shown.err}")
    again = write(where, "again.spec", "# Comments and intervals may change.\n" + SPEC.replace("= plus", "= diamond").replace("= line", "= rectangle"))
    same(heddle("spec", "check", again, done.trace).status, 0, "a specification with the same events")


@pytest.mark.parametrize("language", LANGUAGES)
def test_wrong_types_do_not_compile(language):
    build, text = LANGUAGES[language]
    for statement in WRONG[language]:
        where = directory()
        done, _ = build(where, text.replace(PING[language], statement))
        check(done.status != 0 and "error" in done.err.lower(), f"{statement} compiles: {done.err}")


@pytest.mark.parametrize("language", ["c", "fortran", "java", "python"])
def test_code_is_the_same_each_time(language):
    where = directory()
    spec = write(where, "msgs.spec", SPEC)
    first, second = (heddle("spec", "generate", "--lang", language, spec) for _ in range(2))
    same((first.status, first.out), (0, second.out), "generating twice")
    file = generated(where, language, "msgs.java")
    same(open(file).read(), first.out, "in a file")
    moved = heddle("spec", "generate", "--lang", language, write(directory(), "copy.spec", SPEC + "\n// A comment.\n"))
    same(moved.out, first.out, "of a file with another name and a comment")


def test_a_paused_program_says_what_it_was_built_with():
    where = directory()
    _, command = build_c(where, C % "")
    done = record(command, "--paused")
    same(done.status, 0, "status")
    properties, = Trace(done.trace).group_properties.values()
    check("HEDDLE::SPECIFICATION::msgs" in properties, f"properties: {properties}")


def refused(language, spec, expected, *options):
    path = write(directory(), "bad.spec", spec)
    done = heddle("spec", "generate", "--lang", language, *options, path)
    same((done.status, done.out, done.err), (1, "", f"heddle spec: {expected.replace('SPEC', path)}\n"), "what is refused")


def test_what_a_language_cannot_have_is_one_error():
    refused("c", "event A(b);", "SPEC: the specification has no name, which the code needs: write `graze NAME` in front of it, and "
            "`end NAME.` behind it")
    refused("java", "graze heddle event A; end heddle.",
            "SPEC: the specification is called `heddle`, as Heddle's own module and class: use another name")
    refused("c", "graze a event A(b: text); end a.", "SPEC:1:17: the attribute `b` is a text: programs log integers and reals only")
    refused("c", "graze a event A(int, int_); end a.", "SPEC:1:22: the attributes `int` and `int_` of `A` have one name in C")
    refused("fortran", "graze a event A; event a; end a.", "SPEC:1:24: the events `A` and `a` have one name in Fortran")
    refused("fortran", "graze a event A(b, B); end a.", "SPEC:1:20: the attributes `b` and `B` of `A` have one name in Fortran")
    refused("fortran", f"graze a event {'A' * 62}; end a.",
            f"SPEC:1:15: `{'A' * 62}`: Fortran would get a name of more than 63 characters")
    refused("java", "graze a event wait; event wait_; end a.", "SPEC:1:27: the events `wait` and `wait_` have one name in Java")
    refused("java", f"graze a event A({', '.join(f'a{i}' for i in range(128))}); end a.",
            "SPEC:1:15: the event `A` has more than 127 attributes, as many as Java can have")
    refused("java", "graze a event A; end a.", "--package a..b: not the name of a package", "--package", "a..b")
    refused("c", "graze a interval I [ chunk -> chunk ]; end a.", "SPEC: the specification declares no events")
