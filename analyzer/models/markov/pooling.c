#include "analyzer/models/markov/pooling.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 1000 };

struct pooling {
  const struct pes_program *program, *from_program;
  struct pes_states *into;
  const struct pes_states *from;
  uint32_t known;         /* states of `into` that were there before */
  uint32_t **values;      /* a set of from_program: its values' indices in the program; shared by components */
  uint32_t *map, *vector; /* the result; a vector to fill */
  bool *taken;            /* a known state of `into`: it is the same as one of `from` */
  bool *open;             /* a state of `from`: on the way to it */
  struct error *error;
};

static bool pool_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* indices[i]: the value of `into` with the name of value i of `from`; PES_NONE: none. False: out of memory. */
static bool match_values(const struct pes_set *into, const struct pes_set *from, uint32_t *indices)
{
  struct hsearch_data table = {0};
  if (!hcreate_r(2 * (size_t)into->count + 16, &table))
    return false;
  ENTRY *entry;
  bool good = true;
  for (uint32_t i = 0; good && i < into->count; i++) {
    bool is_new = !hsearch_r((ENTRY){.key = into->values[i].name}, FIND, &entry, &table);
    if (is_new)
      good = hsearch_r((ENTRY){into->values[i].name, (void *)(uintptr_t)i}, ENTER, &entry, &table) != 0;
  }
  for (uint32_t i = 0; good && i < from->count; i++) {
    const char *name = from->values[i].name;
    if (i < into->count && strcmp(into->values[i].name, name) == 0)
      indices[i] = i;
    else if (hsearch_r((ENTRY){.key = from->values[i].name}, FIND, &entry, &table))
      indices[i] = (uint32_t)(uintptr_t)entry->data;
    else
      indices[i] = PES_NONE;
  }
  hdestroy_r(&table);
  return good;
}

/* Ids come from the first file; a new value gets the next id, so that indices stay. */
static bool add_values(struct pes_program *into, uint32_t set, const struct pes_set *from, struct error *error)
{
  uint32_t *indices = calloc(from->count + 1, sizeof *indices);
  bool good = indices && match_values(&into->sets[set], from, indices);
  for (uint32_t i = 0; good && i < from->count; i++) {
    const struct pes_set *own = &into->sets[set];
    int64_t last = own->count > 0 ? own->values[own->count - 1].id : -1;
    int64_t id = from->values[i].id > last ? from->values[i].id : last + 1;
    if (indices[i] != PES_NONE)
      continue;
    if (last == INT64_MAX) {
      free(indices);
      return error_set(error, "the values' ids use up all numbers");
    }
    good = pes_program_add_value(into, set, id, from->values[i].name, from->values[i].code) != PES_NONE;
  }
  free(indices);
  return good || pool_out_of_memory(error);
}

bool markov_pool_program(struct pes_program *into, const struct pes_program *from, struct error *error)
{
  if (into->component_count != from->component_count)
    return error_set(error, "it has %u components, the others have %u", from->component_count, into->component_count);
  for (uint32_t i = 0; i < from->component_count; i++) {
    const struct pes_component *own = &into->components[i], *other = &from->components[i];
    if (strcmp(own->name, other->name) != 0)
      return error_set(error, "component %u is %s, in the others %s", i, other->name, own->name);
    bool done = false; /* components of one set come in one go */
    for (uint32_t j = 0; j < i && !done; j++)
      done = from->components[j].set == other->set && into->components[j].set == own->set;
    if (!done && !add_values(into, own->set, &from->sets[other->set], error))
      return false;
  }
  return true;
}

static bool translate_values(struct pooling *pooling)
{
  const struct pes_program *from = pooling->from_program;
  pooling->values = calloc(from->component_count + 1, sizeof *pooling->values);
  if (!pooling->values)
    return false;
  for (uint32_t i = 0; i < from->component_count; i++) {
    const struct pes_component *own = &pooling->program->components[i], *other = &from->components[i];
    uint32_t same = 0;
    while (same < i && (from->components[same].set != other->set || pooling->program->components[same].set != own->set))
      same++;
    if (same < i) {
      pooling->values[i] = pooling->values[same];
      continue;
    }
    const struct pes_set *set = &from->sets[other->set];
    pooling->values[i] = calloc(set->count + 1, sizeof **pooling->values);
    if (!pooling->values[i] || !match_values(&pooling->program->sets[own->set], set, pooling->values[i]))
      return false;
  }
  return true;
}

