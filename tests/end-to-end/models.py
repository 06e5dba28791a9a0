"""
Models of traced programs. They agree with a count by hand in the sequence, their simulations give the same model again, and one line
says what can't be done.
"""
import collections
import itertools
import json
import os
import random
import subprocess

from harness import HEDDLE, before_others, check, directory, heddle, holds_mostly, program, record, run, same, until_it_happens


def ask(*arguments):
    done = heddle(*arguments)
    same((done.status, done.err), (0, ""), f"heddle {' '.join(arguments)}")
    return done.out


def traced_trace(name, *arguments, **settings):
    # READY and OFF come by chance, and runs with other states in their counts cannot be pooled.
    return record([program(name), *arguments], "--no-switches", **settings).trace


def traced_sequence(directory_of_files, name, *arguments, vector="threads"):
    trace = directory()
    record([program(name), *arguments], "-o", trace)
    path = os.path.join(directory_of_files, "run.pes")
    ask("pes", trace, "--vector", vector, "-o", path)
    return path


def records_of(path, to):
    """(state as a tuple, ticks) of each record, and the terminal state or None, by a count of the tests' own from CSL text."""
    ask("pes", path, "--csl", "-o", to)
    with open(to) as file:
        lines = file.read().split("Trace:\n")[1].replace("end.", "").split("\n")
    entries, until = [], None
    for line in lines:
        words = line.split(None, 1)
        if line.strip().startswith("Until"):
            until = int("".join(c for c in line if c.isdigit()))
        elif len(words) == 2 and "<" in words[1]:
            entries.append((int(words[0]), words[1].strip()))
    terminal = None
    if until is None:
        until, terminal = entries.pop()
    ends = [entry for entry, _ in entries[1:]] + [until]
    return [(state, end - entry) for (entry, state), end in zip(entries, ends)], terminal


def test_runs_of_one_program_are_pooled():
    # As heddle-model(1) has it: the same program again, a process of another number.
    where = directory()
    runs = []
    for day in "monday", "tuesday", "wednesday":
        path = os.path.join(where, f"{day}.pes")
        ask("pes", "--param", "size=20", traced_trace("philosophers", "5", "20"), "--vector", "counts", "-o", path)
        runs.append(path)
    model = os.path.join(where, "model.json")
    ask("model", *runs, "-o", model)
    shown = json.loads(ask("model", "--json", model))
    piped = [run(["sh", "-c", f'cat "$1" | "$0" model --json {name}', HEDDLE, runs[0]]).out for name in ("-", "/dev/stdin")]
    same(json.loads(piped[1])["states"], json.loads(piped[0])["states"], "a sequence from a pipe, by either name")
    same((shown["program"], shown["runs"]), ("philosophers", 3), "program, runs")
    for row in json.loads(ask("model", "--json", *runs))["spread"]:
        check(0 <= row["longrun_low"] <= row["longrun"] <= row["longrun_high"] <= 1, f"interval of a share: {row}")
    # The check of parameters is still there.
    other = os.path.join(where, "other.pes")
    ask("pes", "--param", "size=21", traced_trace("philosophers", "5", "20"), "--vector", "counts", "-o", other)
    refused = heddle("model", runs[0], other)
    same(refused.status, 1, "exit status")
    check("its parameter size is 21" in refused.err, f"says {refused.err}")


def test_a_validation_says_what_it_did_not_test():
    where = directory()
    long, short = (os.path.join(where, n) for n in ("long.pes", "short.pes"))
    ask("pes", traced_trace("philosophers", "5", "200"), "--vector", "counts", "-o", long)
    ask("pes", traced_trace("philosophers", "2", "1"), "--vector", "counts", "-o", short)
    model = os.path.join(where, "model.json")
    ask("model", long, "-o", model)
    for run, few in (long, False), (short, True):
        verdict = json.loads(ask("validate", model, run, "--json"))
        check("memory beyond six states" in verdict["not_tested"], verdict)
        for use in (u for u in verdict if u.startswith("use_") and ": yes" in verdict[u]):
            check("would have shown" in verdict[use], f"a yes says what it could not have seen: {verdict[use]}")
        same("too_few" in verdict, few, f"too few of {verdict['run_records']} records")
        if few:
            check("fewer than 100" in verdict["too_few"] and ": yes" not in verdict["use_sequences"], verdict)


