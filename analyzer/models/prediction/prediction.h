/*
 * Prediction of a program's states at values of a parameter that were not measured. Mean occupancy and visits of each
 * state and the probabilities of transitions are fitted as functions of the parameters of the runs. docs/prediction.md
 * has the formulas. Only one thread at a time may use an object.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H

#include "analyzer/models/prediction/data.h"
#include "analyzer/models/prediction/file.h"
#include "analyzer/models/prediction/fit.h"
#include "analyzer/models/prediction/form.h"

/* Position of a value of one parameter among the measured ones. */
struct prediction_extrapolation {
  double limit;  /* outside: the measured value next to it */
  double factor; /* 1: inside; else distance: the greater of x / limit and limit / x, or by the measured range */
  bool above;    /* beyond the largest, not the smallest */
  bool by_range; /* factor is 1 + distance / range, because not both are positive */
};

/*
 * Distance of the measured combinations of two values from a requested one. In each of four directions (each parameter
 * at least or at most the value) a measured combination is needed. The factor is the shortfall of the nearest one in
 * the worst direction. It is more than 1 outside of the values, and where the values were measured, but not together.
 */
struct prediction_gap {
  double factor;                         /* 1: none is missing */
  bool above[PREDICTION_PARAMETERS_MAX]; /* where: at least the value, not at most */
};

/* low and high: prediction interval of the time of one run; NAN: unknown, because there are too few runs */
struct prediction_time {
  double ticks, low, high;
};

struct prediction_state_estimate {
  double occupancy, visits;    /* mean ticks a visit, visits a run */
  struct prediction_time time; /* of a run: product of both */
  double longrun;              /* share of the time by the transition probabilities */
};

struct prediction_estimate {
  struct prediction_state_estimate *states;
  double *probability;          /* by edge; rows add up to 1 */
  struct prediction_time total; /* ticks: the states' sum */
  double level;                 /* of the intervals: 0.95 */
  uint32_t state_count;
};

struct prediction_extrapolation prediction_extrapolation(const struct prediction_data *data, uint32_t parameter,
                                                         double x);

/* Returns the gap at x, by parameter. With one parameter, the factor is the factor of prediction_extrapolation(). */
struct prediction_gap prediction_gap(const struct prediction_data *data, const double *x);

/*
 * Predicts at the values x, by parameter. At least two values or pairs of values were measured. `level`: the level of
 * the intervals, 0.95. NULL: out of memory.
 */
struct prediction_estimate *prediction_predict(const struct prediction *prediction, const double *x, double level);

/*
 * Returns the measurements of a group: means of its runs, and intervals by their spread. For values that are no
 * numbers. NULL: out of memory.
 */
struct prediction_estimate *prediction_measured(const struct prediction_data *data, uint32_t group, double level);

void prediction_estimate_free(struct prediction_estimate *estimate);

#endif
