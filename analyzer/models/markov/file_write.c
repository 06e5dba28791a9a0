/* Writes a model as JSON. */
#include "analyzer/models/markov/file.h"

#include "analyzer/models/json_file/json_file.h"

#include <stdlib.h>

static json_t *index_or_null(uint32_t index)
{
  return index == PES_NONE ? json_null() : json_file_from_number(index);
}

/* A failed addition shows when the document is complete: then something is missing. */
struct writing {
  bool failed;
};

static void add(struct writing *writing, json_t *array, json_t *value)
{
  writing->failed |= json_array_append_new(array, value) != 0;
}

static void set(struct writing *writing, json_t *object, const char *key, json_t *value)
{
  writing->failed |= json_object_set_new(object, key, value) != 0;
}

static json_t *write_program(struct writing *writing, const struct pes_program *program)
{
  json_t *object = json_object(), *parameters = json_array(), *sets = json_array(), *components = json_array();
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    json_t *pair = json_array();
    add(writing, pair, json_file_from_text(program->parameters[i].name));
    add(writing, pair, json_file_from_text(program->parameters[i].value));
    add(writing, parameters, pair);
  }
  for (uint32_t i = 0; i < program->set_count; i++) {
    json_t *values = json_array();
    for (uint32_t k = 0; k < program->sets[i].count; k++) {
      const struct pes_value *value = &program->sets[i].values[k];
      json_t *one = json_array();
      add(writing, one, json_integer((json_int_t)value->id));
      add(writing, one, json_file_from_text(value->name));
      add(writing, one, json_file_from_text(value->code));
      add(writing, values, one);
    }
    add(writing, sets, values);
  }
  for (uint32_t i = 0; i < program->component_count; i++) {
    json_t *pair = json_array();
    add(writing, pair, json_file_from_text(program->components[i].name));
    add(writing, pair, json_file_from_number(program->components[i].set));
    add(writing, components, pair);
  }
  set(writing, object, "name", json_file_from_text(program->name));
  set(writing, object, "ticks_per_second", json_file_from_number(program->ticks_per_second));
  set(writing, object, "parameters", parameters);
  set(writing, object, "sets", sets);
  set(writing, object, "components", components);
  return object;
}

static json_t *write_vector(struct writing *writing, const uint32_t *numbers, uint32_t length)
{
  json_t *array = json_array();
  for (uint32_t i = 0; i < length; i++)
    add(writing, array, json_file_from_number(numbers[i]));
  return array;
}

static void write_kind(struct writing *writing, const struct markov_model *model, uint32_t number, json_t *object)
{
  static const char *const kinds[] = {[PES_BASIC] = "basic", [PES_FILTER] = "filter", [PES_PATTERN] = "pattern"};
  const struct pes_state *state = pes_state(model->states, number);
  set(writing, object, "kind", json_string(kinds[state->kind]));
  if (state->kind == PES_BASIC) {
    set(writing, object, "vector", write_vector(writing, state->vector, model->program->component_count));
    return;
  }
  set(writing, object, "name", json_file_from_text(state->name));
  if (state->kind == PES_FILTER) {
    set(writing, object, "before", index_or_null(state->before));
    set(writing, object, "after", index_or_null(state->after));
  }
  json_t *runs = json_array();
  for (uint32_t i = 0; i < state->run_count; i++) {
    json_t *pair = json_array();
    add(writing, pair, json_file_from_number(state->runs[i].count));
    add(writing, pair, write_vector(writing, state->runs[i].states, state->runs[i].length));
    add(writing, runs, pair);
  }
  set(writing, object, "sequences", runs);
  set(writing, object, "other_sequences", json_file_from_number(state->other_runs));
}

static json_t *write_occupancy(struct writing *writing, const struct markov_distribution *occupancy)
{
  size_t cell_count;
  struct markov_cell *cells = markov_distribution_cells(occupancy, &cell_count);
  json_t *object = json_object(), *array = json_array();
  writing->failed |= !cells;
  for (size_t i = 0; cells && i < cell_count; i++) {
    uint64_t low = occupancy->exact ? cells[i].low : markov_bucket_low(cells[i].low);
    json_t *pair = json_array();
    add(writing, pair, json_file_from_number(low));
    add(writing, pair, json_file_from_number(cells[i].count));
    add(writing, array, pair);
  }
  free(cells);
  set(writing, object, "total", json_file_from_number(occupancy->total));
  set(writing, object, "min", json_file_from_number(occupancy->min));
  set(writing, object, "max", json_file_from_number(occupancy->max));
  set(writing, object, "squares", json_real(occupancy->squares));
  set(writing, object, "exact", json_boolean(occupancy->exact));
  set(writing, object, "cells", array);
  return object;
}

