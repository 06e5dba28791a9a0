#include "analyzer/analyses/events/kept.h"

#include "analyzer/analyses/events/reader.h"

#include <stdlib.h>
#include <string.h>

struct kept_lane {
  const struct points_keeper *keeper;
  struct point_reader reader;
  struct hash list_of; /* a type: index in lists */
  VECTOR(struct points_list) lists;
  struct error *error;
};

struct points_keeper {
  struct subscriber subscriber;
  const struct trace *trace;
  const struct point_selection *selection;
  bool *wanted;
  struct kept_lane *lanes; /* a location */
  size_t most, most_a_list;
  struct points_kept *kept;
};

static void *kept_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct points_keeper *keeper = context;
  struct kept_lane *lane = &keeper->lanes[location->number];
  *lane = (struct kept_lane){.keeper = keeper,
                             .reader = {.trace = keeper->trace,
                                        .selection = keeper->selection,
                                        .wanted = keeper->wanted,
                                        .location = location->number},
                             .error = error};
  return lane;
}

/* Its lists are needed after the pass. */
static void kept_close_lane(void *context, void *opened)
{
  struct kept_lane *lane = opened;
  (void)context;
  point_reader_free(&lane->reader);
  hash_free(&lane->list_of);
}

static struct points_list *list_of(struct kept_lane *lane, uint32_t type)
{
  const uint64_t *known = hash_find(&lane->list_of, type);
  if (known)
    return &lane->lists.items[*known];
  struct points_list list = {.location = lane->reader.location, .type = type, .every = 1};
  if (!hash_add(&lane->list_of, type, lane->lists.count) || !vector_push(&lane->lists, list))
    return NULL;
  return &lane->lists.items[lane->lists.count - 1];
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

static bool kept_keep(const struct points_keeper *keeper, struct points_list *list, const struct point *point)
{
  if (list->taken++ % list->every != 0) {
    list->points.items[list->points.count - 1].weight += point->weight;
    return true;
  }
  struct kept_point new = {point->time, point->weight, list->values.count, point->count};
  bool good = vector_push(&list->points, new);
  for (uint32_t i = 0; good && i < point->count; i++)
    good = vector_push(&list->values, point->values[i]);
  if (good && list->points.count >= keeper->most_a_list)
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
    good = (list = list_of(lane, point.type)) && kept_keep(lane->keeper, list, &point);
  uint64_t missing = 0;
  uint32_t type = good ? point_reader_missing(&lane->reader, event, &missing) : TRACE_NONE;
  if (type != TRACE_NONE && (good = (list = list_of(lane, type))))
    list->missing += missing;
  return good || error_set(lane->error, "%s: out of memory", lane->reader.trace->anchor);
}

struct points_keeper *points_keep(const struct trace *trace, const struct point_selection *selection, size_t most,
                                  struct points_kept *kept, struct error *error)
{
  struct points_keeper *keeper = calloc(1, sizeof *keeper);
  *kept = (struct points_kept){{0}};
  if (keeper) {
    *keeper = (struct points_keeper){.trace = trace, .selection = selection, .most = most, .kept = kept};
    keeper->wanted = points_wanted(trace, selection);
    keeper->lanes = calloc(trace->location_count + 1, sizeof *keeper->lanes);
    keeper->subscriber = (struct subscriber){.context = keeper,
                                             .stateless = true,
                                             .open = kept_open_lane,
                                             .event = kept_take_event,
                                             .close = kept_close_lane};
  }
  if (!keeper || !keeper->wanted || !keeper->lanes) {
    error_set(error, "%s: out of memory", trace->anchor);
    points_kept_drop(keeper);
    return NULL;
  }
  size_t types = 0;
  for (uint32_t i = 0; i < trace->region_count + TRACE_KINDS; i++)
    types += keeper->wanted[i];
  size_t lists = types * trace->location_count;
  keeper->most_a_list = 8 * most / (lists > 0 ? lists : 1);
  if (keeper->most_a_list > most)
    keeper->most_a_list = most;
  if (keeper->most_a_list < POINTS_KEPT_LEAST)
    keeper->most_a_list = POINTS_KEPT_LEAST;
  return keeper;
}

const struct subscriber *points_keeper_subscriber(const struct points_keeper *keeper)
{
  return &keeper->subscriber;
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

bool points_kept_end(struct points_keeper *keeper)
{
  struct points_kept *kept = keeper->kept;
  bool good = true;
  for (uint32_t i = 0; good && i < keeper->trace->location_count; i++) {
    struct kept_lane *lane = &keeper->lanes[i];
    good = vector_make_room(&kept->lists, kept->lists.count + lane->lists.count);
    for (size_t k = 0; good && k < lane->lists.count; k++)
      kept->lists.items[kept->lists.count++] = lane->lists.items[k];
    if (good)
      lane->lists.count = 0; /* they have moved */
  }
  if (kept->lists.count > 0)
    qsort(kept->lists.items, kept->lists.count, sizeof *kept->lists.items, kept_by_type);
  fit(kept, keeper->most);
  points_kept_drop(keeper);
  return good;
}

static void free_lists(struct points_list *lists, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    vector_free(&lists[i].points);
    vector_free(&lists[i].values);
  }
}

void points_kept_drop(struct points_keeper *keeper)
{
  if (!keeper)
    return;
  for (uint32_t i = 0; keeper->lanes && i < keeper->trace->location_count; i++) {
    free_lists(keeper->lanes[i].lists.items, keeper->lanes[i].lists.count);
    vector_free(&keeper->lanes[i].lists);
  }
  free(keeper->lanes);
  free(keeper->wanted);
  free(keeper);
}

void points_kept_free(struct points_kept *kept)
{
  free_lists(kept->lists.items, kept->lists.count);
  vector_free(&kept->lists);
}
