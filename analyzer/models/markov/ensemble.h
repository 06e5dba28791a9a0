/*
 * A model of one run or of many: counts of all runs are added up by state, and no transition is ever counted from the
 * end of one run to the beginning of another. With several runs, each is also a model of its own, and they are compared
 * (spread.h).
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_ENSEMBLE_H

#include "analyzer/models/markov/spread.h"

struct markov_builder;

/* `any`: also runs with different parameters or program names. NULL: no memory. */
struct markov_builder *markov_builder_create(const struct markov_options *options, bool any);

/* Before the first run: states carry their history (carry.h). */
void markov_builder_set_order(struct markov_builder *builder, unsigned order);

/* Reads the whole run, which must have its own table of states. `name` is for messages and is copied. False: an error.
 */
bool markov_builder_add(struct markov_builder *builder, const char *name, struct pes_stream *stream,
                        struct error *error);

/* The records of all runs so far. */
uint64_t markov_builder_records(const struct markov_builder *builder);

/* The model of all runs, and, if `spread` is not NULL and there are several, their spread (else NULL). NULL: an error.
 */
struct markov_model *markov_builder_finish(struct markov_builder *builder, struct markov_spread **spread,
                                           struct error *error);
void markov_builder_free(struct markov_builder *builder);

/* The same for one run. */
struct markov_model *markov_model_of(struct pes_stream *stream, const struct markov_options *options,
                                     struct error *error);

#endif
