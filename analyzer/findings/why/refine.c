/* What is below a place: which thread, why, and when in the run. */
#include "analyzer/findings/why/tree.h"

#include "analyzer/analyses/calls/source.h"
#include "analyzer/command/print/units.h"

#include <inttypes.h>
#include <string.h>

#define MOSTLY 0.5  /* of the waiting: from it on, it is for one thread */
#define LONGER 0.10 /* of the mean: from it on, a thread's busy time or iterations are more than the others' */

static const char *thread_name(const struct tree *tree, uint32_t location)
{
  return trace_thread_said(tree->of->trace, location);
}

static struct why_node below(const struct why_node *place, enum why_aspect aspect, const char *key)
{
  return (struct why_node){.aspect = aspect, .depth = place->depth + 1, .key = key, .finding = place->finding};
}

static bool add_who(struct tree *tree, const struct why_node *place, const char *what, uint32_t location)
{
  struct why_node who = below(place, WHY_WHO, "thread");
  return tree_add(tree, &who, "%s%s", what, thread_name(tree, location));
}

/* True if the slowest thread is always the same. */
static bool add_slowest(struct tree *tree, const struct why_node *place, const struct imbalance_construct *construct)
{
  const struct trace *trace = tree->of->trace;
  uint32_t slowest = imbalance_slowest(construct, trace->location_count);
  double all = 0;
  if (slowest == TRACE_NONE)
    return true;
  for (uint32_t i = 0; i < trace->location_count; i++)
    all += (double)construct->by_thread[i].waited_for;
  double share = all > 0 ? (double)construct->by_thread[slowest].waited_for / all : 0;
  struct why_node who = below(place, WHY_WHO, "slowest thread");
  if (share < MOSTLY)
    return tree_add(tree, &who, "the slowest thread changes from execution to execution");
  return tree_add(tree, &who, "the others wait for %s in %.0f %% of the waiting", thread_name(tree, slowest),
                  100 * share);
}

/* True if the threads of a construct lacked a processor in it. */
static bool add_processor(struct tree *tree, const struct why_node *place, const struct imbalance_construct *construct)
{
  const struct analysis_results *of = tree->of;
  struct why_node reason = below(place, WHY_REASON, "processor");
  reason.verdict = WHY_UNKNOWN;
  if (!of->processors->known && !of->processors->read)
    return tree_add(tree, &reason, "lack of a processor: heddle record has it where the kernel allows it");
  double lacked = 0;
  for (size_t i = 0; i < of->processors->rows.count; i++)
    if (of->processors->rows.items[i].construct == place->finding->region)
      lacked += (double)of->processors->rows.items[i].ticks;
  reason.measured = true;
  reason.percent = tree_percent(tree, lacked / (construct->threads ? construct->threads : 1));
  reason.low = reason.high = reason.percent;
  reason.verdict = why_verdict_of(tree->why->threshold, reason.low, reason.percent, reason.high);
  return tree_add(tree, &reason, "lack of a processor (mean of the threads)");
}

static bool add_memory(struct tree *tree, const struct why_node *place)
{
  const struct analysis_results *of = tree->of;
  struct why_node reason = below(place, WHY_REASON, "memory");
  reason.verdict = WHY_UNKNOWN;
  if (!of->counters || counters_instructions(of->trace, of->counters) < 0)
    return tree_add(tree, &reason, "memory or a slower processor: record with --counters instructions");
  enum finding_cause cause = place->finding->cause;
  if (cause == CAUSE_UNKNOWN)
    return tree_add(tree, &reason, "memory or a slower processor: the counters do not say");
  reason.verdict = cause == CAUSE_SPEED ? WHY_TRUE : WHY_FALSE;
  return tree_add(tree, &reason, "memory or a slower processor: the slowest thread has %s instructions",
                  cause == CAUSE_SPEED ? "the same" : "more");
}

/* The thread with the most work, and the mean of the threads that took part. */
struct shares {
  uint32_t most;
  double busy, iterations; /* its own */
  double mean_busy, mean_iterations;
};

static bool find_shares(const struct imbalance_construct *construct, uint32_t locations, struct shares *shares)
{
  uint32_t threads = 0;
  *shares = (struct shares){.most = TRACE_NONE};
  for (uint32_t i = 0; construct->by_thread && i < locations; i++) {
    const struct imbalance_thread *thread = &construct->by_thread[i];
    threads += thread->calls > 0;
    shares->mean_busy += (double)thread->busy;
    shares->mean_iterations += (double)thread->iterations;
    if ((double)thread->busy <= shares->busy)
      continue;
    shares->most = i;
    shares->busy = (double)thread->busy;
    shares->iterations = (double)thread->iterations;
  }
  if (threads < 2 || shares->most == TRACE_NONE)
    return false;
  shares->mean_busy /= threads;
  shares->mean_iterations /= threads;
  return shares->busy >= (1 + LONGER) * shares->mean_busy;
}

