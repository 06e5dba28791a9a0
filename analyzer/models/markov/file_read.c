
#include "analyzer/models/json_file/json_file.h"
#include "analyzer/models/markov/file.h"
#include "analyzer/models/markov/higher_order.h"
#include "analyzer/models/markov/model.h"
#include "analyzer/models/markov/pooling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads durations of a state. Cells ascend, and total, minimum, maximum and squares must be possible for them.
 * `occupancy` is empty before. False: an error.
 */
static bool read_cells(const struct json_file *file, const json_t *cells, struct markov_distribution *occupancy,
                       bool exact, unsigned __int128 *least, unsigned __int128 *most)
{
  uint64_t before = 0, low, times;
  if (exact && json_array_size(cells) > MARKOV_EXACT_VALUES)
    return json_file_damaged(file, "an exact distribution has more than %d values", MARKOV_EXACT_VALUES);
  for (size_t i = 0; i < json_array_size(cells); i++) {
    const json_t *pair = json_array_get(cells, i);
    if (!json_file_number(file, json_array_get(pair, 0), "a cell", INT64_MAX, &low) ||
        !json_file_number(file, json_array_get(pair, 1), "a cell's count", INT64_MAX, &times))
      return false;
    if (times == 0 || (i > 0 && low <= before) || (!exact && low != markov_bucket_low(low)) ||
        times > INT64_MAX - occupancy->count)
      return json_file_damaged(file, "cells are empty, too large, no buckets, or don't ascend");
    before = low;
    *least += (unsigned __int128)low * times;
    *most += (unsigned __int128)(exact ? low : markov_bucket_high(low)) * times;
    if (*most >> 126 != 0)
      return json_file_damaged(file, "occupancies add up to 2^63 or more");
    if (exact ? !markov_distribution_add(occupancy, low, times) : !markov_distribution_put(occupancy, low, times))
      return json_file_no_memory(file);
    if (!exact)
      occupancy->count += times;
  }
  return true;
}

static bool read_occupancy(const struct json_file *file, const json_t *object, struct markov_distribution *occupancy)
{
  uint64_t total, min, max;
  unsigned __int128 least = 0, most = 0;
  const json_t *cells = json_object_get(object, "cells");
  const json_t *exact = json_object_get(object, "exact"), *squares = json_object_get(object, "squares");
  if (!json_is_array(cells))
    return json_file_damaged(file, "cells is not a list");
  if (!json_file_number(file, json_object_get(object, "total"), "total", INT64_MAX, &total) ||
      !json_file_number(file, json_object_get(object, "min"), "min", total, &min) ||
      !json_file_number(file, json_object_get(object, "max"), "max", total, &max))
    return false;
  if (!json_is_boolean(exact) || !json_is_number(squares) || json_array_size(cells) == 0)
    return json_file_damaged(file, "an occupancy lacks cells, exact or squares");
  occupancy->exact = json_is_true(exact);
  if (!read_cells(file, cells, occupancy, json_is_true(exact), &least, &most))
    return false;
  if (total < least || total > most)
    return json_file_damaged(file, "an occupancy's total does not fit its cells");
  double sum = json_number_value(squares), range = (double)max - (double)min;
  if (occupancy->exact) {
    if (occupancy->min != min || occupancy->max != max)
      return json_file_damaged(file, "minimum or maximum don't fit the cells");
    if (!(fabs(sum - occupancy->squares) <= 1e-6 * occupancy->squares))
      return json_file_damaged(file, "the squares of an occupancy don't fit its cells");
    occupancy->squares = sum; /* to the last digit what was written, whatever order it was summed up in */
    return true;
  }
  uint64_t first = (uint64_t)json_integer_value(json_array_get(json_array_get(cells, 0), 0));
  uint64_t last = (uint64_t)json_integer_value(json_array_get(json_array_get(cells, json_array_size(cells) - 1), 0));
  if (markov_bucket_low(min) != first || markov_bucket_low(max) != last)
    return json_file_damaged(file, "minimum or maximum don't fit the cells");
  if (!(sum >= 0 && sum <= (double)occupancy->count * range * range * 1.001))
    return json_file_damaged(file, "the squares of an occupancy are impossible");
  occupancy->total = total;
  occupancy->min = min;
  occupancy->max = max;
  occupancy->squares = sum;
  occupancy->mean = markov_distribution_mean(occupancy);
  return true;
}

