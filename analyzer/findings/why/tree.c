#include "analyzer/findings/why/tree.h"

#include "analyzer/analyses/calls/source.h"
#include "analyzer/analyses/omitted/omitted.h"
#include "common/raw/archive_names.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tree_add(struct tree *tree, const struct why_node *node, const char *format, ...)
{
  struct why_node added = *node;
  added.trace = tree->trace;
  va_list list;
  va_start(list, format);
  int length = vasprintf(&added.text, format, list);
  va_end(list);
  if (length < 0)
    return false;
  if (vector_push(&tree->why->nodes, added))
    return true;
  free(added.text);
  return false;
}

enum why_verdict why_verdict_of(double threshold, double low, double percent, double high)
{
  return low >= threshold ? WHY_TRUE : high < threshold ? WHY_FALSE : percent >= threshold ? WHY_LIKELY : WHY_UNKNOWN;
}

bool tree_has_small_chunks(const struct tree *tree, uint32_t region)
{
  const struct schedules *schedules = tree->of->schedules;
  uint32_t at = 0;
  while (at < schedules->count && schedules->loops[at].region != region)
    at++;
  if (at == schedules->count || schedules->loops[at].team_count == 0)
    return false;
  const struct plan *recorded = &schedules->loops[at].recorded;
  const struct schedule_team *team = &schedules->loops[at].teams[0];
  const struct plan *best = &team->candidates[team->best].plan;
  bool handed_out = recorded->kind == PLAN_DYNAMIC || recorded->kind == PLAN_GUIDED;
  return handed_out && (best->kind == PLAN_STATIC || best->chunk > recorded->chunk);
}

double tree_percent(const struct tree *tree, double ticks)
{
  double run = tree->findings->run;
  double percent = run > 0 ? 100 * ticks / run : 0;
  return percent < 100 ? percent : 100;
}

/* What could be more work: all that is lost and known, but for what waits for the outside. */
static bool add_account_root(struct tree *tree)
{
  const struct account *account = tree->account;
  struct why_node root = {.aspect = WHY_ROOT, .key = "threads", .measured = true};
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    if (i != ACCOUNT_WORK && i != ACCOUNT_OUTSIDE && i != ACCOUNT_UNKNOWN)
      root.percent += account_percent(account, account_can_win(account, (enum account_kind)i));
  root.low = root.high = root.percent;
  root.verdict = why_verdict_of(tree->why->threshold, root.low, root.percent, root.high);
  return tree_add(tree, &root, "the threads could do more of the program's work");
}

bool tree_add_root(struct tree *tree, const struct states_sums *sums)
{
  if (tree->account)
    return add_account_root(tree);
  double measured = 0, work = 0;
  for (uint32_t i = 0; i < sums->locations; i++) {
    measured += (double)states_measured(sums->threads[i].ticks);
    work += (double)sums->threads[i].ticks[STATE_RUN];
  }
  struct why_node root = {.aspect = WHY_ROOT, .key = "threads", .measured = measured > 0};
  root.percent = measured > 0 ? 100 * (measured - work) / measured : 0;
  root.low = root.high = root.percent;
  root.verdict = root.measured ? why_verdict_of(tree->why->threshold, root.low, root.percent, root.high) : WHY_UNKNOWN;
  return tree_add(tree, &root, "the threads could do more of the program's work");
}

#define PTHREAD_LAYER "libheddle-pthread"

/* The layer was loaded, and had nothing to record: one thread waits for no other. */
static bool layer_was_loaded(const struct trace *trace)
{
  char name[64];
  snprintf(name, sizeof name, "%sLD_PRELOAD", NAME_ENV);
  for (uint32_t i = 0; i < trace->process_count; i++) {
    const char *libraries = trace_property(trace, TRACE_OF_PROCESS, i, name);
    if (libraries && strstr(libraries, PTHREAD_LAYER))
      return true;
  }
  return false;
}

/* Java's locks are no locks of POSIX threads. */
const char *tree_lacks_posix(const struct trace *trace)
{
  bool java = false;
  for (uint32_t i = 0; i < trace->location_count; i++)
    java |= trace->locations[i].type == TRACE_THREAD_JVM;
  return java || trace_has_pthreads(trace) || layer_was_loaded(trace)
             ? NULL
             : "they are not in the trace: heddle record loads the layer for them";
}

