/*
 * Subscriber: the work of a subject (states, imbalance, locks, ...) in a pass over a trace. A pass decodes each
 * event once for all subscribers. It keeps the states of each location (one machine for all), and hands out events and
 * intervals.
 *
 * A subscriber may want an order in time across locations. Then its lanes turn events into items. Items wait in the
 * lane until all locations have been read up to their time; take() gets them in order. An ordered subscriber can also
 * ask what one thread did because of another one: analyzer/trace/edges/edges.h.
 *
 * If the trace is restricted, a lane gets the events of the stretch of time alone, and intervals cut at its borders. It
 * gets nothing of an excluded location. But states are known from the location's first event on, and a state that is
 * undecided at the stretch's end is decided by later events. A subscriber that needs more (the holder of a lock, the
 * count of a loop's executions) asks for it. It keeps excluded events out of its results by itself.
 *
 * Threads: calls about one lane come one at a time; different lanes of one subscriber are fed by different threads.
 * take() is called by one thread at a time for each subscriber, never while lanes are fed.
 */
#ifndef HEDDLE_ANALYZER_TRACE_PASS_SUBSCRIBER_H
#define HEDDLE_ANALYZER_TRACE_PASS_SUBSCRIBER_H

#include "analyzer/trace/restriction.h"
#include "analyzer/trace/states/machine.h"
#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * A location while it is read. Its life is the time from its first event to its last one, within the restriction
 * (trace/restriction.h); an excluded location has none.
 */
struct pass_location {
  uint32_t number;
  const struct machine_view *view; /* state of all that was read, also outside of the restriction */
  bool cut;                        /* it goes on behind the stretch of time, so it was not read to its end */
  bool at_border;                  /* the event stands for a region that is open where the stretch begins or ends */
  /* From end() on, and only in passes in which it has a view: */
  bool alive;             /* it has a life, which may be of 0 ticks */
  uint64_t first, last;   /* ticks: when that begins and ends; both 0: it has none */
  uint64_t ticks[STATES]; /* ticks by state; if the trace is restricted in time, before end() the ticks of the intervals
                           * so far */
};

/* From end() on: ticks of its life that were measured. */
static inline uint64_t pass_measured(const struct pass_location *location)
{
  return location->last - location->first - location->ticks[STATE_UNMEASURED];
}

struct subscriber {
  void *context;
  bool stateless; /* it looks at events alone; where all subscribers do, a location has no view */
  /* Where the trace is restricted: */
  bool before;  /* it also wants events from before the stretch of time */
  bool after;   /* ... and from after it */
  bool others;  /* it also wants excluded locations */
  bool borders; /* it also wants an Enter of each region open at the begin of the stretch, and a Leave of each region
                   open at its end. These are events of that time without attributes; `at_border` distinguishes them */

  /*
   * Lanes. The pass allocates `lane_size` bytes for each location, zeroed. begin() fills them in, close() frees the
   * contents of the lane, and the pass frees the lane itself. Without a size the context is the lane of the only
   * location. `error` and the location outlive the lane.
   *
   * All functions that return false for an error may leave `error` empty: then memory was short.
   */
  size_t lane_size;
  bool (*begin)(void *context, void *lane, const struct pass_location *location, struct error *error); /* may be NULL */
  /* In place of both, for lanes that are allocated elsewhere: returns the lane, which close() frees. NULL: an error. */
  void *(*open)(void *context, const struct pass_location *location, struct error *error);
  /* The worker of the pool that makes the next calls, for subscribers with sums for each worker. May be NULL. */
  void (*brought_by)(void *lane, unsigned worker);
  /* After begin(): true if the lane wants events. NULL: all lanes want them. */
  bool (*wants_events)(const void *lane);
  /* The next event, which the view has taken already. NULL: not wanted. */
  bool (*event)(void *lane, const struct trace_event *event);
  /* The next interval that is looked at; it comes before the event that ends it. NULL: not wanted. */
  void (*interval)(void *lane, const struct state_interval *interval);
  /* All of the location's events have come. May be NULL. */
  bool (*end)(void *lane);
  /* May be NULL. */
  void (*close)(void *context, void *lane);

  /* In order of time, in pass_in_order() alone; queue and take, or none of them: */

  bool after_others; /* take() has its turn after the other subscribers, and may use what they found */

  /* The items that wait, in order of time. A location with many is not read on, unless others wait for it. */
  struct item_queue *(*queue)(void *lane);
  /* A time before which no more items come. NULL: the time of the view's last event. */
  uint64_t (*reached)(void *lane);
  /* Takes the first item, which is dropped then. False: no memory. */
  bool (*take)(void *context, uint32_t location, void *item);
};

/*
 * The items of a lane that wait: first in, first out. {.size = sizeof(item), .time_at = offsetof(item, time)} is an
 * empty queue; the time is an uint64_t. (base/vector.h does not fit: a pass knows the size of items at run time alone.)
 */

struct item_queue {
  char *items;
  size_t size; /* of one */
  size_t time_at;
  size_t first, end, room;
};

/* Room for one more, behind the others, to be filled; valid until the next call. NULL: no memory. */
static inline void *item_queue_add(struct item_queue *queue)
{
  if (queue->first == queue->end)
    queue->first = queue->end = 0;
  if (queue->end == queue->room && queue->first > queue->room / 2) {
    queue->end -= queue->first;
    memmove(queue->items, queue->items + queue->first * queue->size, queue->end * queue->size);
    queue->first = 0;
  }
  if (queue->end == queue->room) {
    size_t room = queue->room ? 2 * queue->room : 16;
    char *items = reallocarray(queue->items, room, queue->size);
    if (!items)
      return NULL;
    queue->items = items;
    queue->room = room;
  }
  return queue->items + queue->size * queue->end++;
}

static inline size_t item_queue_count(const struct item_queue *queue)
{
  return queue->end - queue->first;
}

/* NULL: there is none. */
static inline void *item_queue_first(const struct item_queue *queue)
{
  return queue->first < queue->end ? queue->items + queue->size * queue->first : NULL;
}

/* The time of the first one. False: there is none. */
static inline bool item_queue_time(const struct item_queue *queue, uint64_t *time)
{
  const char *item = item_queue_first(queue);
  if (item)
    memcpy(time, item + queue->time_at, sizeof *time);
  return item;
}

#define ITEM_QUEUE_SMALL 16 /* items; room that need not be freed */

/* Few items of many are left, perhaps for long: they move, so that all of the room can be used for another lane. */
static inline void item_queue_shrink(struct item_queue *queue)
{
  size_t count = queue->end - queue->first, room = queue->room / 8;
  char *items = reallocarray(NULL, room, queue->size);
  if (!items)
    return;
  memcpy(items, queue->items + queue->first * queue->size, count * queue->size);
  free(queue->items);
  queue->items = items;
  queue->first = 0;
  queue->end = count;
  queue->room = room;
}

/* Drops the first item, and keeps the room. */
static inline void item_queue_step(struct item_queue *queue)
{
  queue->first++;
}

/* Gives most of the room back if most of it is unused. */
static inline void item_queue_give_back(struct item_queue *queue)
{
  if (queue->room > ITEM_QUEUE_SMALL && queue->end - queue->first <= queue->room / 16)
    item_queue_shrink(queue);
}

static inline void item_queue_drop_first(struct item_queue *queue)
{
  item_queue_step(queue);
  if (queue->end - queue->first == queue->room / 16)
    item_queue_give_back(queue);
}

static inline void item_queue_free(struct item_queue *queue)
{
  free(queue->items);
  queue->items = NULL;
  queue->first = queue->end = queue->room = 0;
}

#endif
