#include "analyzer/exchange/export/feed.h"

#include "analyzer/analyses/locks/locks.h"

#include "analyzer/exchange/export/items.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lane: one location in a pass, as items in order of time. Items enter its queue when no earlier item can follow;
 * events after the last known state wait.
 */

/* Common data of all lanes. */
struct feed_lane_kind {
  const struct trace *trace;
  const uint8_t *rules; /* machine_rules() */
  enum state_kind kind;
  bool ends;    /* ends of states, as in struct feed_callbacks */
  size_t limit; /* number of waiting events from which on the states are read ahead */
};

struct feed_lane {
  const struct feed_lane_kind *kind;
  const struct pass_location *location;
  struct error *error;
  struct item_queue ready;
  struct events events; /* waiting ones are at `settled` or later */
  uint64_t settled;     /* no further item is earlier: all states that began before are in the queue */
  struct item state;    /* the last one; where ends are wanted, it is put at its end */
  struct state_reader *ahead;
  bool ahead_ended;
  bool begun, failed; /* failed: out of memory in a function without a result */
};

/* All arguments outlive the lane. NULL: an error. */
static struct feed_lane *feed_lane_open(const struct feed_lane_kind *kind, const struct pass_location *location,
                                        struct error *error)
{
  struct feed_lane *lane = calloc(1, sizeof *lane);
  if (!lane) {
    error_set(error, "%s: out of memory", kind->trace->anchor);
    return NULL;
  }
  *lane = (struct feed_lane){.kind = kind,
                             .location = location,
                             .error = error,
                             .ready = {.size = sizeof(struct item), .time_at = offsetof(struct item, time)},
                             .events = events_of(kind->trace, kind->rules, error)};
  return lane;
}

static void feed_lane_close(struct feed_lane *lane)
{
  if (!lane)
    return;
  item_queue_free(&lane->ready);
  events_free(&lane->events);
  state_reader_close(lane->ahead);
  free(lane);
}

static void feed_lane_put(struct feed_lane *lane, const struct item *item)
{
  struct item *place = item_queue_add(&lane->ready);
  if (place)
    *place = *item;
  else
    lane->failed = true;
}

/* Settles the lane up to a time before which no further state begins. */
static void settle(struct feed_lane *lane, uint64_t time)
{
  const struct item *event;
  lane->settled = time;
  while ((event = item_queue_first(&lane->events.items)) && event->time < time) {
    feed_lane_put(lane, event);
    item_queue_drop_first(&lane->events.items);
  }
}

static void feed_lane_put_state(struct feed_lane *lane)
{
  if (lane->state.end > lane->state.time)
    feed_lane_put(lane, &lane->state);
  lane->state = (struct item){0};
}

/* The first event, or the begin of the restriction. */
static uint64_t begin_of(const struct feed_lane *lane)
{
  return trace_time_from(lane->kind->trace, lane->location->view->first);
}

static void begin_lane(struct feed_lane *lane)
{
  lane->begun = true;
  lane->settled = begin_of(lane);
  feed_lane_put(lane, &(struct item){.time = lane->settled, .kind = ITEM_BEGIN});
}

static bool is_excluded(const struct feed_lane *lane)
{
  return lane->kind->trace->locations[lane->location->number].excluded;
}

/* States that were read ahead come again; they are ignored. */
static void feed_lane_interval(void *context, const struct state_interval *interval)
{
  struct feed_lane *lane = context;
  if (is_excluded(lane))
    return;
  if (!lane->begun)
    begin_lane(lane);
  if (interval->end <= lane->settled)
    return;
  if (item_goes_on(&lane->state, interval, lane->kind->kind)) {
    lane->state.end = interval->end;
  } else if (lane->kind->ends) {
    feed_lane_put_state(lane);
    settle(lane, interval->start);
    lane->state = item_of_interval(interval);
  } else {
    lane->state = item_of_interval(interval);
    feed_lane_put(lane, &lane->state);
  }
  if (!lane->kind->ends)
    settle(lane, interval->end);
}

/* A whole state that began where all is settled, or the state that is known to have begun. */
static void take_whole(struct feed_lane *lane, const struct item *state)
{
  if (state->time >= lane->settled)
    feed_lane_put(lane, state);
  settle(lane, state->end);
  lane->state = lane->kind->ends ? (struct item){0} : *state;
}

