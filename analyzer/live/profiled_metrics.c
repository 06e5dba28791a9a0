/* What a profile counts besides constructs, as tables: one a kind. */
#include "analyzer/live/profiled_waits.h"

#include "analyzer/live/profile/profile.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 8u

struct profiled_metrics_shown {
  const struct analysis_run *run;
  const struct profiled *metrics; /* merged */
  bool narrow;                    /* without the construct around, and with the most important columns */
};

/* A table of metrics of some kinds: columns of their own follow those that all have. */
struct kind_table {
  const char *key, *title;
  bool (*has)(enum profile_metric_kind kind);
  void (*cells)(const struct profile_metric *metric, struct print_cell *cells);
  bool construct, object; /* the metrics have one */
  size_t count, narrow;   /* of the columns: all, and those that fit on a terminal */
  struct print_column columns[MOST_CELLS];
};

static bool is_tasks(enum profile_metric_kind kind)
{
  return kind == PROFILE_TASKS;
}

static void tasks_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  cells[0] = print_number(metric->count);
}

static bool is_chunks(enum profile_metric_kind kind)
{
  return kind == PROFILE_CHUNKS;
}

static void chunks_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  cells[0] = print_number(metric->count);
  cells[1] = print_number((uint64_t)metric->sum);
  cells[2] = print_number((uint64_t)metric->last);
}

static bool is_lock(enum profile_metric_kind kind)
{
  return kind == PROFILE_LOCK || kind == PROFILE_WAIT;
}

static void lock_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  cells[0] = print_number(metric->count);
  cells[1] = print_number(metric->contended);
  cells[2] = print_number(metric->ticks);
  cells[3] = print_number(metric->waiting);
  cells[4] = print_number(metric->longest);
  cells[5] = metric->kind == PROFILE_LOCK ? print_number(metric->held) : print_none();
}

static bool is_event(enum profile_metric_kind kind)
{
  return kind == PROFILE_EVENT || kind == PROFILE_VALUE;
}

static void event_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  bool value = metric->kind == PROFILE_VALUE;
  cells[0] = print_string(value ? metric->attribute : NULL);
  cells[1] = print_number(metric->count);
  cells[2] = value ? print_real(metric->is_real ? metric->real_sum : (double)metric->sum) : print_none();
  cells[3] = value ? print_real(metric->is_real ? metric->real_last : (double)metric->last) : print_none();
}

static bool is_gc(enum profile_metric_kind kind)
{
  return kind == PROFILE_GC;
}

static void gc_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  cells[0] = print_number(metric->count);
  cells[1] = print_number(metric->ticks);
  cells[2] = print_number(metric->longest);
  cells[3] = print_number((uint64_t)metric->last);
}

static bool is_cost(enum profile_metric_kind kind)
{
  return kind == PROFILE_COST;
}

static void cost_cells(const struct profile_metric *metric, struct print_cell *cells)
{
  cells[0] = print_number(metric->count);
  cells[1] = print_number(metric->ticks);
  cells[2] = print_number((uint64_t)metric->sum);
  cells[3] = print_number((uint64_t)metric->last);
}

static const struct kind_table tables[] = {
    {"tasks_made", "Tasks made", is_tasks, tasks_cells, true, false, 1, 1, {{"made", "Made", PRINT_COUNT, false}}},
    {"chunks",
     "Chunks of loops",
     is_chunks,
     chunks_cells,
     true,
     false,
     3,
     3,
     {{"chunks", "Chunks", PRINT_COUNT, false},
      {"iterations", "Iterations", PRINT_COUNT, false},
      {"unknown", "Chunks with unknown iterations", PRINT_COUNT, true}}},
    {"objects",
     "Locks and objects by name",
     is_lock,
     lock_cells,
     true,
     true,
     6,
     3,
     {{"acquired", "Acquired", PRINT_COUNT, false},
      {"contended", "Contended", PRINT_COUNT, false},
      {"wait", "Wait", PRINT_DURATION, false},
      {"waiting", "Contended wait", PRINT_DURATION, true},
      {"wait_max", "Longest", PRINT_DURATION, true},
      {"held", "Held", PRINT_DURATION, true}}},
    {"events",
     "Events",
     is_event,
     event_cells,
     false,
     true,
     4,
     4,
     {{"attribute", "Value", PRINT_STRING, true},
      {"count", "Count", PRINT_COUNT, false},
      {"sum", "Sum", PRINT_REAL, true},
      {"last", "Last", PRINT_REAL, true}}},
    {"gc",
     "Garbage collection",
     is_gc,
     gc_cells,
     false,
     false,
     4,
     4,
     {{"pauses", "Pauses", PRINT_COUNT, false},
      {"time", "Time", PRINT_DURATION, false},
      {"longest", "Longest", PRINT_DURATION, false},
      {"last", "Last", PRINT_DURATION, false}}},
    {"measuring",
     "Measurement",
     is_cost,
     cost_cells,
     false,
     false,
     4,
     4,
     {{"updates", "Updates of sums", PRINT_COUNT, false},
      {"time", "Time", PRINT_DURATION, false},
      {"events_lost", "Events lost", PRINT_COUNT, true},
      {"without_room", "Without room", PRINT_COUNT, true}}}};

