#include "tests/unit/analyzer/subjects.h"

bool find_imbalance(const struct trace *trace, struct pool *pool, struct imbalance *imbalance, struct error *error)
{
  struct imbalance_options all = {.waits = true, .course = true};
  struct imbalance_finder *finder = imbalance_begin(trace, all, imbalance, error);
  if (!finder)
    return false;
  const struct subscriber *subscribers[] = {imbalance_subscriber(finder)};
  if (pass_in_order(trace, pool, subscribers, 1, error))
    return imbalance_end(finder, error);
  imbalance_drop(finder);
  return false;
}

bool find_schedules(const struct trace *trace, struct pool *pool, const uint32_t *threads, uint32_t thread_count,
                    struct schedules *schedules, struct error *error)
{
  *schedules = (struct schedules){0};
  struct schedules_finder *finder = schedules_begin(trace, error);
  if (!finder)
    return false;
  const struct subscriber *subscribers[] = {schedules_subscriber(finder)};
  if (pass_in_order(trace, pool, subscribers, 1, error))
    return schedules_end(finder, pool, threads, thread_count, schedules, error);
  schedules_drop(finder);
  return false;
}