static void free_values(struct pooling *pooling)
{
  for (uint32_t i = 0; pooling->values && i < pooling->from_program->component_count; i++) {
    for (uint32_t j = i + 1; j < pooling->from_program->component_count; j++) {
      if (pooling->values[j] == pooling->values[i])
        pooling->values[j] = NULL;
    }
    free(pooling->values[i]);
  }
  free(pooling->values);
}

static bool resolve(struct pooling *pooling, uint32_t state, unsigned depth);

static bool resolve_parts(struct pooling *pooling, const struct pes_state *of, unsigned depth)
{
  const uint32_t around[] = {of->before, of->after};
  for (size_t i = 0; of->kind == PES_FILTER && i < 2; i++) {
    if (around[i] != PES_NONE && !resolve(pooling, around[i], depth + 1))
      return false;
  }
  for (uint32_t i = 0; i < of->run_count; i++) {
    for (uint32_t j = 0; j < of->runs[i].length; j++) {
      if (!resolve(pooling, of->runs[i].states[j], depth + 1))
        return false;
    }
  }
  return true;
}

static uint32_t mapped(const struct pooling *pooling, uint32_t state)
{
  return state == PES_NONE ? PES_NONE : pooling->map[state];
}

static bool same_run(const struct pooling *pooling, const struct pes_run *own, const struct pes_run *other)
{
  bool same = own->length == other->length;
  for (uint32_t i = 0; same && i < own->length; i++)
    same = own->states[i] == mapped(pooling, other->states[i]);
  return same;
}

/* True if both stand for the same. A pattern's first sequence is the pattern. */
static bool same_aggregate(const struct pooling *pooling, const struct pes_state *own, const struct pes_state *other)
{
  if (own->kind != other->kind)
    return false;
  if (own->kind == PES_FILTER)
    return own->before == mapped(pooling, other->before) && own->after == mapped(pooling, other->after);
  if (own->run_count == 0 || other->run_count == 0)
    return own->run_count == other->run_count && strcmp(own->name, other->name) == 0;
  return same_run(pooling, &own->runs[0], &other->runs[0]);
}

/* The aggregate of `into` that is the same, best one with the same name; else a new one. */
static uint32_t find_aggregate(struct pooling *pooling, const struct pes_state *other)
{
  uint32_t found = PES_NONE;
  bool name_is_free = true;
  for (uint32_t i = 0; i < pooling->known; i++) {
    const struct pes_state *own = pes_state(pooling->into, i);
    bool same_name = own->name && strcmp(own->name, other->name) == 0;
    name_is_free &= !same_name;
    if (pooling->taken[i] || !same_aggregate(pooling, own, other))
      continue;
    if (found == PES_NONE || same_name)
      found = i;
  }
  if (found != PES_NONE) {
    pooling->taken[found] = true;
    return found;
  }
  const char *name = name_is_free ? other->name : NULL;
  return other->kind == PES_FILTER
             ? pes_states_add_filter(pooling->into, name, mapped(pooling, other->before), mapped(pooling, other->after))
             : pes_states_add_pattern(pooling->into, name);
}

static bool add_runs(struct pooling *pooling, uint32_t state, const struct pes_state *other)
{
  bool good = true;
  for (uint32_t i = 0; good && i < other->run_count; i++) {
    const struct pes_run *run = &other->runs[i];
    uint32_t *states = malloc((run->length + 1) * sizeof *states);
    for (uint32_t j = 0; states && j < run->length; j++)
      states[j] = mapped(pooling, run->states[j]);
    good = states && pes_states_add_run(pooling->into, state, states, run->length, run->count);
    free(states);
  }
  if (other->other_runs > 0)
    pes_states_add_other_runs(pooling->into, state, other->other_runs);
  return good;
}

