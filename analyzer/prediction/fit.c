#include "analyzer/prediction/fit.h"

#include "base/count_of.h"

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
      points[count++] = (struct prediction_point){group->x, ticks / visits, seen};
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
      points[count++] = (struct prediction_point){group->x, visits / group->run_count, group->run_count};
  }
  return count;
}

/* Of a transition at one value. */
struct share {
  double x, count, all; /* all: from the same state */
};

static double logit(const struct share *share)
{
  /* What was never or always seen has no logarithm; half an observation more on both sides gives it one. */
  double half = share->count == 0 || share->count == share->all ? 0.5 : 0;
  return log((share->count + half) / (share->all - share->count + half));
}

static double term(enum prediction_form form, double x)
{
  return form == PREDICTION_LINEAR ? x : form == PREDICTION_INVERSE ? 1 / x : log(x);
}

/* Weights are the inverse variances of the logarithms. False: these shares can't have that form. */
static bool fit_logit(enum prediction_form form, const struct share *shares, uint32_t count, uint32_t without,
                      double c[2])
{
  double w = 0, wt = 0, wy = 0, wtt = 0, wty = 0;
  for (uint32_t i = 0; i < count; i++) {
    double p = (shares[i].count + 0.5) / (shares[i].all + 1), weight = shares[i].all * p * (1 - p);
    double t = form == PREDICTION_CONSTANT ? 0 : term(form, shares[i].x), y = logit(&shares[i]);
    if (i == without)
      continue;
    w += weight;
    wt += weight * t;
    wy += weight * y;
    wtt += weight * t * t;
    wty += weight * t * y;
  }
  double determinant = w * wtt - wt * wt;
  c[1] = form == PREDICTION_CONSTANT ? 0 : (w * wty - wt * wy) / determinant;
  c[0] = (wy - c[1] * wt) / w;
  return w > 0 && (form == PREDICTION_CONSTANT || determinant > 1e-12 * w * wtt) && isfinite(c[0]) && isfinite(c[1]);
}

static double logit_error(enum prediction_form form, const struct share *shares, uint32_t count)
{
  double sum = 0, weights = 0;
  for (uint32_t i = 0; i < count; i++) {
    double c[2], p = (shares[i].count + 0.5) / (shares[i].all + 1), weight = shares[i].all * p * (1 - p);
    if (!fit_logit(form, shares, count, i, c))
      return NAN;
    double t = form == PREDICTION_CONSTANT ? 0 : term(form, shares[i].x);
    double error = c[0] + c[1] * t - logit(&shares[i]);
    sum += weight * error * error;
    weights += weight;
  }
  return count > 1 ? sqrt(sum / weights) : NAN;
}

static struct prediction_probability choose(const struct share *shares, uint32_t count)
{
  static const enum prediction_form forms[] = {PREDICTION_LINEAR, PREDICTION_INVERSE, PREDICTION_LOG};
  double part = 0, all = 0;
  for (uint32_t i = 0; i < count; i++) {
    part += shares[i].count;
    all += shares[i].all;
  }
  struct prediction_probability chosen = {PREDICTION_CONSTANT, {all > 0 ? part / all : 0, 0}, NAN};
  chosen.error = logit_error(PREDICTION_CONSTANT, shares, count);
  for (size_t i = 0; count > 2 && part < all && i < COUNT_OF(forms); i++) {
    double c[2], error = logit_error(forms[i], shares, count);
    double limit = chosen.form == PREDICTION_CONSTANT ? chosen.error / 1.05 - 1e-9 : chosen.error;
    if (error < limit && fit_logit(forms[i], shares, count, UINT32_MAX, c))
      chosen = (struct prediction_probability){forms[i], {c[0], c[1]}, error};
  }
  return chosen;
}

double prediction_probability_value(const struct prediction_probability *probability, double x)
{
  if (probability->form == PREDICTION_CONSTANT)
    return probability->c[0];
  double p = 1 / (1 + exp(-probability->c[0] - probability->c[1] * term(probability->form, x)));
  return p > 1e-12 ? p : 1e-12; /* what was seen once stays possible */
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
  struct share *shares = calloc((size_t)data->group_count + 1, sizeof *shares);
  double *sums = leaving(data);
  for (uint32_t e = 0; shares && sums && e < data->edge_count; e++) {
    size_t row = data->edges[e].from == PREDICTION_OUTSIDE ? data->state_count : data->edges[e].from;
    uint32_t count = 0;
    for (uint32_t g = 0; g < data->group_count; g++) {
      struct share share = {data->groups[g].x, 0, sums[row * data->group_count + g]};
      for (uint32_t i = 0; i < data->groups[g].run_count; i++)
        share.count += (double)prediction_count(&data->runs[data->groups[g].runs[i]], e);
      if (share.all > 0)
        shares[count++] = share;
    }
    prediction->probability[e] = choose(shares, count);
  }
  bool good = shares && sums;
  free(shares);
  free(sums);
  return good;
}

static void fit_states(struct prediction *prediction, struct prediction_point *points)
{
  const struct prediction_data *data = prediction->data;
  bool quadratic = !is_threads(data->parameter);
  for (uint32_t s = 0; s < data->state_count; s++) {
    uint32_t count = prediction_occupancy_points(data, s, UINT32_MAX, points);
    prediction->occupancy[s] = prediction_form_choose(points, count, quadratic);
    count = prediction_visits_points(data, s, UINT32_MAX, points);
    prediction->visits[s] = prediction_form_choose(points, count, quadratic);
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