/* Reads models from untrusted JSON. */

enum {
  CELLS_MOST = 1 << 22
}; /* limit for all phases together: each has states and values of its own, and a short file must not ask for much */

struct file_read_state {
  struct json_file file;
  struct pes_program *program; /* program of all models, like the table of states */
  struct pes_states *states;
  uint32_t state_count;
  struct markov_pooled_counts counts; /* of one model */
  struct markov_series *series;
};

static bool member(struct file_read_state *reading, const json_t *object, const char *key, uint64_t max,
                   uint64_t *result)
{
  return json_file_number(&reading->file, json_object_get(object, key), key, max, result);
}

static const json_t *array(struct file_read_state *reading, const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  if (json_is_array(value) && json_array_size(value) < PES_NONE)
    return value;
  json_file_damaged(&reading->file, "%s is not a list", key);
  return NULL;
}

static bool word(struct file_read_state *reading, const json_t *object, const char *key, const char *zero,
                 const char *one, bool *is_one)
{
  const char *value = json_string_value(json_object_get(object, key));
  *is_one = value && strcmp(value, one) == 0;
  return *is_one || (value && strcmp(value, zero) == 0) ||
         json_file_damaged(&reading->file, "%s is neither %s nor %s", key, zero, one);
}

static bool read_values(struct file_read_state *reading, uint32_t set, const json_t *values)
{
  struct pes_program *program = reading->program;
  for (size_t i = 0; i < json_array_size(values); i++) {
    const json_t *value = json_array_get(values, i), *id = json_array_get(value, 0);
    if (!json_is_integer(id))
      return json_file_damaged(&reading->file, "a value has no id");
    const struct pes_set *own = &program->sets[set];
    if (own->count > 0 && json_integer_value(id) <= own->values[own->count - 1].id)
      return json_file_damaged(&reading->file, "the ids of values don't ascend");
    char *name = json_file_text(&reading->file, json_array_get(value, 1));
    char *code = name ? json_file_text(&reading->file, json_array_get(value, 2)) : NULL;
    bool good = code && (pes_program_add_value(program, set, json_integer_value(id), name, code) != PES_NONE ||
                         json_file_no_memory(&reading->file));
    free(name);
    free(code);
    if (!good)
      return false;
  }
  return true;
}

static bool read_components(struct file_read_state *reading, const json_t *components)
{
  struct pes_program *program = reading->program;
  for (size_t i = 0; i < json_array_size(components); i++) {
    const json_t *component = json_array_get(components, i);
    uint64_t set;
    if (program->set_count == 0)
      return json_file_damaged(&reading->file, "there are components but no sets");
    char *name = json_file_text(&reading->file, json_array_get(component, 0));
    bool good =
        name && json_file_number(&reading->file, json_array_get(component, 1), "a set", program->set_count - 1, &set) &&
        (pes_program_add_component(program, name, (uint32_t)set) != PES_NONE || json_file_no_memory(&reading->file));
    free(name);
    if (!good)
      return false;
  }
  return true;
}

static bool read_parameters(struct file_read_state *reading, const json_t *parameters)
{
  for (size_t i = 0; i < json_array_size(parameters); i++) {
    const json_t *parameter = json_array_get(parameters, i);
    char *name = json_file_text(&reading->file, json_array_get(parameter, 0));
    char *value = name ? json_file_text(&reading->file, json_array_get(parameter, 1)) : NULL;
    bool good =
        value && (pes_program_set_parameter(reading->program, name, value) || json_file_no_memory(&reading->file));
    free(name);
    free(value);
    if (!good)
      return false;
  }
  return true;
}

