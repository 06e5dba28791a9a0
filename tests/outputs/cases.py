"""
The commands that run. Each command that reads an archive has the options that change its output. Others read the sequences and
models made of the archive. `{}` is the archive. A case may use files of earlier cases.
"""
import collections
import re

# shell-like words after `heddle`, and the files that it writes, whose contents are part of its output
Case = collections.namedtuple("Case", "words files")


def case(words, *files):
    return Case(words.split(), files)


def is_data(case):
    """Whether programs read the command's standard output."""
    return any(word.startswith(("--json", "--csv", "--csl", "--dot")) for word in case.words) or "-o -" in " ".join(case.words)


def formats(words, *more):
    """As text, JSON and CSV."""
    return [case(f"{words} {form}{' ' if form else ''}{{}}", *more) for form in ("", "--json", "--csv")]


INFO = [*formats("info"), case("info {}/traces.otf2")]
STATES = [*formats("states"), *formats("states --by region"), *formats("states --list 0"), case("states --list 1 {}"), case("states --list 99 {}"),
          case("states -j 3 --json {}")]
IMBALANCE = [*formats("imbalance"), case("imbalance --threads --waits {}"), case("imbalance --threads --waits --json {}"),
             case("imbalance --threads --csv {}"), case("imbalance --waits --csv {}"), case("imbalance -j 3 --threads --waits --json {}")]
OVER_TIME = formats("imbalance --over-time")
LOCKS = [*formats("locks"), case("locks --top 1 {}"), case("locks -j 3 --json {}")]
WAITS = [*formats("waits"), case("waits --top 1 -j 3 {}"), *formats("critical-path"), case("critical-path --top 2 -j 3 {}")]
EVENTS = [*formats("events"), case("events --by-thread -j 3 {}"), *formats("events --list --of all")]
# With a specification, which run.py writes beside the archives.
SPECIFICATION = """event start; event numbers(smallest) = box; event member;
interval Begin [ start -> numbers ] = rectangle;
interval Members [ m:member -> n:member ] { m.thread != n.thread } within 1 s consume = line;
interval Chunk [ chunk -> chunk_end ];
interval Large [ c:chunk -> d:chunk_end ] { c.thread == d.thread && c.iterations > 1 };
interval Wake [ u:unpark -> p:park_end ] { u.target == p.thread } = line;
assert { c:Chunk: c.time < LIMIT }
"""
INTERVALS = [*formats("intervals --spec run.spec --define LIMIT=1s"), *formats("intervals --spec run.spec --define LIMIT=1s --list"),
             case("intervals --spec run.spec --define LIMIT=1us --histogram -j 3 {}"), case("intervals --spec run.spec --define LIMIT=1s --explain {}"),
             case("intervals --spec run.spec {}"), case("export --to csv -o out.csv {}", "out.events.csv")]
WHY = [*formats("why"), case("why --threshold 1 -j 3 {}")]
SCHEDULE = [*formats("schedule"), case("schedule --threads 1,3,8 {}"), case("schedule -j 3 --threads 1,3,8 --json {}")]
PROFILE = [*formats("profile"), *formats("profile --by thread"), case("profile --top 2 {}"), *STATES, *formats("imbalance"), *formats("locks"), *formats("why"), *INFO,
           case("schedule {}"), case("export --to csv -o - {}"), case("pes -o run.pes {}"), case("report -o out.html {}")]
EXPORT = [case("export --to csv -o - {}"), case("export --to chrome -o - {}"), case("export --to paje -o - {}"),
          case("export --to perfetto -o out.pftrace {}", "out.pftrace"), case("export --to paraver -o out {}", "out.prv", "out.pcf", "out.row")]
