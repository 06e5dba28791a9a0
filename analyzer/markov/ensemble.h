/*
 * A model of one run or of many: counts of all runs are added up by state, and no transition is ever counted from the
 * end of one run to the beginning of another. With several runs, each is also a model of its own, and the figures'
 * spread over the runs gives confidence intervals.
 */
#ifndef HEDDLE_ANALYZER_MARKOV_ENSEMBLE_H
#define HEDDLE_ANALYZER_MARKOV_ENSEMBLE_H

#include "analyzer/markov/model.h"

/* A figure over runs: the mean, and the interval that holds the true mean with 95 % (Student's t on a logarithmic
 * scale, so that it stays in the figure's range; see docs/models.md). */
struct markov_estimate {
  uint32_t runs;          /* that have the figure */
  double mean, low, high; /* low and high are NAN with fewer than two runs; a high of NAN alone: nothing is known */
};

struct markov_spread {
  uint32_t runs, count;              /* count: states, as in the model */
  struct markov_estimate *longrun;   /* by state; a run that lacks the state has 0 */
  struct markov_estimate *occupancy; /* mean occupancy in ticks, of the runs that have the state */
  uint32_t reference;                /* the pooled model's reference state */
  struct markov_estimate cycle;      /* ticks */
};

struct markov_builder;

/* `any`: also runs with different parameters or program names. NULL: no memory. */
struct markov_builder *markov_builder_create(const struct markov_options *options, bool any);

/* Before the first run: states carry their history (carry.h). */
void markov_builder_set_order(struct markov_builder *builder, unsigned order);

/* Reads the whole run, which must have its own table of states. `name` is for messages and is copied. False: an error.
 */
bool markov_builder_add(struct markov_builder *builder, const char *name, struct pes_stream *stream,
                        struct error *error);

/* The model of all runs, and, if `spread` is not NULL and there are several, their spread (else NULL). NULL: an error.
 */
struct markov_model *markov_builder_finish(struct markov_builder *builder, struct markov_spread **spread,
                                           struct error *error);
void markov_builder_free(struct markov_builder *builder);
void markov_spread_free(struct markov_spread *spread);

/* The same for one run. */
struct markov_model *markov_model_of(struct pes_stream *stream, const struct markov_options *options,
                                     struct error *error);

#endif
