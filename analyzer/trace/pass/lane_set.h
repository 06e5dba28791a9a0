/* Private to pass/: the lanes of one location, which lanes.c reads and window.c cuts. */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_LANE_SET_H
#define HEDDLE_ANALYZER_TRACE_PASS_LANE_SET_H

#include "analyzer/trace/pass/subscriber.h"

/* Which lanes get events, and which intervals. */
struct lanes_event {
  bool (*take)(void *lane, const struct trace_event *event);
  void *lane;
  bool before, borders; /* as the subscriber's */
};
struct lanes_interval {
  void (*take)(void *lane, const struct state_interval *interval);
  void *lane;
};

struct lanes {
  const struct subscriber *const *subscribers;
  unsigned count;
  void **list; /* a subscriber */
  struct lanes_event *events;
  struct lanes_interval *intervals;
  unsigned event_count, interval_count;
  const struct trace *trace;
  struct machine *machine;
  struct pass_location location;
  bool inside;                 /* the location has reached the stretch of time that is looked at */
  struct trace_stream *stream; /* NULL: read to its end */
  struct error *error;
};

#endif
