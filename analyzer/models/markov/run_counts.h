/*
 * Private to markov/: the counts of one run: its transitions and occupancies, by the state numbers of the run's own
 * table. They are all that a model needs to know of a run.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_RUN_COUNTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_RUN_COUNTS_H

#include "analyzer/models/markov/distribution.h"
#include "analyzer/models/markov/transition_counts.h"
#include "analyzer/models/sequences/pes.h"
#include "base/vector.h"

struct markov_run_counts {
  VECTOR(struct markov_distribution) occupancies; /* by state */
  struct markov_transition_counts transitions;    /* between records; without the one into the terminal state */
  uint64_t records, duration;
  uint32_t first, last; /* states; valid if records > 0 */
  uint32_t terminal;    /* PES_NONE: unknown */
};

/*
 * Reads the whole stream from its beginning. Times are multiplied by num / den. markov_run_counts_free() frees the
 * counts, also after an error. False: an error.
 */
bool markov_run_counts_read(struct markov_run_counts *counts, struct pes_stream *stream, uint64_t num, uint64_t den,
                            struct error *error);
void markov_run_counts_free(struct markov_run_counts *counts);

#endif
