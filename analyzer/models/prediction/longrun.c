/*
 * The chain that the predicted probabilities make, with one more state for what is between the runs: it takes no time,
 * is entered where a run ends and left where the next one begins. So it is irreducible, whatever was observed.
 */
#include "analyzer/models/prediction/predict.h"

#include "analyzer/models/markov/markov.h"

#include <stdlib.h>

static uint32_t place(const struct prediction_data *data, uint32_t state)
{
  return state == PREDICTION_OUTSIDE ? data->state_count : state;
}

/* Scales each row to the sum of 1. */
static void scale(const struct prediction_data *data, double *probability, double *sums)
{
  for (uint32_t e = 0; e < data->edge_count; e++)
    sums[place(data, data->edges[e].from)] += probability[e];
  for (uint32_t e = 0; e < data->edge_count; e++)
    probability[e] /= sums[place(data, data->edges[e].from)];
}

static void fill(const struct prediction_data *data, const double *probability, struct markov_matrix *p)
{
  uint32_t n = data->state_count + 1;
  for (uint32_t e = 0; e < data->edge_count; e++)
    p->row[place(data, data->edges[e].from) + 1]++;
  for (uint32_t i = 0; i < n; i++)
    p->row[i + 1] += p->row[i];
  /* Each row's beginning moves to its end, which is where the next one begins: then all are moved back by one. */
  for (uint32_t e = 0; e < data->edge_count; e++) {
    size_t at = p->row[place(data, data->edges[e].from)]++;
    p->column[at] = place(data, data->edges[e].to);
    p->value[at] = probability[e];
  }
  for (uint32_t i = n; i > 0; i--)
    p->row[i] = p->row[i - 1];
  p->row[0] = 0;
}

bool prediction_longrun(const struct prediction_data *data, struct prediction_estimate *estimate)
{
  uint32_t n = data->state_count + 1;
  struct markov_matrix p;
  struct markov_effort effort = {0};
  double *x = calloc(n, sizeof *x), *sums = calloc(n, sizeof *sums), all = 0;
  bool good = markov_matrix_create(&p, n, data->edge_count) && x && sums;
  if (good) {
    scale(data, estimate->probability, sums);
    fill(data, estimate->probability, &p);
    good = markov_stationary(&p, x, &effort);
  }
  for (uint32_t s = 0; good && s < data->state_count; s++)
    all += x[s] * estimate->states[s].occupancy;
  for (uint32_t s = 0; good && s < data->state_count; s++)
    estimate->states[s].longrun = all > 0 ? x[s] * estimate->states[s].occupancy / all : 0;
  markov_matrix_free(&p);
  free(x);
  free(sums);
  return good;
}