/* The kinds of reasons: what the findings of each add up to, and where they are. */

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
    [KIND_THREADS] = {"threads", "threads are missing, or have nothing to do"},
    [KIND_BLOCKED] = {"blocked", "threads are blocked in the kernel (input, output, sleep)"},
    [KIND_COLLECTION] = {"collection", "garbage collection stops the threads"},
    [KIND_MEMORY] = {"memory", "the same work takes longer on some threads (memory, slower processor)"},
    [KIND_MEASUREMENT] = {"measurement", "the measurement slows the program down"},
    [KIND_POSIX] = {"posix", "threads wait for locks of POSIX threads or C++"},
};

#define WORTH_REST 0.05 /* percent */

/* One kind, tested. */
struct test {
  enum why_kind kind;
  struct why_node node;
  size_t first;  /* in the list of findings; behind it: none */
  bool is_first; /* the first sentence is about it */
  bool by_share; /* there is an account */
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

/* The kinds of the account; 0, which is work: none of its own. */
static const uint8_t account_kinds[KINDS] = {
    [KIND_DEADLOCK] = ACCOUNT_FOREVER,      [KIND_SYNCHRONIZATION] = ACCOUNT_SYNCHRONIZATION,
    [KIND_IMBALANCE] = ACCOUNT_IMBALANCE,   [KIND_GRAIN] = ACCOUNT_GRAIN,
    [KIND_TASKS] = ACCOUNT_TASKS,           [KIND_SERIAL] = ACCOUNT_SERIAL,
    [KIND_PROCESSORS] = ACCOUNT_PROCESSORS, [KIND_RUNTIME] = ACCOUNT_RUNTIME,
    [KIND_BLOCKED] = ACCOUNT_BLOCKED,       [KIND_THREADS] = ACCOUNT_THREADS,
    [KIND_COLLECTION] = ACCOUNT_COLLECTION, [KIND_MEASUREMENT] = ACCOUNT_MEASUREMENT};

/* A kind has the account's share. The cost of recording lies inside of its work, and is an estimate of its own. */
static void take_account(const struct tree *tree, struct test *test)
{
  const struct account *account = tree->account;
  enum account_kind kind = (enum account_kind)account_kinds[test->kind];
  struct why_node *node = &test->node;
  if (kind == ACCOUNT_WORK)
    return;
  double percent = account_percent(account, account_can_win(account, kind));
  if (kind == ACCOUNT_FOREVER && tree->findings->first_kind == ACCOUNT_FOREVER)
    percent = 100;
  if (kind == ACCOUNT_MEASUREMENT && node->measured && node->percent > percent)
    return;
  node->measured = true;
  node->percent = node->low = node->high = percent;
  node->verdict = why_verdict_of(tree->why->threshold, percent, percent, percent);
  test->unknown = NULL;
  if (tree->lacks[test->kind] && node->verdict == WHY_FALSE) {
    node->verdict = WHY_UNKNOWN;
    node->measured = false;
    test->unknown = tree->lacks[test->kind];
  }
}

/* The order of verdicts. */
static int kinds_rank_of(const struct test *test)
{
  static const int ranks[] = {[WHY_TRUE] = 0, [WHY_LIKELY] = 0, [WHY_FALSE] = 1, [WHY_UNKNOWN] = 2};
  return ranks[test->node.verdict];
}

/* True ones first; the account's first kind, and then by share. Without account in the order of the findings, so that
 * the first finding is of the first kind. */
static int kinds_compare(const void *a, const void *b)
{
  const struct test *left = a, *right = b;
  if (kinds_rank_of(left) != kinds_rank_of(right))
    return kinds_rank_of(left) < kinds_rank_of(right) ? -1 : 1;
  if (left->is_first != right->is_first)
    return left->is_first ? -1 : 1;
  if (left->by_share && left->node.percent != right->node.percent)
    return left->node.percent > right->node.percent ? -1 : 1;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  return left->kind < right->kind ? -1 : 1;
}

static bool add_place(struct tree *tree, const struct why_node *place)
{
  int length;
  const char *name = finding_place(tree->trace, place->finding, &length);
  return tree_add(tree, place, "%.*s", length, name);
}

/* Places below the threshold, and places without a finding. */
static bool add_rest(struct tree *tree, const struct test *test, double shown)
{
  struct why_node rest = {.aspect = WHY_REST, .depth = 2, .key = "elsewhere", .measured = true};
  for (size_t i = 0; test->kind == KIND_IMBALANCE && i < tree->findings->all; i++)
    shown += tree->kinds[i] == KIND_MEMORY ? tree->findings->list[i].percent : 0;
  rest.percent = rest.low = rest.high = test->node.percent - shown;
  rest.verdict = why_verdict_of(tree->why->threshold, rest.low, rest.percent, rest.high);
  return rest.percent < WORTH_REST || tree_add(tree, &rest, "at all other places");
}

/* The findings of a true kind: the first one and each finding that reaches the threshold, each with its children. */
static bool kinds_add_places(struct tree *tree, const struct test *test)
{
  const struct findings *findings = tree->findings;
  double shown = 0;
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
    shown += place.percent;
    if (!add_place(tree, &place) || !tree->refine(tree, &place))
      return false;
  }
  bool has_rest = tree->account && account_kinds[test->kind] && test->kind != KIND_MEASUREMENT;
  return !has_rest || add_rest(tree, test, shown);
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
  for (int kind = 0; kind < KINDS; kind++) {
    tests[kind] = test(tree, (enum why_kind)kind);
    tests[kind].by_share = tree->account;
    tests[kind].is_first = tree->account && account_kinds[kind] && account_kinds[kind] == tree->findings->first_kind;
    if (tree->account)
      take_account(tree, &tests[kind]);
  }
  qsort(tests, KINDS, sizeof *tests, kinds_compare);
  for (int i = 0; good && i < KINDS; i++)
    good = (tests[i].kind == KIND_POSIX && !tree->lacks[KIND_POSIX]) ||
           (tests[i].kind == KIND_THREADS && !tree->account) || add_kind(tree, &tests[i]);
  return good;
}

