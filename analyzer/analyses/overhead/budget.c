#include "analyzer/analyses/overhead/budget.h"

#include "analyzer/trace/region.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

#define SLACK    1.25 /* the recorder's prices, and ours, are estimates */
#define BURST_MS 20   /* a thread may record for so long in advance, so that short programs are recorded whole */

struct budget_lane {
  struct budget_taker *taker;
  uint32_t location;
};

struct budget_taker {
  struct subscriber subscriber;
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

static void *budget_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct budget_taker *taker = context;
  struct budget_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct budget_lane){taker, location->number};
  else
    error_set(error, "%s: out of memory", taker->trace->anchor);
  return lane;
}

static void budget_close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

static bool budget_wants_events(const void *opened)
{
  const struct budget_lane *lane = opened;
  const struct trace *trace = lane->taker->trace;
  return !trace->restriction.timed && trace_is_thread(trace, lane->location) &&
         overhead_budget_of(trace, lane->location);
}

static bool budget_take_event(void *opened, const struct trace_event *event)
{
  const struct budget_lane *lane = opened;
  struct life *life = &lane->taker->lives[lane->location];
  if (!life->any)
    life->first = event->time;
  life->any = true;
  life->last = event->time;
  return true;
}

struct budget_taker *overhead_budget_begin(const struct trace *trace, struct error *error)
{
  struct budget_taker *taker = calloc(1, sizeof *taker);
  if (taker) {
    taker->trace = trace;
    taker->lives = calloc(trace->location_count + 1, sizeof *taker->lives);
    taker->subscriber = (struct subscriber){.context = taker,
                                            .stateless = true,
                                            .open = budget_open_lane,
                                            .wants_events = budget_wants_events,
                                            .event = budget_take_event,
                                            .close = budget_close_lane};
  }
  if (taker && taker->lives)
    return taker;
  error_set(error, "%s: out of memory", trace->anchor);
  overhead_budget_drop(taker);
  return NULL;
}

const struct subscriber *overhead_budget_subscriber(const struct budget_taker *taker)
{
  return &taker->subscriber;
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

void overhead_budget_end(struct budget_taker *taker, struct budget *budget)
{
  *budget = (struct budget){0};
  for (uint32_t i = 0; i < taker->trace->location_count; i++)
    if (taker->lives[i].any)
      add_thread(budget, taker->trace, i, taker->lives[i].last - taker->lives[i].first);
  overhead_budget_drop(taker);
}

void overhead_budget_drop(struct budget_taker *taker)
{
  if (!taker)
    return;
  free(taker->lives);
  free(taker);
}
