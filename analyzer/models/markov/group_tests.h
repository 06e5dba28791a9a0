/*
 * Private to markov/. Tests of the difference between two groups of runs: by blocks if there is one run each, by runs
 * if there are several.
 */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_GROUP_TESTS_H

#include "analyzer/models/markov/run_sums.h"

/*
 * Permutation test for one run each: differences of ratios are compared with the differences for permuted blocks of
 * both runs. Fills in `p` and `smallest` of the contrasts in the order of the table's ratios, and the blocks of
 * `result`; 0 blocks: too few records. False: an error.
 */
bool markov_test_blocks(const struct markov_ratio_table *table, const struct markov_compared_run runs[2],
                        const struct markov_compare_options *options, struct markov_group_comparison *result,
                        struct error *error);

/*
 * Student's test of the runs' ratios for several runs, with Holm's correction. Fills in the same, except the blocks.
 * False: an error.
 */
bool markov_test_runs(const struct markov_ratio_table *table, const struct markov_compared_run *runs,
                      const uint32_t counts[2], const struct markov_compare_options *options,
                      struct markov_group_comparison *result, struct error *error);

#endif
