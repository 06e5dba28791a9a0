/*
 * Private to markov/: where in a run does each phase of a series begin? Records are taken for independent draws of the
 * model of their phase: their next state, and which quarter of the run's durations theirs is in. The cuts that make the
 * run most probable are found in one reading. Going on to another phase costs log(records), so a phase is there only if
 * it explains its records better by more than chance does; a run may lack phases.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_ALIGN_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_ALIGN_H

#include "analyzer/models/markov/series.h"

/*
 * `map` has the numbers of the run's states in the models' tables; those beyond a table are unknown to its model. Fills
 * first, records, begin and duration of each stretch. False: an error.
 */
bool markov_align(const struct markov_series *series, struct pes_stream *run, const uint32_t *map,
                  struct markov_comparison *comparison, struct error *error);

#endif
