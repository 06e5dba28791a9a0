/* Mean occupancy and visits of each state, and the probability of each transition, as functions of the parameters. */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_FIT_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_FIT_H

#include "analyzer/models/prediction/data.h"
#include "analyzer/models/prediction/form.h"

/*
 * Function of a probability p: a constant, or a linear, inverse or logarithmic function of ln(p / (1 - p)). p therefore
 * stays between 0 and 1.
 */
struct prediction_probability {
  struct prediction_shape shape;
  double c[PREDICTION_COEFFICIENTS_MAX]; /* CONSTANT: p itself */
  double error; /* error of ln(p / (1 - p)), root of the mean square over held-out values; NAN: too few points */
};

struct prediction {
  const struct prediction_data *data;             /* outlives it */
  struct prediction_function *occupancy, *visits; /* by state; ticks, visits a run */
  struct prediction_probability *probability;     /* by edge */
};

/* Fits all functions. The data are grouped and numeric. NULL: out of memory. */
struct prediction *prediction_fit(const struct prediction_data *data);
void prediction_free(struct prediction *prediction);

/* Returns the probability at x. The caller scales rows of transition probabilities to the sum 1. */
double prediction_probability_value(const struct prediction_probability *probability, const double *x);

/* Private to prediction/. Count of a transition at the values x, and of all that leave its state. */
struct prediction_share {
  double x[PREDICTION_PARAMETERS_MAX], count, all;
};

struct prediction_probability prediction_probability_choose(const struct prediction_share *shares, uint32_t count,
                                                            const struct prediction_shapes *shapes);

/*
 * Private to prediction/. Fill in the points for the functions of occupancy and visits of a state, without the group
 * `without` (UINT32_MAX: all groups). `points` has room for all groups. Return their number.
 */
uint32_t prediction_occupancy_points(const struct prediction_data *data, uint32_t state, uint32_t without,
                                     struct prediction_point *points);
uint32_t prediction_visits_points(const struct prediction_data *data, uint32_t state, uint32_t without,
                                  struct prediction_point *points);

#endif
