/* Private to deadlocks/: pairs of locks, the second of which a thread acquired while it held the first. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_STEPS_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_STEPS_H

#include "analyzer/analyses/locks/deadlocks/order_step.h"
#include "base/hash.h"
#include "base/vector.h"

struct steps {
  VECTOR(struct order_step) list;
  struct hash at; /* first << 32 | second -> index */
  uint64_t left_out;
};

/* Adds a step to those that are known. False: no memory. */
bool steps_add(struct steps *steps, const struct order_step *step);
void steps_free(struct steps *steps);

/* The inversions in them. False: no memory. */
bool steps_find(const struct steps *steps, struct lock_order *order);

#endif