static bool read_program(struct file_read_state *reading, const json_t *object)
{
  uint64_t ticks_per_second;
  const json_t *sets = array(reading, object, "sets");
  const json_t *components = sets ? array(reading, object, "components") : NULL;
  const json_t *parameters = components ? array(reading, object, "parameters") : NULL;
  if (!parameters || !member(reading, object, "ticks_per_second", INT64_MAX, &ticks_per_second))
    return false;
  char *name = json_file_text(&reading->file, json_object_get(object, "name"));
  if (!name)
    return false;
  reading->program = pes_program_create(name, ticks_per_second);
  free(name);
  if (!reading->program)
    return json_file_no_memory(&reading->file);
  for (size_t i = 0; i < json_array_size(sets); i++) {
    const json_t *values = json_array_get(sets, i);
    if (!json_is_array(values))
      return json_file_damaged(&reading->file, "a set is not a list");
    uint32_t set = pes_program_add_set(reading->program);
    if (set == PES_NONE)
      return json_file_no_memory(&reading->file);
    if (!read_values(reading, set, values))
      return false;
  }
  return read_components(reading, components) && read_parameters(reading, parameters);
}

/* Reads numbers below `limit`, one a place, or the same for all. The caller frees them. */
static uint32_t *read_numbers(struct file_read_state *reading, const json_t *list, uint32_t limit,
                              const uint32_t *limits)
{
  size_t length = json_array_size(list);
  uint32_t *numbers = calloc(length + 1, sizeof *numbers);
  if (!numbers)
    json_file_no_memory(&reading->file);
  for (size_t i = 0; numbers && i < length; i++) {
    uint64_t value, most = limits ? limits[i] : limit;
    if (most > 0 && json_file_number(&reading->file, json_array_get(list, i), "an element", most - 1, &value)) {
      numbers[i] = (uint32_t)value;
      continue;
    }
    if (most == 0)
      json_file_damaged(&reading->file, "a vector has a value of an empty set");
    free(numbers);
    return NULL;
  }
  return numbers;
}

static bool read_vector(struct file_read_state *reading, const json_t *object, const uint32_t *limits,
                        uint32_t expected)
{
  const json_t *vector = array(reading, object, "vector");
  if (!vector)
    return false;
  if (json_array_size(vector) != reading->program->component_count)
    return json_file_damaged(&reading->file, "a vector does not have one element a component");
  uint32_t *numbers = read_numbers(reading, vector, 0, limits);
  if (!numbers)
    return false;
  uint32_t state = pes_states_intern(reading->states, numbers);
  free(numbers);
  if (state == PES_NONE)
    return json_file_no_memory(&reading->file);
  return state == expected || json_file_damaged(&reading->file, "two states have the same vector");
}

static bool read_neighbour(struct file_read_state *reading, const json_t *object, const char *key, uint32_t *state)
{
  uint64_t value = PES_NONE;
  bool good =
      json_is_null(json_object_get(object, key)) || member(reading, object, key, reading->state_count - 1, &value);
  *state = (uint32_t)value;
  return good;
}

static bool read_aggregate(struct file_read_state *reading, const json_t *object, bool is_filter)
{
  uint32_t before = PES_NONE, after = PES_NONE;
  if (is_filter &&
      (!read_neighbour(reading, object, "before", &before) || !read_neighbour(reading, object, "after", &after)))
    return false;
  char *name = json_file_text(&reading->file, json_object_get(object, "name"));
  if (!name)
    return false;
  struct pes_states *states = reading->states;
  uint32_t state =
      is_filter ? pes_states_add_filter(states, name, before, after) : pes_states_add_pattern(states, name);
  free(name);
  return state != PES_NONE || json_file_no_memory(&reading->file);
}

