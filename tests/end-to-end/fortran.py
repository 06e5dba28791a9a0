"""
Fortran, and C, as gcc compiles them: constructs have the names and lines that the programmer gave them, whatever the
compiler made of them. Imbalance, schedules, and loops that compilers make parallel by themselves, are known and found.
With flang, where there is one, on libomp.
"""
import os
import re
import shutil

import pytest

from analysis import ask, imbalance_found, imbalance_of, measured
from harness import BUILD, SOURCE, before_others, check, directory, holds_mostly, run, run_traced, same
from trace import Role, Trace, check_well_formed, read_by_otf2_print

GOMP = os.path.join(BUILD, "lib", "libheddle-gomp.so")
SOURCES = os.path.join(SOURCE, "..", "programs")


def compiled(source, *options):
    """The program that gcc or gfortran makes of a source file."""
    compiler = {".f90": "gfortran", ".cpp": "g++"}.get(os.path.splitext(source)[1], "gcc")
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    return built(compiler, source, *options)


def built(compiler, source, *options):
    to = os.path.join(directory(), "program")
    path = os.path.normpath(os.path.join(SOURCES, source))
    done = run([compiler, "-g", *options, "-D_GNU_SOURCE", "-I" + os.path.join(SOURCE, "..", ".."),
                "-I" + os.path.join(SOURCES, "fortran"), path, "-o", to],
               cwd=os.path.dirname(to))
    same(done.status, 0, f"status of the compiler: {done.err}")
    return to


def flang():
    for name in ("flang-22", "flang-20", "flang-19", "flang-new-19", "flang"):
        if shutil.which(name):
            return name
    pytest.skip("there is no flang")


def on_libgomp(command, **settings):
    preload = ":".join(filter(None, [os.environ.get("HEDDLE_TEST_PRELOAD"), GOMP]))
    done = run_traced(command, LD_PRELOAD=preload, **settings)
    same(done.status, 0, f"exit status: {done.err}")
    return done


def places(source):
    """The constructs that the source marks: {name: [(first line, last line)]}."""
    found, begun = {}, {}
    for number, line in enumerate(open(os.path.join(SOURCES, source)), 1):
        marks = re.search(r"(?://|!) ((?:\[\w+ ?|\w+\] ?)+)$", line)
        for mark in marks[1].split() if marks else []:
            if mark[0] == "[":
                begun.setdefault(mark[1:], []).append(number)
            else:
                found.setdefault(mark[:-1], []).append((begun[mark[:-1]].pop(), number))
    check(found and not any(begun.values()), f"{source} is marked: {begun}")
    return found


def regions(trace, construct):
    return [r for r in trace.regions if re.match(rf"!\$omp {construct} @", r.name)]


def in_one_of(line, extents):
    return [e for e in extents if e[0] <= line <= e[1]]


MARKED = ["gomp/lines.c", "fortran/lines.f90", "places/time_loop.c", "places/time_loop.f90", "places/inlined.c", "places/inlined.cpp"]


@pytest.mark.parametrize("case", [f"{source}-O{level}" for source in MARKED for level in range(4)])
def test_constructs_are_where_the_source_has_them(case):
    source, level = case.split("-")
    known = places(source)
    trace = Trace(on_libgomp([compiled(source, "-fopenmp", "-" + level)], OMP_SCHEDULE="dynamic,5").trace)
    same(sorted(r.begin_line_number for r in regions(trace, "parallel")), sorted(e[0] for e in known["parallel"]),
         "lines of the parallel regions")
    for construct in ("for", "barrier", "critical", "task"):
        extents = known.get(construct, [])
        same([r.name for r in regions(trace, construct) if os.path.basename(r.source_file) != os.path.basename(source)], [],
             "regions in another file than all constructs are in")
        # With optimization the runtime does not report each static loop, and so not the owner of the barrier that
        # follows.
        others = list(known["for"]) if construct == "barrier" and level != "O0" else []
        others += known.get("taskloop", []) if construct == "task" else []
        lines = [r.begin_line_number for r in regions(trace, construct)]
        for line in lines:
            check(in_one_of(line, extents + others), f"{construct} @{line} is none of {extents}")
        lines = [line for line in lines if in_one_of(line, extents)]
        if construct != "for" or level == "O0":
            same(len({in_one_of(line, extents)[-1] for line in lines}), len(extents), f"{construct}s found")
    # Where the compiler has moved its statements away, the parallel region stands for a construct.
    around = {e[0] for e in known["parallel"]}
    for region in regions(trace, "single") + regions(trace, "sections") + regions(trace, "section"):
        line, extents = region.begin_line_number, known["single" if "single" in region.name else "sections"]
        check(in_one_of(line, extents) or line in around, f"{region.name} is none of {extents}")
    for region in regions(trace, "implicit barrier"):
        line = region.begin_line_number
        check(any(in_one_of(line, known.get(c, [])) for c in ("for", "single", "sections", "parallel")),
              f"{region.name} belongs to no construct")


