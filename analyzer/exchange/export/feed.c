#include "analyzer/exchange/export/feed.h"

#include "analyzer/exchange/export/feed_lane.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Events that wait for states, of all locations and of one. */
enum { WAITING_ALL = 1 << 18, WAITING_MOST = 1 << 14, WAITING_LEAST = 1 << 8 };

/* An item that waits until all others of its time that come before it are there. */
struct waiting {
  struct item item;
  uint32_t location;
};

struct feed {
  const struct trace *trace;
  const struct feed_taker *taker;
  void *context;
  struct feed_lane_kind kind;
  struct feed_lane **lanes; /* a location */
  uint64_t now, origin;
  struct item_queue events, ends; /* of `now` */
  bool begun, stopped;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct feed *feed = context;
  return feed->lanes[location->number] = feed_lane_open(&feed->kind, location, error);
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  feed_lane_close(lane);
}

static bool is_unseen(const struct feed *feed, uint32_t location, const struct item *item)
{
  return feed->trace->locations[location].left_out || item->time < feed->trace->restriction.from;
}

static bool hand_out(struct feed *feed, uint32_t location, const struct item *item)
{
  const struct feed_taker *taker = feed->taker;
  if (is_unseen(feed, location, item))
    feed->stopped = taker->take_unseen && !taker->take_unseen(feed->context, location, item);
  else
    feed->stopped = !taker->take(feed->context, location, item);
  return !feed->stopped;
}

static bool hand_out_all(struct feed *feed, struct item_queue *queue)
{
  const struct waiting *first;
  while ((first = item_queue_first(queue))) {
    if (!hand_out(feed, first->location, &first->item))
      return false;
    item_queue_drop_first(queue);
  }
  return true;
}

/* Locations come by their number where times are the same: what is to be behind others of its time has to wait. */
static bool wait_for_others(struct item_queue *queue, uint32_t location, const struct item *item)
{
  struct waiting *place = item_queue_add(queue);
  if (place)
    *place = (struct waiting){*item, location};
  return place;
}

/* By now the first event of each location is known. */
static bool begin_lanes(struct feed *feed)
{
  uint64_t first;
  feed->begun = true;
  for (uint32_t i = 0; i < feed->trace->location_count; i++)
    if (feed->lanes[i] && feed_lane_first(feed->lanes[i], &first) && first < feed->origin)
      feed->origin = first;
  feed->stopped = !feed->taker->begin(feed->context, feed);
  return !feed->stopped;
}

static bool feed_take(void *context, uint32_t location, void *taken)
{
  struct feed *feed = context;
  const struct item *item = taken;
  if (!feed->begun && !is_unseen(feed, location, item) && !begin_lanes(feed))
    return false;
  if (item->time != feed->now && !(hand_out_all(feed, &feed->events) && hand_out_all(feed, &feed->ends)))
    return false;
  feed->now = item->time;
  if (item->kind == ITEM_BEGIN || item->kind == ITEM_STATE)
    return hand_out(feed, location, item);
  return wait_for_others(item->kind == ITEM_END ? &feed->ends : &feed->events, location, item);
}

static size_t items_limit = SIZE_MAX;

void feed_limit(size_t events)
{
  items_limit = events;
}

static size_t limit_of(const struct trace *trace)
{
  size_t share = WAITING_ALL / ((size_t)trace->location_count + 1);
  size_t usual = share > WAITING_MOST ? WAITING_MOST : share < WAITING_LEAST ? WAITING_LEAST : share;
  return items_limit < usual ? items_limit : usual;
}

static bool run(struct feed *feed, struct pool *pool, struct error *error)
{
  const struct subscriber subscriber = {.context = feed,
                                        .before = true,
                                        .others = true,
                                        .borders = true,
                                        .open = open_lane,
                                        .event = feed_lane_event,
                                        .interval = feed_lane_interval,
                                        .end = feed_lane_end,
                                        .close = close_lane,
                                        .queue = feed_lane_queue,
                                        .reached = feed_lane_reached,
                                        .take = feed_take};
  const struct subscriber *list[] = {&subscriber};
  if (!pass_in_order(feed->trace, pool, list, 1, error))
    return feed->stopped;
  memset(feed->lanes, 0, feed->trace->location_count * sizeof(struct feed_lane *)); /* they are closed */
  if (!feed->begun && !begin_lanes(feed))
    return true;
  if (hand_out_all(feed, &feed->events))
    hand_out_all(feed, &feed->ends);
  return true;
}

bool feed_run(const struct trace *trace, const struct feed_taker *taker, void *context, struct error *error)
{
  const struct item_queue empty = {.size = sizeof(struct waiting), .time_at = offsetof(struct waiting, item.time)};
  uint8_t *rules = machine_rules(trace);
  struct pool *pool = pool_create(0);
  struct feed feed = {.trace = trace, .taker = taker, .context = context, .origin = trace->first_tick};
  feed.kind = (struct feed_lane_kind){trace, rules, taker->kind, taker->ends, limit_of(trace)};
  feed.lanes = calloc((size_t)trace->location_count + 1, sizeof(struct feed_lane *));
  feed.events = feed.ends = empty;
  bool good = (pool && rules && feed.lanes) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && run(&feed, pool, error);
  item_queue_free(&feed.events);
  item_queue_free(&feed.ends);
  free(feed.lanes);
  free(rules);
  pool_destroy(pool);
  return good;
}

struct clock feed_clock(const struct feed *feed)
{
  const struct trace *trace = feed->trace;
  return (struct clock){feed->origin, trace->ticks_per_second ? trace->ticks_per_second : 1000000000};
}

bool feed_begin(const struct feed *feed, uint32_t location, uint64_t *time)
{
  return feed->lanes[location] && feed_lane_begin(feed->lanes[location], time);
}
