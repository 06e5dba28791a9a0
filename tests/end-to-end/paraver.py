"""
A checker of Paraver traces, written from the description of the format: what one says of itself must hold together.
read(base) reads BASE.prv, .pcf and .row, checks them, and returns what is in them.
"""
import collections
import re

from harness import check, same

State = collections.namedtuple("State", "thread begin end state")
Event = collections.namedtuple("Event", "thread time type value")
Files = collections.namedtuple("Files", "end threads states events names labels values state_names")
NOT_CREATED = 2
# Types whose numbers have no names: the values are counts or identifiers.
NUMBERS = {60000028}
ATTRIBUTES = range(92000000, 94000000)  # of the program's events: numbers, too


def header(line):
    """The end, and how many threads each task has."""
    found = re.fullmatch(r"#Paraver \((\d\d)/(\d\d)/(\d{4}) at (\d\d):(\d\d)\):(\d+)_ns:1\((\d+)\):1:(\d+)\(([\d:,]+)\),0", line)
    check(found, f"not a header: {line!r}")
    tasks = [tuple(map(int, task.split(":"))) for task in found[9].split(",")]
    same(len(tasks), int(found[8]), "tasks in the header")
    check(all(threads > 0 and node == 1 for threads, node in tasks), f"tasks: {tasks}")
    same(int(found[7]), sum(threads for threads, _ in tasks), "processors")
    return int(found[6]), [threads for threads, _ in tasks]


def objects(fields, tasks):
    """(task, thread), after a look at the ids."""
    cpu, application, task, thread = map(int, fields)
    check(application == 1 and 1 <= task <= len(tasks) and 1 <= thread <= tasks[task - 1], f"ids: {fields}")
    same(cpu, sum(tasks[:task - 1]) + thread, "processor")
    return task, thread


def prv(path):
    states, events, last = [], [], 0
    with open(path, encoding="utf-8", newline="\n") as file:
        end, tasks = header(file.readline().rstrip("\n"))
        for line in file:
            kind, *fields = line.rstrip("\n").split(":")
            who = objects(fields[:4], tasks)
            numbers = list(map(int, fields[4:]))
            check(last <= numbers[0] <= end, f"not in order, or behind the end: {line!r}")
            last = numbers[0]
            if kind == "1":
                begin, until, state = numbers
                check(begin < until <= end, f"a state's times: {line!r}")
                states.append(State(who, begin, until, state))
            else:
                same((kind, len(numbers) % 2), ("2", 1), f"kind and fields of {line!r}")
                events += [Event(who, last, *pair) for pair in zip(numbers[1::2], numbers[2::2])]
    return end, tasks, states, events


def pcf(path):
    """Names of states, labels of types, names of values by type."""
    names, labels, values, part, types = {}, {}, {}, None, []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file.read().split("\n"):
            if line in ("STATES", "STATES_COLOR", "EVENT_TYPE", "VALUES", "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC"):
                types = [] if line == "EVENT_TYPE" else types
                part = line
            elif line and part == "STATES":
                number, name = line.split(None, 1)
                names[int(number)] = name
            elif line and part == "EVENT_TYPE":
                _, number, label = line.split(None, 2)
                check(int(number) not in labels, f"type {number} is there twice")
                labels[int(number)] = label
                values[int(number)] = {}
                types.append(int(number))
            elif line and part == "VALUES":
                number, _, name = line.partition(" ")
                for type in types:
                    check(int(number) not in values[type], f"value {number} of {type} is there twice")
                    values[type][int(number)] = name
    return names, labels, values


def row(path):
    levels, left = {}, 0
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file.read().split("\n"):
            found = re.fullmatch(r"LEVEL (\w+) SIZE (\d+)", line)
            if left == 0 and found:
                level, left = levels.setdefault(found[1], []), int(found[2])
            elif left > 0:
                check(line.strip(), "a name is empty")
                level.append(line)
                left -= 1
            else:
                same(line, "", "a line between levels")
    same(left, 0, "names that are missing")
    return levels


def read(base):
    end, tasks, states, events = prv(base + ".prv")
    names, labels, values = pcf(base + ".pcf")
    levels = row(base + ".row")
    threads = [(t + 1, i + 1) for t, count in enumerate(tasks) for i in range(count)]
    same((len(levels["THREAD"]), len(levels["CPU"]), len(levels["NODE"]), len(levels["TASK"])),
         (len(threads), len(threads), 1, len(tasks)), "names")
    for state in states:
        check(state.state in names, f"state {state.state} has no name")
    for event in events:
        check(event.type in labels, f"type {event.type} has no label")
        check(event.type in NUMBERS or event.type in ATTRIBUTES or event.value in values[event.type], f"value {event.value} of {event.type} has no name")
    at = dict.fromkeys(threads, 0)
    for state in states:
        same(state.begin, at[state.thread], f"where the next state of {state.thread} begins")
        at[state.thread] = state.end
    return Files(end, threads, states, events, levels["THREAD"], labels, values, names)
