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

static bool find_locks(struct report_facts *facts, struct trace_error *error)
{
  struct lock_sink_context sink = {.facts = facts};
  if (!locks_follow(facts->trace, take_wait, &sink, &facts->locks, error))
    return false;
  return !sink.no_memory || trace_fail(error, "%s: out of memory", facts->trace->anchor);
}

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct progress *progress,
                       struct trace_error *error)
{
  *facts = (struct report_facts){.trace = trace, .pool = pool, .waits = trace->location_count <= WAITS_THREADS};
  return progress_step(progress, "events") && census_take(trace, pool, &facts->census, error) &&
         skipped_take(trace, pool, &facts->skipped, error) && overhead_estimate(trace, &facts->overhead, error) &&
         progress_step(progress, "states") && states_sum(trace, pool, &facts->sums, error) &&
         progress_step(progress, "imbalance") &&
         imbalance_analyze(trace, pool, facts->waits, &facts->imbalance, error) && progress_step(progress, "locks") &&
         find_locks(facts, error) && progress_step(progress, "schedules") &&
         schedules_find(trace, pool, NULL, 0, &facts->schedules, error);
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
