#include "analyzer/markov/model.h"

#include "analyzer/markov/sums.h"

#include <stdlib.h>
#include <string.h>

static void free_states(struct markov_state *list, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    markov_distribution_free(&list[i].occupancy);
  free(list);
}

void markov_model_free(struct markov_model *model)
{
  if (!model)
    return;
  free_states(model->list, model->count);
  free(model->edges);
  pes_program_free(model->program);
  pes_states_free(model->states);
  free(model);
}

bool markov_state_is_used(const struct markov_model *model, uint32_t state)
{
  const struct markov_state *of = &model->list[state];
  return of->occupancy.count > 0 || of->left > 0 || (model->options.terminal == MARKOV_KEEP && of->terminals > 0);
}

uint64_t markov_model_starts(const struct markov_model *model)
{
  uint64_t starts = 0;
  for (uint32_t i = 0; i < model->count; i++)
    starts += model->list[i].starts;
  return starts;
}

bool markov_sums_resize(struct markov_sums *sums, uint32_t count)
{
  if (count <= sums->count)
    return true;
  struct markov_state *list = reallocarray(sums->list, count, sizeof *list);
  if (!list)
    return false;
  memset(list + sums->count, 0, (count - sums->count) * sizeof *list);
  sums->list = list;
  while (sums->count < count)
    markov_distribution_begin(&list[sums->count++].occupancy);
  return true;
}

static bool add_transitions(struct markov_sums *sums, const struct markov_tally *tally, const uint32_t *map)
{
  bool good = true;
  for (size_t i = 0; good && i < tally->transitions.capacity; i++) {
    const struct markov_pair *pair = &tally->transitions.slots[i];
    if (pair->count > 0)
      good = markov_counts_add(&sums->transitions, map[pair->from], map[pair->to], pair->count);
  }
  return good;
}

bool markov_sums_add(struct markov_sums *sums, const struct markov_tally *tally, const uint32_t *map,
                     enum markov_terminal terminal, struct error *error)
{
  if (tally->duration > INT64_MAX - sums->duration || tally->records > INT64_MAX - sums->records)
    return error_set(error, "all runs together last 2^63 ticks or more");
  bool good = add_transitions(sums, tally, map);
  for (uint32_t i = 0; good && i < tally->state_count; i++)
    good = markov_distribution_merge(&sums->list[map[i]].occupancy, &tally->states[i]);
  sums->list[map[tally->first]].starts++;
  sums->list[map[tally->last]].ends++;
  if (tally->terminal != PES_NONE) {
    sums->list[map[tally->terminal]].terminals++;
    if (good && terminal == MARKOV_KEEP)
      good = markov_counts_add(&sums->transitions, map[tally->last], map[tally->terminal], 1);
  }
  sums->runs++;
  sums->records += tally->records;
  sums->duration += tally->duration;
  return good || error_set(error, "out of memory");
}

struct markov_model *markov_sums_model(struct markov_sums *sums, const struct markov_options *options)
{
  size_t count = sums->transitions.used;
  struct markov_model *model = calloc(1, sizeof *model);
  struct markov_edge *edges = calloc(count + 1, sizeof *edges);
  struct markov_pair *pairs = markov_counts_sorted(&sums->transitions);
  if (!model || !edges || !pairs) {
    free(model);
    free(edges);
    free(pairs);
    return NULL;
  }
  *model = (struct markov_model){.options = *options,
                                 .list = sums->list,
                                 .count = sums->count,
                                 .edges = edges,
                                 .edge_count = count,
                                 .runs = sums->runs,
                                 .records = sums->records,
                                 .duration = sums->duration};
  for (size_t i = 0; i < count; i++) {
    struct markov_state *state = &model->list[pairs[i].from];
    edges[i] = (struct markov_edge){pairs[i].to, pairs[i].count};
    if (state->edge_count++ == 0)
      state->edges = &edges[i];
    state->left += pairs[i].count;
  }
  free(pairs);
  sums->list = NULL;
  sums->count = 0;
  markov_sums_free(sums);
  return model;
}

void markov_sums_free(struct markov_sums *sums)
{
  free_states(sums->list, sums->count);
  markov_counts_free(&sums->transitions);
  memset(sums, 0, sizeof *sums);
}
