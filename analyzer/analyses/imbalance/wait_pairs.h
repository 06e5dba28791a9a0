/*
 * Private to imbalance/: who waited for whom at the barrier of which region. Memory grows with the pairs of threads
 * that occur.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_IMBALANCE_WAIT_PAIRS_H
#define HEDDLE_ANALYZER_ANALYSES_IMBALANCE_WAIT_PAIRS_H

#include "analyzer/analyses/imbalance/constructs.h"

struct wait_pairs;

/* NULL: out of memory. */
struct wait_pairs *wait_pairs_create(void);
void wait_pairs_destroy(struct wait_pairs *pairs);

/* Adds a wait of so many ticks. False: out of memory. */
bool wait_pairs_add(struct wait_pairs *pairs, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks);

/* Copies all pairs into imbalance->waits, in their order. False: out of memory. */
bool wait_pairs_hand_over(const struct wait_pairs *pairs, struct imbalance *imbalance);

/* Adds the pairs of `from`, of which `into` has none: a pair is of one process. False: out of memory. */
bool wait_pairs_merge(struct imbalance *into, const struct imbalance *from);

#endif