def written_sequence(path, records, values="ABCD"):
    """A sequence of one component from (letter, ticks)."""
    with open(path, "w") as file:
        file.write(f"Program Letters;\nbegin\nSetup:\nmaxcomps = 1\nComponent 0 = 'Letter', {len(values)}, char;\n")
        file.write(";\n".join(f"{i}={value},{value}" for i, value in enumerate(values)) + "\nTrace:\n")
        time = 0
        for letter, ticks in records + records[:1]:
            file.write(f"{time} <{values.index(letter)}>\n")
            time += ticks
        file.write("end.\n")
    return path


def validated(first, second):
    model = first + ".json"
    ask("model", first, "-o", model)
    verdict = json.loads(ask("validate", model, second, "--json"))
    return verdict, {row["question"]: row for row in verdict["tests"]}


def test_memory_of_two_steps_back_is_refused():
    where = directory()
    draw = random.Random(1)
    runs = [written_sequence(os.path.join(where, f"{i}.csl"), [(c, 10 + draw.randrange(20)) for c in 200 * "ABDACD"]) for i in (1, 2)]
    verdict, tests = validated(*runs)
    same(tests["first order"]["outcome"], "differs", "first order")
    same([o["determined"] == 1 for o in verdict["orders"]], [False, False, True, True, True], "orders that determine")
    check("determined by the last 3 states, up to 2 steps back" in verdict["memory"], verdict["memory"])
    for use in "use_next", "use_sequences":
        check(verdict[use].endswith(": no."), verdict[use])
    check(": yes; differences from" in verdict["use_shares"], verdict["use_shares"])


def test_states_carry_their_history():
    where = directory()
    draw = random.Random(3)
    runs = [written_sequence(os.path.join(where, f"{i}.csl"), [(c, 10 + draw.randrange(20)) for c in 200 * "ABDACD"]) for i in (1, 2)]
    path, sim = (os.path.join(where, name) for name in ("model.json", "sim.pes"))
    model = json.loads(ask("model", "--order", "auto", runs[0], "-o", path, "--json"))
    same((model["order"], [row["order"] for row in model["orders"]]), (3, [1, 2, 3, 4, 5]), "the order by BIC")
    same(min(model["orders"], key=lambda row: row["bic"])["order"], 3, "the least BIC")
    same({edge["probability"] for edge in model["edges"]}, {1}, "what follows three states")
    same(sorted(s["visits"] for s in model["states"]), [1, 1, 199, 199, 200, 200, 200, 200], "visits of histories")
    verdict = json.loads(ask("validate", path, runs[1], "--json"))
    outcomes = {row["question"]: row["outcome"] for row in verdict["tests"]}
    same((outcomes["transitions"], outcomes["first order"]), ("holds", "holds"), "a run of the same order")
    ask("simulate", path, "--records", "600", "-o", sim)
    records, terminal = records_of(sim, os.path.join(where, "sim.csl"))
    same(([int(state[1]) for state, _ in records], terminal), ([0, 1, 3, 0, 2, 3] * 100, "<0>"), "the simulated states")
    same(json.loads(ask("pes", sim, "--json"))["states"], 4, "states of the simulated sequence")
    half = json.loads(ask("whatif", "--scale", "A=0", path, "--json"))
    same({row["state"]: row["factor"] for row in half["states"]}, {s["state"]: 0 if s["state"][-1] == "A" else 1 for s in model["states"]},
         "a state is scaled with whatever history")
    for status, *arguments in ((2, "model", "--order", "6", runs[0]), (2, "model", "--order", "x", runs[0]),
                               (1, "fit", "--by", "size", "-o", sim, path, path, path)):
        done = heddle(*arguments)
        same((done.status, len(done.err.splitlines())), (status, 1), f"{arguments}: {done.err}")


def steps(count, waiting, draw):
    """Steps of a program: work, waiting, a barrier."""
    return [pair for _ in range(count)
            for pair in (("A", 20 + draw.randrange(10)), ("B", waiting + draw.randrange(10)), ("C", 5 + draw.randrange(5)))]


