#include "analyzer/findings/why/sums.h"

#include "analyzer/command/print/units.h"
#include "analyzer/findings/why/tree.h"
#include "analyzer/live/profile/states.h"
#include "base/count_of.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Student's t with that many degrees of freedom or more: |T| is larger with probability 5 % / WHY_LOOKS. */
static double quantile(size_t freedom)
{
  static const struct {
    size_t freedom;
    double t;
  } table[] = {{7, 2.841}, {8, 2.752}, {10, 2.634}, {12, 2.560}, {15, 2.490}, {20, 2.423}, {31, 2.356}};
  size_t at = COUNT_OF(table) - 1;
  while (at > 0 && table[at].freedom > freedom)
    at--;
  return table[at].t;
}

static bool is_same(const struct why_node *left, const struct why_node *right)
{
  return left->aspect == right->aspect && strcmp(left->key, right->key) == 0 &&
         (left->aspect != WHY_WHERE || left->finding->region == right->finding->region);
}

/* The figure of a node in a part. False: the part has no figure for such hypotheses. A place that is not in the part's
 * tree lost next to nothing there. */
static bool figure_in(const struct why *part, const struct why_node *node, double *percent)
{
  *percent = 0;
  for (size_t i = 0; i < part->nodes.count; i++)
    if (is_same(&part->nodes.items[i], node)) {
      *percent = part->nodes.items[i].percent;
      return part->nodes.items[i].measured;
    }
  return node->aspect == WHY_WHERE;
}

/* Half of the interval of the mean; negative: there is none. */
static double half_width(const struct why_node *node, const struct why *parts, size_t count)
{
  double sum = 0, squares = 0, percent;
  for (size_t i = 0; i < count; i++) {
    if (!figure_in(&parts[i], node, &percent))
      return -1;
    sum += percent;
    squares += percent * percent;
  }
  double n = (double)count, variance = (squares - sum * sum / n) / (n - 1);
  return quantile(count - 1) * sqrt(variance > 0 ? variance / n : 0);
}

static bool widen(struct why *whole, struct why_node *node, double half)
{
  double low = node->percent > half ? node->percent - half : 0, high = node->percent + half;
  node->low = low < node->low ? low : node->low;
  node->high = high < node->high ? node->high : high < 100 ? high : 100;
  bool was_false = node->verdict == WHY_FALSE;
  node->verdict = why_verdict_of(whole->threshold, node->low, node->percent, node->high);
  if (!was_false || node->verdict != WHY_UNKNOWN || node->aspect != WHY_KIND)
    return true;
  char *text;
  if (asprintf(&text, "%s: %.1f %%, but it differs from time to time; watch for longer with --for", node->text,
               node->percent) < 0)
    return false;
  free(node->text);
  node->text = text;
  return true;
}

bool why_join(struct why *whole, const struct why *parts, size_t count)
{
  for (size_t i = 0; i < whole->nodes.count; i++) {
    struct why_node *node = &whole->nodes.items[i];
    bool joins = node->measured && node->verdict != WHY_UNKNOWN && node->aspect <= WHY_WHERE;
    double half = joins ? half_width(node, parts, count) : -1;
    if (half >= 0 && !widen(whole, node, half))
      return false;
  }
  return true;
}

bool why_is_decided(const struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    if (node->aspect == WHY_KIND && node->measured && (node->verdict == WHY_UNKNOWN || node->verdict == WHY_LIKELY))
      return false;
  }
  return true;
}

#define SHORT_REGION_S 100e-6 /* seconds of a thread's work in an execution, as in findings.h */
#define SHORT_TASK_S   20e-6
#define HALF_LIFE      2

/* A finding, and what the tree needs of it. */
struct found {
  struct finding finding;
  enum why_kind kind;
  bool guess;
};

struct search {
  const struct why_sums *of;
  struct states_sums states;
  double run; /* ticks: the longest life of a thread */
  VECTOR(struct found) list;
};

