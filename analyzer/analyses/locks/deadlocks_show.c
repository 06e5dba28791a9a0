#include "analyzer/analyses/locks/deadlocks_show.h"

#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_SHOWN = 20 };

static struct print_cell deadlocks_show_place(const struct trace *trace, uint32_t region)
{
  return region == TRACE_NONE ? print_none() : print_string(trace->regions[region].name);
}

static struct print_cell from(const struct trace *trace, uint64_t since)
{
  return since == UINT64_MAX ? print_none() : print_number(since > trace->first_tick ? since - trace->first_tick : 0);
}

static const char *object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE])
{
  return wait->kind == DEADLOCK_JOIN ? "the thread's end" : deadlock_object(trace, wait, name);
}

/* Else it is the region that waits. */
static bool is_named(const struct trace *trace, const struct deadlock_wait *wait, const char *name)
{
  return wait->kind != DEADLOCK_OTHER || strcmp(name, trace->regions[wait->region].name) != 0;
}

/* Text has those that waited longest. */
static void show_others(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  static const struct print_column columns[] = {{"thread", "Thread", PRINT_STRING, false},
                                                {"waits_for", "Waits for", PRINT_STRING, false},
                                                {"place", "at", PRINT_STRING, false},
                                                {"since", "From", PRINT_DURATION, false},
                                                {"holder", "Because of", PRINT_STRING, true}};
  const struct trace *trace = run->trace;
  size_t shown = deadlocks->other_count;
  if (run->format == PRINT_TEXT && shown > OTHERS_SHOWN)
    shown = OTHERS_SHOWN;
  if (shown == 0)
    return;
  print_table(run->print, "waiting", "Threads that waited when the run was killed", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++) {
    const struct deadlock_wait *wait = &deadlocks->others[i];
    char name[DEADLOCK_NAME_SIZE];
    const char *what = object(trace, wait, name);
    struct print_cell cells[] = {print_string(trace->locations[wait->location].name),
                                 is_named(trace, wait, what) ? print_string(what) : print_none(),
                                 deadlocks_show_place(trace, wait->region), from(trace, wait->since),
                                 wait->holder == TRACE_NONE ? print_none()
                                                            : print_string(trace->locations[wait->holder].name)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void show_stuck(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  static const struct print_column columns[] = {
      {"deadlock", "Deadlock", PRINT_NUMBER, true},    {"thread", "Thread", PRINT_STRING, false},
      {"waits_for", "Waits for", PRINT_STRING, false}, {"place", "at", PRINT_STRING, false},
      {"since", "From", PRINT_DURATION, false},        {"holder", "Because of", PRINT_STRING, false},
      {"holder_ended", "Ended", PRINT_STRING, true},   {"holder_place", "Its place", PRINT_STRING, true},
      {"held_since", "From", PRINT_DURATION, true}};
  const struct trace *trace = run->trace;
  if (deadlocks->count == 0)
    return;
  print_table(run->print, "deadlocks", "Threads that can never go on", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    char name[DEADLOCK_NAME_SIZE];
    struct print_cell cells[] = {wait->cycle ? print_number(wait->cycle) : print_none(),
                                 print_string(trace->locations[wait->location].name),
                                 print_string(object(trace, wait, name)),
                                 deadlocks_show_place(trace, wait->region),
                                 from(trace, wait->since),
                                 print_string(trace->locations[wait->holder].name),
                                 wait->ended ? print_string("yes") : print_none(),
                                 deadlocks_show_place(trace, wait->holder_region),
                                 from(trace, wait->acquired)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void deadlocks_show(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  show_stuck(run, deadlocks);
  show_others(run, deadlocks);
}

bool deadlocks_say(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  for (size_t i = 0; i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    if (wait->cycle ? i > 0 && wait[-1].cycle == wait->cycle : !wait->ended)
      continue;
    char *text = deadlock_sentence(run->trace, deadlocks, i);
    if (!text)
      return false;
    char *whole = NULL;
    bool good = asprintf(&whole, "Look first at %s", text) >= 0;
    if (good)
      print_sentence(run->print, "deadlock", whole);
    free(whole);
    free(text);
    if (!good)
      return false;
  }
  return true;
}
