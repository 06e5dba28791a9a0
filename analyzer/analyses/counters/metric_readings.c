#include "analyzer/analyses/counters/metric_readings.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

struct metric_readings_lane {
  struct metric_readings_analysis *analysis;
  uint32_t location;
  VECTOR(struct metric_readings_list) lists;  /* few */
  VECTOR(struct metric_readings_list) latest; /* of each: the last reading, if it was not kept */
};

/* The lists of a location. */
struct metric_readings_part {
  struct metric_readings_list *items;
  size_t count;
};

struct metric_readings_analysis {
  const struct trace *trace;
  struct metric_readings_part *parts; /* a location */
  size_t most, most_a_list;           /* values */
};

static bool metric_readings_exist(const struct trace *trace)
{
  return trace->metric_class_count > 0;
}

static bool metric_readings_begin_lane(void *context, void *opened, const struct pass_location *location,
                                       struct error *error)
{
  (void)error;
  struct metric_readings_lane *lane = opened;
  lane->analysis = context;
  lane->location = location->number;
  return true;
}

static void free_list(struct metric_readings_list *list)
{
  vector_free(&list->times);
  vector_free(&list->values);
}

/* Each second one goes, but for the last. */
static void metric_readings_thin(struct metric_readings_list *list, unsigned count)
{
  size_t kept = 0, all = list->times.count;
  for (size_t i = 0; i < all; i++) {
    if (i % 2 == 1 && i + 1 < all)
      continue;
    list->times.items[kept] = list->times.items[i];
    memmove(&list->values.items[kept * count], &list->values.items[i * count], count * sizeof(double));
    kept++;
  }
  list->times.count = kept;
  list->values.count = kept * count;
  list->every *= 2;
}

/* Times without a processor, which the states have, are none of the program's. */
static bool is_metric_reading(const struct trace *trace, const struct trace_event *event)
{
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE || event->value_count == 0)
    return false;
  const struct trace_metric_class *class = &trace->metric_classes[event->index];
  return class->count == event->value_count && class->metrics[0] != TRACE_NONE &&
         strcmp(trace->metrics[class->metrics[0]], NAME_METRIC_OFF) != 0;
}

/* The place of the list of a class; it is new if there was none. SIZE_MAX: no memory. */
static size_t place_of(struct metric_readings_lane *lane, uint32_t class)
{
  size_t i = 0;
  while (i < lane->lists.count && lane->lists.items[i].class != class)
    i++;
  struct metric_readings_list list = {.location = lane->location, .class = class, .every = 1};
  if (i < lane->lists.count || (vector_push(&lane->latest, list) && vector_push(&lane->lists, list)))
    return i;
  return SIZE_MAX;
}

static bool metric_readings_keep(struct metric_readings_list *list, const struct trace_event *event)
{
  if (!vector_push(&list->times, event->time))
    return false;
  for (uint8_t i = 0; i < event->value_count; i++)
    if (!vector_push(&list->values, trace_metric_value(event, i)))
      return false;
  return true;
}

static bool metric_readings_take_event(void *opened, const struct trace_event *event)
{
  struct metric_readings_lane *lane = opened;
  if (!is_metric_reading(lane->analysis->trace, event))
    return true;
  size_t place = place_of(lane, event->index);
  if (place == SIZE_MAX)
    return false;
  struct metric_readings_list *list = &lane->lists.items[place], *latest = &lane->latest.items[place];
  latest->times.count = latest->values.count = 0;
  if (list->taken++ % list->every != 0)
    return metric_readings_keep(latest, event);
  if (!metric_readings_keep(list, event))
    return false;
  if (list->values.count >= lane->analysis->most_a_list)
    metric_readings_thin(list, event->value_count);
  return true;
}

