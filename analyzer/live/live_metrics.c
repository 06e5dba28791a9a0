/* A reading of a running process in the text format of OpenMetrics 1.0, for scraping. */
#include "analyzer/live/live_print.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profile/states.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_family(FILE *out, const char *type, const char *name, const char *unit, const char *help)
{
  fprintf(out, "# TYPE %s %s\n", name, type);
  if (unit)
    fprintf(out, "# UNIT %s %s\n", name, unit);
  fprintf(out, "# HELP %s %s\n", name, help);
}

/* name="value": valid UTF-8, in which \, " and the end of a line are escaped. False: no memory. */
static bool live_metrics_put_label(FILE *out, const char *before, const char *name, const char *value)
{
  char *text = escape_invalid(value);
  if (!text)
    return false;
  fprintf(out, "%s%s=\"", before, name);
  for (const char *at = text; *at; at++) {
    if (*at == '\n')
      fputs("\\n", out);
    else
      fprintf(out, *at == '\\' || *at == '"' ? "\\%c" : "%c", *at);
  }
  fputc('"', out);
  free(text);
  return true;
}

/* Two threads may have one name: the number distinguishes them. */
static bool live_metrics_put_thread(FILE *out, const char *before, const struct live_reading *reading,
                                    uint32_t location)
{
  if (!live_metrics_put_label(out, before, "thread", reading->trace->locations[location].name))
    return false;
  fprintf(out, ",location=\"%" PRIu32 "\"", location);
  return true;
}

static bool put_seconds(FILE *out, const struct live_reading *reading, wide_total ticks)
{
  uint64_t a_second = reading->trace->ticks_per_second;
  wide_total ns = (ticks % a_second) * 1000000000u / a_second, seconds = ticks / a_second;
  fprintf(out, "} %" PRIu64 ".%09" PRIu64 "\n", seconds < UINT64_MAX ? (uint64_t)seconds : UINT64_MAX, (uint64_t)ns);
  return true;
}

static bool put_row_labels(FILE *out, const char *name, const struct live_reading *reading,
                           const struct profile_row *row)
{
  const struct trace_region *region = row->region == TRACE_NONE ? NULL : &reading->trace->regions[row->region];
  fprintf(out, "%s_total", name);
  if (!live_metrics_put_label(out, "{", "construct", profiled_row_name(reading->trace, row)) ||
      !live_metrics_put_label(out, ",", "part", profiled_kind_key(row->kind)) ||
      !live_metrics_put_label(out, ",", "file", region ? region->file : "") ||
      !live_metrics_put_label(out, ",", "function", region ? region->function : ""))
    return false;
  fprintf(out, ",line=\"%" PRIu32 "\"", region ? region->line : 0);
  return live_metrics_put_thread(out, ",", reading, row->location);
}

static wide_total self_of(const struct profile_row *row)
{
  return row->self;
}

/* A member's is an estimate out of other threads' sums, which may become less. */
static wide_total waiting_of(const struct profile_row *row)
{
  return row->kind == PROFILE_MEMBER ? 0 : row->waiting;
}

static wide_total executions_of(const struct profile_row *row)
{
  return row->executions;
}

static wide_total contended_of(const struct profile_row *row)
{
  return row->contended;
}

static bool live_metrics_put_rows(FILE *out, const struct live_reading *reading, const struct profiled *rows)
{
  static const struct {
    const char *name, *unit, *help;
    wide_total (*value)(const struct profile_row *row);
  } families[] = {
      {"heddle_construct_seconds", "seconds", "Time in a construct without the constructs inside.", self_of},
      {"heddle_construct_waiting_seconds", "seconds", "Waits for locks and at barriers.", waiting_of},
      {"heddle_construct_executions", NULL, "Executions of a construct that ended.", executions_of},
      {"heddle_construct_contended", NULL, "Executions that waited.", contended_of}};
  for (size_t k = 0; k < COUNT_OF(families); k++) {
    put_family(out, "counter", families[k].name, families[k].unit, families[k].help);
    for (size_t i = 0; i < rows->count; i++) {
      wide_total value = families[k].value(&rows->rows[i]);
      if (!put_row_labels(out, families[k].name, reading, &rows->rows[i]))
        return false;
      if (families[k].unit)
        put_seconds(out, reading, value);
      else
        fprintf(out, "} %" PRIu64 "\n", (uint64_t)value);
    }
  }
  return true;
}

static bool put_region_labels(FILE *out, const struct live_reading *reading, uint32_t region,
                              const char *const names[4])
{
  const struct trace_region *at = region == TRACE_NONE ? NULL : &reading->trace->regions[region];
  fprintf(out, ",%s=\"%" PRIu32 "\"", names[3], at ? at->line : 0);
  return live_metrics_put_label(out, ",", names[0], at ? at->name : "") &&
         live_metrics_put_label(out, ",", names[1], at ? at->file : "") &&
         live_metrics_put_label(out, ",", names[2], at ? at->function : "");
}