__attribute__((format(printf, 3, 4))) static bool sums_add(struct search *search, struct found found,
                                                           const char *format, ...)
{
  va_list list;
  char what[256], time[UNITS_SIZE], *text;
  if (found.finding.ticks <= 0 || search->run <= 0)
    return true;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  found.finding.percent = 100 * found.finding.ticks / search->run;
  found.finding.recorded = found.finding.ticks;
  const char *place = found.finding.region == TRACE_NONE ? trace_thread_said(search->of->trace, found.finding.location)
                      : found.kind == KIND_MEASUREMENT   ? "the measurement"
                                                         : search->of->trace->regions[found.finding.region].name;
  if (asprintf(&text, "%s: %s, so up to %s (%.1f %% of the run) could be won", place, what,
               units_mean(found.finding.ticks, search->of->trace->ticks_per_second, time), found.finding.percent) < 0)
    return false;
  found.finding.text = text;
  if (vector_push(&search->list, found))
    return true;
  free(text);
  return false;
}

static bool sums_is_same_place(const struct trace_region *left, const struct trace_region *right)
{
  return left->line > 0 && strcmp(left->file, right->file) == 0 &&
         (left->line == right->line || (*left->function && strcmp(left->function, right->function) == 0));
}

/* The work in an execution of the rows at a place, in seconds: work of tasks, or of members of a region. 0: there is
 * none. */
static double work_of(const struct search *search, const struct trace_region *place, bool tasks)
{
  const struct profiled *profile = search->of->profile;
  double ticks = 0, executions = 0;
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    const struct trace_region *region = row->region == TRACE_NONE ? NULL : &search->of->trace->regions[row->region];
    if (!region || !sums_is_same_place(region, place) ||
        (tasks ? region->role != OTF2_REGION_ROLE_TASK : row->kind != PROFILE_MEMBER))
      continue;
    executions += (double)row->executions;
    ticks += (double)row->self;
  }
  /* What members do in loops and sections is in rows of these. */
  for (size_t i = 0; i < profile->count && !tasks && executions > 0; i++) {
    const struct profile_row *row = &profile->rows[i];
    const struct trace_region *region = row->region == TRACE_NONE ? NULL : &search->of->trace->regions[row->region];
    bool works = region && row->kind == PROFILE_CONSTRUCT && sums_is_same_place(region, place) &&
                 state_rules[state_rule_of(region)].alone == STATE_RUN;
    ticks += works ? (double)row->self : 0;
  }
  return executions > 0 ? ticks / executions / (double)search->of->trace->ticks_per_second : 0;
}

static bool is_small(const struct search *search, const struct trace_region *place, struct found *found)
{
  double task = work_of(search, place, true), region = work_of(search, place, false);
  found->kind = KIND_GRAIN;
  found->finding.kind = task > 0 ? FINDING_SMALL_TASKS : FINDING_SMALL_REGION;
  return task > 0 ? task < SHORT_TASK_S : region > 0 && region < SHORT_REGION_S;
}

/* How many threads live for half of the time or more. */
static double lived(const struct search *search)
{
  double count = 0;
  for (uint32_t i = 0; i < search->states.locations; i++)
    count += HALF_LIFE * (double)(search->states.threads[i].last - search->states.threads[i].first) >= search->run;
  return count > 0 ? count : 1;
}

/* The waits at a place: at a barrier, or for a lock. Ticks. */
struct waits {
  double all;   /* of all threads */
  double least; /* wait of the thread with the least, if all that live for half of the time wait */
  double threads;
  double thread; /* of the thread whose rows are read */
  bool lock;
};

/* Where the thread waits in a row, and for how long; TRACE_NONE: it does not wait. A worker waits at the last barriers
 * of its regions outside of constructs (profile/states.c). */
static uint32_t wait_of(const struct search *search, const struct profile_row *row, double *ticks)
{
  const struct trace *trace = search->of->trace;
  *ticks = (double)row->self;
  if (row->region == TRACE_NONE)
    return TRACE_NONE;
  if (row->kind == PROFILE_ACQUIRE) { /* acquisitions without a wait take time, too */
    *ticks = row->executions > 0 ? (double)row->waiting : *ticks;
    return row->region;
  }
  if (row->kind == PROFILE_MEMBER && row->executions > 0) {
    *ticks = (double)row->waiting * (double)row->joined / (double)row->executions;
    return profiled_last_barrier(trace, row->region);
  }
  enum state state = state_rules[state_rule_of(&trace->regions[row->region])].alone;
  bool barrier = state == STATE_SYNCH_IMPLICIT_BARRIER || state == STATE_SYNCH_BARRIER;
  return barrier && row->kind == PROFILE_CONSTRUCT ? row->region : TRACE_NONE;
}