/* True if a thread has more of the work, or other iterations. */
static bool add_work(struct tree *tree, const struct why_node *place, const struct imbalance_construct *construct)
{
  const struct trace *trace = tree->of->trace;
  struct why_node reason = below(place, WHY_REASON, "work");
  struct shares shares;
  reason.verdict = WHY_UNKNOWN;
  if (place->finding->cause == CAUSE_WORK) {
    reason.verdict = WHY_TRUE;
    return tree_add(tree, &reason, "more work: the slowest thread has more instructions");
  }
  if (!find_shares(construct, trace->location_count, &shares))
    return tree_add(tree, &reason, "more work: no thread has it in all executions together");
  if (shares.iterations <= 0)
    return tree_add(tree, &reason, "more work: the iterations of the threads are not recorded");
  double more = shares.busy / shares.mean_busy - 1, iterations = shares.iterations / shares.mean_iterations - 1;
  if (iterations >= MOSTLY * more) {
    reason.verdict = WHY_TRUE;
    return tree_add(tree, &reason, "more work: %s has %.0f %% more iterations than the mean thread",
                    thread_name(tree, shares.most), 100 * iterations);
  }
  char own[UNITS_SIZE], mean[UNITS_SIZE];
  reason.verdict = place->finding->cause == CAUSE_SPEED ? WHY_FALSE : WHY_LIKELY;
  return tree_add(tree, &reason, "more work: an iteration of %s takes %s, of the mean thread %s",
                  thread_name(tree, shares.most),
                  units_mean(shares.busy / shares.iterations, trace->ticks_per_second, own),
                  units_mean(shares.mean_busy / shares.mean_iterations, trace->ticks_per_second, mean));
}

static bool refine_uneven(struct tree *tree, const struct why_node *place)
{
  const struct imbalance_construct *construct = &tree->of->imbalance->constructs[place->finding->region];
  return add_slowest(tree, place, construct) && add_processor(tree, place, construct) &&
         add_work(tree, place, construct) && add_memory(tree, place);
}

/* The threads of the lock with the longest waits at a place: who waited, and for whom. */
static bool refine_lock(struct tree *tree, const struct why_node *place)
{
  const struct locks *locks = tree->of->locks;
  const struct lock_party *waiter = NULL, *holder = NULL;
  size_t at = 0, users = 0;
  double waited = 0, caused = 0;
  while (at < locks->places.count && locks->places.list[at].who != place->finding->region)
    at++;
  for (size_t i = 0; at < locks->places.count && i < locks->threads.count; i++) {
    const struct lock_party *party = &locks->threads.list[i];
    if (party->lock != locks->places.list[at].lock)
      continue;
    users++;
    waited += (double)party->sums.wait;
    caused += (double)party->sums.caused;
    if (!waiter || party->sums.wait > waiter->sums.wait)
      waiter = party;
    if (!holder || party->sums.caused > holder->sums.caused)
      holder = party;
  }
  struct why_node who = below(place, WHY_WHO, "holder");
  if (!waiter || waited <= 0 || caused <= 0)
    return true;
  return tree_add(tree, &who, "%zu threads use it: %s waits most (%.0f %%), and they wait for %s most (%.0f %%)", users,
                  thread_name(tree, waiter->who), 100 * (double)waiter->sums.wait / waited,
                  thread_name(tree, holder->who), 100 * (double)holder->sums.caused / caused);
}

static bool add_cause(struct tree *tree, const struct why_node *place)
{
  static const char *const causes[] = {[CAUSE_BOUND] = "threads are bound to fewer processors than they are",
                                       [CAUSE_CROWD] = "more threads than processors",
                                       [CAUSE_OTHERS] = "other threads or programs had the processors",
                                       [CAUSE_ONE] = "another thread or program had the processor of one thread"};
  struct why_node reason = below(place, WHY_REASON, "cause");
  enum finding_cause cause = place->finding->kind == FINDING_PROCESSORS ? CAUSE_CROWD : place->finding->cause;
  return cause < CAUSE_BOUND || tree_add(tree, &reason, "%s", causes[cause]);
}