/* Visits, durations and successors of a state. */
static void write_counts(struct writing *writing, const struct markov_state *state, json_t *object)
{
  json_t *next = json_array();
  set(writing, object, "starts", json_file_from_number(state->starts));
  set(writing, object, "ends", json_file_from_number(state->ends));
  set(writing, object, "terminals", json_file_from_number(state->terminals));
  if (state->occupancy.count > 0)
    set(writing, object, "occupancy", write_occupancy(writing, &state->occupancy));
  for (uint32_t i = 0; i < state->edge_count; i++) {
    json_t *pair = json_array();
    add(writing, pair, json_file_from_number(state->edges[i].to));
    add(writing, pair, json_file_from_number(state->edges[i].count));
    add(writing, next, pair);
  }
  set(writing, object, "next", next);
}

static void write_sums(struct writing *writing, const struct markov_model *model, json_t *object)
{
  set(writing, object, "runs", json_file_from_number(model->runs));
  set(writing, object, "records", json_file_from_number(model->records));
  set(writing, object, "duration", json_file_from_number(model->duration));
}

/* One phase of a series: null for states that it does not have. */
static json_t *write_phase(struct writing *writing, const struct markov_model *model)
{
  json_t *object = json_object(), *states = json_array();
  for (uint32_t i = 0; i < model->count; i++) {
    const struct markov_state *state = &model->list[i];
    bool is_there = state->starts + state->ends + state->terminals + state->edge_count + state->occupancy.count > 0;
    json_t *own = is_there ? json_object() : json_null();
    if (is_there)
      write_counts(writing, state, own);
    add(writing, states, own);
  }
  write_sums(writing, model, object);
  set(writing, object, "states", states);
  return object;
}

/* Common part of files of one model and of a series; the kinds of the states are the model's kinds. */
static json_t *write_head(struct writing *writing, const struct markov_model *model, int version)
{
  json_t *object = json_object();
  set(writing, object, "format", json_string("heddle model"));
  set(writing, object, "version", json_integer(version));
  if (model->order > 1)
    set(writing, object, "order", json_file_from_number(model->order));
  set(writing, object, "terminal", json_string(model->options.terminal == MARKOV_KEEP ? "keep" : "drop"));
  set(writing, object, "ends", json_string(model->options.ends == MARKOV_STAY ? "stay" : "restart"));
  set(writing, object, "deviation", json_string(model->options.population ? "population" : "sample"));
  return object;
}

static json_t *write_model(struct writing *writing, const struct markov_model *model)
{
  json_t *object = write_head(writing, model, MARKOV_FILE_VERSION), *states = json_array();
  for (uint32_t i = 0; i < model->count; i++) {
    json_t *state = json_object();
    write_kind(writing, model, i, state);
    write_counts(writing, &model->list[i], state);
    add(writing, states, state);
  }
  write_sums(writing, model, object);
  set(writing, object, "program", write_program(writing, model->program));
  set(writing, object, "states", states);
  return object;
}

static json_t *write_series(struct writing *writing, const struct markov_series *series)
{
  const struct markov_model *first = series->models[0];
  json_t *object = write_head(writing, first, MARKOV_SERIES_VERSION), *states = json_array(), *phases = json_array();
  for (uint32_t i = 0; i < first->count; i++) {
    json_t *state = json_object();
    write_kind(writing, first, i, state);
    add(writing, states, state);
  }
  for (uint32_t i = 0; i < series->count; i++)
    add(writing, phases, write_phase(writing, series->models[i]));
  set(writing, object, "program", write_program(writing, first->program));
  set(writing, object, "states", states);
  set(writing, object, "phases", phases);
  return object;
}

bool markov_write(const struct markov_series *series, const char *path, struct error *error)
{
  struct writing writing = {false};
  json_t *document = series->count == 1 ? write_model(&writing, series->models[0]) : write_series(&writing, series);
  bool good = document && !writing.failed;
  if (!good)
    error_set(error, "out of memory");
  good = good && json_file_write(document, path, error);
  json_decref(document);
  return good;
}