def times_entered(trace, construct):
    """How often the threads entered the regions of a construct, by line."""
    counts = {}
    for e in trace.events():
        if e.kind == "Enter" and re.match(rf"!\$omp {construct} @", e.region.name):
            line = e.region.begin_line_number
            counts[line] = counts.get(line, 0) + 1
    return counts


@pytest.mark.parametrize("case", [f"{source}-O{level}" for source in ("time_loop.c", "time_loop.f90", "inlined.c", "inlined.cpp") for level in range(4)])
def test_constructs_are_not_taken_for_each_other(case):
    """
    Neither constructs in one time loop, whose functions' addresses are made before it, nor constructs of different inlined
    functions.
    """
    source, level = case.split("-")
    known = places(f"places/{source}")
    trace = Trace(on_libgomp([compiled(f"places/{source}", "-fopenmp", "-" + level)]).trace)
    often = 2 * (100 if "time_loop" in source else 3)  # on both threads
    same(times_entered(trace, "parallel"), {begin: often for begin, _ in known["parallel"]}, "regions by line")
    for construct in sorted({"for", "single", "sections"} & set(known)):
        found = {}
        for line, times in times_entered(trace, construct).items():
            extent = (in_one_of(line, known[construct]) or in_one_of(line, known["parallel"]))[-1]
            same(found.setdefault(extent, times), times, f"{construct}s at line {line} and another one of the same")
        same([times for times in found.values() if times != often], [], f"{construct}s that are several")
        if construct == "for":
            same(sorted(found), sorted(known[construct]), "loops found")


def test_without_debug_information_the_compilers_numbers_tell_constructs_apart():
    program = compiled("places/time_loop.c", "-fopenmp", "-O2", "-g0")
    trace = Trace(on_libgomp([program]).trace)
    names = sorted(r.name for r in regions(trace, "parallel"))
    same(names, [f"!$omp parallel @main._omp_fn.{k}" for k in range(3)], "names")
    same(len({r.name for r in regions(trace, "for")}), 3, "names of loops")


def test_names_are_the_programmers():
    trace = Trace(on_libgomp([compiled("fortran/lines.f90", "-fopenmp", "-O2")]).trace)
    names = {r.canonical_name for r in regions(trace, "parallel")}
    same(names, {"work::static_loops", "work::dynamic_loops", "work::others", "work::combined", "lines"}, "functions")
    check(not [r.name for r in trace.regions if "_fn" in r.name or "_MOD_" in r.canonical_name], "no compiler's names")


def schedule_of(trace):
    """The chunks of the only loop, by thread number: [[(first, iterations)]]; chunks are in the order in which they began."""
    chunks = {}
    for location in trace.locations:
        number = 0 if "master" in location.name else int(location.name.split()[-1])
        for e in location.events:
            if e.kind == "Enter" and e.region.name.startswith("chunk"):
                n = e.attributes.get("chunks", 1)
                same(n, 1, "chunks in one event")
                chunks.setdefault(number, []).append((e.time, e.attributes["first iteration"], e.attributes["iterations"]))
    return chunks


N, P, C = 400, 4, 25


