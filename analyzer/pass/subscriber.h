/*
 * What a subject (states, imbalance, locks, ...) does in a pass over a trace. A pass reads each event once, whoever
 * wants it: it keeps the states of each location (one machine for all subscribers), and hands out events and intervals.
 *
 * A subscriber may want an order in time across locations. Then its lanes turn events into items, which wait in the
 * lane until all locations have been read up to their time; take() gets them in order.
 *
 * Threads: calls about one lane come one at a time; different lanes of one subscriber are fed by different threads.
 * take() is called by one thread at a time for each subscriber, never while lanes are fed.
 */
#ifndef HEDDLE_ANALYZER_PASS_SUBSCRIBER_H
#define HEDDLE_ANALYZER_PASS_SUBSCRIBER_H

#include "analyzer/pass/item_queue.h"
#include "analyzer/states/states.h"
#include "base/pool.h"

/* A location as it is read. */
struct pass_location {
  uint32_t number;
  const struct machine_view *view;
};

struct subscriber {
  void *context;
  bool stateless; /* it looks at events alone: where all do, the location has no view */

  /*
   * A location begins: its lane, which the other calls get; NULL: an error, and it is filled. `error` and the location
   * outlive the lane.
   */
  void *(*open)(void *context, const struct pass_location *location, struct trace_error *error);
  /* The worker of the pool that brings what follows, for those who add up in a place for each. May be NULL. */
  void (*brought_by)(void *lane, unsigned worker);
  /* The next event; the view has it already. NULL: not wanted. */
  bool (*event)(void *lane, const struct trace_event *event);
  /* The next interval, before the event that ends it. NULL: not wanted. */
  void (*interval)(void *lane, const struct state_interval *interval);
  /* All of the location's events have come. May be NULL. */
  bool (*end)(void *lane);
  void (*close)(void *context, void *lane);

  /* In order of time, in pass_in_order() alone; queue and take, or none of them: */

  /* What waits: no later item is earlier. A location where much waits is not read on, unless others wait for it. */
  struct item_queue *(*queue)(void *lane);
  /* No item that is still to come is earlier. NULL: than the view's last event. */
  uint64_t (*reached)(void *lane);
  /* Takes the first item, which goes then. False: no memory. */
  bool (*take)(void *context, uint32_t location, void *item);
};

#endif
