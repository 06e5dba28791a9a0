/*
 * What a subject (states, imbalance, locks, ...) does in a pass over a trace. A pass reads each event once, whoever
 * wants it: it keeps the states of each location (one machine for all subscribers), and hands out events and intervals.
 *
 * A subscriber may want an order in time across locations. Then its lanes turn events into items, which wait in the
 * lane until all locations have been read up to their time; take() gets them in order.
 *
 * Where the trace is restricted, a lane gets events of the stretch of time alone, and intervals cut at its borders; of
 * a location that is left out it gets nothing. But the states are known from the location's first event on, and what is
 * about to be decided at the stretch's end is decided by what follows. Who needs more to understand what it gets (who
 * has a lock, how often a loop was met) asks for it, and keeps what is not looked at out of its results by itself.
 *
 * Threads: calls about one lane come one at a time; different lanes of one subscriber are fed by different threads.
 * take() is called by one thread at a time for each subscriber, never while lanes are fed.
 */
#ifndef HEDDLE_ANALYZER_PASS_SUBSCRIBER_H
#define HEDDLE_ANALYZER_PASS_SUBSCRIBER_H

#include "analyzer/pass/item_queue.h"
#include "analyzer/states/states.h"
#include "analyzer/trace/restriction.h"
#include "base/pool.h"

/*
 * A location as it is read. Its life is that part of the time from its first event to its last one that is looked at
 * (trace/restriction.h); a location that is left out has none.
 */
struct pass_location {
  uint32_t number;
  const struct machine_view *view; /* of all that was read, also of what is not looked at */
  bool cut;                        /* it goes on after what is looked at, so it was not read to its end */
  bool at_border;                  /* the event stands for a region that is open where the stretch begins or ends */
  /* From end() on, and only in passes in which it has a view: */
  bool alive;           /* it has a life, which may be of 0 ticks */
  uint64_t first, last; /* ticks: when that begins and ends; both 0: it has none */
  uint64_t ticks[STATES];
};

/* From end() on: ticks of its life in which it was measured what it did. */
static inline uint64_t pass_measured(const struct pass_location *location)
{
  return location->last - location->first - location->ticks[STATE_UNMEASURED];
}

struct subscriber {
  void *context;
  bool stateless; /* it looks at events alone: where all do, the location has no view */
  /* Where the trace is restricted: */
  bool before;  /* it wants events from before the stretch of time, too */
  bool others;  /* it wants locations that are left out, too */
  bool borders; /* regions that are open where the stretch begins are entered there, and those that are open where it
                   ends are left there, by events of that time without attributes */

  /*
   * A location begins: its lane, which the other calls get; NULL: an error, and it is filled. `error` and the location
   * outlive the lane. No open() and no close(): the context is the lane, of the only location that is read.
   */
  void *(*open)(void *context, const struct pass_location *location, struct error *error);
  /* The worker of the pool that brings what follows, for those who add up in a place for each. May be NULL. */
  void (*brought_by)(void *lane, unsigned worker);
  /* The next event; the view has it already. NULL: not wanted. */
  bool (*event)(void *lane, const struct trace_event *event);
  /* The next interval that is looked at, before the event that ends it. NULL: not wanted. */
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
