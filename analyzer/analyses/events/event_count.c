/* The number of events of all threads. */
#include "analyzer/trace/pass/pass.h"

#include <stdatomic.h>

struct event_count {
  uint64_t events;
};

struct event_count_state {
  atomic_uint_least64_t events;
};

struct event_count_lane {
  uint64_t events;
};

static bool event_count_begin(void *state, const struct analysis_input *input)
{
  (void)input;
  atomic_init(&((struct event_count_state *)state)->events, 0);
  return true;
}

static bool event_count_event(void *lane, const struct trace_event *event)
{
  (void)event;
  ((struct event_count_lane *)lane)->events++;
  return true;
}

static void event_count_close(void *context, void *lane)
{
  atomic_fetch_add(&((struct event_count_state *)context)->events, ((const struct event_count_lane *)lane)->events);
}

static bool event_count_end(void *state, void *result, struct error *error)
{
  (void)error;
  ((struct event_count *)result)->events = atomic_load(&((struct event_count_state *)state)->events);
  return true;
}

const struct analysis event_count_analysis = {.name = "event count",
                                              .state_size = sizeof(struct event_count_state),
                                              .result_size = sizeof(struct event_count),
                                              .begin = event_count_begin,
                                              .lanes = {.stateless = true,
                                                        .lane_size = sizeof(struct event_count_lane),
                                                        .event = event_count_event,
                                                        .close = event_count_close},
                                              .end = event_count_end};
