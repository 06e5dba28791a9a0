/* Samples of functions that a reading of a running process has, most of them first. */
#include "analyzer/live/profile_tables.h"

#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profile/states.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

static const struct print_column profiled_samples_columns[] = {
    {"function", "Function", PRINT_STRING, false}, {"file", "File", PRINT_STRING, true},
    {"thread_name", "Thread", PRINT_STRING, true}, {"thread", "No.", PRINT_NUMBER, true},
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

/* Tables of the metrics of a profile, one a kind. */

#define MOST_CELLS 8u

struct profiled_metrics_shown {
  const struct analysis_run *run;
  const struct profiled *metrics; /* merged */
  bool narrow;                    /* without the construct around, and with the most important columns */
};

/* A table of metrics of some kinds: their own columns follow the common columns. */
struct kind_table {
  const char *key, *title;
  bool (*has)(enum profile_metric_kind kind);
  void (*cells)(const struct profile_metric *metric, struct print_cell *cells);
  bool construct, object; /* the metrics have one */
  size_t count, narrow;   /* number of columns: all, and the columns that fit on a terminal */
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
  if (rows == 0 && format == PRINT_TEXT)
    return;
  if (table->object)
    columns[count++] = (struct print_column){"name", "Name", PRINT_STRING, false};
  if (table->construct)
    columns[count++] = (struct print_column){"construct", "Construct", PRINT_STRING, false};
  if (!shown->narrow)
    columns[count++] = (struct print_column){"inside", "In", PRINT_STRING, true};
  columns[count++] = (struct print_column){"thread_name", "Thread", PRINT_STRING, true};
  columns[count++] = (struct print_column){"thread", "No.", PRINT_NUMBER, true};
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

static int profiled_waits_compare(const void *a, const void *b)
{
  const struct profiled_wait *left = a, *right = b;
  if (left->all != right->all)
    return left->all < right->all ? 1 : -1;
  return (left->region > right->region) - (left->region < right->region);
}

static void profiled_waits_put_waits(const struct analysis_run *run, const struct profiled_wait *waits, size_t count,
                                     wide_total whole)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"threads", "Threads", PRINT_COUNT, false},
                                                {"waiting", "Waiting, all threads", PRINT_SHARE, false},
                                                {"waiting_least", "Least", PRINT_DURATION, false},
                                                {"waiting_most", "Most", PRINT_DURATION, false},
                                                {"could_win_low", "Could win, at least", PRINT_DURATION, false},
                                                {"could_win_high", "At most", PRINT_DURATION, false}};
  print_table(run->print, "waits", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    const struct profiled_wait *at = &waits[i];
    if (at->threads < 2 || at->lock)
      continue;
    wide_total mean = profiled_win(at);
    struct print_cell cells[] = {print_string(run->trace->regions[at->region].name),
                                 print_number(at->executions),
                                 print_number(at->threads),
                                 print_share(at->all, whole),
                                 print_number(at->least),
                                 print_number(at->most),
                                 print_number(mean - at->least),
                                 print_number(mean)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool profiled_waits_put(const struct analysis_run *run, const struct profiled *profile)
{
  struct profiled_wait *waits = profiled_waits(run->trace, profile);
  if (!waits)
    return false;
  qsort(waits, run->trace->region_count, sizeof *waits, profiled_waits_compare);
  profiled_waits_put_waits(run, waits, run->trace->region_count, profiled_time(profile));
  free(waits);
  return true;
}

bool profiled_imbalance_work(const struct analysis_run *run, const void *own, struct error *error)
{
  (void)own;
  struct profiled profile;
  bool good = profiled_read(run->trace, run->pool, &profile, error) &&
              (profiled_waits_put(run, &profile) || error_set(error, "out of memory"));
  if (good)
    print_sentence(
        run->print, "profile",
        "The archive is a profile: it has sums over all executions. If the slowest thread is another one each "
        "time, threads wait alike, and the lower bound is small although much could be won.");
  profiled_free(&profile);
  return good;
}

/* The row of the same place for holds; NULL: there is none. */
static const struct profile_row *hold_of(const struct profiled *sum, const struct profile_row *acquire)
{
  for (size_t i = 0; i < sum->count; i++)
    if (sum->rows[i].kind == PROFILE_HOLD && sum->rows[i].region == acquire->region)
      return &sum->rows[i];
  return NULL;
}

static int compare_self(const void *a, const void *b)
{
  const struct profile_row *left = a, *right = b;
  if (left->self != right->self)
    return left->self < right->self ? 1 : -1;
  return (left->region > right->region) - (left->region < right->region);
}

static void profiled_waits_put_locks(const struct analysis_run *run, const struct profiled *sum, wide_total whole)
{
  static const struct print_column columns[] = {{"place", "Place", PRINT_STRING, false},
                                                {"acquired", "Acquired", PRINT_COUNT, false},
                                                {"contended", "Contended", PRINT_COUNT, false},
                                                {"wait", "Wait, all threads", PRINT_SHARE, false},
                                                {"wait_max", "Longest", PRINT_DURATION, false},
                                                {"held", "Held", PRINT_DURATION, false},
                                                {"held_max", "Longest hold", PRINT_DURATION, false}};
  print_table(run->print, "places", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < sum->count; i++) {
    const struct profile_row *row = &sum->rows[i], *hold = hold_of(sum, row);
    if (row->kind != PROFILE_ACQUIRE || row->region == TRACE_NONE)
      continue;
    struct print_cell cells[] = {print_string(run->trace->regions[row->region].name),
                                 print_number(row->executions),
                                 print_number(row->contended),
                                 print_share(row->self, whole),
                                 print_number(row->longest),
                                 hold ? print_number(hold->inclusive) : print_none(),
                                 hold ? print_number(hold->longest) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool profiled_locks_put(const struct analysis_run *run, const struct profiled *profile)
{
  struct profiled sum = {.rows = NULL};
  bool good = profiled_sum(profile, &sum);
  if (good) {
    if (sum.count > 0)
      qsort(sum.rows, sum.count, sizeof *sum.rows, compare_self);
    profiled_waits_put_locks(run, &sum, profiled_time(profile));
  }
  profiled_free(&sum);
  return good;
}

bool profiled_locks_work(const struct analysis_run *run, const void *own, struct error *error)
{
  (void)own;
  struct profiled profile;
  bool good = profiled_read(run->trace, run->pool, &profile, error) &&
              (profiled_locks_put(run, &profile) || error_set(error, "out of memory"));
  if (good)
    print_sentence(
        run->print, "profile",
        "The archive is a profile: it has the source lines of locks, but neither the locks themselves nor which "
        "threads waited for which.");
  profiled_free(&profile);
  return good;
}
