/* Private to pass/: the lanes of one location: what reading it (lanes.h) and cutting it (window.h) share. */
#ifndef HEDDLE_ANALYZER_PASS_LANE_SET_H
#define HEDDLE_ANALYZER_PASS_LANE_SET_H

#include "analyzer/pass/subscriber.h"

/* Whom to call with events, or with intervals. */
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
  bool inside;                 /* the stretch of time that is looked at has begun here */
  struct trace_stream *stream; /* NULL: read to its end */
  struct error *error;
};

#endif
