/*
 * Models one after another, one for each phase of a run: a quasi-stationary model. Within a phase nothing changes; from
 * one phase to the next everything may. A model of a run without a change is a series of one.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_SERIES_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_SERIES_H

#include "analyzer/models/markov/phases.h"
#include "analyzer/models/markov/simulate.h"
#include "analyzer/models/markov/validate.h"

enum { MARKOV_SERIES_MOST = MARKOV_CHANGES_MOST + 1 };

/*
 * In the order of the run. Each model has its own copy of the same program and the same table of states. Its records
 * and its duration are the phase's length. Transitions from one phase to the next are in none of them.
 */
struct markov_series {
  struct markov_model *models[MARKOV_SERIES_MOST];
  uint32_t count;
};

/* Of a run and its phases. Reads the stream once a phase, and more. `order` as in carry.h. NULL: an error. */
struct markov_series *markov_series_of(struct pes_stream *stream, const struct markov_phases *phases,
                                       const struct markov_options *options, unsigned order, struct error *error);

/* A series of one model, which it takes over. NULL: no memory; the model is freed. */
struct markov_series *markov_series_of_one(struct markov_model *model);
void markov_series_free(struct markov_series *series);

/* The sum over the phases. */
uint64_t markov_series_records(const struct markov_series *series);
uint64_t markov_series_duration(const struct markov_series *series);

/*
 * As markov_simulate(). Each phase gets its part of the records and of the ticks; with both limits, a phase ends at the
 * first one. It begins with one of its own first states.
 */
struct pes_stream *markov_series_simulate(const struct markov_series *series,
                                          const struct markov_simulation *simulation, struct error *error);

/* One phase of a run that is compared with a series. */
struct markov_stretch {
  uint64_t first, records, begin, duration; /* first, records: 0 records if the run lacks the phase */
  struct markov_validation *validation;     /* NULL: the run lacks the phase */
};

struct markov_comparison {
  struct markov_stretch list[MARKOV_SERIES_MOST];
  uint32_t count; /* as many as models */
};

/*
 * Cuts the run where its records are most probable under the models in their order (align.h), and compares each stretch
 * with its model, so that all tests together keep to the level. Programs and tables of the models get what the run has
 * and they lack. NULL: an error.
 */
struct markov_comparison *markov_series_compare(struct markov_series *series, struct pes_stream *run,
                                                const struct markov_validate_options *options, struct error *error);
void markov_comparison_free(struct markov_comparison *comparison);

/*
 * Private to markov/: where in a run does each phase of a series begin? Records are taken for independent draws of the
 * model of their phase: their next state, and which quarter of the run's durations theirs is in. The cuts that make the
 * run most probable are found in one reading. Going on to another phase costs log(records), so a phase is there only if
 * it explains its records better by more than chance does; a run may lack phases.
 */

/*
 * `map` has the numbers of the run's states in the models' tables; those beyond a table are unknown to its model. Fills
 * first, records, begin and duration of each stretch. False: an error.
 */
bool markov_align(const struct markov_series *series, struct pes_stream *run, const uint32_t *map,
                  struct markov_comparison *comparison, struct error *error);

#endif
