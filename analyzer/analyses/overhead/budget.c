#include "analyzer/analyses/overhead/budget.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define SLACK    1.25 /* the recorder's prices, and ours, are estimates */
#define BURST_MS 20   /* a thread may record for so long in advance, so that short programs are recorded whole */

struct budget_lane {
  struct budget_analysis *analysis;
  uint32_t location;
};

struct budget_analysis {
  const struct trace *trace;
  struct life {
    bool any;
    uint64_t first, last;
  } *lives; /* one a location */
};

const char *overhead_budget_of(const struct trace *trace, uint32_t location)
{
  uint32_t process = trace->locations[location].process;
  return process == TRACE_NONE ? NULL : trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_BUDGET);
}

bool overhead_budget_keeps(const struct trace *trace, uint32_t location, uint32_t construct)
{
  uint32_t process = trace->locations[location].process;
  const char *list = process == TRACE_NONE ? NULL : trace_property(trace, TRACE_OF_PROCESS, process, PROCESS_KEEP);
  for (const char *end; list && *list; list = *end ? end + 1 : end) {
    end = strchrnul(list, ';');
    const char *ranges = memrchr(list, '@', (size_t)(end - list));
    if (trace_region_is_at(&trace->regions[construct], list, (size_t)((ranges ? ranges : end) - list)))
      return true;
  }
  return false;
}

uint64_t overhead_budget_ticks(const struct trace *trace, uint32_t location, uint64_t lifetime)
{
  char *end;
  const char *text = overhead_budget_of(trace, location);
  double percent = text ? strtod(text, &end) : 0;
  if (!text || end[strspn(end, " ")] != '%' || !(percent >= 0 && percent <= 100)) /* no share of the time, or damage */
    return 0;
  double ticks = SLACK * ((double)lifetime * percent / 100 + (double)trace->ticks_per_second / 1000 * BURST_MS);
  return ticks < 0x1p63 ? (uint64_t)ticks : UINT64_MAX; /* more is damage */
}

static bool budget_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  *(struct budget_lane *)opened = (struct budget_lane){context, location->number};
  return true;
}

static bool budget_wants_events(const void *opened)
{
  const struct budget_lane *lane = opened;
  const struct trace *trace = lane->analysis->trace;
  return !trace->restriction.timed && trace_is_thread(trace, lane->location) &&
         overhead_budget_of(trace, lane->location);
}

static bool budget_take_event(void *opened, const struct trace_event *event)
{
  const struct budget_lane *lane = opened;
  struct life *life = &lane->analysis->lives[lane->location];
  if (!life->any)
    life->first = event->time;
  life->any = true;
  life->last = event->time;
  return true;
}

static bool budget_begin(void *state, const struct analysis_input *input)
{
  struct budget_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->lives = calloc(input->trace->location_count + 1, sizeof *analysis->lives);
  return analysis->lives != NULL;
}

static void add_thread(struct budget *budget, const struct trace *trace, uint32_t location, uint64_t lifetime)
{
  const char *text = overhead_budget_of(trace, location);
  const char *ticks = trace_property(trace, TRACE_OF_LOCATION, location, LOCATION_RECORDING_TICKS);
  uint64_t recording = ticks ? strtoull(ticks, NULL, 10) : 0;
  uint64_t allowed = overhead_budget_ticks(trace, location, lifetime);
  bool over = allowed > 0 && recording > allowed;
  budget->several |= budget->text && strcmp(budget->text, text) != 0;
  budget->text = budget->text ? budget->text : text;
  budget->recording += recording;
  budget->lifetimes += lifetime;
  budget->over += over;
}

static bool budget_end(void *state, void *result, struct error *error)
{
  (void)error;
  const struct budget_analysis *analysis = state;
  for (uint32_t i = 0; i < analysis->trace->location_count; i++)
    if (analysis->lives[i].any)
      add_thread(result, analysis->trace, i, analysis->lives[i].last - analysis->lives[i].first);
  return true;
}

static void budget_drop(void *state)
{
  free(((struct budget_analysis *)state)->lives);
}

const struct analysis budget_analysis = {.name = "budget",
                                         .state_size = sizeof(struct budget_analysis),
                                         .result_size = sizeof(struct budget),
                                         .begin = budget_begin,
                                         .lanes = {.stateless = true,
                                                   .lane_size = sizeof(struct budget_lane),
                                                   .begin = budget_begin_lane,
                                                   .wants_events = budget_wants_events,
                                                   .event = budget_take_event},
                                         .end = budget_end,
                                         .drop = budget_drop};
