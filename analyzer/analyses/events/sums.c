#include "analyzer/analyses/events/sums.h"

#include "analyzer/analyses/events/events.h"
#include "analyzer/trace/pass/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sums_lane {
  struct point_reader reader;
  struct hash row_of; /* a type: index in rows */
  VECTOR(struct points_row) rows;
  uint64_t first, last;
  struct error *error;
};

struct taker {
  const struct trace *trace;
  const struct point_selection *selection;
  bool *wanted;
  struct sums_lane *lanes; /* a location */
};

static bool fail(const struct trace *trace, struct error *error)
{
  return error_set(error, "%s: out of memory", trace->anchor);
}

static void *sums_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct taker *taker = context;
  struct sums_lane *lane = &taker->lanes[location->number];
  *lane = (struct sums_lane){.reader = {.trace = taker->trace,
                                        .selection = taker->selection,
                                        .wanted = taker->wanted,
                                        .location = location->number},
                             .first = UINT64_MAX,
                             .error = error};
  return lane;
}

/* Its rows are needed after the pass. */
static void sums_close_lane(void *context, void *opened)
{
  struct sums_lane *lane = opened;
  (void)context;
  point_reader_free(&lane->reader);
  hash_free(&lane->row_of);
}

/* The row of a type; NULL: no memory. */
static struct points_row *row_of(struct sums_lane *lane, uint32_t type)
{
  const uint64_t *known = hash_find(&lane->row_of, type);
  if (known)
    return &lane->rows.items[*known];
  struct points_row row = {.type = type, .location = lane->reader.location, .locations = 1, .first = UINT64_MAX};
  if (!hash_add(&lane->row_of, type, lane->rows.count) || !vector_push(&lane->rows, row))
    return NULL;
  return &lane->rows.items[lane->rows.count - 1];
}

/* The values of an attribute. Points of a type have the same ones in the same order, as a rule: `guess` is tried first.
 * NULL: no memory. */
static struct points_values *values_of(struct points_row *row, uint32_t attribute, size_t guess)
{
  if (guess < row->values.count && row->values.items[guess].attribute == attribute)
    return &row->values.items[guess];
  for (size_t i = 0; i < row->values.count; i++)
    if (row->values.items[i].attribute == attribute)
      return &row->values.items[i];
  struct points_values new = {.attribute = attribute};
  return vector_push(&row->values, new) ? &row->values.items[row->values.count - 1] : NULL;
}

/* Integers of 64 bits are compared as they are. */
static bool is_less(const struct trace_value *left, const struct trace_value *right)
{
  if (left->type == TRACE_INTEGER && right->type == TRACE_INTEGER)
    return left->integer < right->integer;
  if (left->type == TRACE_NATURAL && right->type == TRACE_NATURAL)
    return left->natural < right->natural;
  return trace_value_number(left) < trace_value_number(right);
}

static void merge_values(struct points_values *into, const struct points_values *from)
{
  into->texts += from->texts;
  into->nans += from->nans;
  if (from->numbers == 0)
    return;
  if (into->numbers == 0 || is_less(&from->least, &into->least))
    into->least = from->least;
  if (into->numbers == 0 || is_less(&into->most, &from->most))
    into->most = from->most;
  into->numbers += from->numbers;
  into->sum += from->sum;
}

static bool add_values(struct points_row *row, const struct point *point)
{
  for (uint32_t i = 0; i < point->count; i++) {
    const struct trace_value *value = &point->values[i];
    struct points_values *values = values_of(row, value->attribute, i);
    double number = trace_value_number(value);
    if (!values)
      return false;
    struct points_values one = {.least = *value, .most = *value};
    if (value->type == TRACE_TEXT)
      one.texts = point->weight;
    else if (isnan(number))
      one.nans = point->weight;
    else
      one.numbers = point->weight;
    if (one.numbers > 0)
      one.sum = (long double)number * (long double)point->weight;
    merge_values(values, &one);
  }
  return true;
}

static bool add_point(struct sums_lane *lane, const struct point *point)
{
  struct points_row *row = row_of(lane, point->type);
  if (!row)
    return false;
  row->count += point->weight;
  row->recorded++;
  if (row->first == UINT64_MAX)
    row->first = point->time;
  row->last = point->time;
  return add_values(row, point);
}

/* Events that were not recorded: how many is said once, behind the last recorded one. */
static bool add_missing(struct sums_lane *lane, const struct trace_event *event)
{
  uint64_t missing;
  uint32_t type = point_reader_missing(&lane->reader, event, &missing);
  struct points_row *row = type == TRACE_NONE ? NULL : row_of(lane, type);
  if (row)
    row->count += missing;
  return row || type == TRACE_NONE;
}

