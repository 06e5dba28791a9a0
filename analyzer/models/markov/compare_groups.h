/* Compares two groups of runs. */
#ifndef HEDDLE_ANALYZER_MODELS_MARKOV_COMPARE_GROUPS_H
#define HEDDLE_ANALYZER_MODELS_MARKOV_COMPARE_GROUPS_H

#include "analyzer/models/markov/group_comparison.h"

/* `counts[0]` runs of the one group, then `counts[1]` of the other, each with its own table of states. NULL: an error.
 */
struct markov_group_comparison *markov_compare_groups(struct pes_stream *const *streams, const char *const *names,
                                                      const uint32_t counts[2],
                                                      const struct markov_compare_options *options,
                                                      struct error *error);
void markov_group_comparison_free(struct markov_group_comparison *comparison);

#endif
