#include "analyzer/models/prediction/form.h"

#include "base/count_of.h"

#include <float.h>
#include <math.h>

/* A column depends on others if less than this part of it remains without them: the rest is rounding. */
#define DEPENDENT 1e-13

/* Gives R's column k one more row by rotations, so that R stays triangular: the row itself becomes zero. */
static void rotate_in(struct least_squares *of, double *row)
{
  for (uint32_t k = 0; k < of->n; k++) {
    double length = hypot(of->r[k][k], row[k]);
    if (length == 0)
      continue;
    double cosine = of->r[k][k] / length, sine = row[k] / length;
    for (uint32_t j = k; j <= of->n; j++) {
      double above = of->r[k][j], below = row[j];
      of->r[k][j] = cosine * above + sine * below;
      row[j] = cosine * below - sine * above;
    }
  }
}

void least_squares_add(struct least_squares *of, const double *terms, double y, double factor)
{
  double row[LEAST_SQUARES_MAX + 1] = {0};
  for (uint32_t k = 0; k < of->n; k++)
    row[k] = factor * terms[k];
  row[of->n] = factor * y;
  rotate_in(of, row);
  of->rows++;
}

static bool is_independent(const struct least_squares *of, uint32_t column)
{
  double length = 0;
  for (uint32_t k = 0; k <= column; k++)
    length = hypot(length, of->r[k][column]);
  return of->r[column][column] > DEPENDENT * length;
}

bool least_squares_solve(const struct least_squares *of, double *c)
{
  bool good = of->rows >= of->n;
  for (uint32_t k = of->n; good && k-- > 0;) {
    double sum = of->r[k][of->n];
    for (uint32_t j = k + 1; j < of->n; j++)
      sum -= of->r[k][j] * c[j];
    c[k] = sum / of->r[k][k];
    good = is_independent(of, k) && isfinite(c[k]);
  }
  return good;
}

double least_squares_leverage(const struct least_squares *of, const double *terms, double factor)
{
  double part[LEAST_SQUARES_MAX], sum = 0;
  for (uint32_t k = 0; k < of->n; k++) {
    part[k] = factor * terms[k];
    for (uint32_t j = 0; j < k; j++)
      part[k] -= of->r[j][k] * part[j];
    part[k] /= of->r[k][k];
    sum += part[k] * part[k];
  }
  return sum;
}

/* Error of a form that is exact except for rounding. */
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

/* Weight of a deviation. */
static double factor(const struct prediction_shape *shape, const struct prediction_point *point, double most)
{
  double scale = is_power(shape) ? 1 : fmax(fabs(point->y), 0.01 * most);
  return sqrt(point->weight) / (scale > 0 ? scale : 1);
}

/* Adds the points as rows. False: a point is impossible for the shape. */
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

/* Returns the root of the mean squared relative error of left-out points. NAN: too few points. */
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

/* The same from one fit to all points, because two parameters have ten times as many shapes. */
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

/* Shapes to choose from, and their terms. */

static const struct {
  const char *name;
  uint32_t coefficients;
} forms[PREDICTION_FORMS] = {{"constant", 1}, {"linear", 2},    {"inverse", 2}, {"log", 2},
                             {"power", 2},    {"quadratic", 3}, {"square", 2}},
  structures[PREDICTION_STRUCTURES] = {{"alone", 0}, {"product", 2}, {"sum", 3}, {"power", 3}, {"full", 4}};

const char *prediction_form_name(enum prediction_form form)
{
  return forms[form].name;
}

/* Returns the parameter of a function of one parameter. */
static int own_parameter(const struct prediction_shape *shape)
{
  return shape->of[1] == PREDICTION_CONSTANT ? 0 : 1;
}

const char *prediction_shape_name(const struct prediction_shape *shape)
{
  return shape->structure == PREDICTION_ALONE ? forms[shape->of[own_parameter(shape)]].name
                                              : structures[shape->structure].name;
}

uint32_t prediction_shape_coefficients(const struct prediction_shape *shape)
{
  return shape->structure == PREDICTION_ALONE ? forms[shape->of[own_parameter(shape)]].coefficients
                                              : structures[shape->structure].coefficients;
}

