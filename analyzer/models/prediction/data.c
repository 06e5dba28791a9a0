#include "analyzer/models/prediction/data.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a tree of labels or of pairs holds. */
struct known {
  const char *label;
  struct prediction_edge edge;
  uint32_t number;
};

static int compare_labels(const void *left, const void *right)
{
  return strcmp(((const struct known *)left)->label, ((const struct known *)right)->label);
}

static int compare_edges(const void *left, const void *right)
{
  const struct prediction_edge *a = &((const struct known *)left)->edge, *b = &((const struct known *)right)->edge;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  return a->to == b->to ? 0 : a->to < b->to ? -1 : 1;
}

struct prediction_data *prediction_data_create(const char *const *parameters, uint32_t count)
{
  struct prediction_data *data = calloc(1, sizeof *data);
  bool good = data;
  for (uint32_t p = 0; good && p < count; p++) {
    data->parameters[p] = strdup(parameters[p]);
    data->parameter_count++;
    good = data->parameters[p];
  }
  if (good)
    return data;
  prediction_data_free(data);
  return NULL;
}

void prediction_data_free(struct prediction_data *data)
{
  if (!data)
    return;
  tdestroy(data->labels, free);
  tdestroy(data->pairs, free);
  for (uint32_t i = 0; i < data->state_count; i++)
    free(data->states[i]);
  for (uint32_t i = 0; i < data->run_count; i++) {
    for (uint32_t p = 0; p < data->parameter_count; p++)
      free(data->runs[i].values[p]);
    free(data->runs[i].visits);
    free(data->runs[i].ticks);
    free(data->runs[i].counts);
  }
  for (uint32_t i = 0; i < data->group_count; i++)
    free(data->groups[i].runs);
  free(data->groups);
  free(data->states);
  free(data->edges);
  free(data->runs);
  for (uint32_t i = 0; i < data->other_count; i++) {
    free(data->others[i].name);
    free(data->others[i].value);
    free(data->others[i].different);
  }
  free(data->others);
  free(data->program);
  for (uint32_t p = 0; p < data->parameter_count; p++)
    free(data->parameters[p]);
  free(data);
}

/* The node of what is sought, or a new one with `number`. NULL: no memory. */
static struct known *seek(void **tree, const struct known *sought, int (*compare)(const void *, const void *))
{
  struct known *const *found = tfind(sought, tree, compare);
  if (found)
    return *found;
  struct known *node = malloc(sizeof *node);
  if (!node)
    return NULL;
  *node = *sought;
  if (tsearch(node, tree, compare))
    return node;
  free(node);
  return NULL;
}

uint32_t prediction_state(struct prediction_data *data, const char *label)
{
  struct known sought = {.label = label, .number = data->state_count};
  struct known *const *found = tfind(&sought, &data->labels, compare_labels);
  if (found)
    return (*found)->number;
  if (data->state_count >= PREDICTION_SERIES_MAX || !array_make_room(data->states, data->state_count))
    return UINT32_MAX;
  char *own = strdup(label);
  sought.label = own;
  if (!own || !seek(&data->labels, &sought, compare_labels)) {
    free(own);
    return UINT32_MAX;
  }
  data->states[data->state_count] = own;
  return data->state_count++;
}

uint32_t prediction_edge(struct prediction_data *data, uint32_t from, uint32_t to)
{
  struct known sought = {.edge = {from, to}, .number = data->edge_count};
  if (data->edge_count >= PREDICTION_SERIES_MAX || !array_make_room(data->edges, data->edge_count))
    return UINT32_MAX;
  struct known *node = seek(&data->pairs, &sought, compare_edges);
  if (!node)
    return UINT32_MAX;
  if (node->number == data->edge_count)
    data->edges[data->edge_count++] = sought.edge;
  return node->number;
}

struct prediction_run *prediction_run_create(struct prediction_data *data, const char *const *values)
{
  if (!array_make_room(data->runs, data->run_count))
    return NULL;
  struct prediction_run *run = &data->runs[data->run_count++];
  *run = (struct prediction_run){.visits = calloc((size_t)data->state_count + 1, sizeof *run->visits),
                                 .ticks = calloc((size_t)data->state_count + 1, sizeof *run->ticks),
                                 .counts = calloc((size_t)data->edge_count + 1, sizeof *run->counts),
                                 .state_count = data->state_count,
                                 .edge_count = data->edge_count};
  bool good = run->visits && run->ticks && run->counts;
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    run->values[p] = strdup(values[p]);
    good &= run->values[p] != NULL;
  }
  return good ? run : NULL;
}

bool prediction_number(const char *text, double *x)
{
  char *end;
  *x = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*x);
}

static int compare_values(const struct prediction_data *data, const struct prediction_run *a,
                          const struct prediction_run *b)
{
  int order = 0;
  for (uint32_t p = 0; order == 0 && p < data->parameter_count; p++)
    order = !data->numeric ? strcmp(a->values[p], b->values[p]) : a->x[p] < b->x[p] ? -1 : a->x[p] > b->x[p];
  return order;
}

