#include "analyzer/models/prediction/form.h"
#include "analyzer/models/prediction/least_squares.h"
#include "base/count_of.h"

#include <float.h>
#include <math.h>

/* A form whose error is this or less is exact but for rounding. */
#define EXACT 1e-9

/* A product of powers is fitted to logarithms. */
static bool is_power(const struct prediction_shape *shape)
{
  return shape->of[0] == PREDICTION_POWER || shape->of[1] == PREDICTION_POWER;
}

double prediction_form_value(const struct prediction_shape *shape, const double *c, const double *x)
{
  double term[PREDICTION_COEFFICIENTS_MAX], value = 0;
  uint32_t n = prediction_shape_coefficients(shape);
  if (!prediction_shape_terms(shape, x, term))
    return 0;
  for (uint32_t i = is_power(shape) ? 1 : 0; i < n; i++)
    value += c[i] * term[i];
  if (is_power(shape))
    value = c[0] > 0 ? c[0] * exp(value) : 0;
  return !(value > 0) ? 0 : fmin(value, DBL_MAX);
}

static double largest(const struct prediction_point *points, uint32_t count, uint32_t without)
{
  double most = 0;
  for (uint32_t i = 0; i < count; i++)
    most = i == without ? most : fmax(most, fabs(points[i].y));
  return most;
}

/* What a deviation of 1 counts as. */
static double factor(const struct prediction_shape *shape, const struct prediction_point *point, double most)
{
  double scale = is_power(shape) ? 1 : fmax(fabs(point->y), 0.01 * most);
  return sqrt(point->weight) / (scale > 0 ? scale : 1);
}

/* The points as rows. False: one can't be a point of that shape. */
static bool put_rows(const struct prediction_shape *shape, const struct prediction_point *points, uint32_t count,
                     uint32_t without, struct least_squares *rows)
{
  double most = largest(points, count, without);
  for (uint32_t i = 0; i < count; i++) {
    double term[PREDICTION_COEFFICIENTS_MAX], y = points[i].y;
    if (i == without)
      continue;
    if (!prediction_shape_terms(shape, points[i].x, term) || (is_power(shape) && y <= 0))
      return false;
    least_squares_add(rows, term, is_power(shape) ? log(y) : y, factor(shape, &points[i], most));
  }
  return true;
}

bool prediction_form_fit(const struct prediction_shape *shape, const struct prediction_point *points, uint32_t count,
                         uint32_t without, double c[PREDICTION_COEFFICIENTS_MAX])
{
  struct least_squares rows = {.n = prediction_shape_coefficients(shape)};
  c[0] = c[1] = c[2] = c[3] = 0;
  if (!put_rows(shape, points, count, without, &rows) || !least_squares_solve(&rows, c))
    return false;
  if (is_power(shape))
    c[0] = exp(c[0]);
  return isfinite(c[0]);
}

/* Root of the mean squared relative error of left-out points. NAN: there are too few to leave one out. */
static double form_left_out_error(const struct prediction_shape *shape, const struct prediction_point *points,
                                  uint32_t count)
{
  double sum = 0, weights = 0, most = largest(points, count, UINT32_MAX);
  for (uint32_t i = 0; i < count; i++) {
    double c[PREDICTION_COEFFICIENTS_MAX], y = points[i].y, scale = fmax(fabs(y), 0.01 * most);
    if (!prediction_form_fit(shape, points, count, i, c))
      return NAN;
    double error = (prediction_form_value(shape, c, points[i].x) - y) / (scale > 0 ? scale : 1);
    sum += points[i].weight * error * error;
    weights += points[i].weight;
  }
  return sqrt(sum / weights);
}

/* The same from one fit to all points: with two parameters there are ten times as many shapes to try. */
static double left_out_error_at_once(const struct prediction_shape *shape, const struct prediction_point *points,
                                     uint32_t count)
{
  struct least_squares rows = {.n = prediction_shape_coefficients(shape)};
  double c[PREDICTION_COEFFICIENTS_MAX] = {0}, sum = 0, weights = 0, most = largest(points, count, UINT32_MAX);
  if (count <= rows.n || !put_rows(shape, points, count, UINT32_MAX, &rows) || !least_squares_solve(&rows, c))
    return NAN;
  for (uint32_t i = 0; i < count; i++) {
    double term[PREDICTION_COEFFICIENTS_MAX], fitted = 0, y = points[i].y, scale = fmax(fabs(y), 0.01 * most);
    prediction_shape_terms(shape, points[i].x, term);
    for (uint32_t k = 0; k < rows.n; k++)
      fitted += c[k] * term[k];
    double rest = 1 - least_squares_leverage(&rows, term, factor(shape, &points[i], most));
    double seen = is_power(shape) ? log(y) : y, left_out = seen - (seen - fitted) / rest;
    if (!(rest > EXACT) || !isfinite(left_out))
      return NAN; /* without this point, the others don't determine the function */
    double error = (fmax(is_power(shape) ? exp(left_out) : left_out, 0) - y) / (scale > 0 ? scale : 1);
    sum += points[i].weight * error * error;
    weights += points[i].weight;
  }
  double error = sqrt(sum / weights);
  return isfinite(error) ? error : NAN;
}

struct prediction_function prediction_form_choose(const struct prediction_point *points, uint32_t count,
                                                  const struct prediction_shapes *shapes)
{
  struct prediction_function chosen = {.shape = prediction_alone(PREDICTION_CONSTANT), .error = NAN, .points = count};
  double errors[COUNT_OF(shapes->list)], least = INFINITY;
  for (uint32_t i = 0; count > 0 && i < shapes->count; i++) {
    errors[i] = shapes->parameters == 1 ? form_left_out_error(&shapes->list[i], points, count)
                                        : left_out_error_at_once(&shapes->list[i], points, count);
    least = fmin(least, errors[i]); /* fmin takes the other one if one is NAN */
  }
  for (uint32_t i = 0; count > 0 && i < shapes->count; i++) {
    bool simpler = prediction_shape_coefficients(&chosen.shape) < prediction_shape_coefficients(&shapes->list[i]);
    if (!(errors[i] <= fmax(1.05 * least, EXACT)) || (!isnan(chosen.error) && (simpler || errors[i] >= chosen.error)))
      continue;
    chosen.shape = shapes->list[i];
    chosen.error = errors[i];
  }
  if (count > 0)
    prediction_form_fit(&chosen.shape, points, count, UINT32_MAX, chosen.c);
  return chosen;
}
