#include "analyzer/survey/sums.h"

#include <stdlib.h>

struct states_adder {
  struct subscriber subscriber;
  const struct trace *trace;
  unsigned workers;
  struct states_thread *threads;
  struct states_construct **parts; /* a worker: one a region, and one for time outside */
};

struct sums_lane {
  struct states_adder *adder;
  const struct pass_location *location;
  struct states_construct *part; /* the worker's */
  bool thread;
  uint64_t events;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct states_adder *adder = context;
  struct sums_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct sums_lane){
        .adder = adder, .location = location, .thread = trace_is_thread(adder->trace, location->number)};
  else
    error_set(error, "%s: out of memory", adder->trace->anchor);
  return lane;
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

static void brought_by(void *opened, unsigned worker)
{
  struct sums_lane *lane = opened;
  lane->part = lane->adder->parts[worker];
}

static void add_interval(void *opened, const struct state_interval *interval)
{
  const struct sums_lane *lane = opened;
  if (!lane->thread)
    return;
  uint32_t at = interval->construct == TRACE_NONE ? lane->adder->trace->region_count : interval->construct;
  lane->part[at].ticks[interval->state] += interval->end - interval->start;
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  if (!lane->thread)
    return true;
  lane->events++;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !lane->location->view->in_part)
    lane->part[event->index].calls += event->weight;
  return true;
}

static bool keep_thread(void *opened)
{
  const struct sums_lane *lane = opened;
  if (!lane->thread)
    return true;
  const struct pass_location *location = lane->location;
  struct states_thread *thread = &lane->adder->threads[location->number];
  for (unsigned i = 0; i < STATES; i++)
    thread->ticks[i] = location->ticks[i];
  thread->alive = location->alive;
  thread->first = location->first;
  thread->last = location->last;
  thread->events = lane->events;
  thread->unmatched = location->alive ? location->view->unmatched : 0;
  return true;
}

struct states_adder *states_sums_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct states_adder *adder = calloc(1, sizeof *adder);
  bool good = adder;
  if (adder) {
    adder->trace = trace;
    adder->workers = pool_workers(pool);
    adder->threads = calloc(trace->location_count + 1, sizeof *adder->threads);
    adder->parts = calloc(adder->workers, sizeof *adder->parts);
    good = adder->threads && adder->parts;
    adder->subscriber = (struct subscriber){.context = adder,
                                            .open = open_lane,
                                            .brought_by = brought_by,
                                            .event = take_event,
                                            .interval = add_interval,
                                            .end = keep_thread,
                                            .close = close_lane};
  }
  for (unsigned i = 0; good && i < adder->workers; i++)
    good = (adder->parts[i] = calloc(trace->region_count + 1, sizeof **adder->parts)) != NULL;
  if (good)
    return adder;
  error_set(error, "%s: out of memory", trace->anchor);
  states_sums_drop(adder);
  return NULL;
}

const struct subscriber *states_sums_subscriber(const struct states_adder *adder)
{
  return &adder->subscriber;
}

static void merge_constructs(struct states_construct *sums, const struct states_construct *part, uint32_t region_count)
{
  for (uint32_t i = 0; i <= region_count; i++) {
    sums[i].calls += part[i].calls;
    for (unsigned state = 0; state < STATES; state++)
      sums[i].ticks[state] += part[i].ticks[state];
  }
}

void states_sums_merge(struct states_sums *into, const struct states_sums *from)
{
  for (uint32_t i = 0; i < from->locations; i++)
    if (from->threads[i].alive)
      into->threads[i] = from->threads[i];
  merge_constructs(into->constructs, from->constructs, from->regions);
}

/* The first worker's part becomes the sum. */
void states_sums_end(struct states_adder *adder, struct states_sums *sums)
{
  for (unsigned i = 1; i < adder->workers; i++)
    merge_constructs(adder->parts[0], adder->parts[i], adder->trace->region_count);
  *sums =
      (struct states_sums){adder->threads, adder->parts[0], adder->trace->location_count, adder->trace->region_count};
  adder->threads = NULL;
  adder->parts[0] = NULL;
  states_sums_drop(adder);
}

void states_sums_drop(struct states_adder *adder)
{
  if (!adder)
    return;
  for (unsigned i = 0; adder->parts && i < adder->workers; i++)
    free(adder->parts[i]);
  free(adder->parts);
  free(adder->threads);
  free(adder);
}

bool states_sum(const struct trace *trace, struct pool *pool, struct states_sums *sums, struct error *error)
{
  *sums = (struct states_sums){0};
  struct states_adder *adder = states_sums_begin(trace, pool, error);
  if (!adder)
    return false;
  const struct subscriber *subscribers[] = {&adder->subscriber};
  bool good = pass_locations(trace, pool, subscribers, 1, error);
  if (good)
    states_sums_end(adder, sums);
  else
    states_sums_drop(adder);
  return good;
}

void states_sums_lived(const struct states_sums *sums, uint64_t *first, uint64_t *last)
{
  for (uint32_t i = 0; i < sums->locations; i++) {
    const struct states_thread *thread = &sums->threads[i];
    if (thread->alive && thread->first < *first)
      *first = thread->first;
    if (thread->alive && thread->last > *last)
      *last = thread->last;
  }
}

void states_sums_free(struct states_sums *sums)
{
  free(sums->threads);
  free(sums->constructs);
  *sums = (struct states_sums){0};
}
