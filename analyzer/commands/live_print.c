#include "analyzer/commands/live_print.h"

#include "analyzer/commands/prints.h"
#include "analyzer/commands/profiled_waits.h"
#include "analyzer/live/tasks.h"
#include "analyzer/print/escape.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdlib.h>

/* Where a thread is now, for people. */
static const char *place_of(const struct live_reading *reading, uint32_t location)
{
  const struct live_thread *thread = &reading->threads[location];
  if (thread->over)
    return "(ended)";
  if (!thread->is_inside)
    return "(unknown)";
  if (thread->region == TRACE_NONE)
    return "(outside any construct)";
  return reading->trace->regions[thread->region].name;
}

static const char *part_of(const struct live_thread *thread)
{
  return !thread->is_inside || thread->over ? NULL
         : thread->kind == PROFILE_MEMBER   ? "code of the thread"
         : thread->kind == PROFILE_ACQUIRE  ? "waits"
                                            : NULL;
}

/* Nanoseconds as ticks of the trace. */
static uint64_t ticks_of(const struct trace *trace, uint64_t ns)
{
  return (uint64_t)((unsigned __int128)ns * trace->ticks_per_second / 1000000000u);
}

static void put_now(struct print *print, const struct live *live, const struct live_reading *reading)
{
  static const struct print_column columns[] = {{"thread", "Thread", PRINT_STRING, false},
                                                {"location", "No.", PRINT_NUMBER, false},
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
    struct live_task task =
        thread->over ? (struct live_task){.known = false} : live_task_read(live_pid(live), thread->tid);
    const char state[] = {task.known ? task.state : '\0', '\0'};
    struct print_cell cells[] = {print_string(trace->locations[i].name),
                                 print_number(i),
                                 thread->tid ? print_number(thread->tid) : print_none(),
                                 task.known ? print_string(state) : print_none(),
                                 print_string(place_of(reading, i)),
                                 print_string(part_of(thread)),
                                 task.known ? print_number(ticks_of(trace, task.on_ns)) : print_none(),
                                 task.known ? print_number(ticks_of(trace, task.queued_ns)) : print_none()};
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

/* False: no memory. */
static bool put_all(const struct analysis_run *run, const struct live_view *view, const struct live *live,
                    const struct live_reading *reading)
{
  struct states_sums sums = {.threads = NULL};
  uint64_t began = live_began(reading);
  print_fact(run->print, "program", "Program", PRINT_STRING, print_string(live_name(live)));
  print_fact(run->print, "pid", "Process", PRINT_NUMBER, print_number(live_pid(live)));
  print_fact(run->print, "time", "Time of the reading", PRINT_DURATION, print_number(reading->now));
  print_fact(run->print, "stretch", "It is of the last", PRINT_DURATION,
             began < reading->now ? print_number(reading->now - began) : print_none());
  print_fact(run->print, "over", "Ended", PRINT_STRING, print_string(reading->over ? "yes" : "no"));
  bool good = profiled_states(run->trace, &reading->profile, &sums);
  if (good) {
    put_now(run->print, live, reading);
    good = states_put(run, &sums, false) && profiled_rows_put(run, &reading->profile, false, view->top);
    if (good && view->format == PRINT_JSON)
      good = profiled_waits_put(run, &reading->profile) && profiled_locks_put(run, &reading->profile);
  }
  states_sums_free(&sums);
  return good;
}

bool live_print_to(FILE *file, const struct live_view *view, const struct live *live,
                   const struct live_reading *reading, struct error *error)
{
  struct print *print = print_open(view->format, file, reading->trace->ticks_per_second);
  struct analysis_run run = {
      .command = "live", .trace = (struct trace *)reading->trace, .print = print, .format = view->format};
  if (!print)
    return error_set(error, "out of memory");
  if (view->shown > 0 && view->format == PRINT_TEXT)
    fputs("\n", file);
  bool good = put_all(&run, view, live, reading);
  return (print_close(print) && fflush(file) == 0 && good) || error_set(error, good ? "" : "out of memory");
}

bool live_print(const struct live_view *view, const struct live *live, const struct live_reading *reading,
                struct error *error)
{
  return live_print_to(stdout, view, live, reading, error);
}

void live_print_end(const struct live *live)
{
  char *name = escape_text(live_name(live));
  printf("\n%s [%" PRIu64 "] has ended.\n", name ? name : "the program", live_pid(live));
  free(name);
}