/* Reads states ahead while too many events wait, until no more states come. */
static bool look_ahead(struct feed_lane *lane)
{
  const struct feed_lane_kind *kind = lane->kind;
  if (!lane->ahead)
    lane->ahead = state_reader_open(kind->trace, lane->location->number, kind->kind, kind->rules, lane->error);
  if (!lane->ahead)
    return false;
  while (!lane->ahead_ended && item_queue_count(&lane->events.items) > kind->limit) {
    bool good;
    const struct item *state = state_reader_next(lane->ahead, &good);
    if (!good)
      return false;
    if (state && state->end > lane->settled)
      take_whole(lane, state);
    lane->ahead_ended = !state;
  }
  return true;
}

static bool check_memory(const struct feed_lane *lane)
{
  return !lane->failed || error_set(lane->error, "%s: out of memory", lane->kind->trace->anchor);
}

/* Nothing but its steps comes at that time. */
static bool feed_lane_take_outside(struct feed_lane *lane, const struct trace_event *event)
{
  struct item step;
  bool found;
  if (lane->location->at_border)
    return true;
  if (!events_take_outside(&lane->events, event, &step, &found))
    return false;
  lane->settled = event->time;
  if (found)
    feed_lane_put(lane, &step);
  return check_memory(lane);
}

/* The calls of a subscriber (subscriber.h). */
static bool feed_lane_event(void *context, const struct trace_event *event)
{
  struct feed_lane *lane = context;
  if (is_excluded(lane) || event->time < lane->kind->trace->restriction.from)
    return feed_lane_take_outside(lane, event);
  if (!lane->begun)
    begin_lane(lane);
  if (!(lane->location->at_border ? events_take_border : events_take)(&lane->events, event))
    return false;
  if (event->time < lane->settled) /* its states were read ahead */
    settle(lane, lane->settled);
  if (item_queue_count(&lane->events.items) > lane->kind->limit && !lane->ahead_ended && !look_ahead(lane))
    return false;
  return check_memory(lane);
}

static bool feed_lane_end(void *context)
{
  struct feed_lane *lane = context;
  uint64_t last = lane->location->last;
  const struct item *event;
  if (!lane->location->alive)
    return true;
  if (!lane->begun)
    begin_lane(lane);
  if (!events_end(&lane->events, last))
    return false;
  if (lane->kind->ends)
    feed_lane_put_state(lane);
  while ((event = item_queue_first(&lane->events.items))) {
    feed_lane_put(lane, event);
    item_queue_drop_first(&lane->events.items);
  }
  feed_lane_put(lane, &(struct item){.time = last, .kind = ITEM_END});
  return check_memory(lane);
}

static struct item_queue *feed_lane_queue(void *context)
{
  struct feed_lane *lane = context;
  return &lane->ready;
}

static uint64_t feed_lane_reached(void *context)
{
  const struct feed_lane *lane = context;
  uint64_t last = lane->location->view->last; /* events that are read behind the states can't be earlier */
  return lane->settled < last ? lane->settled : last;
}

/* Gets the begin of the location within the restriction. False: it has none, or none yet. */
static bool feed_lane_begin(const struct feed_lane *lane, uint64_t *time)
{
  *time = begin_of(lane);
  return lane->begun;
}

/* Gets the time of its first event, which may be before the restriction. False: it has none so far. */
static bool feed_lane_first(const struct feed_lane *lane, uint64_t *time)
{
  *time = lane->location->view->first;
  return lane->location->view->any;
}

/* Events that wait for states, of all locations and of one. */
enum { WAITING_ALL = 1 << 18, WAITING_MOST = 1 << 14, WAITING_LEAST = 1 << 8 };

/* An item that waits until all items of its time that precede it have come. */
struct waiting {
  struct item item;
  uint32_t location;
};

