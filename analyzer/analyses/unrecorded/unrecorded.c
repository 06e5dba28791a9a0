#include "analyzer/analyses/unrecorded/unrecorded.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>

struct unrecorded_taker {
  struct subscriber subscriber;
  const struct trace *trace;
  unsigned workers;
  struct unrecorded_construct **parts; /* a worker: one a region; NULL: nothing was skipped */
};

struct unrecorded_lane {
  const struct unrecorded_taker *taker;
  struct unrecorded_construct *part; /* the worker's */
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  (void)location;
  const struct unrecorded_taker *taker = context;
  struct unrecorded_lane *lane = calloc(1, sizeof *lane);
  if (lane)
    *lane = (struct unrecorded_lane){.taker = taker};
  else
    error_set(error, "%s: out of memory", taker->trace->anchor);
  return lane;
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  free(opened);
}

static void brought_by(void *opened, unsigned worker)
{
  struct unrecorded_lane *lane = opened;
  if (lane->taker->parts)
    lane->part = lane->taker->parts[worker];
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct unrecorded_lane *lane = opened;
  const struct trace *trace = lane->taker->trace;
  if (event->kind != TRACE_Enter || event->index == TRACE_NONE)
    return true;
  lane->part[event->index].recorded++;
  lane->part[event->index].executions += event->weight;
  struct trace_left_out left_out = trace_left_out_by(trace, event);
  if (left_out.instances > 0) {
    lane->part[left_out.region].executions += left_out.instances;
    return true;
  }
  uint32_t construct = event->attributes ? trace_attribute_region(trace, event, trace->skipped_construct) : TRACE_NONE;
  if (construct == TRACE_NONE || trace_is_profile_row(trace, event))
    return true;
  struct unrecorded_construct *sum = &lane->part[construct];
  sum->instances += trace_attribute(event, trace->instances, 0);
  sum->joined += trace_attribute(event, trace->joined, 0);
  sum->time += trace_attribute(event, trace->time, 0);
  sum->chunks += trace_attribute(event, trace->chunks, 0);
  return true;
}

static void merge_constructs(struct unrecorded_construct *sum, const struct unrecorded_construct *part, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    sum[i].instances += part[i].instances;
    sum[i].joined += part[i].joined;
    sum[i].time += part[i].time;
    sum[i].chunks += part[i].chunks;
    sum[i].executions += part[i].executions;
    sum[i].recorded += part[i].recorded;
  }
}

void unrecorded_merge(struct unrecorded *into, const struct unrecorded *from)
{
  if (from->constructs)
    merge_constructs(into->constructs, from->constructs, from->regions);
}

static bool any_skipped(const struct trace *trace)
{
  if (trace->weight != OTF2_UNDEFINED_ATTRIBUTE)
    return true;
  const char *number = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_INSTANCES_SKIPPED);
  return number && strtoull(number, NULL, 10) > 0;
}

struct unrecorded_taker *unrecorded_begin(const struct trace *trace, struct pool *pool, struct error *error)
{
  struct unrecorded_taker *taker = calloc(1, sizeof *taker);
  bool good = taker;
  if (taker) {
    taker->trace = trace;
    taker->workers = pool_workers(pool);
    taker->subscriber = (struct subscriber){.context = taker,
                                            .stateless = true,
                                            .open = open_lane,
                                            .brought_by = brought_by,
                                            .event = any_skipped(trace) ? take_event : NULL,
                                            .close = close_lane};
    if (taker->subscriber.event)
      good = (taker->parts = calloc(taker->workers, sizeof *taker->parts)) != NULL;
  }
  for (unsigned i = 0; good && taker->parts && i < taker->workers; i++)
    good = (taker->parts[i] = calloc(trace->region_count + 1, sizeof **taker->parts)) != NULL;
  if (good)
    return taker;
  error_set(error, "%s: out of memory", trace->anchor);
  unrecorded_drop(taker);
  return NULL;
}

const struct subscriber *unrecorded_subscriber(const struct unrecorded_taker *taker)
{
  return &taker->subscriber;
}

/* The first worker's part becomes the sum. */
void unrecorded_end(struct unrecorded_taker *taker, struct unrecorded *skipped)
{
  *skipped = (struct unrecorded){taker->parts ? taker->parts[0] : NULL, taker->trace->region_count};
  for (unsigned i = 1; taker->parts && i < taker->workers; i++)
    merge_constructs(skipped->constructs, taker->parts[i], taker->trace->region_count);
  if (taker->parts)
    taker->parts[0] = NULL;
  unrecorded_drop(taker);
}

void unrecorded_drop(struct unrecorded_taker *taker)
{
  if (!taker)
    return;
  for (unsigned i = 0; taker->parts && i < taker->workers; i++)
    free(taker->parts[i]);
  free(taker->parts);
  free(taker);
}

void unrecorded_free(struct unrecorded *skipped)
{
  free(skipped->constructs);
  skipped->constructs = NULL;
}
