#include "analyzer/commands/report_facts.h"

enum { WAITS_THREADS = 256 };

struct lock_sink_context {
  struct report_facts *facts;
  bool no_memory;
};

static void take_wait(void *context, const struct lock_wait *wait)
{
  struct lock_sink_context *sink = context;
  struct lock_wait *longest = &sink->facts->longest_wait;
  struct arrow arrow = {
      ARROW_LOCK, wait->holder, wait->waiter, wait->region, wait->released, wait->until, wait->until - wait->since};
  if (wait->until - wait->since > longest->until - longest->since)
    *longest = *wait;
  if (wait->holder != TRACE_NONE && wait->holder != wait->waiter && !arrows_add(&sink->facts->arrows, &arrow))
    sink->no_memory = true;
}

/* All that needs an order in time, in one pass. */
static bool find_in_order(struct report_facts *facts, struct trace_error *error)
{
  const struct trace *trace = facts->trace;
  struct lock_sink_context sink = {.facts = facts};
  struct imbalance_finder *imbalance = imbalance_begin(trace, facts->waits, &facts->imbalance, error);
  struct locks_finder *locks = imbalance ? locks_begin(trace, take_wait, &sink, error) : NULL;
  struct schedules_finder *schedules = locks ? schedules_begin(trace, error) : NULL;
  bool good = schedules != NULL;
  if (good) {
    const struct subscriber *subscribers[] = {imbalance_subscriber(imbalance), locks_subscriber(locks),
                                              schedules_subscriber(schedules)};
    good = pass_in_order(trace, facts->pool, subscribers, 3, error);
  }
  if (!good) {
    imbalance_drop(imbalance);
    locks_drop(locks);
    schedules_drop(schedules);
    return false;
  }
  good = imbalance_end(imbalance, error);
  good &= locks_end(locks, &facts->locks, error);
  good &= schedules_end(schedules, facts->pool, NULL, 0, &facts->schedules, error);
  return good && (!sink.no_memory || trace_fail(error, "%s: out of memory", trace->anchor));
}

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct trace_error *error)
{
  *facts = (struct report_facts){.trace = trace, .pool = pool, .waits = trace->location_count <= WAITS_THREADS};
  return progress_step(progress, "events") && census_take(trace, pool, &facts->census, error) &&
         skipped_take(trace, pool, &facts->skipped, error) && overhead_estimate(trace, &facts->overhead, error) &&
         progress_step(progress, "states") && states_sum(trace, pool, &facts->sums, error) &&
         progress_step(progress, "imbalance, locks, schedules") && find_in_order(facts, error);
}

void report_facts_free(struct report_facts *facts)
{
  census_free(&facts->census);
  skipped_free(&facts->skipped);
  states_sums_free(&facts->sums);
  imbalance_free(&facts->imbalance);
  locks_free(&facts->locks);
  arrows_free(&facts->arrows);
  schedules_free(&facts->schedules);
}
