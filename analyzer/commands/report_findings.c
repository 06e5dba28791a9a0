#include "analyzer/commands/report_findings.h"

#include "analyzer/commands/imbalance_sentence.h"
#include "analyzer/commands/overhead_sentence.h"
#include "analyzer/commands/schedule_sentence.h"
#include "analyzer/commands/untimed_sentence.h"
#include "analyzer/imbalance/verdict.h"
#include "analyzer/print/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCHEDULES_MOST = 3 };

struct finder {
  struct bundle_run *run;
  const struct report_facts *facts;
};

/* Where in the timeline a region can be seen best: where it lasted longest. */
static void place(const struct finder *finder, struct bundle_finding *finding, uint32_t region)
{
  const struct longest *longest = &finder->run->timeline->longest[region];
  finding->region = region;
  if (longest->end == longest->begin)
    return;
  finding->lane = longest->location;
  finding->begin = longest->begin;
  finding->end = longest->end;
}

static bool add_imbalance(const struct finder *finder)
{
  const struct report_facts *facts = finder->facts;
  struct imbalance_verdict verdict = imbalance_judge(facts->trace, &facts->imbalance);
  struct bundle_finding finding = {.kind = "imbalance",
                                   .text = imbalance_sentence(facts->trace, &facts->imbalance),
                                   .page = "imbalance",
                                   .region = TRACE_NONE,
                                   .lane = TRACE_NONE};
  if (verdict.region != TRACE_NONE) {
    double lost = fine_total_ticks(facts->imbalance.constructs[verdict.region].lost_capacity);
    finding.ticks = verdict.worth_it && lost > 0 ? (uint64_t)lost : 0;
    place(finder, &finding, verdict.region);
  }
  return finding.text && bundle_finding(finder->run, &finding);
}

/* Where the lock that cost most was waited for most; TRACE_NONE: not known. */
static uint32_t lock_place(const struct report_facts *facts)
{
  for (size_t i = 0; i < facts->locks.places.count; i++) {
    const struct lock_party *place = &facts->locks.places.list[i];
    if (place->lock == 0 && place->who != TRACE_NONE)
      return place->who;
  }
  return TRACE_NONE;
}

/* The lock that was waited for longest, and one place of it. */
static char *lock_text(const struct report_facts *facts)
{
  const struct trace *trace = facts->trace;
  const struct lock *lock = &facts->locks.list[0];
  const struct lock_wait *longest = &facts->longest_wait;
  char wait[UNITS_SIZE], most[UNITS_SIZE];
  char *text = NULL, *who = NULL;
  units_duration(lock->sums.wait, trace->ticks_per_second, wait);
  units_duration(lock->sums.wait_max, trace->ticks_per_second, most);
  if (longest->holder != TRACE_NONE &&
      asprintf(&who, "; in the longest wait of all %s waited for %s", trace->locations[longest->waiter].name,
               trace->locations[longest->holder].name) < 0)
    return NULL;
  uint32_t region = lock_place(facts);
  const char *where = region != TRACE_NONE ? trace->regions[region].name : lock_kind_name(lock->kind);
  if (asprintf(&text,
               "Threads waited for locks most at %s: %" PRIu64 " times, %s in all (%.1f %% of all threads' time), "
               "at most %s at a time%s.",
               where, lock->sums.waits, wait,
               facts->locks.lifetimes ? 100.0 * (double)lock->sums.wait / (double)facts->locks.lifetimes : 0, most,
               who ? who : "") < 0)
    text = NULL;
  free(who);
  return text;
}

static bool add_lock(const struct finder *finder)
{
  const struct report_facts *facts = finder->facts;
  const struct lock_wait *longest = &facts->longest_wait;
  if (facts->locks.wait == 0)
    return true;
  uint64_t start = finder->run->timeline->start;
  struct bundle_finding finding = {.kind = "lock",
                                   .text = lock_text(facts),
                                   .ticks = facts->locks.list[0].sums.wait,
                                   .page = "locks",
                                   .region = lock_place(facts),
                                   .lane = longest->waiter,
                                   .begin = longest->since - start,
                                   .end = longest->until - start};
  return finding.text && bundle_finding(finder->run, &finding);
}

