#include "analyzer/models/prediction/fit.h"

#include "analyzer/models/prediction/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* True if the parameter is a number of threads; then a parabola is no plausible law. */
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

/* The probability of one transition as a function of the parameters. */

#define LEFT_LEAST 1e-9 /* part of a share, compared with the part that it determines alone: less is rounding */

static double logit(const struct prediction_share *share)
{
  /* What was never or always seen has no logarithm; half an observation more on both sides gives it one. */
  double half = share->count == 0 || share->count == share->all ? 0.5 : 0;
  return log((share->count + half) / (share->all - share->count + half));
}

/* The inverse variance of the logarithm. */
static double weight_of(const struct prediction_share *share)
{
  double p = (share->count + 0.5) / (share->all + 1);
  return share->all * p * (1 - p);
}

/* One parameter. False: these shares cannot have this form. */
static bool fit_line(const struct prediction_shape *shape, const struct prediction_share *shares, uint32_t count,
                     uint32_t without, double *c)
{
  double w = 0, wt = 0, wy = 0, wtt = 0, wty = 0;
  bool constant = prediction_shape_coefficients(shape) == 1;
  for (uint32_t i = 0; i < count; i++) {
    double weight = weight_of(&shares[i]), y = logit(&shares[i]), term[PREDICTION_COEFFICIENTS_MAX];
    if (!prediction_shape_terms(shape, shares[i].x, term))
      return false;
    if (i == without)
      continue;
    double t = constant ? 0 : term[1];
    w += weight;
    wt += weight * t;
    wy += weight * y;
    wtt += weight * t * t;
    wty += weight * t * y;
  }
  double determinant = w * wtt - wt * wt;
  c[1] = constant ? 0 : (w * wty - wt * wy) / determinant;
  c[0] = (wy - c[1] * wt) / w;
  return w > 0 && (constant || determinant > 1e-12 * w * wtt) && isfinite(c[0]) && isfinite(c[1]);
}

static double line_error(const struct prediction_shape *shape, const struct prediction_share *shares, uint32_t count)
{
  double sum = 0, weights = 0;
  for (uint32_t i = 0; i < count; i++) {
    double c[2], weight = weight_of(&shares[i]), term[PREDICTION_COEFFICIENTS_MAX];
    if (!fit_line(shape, shares, count, i, c))
      return NAN;
    prediction_shape_terms(shape, shares[i].x, term);
    double t = prediction_shape_coefficients(shape) == 1 ? 0 : term[1];
    double error = c[0] + c[1] * t - logit(&shares[i]);
    sum += weight * error * error;
    weights += weight;
  }
  return count > 1 ? sqrt(sum / weights) : NAN;
}

/* Two parameters: fits, and computes the error of left-out shares from this one fit. NAN: no such function. */
static double fit_surface(const struct prediction_shape *shape, const struct prediction_share *shares, uint32_t count,
                          double *c)
{
  struct least_squares rows = {.n = prediction_shape_coefficients(shape)};
  double term[PREDICTION_COEFFICIENTS_MAX], sum = 0, weights = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!prediction_shape_terms(shape, shares[i].x, term))
      return NAN;
    least_squares_add(&rows, term, logit(&shares[i]), sqrt(weight_of(&shares[i])));
  }
  if (count <= rows.n || !least_squares_solve(&rows, c))
    return NAN;
  for (uint32_t i = 0; i < count; i++) {
    double off = logit(&shares[i]), weight = weight_of(&shares[i]);
    prediction_shape_terms(shape, shares[i].x, term);
    for (uint32_t k = 0; k < rows.n; k++)
      off -= c[k] * term[k];
    double rest = 1 - least_squares_leverage(&rows, term, sqrt(weight));
    if (!(rest > LEFT_LEAST))
      return NAN; /* without this share, the others don't determine the function */
    off /= rest;
    sum += weight * off * off;
    weights += weight;
  }
  double error = sqrt(sum / weights);
  return isfinite(error) ? error : NAN;
}

static bool fit(const struct prediction_shape *shape, const struct prediction_share *shares, uint32_t count,
                uint32_t parameters, double *c)
{
  return parameters == 1 ? fit_line(shape, shares, count, UINT32_MAX, c) : !isnan(fit_surface(shape, shares, count, c));
}

static double probability_left_out_error(const struct prediction_shape *shape, const struct prediction_share *shares,
                                         uint32_t count, uint32_t parameters)
{
  double c[PREDICTION_COEFFICIENTS_MAX];
  return parameters == 1 ? line_error(shape, shares, count) : fit_surface(shape, shares, count, c);
}

struct prediction_probability prediction_probability_choose(const struct prediction_share *shares, uint32_t count,
                                                            const struct prediction_shapes *shapes)
{
  double part = 0, all = 0;
  for (uint32_t i = 0; i < count; i++) {
    part += shares[i].count;
    all += shares[i].all;
  }
  struct prediction_probability chosen = {shapes->list[0], {all > 0 ? part / all : 0}, NAN};
  chosen.error = probability_left_out_error(&chosen.shape, shares, count, shapes->parameters);
  for (uint32_t i = 1; count > 2 && part < all && i < shapes->count; i++) {
    const struct prediction_shape *shape = &shapes->list[i];
    double c[PREDICTION_COEFFICIENTS_MAX] = {0},
           error = probability_left_out_error(shape, shares, count, shapes->parameters);
    bool larger = prediction_shape_coefficients(&chosen.shape) < prediction_shape_coefficients(shape);
    double limit = larger ? chosen.error / 1.05 - 1e-9 : chosen.error;
    if (!(error < limit) || !fit(shape, shares, count, shapes->parameters, c))
      continue;
    chosen = (struct prediction_probability){*shape, {c[0], c[1], c[2], c[3]}, error};
  }
  return chosen;
}

double prediction_probability_value(const struct prediction_probability *probability, const double *x)
{
  double term[PREDICTION_COEFFICIENTS_MAX], exponent = -probability->c[0];
  uint32_t n = prediction_shape_coefficients(&probability->shape);
  if (n == 1)
    return probability->c[0];
  prediction_shape_terms(&probability->shape, x, term); /* infinite ones give 0 or 1 */
  for (uint32_t k = 1; k < n; k++)
    exponent -= probability->c[k] * term[k];
  double p = 1 / (1 + exp(exponent));
  return p > 1e-12 ? p : 1e-12; /* what was seen once stays possible */
}
