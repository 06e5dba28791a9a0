/*
 * How a program's states depend on a parameter of its runs: mean occupancy and visits of each state and the
 * probabilities of transitions, fitted as functions of the parameter, and predicted for values that were not
 * measured. docs/prediction.md has the formulas. Nothing here is safe to be used by two threads at a time.
 */
#ifndef HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H
#define HEDDLE_ANALYZER_MODELS_PREDICTION_PREDICTION_H

#include "analyzer/models/prediction/data.h"
#include "analyzer/models/prediction/file.h"
#include "analyzer/models/prediction/fit.h"
#include "analyzer/models/prediction/form.h"

/* Time a state and in all at values of the parameters, with an interval. */

/* Where a value of one parameter lies among the measured ones. */
struct prediction_reach {
  double limit;  /* outside: the measured value next to it */
  double factor; /* 1: inside; else how far beyond: the greater of x / limit and limit / x, or by the measured range */
  bool above;    /* beyond the largest, not the smallest */
  bool by_range; /* factor is 1 + distance / range, because not both are positive */
};

/*
 * How far the measured combinations of two values are from one. In each of four directions (each parameter at least or
 * at most the value) there should be a measured one; the factor says how short of that the nearest one is where most is
 * missing. So it is more than 1 outside of the values, and where the values were measured but not together.
 */
struct prediction_gap {
  double factor;                         /* 1: none is missing */
  bool above[PREDICTION_PARAMETERS_MAX]; /* where: at least the value, not at most */
};

/* low and high: interval for the time of one new run; NAN: unknown, because there are too few runs. */
struct prediction_time {
  double ticks, low, high;
};

struct prediction_state_estimate {
  double occupancy, visits;    /* mean ticks a visit, visits a run */
  struct prediction_time time; /* of a run: their product */
  double longrun;              /* part of the time, by the transition probabilities */
};

struct prediction_estimate {
  struct prediction_state_estimate *states;
  double *probability;          /* by edge; rows add up to 1 */
  struct prediction_time total; /* ticks: the states' sum */
  double level;                 /* of the intervals: 0.95 */
  uint32_t state_count;
};

struct prediction_reach prediction_reach(const struct prediction_data *data, uint32_t parameter, double x);

/* With one parameter, the factor is that of prediction_reach(). `x`: by parameter. */
struct prediction_gap prediction_gap(const struct prediction_data *data, const double *x);

/*
 * At values x, by parameter. At least two values or pairs of values were measured. `level`: of the intervals, 0.95.
 * NULL: no memory.
 */
struct prediction_estimate *prediction_predict(const struct prediction *prediction, const double *x, double level);

/* What was measured in a group: means of its runs, and the interval by their spread. For values that are no numbers. */
struct prediction_estimate *prediction_measured(const struct prediction_data *data, uint32_t group, double level);

void prediction_estimate_free(struct prediction_estimate *estimate);

/* Private to prediction/: fills `longrun` of all states and scales the probabilities. False: no memory. */
bool prediction_longrun(const struct prediction_data *data, struct prediction_estimate *estimate);

#endif