def check_schedule(chunks, schedule, base):
    """What the schedule must have handed out, whatever the threads' speed. base: the first iteration as reported."""
    flat = sorted((first - base, size) for list_ in chunks.values() for _, first, size in list_)
    check(flat and flat[0][0] == 0, f"the first chunk begins at {flat[:1]}")
    for (first, size), (after, _) in zip(flat, flat[1:] + [(N, 0)]):
        same(first + size, after, "where a chunk ends and the next begins")
    if schedule == "static":
        same(flat, [(q * N // P, N // P) for q in range(P)], "blocks")
        same({q: [(f - base, n) for _, f, n in list_] for q, list_ in chunks.items()},
             {q: [(q * N // P, N // P)] for q in range(P)}, "who has which block")
    elif schedule == "static,25":
        same({q: [(f - base, n) for _, f, n in list_] for q, list_ in chunks.items()},
             {q: [(C * q + C * P * k, C) for k in range(N // (C * P))] for q in range(P)}, "who has which chunks")
    elif schedule == "dynamic,25":
        same(flat, [(first, C) for first in range(0, N, C)], "chunks")
    else:
        sizes = [size for _, size in flat]
        same(sizes, sorted(sizes, reverse=True), "sizes of chunks that never grow")
        check(sizes[0] in (N // P, N // (2 * P)), f"the first chunk has {sizes[0]} iterations")


SCHEDULES = ["static", "static,25", "dynamic,25", "guided"]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_mploop_has_the_chunks_that_the_schedule_says(schedule):
    program = compiled("fortran/mploop.f90", "-fopenmp", "-O2")
    done = on_libgomp([program], OMP_SCHEDULE=schedule)
    trace = Trace(done.trace)
    check_well_formed(trace)
    read_by_otf2_print(done.trace)
    check_schedule(schedule_of(trace), schedule, 1)
    same([e for e in trace.events() if "derived" in e.attributes], [], "chunks that nobody reported")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_mploop_with_flang_has_the_same(schedule):
    program = built(flang(), "fortran/mploop.f90", "-fopenmp", "-O2")
    done = run_traced([program], OMP_SCHEDULE=schedule, KMP_WARNINGS="0")
    same(done.status, 0, f"exit status: {done.err}")
    chunks = schedule_of(Trace(done.trace))
    check_schedule(chunks, schedule, min(first for list_ in chunks.values() for _, first, _ in list_))


def work_of(trace):
    """By thread number: (iterations, when it arrived at the loop's or the region's barrier)."""
    result = {}
    for location in trace.locations:
        number = 0 if "master" in location.name else int(location.name.split()[-1])
        iterations = sum(e.attributes["iterations"] for e in location.events
                         if e.kind == "Enter" and e.region.name.startswith("chunk"))
        arrived = [e.time for e in location.events if e.kind == "Enter" and e.region.region_role == Role.IMPLICIT_BARRIER]
        result[number] = (iterations, arrived[0])
    return result


def times_as_late(program, schedule):
    """How many times as long as the slowest other thread the slow one takes to the end of the loop, and the threads' work."""
    trace = Trace(on_libgomp([program, "5"], OMP_SCHEDULE=schedule).trace)
    work = work_of(trace)
    begin = min(e.time for e in trace.events() if e.kind == "ThreadFork")
    return (work[1][1] - begin) / max(when - begin for t, (_, when) in work.items() if t != 1), work


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_slow_thread_shows_as_the_schedule_lets_it(schedule):
    # An iteration takes thread 1 five times as long. Sleeping takes longer on a busy machine, which makes the threads more
    # alike. If one is kept from its processor for longer than all else takes, they are not.
    program = compiled("fortran/mploop.f90", "-fopenmp", "-O2")

    def is_late():
        ratio, work = times_as_late(program, schedule)
        print(f"the slow thread takes {ratio:.2f} times as long as the others; iterations, arrivals: {work}")
        if schedule.startswith("static"):
            same({iterations for iterations, _ in work.values()}, {N // P}, "equal shares")
            return ratio > 2.2
        return ratio < 2.2 and all(work[1][0] < iterations for t, (iterations, _) in work.items() if t != 1)

    holds_mostly(is_late, "the slow thread is as late as the schedule lets it")


@pytest.mark.parametrize("language", ["c", "fortran"])
def test_a_known_imbalance_is_found(language):
    program = compiled(*(("known_imbalance.c",) if language == "c" else ("fortran/known_imbalance.f90",)), "-fopenmp", "-O0")

    def found_as_measured():
        """None: the machine stopped for longer than a unit, between the program's clock and ours. The program's own figure is not 50 % then."""
        done = on_libgomp([program], preexec=before_others)
        right, quiet = True, True
        for construct in ("region", "loop"):
            lost, percent = imbalance_of(measured(done.out)[construct])
            found, found_percent, calls = imbalance_found(construct, done.trace)
            same(calls, 3, "calls")
            print(f"{construct}: lost {found / 1e6:.3f} ms, the program measured {lost / 1e6:.3f}; {found_percent:.1f} %, the program measured {percent:.1f} %")
            right = right and abs(found / lost - 1) <= 0.03 and abs(found_percent / percent - 1) <= 0.03
            quiet = quiet and abs(percent / 50 - 1) < 0.02
        return True if right else False if quiet else None

    holds_mostly(found_as_measured, "the imbalance is as the program measures it")


def test_the_last_region_ends_when_the_last_thread_arrives():
    # libgomp never reports that its workers leave their last barrier.
    trace = Trace(on_libgomp([compiled("known_imbalance.c", "-fopenmp", "-O2")]).trace)
    last = {l.name: [leave for r, _, leave in trace.spans(l, Role.PARALLEL)][-1] for l in trace.locations}
    arrivals = [max(e.time for e in l.events if e.kind == "Enter" and e.region.region_role == Role.IMPLICIT_BARRIER)
                for l in trace.locations]
    for name, leave in last.items():
        if "master" not in name:
            same(leave.time, max(arrivals), f"when {name} left")
            check("closed" not in leave.attributes, f"{name}'s end is a corrected one, not a forced one")


def test_inlined_static_loops_have_no_bounds():
    done = on_libgomp([compiled("known_imbalance.c", "-fopenmp", "-O2")])
    trace = Trace(done.trace)
    loops = regions(trace, "for")
    same([r.description for r in loops], ["schedule: static; bounds: unknown, compiled inline"], "descriptions")
    check(not [r for r in trace.regions if r.name.startswith("chunk")], "there are no chunks")
    rows = [r for r in ask("imbalance", done.trace, "--threads")["threads"] if r["construct"].startswith("!$omp for")]
    same(len(rows), 4, "threads of the loop")
    check(all(r["iterations"] is None and r["chunks"] is None for r in rows), f"iterations are unknown, not 0: {rows}")
    check(all(r["busy"]["ticks"] > 0 for r in rows), f"busy times are known: {rows}")


def automatic(done, prefix):
    trace = Trace(done.trace)
    check_well_formed(trace)
    lines = {mark: n for n, l in enumerate(open(os.path.join(SOURCES, "fortran/solver.f90")), 1)
             for mark in ("sweep", "relax") if l.rstrip().endswith("! " + mark)}
    found = {r.canonical_name: r.begin_line_number for r in trace.regions
             if r.region_role == Role.PARALLEL and r.name.startswith(prefix)}
    return {name.split("::")[-1]: line for name, line in found.items()}, lines, trace


@pytest.mark.parametrize("schedule", ["static", "dynamic"])
def test_loops_that_gfortran_makes_parallel_are_known(schedule):
    options = ["-O2", "-ftree-parallelize-loops=2", "-fno-inline"]
    options += ["--param", "parloops-schedule=dynamic"] if schedule == "dynamic" else []
    done = on_libgomp([compiled("fortran/solver.f90", *options)])
    found, lines, trace = automatic(done, "auto-parallel loop @solver.f90:")
    for name, line in lines.items():  # or the line of its first statement
        check(found.get(name) in (line, line + 1), f"{name} is at {line}, not at {found}")
    check(not [r.name for r in trace.regions if "_loopfn" in r.name + r.canonical_name], "no compiler's names")
    inner = [r for r in trace.regions if r.name.startswith("auto-parallel iterations @")]
    check(inner and all(schedule in r.description for r in inner), f"{[r.description for r in inner]}")


def test_loops_that_flang_makes_parallel_are_known():
    compiler = flang()
    try:
        program = built(compiler, "fortran/solver.f90", "-O2", "-fopenmp", "-fdo-concurrent-to-openmp=host")
    except AssertionError:
        pytest.skip(f"{compiler} does not make do concurrent parallel")
    found, lines, _ = automatic(run_traced([program], KMP_WARNINGS="0"), "!$omp parallel @solver.f90:")
    same(found.get("relax"), lines["relax"], f"line of the loop in {found}")
