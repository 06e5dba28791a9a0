#include "analyzer/commands/report_facts.h"

enum { WAITS_THREADS = 256 };

bool report_facts_find(struct trace *trace, struct pool *pool, struct report_facts *facts, struct trace_error *error)
{
  *facts = (struct report_facts){.trace = trace, .pool = pool, .waits = trace->location_count <= WAITS_THREADS};
  return census_take(trace, pool, &facts->census, error) && skipped_take(trace, pool, &facts->skipped, error) &&
         overhead_estimate(trace, &facts->overhead, error) && states_sum(trace, pool, &facts->sums, error) &&
         imbalance_analyze(trace, pool, facts->waits, &facts->imbalance, error) &&
         locks_find(trace, &facts->locks, error) && schedules_find(trace, pool, NULL, 0, &facts->schedules, error);
}

void report_facts_free(struct report_facts *facts)
{
  census_free(&facts->census);
  skipped_free(&facts->skipped);
  states_sums_free(&facts->sums);
  imbalance_free(&facts->imbalance);
  locks_free(&facts->locks);
  schedules_free(&facts->schedules);
}
