/*
 * Models of one run or many, and the differences between the runs: confidence intervals, an analysis of variance, and
 * outliers. docs/models.md has the formulas.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H

#include "analyzer/models/markov/model.h"

#include <stdint.h>

enum {
  MARKOV_OUTLIERS_LEAST = 5, /* values that the test needs */
  MARKOV_OUTLIERS_MOST = 20
};

/*
 * Finds outliers by Rosner's generalized extreme Studentized deviate test. At most a fifth of the values and
 * MARKOV_OUTLIERS_MOST can be outliers, and none of them masks another one. `level` is the probability of any outlier
 * if all values come from one normal distribution. Fills `which` with their indices, the most extreme first, and
 * returns their number. Values must be finite.
 */
uint32_t markov_outliers(const double *values, uint32_t count, double level, uint32_t which[MARKOV_OUTLIERS_MOST]);

/*
 * Estimate of a figure from several runs: the mean, and its 95 % confidence interval (Student's t). The logarithmic
 * scale keeps the interval in the figure's range.
 */
struct markov_estimate {
  uint32_t runs;          /* that have the figure */
  double mean, low, high; /* low and high: NAN with fewer than two runs; only high NAN: unbounded */
};

/* One-way analysis of variance of a state's occupancies, by run. */
struct markov_variance {
  double within;  /* standard deviation of occupancies within a run, in ticks; NAN: too few runs */
  double between; /* standard deviation of the runs' true means beyond `within`; NAN: too few runs */
  double chance;  /* p of the F test; NAN: too few runs */
};

enum markov_figure { MARKOV_FIGURE_DURATION, MARKOV_FIGURE_CYCLE, MARKOV_FIGURE_OCCUPANCY, MARKOV_FIGURE_LONGRUN };

/* Run whose figure is an outlier. */
struct markov_outlier {
  uint32_t run; /* in the order in which runs were added */
  enum markov_figure figure;
  uint32_t state;       /* of an occupancy or a part; else the reference state */
  double value, others; /* ticks, or a part of 1; others: mean of the other runs that are no outliers */
};

struct markov_spread {
  uint32_t runs, count;              /* count: states, as in the model */
  char **names;                      /* of the runs */
  struct markov_estimate *longrun;   /* by state; a run that lacks the state has 0 */
  struct markov_estimate *occupancy; /* mean occupancy in ticks, of the runs that have the state */
  struct markov_variance *apart;     /* by state */
  uint32_t reference;                /* the pooled model's reference state */
  struct markov_estimate cycle;      /* ticks */
  struct markov_outlier *outliers;   /* by figure in the order of the enum, then by state */
  uint32_t outlier_count;
};

void markov_spread_free(struct markov_spread *spread);

/* Private to markov/. Figures of one run. */
struct markov_run_figures {
  char *name;
  double duration; /* ticks */
  uint32_t count;
  double *longrun, *occupancy, *recurrence; /* by state; NAN: the run lacks the state */
  double *squares;                          /* by state: sum of squared deviations from the mean occupancy */
  uint64_t *visits;                         /* with known occupancies, by state */
};

/* Computes the figures of a run's own model. `name` is copied. False: out of memory; free them also then. */
bool markov_run_figures_take(struct markov_run_figures *figures, const char *name, const struct markov_model *model);
void markov_run_figures_free(struct markov_run_figures *figures);

/* Compares at least two runs. `model` is the model of all runs. NULL: out of memory. */
struct markov_spread *markov_spread_make(const struct markov_run_figures *runs, uint32_t count,
                                         const struct markov_model *model);

/*
 * Builder of models. Counts of all runs are added up by state; there is no transition from the end of one run to the
 * beginning of another. With several runs, each also becomes a model of its own, and they are compared.
 */

struct markov_builder;

/* `any` also admits runs with different parameters or program names. NULL: out of memory. */
struct markov_builder *markov_builder_create(const struct markov_options *options, bool any);

/* Sets the order of the model (higher_order.h), before the first run. */
void markov_builder_set_order(struct markov_builder *builder, unsigned order);

/* Reads a whole run, which has its own table of states. `name` is for messages and is copied. False: an error. */
bool markov_builder_add(struct markov_builder *builder, const char *name, struct pes_stream *stream,
                        struct error *error);

/* Returns the number of records of all runs so far. */
uint64_t markov_builder_records(const struct markov_builder *builder);

/*
 * Returns the model of all runs. If `spread` is not NULL, it gets the comparison of several runs, or NULL for one run.
 * NULL: an error.
 */
struct markov_model *markov_builder_finish(struct markov_builder *builder, struct markov_spread **spread,
                                           struct error *error);
void markov_builder_free(struct markov_builder *builder);

/* Returns the model of one run. NULL: an error. */
struct markov_model *markov_model_of(struct pes_stream *stream, const struct markov_options *options,
                                     struct error *error);

#endif
