#include "analyzer/analyses/states/census.h"

#include <stdlib.h>

struct census_taker {
  struct subscriber subscriber;
  const struct trace *trace;
  unsigned workers;
  struct census *parts; /* a worker */
};

struct census_lane {
  const struct census_taker *taker;
  struct census *census; /* the worker's */
  bool thread;           /* not counted yet */
  bool processor;        /* its regions are threads */
};

static void *census_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct census_taker *taker = context;
  struct census_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct census_lane){.taker = taker,
                                 .thread = trace_is_thread(taker->trace, location->number),
                                 .processor = trace_is_processor(taker->trace, location->number)};
  else
    error_set(error, "out of memory");
  return lane;
}

static void census_close_lane(void *context, void *lane)
{
  (void)context;
  free(lane);
}

static void census_brought_by(void *opened, unsigned worker)
{
  struct census_lane *lane = opened;
  lane->census = &lane->taker->parts[worker];
}

static bool count_event(void *opened, const struct trace_event *event)
{
  struct census_lane *lane = opened;
  struct census *census = lane->census;
  census->threads += lane->thread;
  lane->thread = false;
  census->events++;
  census->kinds[event->kind]++;
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE && !lane->processor) {
    census->enters[event->index] += event->weight;
    struct trace_left_out left_out = trace_left_out_by(lane->taker->trace, event);
    if (left_out.instances > 0)
      census->enters[left_out.region] += left_out.instances;
  }
  if (event->time < census->first)
    census->first = event->time;
  if (event->time > census->last)
    census->last = event->time;
  return true;
}

void census_merge(struct census *into, const struct census *from)
{
  for (unsigned i = 0; i < TRACE_KINDS; i++)
    into->kinds[i] += from->kinds[i];
  for (uint32_t i = 0; i < from->regions; i++)
    into->enters[i] += from->enters[i];
  if (from->first < into->first)
    into->first = from->first;
  if (from->last > into->last)
    into->last = from->last;
  into->threads += from->threads;
  into->events += from->events;
}

static bool prepare(struct census *census, uint32_t region_count)
{
  *census = (struct census){.first = UINT64_MAX, .regions = region_count};
  census->enters = calloc(region_count + 1, sizeof *census->enters);
  return census->enters != NULL;
}

struct census_taker *census_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct census_taker *taker = calloc(1, sizeof *taker);
  bool good = taker;
  if (taker) {
    taker->trace = trace;
    taker->workers = pool_workers(pool);
    taker->parts = calloc(taker->workers, sizeof *taker->parts);
    good = taker->parts;
    taker->subscriber = (struct subscriber){.context = taker,
                                            .stateless = true,
                                            .open = census_open_lane,
                                            .brought_by = census_brought_by,
                                            .event = count_event,
                                            .close = census_close_lane};
  }
  for (unsigned i = 0; good && i < taker->workers; i++)
    good = prepare(&taker->parts[i], trace->region_count);
  if (good)
    return taker;
  error_set(error, "%s: out of memory", trace->anchor);
  census_drop(taker);
  return NULL;
}

const struct subscriber *census_subscriber(const struct census_taker *taker)
{
  return &taker->subscriber;
}

/* The first worker's part becomes the sum. */
void census_end(struct census_taker *taker, struct census *census)
{
  *census = taker->parts[0];
  taker->parts[0].enters = NULL;
  for (unsigned i = 1; i < taker->workers; i++)
    census_merge(census, &taker->parts[i]);
  census_drop(taker);
}

void census_drop(struct census_taker *taker)
{
  if (!taker)
    return;
  for (unsigned i = 0; taker->parts && i < taker->workers; i++)
    census_free(&taker->parts[i]);
  free(taker->parts);
  free(taker);
}

bool census_take(const struct trace *trace, struct pool *pool, struct census *census, struct error *error)
{
  *census = (struct census){.first = UINT64_MAX};
  struct census_taker *taker = census_begin(trace, pool, error);
  if (!taker)
    return false;
  const struct subscriber *subscribers[] = {&taker->subscriber};
  bool good = pass_locations(trace, pool, subscribers, 1, error);
  if (good)
    census_end(taker, census);
  else
    census_drop(taker);
  return good;
}

void census_free(struct census *census)
{
  free(census->enters);
  census->enters = NULL;
}