/* The kinds of a trace's findings, and the kinds that the trace cannot show. */

static const struct imbalance_construct *construct_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance *imbalance = tree->of->imbalance;
  return finding->region < imbalance->count ? &imbalance->constructs[finding->region] : NULL;
}

/* Handing out small chunks, or making small tasks, is no fault of the runtime's. */
static enum why_kind kind_of_overhead(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  if (!construct)
    return KIND_RUNTIME;
  enum imbalance_schedule schedule = imbalance_schedule(&tree->of->trace->regions[finding->region]);
  bool chunks = schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
  return chunks || construct->tasks > 0 ? KIND_GRAIN : KIND_RUNTIME;
}

/* The tree's kind of a kind of the account. */
static enum why_kind kind_of_account(const struct finding *finding)
{
  if (finding->kind == FINDING_IMBALANCE && finding->cause == CAUSE_SPEED)
    return KIND_MEMORY;
  unsigned kind = 0;
  while (kind < KINDS && account_kinds[kind] != finding->account)
    kind++;
  return (enum why_kind)kind;
}

static enum why_kind kind_of(const struct tree *tree, const struct finding *finding)
{
  const struct imbalance_construct *construct = construct_of(tree, finding);
  if (tree->account)
    return kind_of_account(finding);
  switch (finding->kind) {
  case FINDING_POOL_UNEVEN:
    return KIND_IMBALANCE;
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
  case FINDING_CHAIN: /* chain of tasks, or of iterations */
    return construct && construct->tasks > 0 ? KIND_TASKS : KIND_SYNCHRONIZATION;
  case FINDING_SLOWER:
    return KIND_IMBALANCE;
  case FINDING_SERIAL:
  case FINDING_ALONE:
    return KIND_SERIAL;
  case FINDING_PROCESSORS:
  case FINDING_READY:
  case FINDING_THROTTLED:
    return KIND_PROCESSORS;
  case FINDING_LATE:
    return KIND_RUNTIME;
  case FINDING_OFF:
  case FINDING_POOL_SMALL: /* what occupies its workers is blocked */
  case FINDING_SLEEP:
    return KIND_BLOCKED;
  case FINDING_COLLECTION:
    return KIND_COLLECTION;
  case FINDING_MEASUREMENT:
    return KIND_MEASUREMENT;
  case FINDING_DEADLOCK:
    return KIND_DEADLOCK;
  case FINDING_LOCK:
  case FINDING_WAITING:
  case FINDING_PLACE: /* of the account */
  case FINDING_KINDS:
    break;
  }
  return KIND_SYNCHRONIZATION;
}

