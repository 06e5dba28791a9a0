/* Which values of a sample stand out from the others. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SPREAD_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SPREAD_H

#include "analyzer/models/markov/model.h"

#include <stdint.h>

enum {
  MARKOV_OUTLIERS_LEAST = 5, /* values: of fewer, none can be named */
  MARKOV_OUTLIERS_MOST = 20
};

/*
 * Rosner's generalized extreme Studentized deviate test: up to a fifth of the values may stand out, at most
 * MARKOV_OUTLIERS_MOST, and none of them hides another one. `level` is the probability to name any where all values
 * come from one normal distribution. Fills `which` with their indices, the most extreme one first, and returns their
 * number. Values must be finite.
 */
uint32_t markov_outliers(const double *values, uint32_t count, double level, uint32_t which[MARKOV_OUTLIERS_MOST]);

/*
 * Several runs side by side: confidence intervals over the runs, whether runs differ by more than what they vary within
 * themselves, and which run stands out. docs/models.md has the formulas.
 */

/* A figure over runs: the mean, and the interval that holds the true mean with 95 % (Student's t on a logarithmic
 * scale, so that it stays in the figure's range). */
struct markov_estimate {
  uint32_t runs;          /* that have the figure */
  double mean, low, high; /* low and high are NAN with fewer than two runs; a high of NAN alone: nothing is known */
};

/* One-way analysis of variance of a state's occupancies, by run. */
struct markov_apart {
  double within;  /* standard deviation of occupancies around their run's mean, in ticks; NAN: too few to know */
  double between; /* the same of the runs' true means: what `within` does not explain; NAN: too few to know */
  double chance;  /* that runs without any difference look so different (F test); NAN: too few to know */
};

enum markov_figure { MARKOV_FIGURE_DURATION, MARKOV_FIGURE_CYCLE, MARKOV_FIGURE_OCCUPANCY, MARKOV_FIGURE_LONGRUN };

/* A run whose figure stands out from the other runs'. */
struct markov_outlier {
  uint32_t run; /* by the order in which runs were added */
  enum markov_figure figure;
  uint32_t state;       /* of an occupancy or a part; else the reference state */
  double value, others; /* ticks, or a part of 1; others: the mean of the runs that do not stand out */
};

struct markov_spread {
  uint32_t runs, count;              /* count: states, as in the model */
  char **names;                      /* of the runs */
  struct markov_estimate *longrun;   /* by state; a run that lacks the state has 0 */
  struct markov_estimate *occupancy; /* mean occupancy in ticks, of the runs that have the state */
  struct markov_apart *apart;        /* by state */
  uint32_t reference;                /* the pooled model's reference state */
  struct markov_estimate cycle;      /* ticks */
  struct markov_outlier *outliers;   /* by figure in the order of the enum, then by state */
  uint32_t outlier_count;
};

void markov_spread_free(struct markov_spread *spread);

/* Private to markov/. One run alone. */
struct markov_run_figures {
  char *name;
  double duration; /* ticks */
  uint32_t count;
  double *longrun, *occupancy, *recurrence; /* by state; NAN: it lacks the state */
  double *squares;                          /* by state: of its occupancies' deviations from their mean */
  uint64_t *visits;                         /* with known occupancies, by state */
};

/* Solves the run's own model. `name` is copied. False: no memory; free them also then. */
bool markov_run_figures_take(struct markov_run_figures *figures, const char *name, const struct markov_model *model);
void markov_run_figures_free(struct markov_run_figures *figures);

/* At least two runs, and the model of all. NULL: no memory. */
struct markov_spread *markov_spread_make(const struct markov_run_figures *runs, uint32_t count,
                                         const struct markov_model *model);

#endif
