#include "analyzer/analyses/calls/calls.h"

#include "analyzer/analyses/calls/key_sums.h"

#include <stdlib.h>

/* A worker's sums: keys of cells are context, location, construct, state, trigger; those of times are location,
 * construct, state. */
struct part {
  struct key_sums cells, times;
};

struct calls_adder {
  struct subscriber subscriber;
  struct error *error;
  const struct trace *trace;
  const struct samples *samples;
  unsigned workers;
  struct part *parts; /* by worker */
};

struct calls_lane {
  struct calls_adder *adder;
  uint32_t location;
  struct part *part;             /* the worker's */
  struct samples_stream *stream; /* NULL: none is looked at */
  struct error *error;
  bool out_of_memory;
};

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct calls_adder *adder = context;
  struct calls_lane *lane = calloc(1, sizeof *lane);
  if (!lane) {
    error_set(error, "%s: out of memory", adder->trace->anchor);
    return NULL;
  }
  *lane = (struct calls_lane){.adder = adder, .location = location->number, .error = error};
  if (samples_stream_of(adder->trace, adder->samples, location->number, &lane->stream, error))
    return lane;
  free(lane);
  return NULL;
}

static void close_lane(void *context, void *opened)
{
  (void)context;
  struct calls_lane *lane = opened;
  samples_stream_close(lane->stream);
  free(lane);
}

static void brought_by(void *opened, unsigned worker)
{
  struct calls_lane *lane = opened;
  lane->part = &lane->adder->parts[worker];
}

static void add_sample(struct calls_lane *lane, const struct samples_event *event, uint32_t state, uint32_t construct)
{
  if (!trace_time_is_inside(lane->adder->trace, event->time))
    return;
  struct key_sum sum = {{event->context, lane->location, construct, state, event->trigger}, {event->weight}};
  lane->out_of_memory |= !key_sums_add(&lane->part->cells, &sum);
}

/* Those before a time. Samples and intervals are both in order of time. */
static void add_until(struct calls_lane *lane, uint64_t until, uint32_t state, uint32_t construct)
{
  const struct samples_event *event;
  while (!lane->out_of_memory && (event = samples_stream_peek(lane->stream)) != NULL && event->time < until) {
    add_sample(lane, event, state, construct);
    samples_stream_take(lane->stream);
  }
}

static bool is_on_processor(enum state state)
{
  return state != STATE_READY && state != STATE_OFF && state != STATE_UNMEASURED;
}

static void take_interval(void *opened, const struct state_interval *interval)
{
  struct calls_lane *lane = opened;
  if (!lane->stream)
    return;
  add_until(lane, interval->start, CALLS_OUTSIDE, TRACE_NONE);
  add_until(lane, interval->end, interval->state, interval->construct);
  uint64_t ticks = interval->end - interval->start;
  struct key_sum time = {{lane->location, interval->construct, interval->state},
                         {ticks, is_on_processor(interval->state) ? ticks - interval->off : 0}};
  lane->out_of_memory |= !key_sums_add(&lane->part->times, &time);
}

static bool end_lane(void *opened)
{
  struct calls_lane *lane = opened;
  if (!lane->stream)
    return true;
  add_until(lane, UINT64_MAX, CALLS_OUTSIDE, TRACE_NONE);
  if (samples_stream_failed(lane->stream))
    return false;
  return !lane->out_of_memory || error_set(lane->error, "%s: out of memory", lane->adder->trace->anchor);
}

struct calls_adder *calls_begin(const struct trace *trace, const struct samples *samples, struct pool *pool,
                                struct error *error)
{
  struct calls_adder *adder = calloc(1, sizeof *adder);
  struct part *parts = calloc(pool_workers(pool), sizeof *parts);
  if (!adder || !parts) {
    error_set(error, "%s: out of memory", trace->anchor);
    free(adder);
    free(parts);
    return NULL;
  }
  *adder = (struct calls_adder){.subscriber = {.context = adder,
                                               .open = open_lane,
                                               .brought_by = brought_by,
                                               .interval = take_interval,
                                               .end = end_lane,
                                               .close = close_lane},
                                .error = error,
                                .trace = trace,
                                .samples = samples,
                                .workers = pool_workers(pool),
                                .parts = parts};
  return adder;
}