#define COMMON_CELLS 5u

static void profiled_metrics_put_metric(const struct profiled_metrics_shown *shown, const struct kind_table *table,
                                        const struct profile_metric *metric)
{
  const struct trace *trace = shown->run->trace;
  bool thread = metric->location != TRACE_NONE;
  struct print_cell cells[COMMON_CELLS + MOST_CELLS];
  size_t count = 0;
  if (table->object)
    cells[count++] = print_string(*metric->object ? metric->object : NULL);
  if (table->construct)
    cells[count++] = print_string(metric->region == TRACE_NONE ? NULL : trace->regions[metric->region].name);
  if (!shown->narrow)
    cells[count++] = print_string(metric->around == TRACE_NONE ? NULL : trace->regions[metric->around].name);
  cells[count++] = thread ? print_string(trace->locations[metric->location].name) : print_none();
  cells[count++] = thread ? print_number(metric->location) : print_none();
  table->cells(metric, &cells[count]);
  print_row(shown->run->print, cells);
}

/* People see no table without rows. */
static void profiled_metrics_put_table(const struct profiled_metrics_shown *shown, const struct kind_table *table)
{
  struct print_column columns[COMMON_CELLS + MOST_CELLS];
  size_t count = 0, rows = 0;
  enum print_format format = shown->run->format;
  for (size_t i = 0; i < shown->metrics->metric_count; i++)
    rows += table->has(shown->metrics->metrics[i].kind);
  if (rows == 0 && (format == PRINT_TEXT || format == PRINT_HTML))
    return;
  if (table->object)
    columns[count++] = (struct print_column){"name", "Name", PRINT_STRING, false};
  if (table->construct)
    columns[count++] = (struct print_column){"construct", "Construct", PRINT_STRING, false};
  if (!shown->narrow)
    columns[count++] = (struct print_column){"inside", "In", PRINT_STRING, true};
  columns[count++] = (struct print_column){"thread", "Thread", PRINT_STRING, true};
  columns[count++] = (struct print_column){"location", "No.", PRINT_NUMBER, true};
  for (size_t i = 0; i < (shown->narrow ? table->narrow : table->count); i++)
    columns[count++] = table->columns[i];
  print_table(shown->run->print, table->key, table->title, columns, count, false);
  for (size_t i = 0; i < shown->metrics->metric_count; i++)
    if (table->has(shown->metrics->metrics[i].kind))
      profiled_metrics_put_metric(shown, table, &shown->metrics->metrics[i]);
  print_table_end(shown->run->print);
}

/* The metrics as they are shown. False: no memory. */
static bool make_shown(const struct profiled *profile, bool by_thread, bool narrow, struct profiled *shown)
{
  if (!profiled_sum(profile, shown))
    return false;
  if (by_thread) {
    memcpy(shown->metrics, profile->metrics, profile->metric_count * sizeof *profile->metrics);
    shown->metric_count = profile->metric_count;
  }
  for (size_t i = 0; narrow && i < shown->metric_count; i++)
    shown->metrics[i].around = TRACE_NONE;
  shown->metric_count = profile_metrics_merge(shown->metrics, shown->metric_count);
  return true;
}

bool profiled_metrics_put(const struct analysis_run *run, const struct profiled *profile, struct profiled_shown how)
{
  struct profiled sum = {.rows = NULL};
  bool narrow = how.narrow && run->format == PRINT_TEXT;
  if (!make_shown(profile, how.by_thread, narrow, &sum))
    return false;
  struct profiled_metrics_shown shown = {run, &sum, narrow};
  for (size_t i = 0; i < COUNT_OF(tables); i++)
    profiled_metrics_put_table(&shown, &tables[i]);
  bool good = profiled_samples_put(run, &sum, how.top);
  profiled_free(&sum);
  return good;
}
