/* Private to export/: the events of one location as items. Memory depends on the nesting depth, and on what waits. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_EVENTS_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_EVENTS_H

#include "analyzer/exchange/export/items.h"
#include "analyzer/trace/pass/pass.h"

#include <stddef.h>

/* A region that is open. */
struct events_region {
  uint32_t region;
  uint8_t rule;
  bool part;
};

struct events {
  const struct trace *trace;
  const uint8_t *rules; /* machine_rules() */
  struct error *error;
  struct item_queue items; /* for others to take */
  struct edge_reader steps;
  VECTOR(struct events_region) open;
  bool callers; /* waits may have them */
};

/* All arguments outlive it. */
static inline struct events events_of(const struct trace *trace, const uint8_t *rules, struct error *error)
{
  return (struct events){.trace = trace,
                         .rules = rules,
                         .error = error,
                         .callers = trace_may_have_callers(trace),
                         .steps = edge_reader_of(rules, EXPORT_EDGES),
                         .items = {.size = sizeof(struct item), .time_at = offsetof(struct item, time)}};
}

/* Adds the item of the next event, if it has one. False: an error. */
bool events_take(struct events *events, const struct trace_event *event);
/* The same for an event that stands for a region which is open at the border of what is looked at. */
bool events_take_border(struct events *events, const struct trace_event *event);
/* For an event that is not looked at: *found, it is a step. False: an error. */
bool events_take_unseen(struct events *events, const struct trace_event *event, struct item *step, bool *found);
/* Closes what is open. False: an error. */
bool events_end(struct events *events, uint64_t time);
void events_free(struct events *events);

#endif
