/* Readings of a running process as one table: a row a construct and reading, with the reading's time. */
#include "analyzer/live/live_print.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/findings/prints.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/live/profile/states.h"
#include "analyzer/live/profile_tables.h"
#include "analyzer/live/readings/live.h"
#include "base/count_of.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct print_column live_csv_columns[] = {{"time", "Time", PRINT_DURATION, false},
                                                       {"stretch", "Stretch", PRINT_DURATION, false},
                                                       {"construct", "Construct", PRINT_STRING, false},
                                                       {"part", "Part", PRINT_STRING, false},
                                                       {"file", "File", PRINT_STRING, false},
                                                       {"line", "Line", PRINT_NUMBER, false},
                                                       {"thread_name", "Thread", PRINT_STRING, false},
                                                       {"thread", "No.", PRINT_NUMBER, false},
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

/* A metric without a sum has no cell. */
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

/* Prints the rows of a reading below the rows of earlier readings. False: out of memory. */
static bool live_csv_put(struct live_view *view, const struct live_reading *reading, uint64_t first)
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

static const char *live_print_part_of(const struct live_thread *thread)
{
  return !thread->is_inside || thread->over ? NULL
         : thread->kind == PROFILE_MEMBER   ? "code of the thread"
         : thread->kind == PROFILE_ACQUIRE  ? "waits"
                                            : NULL;
}

/* Nanoseconds as ticks of the trace. */
static uint64_t live_print_ticks_of(const struct trace *trace, uint64_t ns)
{
  return (uint64_t)((unsigned __int128)ns * trace->ticks_per_second / 1000000000u);
}

/* A thread that has ended is of no interest to people, and to programs once. */
static bool live_print_is_shown(const struct live_view *view, const struct live_reading *reading, uint32_t location)
{
  return !reading->threads[location].hidden &&
         (!reading->threads[location].over ||
          (view->format != PRINT_TEXT && reading->profile.lives[location].last != 0));
}

static void put_now(struct print *print, const struct live_view *view, const struct live *live,
                    const struct live_reading *reading)
{
  static const struct print_column columns[] = {{"thread_name", "Thread", PRINT_STRING, false},
                                                {"thread", "No.", PRINT_NUMBER, false},
                                                {"tid", "TID", PRINT_NUMBER, false},
                                                {"kernel_state", "State", PRINT_STRING, true},
                                                {"inside", "Is in", PRINT_STRING, false},
                                                {"part", "Part", PRINT_STRING, true},
                                                {"on_processor", "On a processor", PRINT_DURATION, false},
                                                {"ready", "Ready", PRINT_DURATION, false}};
  const struct trace *trace = reading->trace;
  print_table(print, "now", "Now; processor time since each thread began", columns, COUNT_OF(columns), false);
  for (uint32_t i = 0; i < reading->location_count; i++) {
    const struct live_thread *thread = &reading->threads[i];
    if (!live_print_is_shown(view, reading, i))
      continue;
    struct live_task task =
        thread->over ? (struct live_task){.known = false} : live_task_read(live_pid(live), thread->tid);
    const char state[] = {task.known ? task.state : '\0', '\0'};
    struct print_cell cells[] = {print_string(trace->locations[i].name),
                                 print_number(i),
                                 thread->tid ? print_number(thread->tid) : print_none(),
                                 task.known ? print_string(state) : print_none(),
                                 print_string(live_place(reading, i)),
                                 print_string(live_print_part_of(thread)),
                                 task.known ? print_number(live_print_ticks_of(trace, task.on_ns)) : print_none(),
                                 task.known ? print_number(live_print_ticks_of(trace, task.queued_ns)) : print_none()};
    print_row(print, cells);
  }
  print_table_end(print);
}

uint64_t live_began(const struct live_reading *reading)
{
  uint64_t first = UINT64_MAX;
  for (uint32_t i = 0; i < reading->location_count; i++)
    if (reading->profile.lives[i].last != 0 && reading->profile.lives[i].first < first)
      first = reading->profile.lives[i].first;
  return first < reading->now ? first : reading->now;
}

static void live_print_put_head(struct print *print, const struct live_view *view, const struct live *live,
                                const struct live_reading *reading)
{
  uint64_t first = live_began(reading);
  print_fact(print, "program", "Program", PRINT_STRING, print_string(live_name(live)));
  print_fact(print, "pid", "Process", PRINT_NUMBER, print_number(live_pid(live)));
  print_fact(print, "time", "Time of the reading", PRINT_DURATION, print_number(reading->now));
  print_fact(print, "stretch", "It is of the last", PRINT_DURATION,
             first < reading->now ? print_number(reading->now - first) : print_none());
  print_fact(print, "focus", "Focus", PRINT_STRING, print_string(view->focus));
  print_fact(print, "over", "Ended", PRINT_STRING, print_string(reading->over ? "yes" : "no"));
}

