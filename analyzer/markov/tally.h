/* Private to markov/: what is counted in one run, by the numbers of its own table of states. */
#ifndef HEDDLE_ANALYZER_MARKOV_TALLY_H
#define HEDDLE_ANALYZER_MARKOV_TALLY_H

#include "analyzer/markov/counts.h"
#include "analyzer/markov/distribution.h"
#include "analyzer/pes/pes.h"

struct markov_tally {
  struct markov_distribution *states;
  uint32_t state_count;
  struct markov_counts transitions; /* between records; the one into the terminal state is not among them */
  uint64_t records, duration;
  uint32_t first, last; /* valid if records > 0 */
  uint32_t terminal;    /* PES_NONE: unknown */
};

/*
 * Reads the whole stream from its beginning. Times are multiplied by num / den. `tally` is filled in any case and freed
 * by markov_tally_free(). False: an error.
 */
bool markov_tally_take(struct markov_tally *tally, struct pes_stream *stream, uint64_t num, uint64_t den,
                       struct error *error);
void markov_tally_free(struct markov_tally *tally);

#endif