static bool put_metric_labels(FILE *out, const char *name, bool counter, const struct live_reading *reading,
                              const struct profile_metric *metric)
{
  static const char *const own[] = {"construct", "file", "function", "line"}, *const around[] = {
                                                                                  "inside", "inside_file",
                                                                                  "inside_function", "inside_line"};
  fprintf(out, "%s%s", name, counter ? "_total" : "");
  return live_metrics_put_thread(out, "{", reading, metric->location) &&
         live_metrics_put_label(out, ",", "name", metric->object) &&
         live_metrics_put_label(out, ",", "attribute", metric->attribute) &&
         live_metrics_put_label(out, ",", "part", profile_metric_key(metric->kind)) &&
         put_region_labels(out, reading, metric->region, own) &&
         put_region_labels(out, reading, metric->around, around);
}

enum value { COUNT, CONTENDED, TICKS, HELD, SUM, LAST };

/* A value of all metrics of a kind, or of locks and objects. */
static const struct metric_family {
  const char *name, *unit, *help;
  enum profile_metric_kind kind;
  enum value value;
  bool gauge;
} metric_families[] = {
    {"heddle_tasks_made", NULL, "Explicit tasks that were made.", PROFILE_TASKS, COUNT, false},
    {"heddle_loop_chunks", NULL, "Chunks of loops.", PROFILE_CHUNKS, COUNT, false},
    {"heddle_loop_iterations", NULL, "Iterations of these chunks.", PROFILE_CHUNKS, SUM, false},
    {"heddle_lock_acquisitions", NULL, "Acquisitions of locks by name; of Java's objects: waits.", PROFILE_LOCK, COUNT,
     false},
    {"heddle_lock_contended", NULL, "Acquisitions that waited.", PROFILE_LOCK, CONTENDED, false},
    {"heddle_lock_wait_seconds", "seconds", "From requests to acquisitions.", PROFILE_LOCK, TICKS, false},
    {"heddle_lock_held_seconds", "seconds", "From acquisitions to releases.", PROFILE_LOCK, HELD, false},
    {"heddle_events", NULL, "Events of the program.", PROFILE_EVENT, COUNT, false},
    {"heddle_event_values", NULL, "Values of events that are known.", PROFILE_VALUE, COUNT, false},
    {"heddle_event_value_sum", NULL, "Their sum.", PROFILE_VALUE, SUM, true},
    {"heddle_event_value_last", NULL, "The last one.", PROFILE_VALUE, LAST, true},
    {"heddle_gc_pauses", NULL, "Pauses for garbage collection.", PROFILE_GC, COUNT, false},
    {"heddle_gc_seconds", "seconds", "Their time.", PROFILE_GC, TICKS, false},
    {"heddle_samples", NULL, "Samples of a function, without samples of functions that it called.", PROFILE_SAMPLES,
     COUNT, false},
    {"heddle_samples_with_callees", NULL, "Samples of a function, and of what it called.", PROFILE_SAMPLES, SUM, false},
    {"heddle_measurement_updates", NULL, "How often sums were brought up to date.", PROFILE_COST, COUNT, false},
    {"heddle_measurement_seconds", "seconds", "Time that measuring took.", PROFILE_COST, TICKS, false},
    {"heddle_measurement_lost_events", NULL, "Events that came meanwhile.", PROFILE_COST, SUM, false}};

static bool is_of_family(const struct metric_family *family, const struct profile_metric *metric)
{
  return metric->kind == family->kind || (family->kind == PROFILE_LOCK && metric->kind == PROFILE_WAIT);
}

static void put_value(FILE *out, const struct live_reading *reading, const struct profile_metric *metric,
                      enum value value)
{
  bool last = value == LAST;
  if (value == TICKS || value == HELD)
    put_seconds(out, reading, value == TICKS ? metric->ticks : metric->held);
  else if (value == COUNT || value == CONTENDED)
    fprintf(out, "} %" PRIu64 "\n", value == COUNT ? metric->count : metric->contended);
  else if (metric->is_real)
    fprintf(out, "} %.17g\n", last ? metric->real_last : metric->real_sum);
  else
    fprintf(out, "} %" PRIi64 "\n", last ? metric->last : metric->sum);
}

