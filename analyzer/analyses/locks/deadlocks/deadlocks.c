#include "analyzer/analyses/locks/deadlocks/deadlocks.h"

#include "analyzer/analyses/locks/deadlocks/graph.h"
#include "analyzer/analyses/locks/deadlocks/thread.h"

#include <stdlib.h>

struct deadlocks_finder {
  struct subscriber subscriber;
  const struct trace *trace;
  uint8_t *rules;
  struct thread_end *ends; /* by location */
};

static void *deadlocks_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct deadlocks_finder *finder = context;
  return thread_lane_open(finder->trace, location, finder->rules, &finder->ends[location->number], error);
}

static bool deadlocks_take_event(void *lane, const struct trace_event *event)
{
  return thread_lane_take(lane, event);
}

static void deadlocks_close_lane(void *context, void *lane)
{
  (void)context;
  thread_lane_close(lane);
}

struct deadlocks_finder *deadlocks_begin(const struct trace *trace, struct error *error)
{
  struct deadlocks_finder *finder = calloc(1, sizeof *finder);
  if (finder)
    *finder = (struct deadlocks_finder){.trace = trace,
                                        .rules = thread_rules(trace),
                                        .ends = calloc((size_t)trace->location_count + 1, sizeof *finder->ends)};
  if (!finder || !finder->rules || !finder->ends) {
    error_set(error, "%s: out of memory", trace->anchor);
    deadlocks_drop(finder);
    return NULL;
  }
  finder->subscriber = (struct subscriber){.context = finder,
                                           .stateless = true,
                                           .before = true,
                                           .others = true,
                                           .open = deadlocks_open_lane,
                                           .event = deadlocks_take_event,
                                           .close = deadlocks_close_lane};
  return finder;
}

const struct subscriber *deadlocks_subscriber(const struct deadlocks_finder *finder)
{
  return &finder->subscriber;
}

bool deadlocks_end(struct deadlocks_finder *finder, struct deadlocks *deadlocks, struct error *error)
{
  bool good = graph_find(finder->trace, finder->ends, deadlocks) ||
              error_set(error, "%s: out of memory", finder->trace->anchor);
  deadlocks_drop(finder);
  return good;
}

void deadlocks_drop(struct deadlocks_finder *finder)
{
  if (!finder)
    return;
  for (uint32_t i = 0; finder->ends && i < finder->trace->location_count; i++)
    thread_end_free(&finder->ends[i]);
  free(finder->ends);
  free(finder->rules);
  free(finder);
}

void deadlocks_free(struct deadlocks *deadlocks)
{
  free(deadlocks->list);
  free(deadlocks->others);
  *deadlocks = (struct deadlocks){0};
}