static bool read_sequences(struct file_read_state *reading, const json_t *object, uint32_t state)
{
  uint64_t others, times;
  const json_t *sequences = array(reading, object, "sequences");
  if (!sequences || !member(reading, object, "other_sequences", INT64_MAX, &others))
    return false;
  for (size_t i = 0; i < json_array_size(sequences); i++) {
    const json_t *pair = json_array_get(sequences, i), *list = json_array_get(pair, 1);
    if (!json_file_number(&reading->file, json_array_get(pair, 0), "a sequence's count", INT64_MAX, &times))
      return false;
    if (!json_is_array(list) || json_array_size(list) > PES_RUN_LENGTH_MAX)
      return json_file_damaged(&reading->file, "a sequence is not a list, or longer than %d", PES_RUN_LENGTH_MAX);
    uint32_t *numbers = read_numbers(reading, list, reading->state_count, NULL);
    if (!numbers)
      return false;
    bool good = pes_states_add_run(reading->states, state, numbers, (uint32_t)json_array_size(list), times);
    free(numbers);
    if (!good)
      return json_file_no_memory(&reading->file);
  }
  pes_states_add_other_runs(reading->states, state, others);
  return true;
}

static bool read_kinds(struct file_read_state *reading, const json_t *states)
{
  const struct pes_program *program = reading->program;
  uint32_t *limits = calloc((size_t)program->component_count + 1, sizeof *limits);
  bool good = limits || json_file_no_memory(&reading->file);
  for (uint32_t i = 0; good && i < program->component_count; i++)
    limits[i] = program->sets[program->components[i].set].count;
  for (uint32_t i = 0; good && i < reading->state_count; i++) {
    const json_t *object = json_array_get(states, i);
    const char *kind = json_string_value(json_object_get(object, "kind"));
    kind = kind ? kind : "";
    if (strcmp(kind, "basic") == 0)
      good = read_vector(reading, object, limits, i);
    else if (strcmp(kind, "filter") == 0 || strcmp(kind, "pattern") == 0)
      good = read_aggregate(reading, object, *kind == 'f');
    else
      good = json_file_damaged(&reading->file, "state %u has an unknown kind", i);
  }
  for (uint32_t i = 0; good && i < reading->state_count; i++) {
    if (pes_state(reading->states, i)->kind != PES_BASIC)
      good = read_sequences(reading, json_array_get(states, i), i);
  }
  free(limits);
  return good;
}

static bool read_model_state(struct file_read_state *reading, const json_t *object, uint32_t state)
{
  struct markov_state *own = &reading->counts.states.items[state];
  const json_t *next = array(reading, object, "next"), *occupancy = json_object_get(object, "occupancy");
  if (!next || !member(reading, object, "starts", INT64_MAX, &own->starts) ||
      !member(reading, object, "ends", INT64_MAX, &own->ends) ||
      !member(reading, object, "terminals", INT64_MAX, &own->terminals) ||
      (occupancy && !read_occupancy(&reading->file, occupancy, &own->occupancy)))
    return false;
  int64_t before = -1;
  for (size_t i = 0; i < json_array_size(next); i++) {
    const json_t *pair = json_array_get(next, i);
    uint64_t to, times;
    if (!json_file_number(&reading->file, json_array_get(pair, 0), "a transition's state", reading->state_count - 1,
                          &to) ||
        !json_file_number(&reading->file, json_array_get(pair, 1), "a transition's count", INT64_MAX, &times))
      return false;
    if ((int64_t)to <= before || times == 0)
      return json_file_damaged(&reading->file, "transitions don't ascend, or have no count");
    before = (int64_t)to;
    if (!markov_transition_counts_add(&reading->counts.transitions, state, (uint32_t)to, times))
      return json_file_no_memory(&reading->file);
  }
  return true;
}