static bool live_metrics_put_metrics(FILE *out, const struct live_reading *reading, const struct profiled *profile)
{
  for (size_t k = 0; k < COUNT_OF(metric_families); k++) {
    const struct metric_family *family = &metric_families[k];
    put_family(out, family->gauge ? "gauge" : "counter", family->name, family->unit, family->help);
    for (size_t i = 0; i < profile->metric_count; i++) {
      if (!is_of_family(family, &profile->metrics[i]))
        continue;
      if (!put_metric_labels(out, family->name, !family->gauge, reading, &profile->metrics[i]))
        return false;
      put_value(out, reading, &profile->metrics[i], family->value);
    }
  }
  return true;
}

static bool live_metrics_put_states(FILE *out, const struct live_reading *reading)
{
  struct states_sums sums = {.threads = NULL};
  bool good = profiled_states(reading->trace, &reading->profile, &sums);
  /* A worker's waits at the ends of regions are estimated, and may become less: that is no counter. */
  put_family(out, "gauge", "heddle_thread_state_seconds", "seconds", "Time of a thread in a state, since it began.");
  for (uint32_t i = 0; good && i < reading->location_count; i++)
    for (unsigned state = 0; good && state < STATES; state++) {
      if (sums.threads[i].ticks[state] == 0)
        continue;
      fputs("heddle_thread_state_seconds", out);
      good = live_metrics_put_thread(out, "{", reading, i) &&
             live_metrics_put_label(out, ",", "state", state_key((enum state)state)) &&
             put_seconds(out, reading, sums.threads[i].ticks[state]);
    }
  states_sums_free(&sums);
  return good;
}

static int compare_labels(const void *a, const void *b)
{
  const struct trace_region *left = *(const struct trace_region *const *)a,
                            *right = *(const struct trace_region *const *)b;
  int order = strcmp(left->name, right->name);
  order = order ? order : strcmp(left->file, right->file);
  order = order ? order : strcmp(left->function, right->function);
  order = order ? order : (left->line > right->line) - (left->line < right->line);
  return order ? order : (left > right) - (left < right);
}

/* Regions with the same labels are merged into the first of them: a sample must be alone with its labels. */
static bool join_alike(const struct trace *trace, struct profiled *rows)
{
  uint32_t count = trace->region_count, *first = calloc(count + 1, sizeof *first);
  const struct trace_region **sorted = calloc(count + 1, sizeof *sorted);
  for (uint32_t i = 0; sorted && i < count; i++)
    sorted[i] = &trace->regions[i];
  if (sorted && first && count > 0)
    qsort(sorted, count, sizeof *sorted, compare_labels);
  for (uint32_t i = 0; sorted && first && i < count; i++) {
    const struct trace_region *region = sorted[i], *last = i > 0 ? sorted[i - 1] : NULL;
    bool alike = last && region->line == last->line && !strcmp(region->name, last->name) &&
                 !strcmp(region->file, last->file) && !strcmp(region->function, last->function);
    first[region - trace->regions] = alike ? first[last - trace->regions] : (uint32_t)(region - trace->regions);
  }
  bool good = sorted && first;
  for (size_t i = 0; good && i < rows->count; i++)
    if (rows->rows[i].region != TRACE_NONE)
      rows->rows[i].region = first[rows->rows[i].region];
  for (size_t i = 0; good && i < rows->metric_count; i++) {
    struct profile_metric *metric = &rows->metrics[i];
    metric->region = metric->region == TRACE_NONE ? TRACE_NONE : first[metric->region];
    metric->around = metric->around == TRACE_NONE ? TRACE_NONE : first[metric->around];
  }
  free(sorted);
  free(first);
  return good && profiled_complete(trace, rows);
}

bool live_metrics_put(FILE *out, const struct live *live, const struct live_reading *reading)
{
  struct profiled rows = {.rows = malloc((reading->profile.count + 1) * sizeof *rows.rows),
                          .count = reading->profile.count,
                          .metrics = malloc((reading->profile.metric_count + 1) * sizeof *rows.metrics),
                          .metric_count = reading->profile.metric_count};
  if (!rows.rows || !rows.metrics) {
    profiled_free(&rows);
    return false;
  }
  memcpy(rows.rows, reading->profile.rows, rows.count * sizeof *rows.rows);
  memcpy(rows.metrics, reading->profile.metrics, rows.metric_count * sizeof *rows.metrics);
  fputs("# TYPE heddle_process info\n# HELP heddle_process The program.\nheddle_process_info", out);
  bool good = live_metrics_put_label(out, "{", "program", live_name(live));
  fprintf(out, ",pid=\"%" PRIu64 "\"} 1\n", live_pid(live));
  good = good && join_alike(reading->trace, &rows) && live_metrics_put_rows(out, reading, &rows) &&
         live_metrics_put_metrics(out, reading, &rows) && live_metrics_put_states(out, reading);
  fputs("# EOF\n", out);
  profiled_free(&rows);
  return good;
}
