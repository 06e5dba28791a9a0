/* The forms that a figure can have as a function of a parameter, and which one fits points best. */
#ifndef HEDDLE_ANALYZER_PREDICTION_FORM_H
#define HEDDLE_ANALYZER_PREDICTION_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* Simpler ones come first. */
enum prediction_form {
  PREDICTION_CONSTANT,  /* a */
  PREDICTION_LINEAR,    /* a + b x */
  PREDICTION_INVERSE,   /* a + b / x: Amdahl's law */
  PREDICTION_LOG,       /* a + b ln x */
  PREDICTION_POWER,     /* a x^b */
  PREDICTION_QUADRATIC, /* a + b x + c x^2 */
  PREDICTION_FORMS
};

/* "inverse". */
const char *prediction_form_name(enum prediction_form form);

struct prediction_point {
  double x, y, weight; /* weight > 0: how many observations */
};

struct prediction_function {
  enum prediction_form form;
  double c[3];     /* a, b, c; of what the form lacks 0 */
  double error;    /* of a left-out value, relative, root of the mean square; NAN: too few points */
  uint32_t points; /* that the form was fitted to; 0: the figure is 0 everywhere */
};

/*
 * Weighted least squares of relative deviations: a deviation counts by its part of the value, or of a hundredth of the
 * largest value if that is more. `without`: a point to leave out; UINT32_MAX: none. False: these points can't have that
 * form (too few, or no logarithm).
 */
bool prediction_form_fit(enum prediction_form form, const struct prediction_point *points, uint32_t count,
                         uint32_t without, double c[3]);

/* Never negative, always finite. */
double prediction_form_value(enum prediction_form form, const double c[3], double x);

/*
 * The form with the least error when each point in turn is left out and predicted from the others; of forms within 5 %
 * of that, the one with the fewest coefficients. `quadratic`: that is a form to try, too.
 */
struct prediction_function prediction_form_choose(const struct prediction_point *points, uint32_t count,
                                                  bool quadratic);

#endif
