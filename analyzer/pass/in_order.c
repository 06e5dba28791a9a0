#include "analyzer/pass/in_order.h"

#include "analyzer/pass/lanes.h"
#include "base/time_heap.h"

#include <stdatomic.h>
#include <stdlib.h>

#define BATCH_MAX   16384            /* events of a location a round: rounds must be worth waking the workers for */
#define BATCH_MIN   256              /* ... also where there are many locations */
#define ALL_BATCHES (16 * BATCH_MAX) /* events of all locations a round, as far as BATCH_MIN allows */
#define EVENTS_ITEM 4                /* a location with more items than a batch's events / this is not read on */

struct location {
  struct lanes lanes;
  struct error error;
};

/* What choose() looks at, of all locations: in an array of its own. */
enum standing {
  UNOPENED,
  READING, /* to be read on, unless it has many items */
  FULL,    /* it had many items, and none has been taken since */
  ENDED
};

/* Of a subscriber with a queue. */
struct order {
  struct time_heap far;   /* locations that have not ended, by how far they were when last looked at */
  uint64_t reached;       /* no later item is earlier */
  struct time_heap items; /* locations by their first item */
  bool *queued;           /* a location: it is among these */
};

struct ordered_pass {
  const struct trace *trace;
  struct pool *pool;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
  struct location *locations;
  _Atomic uint8_t *standing; /* a location: enum standing; workers that take items of different subscribers write it */
  uint32_t *reading;         /* locations of this round */
  uint32_t reading_count, left; /* left: not read to their ends */
  uint64_t batch;
  struct order *orders; /* a subscriber */
};

static enum standing get_standing(const struct ordered_pass *pass, uint32_t location)
{
  return atomic_load_explicit(&pass->standing[location], memory_order_relaxed);
}

static void set_standing(const struct ordered_pass *pass, uint32_t location, enum standing standing)
{
  atomic_store_explicit(&pass->standing[location], (uint8_t)standing, memory_order_relaxed);
}

static bool read_on(void *context, unsigned worker, uint32_t item)
{
  const struct ordered_pass *pass = context;
  uint32_t index = pass->reading[item];
  struct location *location = &pass->locations[index];
  if (get_standing(pass, index) == UNOPENED) {
    set_standing(pass, index, READING);
    if (!lanes_open(&location->lanes, pass->trace, pass->rules, index, pass->subscribers, pass->count,
                    &location->error))
      return false;
  }
  return lanes_read(&location->lanes, worker, pass->batch);
}

/* No item that a location still has for a subscriber is earlier. */
static uint64_t reached(const struct ordered_pass *pass, const struct location *location, unsigned subscriber)
{
  const struct subscriber *of = pass->subscribers[subscriber];
  return of->reached ? of->reached(location->lanes.list[subscriber]) : location->lanes.location.view->last;
}

/* Whether a location is to be read on: other locations wait for it, or no subscriber has many items of it. */
static bool is_due(const struct ordered_pass *pass, const struct location *location)
{
  bool has_many = false;
  for (unsigned i = 0; i < pass->count; i++) {
    if (!pass->subscribers[i]->queue)
      continue;
    if (reached(pass, location, i) == pass->orders[i].reached)
      return true;
    has_many |= item_queue_count(pass->subscribers[i]->queue(location->lanes.list[i])) > pass->batch / EVENTS_ITEM;
  }
  return !has_many;
}

/*
 * All locations but those that wait for others. The location that the others wait for is always among them: all its
 * items up to the time it has reached have been taken, except those of that very tick.
 */
static void choose(struct ordered_pass *pass)
{
  uint64_t batch = pass->left ? ALL_BATCHES / pass->left : 0;
  pass->batch = batch > BATCH_MAX ? BATCH_MAX : batch < BATCH_MIN ? BATCH_MIN : batch;
  pass->reading_count = 0;
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    enum standing standing = get_standing(pass, i);
    if (standing == UNOPENED || (standing == READING && is_due(pass, &pass->locations[i])))
      pass->reading[pass->reading_count++] = i;
    else if (standing == READING)
      set_standing(pass, i, FULL);
  }
}

/* Only locations that were read are further than before, and none is less far: so the first one of `far` is looked at
 * until it is as far as it was. */
static void look_how_far_for(const struct ordered_pass *pass, unsigned subscriber)
{
  struct order *order = &pass->orders[subscriber];
  struct time_heap *far = &order->far;
  while (far->count > 0) {
    struct time_entry first = far->entries[0];
    bool ended = get_standing(pass, first.source) == ENDED;
    uint64_t now = ended ? 0 : reached(pass, &pass->locations[first.source], subscriber);
    if (ended)
      time_heap_drop_first(far);
    else if (now > first.time)
      time_heap_move_first(far, now);
    else
      break;
  }
  order->reached = far->count > 0 ? far->entries[0].time : UINT64_MAX;
  if (far->count > 0)
    set_standing(pass, far->entries[0].source, READING);
}

static void look_how_far(struct ordered_pass *pass)
{
  for (uint32_t i = 0; i < pass->reading_count; i++) {
    if (pass->locations[pass->reading[i]].lanes.stream)
      continue;
    set_standing(pass, pass->reading[i], ENDED);
    pass->left--;
  }
  for (unsigned i = 0; i < pass->count; i++)
    if (pass->subscribers[i]->queue)
      look_how_far_for(pass, i);
}