static bool sums_take_event(void *opened, const struct trace_event *event)
{
  struct sums_lane *lane = opened;
  struct point point;
  bool found;
  if (event->time < lane->first)
    lane->first = event->time;
  lane->last = event->time;
  bool good = point_reader_take(&lane->reader, event, &point, &found) && (!found || add_point(lane, &point)) &&
              add_missing(lane, event);
  return good || fail(lane->reader.trace, lane->error);
}

static bool merge_row(struct points_row *into, const struct points_row *from)
{
  into->locations += from->locations;
  into->count += from->count;
  into->recorded += from->recorded;
  into->first = from->first < into->first ? from->first : into->first;
  into->last = from->last > into->last ? from->last : into->last;
  for (size_t i = 0; i < from->values.count; i++) {
    struct points_values *values = values_of(into, from->values.items[i].attribute, i);
    if (!values)
      return false;
    merge_values(values, &from->values.items[i]);
  }
  return true;
}

static int sums_by_type(const void *left, const void *right)
{
  const struct points_row *a = left, *b = right;
  int order = (a->type > b->type) - (a->type < b->type);
  return order ? order : (a->location > b->location) - (a->location < b->location);
}

static int by_count(const void *left, const void *right)
{
  const struct points_row *a = left, *b = right;
  return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->type > b->type) - (a->type < b->type);
}

/* Locations one after the other, so that sums of real numbers don't depend on the workers. */
static bool collect(const struct taker *taker, struct points_sums *sums)
{
  for (uint32_t i = 0; i < taker->trace->location_count; i++) {
    struct sums_lane *lane = &taker->lanes[i];
    if (lane->first < sums->first)
      sums->first = lane->first;
    if (lane->last > sums->last)
      sums->last = lane->last;
    for (size_t k = 0; k < lane->rows.count; k++) {
      if (!vector_push(&sums->rows, lane->rows.items[k]))
        return false;
      lane->rows.items[k].values = (__typeof__(lane->rows.items[k].values)){0}; /* they have moved */
    }
  }
  if (sums->rows.count > 0)
    qsort(sums->rows.items, sums->rows.count, sizeof *sums->rows.items, sums_by_type);
  for (size_t i = 0; i < sums->rows.count; i++) {
    const struct points_row *row = &sums->rows.items[i];
    struct points_row total = {.type = row->type, .location = TRACE_NONE, .first = UINT64_MAX};
    bool known = i > 0 && sums->rows.items[i - 1].type == row->type;
    if ((!known && !vector_push(&sums->totals, total)) || !merge_row(&sums->totals.items[sums->totals.count - 1], row))
      return false;
  }
  if (sums->totals.count > 0)
    qsort(sums->totals.items, sums->totals.count, sizeof *sums->totals.items, by_count);
  return true;
}

static void free_rows(struct points_row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    vector_free(&rows[i].values);
}

bool points_add_up(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                   struct points_sums *sums, struct error *error)
{
  *sums = (struct points_sums){.first = UINT64_MAX};
  struct taker taker = {.trace = trace, .selection = selection, .wanted = points_wanted(trace, selection)};
  taker.lanes = calloc(trace->location_count + 1, sizeof *taker.lanes);
  const struct subscriber subscriber = {
      .context = &taker, .stateless = true, .open = sums_open_lane, .event = sums_take_event, .close = sums_close_lane};
  const struct subscriber *list[] = {&subscriber};
  bool good = taker.wanted && taker.lanes;
  if (good) {
    for (uint32_t i = 0; i < trace->location_count; i++)
      taker.lanes[i].first = UINT64_MAX; /* some are never opened */
    good = pass_locations(trace, pool, list, 1, error) && (collect(&taker, sums) || fail(trace, error));
  } else {
    fail(trace, error);
  }
  for (uint32_t i = 0; taker.lanes && i < trace->location_count; i++) {
    free_rows(taker.lanes[i].rows.items, taker.lanes[i].rows.count);
    vector_free(&taker.lanes[i].rows);
  }
  free(taker.lanes);
  free(taker.wanted);
  return good;
}

void points_sums_free(struct points_sums *sums)
{
  free_rows(sums->rows.items, sums->rows.count);
  free_rows(sums->totals.items, sums->totals.count);
  vector_free(&sums->rows);
  vector_free(&sums->totals);
}

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
