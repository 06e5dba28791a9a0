/* Time a state and in all at a value of the parameter, with an interval. */
#ifndef HEDDLE_ANALYZER_PREDICTION_PREDICT_H
#define HEDDLE_ANALYZER_PREDICTION_PREDICT_H

#include "analyzer/prediction/fit.h"

/* Where a value lies among the measured ones. */
struct prediction_reach {
  double limit;  /* outside: the measured value next to it */
  double factor; /* 1: inside; else how far beyond: the greater of x / limit and limit / x, or by the measured range */
  bool above;    /* beyond the largest, not the smallest */
  bool by_range; /* factor is 1 + distance / range, because not both are positive */
};

/* low and high: 95 % interval for the time of one new run; NAN: unknown, because there are too few runs. */
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
  uint32_t state_count;
};

struct prediction_reach prediction_reach(const struct prediction_data *data, double x);

/* At least two values were measured. NULL: no memory. */
struct prediction_estimate *prediction_predict(const struct prediction *prediction, double x);

/* What was measured in a group: means of its runs, and the interval by their spread. For values that are no numbers. */
struct prediction_estimate *prediction_measured(const struct prediction_data *data, uint32_t group);

void prediction_estimate_free(struct prediction_estimate *estimate);

/* Private to prediction/: fills `longrun` of all states and scales the probabilities. False: no memory. */
bool prediction_longrun(const struct prediction_data *data, struct prediction_estimate *estimate);

#endif
