#include "analyzer/analyses/events/kept.h"

#include "analyzer/analyses/events/reader.h"

#include <stdlib.h>
#include <string.h>

struct kept_lists {
  VECTOR(struct points_list) of;
};

struct kept_lane {
  struct kept_analysis *analysis;
  struct point_reader reader;
  struct hash list_of; /* a type: index in lists */
  struct kept_lists lists;
};

struct kept_analysis {
  const struct trace *trace;
  const struct point_selection *selection;
  bool *wanted;
  struct kept_lists *lists; /* a location */
  size_t most, most_a_list;
};

static bool kept_begin_lane(void *context, void *opened, const struct pass_location *location, struct error *error)
{
  (void)error;
  struct kept_analysis *analysis = context;
  struct kept_lane *lane = opened;
  lane->analysis = analysis;
  lane->reader = (struct point_reader){.trace = analysis->trace,
                                       .selection = analysis->selection,
                                       .wanted = analysis->wanted,
                                       .location = location->number};
  return true;
}

/* Its lists are needed after the pass. */
static void kept_close_lane(void *context, void *opened)
{
  const struct kept_analysis *analysis = context;
  struct kept_lane *lane = opened;
  analysis->lists[lane->reader.location] = lane->lists;
  point_reader_free(&lane->reader);
  hash_free(&lane->list_of);
}

static struct points_list *list_of(struct kept_lane *lane, uint32_t type)
{
  const uint64_t *known = hash_find(&lane->list_of, type);
  if (known)
    return &lane->lists.of.items[*known];
  struct points_list list = {.location = lane->reader.location, .type = type, .every = 1};
  if (!hash_add(&lane->list_of, type, lane->lists.of.count) || !vector_push(&lane->lists.of, list))
    return NULL;
  return &lane->lists.of.items[lane->lists.of.count - 1];
}

/* Each second one goes; the one before stands for it, too. */
static void thin(struct points_list *list)
{
  size_t kept = 0, values = 0;
  for (size_t i = 0; i < list->points.count; i++) {
    struct kept_point point = list->points.items[i];
    if (i % 2 == 1) {
      list->points.items[kept - 1].weight += point.weight;
      continue;
    }
    if (point.count > 0)
      memmove(&list->values.items[values], &list->values.items[point.first], point.count * sizeof *list->values.items);
    point.first = values;
    values += point.count;
    list->points.items[kept++] = point;
  }
  list->points.count = kept;
  list->values.count = values;
  list->every *= 2;
}

static bool kept_keep(const struct kept_analysis *analysis, struct points_list *list, const struct point *point)
{
  if (list->taken++ % list->every != 0) {
    list->points.items[list->points.count - 1].weight += point->weight;
    return true;
  }
  struct kept_point new = {point->time, point->weight, list->values.count, point->count};
  bool good = vector_push(&list->points, new);
  for (uint32_t i = 0; good && i < point->count; i++)
    good = vector_push(&list->values, point->values[i]);
  if (good && list->points.count >= analysis->most_a_list)
    thin(list);
  return good;
}

static bool kept_take_event(void *opened, const struct trace_event *event)
{
  struct kept_lane *lane = opened;
  struct point point;
  struct points_list *list = NULL;
  bool found;
  bool good = point_reader_take(&lane->reader, event, &point, &found);
  if (good && found)
    good = (list = list_of(lane, point.type)) && kept_keep(lane->analysis, list, &point);
  uint64_t missing = 0;
  uint32_t type = good ? point_reader_missing(&lane->reader, event, &missing) : TRACE_NONE;
  if (type != TRACE_NONE && (good = (list = list_of(lane, type))))
    list->missing += missing;
  return good;
}

static bool kept_begin(void *state, const struct analysis_input *input)
{
  struct kept_analysis *analysis = state;
  const struct points_options *options = input->options;
  const struct trace *trace = input->trace;
  analysis->trace = trace;
  analysis->selection = options->selection;
  analysis->most = options->most;
  analysis->wanted = points_wanted(trace, options->selection);
  analysis->lists = calloc(trace->location_count + 1, sizeof *analysis->lists);
  if (!analysis->wanted || !analysis->lists)
    return false;
  size_t types = 0;
  for (uint32_t i = 0; i < trace->region_count + TRACE_KINDS; i++)
    types += analysis->wanted[i];
  size_t lists = types * trace->location_count;
  analysis->most_a_list = 8 * options->most / (lists > 0 ? lists : 1);
  if (analysis->most_a_list > options->most)
    analysis->most_a_list = options->most;
  if (analysis->most_a_list < POINTS_KEPT_LEAST)
    analysis->most_a_list = POINTS_KEPT_LEAST;
  return true;
}

static int kept_by_type(const void *left, const void *right)
{
  const struct points_list *a = left, *b = right;
  int order = (a->location > b->location) - (a->location < b->location);
  return order ? order : (a->type > b->type) - (a->type < b->type);
}

/* Thins the longest lists until all have about as many as may be. */
static void fit(struct points_kept *kept, size_t most)
{
  size_t longest = most;
  for (;;) {
    size_t all = 0;
    for (size_t i = 0; i < kept->lists.count; i++) {
      struct points_list *list = &kept->lists.items[i];
      while (list->points.count > longest)
        thin(list);
      all += list->points.count;
    }
    if (all <= most || longest <= POINTS_KEPT_LEAST)
      return;
    longest = longest / 2 > POINTS_KEPT_LEAST ? longest / 2 : POINTS_KEPT_LEAST;
  }
}

static bool kept_end(void *state, void *result, struct error *error)
{
  (void)error;
  struct kept_analysis *analysis = state;
  struct points_kept *kept = result;
  bool good = true;
  for (uint32_t i = 0; good && i < analysis->trace->location_count; i++) {
    struct kept_lists *lists = &analysis->lists[i];
    good = vector_make_room(&kept->lists, kept->lists.count + lists->of.count);
    for (size_t k = 0; good && k < lists->of.count; k++)
      kept->lists.items[kept->lists.count++] = lists->of.items[k];
    if (good)
      lists->of.count = 0; /* they have moved */
  }
  if (kept->lists.count > 0)
    qsort(kept->lists.items, kept->lists.count, sizeof *kept->lists.items, kept_by_type);
  fit(kept, analysis->most);
  return good;
}

static void free_lists(struct points_list *lists, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    vector_free(&lists[i].points);
    vector_free(&lists[i].values);
  }
}

static void kept_drop(void *state)
{
  struct kept_analysis *analysis = state;
  for (uint32_t i = 0; analysis->lists && i < analysis->trace->location_count; i++) {
    free_lists(analysis->lists[i].of.items, analysis->lists[i].of.count);
    vector_free(&analysis->lists[i].of);
  }
  free(analysis->lists);
  free(analysis->wanted);
}

static void kept_free(void *result)
{
  struct points_kept *kept = result;
  free_lists(kept->lists.items, kept->lists.count);
  vector_free(&kept->lists);
}

const struct analysis points_analysis = {.name = "events",
                                         .state_size = sizeof(struct kept_analysis),
                                         .result_size = sizeof(struct points_kept),
                                         .begin = kept_begin,
                                         .lanes = {.stateless = true,
                                                   .lane_size = sizeof(struct kept_lane),
                                                   .begin = kept_begin_lane,
                                                   .event = kept_take_event,
                                                   .close = kept_close_lane},
                                         .end = kept_end,
                                         .drop = kept_drop,
                                         .free = kept_free};
