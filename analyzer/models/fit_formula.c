#include "analyzer/models/fit_formula.h"

#include <stdio.h>

/* What a term is the product of: functions of the parameters whose bits are set. */
static void put_product(FILE *file, const struct prediction_shape *shape, const char *const *names, unsigned bits)
{
  for (unsigned p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    enum prediction_form form = shape->of[p];
    if ((bits & 1U << p) && form != PREDICTION_INVERSE)
      fprintf(file, " %s%s%s", form == PREDICTION_LOG ? "ln " : "", names[p], form == PREDICTION_SQUARE ? "^2" : "");
  }
  for (unsigned p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    if ((bits & 1U << p) && shape->of[p] == PREDICTION_INVERSE)
      fprintf(file, "/%s", names[p]);
  }
}

static void put_terms(FILE *file, const struct prediction_shape *shape, const char *const *names, const double *c,
                      double unit)
{
  static const unsigned factors[PREDICTION_STRUCTURES][PREDICTION_COEFFICIENTS_MAX] = {
      [PREDICTION_PRODUCT] = {0, 3}, [PREDICTION_SUM] = {0, 1, 2}, [PREDICTION_FULL] = {0, 1, 2, 3}};
  unsigned own = shape->of[1] == PREDICTION_CONSTANT ? 1 : 2; /* of a function of one parameter */
  uint32_t n = prediction_shape_coefficients(shape);
  fprintf(file, "%.4g", c[0] / unit);
  for (uint32_t k = 1; k < n; k++) {
    fprintf(file, " %+.4g", c[k] / unit);
    put_product(file, shape, names, shape->structure == PREDICTION_ALONE ? own : factors[shape->structure][k]);
    fputs(shape->structure == PREDICTION_ALONE && k == 2 ? "^2" : "", file);
  }
}

static void put_power(FILE *file, const struct prediction_shape *shape, const char *const *names, const double *c,
                      double unit)
{
  uint32_t k = 1;
  fprintf(file, "%.4g", c[0] / unit);
  for (uint32_t p = 0; p < PREDICTION_PARAMETERS_MAX; p++) {
    if (shape->of[p] == PREDICTION_POWER)
      fprintf(file, " %s^%.4g", names[p], c[k++]);
  }
}

const char *fit_formula(const struct prediction_data *data, const struct prediction_function *of, double unit,
                        char text[FIT_FORMULA_SIZE])
{
  bool two = data->parameter_count == 2;
  const char *const names[PREDICTION_PARAMETERS_MAX] = {two ? data->parameters[0] : "x",
                                                        two ? data->parameters[1] : ""};
  bool power = of->shape.of[0] == PREDICTION_POWER || of->shape.of[1] == PREDICTION_POWER;
  FILE *file = fmemopen(text, FIT_FORMULA_SIZE, "w");
  text[0] = '\0';
  if (!file)
    return text;
  (power ? put_power : put_terms)(file, &of->shape, names, of->c, unit);
  fclose(file);
  text[FIT_FORMULA_SIZE - 1] = '\0';
  return text;
}
