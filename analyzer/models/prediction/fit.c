#include "analyzer/models/prediction/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is the parameter a number of threads? Then a parabola is no law of it. */
static bool is_threads(const char *parameter)
{
  return strcmp(parameter, "threads") == 0 || strcmp(parameter, "OMP_NUM_THREADS") == 0;
}

uint32_t prediction_occupancy_points(const struct prediction_data *data, uint32_t state, uint32_t without,
                                     struct prediction_point *points)
{
  uint32_t count = 0;
  for (uint32_t g = 0; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    double ticks = 0, visits = 0, seen = 0;
    for (uint32_t i = 0; i < group->run_count; i++) {
      const struct prediction_run *run = &data->runs[group->runs[i]];
      ticks += (double)prediction_ticks(run, state);
      visits += (double)prediction_visits(run, state);
      seen += prediction_visits(run, state) > 0;
    }
    if (g != without && visits > 0)
      points[count++] = (struct prediction_point){{group->x[0], group->x[1]}, ticks / visits, seen};
  }
  return count;
}

uint32_t prediction_visits_points(const struct prediction_data *data, uint32_t state, uint32_t without,
                                  struct prediction_point *points)
{
  uint32_t count = 0;
  for (uint32_t g = 0; g < data->group_count; g++) {
    const struct prediction_group *group = &data->groups[g];
    double visits = 0;
    for (uint32_t i = 0; i < group->run_count; i++)
      visits += (double)prediction_visits(&data->runs[group->runs[i]], state);
    if (g != without)
      points[count++] =
          (struct prediction_point){{group->x[0], group->x[1]}, visits / group->run_count, group->run_count};
  }
  return count;
}

/* Sums of the counts of all edges that leave a state, by state (and at last PREDICTION_OUTSIDE) and group. */
static double *leaving(const struct prediction_data *data)
{
  double *sums = calloc(((size_t)data->state_count + 1) * data->group_count, sizeof *sums);
  for (uint32_t e = 0; sums && e < data->edge_count; e++) {
    size_t row = data->edges[e].from == PREDICTION_OUTSIDE ? data->state_count : data->edges[e].from;
    for (uint32_t g = 0; g < data->group_count; g++) {
      for (uint32_t i = 0; i < data->groups[g].run_count; i++)
        sums[row * data->group_count + g] += (double)prediction_count(&data->runs[data->groups[g].runs[i]], e);
    }
  }
  return sums;
}

static bool fit_probabilities(struct prediction *prediction)
{
  const struct prediction_data *data = prediction->data;
  struct prediction_shapes shapes = prediction_ratio_shapes(data->parameter_count);
  struct prediction_share *shares = calloc((size_t)data->group_count + 1, sizeof *shares);
  double *sums = leaving(data);
  for (uint32_t e = 0; shares && sums && e < data->edge_count; e++) {
    size_t row = data->edges[e].from == PREDICTION_OUTSIDE ? data->state_count : data->edges[e].from;
    uint32_t count = 0;
    for (uint32_t g = 0; g < data->group_count; g++) {
      const double *x = data->groups[g].x;
      struct prediction_share share = {{x[0], x[1]}, 0, sums[row * data->group_count + g]};
      for (uint32_t i = 0; i < data->groups[g].run_count; i++)
        share.count += (double)prediction_count(&data->runs[data->groups[g].runs[i]], e);
      if (share.all > 0)
        shares[count++] = share;
    }
    prediction->probability[e] = prediction_probability_choose(shares, count, &shapes);
  }
  bool good = shares && sums;
  free(shares);
  free(sums);
  return good;
}

static void fit_states(struct prediction *prediction, struct prediction_point *points)
{
  const struct prediction_data *data = prediction->data;
  bool quadratic[PREDICTION_PARAMETERS_MAX];
  for (uint32_t p = 0; p < data->parameter_count; p++)
    quadratic[p] = !is_threads(data->parameters[p]);
  struct prediction_shapes shapes = prediction_shapes(data->parameter_count, quadratic);
  for (uint32_t s = 0; s < data->state_count; s++) {
    uint32_t count = prediction_occupancy_points(data, s, UINT32_MAX, points);
    prediction->occupancy[s] = prediction_form_choose(points, count, &shapes);
    count = prediction_visits_points(data, s, UINT32_MAX, points);
    prediction->visits[s] = prediction_form_choose(points, count, &shapes);
  }
}

struct prediction *prediction_fit(const struct prediction_data *data)
{
  struct prediction *prediction = calloc(1, sizeof *prediction);
  struct prediction_point *points = calloc((size_t)data->group_count + 1, sizeof *points);
  if (prediction) {
    prediction->data = data;
    prediction->occupancy = calloc((size_t)data->state_count + 1, sizeof *prediction->occupancy);
    prediction->visits = calloc((size_t)data->state_count + 1, sizeof *prediction->visits);
    prediction->probability = calloc((size_t)data->edge_count + 1, sizeof *prediction->probability);
  }
  bool good = prediction && points && prediction->occupancy && prediction->visits && prediction->probability &&
              fit_probabilities(prediction);
  if (good)
    fit_states(prediction, points);
  free(points);
  if (good)
    return prediction;
  prediction_free(prediction);
  return NULL;
}

void prediction_free(struct prediction *prediction)
{
  if (!prediction)
    return;
  free(prediction->occupancy);
  free(prediction->visits);
  free(prediction->probability);
  free(prediction);
}