static int compare_runs(const void *left, const void *right, void *own)
{
  const struct prediction_data *data = own;
  uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
  int order = compare_values(data, &data->runs[i], &data->runs[k]);
  return order ? order : i < k ? -1 : i > k;
}

/* A group of the runs numbers[0] to numbers[count - 1]. False: no memory. */
static bool add_group(struct prediction_data *data, const uint32_t *numbers, uint32_t count)
{
  if (!array_make_room(data->groups, data->group_count))
    return false;
  uint32_t *runs = malloc(count * sizeof *runs);
  if (!runs)
    return false;
  memcpy(runs, numbers, count * sizeof *runs);
  const struct prediction_run *first = &data->runs[numbers[0]];
  struct prediction_group *group = &data->groups[data->group_count++];
  *group = (struct prediction_group){.runs = runs, .run_count = count};
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    group->values[p] = first->values[p];
    group->x[p] = first->x[p];
  }
  return true;
}

const char *prediction_data_names(const struct prediction_data *data, char text[PREDICTION_NAMES_SIZE])
{
  bool two = data->parameter_count == 2;
  snprintf(text, PREDICTION_NAMES_SIZE, "%s%s%s", data->parameters[0], two ? " and " : "",
           two ? data->parameters[1] : "");
  return text;
}

static bool too_many(const struct prediction_data *data, struct error *error)
{
  char names[PREDICTION_NAMES_SIZE];
  bool one = data->parameter_count == 1;
  return error_set(error, "%s %s more than %d %s: fit fewer of them", prediction_data_names(data, names),
                   one ? "has" : "have", PREDICTION_VALUES_MAX, one ? "values" : "pairs of values");
}

bool prediction_data_group(struct prediction_data *data, struct error *error)
{
  uint32_t *order = malloc(((size_t)data->run_count + 1) * sizeof *order);
  bool good = order || error_set(error, "out of memory");
  data->numeric = true;
  for (uint32_t i = 0; good && i < data->run_count; i++) {
    order[i] = i;
    for (uint32_t p = 0; p < data->parameter_count; p++)
      data->numeric &= prediction_number(data->runs[i].values[p], &data->runs[i].x[p]);
  }
  if (good)
    qsort_r(order, data->run_count, sizeof *order, compare_runs, data);
  for (uint32_t i = 0, end; good && i < data->run_count; i = end) {
    for (end = i + 1;
         end < data->run_count && compare_values(data, &data->runs[order[i]], &data->runs[order[end]]) == 0;)
      end++;
    good = add_group(data, order + i, end - i) || error_set(error, "out of memory");
    if (good && data->group_count > PREDICTION_VALUES_MAX)
      good = too_many(data, error);
  }
  free(order);
  uint64_t series = (uint64_t)data->state_count + data->edge_count, values = data->group_count;
  if (good && series * values * values > (uint64_t)PREDICTION_SERIES_MAX * 25)
    good = error_set(error,
                     "%u states and %u transitions at %u values are too many to fit; aggregate or project with "
                     "heddle transform",
                     data->state_count, data->edge_count, data->group_count);
  return good;
}

const char *prediction_data_end(const struct prediction_data *data, uint32_t parameter, bool greatest)
{
  const struct prediction_group *found = &data->groups[0];
  for (uint32_t g = 1; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    double more = data->numeric ? group->x[parameter] - found->x[parameter]
                                : strcmp(group->values[parameter], found->values[parameter]);
    if (greatest ? more > 0 : more < 0)
      found = group;
  }
  return found->values[parameter];
}

uint32_t prediction_data_values(const struct prediction_data *data, uint32_t parameter)
{
  uint32_t count = 0;
  for (uint32_t g = 0; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    bool known = false;
    for (uint32_t i = 0; i < g && !known; i++)
      known = data->numeric ? data->groups[i].x[parameter] == group->x[parameter]
                            : strcmp(data->groups[i].values[parameter], group->values[parameter]) == 0;
    count += !known;
  }
  return count;
}

double prediction_data_common(const struct prediction_data *data, uint32_t *states)
{
  double common = 0, all = 0;
  *states = 0;
  for (uint32_t s = 0; s < data->state_count; s++) {
    double ticks = 0;
    bool everywhere = true;
    for (uint32_t g = 0; g < data->group_count; g++) {
      uint64_t visits = 0;
      for (uint32_t i = 0; i < data->groups[g].run_count; i++) {
        visits += prediction_visits(&data->runs[data->groups[g].runs[i]], s);
        ticks += (double)prediction_ticks(&data->runs[data->groups[g].runs[i]], s);
      }
      everywhere &= visits > 0;
    }
    all += ticks;
    common += everywhere ? ticks : 0;
    *states += everywhere;
  }
  return all > 0 ? common / all : 1;
}
