/* What there is to choose from, and the terms of each. */
#include "analyzer/models/prediction/form.h"

#include <math.h>

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

/* Which parameter a function of one parameter is a function of. */
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

/* A structure with all functions of both parameters. */
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

/* x, 1 / x, ln x or x^2. False: it has no finite value at x. */
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