/* One entry a region. NULL: no memory. */
static struct waits *find_waits(const struct search *search)
{
  const struct profiled *profile = search->of->profile;
  struct waits *waits = calloc(search->of->trace->region_count + 1, sizeof *waits);
  for (size_t first = 0, end; waits && first < profile->count; first = end) {
    double ticks;
    uint32_t at;
    for (end = first; end < profile->count && profile->rows[end].location == profile->rows[first].location; end++)
      if ((at = wait_of(search, &profile->rows[end], &ticks)) != TRACE_NONE) {
        waits[at].thread += ticks;
        waits[at].lock |= profile->rows[end].kind == PROFILE_ACQUIRE;
      }
    for (size_t i = first; i < end; i++)
      if ((at = wait_of(search, &profile->rows[i], &ticks)) != TRACE_NONE && waits[at].thread > 0) {
        struct waits *place = &waits[at];
        place->least = place->threads == 0 || place->thread < place->least ? place->thread : place->least;
        place->all += place->thread;
        place->threads++;
        place->thread = 0;
      }
  }
  return waits;
}

/* The waits at a barrier, or at the ends of a region. */
static bool add_barrier(struct search *search, uint32_t at, const struct waits *waits, double threads)
{
  const struct trace_region *region = &search->of->trace->regions[at];
  struct found found = {.finding = {.region = at, .location = TRACE_NONE, .ticks = waits->all / threads}};
  double least = waits->threads < threads ? 0 : waits->least;
  if (is_small(search, region, &found))
    return sums_add(search, found, "its pieces of work are small, and its threads wait");
  found.finding.kind = FINDING_IMBALANCE;
  found.kind = KIND_IMBALANCE;
  found.guess = true; /* a thread may be late for want of a processor, or blocked */
  found.finding.ticks -= least;
  if (!sums_add(search, found, "one of its threads waits less than the others"))
    return false;
  bool tasks = work_of(search, region, true) > 0;
  found.finding.kind = tasks ? FINDING_FEW_TASKS : FINDING_WAITING;
  found.kind = tasks ? KIND_TASKS : KIND_SYNCHRONIZATION;
  found.guess = region->role != OTF2_REGION_ROLE_BARRIER;
  found.finding.ticks = least;
  return sums_add(search, found, "all of its threads wait");
}

static bool add_waits(struct search *search)
{
  struct waits *waits = find_waits(search);
  bool good = waits != NULL;
  double threads = lived(search);
  for (uint32_t i = 0; good && i < search->of->trace->region_count; i++) {
    double of = waits[i].threads > threads ? waits[i].threads : threads;
    struct found lock = {.finding = {.kind = FINDING_LOCK, .region = i, .location = TRACE_NONE},
                         .kind = KIND_SYNCHRONIZATION};
    lock.finding.ticks = waits[i].all / of;
    if (waits[i].all > 0)
      good = waits[i].lock ? sums_add(search, lock, "its threads wait for each other")
                           : add_barrier(search, i, &waits[i], of);
  }
  free(waits);
  return good;
}

static bool add_overhead(struct search *search)
{
  bool good = true;
  double threads = lived(search);
  for (uint32_t i = 0; good && i < search->states.regions; i++) {
    const struct trace_region *region = &search->of->trace->regions[i];
    struct found found = {.finding = {.region = i, .location = TRACE_NONE}};
    found.finding.ticks = (double)search->states.constructs[i].ticks[STATE_OVERHEAD] / threads;
    enum imbalance_schedule schedule = imbalance_schedule(region);
    bool grain = is_small(search, region, &found) || schedule == SCHEDULE_DYNAMIC || schedule == SCHEDULE_GUIDED;
    found.kind = grain ? KIND_GRAIN : KIND_RUNTIME;
    found.finding.kind = FINDING_OVERHEAD;
    good = sums_add(search, found, "the runtime takes time in it");
  }
  return good;
}

