/*
 * Series of models, one for each phase of a run: a quasi-stationary model. A run without a change has a series of one
 * model.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SERIES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SERIES_H

#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/simulate.h"
#include "analyzer/models/markov/validate.h"

enum { MARKOV_SERIES_MOST = MARKOV_CHANGES_MOST + 1 };

/*
 * Models in the order of the run. Each has its own copy of the same program and table of states. Its records and
 * duration belong to its phase. No model has the transitions between phases.
 */
struct markov_series {
  struct markov_model *models[MARKOV_SERIES_MOST];
  uint32_t count;
};

/*
 * Makes the models of the phases of a run. Reads the stream at least once a phase. `order`: as of markov_expand().
 * NULL: an error.
 */
struct markov_series *markov_series_of(struct pes_stream *stream, const struct markov_phases *phases,
                                       const struct markov_options *options, unsigned order, struct error *error);

/* Makes a series of one model and takes it over. NULL: out of memory; the model is freed. */
struct markov_series *markov_series_of_one(struct markov_model *model);
void markov_series_free(struct markov_series *series);

/* Sums over the phases. */
uint64_t markov_series_records(const struct markov_series *series);
uint64_t markov_series_duration(const struct markov_series *series);

/*
 * As markov_simulate(). Each phase has its share of the records and of the ticks; with both limits, a phase ends at the
 * first one. It begins with one of its own first states.
 */
struct pes_stream *markov_series_simulate(const struct markov_series *series,
                                          const struct markov_simulation *simulation, struct error *error);

/* Part of a run that is compared with one model of a series. */
struct markov_segment {
  uint64_t first, records, begin, duration; /* 0 records: the run lacks the phase */
  struct markov_validation *validation;     /* NULL: the run lacks the phase */
};

struct markov_comparison {
  struct markov_segment list[MARKOV_SERIES_MOST];
  uint32_t count; /* number of models */
};

/*
 * Cuts a run at its most probable phase boundaries under the models in their order, and compares each segment with its
 * model. All tests together keep the level. Values and states of the run that the models lack are added to them. NULL:
 * an error.
 */
struct markov_comparison *markov_series_compare(struct markov_series *series, struct pes_stream *run,
                                                const struct markov_validate_options *options, struct error *error);
void markov_comparison_free(struct markov_comparison *comparison);

#endif