/* In what a thread was blocked longest. */
static bool add_blocked(struct tree *tree, const struct why_node *place)
{
  const struct processors *processors = tree->of->processors;
  const struct finding *finding = place->finding;
  const struct processors_row *most = NULL;
  for (size_t i = 0; i < processors->rows.count; i++) {
    const struct processors_row *row = &processors->rows.items[i];
    if (row->construct == finding->region && row->location == finding->location && !row->ready &&
        (!most || row->ticks > most->ticks))
      most = row;
  }
  struct why_node reason = below(place, WHY_REASON, "call");
  if (!most || most->reason == TRACE_NONE) {
    reason.verdict = WHY_UNKNOWN;
    return tree_add(tree, &reason, "in which call: heddle record has it where the kernel allows it");
  }
  return tree_add(tree, &reason, "%s, %" PRIu64 " times", tree->of->trace->regions[most->reason].name, most->count);
}

/* Which code a place without construct is. */
static bool add_code(struct tree *tree, const struct why_node *place)
{
  struct why_node reason = below(place, WHY_REASON, "code");
  if (calls_has_samples(tree->of->trace))
    return tree_add(tree, &reason, "which code: see heddle calls --by construct");
  reason.verdict = WHY_UNKNOWN;
  return tree_add(tree, &reason, "which code: record with samples, and see heddle calls --by construct");
}

/* Adds up the windows of all regions with the finding's source line: a construct's barrier is a region of its own. */
static void add_line(const struct tree *tree, uint32_t at, uint64_t sums[WINDOWS])
{
  const struct trace *trace = tree->of->trace;
  const struct trace_region *place = &trace->regions[at];
  for (uint32_t i = 0; i < trace->region_count; i++) {
    const struct trace_region *region = &trace->regions[i];
    bool same = i == at || (place->line > 0 && region->line == place->line && strcmp(region->file, place->file) == 0);
    for (unsigned window = 0; same && window < WINDOWS; window++)
      sums[window] += tree->windows.lost[i][window];
  }
}

static bool is_of_kind(const struct finding *finding, enum finding_kind kind, enum account_kind account)
{
  return finding->kind == kind ||
         (finding->kind == FINDING_PLACE && finding->account == account && finding->region == TRACE_NONE);
}

static bool add_when(struct tree *tree, const struct why_node *place)
{
  const struct finding *finding = place->finding;
  uint64_t sums[WINDOWS] = {0}, before = 0;
  unsigned begin, end;
  if (finding->kind == FINDING_MEASUREMENT || finding->kind == FINDING_DEADLOCK || finding->kind == FINDING_THROTTLED)
    return true;
  const struct windows_run *windows = &tree->windows.of, run = {.begin = tree->account ? tree->account->begin : 0,
                                                                .length = tree->account ? tree->account->span : 0};
  if (is_of_kind(finding, FINDING_SERIAL, ACCOUNT_SERIAL)) {
    memcpy(sums, tree->windows.alone, sizeof sums);
    before = run.length && windows->begin > run.begin ? windows->begin - run.begin : 0;
  } else if (is_of_kind(finding, FINDING_COLLECTION, ACCOUNT_COLLECTION))
    memcpy(sums, tree->windows.collected, sizeof sums);
  else if (finding->region != TRACE_NONE)
    add_line(tree, finding->region, sums);
  if (run.length > 0)
    windows_of_run(windows, &run, before, sums);
  double part = windows_stretch(sums, &begin, &end);
  struct why_node when = below(place, WHY_WHEN, "stretch");
  if (part <= 0)
    return true;
  if (2 * (end - begin) > WINDOWS)
    return tree_add(tree, &when, "during most of the run");
  return tree_add(tree, &when, "from %u %% to %u %% of the run (%.0f %% of it)", 100 / WINDOWS * begin,
                  100 / WINDOWS * end, 100 * part);
}

static bool refine_kind(struct tree *tree, const struct why_node *place)
{
  const struct finding *finding = place->finding;
  switch (finding->kind) {
  case FINDING_IMBALANCE:
    return refine_uneven(tree, place);
  case FINDING_SCHEDULE:
    return tree_has_small_chunks(tree, finding->region) || refine_uneven(tree, place);
  case FINDING_LOCK:
    return refine_lock(tree, place);
  case FINDING_PROCESSORS:
    return add_cause(tree, place);
  case FINDING_READY:
    return add_who(tree, place, "most of it: ", finding->location) && add_cause(tree, place);
  case FINDING_OFF:
    return add_who(tree, place, "most of it: ", finding->location) && add_blocked(tree, place);
  case FINDING_SERIAL:
    return add_who(tree, place, "", finding->location) && add_code(tree, place);
  default:
    return finding->location == TRACE_NONE ||
           add_who(tree, place, finding->kind == FINDING_PLACE ? "most of it: " : "", finding->location);
  }
}

bool refine(struct tree *tree, const struct why_node *place)
{
  return refine_kind(tree, place) && add_when(tree, place);
}
