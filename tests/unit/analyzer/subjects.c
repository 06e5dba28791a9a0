#include "tests/unit/analyzer/subjects.h"

bool find_imbalance(const struct trace *trace, struct pool *pool, struct imbalance *imbalance, struct error *error)
{
  const struct imbalance_options all = {.waits = true, .course = true};
  return analysis_find(&imbalance_analysis, trace, pool, &all, imbalance, error);
}

bool find_schedules(const struct trace *trace, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                    struct schedules *schedules, struct error *error)
{
  const struct schedules_options options = {threads, thread_count};
  return analysis_find(&schedules_analysis, trace, pool, &options, schedules, error);
}
