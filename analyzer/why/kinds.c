/* The kinds of reasons: which findings belong to each, what they add up to, and what the trace cannot tell. */
#include "analyzer/why/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind {
  KIND_DEADLOCK,
  KIND_SYNCHRONIZATION,
  KIND_IMBALANCE,
  KIND_GRAIN,
  KIND_TASKS,
  KIND_SERIAL,
  KIND_PROCESSORS,
  KIND_RUNTIME,
  KIND_BLOCKED,
  KIND_COLLECTION,
  KIND_MEMORY,
  KIND_MEASUREMENT,
  KINDS
};

static const struct {
  const char *key, *hypothesis;
} names[KINDS] = {
    [KIND_DEADLOCK] = {"deadlock", "threads wait for each other forever"},
    [KIND_SYNCHRONIZATION] = {"synchronization", "too much synchronization (locks, barriers, order of iterations)"},
    [KIND_IMBALANCE] = {"imbalance", "work is spread unevenly over the threads"},
    [KIND_GRAIN] = {"grain", "the pieces of work are too small (regions, chunks, tasks)"},
    [KIND_TASKS] = {"tasks", "too few tasks are ready at a time"},
    [KIND_SERIAL] = {"serial", "one thread works alone"},
    [KIND_PROCESSORS] = {"processors", "threads wait for a processor"},
    [KIND_RUNTIME] = {"runtime", "the runtime takes time of its own"},
    [KIND_BLOCKED] = {"blocked", "threads are blocked in the kernel (input, output, sleep)"},
    [KIND_COLLECTION] = {"collection", "garbage collection stops the threads"},
    [KIND_MEMORY] = {"memory", "the same work takes longer on some threads (memory, slower processor)"},
    [KIND_MEASUREMENT] = {"measurement", "the measurement slows the program down"},
};

/* One kind, tested. */
struct test {
  enum kind kind;
  struct why_node node;
  size_t first; /* in the list of findings; behind it: none */
  const char *unknown;
};

static const struct imbalance_construct *construct_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance *imbalance = tree->of->imbalance;
  return finding->region < imbalance->count ? &imbalance->constructs[finding->region] : NULL;
}

/* Handing out small chunks, or making small tasks, is no fault of the runtime's. */
static enum kind kind_of_overhead(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  if (!construct)
    return KIND_RUNTIME;
  enum imbalance_schedule schedule = imbalance_schedule(&tree->of->trace->regions[finding->region]);
  bool chunks = schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
  return chunks || construct->tasks > 0 ? KIND_GRAIN : KIND_RUNTIME;
}

static enum kind kind_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  switch (finding->kind) {
  case FINDING_IMBALANCE:
    return finding->cause == CAUSE_SPEED ? KIND_MEMORY : KIND_IMBALANCE;
  case FINDING_SCHEDULE:
    return tree_has_small_chunks(tree, finding->region) ? KIND_GRAIN : KIND_IMBALANCE;
  case FINDING_OVERHEAD:
    return kind_of_overhead(tree, finding);
  case FINDING_SMALL_REGION:
  case FINDING_SMALL_TASKS:
    return KIND_GRAIN;
  case FINDING_FEW_TASKS:
    return KIND_TASKS;
  case FINDING_CHAIN: /* of tasks, or of iterations */
    return construct && construct->tasks > 0 ? KIND_TASKS : KIND_SYNCHRONIZATION;
  case FINDING_SERIAL:
    return KIND_SERIAL;
  case FINDING_PROCESSORS:
  case FINDING_READY:
  case FINDING_THROTTLED:
    return KIND_PROCESSORS;
  case FINDING_LATE:
    return KIND_RUNTIME;
  case FINDING_OFF:
    return KIND_BLOCKED;
  case FINDING_COLLECTION:
    return KIND_COLLECTION;
  case FINDING_MEASUREMENT:
    return KIND_MEASUREMENT;
  case FINDING_DEADLOCK:
    return KIND_DEADLOCK;
  case FINDING_LOCK:
  case FINDING_WAITING:
  case FINDING_KINDS:
    break;
  }
  return KIND_SYNCHRONIZATION;
}

static void set_figure(const struct tree *tree, struct why_node *node, double ticks, double recorded, double half_width)
{
  double low = ticks - half_width;
  node->measured = true;
  node->percent = tree_percent(tree, ticks);
  node->low = tree_percent(tree, low > recorded ? low : recorded);
  node->high = isinf(half_width) ? INFINITY : tree_percent(tree, ticks + half_width);
  node->verdict = tree_verdict(tree, node->low, node->percent, node->high);
}

