#include "analyzer/report/sample_times.h"

#include <stdlib.h>

struct sample_times_analysis {
  const struct trace *trace;
  const struct samples *samples;
  struct sample_times times;
  size_t most; /* of a thread */
};

struct time_lane {
  struct sample_times_analysis *analysis;
  uint32_t location;
  struct samples_stream *stream; /* NULL: none is looked at */
};

static bool sample_times_begin_lane(void *context, void *opened, const struct pass_location *location,
                                    struct error *error)
{
  struct sample_times_analysis *analysis = context;
  struct time_lane *lane = opened;
  lane->analysis = analysis;
  lane->location = location->number;
  return samples_stream_of(analysis->trace, analysis->samples, location->number, &lane->stream, error);
}

static void sample_times_close_lane(void *context, void *opened)
{
  (void)context;
  samples_stream_close(((struct time_lane *)opened)->stream);
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
  const struct trace *trace = lane->analysis->trace;
  uint64_t number = 0;
  if (!lane->stream)
    return true;
  while ((event = samples_stream_peek(lane->stream)) != NULL) {
    if (trace_time_is_inside(trace, event->time) &&
        !sample_times_add(&lane->analysis->times.lanes[lane->location], event, number++, lane->analysis->most))
      return false;
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

static bool sample_times_begin(void *state, const struct analysis_input *input)
{
  struct sample_times_analysis *analysis = state;
  size_t locations = input->trace->location_count;
  analysis->trace = input->trace;
  analysis->samples = input->options;
  analysis->most = sample_times_part_of(input->trace, analysis->samples);
  analysis->times = (struct sample_times){.lanes = calloc(locations + 1, sizeof *analysis->times.lanes),
                                          .lane_count = input->trace->location_count};
  return analysis->times.lanes != NULL;
}

static bool sample_times_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct sample_times_analysis *analysis = state;
  *(struct sample_times *)result = analysis->times;
  analysis->times = (struct sample_times){0};
  return true;
}

static void sample_times_free(void *result)
{
  struct sample_times *times = result;
  for (uint32_t i = 0; times->lanes && i < times->lane_count; i++)
    vector_free(&times->lanes[i].list);
  free(times->lanes);
  *times = (struct sample_times){0};
}

static void sample_times_drop(void *state)
{
  sample_times_free(&((struct sample_times_analysis *)state)->times);
}

const struct analysis sample_times_analysis = {.name = "sample times",
                                               .state_size = sizeof(struct sample_times_analysis),
                                               .result_size = sizeof(struct sample_times),
                                               .begin = sample_times_begin,
                                               .lanes = {.stateless = true,
                                                         .lane_size = sizeof(struct time_lane),
                                                         .begin = sample_times_begin_lane,
                                                         .end = sample_times_end_lane,
                                                         .close = sample_times_close_lane},
                                               .end = sample_times_end,
                                               .drop = sample_times_drop,
                                               .free = sample_times_free};