/* For people: the head in a line. */
static void say_head(const struct live_view *view, const struct live *live, const struct live_reading *reading)
{
  uint32_t threads = 0;
  uint64_t first = live_began(reading);
  char *name = escape_text(live_name(live));
  for (uint32_t i = 0; i < reading->location_count; i++)
    threads += !reading->threads[i].over && !reading->threads[i].hidden;
  printf("%s%s [%" PRIu64 "]: %" PRIu32 " thread%s", view->shown > 0 ? "\n" : "", name ? name : "?", live_pid(live),
         threads, threads == 1 ? "" : "s");
  if (first < reading->now)
    printf(", the last %.3f s", (double)(reading->now - first) / (double)reading->trace->ticks_per_second);
  printf("%s%s\n\n", view->focus ? ", in focus: " : "", view->focus ? view->focus : "");
  free(name);
}

/* False: no memory. */
static bool live_print_put_all(const struct analysis_run *run, const struct live_view *view, const struct live *live,
                               const struct live_reading *reading)
{
  struct states_sums sums = {.threads = NULL};
  struct profiled_shown how = {.by_thread = view->by_thread, .narrow = true, .top = view->top};
  if (view->format != PRINT_TEXT)
    live_print_put_head(run->print, view, live, reading);
  bool good = profiled_states(run->trace, &reading->profile, &sums);
  bool rows = reading->profile.count > 0 || view->format != PRINT_TEXT;
  if (good) {
    put_now(run->print, view, live, reading);
    good = (!rows || (states_put(run, &sums, false) && profiled_rows_put(run, &reading->profile, how))) &&
           profiled_metrics_put(run, &reading->profile, how);
    if (good && view->format == PRINT_JSON)
      good = profiled_waits_put(run, &reading->profile) && profiled_locks_put(run, &reading->profile);
  }
  states_sums_free(&sums);
  if (good && reading->profile.count == 0 && reading->profile.metric_count == 0)
    print_sentence(run->print, "none",
                   view->focus
                       ? "Nothing is in the focus."
                       : "No sums are known: the program records none, or none of its threads has written any yet.");
  return good;
}

bool live_print_to(FILE *out, const struct live_view *view, const struct live *live, const struct live_reading *reading)
{
  struct print *print = print_open(view->format, out, reading->trace->ticks_per_second);
  struct analysis_run run = {
      .command = "live", .trace = (struct trace *)reading->trace, .print = print, .format = view->format};
  if (!print)
    return false;
  bool good = live_print_put_all(&run, view, live, reading);
  return print_close(print) && good;
}

FILE *live_line_open(struct live_line *line)
{
  *line = (struct live_line){0};
  line->out = open_memstream(&line->text, &line->size);
  return line->out;
}

bool live_line_close(struct live_line *line, bool good)
{
  good = line->out && fclose(line->out) == 0 && good;
  for (size_t i = 0; good && i < line->size; i++)
    if (line->text[i] != '\n')
      putchar(line->text[i]);
  if (good)
    putchar('\n');
  free(line->text);
  return good;
}

static bool live_print_put_line(const struct live_view *view, const struct live *live,
                                const struct live_reading *reading)
{
  struct live_line line;
  FILE *out = live_line_open(&line);
  return live_line_close(&line, out && live_print_to(out, view, live, reading));
}

bool live_print(struct live_view *view, const struct live *live, const struct live_reading *reading,
                struct error *error)
{
  bool good;
  if (view->metrics)
    good = live_metrics_put(stdout, live, reading);
  else if (view->format == PRINT_CSV)
    good = live_csv_put(view, reading, live_began(reading));
  else if (view->format == PRINT_JSON)
    good = live_print_put_line(view, live, reading);
  else {
    say_head(view, live, reading);
    good = live_print_to(stdout, view, live, reading);
  }
  view->shown++;
  if (!good)
    return error_set(error, "out of memory");
  return fflush(stdout) == 0 || error_set(error, "the reading cannot be written: %s", strerror(errno));
}

bool live_print_end(struct live_view *view, const struct live *live, bool over)
{
  bool good = true;
  if (view->csv) {
    print_table_end(view->csv);
    good = print_close(view->csv);
    view->csv = NULL;
  }
  if (!over || view->format != PRINT_TEXT || view->metrics)
    return good;
  char *name = escape_text(live_name(live));
  printf("\n%s [%" PRIu64 "] has ended.\n", name ? name : "the program", live_pid(live));
  free(name);
  return good;
}
