/*
 * Forms of a figure as a function of one or two parameters, their fit, and the choice of the best one.
 *
 * Private to prediction/: linear least squares with few coefficients, by rotations, row by row.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_FORM_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_SQUARES_MAX = 4 };

/* All zeros except n, the number of coefficients: a problem without rows. */
struct least_squares {
  double r[LEAST_SQUARES_MAX][LEAST_SQUARES_MAX + 1]; /* triangular; the right side is column n */
  uint32_t n, rows;
};

/* Adds the row "sum of c[k] terms[k] = y", multiplied with the square root of its weight. */
void least_squares_add(struct least_squares *of, const double *terms, double y, double factor);

/* False: the rows don't determine all coefficients. */
bool least_squares_solve(const struct least_squares *of, double *c);

/*
 * After least_squares_solve(), returns the leverage of a row that was added, 0 to 1. Without the row, its deviation
 * would be the present one / (1 - leverage).
 */
double least_squares_leverage(const struct least_squares *of, const double *terms, double factor);

/* Parameters of a run. */
enum { PREDICTION_PARAMETERS_MAX = 2 };

/* Forms of one parameter. Simpler ones come first. */
enum prediction_form {
  PREDICTION_CONSTANT,  /* a */
  PREDICTION_LINEAR,    /* a + b x */
  PREDICTION_INVERSE,   /* a + b / x: Amdahl's law */
  PREDICTION_LOG,       /* a + b ln x */
  PREDICTION_POWER,     /* a x^b */
  PREDICTION_QUADRATIC, /* a + b x + c x^2 */
  PREDICTION_SQUARE,    /* a + b x^2; only with two parameters */
  PREDICTION_FORMS
};

/* Structures of functions of two parameters: f and g are x, 1 / x, ln x or x^2 of the first and the second. */
enum prediction_structure {
  PREDICTION_ALONE,   /* a form of one parameter; the other has no influence */
  PREDICTION_PRODUCT, /* a + b f g */
  PREDICTION_SUM,     /* a + b f + c g */
  PREDICTION_POWERS,  /* a x^b z^c */
  PREDICTION_FULL,    /* a + b f + c g + d f g */
  PREDICTION_STRUCTURES
};

struct prediction_shape {
  enum prediction_structure structure;
  enum prediction_form of[PREDICTION_PARAMETERS_MAX]; /* ALONE: one is or both are CONSTANT */
};

/* Shapes to choose from; those with fewer coefficients come first. */
struct prediction_shapes {
  uint32_t count, parameters;
  struct prediction_shape list[64];
};

/* "inverse", "product". */
const char *prediction_form_name(enum prediction_form form);
const char *prediction_shape_name(const struct prediction_shape *shape);

/* Returns a form of the first parameter alone. */
static inline struct prediction_shape prediction_alone(enum prediction_form form)
{
  return (struct prediction_shape){PREDICTION_ALONE, {form, PREDICTION_CONSTANT}};
}

struct prediction_point {
  double x[PREDICTION_PARAMETERS_MAX], y, weight; /* weight > 0: number of observations */
};

enum { PREDICTION_COEFFICIENTS_MAX = 4 };

struct prediction_function {
  struct prediction_shape shape;
  double c[PREDICTION_COEFFICIENTS_MAX]; /* a, b, c, d; 0 for terms that the shape lacks */
  double error;    /* relative error of left-out values, root of the mean square; NAN: too few points */
  uint32_t points; /* number of fitted points; 0: the figure is 0 everywhere */
};

/* Returns all shapes for one parameter or two; `quadratic`, by parameter: x^2 is admitted. */
struct prediction_shapes prediction_shapes(uint32_t parameters, const bool *quadratic);

/* Returns the shapes for the logarithm of a ratio of probabilities: without squares and powers. */
struct prediction_shapes prediction_ratio_shapes(uint32_t parameters);

uint32_t prediction_shape_coefficients(const struct prediction_shape *shape);

/* Computes the terms of the coefficients at x. False: some are not finite, so the shape has no value at x. */
bool prediction_shape_terms(const struct prediction_shape *shape, const double *x,
                            double term[PREDICTION_COEFFICIENTS_MAX]);

/*
 * Fits by weighted least squares of relative deviations. A deviation is relative to the value, or to a hundredth of the
 * largest value if that is more. `without`: a point to exclude; UINT32_MAX: none. False: the shape is impossible for
 * these points (too few, all in one line, or no logarithm).
 */
bool prediction_form_fit(const struct prediction_shape *shape, const struct prediction_point *points, uint32_t count,
                         uint32_t without, double c[PREDICTION_COEFFICIENTS_MAX]);

/* Returns the value at x, which is finite and not negative. */
double prediction_form_value(const struct prediction_shape *shape, const double *c, const double *x);

/*
 * Returns the function whose shape has the least error when each point in turn is held out and predicted from the
 * others. Among shapes within 5 % of this, the one with the fewest coefficients is chosen.
 */
struct prediction_function prediction_form_choose(const struct prediction_point *points, uint32_t count,
                                                  const struct prediction_shapes *shapes);

#endif