struct feed {
  const struct trace *trace;
  const struct feed_callbacks *callbacks;
  void *context;
  struct feed_lane_kind kind;
  struct feed_lane **lanes; /* a location */
  uint64_t now, origin;
  struct item_queue events, ends; /* of `now` */
  bool begun, stopped, no_memory;
  struct item_queue edges; /* edges of locks that end where the items have not come */
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

static bool is_outside(const struct feed *feed, uint32_t location, const struct item *item)
{
  return feed->trace->locations[location].excluded || item->time < feed->trace->restriction.from;
}

static bool hand_out(struct feed *feed, uint32_t location, const struct item *item)
{
  const struct feed_callbacks *callbacks = feed->callbacks;
  if (is_outside(feed, location, item))
    feed->stopped = callbacks->take_outside && !callbacks->take_outside(feed->context, location, item);
  else
    feed->stopped = !callbacks->take(feed->context, location, item);
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

/* At equal times, locations come by their number, so an item that belongs behind others of its time waits. */
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
  feed->stopped = !feed->callbacks->begin(feed->context, feed);
  return !feed->stopped;
}

/* All items of `now` have come. */
static bool end_moment(struct feed *feed)
{
  const struct edge *edge;
  if (!hand_out_all(feed, &feed->events))
    return false;
  while ((edge = item_queue_first(&feed->edges)) && edge->time <= feed->now) {
    feed->stopped = !feed->callbacks->take_edge(feed->context, edge);
    if (feed->stopped)
      return false;
    item_queue_drop_first(&feed->edges);
  }
  return hand_out_all(feed, &feed->ends);
}

static bool feed_take(void *context, uint32_t location, void *taken)
{
  struct feed *feed = context;
  const struct item *item = taken;
  if (!feed->begun && !is_outside(feed, location, item) && !begin_lanes(feed))
    return false;
  if (item->time != feed->now && !end_moment(feed))
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

/* A wait for a lock that is a region of its own: an edge, if both its ends are within the restriction. */
static void take_wait(void *context, const struct lock_wait *wait)
{
  struct feed *feed = context;
  const struct trace *trace = feed->trace;
  if (!wait->apart || wait->holder == TRACE_NONE || wait->holder == wait->waiter ||
      wait->released < trace->restriction.from || trace->locations[wait->holder].excluded ||
      trace->locations[wait->waiter].excluded)
    return;
  struct edge *place = item_queue_add(&feed->edges);
  feed->no_memory |= !place;
  if (place)
    *place = (struct edge){.kind = EDGE_LOCK,
                           .from = wait->holder,
                           .to = wait->waiter,
                           .from_time = wait->released,
                           .time = wait->until,
                           .region = wait->region};
}

static bool has_waits_apart(const struct feed *feed)
{
  bool any = false;
  for (uint32_t i = 0; !any && i < feed->trace->region_count; i++) {
    unsigned rule = feed->kind.rules[i];
    any = rule == RULE_STATE_BLOCKED_MUTEX || rule == RULE_PTHREAD_MUTEX || rule == RULE_PTHREAD_RWLOCK;
  }
  return any && feed->callbacks->take_edge;
}

/* The subscriber that finds who held locks has its turn first. */
static bool pass_all(struct feed *feed, const struct subscriber *items, struct pool *pool, struct error *error)
{
  const struct locks_options options = {take_wait, feed};
  struct running_analysis locks = {0};
  bool with_locks = has_waits_apart(feed);
  if (with_locks && !running_analysis_begin(&locks, &locks_analysis, feed->trace, pool, &options, error))
    return false;
  const struct subscriber *list[] = {items, &locks.subscriber};
  bool good = pass_in_order(feed->trace, pool, list, 1 + with_locks, error);
  if (with_locks)
    running_analysis_drop(&locks, good ? NULL : error);
  return good && (!feed->no_memory || error_set(error, "%s: out of memory", feed->trace->anchor));
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
                                        .after_others = true,
                                        .take = feed_take};
  if (!pass_all(feed, &subscriber, pool, error))
    return feed->stopped;
  memset(feed->lanes, 0, feed->trace->location_count * sizeof(struct feed_lane *)); /* they are closed */
  if (!feed->begun && !begin_lanes(feed))
    return true;
  end_moment(feed);
  return true;
}

bool feed_run(const struct trace *trace, const struct feed_callbacks *callbacks, void *context, struct error *error)
{
  const struct item_queue empty = {.size = sizeof(struct waiting), .time_at = offsetof(struct waiting, item.time)};
  uint8_t *rules = machine_rules(trace);
  struct pool *pool = pool_create(0);
  struct feed feed = {.trace = trace, .callbacks = callbacks, .context = context, .origin = trace->first_tick};
  feed.kind = (struct feed_lane_kind){trace, rules, callbacks->kind, callbacks->ends, limit_of(trace)};
  feed.lanes = calloc((size_t)trace->location_count + 1, sizeof(struct feed_lane *));
  feed.events = feed.ends = empty;
  feed.edges = (struct item_queue){.size = sizeof(struct edge), .time_at = offsetof(struct edge, time)};
  bool good = (pool && rules && feed.lanes) || error_set(error, "%s: out of memory", trace->anchor);
  good = good && run(&feed, pool, error);
  item_queue_free(&feed.events);
  item_queue_free(&feed.ends);
  item_queue_free(&feed.edges);
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
