/* A reading of a running process in the text format of OpenMetrics 1.0, for those who scrape. */
#include "analyzer/commands/live_print.h"

#include "analyzer/print/escape.h"
#include "analyzer/profile/profile.h"

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
static bool put_label(FILE *out, const char *before, const char *name, const char *value)
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

/* Two threads may have one name: the number tells them apart. */
static bool put_thread(FILE *out, const char *before, const struct live_reading *reading, uint32_t location)
{
  if (!put_label(out, before, "thread", reading->trace->locations[location].name))
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
  if (!put_label(out, "{", "construct", profiled_row_name(reading->trace, row)) ||
      !put_label(out, ",", "part", profiled_kind_key(row->kind)) ||
      !put_label(out, ",", "file", region ? region->file : "") ||
      !put_label(out, ",", "function", region ? region->function : ""))
    return false;
  fprintf(out, ",line=\"%" PRIu32 "\"", region ? region->line : 0);
  return put_thread(out, ",", reading, row->location);
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

static bool put_rows(FILE *out, const struct live_reading *reading, const struct profiled *rows)
{
  static const struct {
    const char *name, *unit, *help;
    wide_total (*value)(const struct profile_row *row);
  } families[] = {
      {"heddle_construct_seconds", "seconds", "Time in a construct without the constructs inside.", self_of},
      {"heddle_construct_waiting_seconds", "seconds", "Waits for locks and at barriers.", waiting_of},
      {"heddle_construct_executions", NULL, "Executions of a construct that ended.", executions_of},
      {"heddle_construct_contended", NULL, "Executions that waited.", contended_of}};
  for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
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

static bool put_states(FILE *out, const struct live_reading *reading)
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
      good = put_thread(out, "{", reading, i) && put_label(out, ",", "state", state_key((enum state)state)) &&
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

/* Regions that no label tells apart become the first of them: a sample must be alone with its labels. */
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
  free(sorted);
  free(first);
  return good && profiled_complete(trace, rows);
}

bool live_metrics_put(FILE *out, const struct live *live, const struct live_reading *reading)
{
  struct profiled rows = {.rows = malloc((reading->profile.count + 1) * sizeof *rows.rows),
                          .count = reading->profile.count};
  if (!rows.rows)
    return false;
  memcpy(rows.rows, reading->profile.rows, rows.count * sizeof *rows.rows);
  fputs("# TYPE heddle_process info\n# HELP heddle_process The program.\nheddle_process_info", out);
  bool good = put_label(out, "{", "program", live_name(live));
  fprintf(out, ",pid=\"%" PRIu64 "\"} 1\n", live_pid(live));
  good = good && join_alike(reading->trace, &rows) && put_rows(out, reading, &rows) && put_states(out, reading);
  fputs("# EOF\n", out);
  profiled_free(&rows);
  return good;
}
