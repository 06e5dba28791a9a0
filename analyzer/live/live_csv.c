/* Readings of a running process as one table: a row a construct and reading, with the reading's time. */
#include "analyzer/live/live_print.h"

#include "analyzer/live/profile/profile.h"
#include "base/count_of.h"

static const struct print_column live_csv_columns[] = {{"time", "Time", PRINT_DURATION, false},
                                                       {"stretch", "Stretch", PRINT_DURATION, false},
                                                       {"construct", "Construct", PRINT_STRING, false},
                                                       {"part", "Part", PRINT_STRING, false},
                                                       {"file", "File", PRINT_STRING, false},
                                                       {"line", "Line", PRINT_NUMBER, false},
                                                       {"thread", "Thread", PRINT_STRING, false},
                                                       {"location", "No.", PRINT_NUMBER, false},
                                                       {"executions", "Executions", PRINT_COUNT, false},
                                                       {"self", "Self", PRINT_DURATION, false},
                                                       {"inclusive", "Inclusive", PRINT_DURATION, false},
                                                       {"longest", "Longest", PRINT_DURATION, false},
                                                       {"contended", "Contended", PRINT_COUNT, false},
                                                       {"waiting", "Waiting", PRINT_DURATION, false},
                                                       {"name", "Name", PRINT_STRING, false},
                                                       {"attribute", "Attribute", PRINT_STRING, false},
                                                       {"inside", "In", PRINT_STRING, false},
                                                       {"held", "Held", PRINT_DURATION, false},
                                                       {"sum", "Sum", PRINT_REAL, false},
                                                       {"last", "Last", PRINT_REAL, false}};

/* What has no sum has none in text, either. */
static struct print_cell number_of(const struct profile_metric *metric, int64_t number, double real)
{
  bool has = metric->kind == PROFILE_CHUNKS || metric->kind == PROFILE_VALUE || metric->kind == PROFILE_COST ||
             metric->kind == PROFILE_GC || metric->kind == PROFILE_SAMPLES;
  return has ? print_real(metric->is_real ? real : (double)number) : print_none();
}

static struct print_cell region_name(const struct trace *trace, uint32_t region)
{
  return print_string(region == TRACE_NONE ? NULL : trace->regions[region].name);
}

static struct print_cell text_of(const char *text)
{
  return print_string(*text ? text : NULL);
}

/* A metric is a row whose part is its kind. */
static void live_csv_put_metric(struct print *print, const struct live_reading *reading,
                                const struct profile_metric *metric, uint64_t time, uint64_t stretch)
{
  const struct trace *trace = reading->trace;
  const struct trace_region *region = metric->region == TRACE_NONE ? NULL : &trace->regions[metric->region];
  bool thread = metric->location != TRACE_NONE;
  struct print_cell cells[] = {print_number(time),
                               print_number(stretch),
                               region_name(trace, metric->region),
                               print_string(profile_metric_key(metric->kind)),
                               region && *region->file ? print_string(region->file) : print_none(),
                               region && region->line ? print_number(region->line) : print_none(),
                               thread ? print_string(trace->locations[metric->location].name) : print_none(),
                               thread ? print_number(metric->location) : print_none(),
                               print_number(metric->count),
                               print_none(),
                               print_number(metric->ticks),
                               print_number(metric->longest),
                               print_number(metric->contended),
                               print_number(metric->waiting),
                               text_of(metric->object),
                               text_of(metric->attribute),
                               region_name(trace, metric->around),
                               print_number(metric->held),
                               number_of(metric, metric->sum, metric->real_sum),
                               number_of(metric, metric->last, metric->real_last)};
  print_row(print, cells);
}

static void live_csv_put_row(struct print *print, const struct live_reading *reading, const struct profile_row *row,
                             uint64_t time, uint64_t stretch)
{
  const struct trace_region *region = row->region == TRACE_NONE ? NULL : &reading->trace->regions[row->region];
  bool thread = row->location != TRACE_NONE;
  struct print_cell cells[] = {print_number(time),
                               print_number(stretch),
                               print_string(profiled_row_name(reading->trace, row)),
                               print_string(profiled_kind_key(row->kind)),
                               region && *region->file ? print_string(region->file) : print_none(),
                               region && region->line ? print_number(region->line) : print_none(),
                               thread ? print_string(reading->trace->locations[row->location].name) : print_none(),
                               thread ? print_number(row->location) : print_none(),
                               print_number(row->executions),
                               print_number(row->self),
                               print_number(row->inclusive),
                               print_number(row->longest),
                               print_number(row->contended),
                               print_number(row->waiting),
                               print_none(),
                               print_none(),
                               print_none(),
                               print_none(),
                               print_none(),
                               print_none()};
  print_row(print, cells);
}

bool live_csv_put(struct live_view *view, const struct live_reading *reading, uint64_t first)
{
  struct profiled sum = {.rows = NULL};
  const struct profiled *shown = view->by_thread ? &reading->profile : &sum;
  if (!view->csv) {
    view->csv = print_open(PRINT_CSV, stdout, reading->trace->ticks_per_second);
    if (!view->csv)
      return false;
    print_table(view->csv, "rows", NULL, live_csv_columns, COUNT_OF(live_csv_columns), true);
  }
  if (!view->by_thread && !profiled_sum(&reading->profile, &sum))
    return false;
  uint64_t stretch = first < reading->now ? reading->now - first : 0;
  for (size_t i = 0; i < shown->count; i++)
    live_csv_put_row(view->csv, reading, &shown->rows[i], reading->now, stretch);
  for (size_t i = 0; i < shown->metric_count; i++)
    live_csv_put_metric(view->csv, reading, &shown->metrics[i], reading->now, stretch);
  profiled_free(&sum);
  return true;
}
