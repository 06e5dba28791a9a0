#include "analyzer/prediction/form.h"

#include <float.h>
#include <math.h>

static const struct {
  const char *name;
  uint32_t coefficients;
} forms[PREDICTION_FORMS] = {{"constant", 1}, {"linear", 2}, {"inverse", 2},
                             {"log", 2},      {"power", 2},  {"quadratic", 3}};

/* A form whose error is this or less is exact but for rounding. */
#define EXACT 1e-9

const char *prediction_form_name(enum prediction_form form)
{
  return forms[form].name;
}

/* What the coefficients are multiplied with at x. False: the form has no value there. */
static bool terms(enum prediction_form form, double x, double term[3])
{
  bool logarithm = form == PREDICTION_LOG || form == PREDICTION_POWER;
  if ((logarithm && x <= 0) || (form == PREDICTION_INVERSE && x == 0))
    return false;
  term[0] = 1;
  term[1] = logarithm ? log(x) : form == PREDICTION_INVERSE ? 1 / x : x;
  term[2] = x * x;
  return true;
}

double prediction_form_value(enum prediction_form form, const double c[3], double x)
{
  double term[3], value = 0;
  if (!terms(form, x, term))
    return 0;
  if (form == PREDICTION_POWER)
    value = c[0] > 0 ? c[0] * exp(c[1] * term[1]) : 0;
  else
    for (uint32_t i = 0; i < forms[form].coefficients; i++)
      value += c[i] * term[i];
  return !(value > 0) ? 0 : fmin(value, DBL_MAX);
}

/* Gives R's column k one more row by rotations, so that R stays triangular: the row itself becomes zero. */
static void rotate_in(double r[3][4], double row[4], uint32_t n)
{
  for (uint32_t k = 0; k < n; k++) {
    double length = hypot(r[k][k], row[k]);
    if (length == 0)
      continue;
    double cosine = r[k][k] / length, sine = row[k] / length;
    for (uint32_t j = k; j <= n; j++) {
      double above = r[k][j], below = row[j];
      r[k][j] = cosine * above + sine * below;
      row[j] = cosine * below - sine * above;
    }
  }
}

static double largest(const struct prediction_point *points, uint32_t count, uint32_t without)
{
  double most = 0;
  for (uint32_t i = 0; i < count; i++)
    most = i == without ? most : fmax(most, fabs(points[i].y));
  return most;
}

bool prediction_form_fit(enum prediction_form form, const struct prediction_point *points, uint32_t count,
                         uint32_t without, double c[3])
{
  uint32_t n = forms[form].coefficients, used = 0;
  double r[3][4] = {{0}}, most = largest(points, count, without);
  c[0] = c[1] = c[2] = 0;
  for (uint32_t i = 0; i < count; i++) {
    double term[3], y = points[i].y;
    if (i == without)
      continue;
    if (!terms(form, points[i].x, term) || (form == PREDICTION_POWER && y <= 0))
      return false;
    double scale = form == PREDICTION_POWER ? 1 : fmax(fabs(y), 0.01 * most);
    double factor = sqrt(points[i].weight) / (scale > 0 ? scale : 1);
    double row[4] = {0};
    for (uint32_t k = 0; k < n; k++)
      row[k] = factor * term[k];
    row[n] = factor * (form == PREDICTION_POWER ? log(y) : y);
    rotate_in(r, row, n);
    used++;
  }
  for (uint32_t k = n; used >= n && k-- > 0;) {
    double sum = r[k][n];
    for (uint32_t j = k + 1; j < n; j++)
      sum -= r[k][j] * c[j];
    c[k] = sum / r[k][k];
  }
  if (form == PREDICTION_POWER)
    c[0] = exp(c[0]);
  return used >= n && isfinite(c[0]) && isfinite(c[1]) && isfinite(c[2]);
}

/* Root of the mean squared relative error of left-out points. NAN: there are too few to leave one out. */
static double left_out_error(enum prediction_form form, const struct prediction_point *points, uint32_t count)
{
  double sum = 0, weights = 0, most = largest(points, count, UINT32_MAX);
  for (uint32_t i = 0; i < count; i++) {
    double c[3], y = points[i].y, scale = fmax(fabs(y), 0.01 * most);
    if (!prediction_form_fit(form, points, count, i, c))
      return NAN;
    double error = (prediction_form_value(form, c, points[i].x) - y) / (scale > 0 ? scale : 1);
    sum += points[i].weight * error * error;
    weights += points[i].weight;
  }
  return sqrt(sum / weights);
}

struct prediction_function prediction_form_choose(const struct prediction_point *points, uint32_t count, bool quadratic)
{
  struct prediction_function chosen = {.form = PREDICTION_CONSTANT, .error = NAN, .points = count};
  double errors[PREDICTION_FORMS], least = INFINITY;
  for (int form = 0; count > 0 && form < PREDICTION_FORMS; form++) {
    bool allowed = form != PREDICTION_QUADRATIC || quadratic;
    errors[form] = allowed ? left_out_error((enum prediction_form)form, points, count) : NAN;
    least = fmin(least, errors[form]); /* fmin takes the other one if one is NAN */
  }
  for (int form = 0; count > 0 && form < PREDICTION_FORMS; form++) {
    enum prediction_form best = chosen.form;
    bool simpler = forms[best].coefficients < forms[form].coefficients;
    if (!(errors[form] <= fmax(1.05 * least, EXACT)) ||
        (!isnan(chosen.error) && (simpler || errors[form] >= chosen.error)))
      continue;
    chosen.form = (enum prediction_form)form;
    chosen.error = errors[form];
  }
  if (count > 0)
    prediction_form_fit(chosen.form, points, count, UINT32_MAX, chosen.c);
  return chosen;
}