/* Checks that arrivals and departures of each state agree with runs, records and transitions. */
static bool check_flow(struct file_read_state *reading, const struct markov_model *model)
{
  unsigned __int128 records = 0, duration = 0, starts = 0, ends = 0, terminals = 0;
  unsigned __int128 *in = calloc((size_t)model->count + 1, sizeof *in),
                    *out = calloc((size_t)model->count + 1, sizeof *out);
  bool keep = model->options.terminal == MARKOV_KEEP, good = in && out;
  for (uint32_t i = 0; good && i < model->count; i++) {
    for (uint32_t k = 0; k < model->list[i].edge_count; k++) {
      in[model->list[i].edges[k].to] += model->list[i].edges[k].count;
      out[i] += model->list[i].edges[k].count;
    }
  }
  if (!good)
    json_file_no_memory(&reading->file);
  for (uint32_t i = 0; good && i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    unsigned __int128 visits = state->occupancy.count, kept = keep ? state->terminals : 0;
    good = in[i] + state->starts == visits + kept && out[i] <= visits && out[i] + state->ends >= visits &&
           (keep || out[i] + state->ends == visits);
    if (!good)
      json_file_damaged(&reading->file, "the transitions of state %u don't fit its occurrences", i);
    records += visits;
    duration += state->occupancy.total;
    starts += state->starts;
    ends += state->ends;
    terminals += state->terminals;
  }
  free(in);
  free(out);
  if (!good)
    return false;
  return (records == model->records && duration == model->duration && starts == model->runs && ends == model->runs &&
          terminals <= model->runs && model->runs > 0) ||
         json_file_damaged(&reading->file, "states don't add up to the model's records, duration and runs");
}

static bool read_rules(struct file_read_state *reading, const json_t *document, struct markov_options *options,
                       uint64_t *order)
{
  bool keep, stay;
  *order = 1;
  if (json_object_get(document, "order") && !member(reading, document, "order", MARKOV_ORDER_MOST, order))
    return false;
  if (!word(reading, document, "terminal", "drop", "keep", &keep) ||
      !word(reading, document, "ends", "restart", "stay", &stay) ||
      !word(reading, document, "deviation", "sample", "population", &options->population))
    return false;
  options->terminal = keep ? MARKOV_KEEP : MARKOV_DROP;
  options->ends = stay ? MARKOV_STAY : MARKOV_RESTART;
  return true;
}

/* Reads the states. */
static bool read_table(struct file_read_state *reading, const json_t *states)
{
  if (json_array_size(states) == 0)
    return json_file_damaged(&reading->file, "it has no states");
  reading->state_count = (uint32_t)json_array_size(states);
  reading->states = pes_states_create(reading->program->component_count);
  if (!reading->states)
    return json_file_no_memory(&reading->file);
  return read_kinds(reading, states);
}

/* Makes a model of the counts. */
static struct markov_model *make_model(struct file_read_state *reading, const struct markov_options *options,
                                       uint64_t order)
{
  struct markov_model *model = markov_pooled_counts_to_model(&reading->counts, options);
  if (model) {
    model->order = (unsigned)order;
    model->program = pes_program_copy(reading->program);
    model->states = markov_copy_states(reading->states);
  }
  if (model && model->program && model->states)
    return model;
  markov_model_free(model);
  json_file_no_memory(&reading->file);
  return NULL;
}

/* Reads the counts of the states of the run, or of one phase of a series, where null is a state that it lacks. */
static bool read_counts(struct file_read_state *reading, const json_t *object, const struct markov_options *options,
                        uint64_t order, bool is_phase)
{
  const json_t *states = array(reading, object, "states");
  if (!states || !member(reading, object, "runs", INT64_MAX, &reading->counts.runs) ||
      !member(reading, object, "records", INT64_MAX, &reading->counts.records) ||
      !member(reading, object, "duration", INT64_MAX, &reading->counts.duration))
    return false;
  if (json_array_size(states) != reading->state_count)
    return json_file_damaged(&reading->file, "a phase does not have one element a state");
  if (!markov_pooled_counts_resize(&reading->counts, reading->state_count))
    return json_file_no_memory(&reading->file);
  for (uint32_t i = 0; i < reading->state_count; i++) {
    const json_t *state = json_array_get(states, i);
    if (!(is_phase && json_is_null(state)) && !read_model_state(reading, state, i))
      return false;
  }
  struct markov_model *model = make_model(reading, options, order);
  if (!model)
    return false;
  reading->series->models[reading->series->count++] = model;
  return check_flow(reading, model);
}

