#include "analyzer/analyses/omitted/omitted.h"

#include "base/apart.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>

struct omitted_analysis {
  const struct trace *trace;
  unsigned workers;
  struct omitted_construct **parts; /* a worker: one a region; NULL: nothing was omitted */
};

struct omitted_lane {
  const struct omitted_analysis *analysis;
  struct omitted_construct *part; /* the worker's */
};

static bool begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)location;
  (void)error;
  ((struct omitted_lane *)opened)->analysis = context;
  return true;
}

static void brought_by(void *opened, unsigned worker)
{
  struct omitted_lane *lane = opened;
  if (lane->analysis->parts)
    lane->part = lane->analysis->parts[worker];
}

static bool take_event(void *opened, const struct trace_event *event)
{
  struct omitted_lane *lane = opened;
  const struct trace *trace = lane->analysis->trace;
  if (event->kind != TRACE_Enter || event->index == TRACE_NONE)
    return true;
  lane->part[event->index].recorded++;
  lane->part[event->index].executions += event->weight;
  struct trace_omitted omitted = trace_omitted_by(trace, event);
  if (omitted.instances > 0) {
    lane->part[omitted.region].executions += omitted.instances;
    return true;
  }
  uint32_t construct = event->attributes ? trace_attribute_region(trace, event, trace->omitted_construct) : TRACE_NONE;
  if (construct == TRACE_NONE || trace_is_profile_row(trace, event))
    return true;
  struct omitted_construct *sum = &lane->part[construct];
  sum->instances += trace_attribute(event, trace->instances, 0);
  sum->joined += trace_attribute(event, trace->joined, 0);
  sum->time += trace_attribute(event, trace->time, 0);
  sum->chunks += trace_attribute(event, trace->chunks, 0);
  return true;
}

static void merge_constructs(struct omitted_construct *sum, const struct omitted_construct *part, uint32_t count)
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

static bool merge(void *into, void *from)
{
  const struct omitted *to = into, *other = from;
  if (other->constructs)
    merge_constructs(to->constructs, other->constructs, other->regions);
  return true;
}

static bool any_omitted(const struct trace *trace)
{
  if (trace->weight != OTF2_UNDEFINED_ATTRIBUTE)
    return true;
  const char *number = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_INSTANCES_SKIPPED);
  return number && strtoull(number, NULL, 10) > 0;
}

static bool begin(void *state, const struct analysis_input *input)
{
  struct omitted_analysis *analysis = state;
  analysis->trace = input->trace;
  analysis->workers = pool_workers(input->pool);
  if (!any_omitted(input->trace))
    return true;
  bool good = (analysis->parts = calloc(analysis->workers, sizeof *analysis->parts)) != NULL;
  for (unsigned i = 0; good && i < analysis->workers; i++)
    good =
        (analysis->parts[i] = apart_calloc((size_t)input->trace->region_count + 1, sizeof **analysis->parts)) != NULL;
  return good;
}

static void adapt(const void *state, struct subscriber *lanes)
{
  const struct omitted_analysis *analysis = state;
  if (!analysis->parts)
    lanes->event = NULL;
}

/* The first worker's part becomes the sum. */
static bool end(void *state, void *result, struct error *error)
{
  (void)error;
  struct omitted_analysis *analysis = state;
  struct omitted *sums = result;
  *sums = (struct omitted){analysis->parts ? analysis->parts[0] : NULL, analysis->trace->region_count};
  for (unsigned i = 1; analysis->parts && i < analysis->workers; i++)
    merge_constructs(sums->constructs, analysis->parts[i], analysis->trace->region_count);
  if (analysis->parts)
    analysis->parts[0] = NULL;
  return true;
}

static void drop(void *state)
{
  struct omitted_analysis *analysis = state;
  for (unsigned i = 0; analysis->parts && i < analysis->workers; i++)
    free(analysis->parts[i]);
  free(analysis->parts);
}

static void free_sums(void *result)
{
  struct omitted *sums = result;
  free(sums->constructs);
  sums->constructs = NULL;
}

const struct analysis omitted_analysis = {.name = "omitted",
                                          .state_size = sizeof(struct omitted_analysis),
                                          .result_size = sizeof(struct omitted),
                                          .begin = begin,
                                          .lanes = {.stateless = true,
                                                    .lane_size = sizeof(struct omitted_lane),
                                                    .begin = begin_lane,
                                                    .brought_by = brought_by,
                                                    .event = take_event},
                                          .adapt = adapt,
                                          .end = end,
                                          .drop = drop,
                                          .merge = merge,
                                          .free = free_sums};
