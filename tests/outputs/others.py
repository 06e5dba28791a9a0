"""
Archives that no program of ours made: by python3-otf2, as other tools would, and damaged ones.
"""
import glob
import os
import sys
import tempfile

import otf2
from otf2.enums import Paradigm, RegionRole, Type


def nothing(at):
    """An archive without a thread."""
    with otf2.writer.open(at, timer_resolution=10**9) as made:
        made.definitions.location_group("process", system_tree_parent=made.definitions.system_tree_node("machine"))


def thinned(at):
    """A made-up program; one in 8 executions is recorded after the first 40 of each place."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end-to-end"))
    import omitted as program
    with tempfile.TemporaryDirectory() as room:
        program.make(f"{room}/full", rounds=400, properties={"HEDDLE::BUDGET": "5 %"}, recording=10**8)
        program.omit(f"{room}/full", at, 8, 1, whole=40)


def threads_and_counters(at):
    """
    Two threads in a region; one of them waits at its barrier, in a function of the program, with metrics. There are no teams, and no clock on
    the wall.
    """
    with otf2.writer.open(at, timer_resolution=1000) as made:
        define = made.definitions
        group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
        parallel = define.region("!$omp parallel @x.c:1", source_file="x.c", region_role=RegionRole.PARALLEL, paradigm=Paradigm.OPENMP, begin_line_number=1)
        barrier = define.region("!$omp implicit barrier @x.c:9", source_file="x.c", region_role=RegionRole.IMPLICIT_BARRIER,
                                paradigm=Paradigm.OPENMP, begin_line_number=9)
        solve = define.region("solve", source_file="x.c", region_role=RegionRole.FUNCTION, paradigm=Paradigm.COMPILER, begin_line_number=4)
        send = define.region("MPI_Send", region_role=RegionRole.POINT2POINT, paradigm=Paradigm.MPI)
        members = [define.metric_member("misses", value_type=Type.UINT64), define.metric_member("load", value_type=Type.DOUBLE)]
        metrics = define.metric_class(members)
        for thread, arrives in enumerate((160, 200)):
            writer = made.event_writer(f"thread {thread}", group=group)
            for begin in range(100, 1100, 200):
                writer.enter(begin, parallel)
                writer.metric(begin, metrics, (begin * (thread + 1), begin / 3))
                writer.enter(begin + 10, solve)
                writer.enter(begin + 20, send)
                writer.leave(begin + 25 + thread, send)
                writer.leave(begin + arrives - 110, solve)
                writer.enter(begin + arrives - 100, barrier)
                writer.leave(begin + 100, barrier)
                writer.leave(begin + 100, parallel)


def events_of(at):
    """The event file of the last thread."""
    return sorted(glob.glob(os.path.join(at, "traces", "*.evt")))[-1]


def truncate_events(at):
    """As a full disk leaves it."""
    os.truncate(events_of(at), os.path.getsize(events_of(at)) // 2)


def damage_events(at):
    """Bytes in the middle that are no events."""
    with open(events_of(at), "r+b") as file:
        file.seek(os.path.getsize(file.name) // 2)
        file.write(b"\xee" * 40)


def lose_events(at):
    os.unlink(events_of(at))


def damage_definitions(at):
    os.truncate(os.path.join(at, "traces.def"), os.path.getsize(os.path.join(at, "traces.def")) // 2)