/* What the trace lacks for a test; NULL: nothing. */
static const char *lacks(const struct tree *tree, enum kind kind)
{
  const struct findings_of *of = tree->of;
  if (kind == KIND_MEMORY && (!of->counters || counters_instructions(of->trace, of->counters) < 0))
    return "record with --counters instructions, if this machine counts them (heddle counters)";
  if ((kind == KIND_PROCESSORS || kind == KIND_BLOCKED) && !of->processors->known && !of->processors->read)
    return "the trace does not have when threads had a processor: record with heddle record";
  if (kind == KIND_MEASUREMENT && of->overhead->location == TRACE_NONE)
    return of->trace->restriction.timed ? "the cost of recording is known of the whole run only: omit --from and --to"
                                        : "the archive does not have the cost of recording";
  if (kind == KIND_SERIAL && of->trace->restriction.locations)
    return "threads are left out: omit --only-threads";
  return kind == KIND_DEADLOCK && !of->deadlocks ? "not looked for" : NULL;
}

/* A kind's figure is the sum of its findings: most are of different stretches of time. */
static struct test test(const struct tree *tree, enum kind kind)
{
  const struct findings *findings = tree->findings;
  struct test test = {
      .kind = kind, .node = {.aspect = WHY_KIND, .depth = 1, .key = names[kind].key}, .first = findings->all};
  double ticks = 0, recorded = 0, variance = 0;
  for (size_t i = findings->all; i-- > 0;) {
    const struct finding *finding = &findings->list[i];
    if (kind_of(tree, finding) != kind)
      continue;
    test.first = i;
    ticks += finding->ticks;
    recorded += finding->recorded;
    variance += finding->half_width * finding->half_width;
  }
  set_figure(tree, &test.node, ticks, recorded, sqrt(variance));
  if (test.node.verdict == WHY_UNKNOWN)
    test.unknown = "too little of it is recorded: record with --budget none";
  if (kind == KIND_MEASUREMENT && test.first == findings->all) { /* it is within its budget */
    set_figure(tree, &test.node, (double)tree->of->overhead->recording, (double)tree->of->overhead->recording, 0);
    test.node.verdict = WHY_FALSE;
  }
  const char *lack = lacks(tree, kind);
  if (lack && test.node.verdict == WHY_FALSE) {
    test.node.verdict = WHY_UNKNOWN;
    test.node.measured = false;
    test.unknown = lack;
  }
  return test;
}

/* The order of verdicts. */
static int rank_of(const struct test *test)
{
  static const int ranks[] = {[WHY_TRUE] = 0, [WHY_LIKELY] = 0, [WHY_FALSE] = 1, [WHY_UNKNOWN] = 2};
  return ranks[test->node.verdict];
}

/* True ones first; in the order of the findings, so that the first finding is of the first kind. */
static int compare(const void *a, const void *b)
{
  const struct test *left = a, *right = b;
  if (rank_of(left) != rank_of(right))
    return rank_of(left) < rank_of(right) ? -1 : 1;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->kind < right->kind ? -1 : 1;
}

/* What a finding is about: its region, or the words that its sentence begins with. */
static bool add_place(struct tree *tree, const struct why_node *place)
{
  const struct finding *finding = place->finding;
  if (finding->region != TRACE_NONE)
    return tree_add(tree, place, "%s", tree->of->trace->regions[finding->region].name);
  const char *end = finding->text ? strstr(finding->text, ": ") : NULL;
  return tree_add(tree, place, "%.*s", end ? (int)(end - finding->text) : 0, finding->text ? finding->text : "");
}

/* The findings of a true kind, the first one and those that reach the threshold, each with its children. */
static bool add_places(struct tree *tree, const struct test *test)
{
  const struct findings *findings = tree->findings;
  for (size_t i = test->first; i < findings->all; i++) {
    const struct finding *finding = &findings->list[i];
    if (kind_of(tree, finding) != test->kind || (i > test->first && finding->percent < tree->why->threshold))
      continue;
    struct why_node place = {.aspect = WHY_WHERE, .depth = 2, .key = finding_kind_name(finding->kind)};
    place.finding = finding;
    set_figure(tree, &place, finding->ticks, finding->recorded, finding->half_width);
    if (!add_place(tree, &place) || !refine(tree, &place))
      return false;
  }
  return true;
}

static bool add_kind(struct tree *tree, const struct test *test)
{
  bool refined = test->node.verdict == WHY_TRUE || test->node.verdict == WHY_LIKELY;
  return tree_add(tree, &test->node, "%s%s%s", names[test->kind].hypothesis, test->unknown ? ": " : "",
                  test->unknown ? test->unknown : "") &&
         (!refined || add_places(tree, test));
}

bool kinds_add(struct tree *tree)
{
  struct test tests[KINDS];
  bool good = true;
  for (int kind = 0; kind < KINDS; kind++)
    tests[kind] = test(tree, (enum kind)kind);
  qsort(tests, KINDS, sizeof *tests, compare);
  for (int i = 0; good && i < KINDS; i++)
    good = add_kind(tree, &tests[i]);
  return good;
}