def test_a_run_that_changes_gets_no_yes():
    where = directory()
    draw = random.Random(1)
    runs = [written_sequence(os.path.join(where, f"{i}.csl"), steps(200, 5, draw) + steps(200, 60, draw)) for i in (1, 2)]
    verdict, tests = validated(*runs)
    same(tests["one phase"]["outcome"], "differs", "one phase")
    same([use for use in verdict if use.startswith("use_") and ": yes" in verdict[use]], [], "a yes of a run that changes")
    check("has 2 phases" in verdict["phases"] and "model --phases" in verdict["phases"], verdict["phases"])


def test_phases_are_where_the_sequence_changes():
    where = directory()
    draw = random.Random(2)
    path = written_sequence(os.path.join(where, "run.csl"), steps(200, 5, draw) + steps(200, 60, draw))
    found = json.loads(ask("phases", path, "--json"))
    # The work before the first long wait is the same in both, so it may belong to either.
    begins = [p["first"] for p in found["phases"]]
    check(begins in ([1, 601], [1, 602]), f"the phases begin at {begins}")
    same([round(p["period"]) for p in found["phases"]], [3, 3], "periods in records")
    part = os.path.join(where, "part.pes")
    ask("transform", "--clip-phase", "2", path, "-o", part)
    records, _ = records_of(part, os.path.join(where, "part.csl"))
    same(len(records), 1201 - begins[1], "records of phase 2")
    check(min(ticks for state, ticks in records if state == "<1>") >= 60, "a step of phase 1 is in phase 2")
    same(len(json.loads(ask("phases", part, "--json"))["phases"]), 1, "phases of a phase")
    warned = heddle("model", path)
    check(warned.status == 0 and "2 phases" in warned.out, f"model says nothing of phases: {warned.out[-500:]}")
    for status, *arguments in ((1, "transform", "--clip-phase", "3", path, "-o", part), (2, "transform", "--clip-phase", "0", path, "-o", part),
                               (1, "phases", os.path.join(where, "missing")), (2, "phases", "--level", "2", path)):
        done = heddle(*arguments)
        same((done.status, len(done.err.splitlines())), (status, 1), f"{arguments}: {done.err}")


def test_phases_are_modelled_one_after_another():
    """What a single model is rightly refused for holds for a model of each phase; old files stay what they are."""
    where = directory()
    draw = random.Random(1)
    runs = [written_sequence(os.path.join(where, f"{i}.csl"), steps(600, 5, draw) + steps(600, 60, draw)) for i in (1, 2)]
    even, back = (written_sequence(os.path.join(where, f"{name}.csl"), steps(600, first, draw) + steps(600, 5, draw))
                  for name, first in (("even", 5), ("back", 60)))
    path, one, again, sim = (os.path.join(where, name) for name in ("model.json", "one.json", "again.json", "sim.pes"))
    model = json.loads(ask("model", "--phases", runs[0], "-o", path, "--json"))
    begins = [p["first"] for p in model["phases"]]
    check(begins in ([1, 1801], [1, 1802], [1, 1800]), f"the phases begin at {begins}")
    same((model["records"], sum(p["records"] for p in model["phases"])), (3600, 3600), "records")
    same(model["duration"]["ticks"], sum(p["duration"]["ticks"] for p in model["phases"]), "ticks")
    check("2 phases, with a model each" in model["found"], model["found"])
    shown = json.loads(ask("model", path, "--json"))
    same({k: shown[k] for k in ("phases", "states", "edges")}, {k: model[k] for k in ("phases", "states", "edges")}, "shown again")
    ask("model", path, "-o", again)
    same(open(again).read(), open(path).read(), "written again")

    verdict = json.loads(ask("validate", path, runs[1], "--json"))
    same([row for row in verdict["tests"] if row["outcome"] not in ("holds", "differs little")], [], "what does not hold")
    same([use for use in verdict if use.startswith("use_") and ": yes" not in verdict[use]], [], "uses without a yes")
    same({row["phase"] for row in verdict["tests"]}, {1, 2}, "phases of the tests")
    for run, missing in ((even, "missing_2"), (back, None)):
        verdict = json.loads(ask("validate", path, run, "--json"))
        same([use for use in verdict if use.startswith("use_") and ": no." not in verdict[use]], [], f"uses of {run}")
        check(missing is None or missing in verdict, f"{run}: {verdict}")

    second = json.loads(ask("model", "--phase", "2", path, "-o", one, "--passage", "A", "--json"))
    same((second["records"], second["duration"]["ticks"]), (model["phases"][1]["records"], model["phases"][1]["duration"]["ticks"]),
         "phase 2 alone")
    same(json.load(open(one))["version"], 1, "the file of one phase")
    ask("simulate", path, "--records", "3600", "-o", sim)
    found = json.loads(ask("phases", sim, "--json"))["phases"]
    check(len(found) == 2 and abs(found[1]["first"] - begins[1]) <= 2, f"phases of the simulated run: {found}")
    half = json.loads(ask("whatif", "--scale", "B=0", path, "--json"))
    waiting = sum(s["total"]["ticks"] for s in model["states"] if s["state"] == "B")
    same(half["duration"]["ticks"], model["duration"]["ticks"] - waiting, "the run without B")

    same(json.loads(ask("model", "--phases", even, "-o", one, "--json"))["states"], json.loads(ask("model", even, "-o", again, "--json"))["states"],
         "a run without a change")
    same(open(one).read(), open(again).read(), "its file")
    for status, *arguments in ((2, "model", "--phases", *runs), (2, "model", "--phases", "-"), (1, "model", "--phase", "3", path),
                               (1, "model", "--dot", path), (1, "model", "--occupancy", "A", path), (1, "model", "--phase", "2", even),
                               (1, "whatif", "--scale", "E=2", path)):
        done = heddle(*arguments)
        same((done.status, len(done.err.splitlines())), (status, 1), f"{arguments}: {done.err}")


