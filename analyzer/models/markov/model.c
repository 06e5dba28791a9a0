#include "analyzer/models/markov/model.h"

#include <stdlib.h>

void markov_model_free(struct markov_model *model)
{
  if (!model)
    return;
  for (uint32_t i = 0; i < model->count; i++)
    markov_distribution_free(&model->list[i].occupancy);
  free(model->list);
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

size_t markov_edge_index(const struct markov_model *model, uint32_t from, uint32_t to)
{
  const struct markov_state *state = &model->list[from];
  uint32_t low = 0, high = state->edge_count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (state->edges[middle].to < to)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < state->edge_count && state->edges[low].to == to;
  return found ? (size_t)(&state->edges[low] - model->edges) : SIZE_MAX;
}