static void shape_add(struct prediction_shapes *shapes, enum prediction_structure structure, enum prediction_form first,
                      enum prediction_form second)
{
  shapes->list[shapes->count++] = (struct prediction_shape){structure, {first, second}};
}

static void add_alone(struct prediction_shapes *shapes, uint32_t parameter, enum prediction_form form)
{
  shape_add(shapes, PREDICTION_ALONE, parameter == 0 ? form : PREDICTION_CONSTANT,
            parameter == 0 ? PREDICTION_CONSTANT : form);
}

static const enum prediction_form bases[] = {PREDICTION_LINEAR, PREDICTION_INVERSE, PREDICTION_LOG, PREDICTION_SQUARE};

/* Adds a structure with all functions of both parameters. */
static void add_pairs(struct prediction_shapes *shapes, enum prediction_structure structure, const bool *square)
{
  for (int i = 0; i < (square[0] ? 4 : 3); i++) {
    for (int k = 0; k < (square[1] ? 4 : 3); k++)
      shape_add(shapes, structure, bases[i], bases[k]);
  }
}

struct prediction_shapes prediction_shapes(uint32_t parameters, const bool *quadratic)
{
  struct prediction_shapes shapes = {.parameters = parameters};
  bool two = parameters == 2;
  add_alone(&shapes, 0, PREDICTION_CONSTANT);
  for (uint32_t p = 0; p < parameters; p++) {
    for (int form = PREDICTION_LINEAR; form <= PREDICTION_POWER; form++)
      add_alone(&shapes, p, (enum prediction_form)form);
    if (two && quadratic[p])
      add_alone(&shapes, p, PREDICTION_SQUARE);
  }
  if (two) {
    add_pairs(&shapes, PREDICTION_PRODUCT, quadratic);
    add_pairs(&shapes, PREDICTION_SUM, quadratic);
    shape_add(&shapes, PREDICTION_POWERS, PREDICTION_POWER, PREDICTION_POWER);
  }
  for (uint32_t p = 0; p < parameters; p++) {
    if (quadratic[p])
      add_alone(&shapes, p, PREDICTION_QUADRATIC);
  }
  if (two)
    add_pairs(&shapes, PREDICTION_FULL, quadratic);
  return shapes;
}

struct prediction_shapes prediction_ratio_shapes(uint32_t parameters)
{
  static const bool square[PREDICTION_PARAMETERS_MAX] = {false, false};
  struct prediction_shapes shapes = {.parameters = parameters};
  add_alone(&shapes, 0, PREDICTION_CONSTANT);
  for (uint32_t p = 0; p < parameters; p++) {
    for (int form = PREDICTION_LINEAR; form <= PREDICTION_LOG; form++)
      add_alone(&shapes, p, (enum prediction_form)form);
  }
  for (int structure = PREDICTION_PRODUCT; parameters == 2 && structure <= PREDICTION_FULL; structure++) {
    if (structure != PREDICTION_POWERS)
      add_pairs(&shapes, (enum prediction_structure)structure, square);
  }
  return shapes;
}

/* Computes x, 1 / x, ln x or x^2. False: it is not finite at x. */
static bool base(enum prediction_form form, double x, double *value)
{
  bool logarithm = form == PREDICTION_LOG || form == PREDICTION_POWER;
  *value = logarithm ? log(x) : form == PREDICTION_INVERSE ? 1 / x : form == PREDICTION_SQUARE ? x * x : x;
  return !(logarithm && x <= 0) && !(form == PREDICTION_INVERSE && x == 0);
}

bool prediction_shape_terms(const struct prediction_shape *shape, const double *x,
                            double term[PREDICTION_COEFFICIENTS_MAX])
{
  term[0] = 1;
  if (shape->structure == PREDICTION_ALONE) {
    int own = own_parameter(shape);
    term[2] = x[own] * x[own];
    return base(shape->of[own], x[own], &term[1]);
  }
  double f, g;
  bool first = base(shape->of[0], x[0], &f), second = base(shape->of[1], x[1], &g);
  bool product = shape->structure == PREDICTION_PRODUCT;
  term[1] = product ? f * g : f;
  term[2] = g;
  term[3] = f * g;
  return first && second;
}
