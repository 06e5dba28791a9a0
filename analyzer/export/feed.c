#include "analyzer/export/feed.h"

#include "base/time_heap.h"

#include <stdlib.h>

/*
 * Lanes are numbered so that the heap, which takes the lower number first where times are the same, gives the order
 * that feed.h promises: lane i has the states of location i, lane location_count + i its events. Ends are held back
 * until all else of their time has been told.
 */
struct feed {
  const struct trace *trace;
  uint8_t *rules;
  struct items **lanes;
  const struct item **items; /* the next of each */
  struct time_heap heap;     /* of lanes that have one; the first one's item was delivered if `delivered` */
  struct item *ends;         /* of locations, held back: all of one time */
  uint32_t *ended;           /* whose */
  uint32_t end_count, end_next;
  bool delivered;
};

static bool begin(struct feed *feed, enum items_kind states, struct trace_error *error)
{
  uint32_t count = feed->trace->location_count;
  for (uint32_t i = 0; i < 2 * count; i++) {
    bool good;
    feed->lanes[i] =
        items_open(feed->trace, i < count ? i : i - count, i < count ? states : ITEMS_EVENTS, feed->rules, error);
    if (!feed->lanes[i])
      return false;
    feed->items[i] = items_next(feed->lanes[i], &good);
    if (!good)
      return false;
    if (feed->items[i])
      time_heap_add(&feed->heap, feed->items[i]->time, i);
  }
  return true;
}

struct feed *feed_open(const struct trace *trace, enum items_kind states, struct trace_error *error)
{
  struct feed *feed = calloc(1, sizeof *feed);
  size_t count = trace->location_count;
  if (count > UINT32_MAX / 2 - 1) {
    free(feed);
    trace_fail(error, "%s: too many threads", trace->anchor);
    return NULL;
  }
  bool good = feed != NULL;
  if (good) {
    feed->trace = trace;
    feed->rules = machine_rules(trace);
    feed->lanes = calloc(2 * count + 1, sizeof(struct items *));
    feed->items = calloc(2 * count + 1, sizeof *feed->items);
    feed->ends = calloc(count + 1, sizeof *feed->ends);
    feed->ended = calloc(count + 1, sizeof *feed->ended);
    good = time_heap_init(&feed->heap, (uint32_t)(2 * count)) && feed->rules && feed->lanes && feed->items &&
           feed->ends && feed->ended;
  }
  if (!good)
    trace_fail(error, "%s: out of memory", trace->anchor);
  else if (begin(feed, states, error))
    return feed;
  feed_close(feed);
  return NULL;
}

void feed_close(struct feed *feed)
{
  if (!feed)
    return;
  for (uint32_t i = 0; feed->lanes && i < 2 * feed->trace->location_count; i++)
    items_close(feed->lanes[i]);
  time_heap_free(&feed->heap);
  free(feed->rules);
  free(feed->lanes);
  free(feed->items);
  free(feed->ends);
  free(feed->ended);
  free(feed);
}

/* The item at the top of the heap has been used: its lane's next one takes its place. */
static bool advance(struct feed *feed)
{
  uint32_t lane = feed->heap.entries[0].source;
  bool good;
  feed->items[lane] = items_next(feed->lanes[lane], &good);
  if (!good)
    return false;
  if (feed->items[lane])
    time_heap_move_first(&feed->heap, feed->items[lane]->time);
  else
    time_heap_drop_first(&feed->heap);
  return true;
}

/* The next end that is held back, when all else of its time is over. */
static const struct item *held_end(struct feed *feed, uint32_t *location)
{
  if (feed->end_next == feed->end_count ||
      (feed->heap.count > 0 && feed->heap.entries[0].time == feed->ends[feed->end_next].time))
    return NULL;
  *location = feed->ended[feed->end_next];
  return &feed->ends[feed->end_next++];
}

const struct item *feed_next(struct feed *feed, uint32_t *location, bool *good)
{
  *good = true;
  for (;;) {
    if (feed->delivered && !(*good = advance(feed)))
      return NULL;
    feed->delivered = false;
    const struct item *end = held_end(feed, location);
    if (end || feed->heap.count == 0)
      return end;
    uint32_t lane = feed->heap.entries[0].source, count = feed->trace->location_count;
    *location = lane < count ? lane : lane - count;
    feed->delivered = true;
    if (feed->items[lane]->kind != ITEM_END)
      return feed->items[lane];
    if (feed->end_next == feed->end_count)
      feed->end_next = feed->end_count = 0;
    feed->ended[feed->end_count] = *location;
    feed->ends[feed->end_count++] = *feed->items[lane];
  }
}

struct clock feed_clock(const struct feed *feed)
{
  const struct trace *trace = feed->trace;
  struct clock clock = {trace->first_tick, trace->ticks_per_second ? trace->ticks_per_second : 1000000000};
  if (feed->heap.count > 0 && feed->heap.entries[0].time < clock.origin)
    clock.origin = feed->heap.entries[0].time;
  return clock;
}

bool feed_begin(const struct feed *feed, uint32_t location, uint64_t *time)
{
  if (!feed->items[location])
    return false;
  *time = feed->items[location]->time;
  return true;
}