/* The last reading stays, so that sums are whole. */
static bool metric_readings_end_lane(void *opened)
{
  struct metric_readings_lane *lane = opened;
  bool good = true;
  for (size_t i = 0; good && i < lane->latest.count; i++) {
    struct metric_readings_list *list = &lane->lists.items[i], *latest = &lane->latest.items[i];
    if (latest->times.count == 0)
      continue;
    good = vector_push(&list->times, latest->times.items[0]);
    for (size_t k = 0; good && k < latest->values.count; k++)
      good = vector_push(&list->values, latest->values.items[k]);
  }
  return good;
}

/* Its lists are needed after the pass. */
static void metric_readings_close_lane(void *context, void *opened)
{
  const struct metric_readings_analysis *analysis = context;
  struct metric_readings_lane *lane = opened;
  for (size_t i = 0; i < lane->latest.count; i++)
    free_list(&lane->latest.items[i]);
  vector_free(&lane->latest);
  analysis->parts[lane->location] = (struct metric_readings_part){lane->lists.items, lane->lists.count};
}

static bool metric_readings_begin(void *state, const struct analysis_input *input)
{
  struct metric_readings_analysis *analysis = state;
  size_t locations = input->trace->location_count, least = (size_t)READINGS_LEAST * UINT8_MAX;
  analysis->trace = input->trace;
  analysis->parts = calloc(locations + 1, sizeof *analysis->parts);
  analysis->most = *(const size_t *)input->options;
  analysis->most_a_list = 8 * analysis->most / (locations > 0 ? locations : 1);
  if (analysis->most_a_list < least)
    analysis->most_a_list = least;
  return analysis->parts != NULL;
}

/* Thins the longest lists until all have about as many values as may be. */
static void metric_readings_fit(const struct trace *trace, struct metric_readings *readings, size_t most)
{
  bool more = true;
  for (size_t longest = most; more; longest /= 2) {
    size_t all = 0;
    more = false;
    for (size_t i = 0; i < readings->lists.count; i++) {
      struct metric_readings_list *list = &readings->lists.items[i];
      while (list->values.count > longest && list->times.count > READINGS_LEAST)
        metric_readings_thin(list, trace->metric_classes[list->class].count);
      all += list->values.count;
      more |= list->times.count > READINGS_LEAST;
    }
    more = more && all > most;
  }
}

static bool metric_readings_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct metric_readings_analysis *analysis = state;
  struct metric_readings *readings = result;
  for (uint32_t i = 0; i < analysis->trace->location_count; i++) {
    struct metric_readings_part *part = &analysis->parts[i];
    if (!vector_make_room(&readings->lists, readings->lists.count + part->count))
      return false;
    for (size_t k = 0; k < part->count; k++)
      readings->lists.items[readings->lists.count++] = part->items[k];
    part->count = 0; /* they have moved */
  }
  metric_readings_fit(analysis->trace, readings, analysis->most);
  return true;
}

static void metric_readings_drop(void *state)
{
  struct metric_readings_analysis *analysis = state;
  for (uint32_t i = 0; analysis->parts && i < analysis->trace->location_count; i++) {
    for (size_t k = 0; k < analysis->parts[i].count; k++)
      free_list(&analysis->parts[i].items[k]);
    free(analysis->parts[i].items);
  }
  free(analysis->parts);
}

static void metric_readings_free(void *result)
{
  struct metric_readings *readings = result;
  for (size_t i = 0; i < readings->lists.count; i++)
    free_list(&readings->lists.items[i]);
  vector_free(&readings->lists);
}

const struct analysis metric_readings_analysis = {.name = "readings",
                                                  .state_size = sizeof(struct metric_readings_analysis),
                                                  .result_size = sizeof(struct metric_readings),
                                                  .exists = metric_readings_exist,
                                                  .begin = metric_readings_begin,
                                                  .lanes = {.stateless = true,
                                                            .lane_size = sizeof(struct metric_readings_lane),
                                                            .begin = metric_readings_begin_lane,
                                                            .event = metric_readings_take_event,
                                                            .end = metric_readings_end_lane,
                                                            .close = metric_readings_close_lane},
                                                  .end = metric_readings_end,
                                                  .drop = metric_readings_drop,
                                                  .free = metric_readings_free};
