#include "analyzer/pass/in_order.h"

#include "analyzer/pass/lanes.h"
#include "analyzer/trace/time_heap.h"

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

struct job {
  const struct trace *trace;
  const struct subscriber *const *subscribers;
  unsigned count;
  uint8_t *rules;
  struct location *locations;
  uint32_t *reading;            /* locations of this round */
  uint32_t reading_count, left; /* left: not read to their ends */
  uint64_t batch;
  uint64_t reached;        /* no item that is still to come is earlier */
  struct time_heap *heaps; /* a subscriber */
};

static bool read_on(void *context, unsigned worker, uint32_t item)
{
  const struct job *job = context;
  uint32_t index = job->reading[item];
  struct location *location = &job->locations[index];
  if (!location->opened) {
    location->opened = true;
    if (!lanes_open(&location->lanes, job->trace, job->rules, index, job->subscribers, job->count, &location->error))
      return false;
  }
  return lanes_read(&location->lanes, worker, job->batch);
}

static bool has_many(const struct job *job, const struct location *location)
{
  for (unsigned i = 0; i < job->count; i++)
    if (job->subscribers[i]->queue &&
        item_queue_count(job->subscribers[i]->queue(location->lanes.list[i])) > job->batch / EVENTS_ITEM)
      return true;
  return false;
}

/*
 * All but those that wait for others. The one that the others wait for is always among them: all its items up to what
 * it has reached were taken, but for those of that very tick.
 */
static void choose(struct job *job)
{
  uint64_t least = job->reached;
  uint64_t batch = job->left ? ALL_BATCHES / job->left : 0;
  job->batch = batch > BATCH_MAX ? BATCH_MAX : batch < BATCH_MIN ? BATCH_MIN : batch;
  job->reading_count = 0;
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    const struct location *location = &job->locations[i];
    if (!location->ended &&
        (!location->opened || location->lanes.location.view->last == least || !has_many(job, location)))
      job->reading[job->reading_count++] = i;
  }
}

static void look_how_far(struct job *job)
{
  job->reached = UINT64_MAX;
  job->left = 0;
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    struct location *location = &job->locations[i];
    location->ended = location->lanes.stream == NULL;
    job->left += !location->ended;
    if (!location->ended && location->lanes.location.view->last < job->reached)
      job->reached = location->lanes.location.view->last;
  }
}

/* The time of the next item that nothing can come before any more. False: there is none. */
static bool next_time(const struct job *job, const struct item_queue *queue, uint64_t *time)
{
  return item_queue_time(queue, time) && (*time < job->reached || !job->left);
}

/* Takes the items of one subscriber, as far as all locations are. */
static bool take_items(void *context, unsigned worker, uint32_t item)
{
  (void)worker;
  const struct job *job = context;
  const struct subscriber *subscriber = job->subscribers[item];
  struct time_heap *heap = &job->heaps[item];
  uint64_t time;
  heap->count = 0;
  if (!subscriber->queue)
    return true;
  for (uint32_t i = 0; i < job->trace->location_count; i++)
    if (next_time(job, subscriber->queue(job->locations[i].lanes.list[item]), &time))
      time_heap_add(heap, time, i);
  while (heap->count > 0) {
    uint32_t location = heap->entries[0].location;
    struct item_queue *queue = subscriber->queue(job->locations[location].lanes.list[item]);
    if (!subscriber->take(subscriber->context, location, item_queue_first(queue)))
      return false;
    item_queue_drop_first(queue);
    if (next_time(job, queue, &time))
      time_heap_move_first(heap, time);
    else
      time_heap_drop_first(heap);
  }
  return true;
}

/* Why a round failed: if it was no location, there was no memory to take items with. */
static bool fail(const struct job *job, struct trace_error *error)
{
  for (uint32_t i = 0; i < job->trace->location_count; i++) {
    if (job->locations[i].error.message[0]) {
      *error = job->locations[i].error;
      return false;
    }
  }
  return trace_fail(error, "%s: out of memory", job->trace->anchor);
}

static bool prepare(struct job *job)
{
  uint32_t count = job->trace->location_count;
  job->rules = machine_rules(job->trace);
  job->locations = calloc(count + 1, sizeof *job->locations);
  job->reading = calloc(count + 1, sizeof *job->reading);
  job->heaps = calloc(job->count + 1, sizeof *job->heaps);
  job->left = count;
  if (!job->rules || !job->locations || !job->reading || !job->heaps)
    return false;
  for (unsigned i = 0; i < job->count; i++)
    if (!time_heap_init(&job->heaps[i], count))
      return false;
  return true;
}

static void release(struct job *job)
{
  for (uint32_t i = 0; job->locations && i < job->trace->location_count; i++)
    lanes_close(&job->locations[i].lanes);
  for (unsigned i = 0; job->heaps && i < job->count; i++)
    time_heap_free(&job->heaps[i]);
  free(job->rules);
  free(job->locations);
  free(job->reading);
  free(job->heaps);
}

bool pass_in_order(const struct trace *trace, struct pool *pool, const struct subscriber *const *subscribers,
                   unsigned count, struct trace_error *error)
{
  struct job job = {.trace = trace, .subscribers = subscribers, .count = count};
  bool good = prepare(&job);
  while (good && job.left > 0) {
    choose(&job);
    good = pool_run(pool, job.reading_count, read_on, &job);
    if (good)
      look_how_far(&job);
    good = good && pool_run(pool, count, take_items, &job);
  }
  if (!good) {
    if (job.locations && job.heaps)
      fail(&job, error);
    else
      trace_fail(error, "%s: out of memory", trace->anchor);
  }
  release(&job);
  return good;
}