/* What the budget omitted, percent of all threads' time, about. */
static double omitted_percent(const struct analysis_results *of)
{
  const struct omitted *omitted = of->omitted;
  double ticks = 0, lifetimes = (double)of->imbalance->lifetimes;
  for (uint32_t i = 0; omitted && omitted->constructs && i < omitted->regions; i++) {
    struct estimate more = states_sums_more(of->sums, i);
    ticks += (double)omitted->constructs[i].time + (double)estimate_more(&more);
  }
  return lifetimes > 0 ? 100 * ticks / lifetimes : 0;
}

/* What the trace lacks for kinds of constructs; NULL: nothing. */
static const char *lacks_constructs(const struct tree *tree)
{
  const struct trace *trace = tree->trace;
  if (trace->team_count == 0 && !trace_has_pthreads(trace) && !trace_is_of_java(trace))
    return "the trace has no events of OpenMP, POSIX threads or Java: record with heddle record";
  return tree->account && omitted_percent(tree->of) >= tree->why->threshold
             ? "too many executions are omitted: record with --budget none"
             : NULL;
}

/* What the trace lacks for a test (docs/why.md has a table); NULL: nothing. */
static const char *lacks(const struct tree *tree, enum why_kind kind)
{
  const struct analysis_results *of = tree->of;
  if (kind == KIND_MEMORY && (!of->counters || counters_instructions(of->trace, of->counters) < 0))
    return "compare with runs of fewer threads (heddle scale), or record with --counters instructions (heddle "
           "counters)";
  if ((kind == KIND_PROCESSORS || kind == KIND_BLOCKED) && !of->processors->known && !of->processors->read)
    return "the trace does not have when threads had a processor: heddle record has it where the kernel allows it";
  if (kind == KIND_MEASUREMENT && of->overhead->location == TRACE_NONE)
    return of->trace->restriction.timed ? "the cost of recording is known of the whole run only: omit --from and --to"
                                        : "the archive does not have the cost of recording";
  if (kind == KIND_SERIAL && of->trace->restriction.locations)
    return "some threads are excluded: omit --only-threads";
  if (kind == KIND_DEADLOCK)
    return of->deadlocks ? NULL : "not looked for";
  bool of_constructs = kind == KIND_IMBALANCE || kind == KIND_SERIAL || kind == KIND_GRAIN || kind == KIND_TASKS ||
                       kind == KIND_RUNTIME || kind == KIND_SYNCHRONIZATION || kind == KIND_THREADS;
  const char *lack = of_constructs ? lacks_constructs(tree) : NULL;
  if (!lack && kind == KIND_SYNCHRONIZATION && !trace_is_of_java(of->trace) && !calls_has_samples(of->trace))
    return "spin locks, and locks inside of libraries: the trace has no samples; heddle record takes them where the "
           "kernel allows it";
  return lack;
}

bool kinds_of_trace(struct tree *tree)
{
  const struct findings *findings = tree->findings;
  enum why_kind *kinds = malloc((findings->all + 1) * sizeof *kinds);
  if (!kinds)
    return false;
  for (size_t i = 0; i < findings->all; i++)
    kinds[i] = kind_of(tree, &findings->list[i]);
  for (unsigned kind = 0; kind < KINDS; kind++)
    tree->lacks[kind] = lacks(tree, (enum why_kind)kind);
  tree->lacks[KIND_POSIX] = tree_lacks_posix(tree->trace);
  tree->recording = (double)tree->of->overhead->recording;
  tree->kinds = kinds;
  tree->refine = refine;
  bool good = kinds_add(tree);
  free(kinds);
  return good;
}
