#include "analyzer/findings/why_search.h"

bool why_search(const struct trace *trace, struct pool *pool, double threshold, struct run_analyses *all,
                struct why *why, struct error *error)
{
  struct windows windows = {.lost = NULL};
  const struct analysis_task also = {&windows_analysis, NULL, &windows};
  const struct run_analyses_options options = {.also = &also, .also_count = 1};
  *why = (struct why){.threshold = threshold};
  bool good = run_analyses(trace, pool, &options, all, error) &&
              (why_find(&all->results, &windows, &all->findings, threshold, why) || error_set(error, "out of memory"));
  analysis_free(&windows_analysis, &windows);
  return good;
}