/* Adds a location whose queue has a first item to those that have one. */
static void add_first(const struct ordered_pass *pass, unsigned subscriber, uint32_t location)
{
  struct order *order = &pass->orders[subscriber];
  uint64_t time;
  if (order->queued[location] ||
      !item_queue_time(pass->subscribers[subscriber]->queue(pass->locations[location].lanes.list[subscriber]), &time))
    return;
  order->queued[location] = true;
  time_heap_add(&order->items, time, location);
}

/* Takes the items of one subscriber up to the time that all locations have reached. */
static bool take_items(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  const struct ordered_pass *pass = context;
  const struct subscriber *subscriber = pass->subscribers[item];
  struct order *order = &pass->orders[item];
  struct time_heap *heap = &order->items;
  if (!subscriber->queue)
    return true;
  for (uint32_t i = 0; i < pass->reading_count; i++)
    add_first(pass, item, pass->reading[i]);
  while (heap->count > 0 && (heap->entries[0].time < order->reached || !pass->left)) {
    uint32_t location = heap->entries[0].source;
    struct item_queue *queue = subscriber->queue(pass->locations[location].lanes.list[item]);
    uint64_t time;
    if (!subscriber->take(subscriber->context, location, item_queue_first(queue)))
      return false;
    item_queue_drop_first(queue);
    if (get_standing(pass, location) == FULL)
      set_standing(pass, location, READING);
    order->queued[location] = item_queue_time(queue, &time);
    if (order->queued[location])
      time_heap_move_first(heap, time);
    else
      time_heap_drop_first(heap);
  }
  return true;
}

/* Why a round failed: where no location has an error, memory was short when items were taken. */
static bool fail(const struct ordered_pass *pass, struct error *error)
{
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    if (pass->locations[i].error.message[0]) {
      *error = pass->locations[i].error;
      return false;
    }
  }
  return error_set(error, "%s: out of memory", pass->trace->anchor);
}

static bool prepare_order(struct order *order, uint32_t locations)
{
  order->queued = calloc((size_t)locations + 1, sizeof *order->queued);
  if (!time_heap_init(&order->far, locations) || !time_heap_init(&order->items, locations) || !order->queued)
    return false;
  for (uint32_t i = 0; i < locations; i++)
    time_heap_add(&order->far, 0, i);
  return true;
}

static bool prepare(struct ordered_pass *pass)
{
  uint32_t count = pass->trace->location_count;
  pass->rules = machine_rules(pass->trace);
  pass->locations = calloc((size_t)count + 1, sizeof *pass->locations);
  pass->standing = calloc((size_t)count + 1, sizeof *pass->standing);
  pass->reading = calloc((size_t)count + 1, sizeof *pass->reading);
  pass->orders = calloc((size_t)pass->count + 1, sizeof *pass->orders);
  pass->left = count;
  if (!pass->rules || !pass->locations || !pass->standing || !pass->reading || !pass->orders)
    return false;
  for (unsigned i = 0; i < pass->count; i++)
    if (pass->subscribers[i]->queue && !prepare_order(&pass->orders[i], count))
      return false;
  return true;
}

void ordered_pass_close(struct ordered_pass *pass)
{
  if (!pass)
    return;
  for (uint32_t i = 0; pass->locations && i < pass->trace->location_count; i++)
    lanes_close(&pass->locations[i].lanes);
  for (unsigned i = 0; pass->orders && i < pass->count; i++) {
    time_heap_free(&pass->orders[i].far);
    time_heap_free(&pass->orders[i].items);
    free(pass->orders[i].queued);
  }
  free(pass->rules);
  free(pass->locations);
  free((void *)pass->standing);
  free(pass->reading);
  free(pass->orders);
  free(pass);
}

struct ordered_pass *ordered_pass_open(const struct trace *trace, struct pool *pool,
                                       const struct subscriber *const *subscribers, unsigned count, struct error *error)
{
  struct ordered_pass *pass = calloc(1, sizeof *pass);
  if (pass) {
    *pass = (struct ordered_pass){.trace = trace, .pool = pool, .subscribers = subscribers, .count = count};
    if (prepare(pass))
      return pass;
  }
  ordered_pass_close(pass);
  error_set(error, "%s: out of memory", trace->anchor);
  return NULL;
}

bool ordered_pass_round(struct ordered_pass *pass, bool *more, struct error *error)
{
  choose(pass);
  if (!pool_run(pass->pool, pass->reading_count, read_on, pass))
    return fail(pass, error);
  look_how_far(pass);
  *more = pass->left > 0;
  return pool_run(pass->pool, pass->count, take_items, pass) || fail(pass, error);
}

bool pass_in_order(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                   unsigned count, struct error *error)
{
  struct ordered_pass *pass = ordered_pass_open(trace, pool, subscribers, count, error);
  bool good = pass, more = true;
  while (good && more)
    good = ordered_pass_round(pass, &more, error);
  ordered_pass_close(pass);
  return good;
}
