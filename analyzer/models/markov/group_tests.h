/* Private to markov/: the two ways to test the figures of two groups. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H

#include "analyzer/models/markov/run_sums.h"

/*
 * One run each: the ratios' differences against those of the blocks of both runs, permuted. Fills `p` and `smallest` of
 * contrasts in the order of the table's ratios, and the blocks of `result`, of which there are 0 if there are too few.
 * False: an error.
 */
bool markov_test_blocks(const struct markov_ratio_table *table, const struct markov_compared_run runs[2],
                        const struct markov_compare_options *options, struct markov_group_comparison *result,
                        struct error *error);

/* Several runs: Student's test of the runs' ratios, with Holm's correction. As above, but for the blocks. */
bool markov_test_runs(const struct markov_ratio_table *table, const struct markov_compared_run *runs,
                      const uint32_t counts[2], const struct markov_compare_options *options,
                      struct markov_group_comparison *result, struct error *error);

#endif