def test_components_are_modelled_apart():
    """One component copies the other one, or not; threads of a traced program."""
    where = directory()
    draw = random.Random(4)
    for name, copies, outcome in (("copied", 0.5, "depend"), ("apart", 0, "no sign")):
        path = os.path.join(where, f"{name}.csl")
        with open(path, "w") as file:
            file.write("Program Two;\nbegin\nSetup:\nmaxcomps = 2\n")
            file.write("".join(f"Component {i} = '{c}', 2, char;\n0=X,X;\n1=Y,Y\n" for i, c in enumerate(("left", "right"))) + "Trace:\n")
            changes = []
            for i in range(2001):
                left, own = draw.randrange(2), draw.randrange(2)
                changes.append((left, left if draw.random() < copies else own))
                file.write(f"{10 * i} <{changes[-1][0]},{changes[-1][1]}>\n")
            file.write("end.\n")
        shown = json.loads(ask("model", "--components", path, "--json"))
        pair, = shown["dependence"]
        same((pair["first"], pair["second"], pair["outcome"]), ("left", "right", outcome), f"the pair ({pair})")
        check(("1 of 1 pairs depend" in shown["verdict"]) == (outcome == "depend"), shown["verdict"])
        for i, component in enumerate(shown["components"]):
            values = [c[i] for c in changes[:-1]]
            visits = 1 + sum(a != b for a, b in zip(values, values[1:]))
            same((component["component"], component["records"]), (("left", "right")[i], visits), "visits of a component")
    run = traced_sequence(where, "mploop")
    shown = json.loads(ask("model", "--components", run, "--json"))
    names = [c["component"] for c in shown["components"]]
    same(len(shown["dependence"]), len(names) * (len(names) - 1) // 2, f"pairs of {names}")
    alone = os.path.join(where, "alone.pes")
    ask("transform", "--project", "0", run, "-o", alone)
    model = json.loads(ask("model", alone, "--json"))
    same([(s["state"], s["visits"], s["total"]["ticks"]) for s in shown["states"] if s["component"] == names[0]],
         [(s["state"], s["visits"], s["total"]["ticks"]) for s in model["states"]], "the first component alone")
    for status, *arguments in ((2, "model", "--components", run, run), (2, "model", "--components", "--phases", run),
                               (2, "model", "--components", run, "-o", alone), (1, "model", "--components", os.path.join(where, "missing"))):
        done = heddle(*arguments)
        same((done.status, len(done.err.splitlines())), (status, 1), f"{arguments}: {done.err}")


def test_the_construct_that_changes_is_named():
    numbers = []

    def attempt():
        """A processor that is taken away for a while is a phase, too, and so may be chance: these are further borders."""
        found = json.loads(ask("phases", traced_trace("two_phases", preexec=before_others), "--json"))
        numbers.append(len(found["phases"]))
        ends = itertools.accumulate(phase["records"] / found["records"] for phase in found["phases"])
        border = min(enumerate(ends, 1), key=lambda end: abs(end[1] - 0.5))
        loops = collections.defaultdict(dict)
        for row in found["constructs"]:
            if "for" in row["construct"] or "loop" in row["construct"]:
                loops[row["phase"]][row["construct"]] = row["imbalance"]
        print(f"phases: {[phase['records'] for phase in found['phases']]}, loops: {dict(loops)}")
        if not 0.4 < border[1] < 0.6:
            return False
        before, after = loops[border[0]], loops[border[0] + 1]
        same(len(before), 2, f"loops before the border: {found['constructs']}")
        changed = max(after, key=lambda name: after[name] - before[name])
        return after[changed] > 60 and before[changed] < 50

    def undisturbed():
        attempt()
        return True if numbers[-1] == 2 else None

    holds_mostly(attempt, "there is a border in the middle, and the loop that changes is named")
    if 2 not in numbers:
        until_it_happens(undisturbed, "had both loops their processors from the begin to the end, and there were two phases")


def test_a_model_is_what_the_sequence_counts():
    where = directory()
    run = traced_sequence(where, "philosophers", "5", "20", vector="counts")
    records, _ = records_of(run, os.path.join(where, "run.csl"))
    model = json.loads(ask("model", run, "--json"))
    same(model["records"], len(records), "records")
    same(model["duration"]["ticks"], sum(ticks for _, ticks in records), "duration")
    visits = collections.Counter(state for state, _ in records)
    times = collections.Counter()
    for state, ticks in records:
        times[state] += ticks
    same(sorted((s["visits"], s["total"]["ticks"]) for s in model["states"]), sorted((visits[s], times[s]) for s in visits),
         "visits and times of the states")
    pairs = collections.Counter((a[0], b[0]) for a, b in zip(records, records[1:]))
    same(sorted(edge["count"] for edge in model["edges"]), sorted(pairs.values()), "transitions")
    leaving = collections.defaultdict(float)
    for edge in model["edges"]:
        leaving[edge["from"]] += edge["probability"]
    check(all(abs(total - 1) < 1e-12 for total in leaving.values()), f"rows add up to {dict(leaving)}")
    check(abs(sum(s["longrun"] for s in model["states"]) - 1) < 1e-9, "long-run parts don't add up to 1")


def test_a_simulated_run_gives_the_model_again():
    where = directory()
    run = traced_sequence(where, "philosophers", "5", "20", vector="counts")
    path, sim, again = (os.path.join(where, name) for name in ("model.json", "sim.pes", "again.pes"))
    model = json.loads(ask("model", run, "-o", path, "--json"))
    model.pop("phases", None)  # is of the run
    same(json.loads(ask("model", path, "--json")), model, "the model that is read again")
    ask("simulate", path, "--seed", "5", "--records", "200000", "-o", sim)
    ask("simulate", path, "--seed", "5", "--records", "200000", "-o", again)
    with open(sim, "rb") as one, open(again, "rb") as two:
        check(one.read() == two.read(), "one seed gives two sequences")
    simulated = {s["state"]: s for s in json.loads(ask("model", sim, "--json"))["states"]}
    total = sum(s["total"]["ticks"] for s in simulated.values())
    for state in model["states"]:
        part = simulated.get(state["state"], {"total": {"ticks": 0}})["total"]["ticks"] / total
        check(abs(part - state["longrun"]) < 0.05, f"{state['state']}: {part} of the time, {state['longrun']} by the model")
    verdict = json.loads(ask("validate", path, sim, "--json"))
    outcomes = {t["question"]: t["outcome"] for t in verdict["tests"]}
    for question in ("shares of time", "cycle time", "transitions", "occupancies"):
        check(outcomes[question] in ("holds", "not tested", "too few records"), f"a run of the model's own: {outcomes}")
    same(verdict.get("new_transitions"), None, "transitions that the model does not know")
    what_if = json.loads(ask("whatif", path, "--json"))
    saved = [b["saved"] for b in what_if["bottlenecks"]]
    same(saved, sorted(saved, reverse=True), "the order of the bottlenecks")


def test_runs_are_pooled_and_not_joined():
    where = directory()
    run = traced_sequence(where, "philosophers", "5", "20", vector="counts")
    one = json.loads(ask("model", run, "--json"))
    three = json.loads(ask("model", run, run, run, "--json"))
    same(three["runs"], 3, "runs")
    same([3 * e["count"] for e in one["edges"]], [e["count"] for e in three["edges"]], "transitions of three runs")
    for row in three["spread"]:
        check(abs(row["longrun_high"] - row["longrun_low"]) < 1e-9, "equal runs have a spread")


def test_a_graph_is_drawn_by_dot():
    where = directory()
    run = traced_sequence(where, "mploop", vector="counts")
    fake = os.path.join(where, "dot")
    with open(fake, "w") as file:
        file.write('#!/bin/sh\necho "args $*"\ncat\n')
    os.chmod(fake, 0o755)
    dot = ask("model", "--dot", run)
    check(dot.startswith('digraph "') and dot.endswith("}\n"), dot)
    environment = dict(os.environ, PATH=f"{where}:/usr/bin:/bin")
    done = subprocess.run([HEDDLE, "model", "--svg", run], env=environment, capture_output=True, text=True)
    same((done.returncode, done.stdout), (0, "args -Tsvg\n" + dot), "the graph as dot gets it")
    with open(fake, "w") as file:
        file.write("#!/bin/sh\nexit 3\n")
    done = subprocess.run([HEDDLE, "model", "--svg", run], env=environment, capture_output=True, text=True)
    same(done.returncode, 1, "exit status when dot fails")
    same(len(done.stderr.splitlines()), 1, f"lines on stderr: {done.stderr}")


def write_run(path, seed, to_b=0.5, records=6000, size=1):
    """A chain of A, B, C: after A comes B with this probability, else C; a run of its own seed."""
    drawn, time, state, lines = random.Random(seed), 100, 0, []
    for _ in range(records):
        lines.append(f"{time} <{state}>")
        time += 1 + int(drawn.expovariate(1 / (50, 100, 80)[state]))
        state = (1 if drawn.random() < to_b else 2) if state == 0 else 0
    with open(path, "w") as file:
        file.write("Program chain; begin Setup: maxcomps = 1\nComponent 0 = 'x', 3, char; 0=Alpha,A; 1=Beta,B; 2=Gamma,C\nTrace:\n")
        file.write("\n".join([*lines, f"{time} <0>", "end.\n"]))
    return path


def test_runs_are_compared_with_runs():
    where = directory()
    old = [write_run(os.path.join(where, f"old{i}"), i) for i in range(3)]
    new = [write_run(os.path.join(where, f"new{i}"), 10 + i, to_b=0.7) for i in range(3)]
    one = json.loads(ask("validate", "--json", old[0], "--against", new[0]))
    same((one["runs"], one["runs_against"], one["unit"]), (1, 1, "blocks"), "one run each")
    check("They differ. First: after A comes" in one["verdict"] and "With one run each" in one["one_each"], one)
    first = one["figures"][0]
    check(first["outcome"] == "differs" and first["p"] <= 0.05, first)
    # Options may be anywhere; what is behind --against is the second group.
    for arguments in ([*old, "--json", "--against", *new], ["--json", *old, "--against", *new],
                      [*old, "--against=" + new[0], *new[1:], "--json"]):
        three = json.loads(ask("validate", *arguments))
        same((three["runs"], three["runs_against"], three["unit"]), (3, 3, "runs"), "groups")
        check("They differ. First: after A comes" in three["verdict"] and "one_each" not in three, three)
        gone = [f for f in three["figures"] if f["figure"] == "transition" and f["state"] == "A" and f["next"] == "B"][0]
        check(abs(gone["part"] - 0.5) < 0.03 and abs(gone["part_against"] - 0.7) < 0.03, gone)
    itself = json.loads(ask("validate", "--json", old[0], "--against", old[0]))
    check(itself["verdict"].startswith("They behave the same.") and "same order" in itself["parted"], itself)
    short = [write_run(os.path.join(where, f"short{i}"), 20 + i, records=100) for i in range(2)]
    check("Too few records for a comparison" in ask("validate", short[0], "--against", short[1]), "too few")


def test_what_decides_the_next_state_is_named():
    # A lock's holder decides what the thread is next, in nine of ten cases; the noise decides nothing.
    path, drawn, lines = os.path.join(directory(), "rules.pes"), random.Random(1), []
    vector = (0, 0, 0)
    for time in range(5000):
        lines.append(f"{time} <{','.join(map(str, vector))}>")
        follows = vector[0] if drawn.random() < 0.9 else drawn.randrange(3)
        vector = (drawn.randrange(3), follows, drawn.randrange(3))
    with open(path, "w") as file:
        file.write("Program rules; begin Setup: maxcomps = 3\n")
        for number, name in enumerate(("lock q", "thread", "noise")):
            file.write(f"Component {number} = '{name}', 3, char; 0=Zero,Z; 1=One,O; 2=Two,W\n")
        file.write("Trace:\n" + "\n".join([*lines, "5000 <0,0,0>", "end.\n"]))
    shown = json.loads(ask("model", "--json", "--rules=thread", path))
    check(shown["verdict"].startswith("The component lock q decides most"), shown["verdict"])
    same(shown["components"][0]["component"], "lock q", "the component with the least error")
    chosen = shown["sizes"][len(shown["rules"]) - 1]
    check(chosen["error"] < 0.12 and shown["sizes"][0]["error"] > 0.6, shown["sizes"])
    same(sum(rule["cases"] for rule in shown["rules"]), shown["cases"], "the cases of all rules")
    nothing = json.loads(ask("model", "--json", "--rules=noise", path))
    check("lock q" not in " ".join(rule["if"] for rule in nothing["rules"]), nothing["rules"])
    # A real run: threads at a time in each state.
    trace = traced_trace("philosophers", "4", "300")
    real = json.loads(ask("model", "--json", "--rules", trace))
    same(real["foreseen"], "the next state", "what is foreseen")
    check(sum(rule["cases"] for rule in real["rules"]) == real["cases"] > 1000, real)


def test_traces_are_compared_with_traces():
    traces = [traced_trace("philosophers", "4", "300") for _ in range(4)]
    shown = json.loads(ask("validate", "--json", *traces[:2], "--against", *traces[2:]))
    same((shown["program"], shown["runs"], shown["runs_against"]), ("philosophers", 2, 2), "program, runs")
    check(all(f["p"] is None or 0 <= f["p"] <= 1 for f in shown["figures"]), shown)


def test_mistakes_are_told_in_one_line():
    where = directory()
    run = traced_sequence(where, "mploop", vector="counts")
    path = os.path.join(where, "model.json")
    ask("model", run, "-o", path)
    missing = os.path.join(where, "missing")
    for status, *arguments in ((2, "model"), (2, "model", "--terminal", "maybe", run), (1, "model", missing),
                               (2, "model", "--dot", "--json", run), (1, "model", "--passage", "nowhere", run),
                               (1, "simulate", run, "--length", "5ms", "-o", missing), (2, "simulate", path, "-o", missing),
                               (2, "simulate", path, "--length", "5ms"), (1, "simulate", path, "--length", "5m", "-o", missing),
                               (2, "validate", path), (1, "validate", path, path), (2, "validate", path, run, run),
                               (2, "model", "--rules", run, run), (1, "model", "--rules=nothing", run), (2, "model", "--rules", "--order", "2", run),
                               (2, "validate", "--against", run, run), (1, "validate", run, "--against", missing),
                               (2, "validate", run, "--against", run, "--against", run), (1, "validate", run, "--against", path), (2, "whatif", "--scale", "x", path),
                               (1, "whatif", "--scale", "nowhere=0.5", path), (2, "whatif", "--scale", "a=nan", path)):
        done = heddle(*arguments)
        same(done.status, status, f"exit status of {arguments} ({done.err})")
        same(len(done.err.splitlines()), 1, f"lines on stderr of {arguments}: {done.err}")