REPORT = [case("report -o out.html {}", "out.html"), case("view {}")]
CALLS = [*formats("calls"), *formats("calls --lines"), *formats("calls --by thread"), case("calls --by construct --top 3 {}"),
         case("calls --by state --json {}"), *formats("calls --tree"), case("calls --tree --min 20 {}"), case("calls --callers two --callees [libomp.so.5] {}"),
         case("calls --callers two --callees [libomp.so.5] --json {}"), case("calls --cycles {}"), case("calls --unit samples {}"), case("calls --unit period --csv {}"),
         case("calls -j 3 --only-threads 1-2 {}"), case("calls --from 30% --to 60% {}"), *formats("calls --top 2 {}"), case("calls --trigger no {}"),
         case("calls --callers no {}"), case("export --to folded -o - {}"), case("export --to folded --root thread -o - {}")]

PES = [case("pes -o run.pes {}", "run.pes"), case("pes --json {}"), case("pes --csv {}"), case("pes --csl -o - {}"),
       case("pes --top 3 --component construct {}"), case("pes --component construct --csl -o - {}"),
       case("pes --component state+construct --csl -o - {}"), case("pes --component lock --csl -o - {}"),
       case("pes --component counter --csl -o - {}"), case("pes --component counter=10 {}"),
       case("pes --vector counts --csl=grammar -o - {}"), case("pes --vector roles --csl -o - {}"),
       case("pes --vector counts -o counts.pes {}", "counts.pes"),
       case("pes --vector select=0 --component state+construct --param size=7 -o one.pes {}", "one.pes")]

# What is made of two sequences: all threads by numbers of threads, and the first thread.
TRANSFORM = [case("transform --filter-time 1% --clip-ends 1,1 --save-list steps -o less.pes counts.pes", "steps", "less.pes"),
             case("transform --filter-count 3 --preview one.pes"), case("transform --filter-count 3 --preview --json one.pes"),
             case("transform --list steps --csl -o - counts.pes"), case("transform --compare steps --filter-time 5% counts.pes"),
             case("transform --compare steps --csv counts.pes"), case("transform --suggest counts.pes"), case("transform --suggest --json one.pes"), case("transform --project 0 --csl -o - run.pes"),
             case("transform --clip-range 2,20 --aggregate #0,#1=start --csl -o - one.pes")]
MODEL = [case("model -o counts.model counts.pes", "counts.model"), case("model --json less.pes"), case("model --csv less.pes"),
         case("model --passage all one.pes"), case("model --passage #1 --occupancy #1 --json one.pes"), case("model --dot less.pes"),
         case("model --terminal keep --deviation population --ends stay less.pes"), case("model -o one.model one.pes")]
WHATIF = [case("whatif counts.model"), case("whatif --json counts.model"), case("whatif --csv --scale #0=0.5 one.model"), case("whatif --top 2 one.model")]
SIMULATE = [case("simulate --records 50 --seed 7 -o sim.pes counts.model", "sim.pes"), case("pes --csl -o - sim.pes"),
            case("simulate --length 1ms -o sim.pes one.model", "sim.pes")]
VALIDATE = [case("validate counts.model counts.pes"), case("validate --json one.model sim.pes"), case("validate --csv counts.model counts.pes"),
            case("validate one.pes --against sim.pes"), case("model --rules one.pes"), case("model --rules --json counts.pes"), case("validate --json counts.pes --against counts.pes")]
SPECTRUM = [case("spectrum counts.pes"), case("spectrum --json --top 3 --bins 4 one.pes"), case("spectrum --csv --lines --signal state=#0 one.pes"),
            case("spectrum --domain time --samples 256 counts.pes"), case("spectrum --domain time --signal threads-in=RUN --samples 256 run.pes")]
PHASES = [case("phases counts.pes"), case("phases --json --top 2 one.pes"), case("phases --csv {}"), case("model --order auto one.pes"),
          case("transform --clip-phase 1 --csl -o - counts.pes")]

OF_A_TRACE = [*INFO, *STATES, *IMBALANCE, *LOCKS, *WAITS, *WHY, *SCHEDULE, *EXPORT, *REPORT, *PES]
OF_SEQUENCES = [*TRANSFORM, *MODEL, *WHATIF, *SIMULATE, *VALIDATE, *SPECTRUM, *PHASES]
# Commands that read sequences see no more of a trace than `pes`, which all archives have: they are run with these.
WITH_SEQUENCES = ["lu-24", "imbalanced", "loop-dynamic", "tasks", "philosophers", "waits", "nested", "max-rate", "ring", "forks", "gomp-lu", "other-tool",
                  "java-philosophers", "java-openmp", "jomp", "empty"]

