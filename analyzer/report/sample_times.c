#include "analyzer/report/sample_times.h"

#include <stdlib.h>

struct sample_times_taker {
  struct subscriber subscriber;
  const struct trace *trace;
  const struct samples *samples;
  struct sample_times *times;
  size_t most; /* of a thread */
};

struct time_lane {
  struct sample_times_taker *taker;
  uint32_t location;
  struct samples_stream *stream; /* NULL: none is looked at */
  struct error *error;
};

static void *sample_times_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct sample_times_taker *taker = context;
  struct time_lane *lane = calloc(1, sizeof *lane);
  if (!lane) {
    error_set(error, "%s: out of memory", taker->trace->anchor);
    return NULL;
  }
  *lane = (struct time_lane){.taker = taker, .location = location->number, .error = error};
  if (samples_stream_of(taker->trace, taker->samples, location->number, &lane->stream, error))
    return lane;
  free(lane);
  return NULL;
}

static void sample_times_close_lane(void *context, void *opened)
{
  (void)context;
  struct time_lane *lane = opened;
  samples_stream_close(lane->stream);
  free(lane);
}

/* Keeps each second one of those that are there. */
static void thin(struct sample_times_lane *lane)
{
  size_t kept = 0;
  for (size_t i = 0; i < lane->list.count; i += 2)
    lane->list.items[kept++] = lane->list.items[i];
  lane->list.count = kept;
  lane->every *= 2;
}

bool sample_times_add(struct sample_times_lane *lane, const struct samples_event *event, uint64_t number, size_t most)
{
  if (lane->every == 0)
    lane->every = 1;
  if (number % lane->every != 0)
    return true;
  if (lane->list.count >= most) {
    thin(lane);
    if (number % lane->every != 0)
      return true;
  }
  return vector_push(&lane->list, *event);
}

static bool sample_times_end_lane(void *opened)
{
  struct time_lane *lane = opened;
  const struct samples_event *event;
  const struct trace *trace = lane->taker->trace;
  uint64_t number = 0;
  if (!lane->stream)
    return true;
  while ((event = samples_stream_peek(lane->stream)) != NULL) {
    if (trace_time_is_inside(trace, event->time) &&
        !sample_times_add(&lane->taker->times->lanes[lane->location], event, number++, lane->taker->most))
      return error_set(lane->error, "%s: out of memory", trace->anchor);
    samples_stream_take(lane->stream);
  }
  return !samples_stream_failed(lane->stream);
}

/* The part of a thread, of those with samples. */
static size_t sample_times_part_of(const struct trace *trace, const struct samples *samples)
{
  size_t threads = 0;
  for (uint32_t i = 0; i < trace->location_count; i++)
    threads += ref_map_get(&samples->locations, trace->locations[i].ref) != REF_MAP_NONE;
  size_t part = SAMPLE_TIMES_MOST / (threads > 0 ? threads : 1);
  return part > SAMPLE_TIMES_LEAST ? part : SAMPLE_TIMES_LEAST;
}

struct sample_times_taker *sample_times_begin(const struct trace *trace, const struct samples *samples,
                                              struct sample_times *times, struct error *error)
{
  struct sample_times_taker *taker = calloc(1, sizeof *taker);
  *times = (struct sample_times){.lanes = calloc((size_t)trace->location_count + 1, sizeof *times->lanes),
                                 .lane_count = trace->location_count};
  if (!taker || !times->lanes) {
    error_set(error, "%s: out of memory", trace->anchor);
    free(taker);
    return NULL;
  }
  *taker = (struct sample_times_taker){.subscriber = {.context = taker,
                                                      .stateless = true,
                                                      .open = sample_times_open_lane,
                                                      .end = sample_times_end_lane,
                                                      .close = sample_times_close_lane},
                                       .trace = trace,
                                       .samples = samples,
                                       .times = times,
                                       .most = sample_times_part_of(trace, samples)};
  return taker;
}

const struct subscriber *sample_times_subscriber(const struct sample_times_taker *taker)
{
  return &taker->subscriber;
}

void sample_times_end(struct sample_times_taker *taker)
{
  free(taker);
}

void sample_times_free(struct sample_times *times)
{
  for (uint32_t i = 0; times->lanes && i < times->lane_count; i++)
    vector_free(&times->lanes[i].list);
  free(times->lanes);
  *times = (struct sample_times){0};
}
