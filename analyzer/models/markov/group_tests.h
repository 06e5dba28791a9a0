/* Private to markov/: the two ways to test the figures of two groups. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H

#include "analyzer/models/markov/run_sums.h"

/*
 * One run each: the ratios' differences against those of the blocks of both runs, permuted. Fills `p` and `smallest` of
 * contrasts in the order of the tally's ratios, and the blocks of `result`, of which there are 0 if there are too few.
 * False: an error.
 */
bool markov_contrast_blocks(const struct markov_tally *tally, const struct markov_tallied runs[2],
                            const struct markov_same_options *options, struct markov_sameness *result,
                            struct error *error);

/* Several runs: Student's test of the runs' ratios, with Holm's correction. As above, but for the blocks. */
bool markov_contrast_runs(const struct markov_tally *tally, const struct markov_tallied *runs, const uint32_t counts[2],
                          const struct markov_same_options *options, struct markov_sameness *result,
                          struct error *error);

#endif