WITH_OVER_TIME = ["lu-24", "imbalanced", "nested", "max-rate", "empty"]

# Archives with events of the program, and of Java.
WITH_EVENTS = ["user-events", "java-user-events", "empty"]

# Archives with chunks, or with one thread that wakes another.
WITH_INTERVALS = [*WITH_EVENTS, "loop-dynamic", "java-waits"]

# Cases that read several archives at once.
TOGETHER = ["lu-16", "lu-24", "lu-32"]
OF_SEVERAL = [*(case(f"pes --vector select=0 --param size={name[3:]} -o {name}.pes {name}") for name in TOGETHER),
              *(case(f"pes --vector counts --param size={name[3:]} -o {name}.counts.pes {name}") for name in TOGETHER),
              *(case(f"fit --by size {form} -o lu.fit lu-16.pes lu-24.pes lu-32.pes", "lu.fit") for form in ("--json", "--csv", "")),
              *(case(f"predict --param size=20 {form} lu.fit") for form in ("--json", "--csv", "")), case("predict --param size=64 lu.fit"),
              case("predict --param size=64 --extrapolate lu.fit"), case("fit --by threads lu-16.pes lu-24.pes lu-32.pes"),
              case("model --any lu-16.pes lu-24.pes lu-32.pes"), case("validate one.model lu-16.pes"),
              case("compare lu-16 -- lu-24"), case("compare --json lu-16 -- lu-24"), case("compare --csv lu-16 lu-24 -- lu-32"), case("compare --markdown lu-16 -- lu-24"), case("compare --junit lu-16 -- lu-24"),
              case("fit --by size -o counts.fit lu-16.counts.pes lu-24.counts.pes lu-32.counts.pes", "counts.fit"),
              case("report --fit counts.fit --param size=24 -o predicted.html lu-24", "predicted.html"),
              case("report -o two.html lu-16 lu-24", "two.html"), case("view lu-16 lu-24")]


# The text for people is compared for these. Other archives have the same sentences and tables with other figures, and their figures are in
# the data. The last three have commands that no other archive here has.
WITH_TEXT = {"lu-24": None, "gomp-locks": None, "roots": None, "java-philosophers": None, "damaged": None, "several": None,
             "user-events": ("events", "intervals"), "samples": ("calls",), "profile": ("profile",)}


def has_text(name, command):
    """Whether the text of a command of an archive is compared."""
    return name in WITH_TEXT and (WITH_TEXT[name] is None or command in WITH_TEXT[name])


def once(name, chosen):
    """Without uncompared text that differs from an earlier command's only in the number of rows or threads."""
    seen, kept = set(), []
    for case in chosen:
        shape = " ".join(word for word in case.words if not re.fullmatch(r"-j|--top|--threads|--threshold|[\d,]+", word))
        if is_data(case) or case.files or "-o" in case.words or has_text(name, case.words[0]) or shape not in seen:
            kept.append(case)
        seen.add(shape)
    return kept


def of(name):
    """The cases of an archive, as (words, files) with its name in them, and the archives that they need."""
    if name == "several":
        return OF_SEVERAL, TOGETHER
    if name in ("samples", "profile"):
        chosen = PROFILE if name == "profile" else [*CALLS, *INFO, *STATES, *REPORT]
    else:
        chosen = OF_A_TRACE + (OF_SEQUENCES if name in WITH_SEQUENCES else []) + (EVENTS if name in WITH_EVENTS else []) + \
            (OVER_TIME if name in WITH_OVER_TIME else []) + (INTERVALS if name in WITH_INTERVALS else [])
    return once(name, [Case([word.replace("{}", name) for word in case.words], case.files) for case in chosen]), [name]