/* The work outside of constructs of the only thread that works there. */
static bool add_serial(struct search *search)
{
  const struct trace *trace = search->of->trace;
  const struct profiled *profile = search->of->profile;
  double threads = 0, all = 0;
  const struct profile_row *most = NULL;
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_row *row = &profile->rows[i];
    if (row->kind != PROFILE_OUTSIDE || trace->locations[row->location].type == TRACE_THREAD_WORKER)
      continue;
    all += (double)row->self;
    most = !most || row->self > most->self ? row : most;
  }
  for (uint32_t i = 0; i < trace->location_count; i++)
    threads += search->states.threads[i].last > search->states.threads[i].first &&
               (trace->locations[i].type == TRACE_THREAD_WORKER || (most && i == most->location));
  if (!most || threads < 2 || (double)most->self < 0.99 * all)
    return true;
  struct found found = {.finding = {.kind = FINDING_SERIAL, .region = TRACE_NONE, .location = most->location},
                        .kind = KIND_SERIAL};
  found.finding.ticks = (double)most->self * (1 - 1 / threads);
  return sums_add(search, found, "it works alone outside of parallel regions");
}

/* The thread with most time in a state. */
static void find_most(const struct search *search, enum state state, struct finding *finding)
{
  for (uint32_t i = 0; i < search->states.locations; i++)
    if ((double)search->states.threads[i].ticks[state] > finding->ticks) {
      finding->ticks = (double)search->states.threads[i].ticks[state];
      finding->location = i;
    }
}

static bool add_collection(struct search *search)
{
  struct found found = {.finding = {.kind = FINDING_COLLECTION, .region = TRACE_NONE}, .kind = KIND_COLLECTION};
  find_most(search, STATE_GC, &found.finding);
  return sums_add(search, found, "garbage collection stops it");
}

/* At the construct with the most executions. */
static bool add_measurement(struct search *search)
{
  const struct profiled *profile = search->of->profile;
  const struct profile_row *most = NULL;
  struct found found = {.finding = {.kind = FINDING_MEASUREMENT, .region = TRACE_NONE}, .kind = KIND_MEASUREMENT};
  find_most(search, STATE_TRACEFLUSH, &found.finding);
  for (size_t i = 0; i < profile->count; i++)
    if (profile->rows[i].region != TRACE_NONE && (!most || profile->rows[i].executions > most->executions))
      most = &profile->rows[i];
  if (!most)
    return sums_add(search, found, "the measurement takes its time");
  found.finding.region = most->region;
  return sums_add(search, found, "the measurement takes time, most of it at %s",
                  search->of->trace->regions[most->region].name);
}

/* What the kernel knows: time without a processor, of the thread with the most. Java: there are always threads that are
 * blocked where nobody waits for them. */
static bool add_kernel(struct search *search)
{
  struct found ready = {.finding = {.kind = FINDING_READY, .region = TRACE_NONE}, .kind = KIND_PROCESSORS},
               off = {.finding = {.kind = FINDING_OFF, .region = TRACE_NONE}, .kind = KIND_BLOCKED};
  bool java = trace_is_of_java(search->of->trace);
  for (uint32_t i = 0; search->of->tasks && i < search->states.locations; i++) {
    const struct why_task *task = &search->of->tasks[i];
    const wide_total *ticks = search->states.threads[i].ticks;
    double working = (double)ticks[STATE_RUN] + (double)ticks[STATE_OVERHEAD];
    double blocked = working - (double)task->on - (double)task->queued;
    double queued = (double)task->queued < working ? (double)task->queued : working;
    if (!task->known || search->of->trace->locations[i].type == TRACE_THREAD_JVM)
      continue;
    if (queued > ready.finding.ticks) {
      ready.finding.ticks = queued;
      ready.finding.location = i;
    }
    if (blocked > off.finding.ticks && !java) {
      off.finding.ticks = blocked;
      off.finding.location = i;
    }
  }
  ready.guess = true; /* it may have waited for a processor in order to wait for something else */
  return sums_add(search, ready, "it waits for a processor") &&
         sums_add(search, off, "it is blocked in the kernel while it works");
}

