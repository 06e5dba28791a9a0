#include "analyzer/models/prediction/data.h"

#include "analyzer/models/markov/markov.h"
#include "base/count_of.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 4, SEQUENCE_MAX = 16 };

static bool shares_values(const struct pes_program *program, uint32_t component)
{
  for (uint32_t i = 0; i < program->component_count; i++) {
    if (i != component && program->components[i].set == program->components[component].set)
      return true;
  }
  return false;
}

static void put_vector(FILE *file, const struct pes_program *program, const uint32_t *vector)
{
  bool first = true, delimited = true; /* the code before delimits itself */
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_value *value = &program->sets[program->components[i].set].values[vector[i]];
    if (*value->code == '\0' && program->component_count > 1 && !shares_values(program, i))
      continue;
    const char *code = *value->code ? value->code : value->name;
    bool delimits = pes_code_delimits_itself(code);
    fprintf(file, "%s%s", first || (delimited && delimits) ? "" : ",", code);
    first = false;
    delimited = delimits;
  }
  if (first)
    fputc('-', file);
}

static void put_state(FILE *file, const struct pes_program *program, const struct pes_states *states, uint32_t number,
                      unsigned depth)
{
  if (number == PES_NONE)
    return;
  const struct pes_state *state = pes_state(states, number);
  if (state->kind == PES_BASIC) {
    put_vector(file, program, state->vector);
  } else if (depth == DEPTH_MAX) {
    fputs("...", file);
  } else if (state->kind == PES_FILTER) {
    fputs("filter[", file);
    put_state(file, program, states, state->before, depth + 1);
    fputs(" > ", file);
    put_state(file, program, states, state->after, depth + 1);
    fputc(']', file);
  } else {
    fputs("pattern[", file);
    for (uint32_t i = 0; state->run_count > 0 && i < state->runs[0].length && i < SEQUENCE_MAX; i++) {
      fputs(i > 0 ? " " : "", file);
      put_state(file, program, states, state->runs[0].states[i], depth + 1);
    }
    fprintf(file, "%s]", state->run_count > 0 && state->runs[0].length > SEQUENCE_MAX ? " ..." : "");
  }
}

/*
 * Returns the label of a state. Basic states have their codes, with commas between codes that do not delimit
 * themselves. An empty code is omitted if no other component shares the values (as in heddle pes --vector counts). Runs
 * without such events then have the same labels. Aggregates: the states that they stand for, because T1 of one run may
 * be T2 of the next. The caller frees it. NULL: out of memory.
 */
static char *state_label(const struct pes_program *program, const struct pes_states *states, uint32_t state)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  put_state(file, program, states, state, 0);
  bool good = !ferror(file);
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}

/* Node of a tree of labels or of pairs. */
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

/* Returns the node of a key, a new one with `number` if there is none. NULL: out of memory. */
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

/* Makes a group of the runs numbers[0] to numbers[count - 1]. False: out of memory. */
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

/* Runs: sequences counted by labels. */

static const char *const aliases[][2] = {{"threads", "OMP_NUM_THREADS"}, {"schedule", "OMP_SCHEDULE"}};

static const char *value_of(const struct pes_program *program, const char *parameter)
{
  const char *value = pes_program_parameter(program, parameter);
  for (size_t i = 0; !value && i < COUNT_OF(aliases); i++) {
    if (strcmp(parameter, aliases[i][0]) == 0)
      value = pes_program_parameter(program, aliases[i][1]);
  }
  return value;
}

bool prediction_same_parameter(const char *left, const char *right)
{
  bool same = strcmp(left, right) == 0;
  for (size_t i = 0; !same && i < COUNT_OF(aliases); i++)
    same = (strcmp(left, aliases[i][0]) == 0 && strcmp(right, aliases[i][1]) == 0) ||
           (strcmp(left, aliases[i][1]) == 0 && strcmp(right, aliases[i][0]) == 0);
  return same;
}

/* The length of a program's name without the process id that is behind it: "lu [123]". */
static size_t name_length(const char *name)
{
  const char *bracket = strrchr(name, '[');
  size_t length = strlen(name);
  if (bracket && bracket > name && bracket[-1] == ' ' && strspn(bracket + 1, "0123456789") == strlen(bracket) - 2 &&
      name[length - 1] == ']')
    return (size_t)(bracket - name) - 1;
  return length;
}

static bool add_state(struct prediction_data *data, const struct pes_program *program, const struct pes_states *states,
                      uint32_t state, uint32_t *number)
{
  char *label = state_label(program, states, state);
  *number = label ? prediction_state(data, label) : UINT32_MAX;
  free(label);
  return *number != UINT32_MAX;
}

/* Returns the numbers of a model's states in the data. The caller frees them. NULL: out of memory, or too many. */
static uint32_t *map_states(struct prediction_data *data, const struct markov_model *model)
{
  uint32_t *map = calloc((size_t)model->count + 1, sizeof *map);
  for (uint32_t i = 0; map && i < model->count; i++) {
    if (markov_state_is_used(model, i) && !add_state(data, model->program, model->states, i, &map[i])) {
      free(map);
      return NULL;
    }
  }
  return map;
}

