#include "analyzer/models/spectrum/signal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Finds a component by its index, or by its name if this is unique. */
static bool find_component(const struct pes_program *program, const char *name, uint32_t *component,
                           struct error *error)
{
  char *end;
  uint32_t count = 0;
  errno = 0;
  unsigned long long index = strtoull(name, &end, 10);
  if (*name >= '0' && *name <= '9' && *end == '\0') {
    *component = (uint32_t)index;
    return (errno == 0 && index < program->component_count) ||
           error_set(error, "there is no component %s: the sequence has %u, numbered from 0", name,
                     program->component_count);
  }
  for (uint32_t i = 0; i < program->component_count; i++) {
    if (strcmp(program->components[i].name, name) != 0)
      continue;
    *component = i;
    count++;
  }
  return count == 1 ||
         error_set(error,
                   count ? "several components are called %s; give a number, from 0" : "no component is called %s",
                   name);
}

static bool is_value(const struct pes_value *value, const char *name)
{
  return strcmp(value->name, name) == 0 || strcmp(value->code, name) == 0;
}

static bool value_exists(const struct pes_program *program, const char *name, struct error *error)
{
  for (uint32_t i = 0; i < program->set_count; i++) {
    for (uint32_t k = 0; k < program->sets[i].count; k++) {
      if (is_value(&program->sets[i].values[k], name))
        return true;
    }
  }
  return error_set(error, "no component has a value called %s", name);
}

/* A vector's number: the id of one component's value, or the number of components with the value of that name. */
static double of_vector(const struct spectrum_signal *signal, const struct pes_program *program, uint32_t component,
                        const uint32_t *vector)
{
  double number = 0;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_value *value = &program->sets[program->components[i].set].values[vector[i]];
    if (signal->kind == SPECTRUM_THREADS_IN)
      number += is_value(value, signal->of);
    else if (i == component)
      number = (double)value->id;
  }
  return number;
}

static bool fill_of_vectors(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                            double *values, struct error *error)
{
  uint32_t component = 0;
  if (signal->kind == SPECTRUM_COMPONENT ? !find_component(stream->program, signal->of, &component, error)
                                         : !value_exists(stream->program, signal->of, error))
    return false;
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++) {
    const struct pes_state *state = pes_state(stream->states, i);
    if (rank[i] == PES_NONE)
      continue;
    if (state->kind != PES_BASIC)
      return error_set(error,
                       "state %s is an aggregate, so its components have no value; use the signal `states` or "
                       "`state=NAME`, or the sequence before the transform",
                       state->name);
    values[i] = of_vector(signal, stream->program, component, state->vector);
  }
  return true;
}

static bool fill_of_state(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                          double *values, struct error *error)
{
  uint32_t count;
  uint32_t state = pes_states_find(stream->program, stream->states, signal->of, &count);
  if (state == PES_NONE && count > 1)
    return error_set(error, "several states are called %s; give a number, as #3", signal->of);
  if (state == PES_NONE || rank[state] == PES_NONE)
    return error_set(error, "the sequence has no state %s", signal->of);
  values[state] = 1;
  return true;
}

double *signal_values(const struct spectrum_signal *signal, const struct pes_stream *stream, const uint32_t *rank,
                      struct error *error)
{
  uint32_t count = pes_states_count(stream->states);
  double *values = calloc((size_t)count + 1, sizeof *values);
  bool good = values || error_set(error, "out of memory");
  if (good && signal->kind == SPECTRUM_STATE)
    good = fill_of_state(signal, stream, rank, values, error);
  else if (good && signal->kind != SPECTRUM_STATES)
    good = fill_of_vectors(signal, stream, rank, values, error);
  for (uint32_t i = 0; good && signal->kind == SPECTRUM_STATES && i < count; i++)
    values[i] = rank[i];
  if (good)
    return values;
  free(values);
  return NULL;
}