/* Schedules that are advised, of the loops that take longest. */
static bool add_schedules(const struct finder *finder)
{
  const struct schedules *schedules = &finder->facts->schedules;
  unsigned added = 0;
  for (uint32_t i = 0; i < schedules->count && added < SCHEDULES_MOST; i++) {
    const struct schedule_loop *loop = &schedules->loops[i];
    if (loop->team_count == 0 || loop->teams[0].verdict != SCHEDULE_ADVISED)
      continue;
    struct bundle_finding finding = {.kind = "schedule",
                                     .text = schedule_sentence(finder->facts->trace, loop),
                                     .ticks = (uint64_t)((double)loop->ticks * loop->teams[0].gain / 100),
                                     .page = "imbalance",
                                     .lane = TRACE_NONE};
    place(finder, &finding, loop->region);
    if (!finding.text || !bundle_finding(finder->run, &finding))
      return false;
    added++;
  }
  return true;
}

static bool add_overhead(const struct finder *finder)
{
  const struct overhead *overhead = &finder->facts->overhead;
  if (!overhead_is_too_much(overhead))
    return true;
  struct bundle_finding finding = {.kind = "overhead",
                                   .text = overhead_sentence(finder->facts->trace, overhead),
                                   .ticks = overhead->recording,
                                   .page = "overview",
                                   .region = overhead->construct,
                                   .lane = TRACE_NONE};
  return finding.text && bundle_finding(finder->run, &finding);
}

/* Where all threads' time went, in a sentence. */
static bool add_states(const struct finder *finder)
{
  wide_total ticks[STATES] = {0}, synch = 0;
  const struct report_facts *facts = finder->facts;
  for (uint32_t i = 0; i < facts->trace->location_count; i++)
    for (unsigned state = 0; state < STATES; state++)
      ticks[state] += facts->sums.threads[i].ticks[state];
  for (unsigned state = 0; state < STATES; state++)
    synch += state_is_synch((enum state)state) ? ticks[state] : 0;
  wide_total all = states_measured(ticks);
  struct bundle_finding finding = {
      .kind = "states", .page = "states", .region = TRACE_NONE, .lane = TRACE_NONE, .ticks = 0};
  double whole = all ? (double)all / 100 : 1;
  char *untimed = untimed_sentence(facts->trace);
  bool good =
      asprintf(&finding.text,
               "Of all threads' %s %.1f %% is the program's own work (and what is not seen), %.1f %% synchronization, "
               "%.1f %% the runtime's overhead, %.1f %% idle, %.1f %% blocked.%s%s",
               ticks[STATE_UNMEASURED] > 0 ? "measured time" : "time", (double)ticks[STATE_RUN] / whole,
               (double)synch / whole, (double)ticks[STATE_OVERHEAD] / whole, (double)ticks[STATE_IDLE] / whole,
               (double)(ticks[STATE_BLOCKED_MUTEX] + ticks[STATE_BLOCKED_CONDVAR]) / whole, untimed ? " " : "",
               untimed ? untimed : "") >= 0;
  free(untimed);
  return good && bundle_finding(finder->run, &finding);
}

/* The sort is stable, so what costs nothing stays in the order in which it was added. */
static void sort(struct bundle_run *run)
{
  for (size_t i = 1; i < run->finding_count; i++) {
    struct bundle_finding moving = run->findings[i];
    size_t at = i;
    for (; at > 0 && run->findings[at - 1].ticks < moving.ticks; at--)
      run->findings[at] = run->findings[at - 1];
    run->findings[at] = moving;
  }
}

bool report_findings_add(struct bundle_run *run, const struct report_facts *facts, struct trace_error *error)
{
  struct finder finder = {run, facts};
  if (!add_imbalance(&finder) || !add_lock(&finder))
    return trace_fail(error, "out of memory");
  sort(run);
  if (!add_schedules(&finder) || !add_overhead(&finder) || !add_states(&finder))
    return trace_fail(error, "out of memory");
  return true;
}