/* The lengths of all phases add up to one length. */
static bool check_sums(struct file_read_state *reading)
{
  unsigned __int128 records = 0, duration = 0;
  for (uint32_t i = 0; i < reading->series->count; i++) {
    records += reading->series->models[i]->records;
    duration += reading->series->models[i]->duration;
  }
  return (records <= INT64_MAX && duration <= INT64_MAX) ||
         json_file_damaged(&reading->file, "the phases last 2^63 ticks or records, or more");
}

/* Completes each phase with states and program. */
static uint64_t cells_of(const struct file_read_state *reading)
{
  uint64_t cells = (uint64_t)reading->state_count * (1 + reading->program->component_count);
  for (uint32_t i = 0; i < reading->program->set_count; i++)
    cells += reading->program->sets[i].count;
  for (uint32_t i = 0; i < reading->state_count; i++) {
    const struct pes_state *state = pes_state(reading->states, i);
    for (uint32_t k = 0; k < state->run_count; k++)
      cells += 1 + state->runs[k].length;
  }
  return cells;
}

static bool read_models(struct file_read_state *reading, const json_t *document)
{
  struct markov_options options = {MARKOV_DROP, MARKOV_RESTART, false};
  uint64_t order;
  const json_t *states = array(reading, document, "states"), *phases = json_object_get(document, "phases");
  bool is_series = json_integer_value(json_object_get(document, "version")) == MARKOV_SERIES_VERSION;
  if (is_series != (phases != NULL))
    return json_file_damaged(&reading->file, "only version %d has phases", MARKOV_SERIES_VERSION);
  if (!states || !read_rules(reading, document, &options, &order) || !read_table(reading, states))
    return false;
  if (!phases)
    return read_counts(reading, document, &options, order, false);
  size_t count = json_array_size(phases); /* 0 if it is no list */
  if (count == 0 || count > MARKOV_SERIES_MOST)
    return json_file_damaged(&reading->file, "phases is not a list of 1 to %d", MARKOV_SERIES_MOST);
  if (count > 1 && count * cells_of(reading) > CELLS_MOST)
    return json_file_damaged(&reading->file, "it has more than %d states and values in all phases", CELLS_MOST);
  bool good = true;
  for (size_t i = 0; good && i < count; i++)
    good = read_counts(reading, json_array_get(phases, i), &options, order, true);
  return good && check_sums(reading);
}

struct markov_series *markov_read_bytes(const char *bytes, size_t size, const char *path, struct error *error)
{
  struct file_read_state reading = {.file = {.path = path, .kind = "model", .error = error},
                                    .series = calloc(1, sizeof *reading.series)};
  if (!reading.series) {
    json_file_no_memory(&reading.file);
    return NULL;
  }
  json_t *document = json_file_document(&reading.file, bytes, size, MARKOV_SERIES_VERSION);
  bool good =
      document && read_program(&reading, json_object_get(document, "program")) && read_models(&reading, document);
  json_decref(document);
  markov_pooled_counts_free(&reading.counts);
  pes_program_free(reading.program);
  pes_states_free(reading.states);
  if (good)
    return reading.series;
  markov_series_free(reading.series);
  return NULL;
}

struct markov_series *markov_read(const char *path, struct error *error)
{
  struct json_file file = {.path = path, .kind = "model", .error = error};
  size_t size;
  char *bytes = json_file_bytes(&file, &size);
  struct markov_series *series = bytes ? markov_read_bytes(bytes, size, path, error) : NULL;
  free(bytes);
  return series;
}
