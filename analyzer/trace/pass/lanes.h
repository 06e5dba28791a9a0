/*
 * One location while it is read, with the lanes of all subscribers. Passes consist of these; a caller that needs one
 * location alone can use one.
 */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_LANES_H
#define HEDDLE_ANALYZER_TRACE_PASS_LANES_H

#include "analyzer/trace/pass/subscriber.h"

/* Which lanes get events, and which intervals. */
struct lanes_event {
  bool (*take)(void *lane, const struct trace_event *event);
  void *lane;
  bool before, after, borders; /* as the subscriber's */
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

/* `rules`, from machine_rules(), and `error` outlive the lanes, whose address must not change. `error` is empty. False:
 * an error; lanes_close() in any case. */
bool lanes_open(struct lanes *lanes, const struct trace *trace, const uint8_t *rules, uint32_t location,
                const struct subscriber *const *subscribers, unsigned count, struct error *error);
/* Reads up to `limit` events, as that worker of a pool; at the location's end it closes the stream and calls the
 * subscribers' end(). False: an error. */
bool lanes_read(struct lanes *lanes, unsigned worker, uint64_t limit);
void lanes_close(struct lanes *lanes);

/* Private to pass/. The part of a location that lies in the stretch of time that is looked at: */

/* Handler of a stream and sink of a machine, where the trace is restricted in time; the context is struct lanes. */
bool pass_window_take_event(void *lanes, const struct trace_event *event);
void pass_window_take_interval(void *lanes, const struct state_interval *interval);

/* After the last interval, restricted or not: fills in the location's life. */
void pass_window_end(struct lanes *lanes);

#endif
