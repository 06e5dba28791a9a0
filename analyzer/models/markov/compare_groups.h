/* Comparison of two groups of runs. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_COMPARE_GROUPS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_COMPARE_GROUPS_H

#include "analyzer/models/markov/group_comparison.h"

/*
 * Compares `counts[0]` runs with the `counts[1]` runs that follow them; each has its own table of states. NULL: an
 * error.
 */
struct markov_group_comparison *markov_compare_groups(struct pes_stream *const *streams, const char *const *names,
                                                      const uint32_t counts[2],
                                                      const struct markov_compare_options *options,
                                                      struct error *error);
void markov_group_comparison_free(struct markov_group_comparison *comparison);

#endif