const struct subscriber *calls_subscriber(const struct calls_adder *adder)
{
  return &adder->subscriber;
}

/* `part` is used up. False: no memory. */
static bool make_calls(struct part *part, struct calls *calls)
{
  key_sums_sort(&part->cells);
  key_sums_sort(&part->times);
  calls->cells = calloc(part->cells.items.count + 1, sizeof *calls->cells);
  calls->times = calloc(part->times.items.count + 1, sizeof *calls->times);
  if (!calls->cells || !calls->times)
    return false;
  for (size_t i = 0; i < part->cells.items.count; i++) {
    const struct key_sum *sum = &part->cells.items.items[i];
    calls->cells[calls->cell_count++] = (struct calls_cell){.context = sum->key[0],
                                                            .location = sum->key[1],
                                                            .construct = sum->key[2],
                                                            .state = sum->key[3],
                                                            .trigger = sum->key[4],
                                                            .samples = (uint64_t)sum->values[0]};
  }
  for (size_t i = 0; i < part->times.items.count; i++) {
    const struct key_sum *sum = &part->times.items.items[i];
    calls->times[calls->time_count++] = (struct calls_time){.location = sum->key[0],
                                                            .construct = sum->key[1],
                                                            .state = sum->key[2],
                                                            .ticks = (uint64_t)sum->values[0],
                                                            .processor = (uint64_t)sum->values[1]};
  }
  return true;
}

bool calls_end(struct calls_adder *adder, struct calls *calls)
{
  *calls = (struct calls){0};
  bool good = true;
  for (unsigned i = 1; good && i < adder->workers; i++)
    good = key_sums_merge(&adder->parts[0].cells, &adder->parts[i].cells) &&
           key_sums_merge(&adder->parts[0].times, &adder->parts[i].times);
  good = (good && make_calls(&adder->parts[0], calls)) ||
         error_set(adder->error, "%s: out of memory", adder->trace->anchor);
  calls_drop(adder);
  return good;
}

static void free_part(struct part *part)
{
  key_sums_free(&part->cells);
  key_sums_free(&part->times);
}

void calls_drop(struct calls_adder *adder)
{
  if (!adder)
    return;
  for (unsigned i = 0; i < adder->workers; i++)
    free_part(&adder->parts[i]);
  free(adder->parts);
  free(adder);
}

bool calls_find(const struct trace *trace, const struct samples *samples, struct pool *pool, struct calls *calls,
                struct error *error)
{
  *calls = (struct calls){0};
  struct calls_adder *adder = calls_begin(trace, samples, pool, error);
  if (!adder)
    return false;
  const struct subscriber *subscribers[] = {&adder->subscriber};
  if (pass_locations(trace, pool, subscribers, 1, error))
    return calls_end(adder, calls);
  calls_drop(adder);
  return false;
}

void calls_free(struct calls *calls)
{
  free(calls->cells);
  free(calls->times);
  *calls = (struct calls){0};
}

/* False: no memory. */
static bool add_calls(struct part *part, const struct calls *calls)
{
  bool good = true;
  for (size_t i = 0; good && i < calls->cell_count; i++) {
    const struct calls_cell *cell = &calls->cells[i];
    good = key_sums_add(&part->cells,
                        &(struct key_sum){{cell->context, cell->location, cell->construct, cell->state, cell->trigger},
                                          {cell->samples}});
  }
  for (size_t i = 0; good && i < calls->time_count; i++) {
    const struct calls_time *time = &calls->times[i];
    good = key_sums_add(&part->times, &(struct key_sum){{time->location, time->construct, time->state},
                                                        {time->ticks, time->processor}});
  }
  return good;
}

bool calls_merge(struct calls *into, const struct calls *from)
{
  struct part part = {0};
  struct calls both = {0};
  bool good = add_calls(&part, into) && add_calls(&part, from) && make_calls(&part, &both);
  free_part(&part);
  if (!good) {
    calls_free(&both);
    return false;
  }
  calls_free(into);
  *into = both;
  return true;
}

uint64_t calls_samples(const struct calls *calls, uint32_t trigger)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < calls->cell_count; i++)
    if (trigger == TRACE_NONE || calls->cells[i].trigger == trigger)
      sum += calls->cells[i].samples;
  return sum;
}