static bool resolve_basic(struct pooling *pooling, uint32_t state, const struct pes_state *of)
{
  for (uint32_t i = 0; i < pooling->program->component_count; i++)
    pooling->vector[i] = pooling->values[i][of->vector[i]];
  pooling->map[state] = pes_states_intern(pooling->into, pooling->vector);
  return pooling->map[state] != PES_NONE || pool_out_of_memory(pooling->error);
}

static bool resolve(struct pooling *pooling, uint32_t state, unsigned depth)
{
  if (state >= pes_states_count(pooling->from))
    return error_set(pooling->error, "an aggregate contains an unknown state");
  if (pooling->map[state] != PES_NONE)
    return true;
  if (pooling->open[state] || depth > NESTING_MAX)
    return error_set(pooling->error, "aggregates contain each other, or are nested more than %d deep", NESTING_MAX);
  const struct pes_state *of = pes_state(pooling->from, state);
  if (of->kind == PES_BASIC)
    return resolve_basic(pooling, state, of);
  pooling->open[state] = true;
  if (!resolve_parts(pooling, of, depth))
    return false;
  pooling->open[state] = false;
  uint32_t found = find_aggregate(pooling, of);
  if (found == PES_NONE || !add_runs(pooling, found, of))
    return pool_out_of_memory(pooling->error);
  pooling->map[state] = found;
  return true;
}

uint32_t *markov_pool_states(const struct pes_program *program, struct pes_states *into,
                             const struct pes_program *from_program, const struct pes_states *from, struct error *error)
{
  uint32_t count = pes_states_count(from);
  struct pooling pooling = {.program = program,
                            .from_program = from_program,
                            .into = into,
                            .from = from,
                            .known = pes_states_count(into),
                            .error = error};
  pooling.map = malloc((count + 1) * sizeof *pooling.map);
  pooling.vector = calloc(program->component_count + 1, sizeof *pooling.vector);
  pooling.taken = calloc(pooling.known + 1, sizeof *pooling.taken);
  pooling.open = calloc(count + 1, sizeof *pooling.open);
  bool good = pooling.map && pooling.vector && pooling.taken && pooling.open && translate_values(&pooling);
  if (!good)
    pool_out_of_memory(error);
  for (uint32_t i = 0; good && i < count; i++)
    pooling.map[i] = PES_NONE;
  for (uint32_t i = 0; good && i < count; i++)
    good = resolve(&pooling, i, 0);
  free_values(&pooling);
  free(pooling.vector);
  free(pooling.taken);
  free(pooling.open);
  if (!good) {
    free(pooling.map);
    return NULL;
  }
  return pooling.map;
}

/* First all states, then what the aggregates consist of: that may have higher numbers. */
struct pes_states *markov_copy_first_states(const struct pes_states *states, uint32_t count)
{
  struct pes_states *copy = pes_states_create(pes_states_components(states));
  bool good = copy;
  for (uint32_t i = 0; good && i < count; i++) {
    const struct pes_state *of = pes_state(states, i);
    uint32_t number = of->kind == PES_BASIC    ? pes_states_intern(copy, of->vector)
                      : of->kind == PES_FILTER ? pes_states_add_filter(copy, of->name, of->before, of->after)
                                               : pes_states_add_pattern(copy, of->name);
    good = number == i;
  }
  for (uint32_t i = 0; good && i < count; i++) {
    const struct pes_state *of = pes_state(states, i);
    for (uint32_t k = 0; good && k < of->run_count; k++)
      good = pes_states_add_run(copy, i, of->runs[k].states, of->runs[k].length, of->runs[k].count);
    if (of->other_runs > 0)
      pes_states_add_other_runs(copy, i, of->other_runs);
  }
  if (good)
    return copy;
  pes_states_free(copy);
  return NULL;
}

struct pes_states *markov_copy_states(const struct pes_states *states)
{
  return markov_copy_first_states(states, pes_states_count(states));
}