static int sums_compare(const void *a, const void *b)
{
  const struct found *left = a, *right = b;
  if (left->finding.ticks != right->finding.ticks)
    return left->finding.ticks < right->finding.ticks ? 1 : -1;
  return (left->finding.region > right->finding.region) - (left->finding.region < right->finding.region);
}

static bool find_all(struct search *search)
{
  uint64_t longest = 0;
  if (!profiled_states(search->of->trace, search->of->profile, &search->states))
    return false;
  for (uint32_t i = 0; i < search->states.locations; i++) {
    uint64_t life = search->states.threads[i].last - search->states.threads[i].first;
    longest = life > longest ? life : longest;
  }
  search->run = (double)longest;
  bool good = add_waits(search) && add_overhead(search) && add_serial(search) && add_kernel(search) &&
              add_collection(search) && add_measurement(search);
  if (search->list.count > 0)
    qsort(search->list.items, search->list.count, sizeof *search->list.items, sums_compare);
  return good;
}

static bool first_sentence(struct findings *findings)
{
  bool worth = findings->count > 0 && findings->list[0].percent >= FINDINGS_WORTH;
  return asprintf(&findings->first, "%s%s.", worth ? "Look first at " : "Nothing stands out in the sums",
                  worth ? findings->list[0].text : "") >= 0;
}

static bool refine_sums(struct tree *tree, const struct why_node *place)
{
  struct why_node who = {.aspect = WHY_WHO, .depth = 3, .key = "most", .finding = place->finding};
  return place->finding->region == TRACE_NONE || place->finding->location == TRACE_NONE ||
         tree_add(tree, &who, "%s", trace_thread_said(tree->trace, place->finding->location));
}

/* Drops the texts of the findings from `first` on. */
static void drop_texts(const struct search *search, size_t first)
{
  for (size_t i = first; i < search->list.count; i++)
    free(search->list.items[i].finding.text);
}

static bool make_tree(struct search *search, struct findings *findings, struct why *why, const char *order)
{
  size_t count = search->list.count;
  enum why_kind *kinds = calloc(count + 1, sizeof *kinds);
  bool *guesses = calloc(count + 1, sizeof *guesses);
  findings->list = calloc(count + 1, sizeof *findings->list);
  struct tree tree = {.trace = search->of->trace,
                      .findings = findings,
                      .kinds = kinds,
                      .guesses = guesses,
                      .refine = refine_sums,
                      .why = why};
  bool good = kinds && guesses && findings->list;
  for (size_t i = 0; good && i < count; i++) {
    findings->list[i] = search->list.items[i].finding;
    kinds[i] = search->list.items[i].kind;
    guesses[i] = search->list.items[i].guess;
    findings->all++;
    findings->count += findings->list[i].percent >= FINDINGS_WORTH;
  }
  drop_texts(search, findings->all);
  findings->run = search->run;
  tree.lacks[KIND_DEADLOCK] = tree.lacks[KIND_MEMORY] = order;
  if (trace_is_of_java(search->of->trace)) /* who waits for whom */
    tree.lacks[KIND_SERIAL] = tree.lacks[KIND_IMBALANCE] = tree.lacks[KIND_BLOCKED] = order;
  tree.lacks[KIND_POSIX] = search->of->archive ? tree_lacks_posix(search->of->trace) : NULL;
  if (!search->of->tasks)
    tree.lacks[KIND_PROCESSORS] = tree.lacks[KIND_BLOCKED] = order;
  good = good && first_sentence(findings) && tree_add_root(&tree, &search->states) && kinds_add(&tree);
  free(kinds);
  free(guesses);
  return good;
}

bool why_of_sums(const struct why_sums *sums, double threshold, struct findings *findings, struct why *why)
{
  struct search search = {.of = sums};
  char order[96];
  *findings = (struct findings){.list = NULL};
  *why = (struct why){.threshold = threshold};
  snprintf(order, sizeof order, "sums do not show: %s", sums->orders);
  bool good = find_all(&search);
  if (good)
    good = make_tree(&search, findings, why, order);
  else
    drop_texts(&search, 0);
  vector_free(&search.list);
  states_sums_free(&search.states);
  return good;
}
