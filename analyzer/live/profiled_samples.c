/* Samples of functions that a reading of a running process has, most of them first. */
#include "analyzer/live/profiled_waits.h"

#include "analyzer/live/profile/profile.h"
#include "base/count_of.h"

#include <stdlib.h>

static const struct print_column profiled_samples_columns[] = {
    {"function", "Function", PRINT_STRING, false}, {"file", "File", PRINT_STRING, true},
    {"thread", "Thread", PRINT_STRING, true},      {"location", "No.", PRINT_NUMBER, true},
    {"samples", "Samples", PRINT_COUNT, false},    {"with_callees", "With what it called", PRINT_COUNT, false}};

static int by_samples(const void *a, const void *b)
{
  const struct profile_metric *x = *(const struct profile_metric *const *)a,
                              *y = *(const struct profile_metric *const *)b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  if (x->sum != y->sum)
    return x->sum < y->sum ? 1 : -1;
  return (x > y) - (x < y);
}

static void profiled_samples_put_function(const struct analysis_run *run, const struct profile_metric *metric)
{
  const struct trace_region *region = metric->region == TRACE_NONE ? NULL : &run->trace->regions[metric->region];
  bool thread = metric->location != TRACE_NONE;
  struct print_cell cells[] = {print_string(region ? region->name : NULL),
                               print_string(region && *region->file ? region->file : NULL),
                               thread ? print_string(run->trace->locations[metric->location].name) : print_none(),
                               thread ? print_number(metric->location) : print_none(),
                               print_number(metric->count),
                               print_number(metric->sum > 0 ? (uint64_t)metric->sum : 0)};
  print_row(run->print, cells);
}

bool profiled_samples_put(const struct analysis_run *run, const struct profiled *sums, uint64_t top)
{
  size_t count = 0;
  const struct profile_metric **sorted = calloc(sums->metric_count + 1, sizeof *sorted);
  for (size_t i = 0; sorted && i < sums->metric_count; i++)
    if (sums->metrics[i].kind == PROFILE_SAMPLES)
      sorted[count++] = &sums->metrics[i];
  if (count > 0) { /* archives have none here */
    qsort(sorted, count, sizeof *sorted, by_samples);
    print_table(run->print, "samples", "Samples by function", profiled_samples_columns,
                COUNT_OF(profiled_samples_columns), false);
    for (size_t i = 0; i < count && (top == 0 || i < top); i++)
      profiled_samples_put_function(run, sorted[i]);
    print_table_end(run->print);
  }
  free(sorted);
  return sorted != NULL;
}
