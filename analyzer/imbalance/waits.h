/* Private to imbalance/: who waited for whom, a construct. Memory grows with the pairs of threads that occur. */
#ifndef HEDDLE_ANALYZER_IMBALANCE_WAITS_H
#define HEDDLE_ANALYZER_IMBALANCE_WAITS_H

#include "analyzer/imbalance/imbalance.h"

struct waits;

struct waits *waits_create(void);
void waits_destroy(struct waits *waits);

/* False: no memory. */
bool waits_add(struct waits *waits, uint32_t region, uint32_t waiter, uint32_t last, uint64_t ticks);

/* Copies all pairs into imbalance->waits, in their order. False: no memory. */
bool waits_hand_over(const struct waits *waits, struct imbalance *imbalance);

/* By region, waiter and last. */
void waits_sort(struct imbalance *imbalance);

#endif
