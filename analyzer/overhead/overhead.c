#include "analyzer/overhead/overhead.h"

#include "analyzer/trace/scan.h"

#include <stdlib.h>

#define LEAST_MS 1 /* of recording; less than that nobody notices */

/* Which construct the events of a thread belong to. */
struct counter {
  const struct trace *trace;
  const uint8_t *rules;
  struct trace_error *error;
  uint64_t *events; /* a region */
  uint64_t all, first, last;
  uint32_t *open; /* for each open region the construct whose events these are; TRACE_NONE: none */
  size_t depth, room;
};

/* Whether a region is a construct that one would do something about; else it is part of the one around it. */
static bool is_construct(enum rule rule)
{
  switch (rule) {
  case RULE_PARALLEL:
  case RULE_LOOP:
  case RULE_SECTIONS:
  case RULE_SINGLE:
  case RULE_MASTER:
  case RULE_WORKSHARE:
  case RULE_BARRIER:
  case RULE_TASK_WAIT:
  case RULE_CRITICAL:
  case RULE_ORDERED:
  case RULE_ATOMIC:
  case RULE_SET_LOCK:
  case RULE_SET_NEST_LOCK:
  case RULE_TEST_LOCK:
  case RULE_TASK:
  case RULE_TASK_UNTIED:
  case RULE_USER:
    return true;
  default:
    return false;
  }
}

static bool enter(struct counter *counter, uint32_t region)
{
  if (counter->depth == counter->room) {
    size_t room = counter->room ? 2 * counter->room : 64;
    uint32_t *open = room > MACHINE_DEPTH_LIMIT ? NULL : reallocarray(counter->open, room, sizeof *open);
    if (!open)
      return trace_fail(counter->error, "%s: out of memory, or regions are nested too deep", counter->trace->anchor);
    counter->open = open;
    counter->room = room;
  }
  uint32_t around = counter->depth > 0 ? counter->open[counter->depth - 1] : TRACE_NONE;
  enum rule rule = region == TRACE_NONE ? RULE_INHERIT : (enum rule)counter->rules[region];
  /* The waiting part of a barrier is a region of the same kind. */
  bool part =
      around != TRACE_NONE && counter->rules[around] == rule && (rule == RULE_BARRIER || rule == RULE_TASK_WAIT);
  counter->open[counter->depth++] = is_construct(rule) && !part ? region : around;
  return true;
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct counter *counter = context;
  if (counter->all++ == 0)
    counter->first = event->time;
  counter->last = event->time;
  if (event->kind == TRACE_Enter && !enter(counter, event->index))
    return false;
  if (counter->depth > 0 && counter->open[counter->depth - 1] != TRACE_NONE)
    counter->events[counter->open[counter->depth - 1]]++;
  if (event->kind == TRACE_Leave && counter->depth > 0)
    counter->depth--;
  return true;
}

/* The thread that recording cost most, as the archive says. */
static void find_location(const struct trace *trace, struct overhead *overhead)
{
  for (uint32_t i = 0; i < trace->location_count; i++) {
    const char *value = trace_property(trace, TRACE_OF_LOCATION, i, "HEDDLE::RECORDING_TICKS");
    uint64_t ticks = value ? strtoull(value, NULL, 10) : 0;
    if (!value || (overhead->location != TRACE_NONE && ticks <= overhead->recording))
      continue;
    overhead->location = i;
    overhead->recording = ticks;
  }
}

static void find_construct(const struct counter *counter, struct overhead *overhead)
{
  uint64_t most = 0;
  for (uint32_t i = 0; i < counter->trace->region_count; i++)
    if (counter->events[i] > most) {
      most = counter->events[i];
      overhead->construct = i;
      overhead->rule = (enum rule)counter->rules[i];
    }
  overhead->share = counter->all ? (double)most / (double)counter->all : 0;
}

bool overhead_estimate(const struct trace *trace, struct overhead *overhead, struct trace_error *error)
{
  *overhead = (struct overhead){.location = TRACE_NONE, .construct = TRACE_NONE};
  find_location(trace, overhead);
  /* A thread that lived for a hundredth of the run may be slowed down; the run is not. */
  if (overhead->location == TRACE_NONE || overhead->recording < trace->ticks_per_second / 1000 * LEAST_MS ||
      overhead->recording < trace->length / 1000)
    return true;
  uint8_t *rules = machine_rules(trace);
  struct counter counter = {.trace = trace, .rules = rules, .error = error};
  counter.events = calloc(trace->region_count + 1, sizeof *counter.events);
  uint64_t events;
  bool good = rules && counter.events;
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  good = good && trace_scan_location(trace, overhead->location, take_event, &counter, &events, error);
  if (good) {
    overhead->lifetime = counter.last - counter.first;
    find_construct(&counter, overhead);
  }
  free(counter.open);
  free(counter.events);
  free(rules);
  return good;
}
