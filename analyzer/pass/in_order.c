#include "analyzer/pass/in_order.h"

#include "analyzer/pass/lanes.h"
#include "base/time_heap.h"

#include <stdlib.h>

#define BATCH_MAX   16384            /* events of a location a round: rounds must be worth waking the workers for */
#define BATCH_MIN   256              /* ... also where there are many locations */
#define ALL_BATCHES (16 * BATCH_MAX) /* events of all locations a round, as far as BATCH_MIN allows */
#define EVENTS_ITEM 4                /* a location with a batch's events / this many items is not read on */

struct location {
  struct lanes lanes;
  bool opened, ended;
  struct trace_error error;
};

struct ordered_pass {
  const struct trace *trace;
  struct pool *pool;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
  struct location *locations;
  uint32_t *reading;            /* locations of this round */
  uint32_t reading_count, left; /* left: not read to their ends */
  uint64_t batch;
  uint64_t *reached;       /* a subscriber: no item that is still to come is earlier */
  struct time_heap *heaps; /* a subscriber */
};

static bool read_on(void *context, unsigned worker, uint32_t item)
{
  const struct ordered_pass *pass = context;
  uint32_t index = pass->reading[item];
  struct location *location = &pass->locations[index];
  if (!location->opened) {
    location->opened = true;
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

/* Whether a location is to be read on: others wait for it, or none of its subscribers has many items. */
static bool is_due(const struct ordered_pass *pass, const struct location *location)
{
  bool has_many = false;
  for (unsigned i = 0; i < pass->count; i++) {
    if (!pass->subscribers[i]->queue)
      continue;
    if (reached(pass, location, i) == pass->reached[i])
      return true;
    has_many |= item_queue_count(pass->subscribers[i]->queue(location->lanes.list[i])) > pass->batch / EVENTS_ITEM;
  }
  return !has_many;
}

/*
 * All but those that wait for others. The one that the others wait for is always among them: all its items up to what
 * it has reached were taken, but for those of that very tick.
 */
static void choose(struct ordered_pass *pass)
{
  uint64_t batch = pass->left ? ALL_BATCHES / pass->left : 0;
  pass->batch = batch > BATCH_MAX ? BATCH_MAX : batch < BATCH_MIN ? BATCH_MIN : batch;
  pass->reading_count = 0;
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    const struct location *location = &pass->locations[i];
    if (!location->ended && (!location->opened || is_due(pass, location)))
      pass->reading[pass->reading_count++] = i;
  }
}

static void look_how_far(struct ordered_pass *pass)
{
  for (unsigned i = 0; i < pass->count; i++)
    pass->reached[i] = UINT64_MAX;
  pass->left = 0;
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    struct location *location = &pass->locations[i];
    location->ended = location->lanes.stream == NULL;
    pass->left += !location->ended;
    for (unsigned k = 0; !location->ended && k < pass->count; k++) {
      uint64_t own = pass->subscribers[k]->queue ? reached(pass, location, k) : UINT64_MAX;
      pass->reached[k] = own < pass->reached[k] ? own : pass->reached[k];
    }
  }
}

/* The time of the next item that nothing can come before any more. False: there is none. */
static bool next_time(const struct ordered_pass *pass, unsigned subscriber, uint32_t location, uint64_t *time)
{
  const struct item_queue *queue =
      pass->subscribers[subscriber]->queue(pass->locations[location].lanes.list[subscriber]);
  return item_queue_time(queue, time) && (*time < pass->reached[subscriber] || !pass->left);
}

/* Takes the items of one subscriber, as far as all locations are. */
static bool take_items(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  const struct ordered_pass *pass = context;
  const struct subscriber *subscriber = pass->subscribers[item];
  struct time_heap *heap = &pass->heaps[item];
  uint64_t time;
  heap->count = 0;
  if (!subscriber->queue)
    return true;
  for (uint32_t i = 0; i < pass->trace->location_count; i++)
    if (next_time(pass, item, i, &time))
      time_heap_add(heap, time, i);
  while (heap->count > 0) {
    uint32_t location = heap->entries[0].source;
    struct item_queue *queue = subscriber->queue(pass->locations[location].lanes.list[item]);
    if (!subscriber->take(subscriber->context, location, item_queue_first(queue)))
      return false;
    item_queue_drop_first(queue);
    if (next_time(pass, item, location, &time))
      time_heap_move_first(heap, time);
    else
      time_heap_drop_first(heap);
  }
  return true;
}

/* Why a round failed: if it was no location, there was no memory to take items with. */
static bool fail(const struct ordered_pass *pass, struct trace_error *error)
{
  for (uint32_t i = 0; i < pass->trace->location_count; i++) {
    if (pass->locations[i].error.message[0]) {
      *error = pass->locations[i].error;
      return false;
    }
  }
  return trace_fail(error, "%s: out of memory", pass->trace->anchor);
}

static bool prepare(struct ordered_pass *pass)
{
  uint32_t count = pass->trace->location_count;
  pass->rules = machine_rules(pass->trace);
  pass->locations = calloc(count + 1, sizeof *pass->locations);
  pass->reading = calloc(count + 1, sizeof *pass->reading);
  pass->reached = calloc(pass->count + 1, sizeof *pass->reached);
  pass->heaps = calloc(pass->count + 1, sizeof *pass->heaps);
  pass->left = count;
  if (!pass->rules || !pass->locations || !pass->reading || !pass->reached || !pass->heaps)
    return false;
  for (unsigned i = 0; i < pass->count; i++)
    if (!time_heap_init(&pass->heaps[i], count))
      return false;
  return true;
}

void ordered_pass_close(struct ordered_pass *pass)
{
  if (!pass)
    return;
  for (uint32_t i = 0; pass->locations && i < pass->trace->location_count; i++)
    lanes_close(&pass->locations[i].lanes);
  for (unsigned i = 0; pass->heaps && i < pass->count; i++)
    time_heap_free(&pass->heaps[i]);
  free(pass->rules);
  free(pass->locations);
  free(pass->reading);
  free(pass->reached);
  free(pass->heaps);
  free(pass);
}

struct ordered_pass *ordered_pass_open(const struct trace *trace, struct pool *pool,
                                       const struct subscriber *const *subscribers, unsigned count,
                                       struct trace_error *error)
{
  struct ordered_pass *pass = calloc(1, sizeof *pass);
  if (pass) {
    *pass = (struct ordered_pass){.trace = trace, .pool = pool, .subscribers = subscribers, .count = count};
    if (prepare(pass))
      return pass;
  }
  ordered_pass_close(pass);
  trace_fail(error, "%s: out of memory", trace->anchor);
  return NULL;
}

bool ordered_pass_round(struct ordered_pass *pass, bool *more, struct trace_error *error)
{
  choose(pass);
  if (!pool_run(pass->pool, pass->reading_count, read_on, pass))
    return fail(pass, error);
  look_how_far(pass);
  *more = pass->left > 0;
  return pool_run(pass->pool, pass->count, take_items, pass) || fail(pass, error);
}

bool pass_in_order(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                   unsigned count, struct trace_error *error)
{
  struct ordered_pass *pass = ordered_pass_open(trace, pool, subscribers, count, error);
  bool good = pass, more = true;
  while (good && more)
    good = ordered_pass_round(pass, &more, error);
  ordered_pass_close(pass);
  return good;
}
