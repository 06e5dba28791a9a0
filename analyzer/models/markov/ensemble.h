/*
 * Builder of models of one run or many. Counts of all runs are added up by state; there is no transition from the end
 * of one run to the beginning of another. With several runs, each also becomes a model of its own, and they are
 * compared (spread.h).
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H

#include "analyzer/models/markov/spread.h"

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