/* Adds all edges of the model, then counts them if there is a run. False: too many, or out of memory. */
static bool count_edges(struct prediction_data *data, const struct markov_model *model, const uint32_t *map,
                        struct prediction_run *run)
{
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    for (uint32_t k = 0; k < state->edge_count + 2; k++) {
      bool inner = k < state->edge_count, start = k == state->edge_count;
      uint64_t count = inner ? state->edges[k].count : start ? state->starts : state->ends;
      if (count == 0)
        continue;
      uint32_t from = start ? PREDICTION_OUTSIDE : map[i];
      uint32_t to = inner ? map[state->edges[k].to] : start ? map[i] : PREDICTION_OUTSIDE;
      uint32_t edge = prediction_edge(data, from, to);
      if (edge == UINT32_MAX)
        return false;
      if (run)
        run->counts[edge] += count;
    }
  }
  return true;
}

static bool count_run(struct prediction_data *data, const struct markov_model *model, const char *const *values)
{
  uint32_t *map = map_states(data, model);
  struct prediction_run *run = NULL;
  if (map && count_edges(data, model, map, NULL))
    run = prediction_run_create(data, values);
  bool good = run && count_edges(data, model, map, run);
  uint64_t from = model->program->ticks_per_second, to = data->ticks_per_second;
  unsigned __int128 all = 0;
  for (uint32_t i = 0; good && i < model->count; i++) {
    const struct markov_distribution *occupancy = &model->list[i].occupancy;
    unsigned __int128 ticks = occupancy->total;
    if (occupancy->count == 0)
      continue;
    if (from != to)
      ticks = (ticks * to + from / 2) / from;
    all += ticks;
    good = all <= PREDICTION_COUNT_LIMIT && model->records <= PREDICTION_COUNT_LIMIT;
    run->visits[map[i]] += occupancy->count;
    run->ticks[map[i]] += (uint64_t)ticks;
  }
  free(map);
  return good;
}

static bool check_program(struct prediction_data *data, const struct pes_program *program, bool any,
                          struct error *error)
{
  size_t length = name_length(program->name);
  if (!data->program) {
    data->program = strndup(program->name, length);
    data->ticks_per_second = program->ticks_per_second;
    return data->program || error_set(error, "out of memory");
  }
  if ((data->ticks_per_second == 0) != (program->ticks_per_second == 0))
    return error_set(error, "only some of the runs have a known unit of time");
  bool same = strlen(data->program) == length && strncmp(data->program, program->name, length) == 0;
  return any || same ||
         error_set(error, "it is a run of %s, but the first one is of %s; --any accepts both", program->name,
                   data->program);
}

static bool is_named(const struct prediction_data *data, const char *parameter)
{
  bool named = false;
  for (uint32_t p = 0; p < data->parameter_count; p++)
    named |= prediction_same_parameter(data->parameters[p], parameter);
  return named;
}

/* Returns a parameter of an earlier run. */
static bool compare_other(struct prediction_other *other, const struct pes_program *program)
{
  const char *value = pes_program_parameter(program, other->name);
  if (!other->different && (!value || strcmp(value, other->value) != 0)) {
    other->different = strdup(value ? value : "");
    return other->different;
  }
  return true;
}

/* Compares the parameters that no function uses with the parameters of earlier runs. False: out of memory. */
static bool look_at_others(struct prediction_data *data, const struct pes_program *program)
{
  for (uint32_t i = 0; i < data->other_count; i++) {
    if (!compare_other(&data->others[i], program))
      return false;
  }
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    const struct pes_parameter *parameter = &program->parameters[i];
    bool known = is_named(data, parameter->name);
    for (uint32_t k = 0; k < data->other_count && !known; k++)
      known = strcmp(data->others[k].name, parameter->name) == 0;
    if (known)
      continue;
    if (!array_make_room(data->others, data->other_count))
      return false;
    struct prediction_other *other = &data->others[data->other_count++];
    *other = (struct prediction_other){strdup(parameter->name), strdup(parameter->value),
                                       data->run_count > 0 ? strdup("") : NULL};
    if (!other->name || !other->value || (data->run_count > 0 && !other->different))
      return false;
  }
  return true;
}

const struct prediction_other *prediction_data_differs(const struct prediction_data *data, uint32_t *next)
{
  while (*next < data->other_count) {
    const struct prediction_other *other = &data->others[(*next)++];
    if (other->different)
      return other;
  }
  return NULL;
}

/* Finds the run's value of each parameter. False: it lacks one. */
static bool find_values(const struct prediction_data *data, const struct pes_program *program, const char **values,
                        struct error *error)
{
  for (uint32_t p = 0; p < data->parameter_count; p++) {
    values[p] = value_of(program, data->parameters[p]);
    if (!values[p])
      return error_set(error,
                       "it has no parameter %s; give it one: heddle pes --param %s=... -o NEW.pes SEQUENCE-OR-TRACE",
                       data->parameters[p], data->parameters[p]);
  }
  return true;
}

bool prediction_data_add(struct prediction_data *data, const char *name, struct pes_stream *stream, bool any,
                         struct error *error)
{
  static const struct markov_options options = {MARKOV_DROP, MARKOV_RESTART, false};
  struct error why = {{0}};
  const char *values[PREDICTION_PARAMETERS_MAX];
  bool good = find_values(data, stream->program, values, &why) && check_program(data, stream->program, any, &why);
  good = good && (look_at_others(data, stream->program) || error_set(&why, "out of memory"));
  struct markov_model *model = good ? markov_model_of(stream, &options, &why) : NULL;
  good = model &&
         (count_run(data, model, values) ||
          error_set(&why, "it has too many states or transitions, or lasts 2^53 ticks or more, or memory ran out"));
  markov_model_free(model);
  return good || error_set(error, "%s: %s", name, why.message);
}
