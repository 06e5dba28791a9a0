#!/usr/bin/python3
"""
Omits executions from an archive as the recorder would have done. At a place, one of N executions of a lock, critical section or region
without events inside is kept for each thread. It is chosen at random in each block of N; its Enter has the weight. What follows the
last one is counted at the thread's end. So the outputs of one command on both archives can be compared.

    omit.py ARCHIVE DIRECTORY... [--every N] [--whole N] [--seed N]

--whole: so many executions of a place are kept before others are omitted. A DIRECTORY must not be there yet; the second one has the
next seed, and so on: the archive is read once.
"""
import argparse
import collections
import random

import otf2
from otf2.enums import Paradigm, RegionRole, Type

import quick_otf2  # noqa: F401

LOCKS = ("omp_set_lock", "omp_test_lock", "omp_set_nest_lock", "omp_test_nest_lock")
LEAVES = {RegionRole.TASK, RegionRole.LOOP, RegionRole.SINGLE, RegionRole.WORKSHARE, RegionRole.FUNCTION, RegionRole.CODE}  # where nothing is inside


class Nothing:
    """A reference that is undefined: the module reads it as None, which it cannot write."""
    _ref = 0xFFFFFFFF


class Instance:
    """An execution of a region: the numbers of its events on its thread."""

    def __init__(self, region, first):
        self.region, self.first, self.events, self.leaf, self.lock = region, first, [first], True, None


def is_lock(region):
    return region.region_role == RegionRole.CRITICAL or region.name.startswith(LOCKS)


def find_instances(events):
    """Executions that may be omitted, in the order of their begins."""
    open_regions, holders, found = [], collections.defaultdict(list), []
    ended = None  # a lock's routine, which ends before the thread has the lock
    for at, event in enumerate(events):
        kind = type(event).__name__
        if kind == "Enter":
            if open_regions:
                open_regions[-1].leaf = False
            instance = Instance(event.region, at)
            open_regions.append(instance)
            if event.region.region_role == RegionRole.CRITICAL_SBLOCK and len(open_regions) > 1:
                open_regions[-2].events.append(at)
        elif kind == "Leave":
            instance = open_regions.pop()
            outer = instance.region.region_role == RegionRole.CRITICAL_SBLOCK and open_regions
            (open_regions[-1] if outer else instance).events.append(at)
            if is_lock(instance.region):
                found.append(instance)
                ended = instance
            elif instance.leaf and instance.region.region_role in LEAVES and instance.region.paradigm == Paradigm.OPENMP:
                found.append(instance)
        elif kind == "ThreadAcquireLock":
            critical = open_regions and is_lock(open_regions[-1].region) and open_regions[-1].lock is None
            instance = open_regions[-1] if critical else ended
            if instance:
                instance.lock = event.lock_id
                instance.events.append(at)
            holders[event.lock_id].append(instance)
        elif kind == "ThreadReleaseLock" and holders[event.lock_id]:
            instance = holders[event.lock_id].pop()
            if instance:
                instance.events.append(at)
        elif open_regions:
            open_regions[-1].leaf = False
        if kind not in ("Leave", "ThreadAcquireLock"):
            ended = None
    return sorted(found, key=lambda instance: instance.first)


def omit(found, every, whole, chance):
    """Numbers of the events to omit, the weights of the events that stay, and how many of each region follow the last one."""
    gone, weights, rest = set(), {}, {}
    places = collections.defaultdict(list)
    for instance in found:
        places[instance.region._ref].append(instance)
    for instances in places.values():
        since = 0
        for number, instance in enumerate(instances):
            past = number - whole
            if past >= 0 and past % every == 0:
                chosen = past + chance.randrange(every)
            since += 1
            if past < 0 or past == chosen:
                weights[instance.first], since = since, 0
            else:
                gone.update(instance.events)
        if since:
            rest[instances[0].region] = since
    return gone, weights, rest


def write(event, writer):
    for field in ("thread_contingent", "thread_team", "new_thread", "communicator"):
        if hasattr(event, field) and getattr(event, field) is None:
            setattr(event, field, Nothing())
    writer(event)


def write_omitted(directory, definitions, threads, attributes, options, seed):
    """threads: by location, its events and what find_instances() says of them."""
    skipped, weight, construct, number = attributes
    chance = random.Random(seed)
    with otf2.writer.open(directory, definitions=definitions) as writer:
        for location, (events, found) in threads.items():
            out = writer.event_writer_from_location(location)
            gone, weights, rest = omit(found, options.every, options.whole, chance)
            for at, event in enumerate(events):
                if at == len(events) - 1:  # the thread's end
                    for region, count in rest.items():
                        out.enter(event.time, skipped, attributes={construct: region, number: count})
                        out.leave(event.time, skipped)
                if at in weights and weights[at] > 1:
                    out.enter(event.time, event.region, attributes={**(event.attributes or {}), weight: weights[at]})
                elif at not in gone:
                    write(event, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("archive")
    parser.add_argument("directories", nargs="+")
    for name, default in (("every", 8), ("whole", 0), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=default)
    options = parser.parse_args()
    with otf2.reader.open(options.archive + "/traces.otf2") as reader:
        threads = collections.defaultdict(list)
        for location, event in reader.events:
            threads[location].append(event)
        threads = {location: (events, find_instances(events)) for location, events in threads.items()}
        definitions = reader.definitions
        weight = definitions.attribute("weight", "executions that this one stands for", Type.UINT64)
        construct = definitions.attribute("construct", "of which instances were not recorded", Type.REGION)
        number = definitions.attribute("instances", "instances that were not recorded", Type.UINT64)
        skipped = definitions.region("skipped instances", region_role=RegionRole.FUNCTION, paradigm=Paradigm.MEASUREMENT_SYSTEM)
        for seed, directory in enumerate(options.directories, options.seed):
            write_omitted(directory, definitions, threads, (skipped, weight, construct, number), options, seed)


if __name__ == "__main__":
    main()
