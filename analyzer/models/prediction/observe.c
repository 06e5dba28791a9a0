/* A run of a sequence, counted by labels. */
#include "analyzer/models/prediction/data.h"
#include "analyzer/models/prediction/label.h"

#include "analyzer/models/markov/markov.h"
#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

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
  char *label = prediction_label(program, states, state);
  *number = label ? prediction_state(data, label) : UINT32_MAX;
  free(label);
  return *number != UINT32_MAX;
}

/* The numbers of a model's states in the data. The caller frees them. NULL: no memory, or too many. */
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

/* Makes all edges of the model known, then counts them if there is a run. False: too many, or no memory. */
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

/* A parameter that some run before has. */
static bool compare_other(struct prediction_other *other, const struct pes_program *program)
{
  const char *value = pes_program_parameter(program, other->name);
  if (!other->different && (!value || strcmp(value, other->value) != 0)) {
    other->different = strdup(value ? value : "");
    return other->different;
  }
  return true;
}

/* Keeps what tells whether runs differ in what no function has as its parameter. False: no memory. */
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

/* The run's value of each parameter. False: it lacks one. */
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
