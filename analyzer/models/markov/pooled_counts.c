#include "analyzer/models/markov/pooled_counts.h"

#include <stdlib.h>

bool markov_pooled_counts_resize(struct markov_pooled_counts *pooled, uint32_t count)
{
  size_t before = pooled->states.count;
  if (count <= before)
    return true;
  if (!vector_resize(&pooled->states, count))
    return false;
  for (size_t i = before; i < count; i++)
    markov_distribution_begin(&pooled->states.items[i].occupancy);
  return true;
}

static bool add_transitions(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                            const uint32_t *map)
{
  const struct hash *counts = &run->transitions.counts;
  bool good = true;
  for (size_t i = 0; good && i < counts->room; i++) {
    const struct hash_entry *entry = &counts->entries[i];
    if (entry->used)
      good = markov_transition_counts_add(&pooled->transitions, map[entry->key >> 32], map[(uint32_t)entry->key],
                                          entry->value);
  }
  return good;
}

bool markov_pooled_counts_add(struct markov_pooled_counts *pooled, const struct markov_run_counts *run,
                              const uint32_t *map, enum markov_terminal terminal, struct error *error)
{
  struct markov_state *states = pooled->states.items;
  if (run->duration > INT64_MAX - pooled->duration || run->records > INT64_MAX - pooled->records)
    return error_set(error, "all runs together last 2^63 ticks or more");
  bool good = add_transitions(pooled, run, map);
  for (size_t i = 0; good && i < run->occupancies.count; i++)
    good = markov_distribution_merge(&states[map[i]].occupancy, &run->occupancies.items[i]);
  states[map[run->first]].starts++;
  states[map[run->last]].ends++;
  if (run->terminal != PES_NONE) {
    states[map[run->terminal]].terminals++;
    if (good && terminal == MARKOV_KEEP)
      good = markov_transition_counts_add(&pooled->transitions, map[run->last], map[run->terminal], 1);
  }
  pooled->runs++;
  pooled->records += run->records;
  pooled->duration += run->duration;
  return good || error_set(error, "out of memory");
}

struct markov_model *markov_pooled_counts_to_model(struct markov_pooled_counts *pooled,
                                                   const struct markov_options *options)
{
  size_t count = markov_transition_counts_distinct(&pooled->transitions);
  struct markov_model *model = calloc(1, sizeof *model);
  struct markov_edge *edges = calloc(count + 1, sizeof *edges);
  struct markov_transition *transitions = markov_transition_counts_sorted(&pooled->transitions);
  if (!model || !edges || !transitions) {
    free(model);
    free(edges);
    free(transitions);
    return NULL;
  }
  *model = (struct markov_model){.options = *options,
                                 .list = pooled->states.items,
                                 .count = (uint32_t)pooled->states.count,
                                 .edges = edges,
                                 .edge_count = count,
                                 .runs = pooled->runs,
                                 .records = pooled->records,
                                 .duration = pooled->duration};
  for (size_t i = 0; i < count; i++) {
    struct markov_state *state = &model->list[transitions[i].from];
    edges[i] = (struct markov_edge){transitions[i].to, transitions[i].count};
    if (state->edge_count++ == 0)
      state->edges = &edges[i];
    state->left += transitions[i].count;
  }
  free(transitions);
  pooled->states.items = NULL; /* the model's */
  pooled->states.count = 0;
  markov_pooled_counts_free(pooled);
  return model;
}

void markov_pooled_counts_free(struct markov_pooled_counts *pooled)
{
  for (size_t i = 0; i < pooled->states.count; i++)
    markov_distribution_free(&pooled->states.items[i].occupancy);
  vector_free(&pooled->states);
  markov_transition_counts_free(&pooled->transitions);
  *pooled = (struct markov_pooled_counts){0};
}
