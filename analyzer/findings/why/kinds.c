/* The kinds of reasons: what the findings of each add up to, and where they are. */
#include "analyzer/findings/why/kind.h"

#include "analyzer/findings/why/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *key, *hypothesis;
} kinds_names[KINDS] = {
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
    [KIND_POSIX] = {"posix", "threads wait for locks of POSIX threads or C++"},
};

/* One kind, tested. */
struct test {
  enum why_kind kind;
  struct why_node node;
  size_t first; /* in the list of findings; behind it: none */
  const char *unknown;
};

static void set_figure(const struct tree *tree, struct why_node *node, double ticks, double recorded, double half_width)
{
  double low = ticks - half_width;
  node->measured = true;
  node->percent = tree_percent(tree, ticks);
  node->low = tree_percent(tree, low > recorded ? low : recorded);
  node->high = isinf(half_width) ? INFINITY : tree_percent(tree, ticks + half_width);
  node->verdict = why_verdict_of(tree->why->threshold, node->low, node->percent, node->high);
}

/* True if a finding may as well be of another kind. */
static bool is_guess(const struct tree *tree, size_t finding)
{
  return tree->guesses && tree->guesses[finding];
}

static void set_least(const struct tree *tree, struct why_node *node, double ticks)
{
  node->low = tree_percent(tree, ticks);
  node->verdict = why_verdict_of(tree->why->threshold, node->low, node->percent, node->high);
}

/* A kind's figure is the sum of its findings: most are of different stretches of time. */
static struct test test(const struct tree *tree, enum why_kind kind)
{
  const struct findings *findings = tree->findings;
  struct test test = {
      .kind = kind, .node = {.aspect = WHY_KIND, .depth = 1, .key = kinds_names[kind].key}, .first = findings->all};
  double ticks = 0, recorded = 0, variance = 0, guessed = 0;
  for (size_t i = findings->all; i-- > 0;) {
    const struct finding *finding = &findings->list[i];
    if (tree->kinds[i] != kind)
      continue;
    test.first = i;
    ticks += finding->ticks;
    recorded += finding->recorded;
    variance += finding->half_width * finding->half_width;
    guessed += is_guess(tree, i) ? finding->ticks : 0;
  }
  set_figure(tree, &test.node, ticks, recorded, sqrt(variance));
  if (guessed > 0)
    set_least(tree, &test.node, ticks - guessed);
  if (test.node.verdict == WHY_UNKNOWN)
    test.unknown = "too little of it is recorded: record with --budget none";
  if (kind == KIND_MEASUREMENT && test.first == findings->all) { /* it is within its budget */
    set_figure(tree, &test.node, tree->recording, tree->recording, 0);
    test.node.verdict = WHY_FALSE;
  }
  const char *lack = tree->lacks[kind];
  if (lack && test.node.verdict == WHY_FALSE) {
    test.node.verdict = WHY_UNKNOWN;
    test.node.measured = false;
    test.unknown = lack;
  }
  return test;
}

/* The order of verdicts. */
static int kinds_rank_of(const struct test *test)
{
  static const int ranks[] = {[WHY_TRUE] = 0, [WHY_LIKELY] = 0, [WHY_FALSE] = 1, [WHY_UNKNOWN] = 2};
  return ranks[test->node.verdict];
}

/* True ones first; in the order of the findings, so that the first finding is of the first kind. */
static int kinds_compare(const void *a, const void *b)
{
  const struct test *left = a, *right = b;
  if (kinds_rank_of(left) != kinds_rank_of(right))
    return kinds_rank_of(left) < kinds_rank_of(right) ? -1 : 1;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->kind < right->kind ? -1 : 1;
}

/* What a finding is about: its region, or the words that its sentence begins with. */
static bool add_place(struct tree *tree, const struct why_node *place)
{
  const struct finding *finding = place->finding;
  if (finding->region != TRACE_NONE)
    return tree_add(tree, place, "%s", tree->trace->regions[finding->region].name);
  const char *end = finding->text ? strstr(finding->text, ": ") : NULL;
  return tree_add(tree, place, "%.*s", end ? (int)(end - finding->text) : 0, finding->text ? finding->text : "");
}

/* The findings of a true kind, the first one and those that reach the threshold, each with its children. */
static bool kinds_add_places(struct tree *tree, const struct test *test)
{
  const struct findings *findings = tree->findings;
  for (size_t i = test->first; i < findings->all; i++) {
    const struct finding *finding = &findings->list[i];
    if (tree->kinds[i] != test->kind || (i > test->first && finding->percent < tree->why->threshold))
      continue;
    struct why_node place = {.aspect = WHY_WHERE, .depth = 2, .key = finding_kind_name(finding->kind)};
    place.finding = finding;
    set_figure(tree, &place, finding->ticks, finding->recorded, finding->half_width);
    place.guess = is_guess(tree, i);
    if (place.guess)
      set_least(tree, &place, 0);
    if (!add_place(tree, &place) || !tree->refine(tree, &place))
      return false;
  }
  return true;
}

static bool add_kind(struct tree *tree, const struct test *test)
{
  bool refined = test->node.verdict == WHY_TRUE || test->node.verdict == WHY_LIKELY;
  return tree_add(tree, &test->node, "%s%s%s", kinds_names[test->kind].hypothesis, test->unknown ? ": " : "",
                  test->unknown ? test->unknown : "") &&
         (!refined || kinds_add_places(tree, test));
}

bool kinds_add(struct tree *tree)
{
  struct test tests[KINDS];
  bool good = true;
  for (int kind = 0; kind < KINDS; kind++)
    tests[kind] = test(tree, (enum why_kind)kind);
  qsort(tests, KINDS, sizeof *tests, kinds_compare);
  for (int i = 0; good && i < KINDS; i++)
    good = (tests[i].kind == KIND_POSIX && !tree->lacks[KIND_POSIX]) || add_kind(tree, &tests[i]);
  return good;
}
