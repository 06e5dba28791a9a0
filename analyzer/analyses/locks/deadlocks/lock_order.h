/*
 * In which order threads acquired locks. Where one thread acquired B while it held A, and another one A while it held
 * B, they may wait for each other for ever in another run: an inversion. More than two locks can make one, too. If a
 * thread held a further lock each time, the same in all steps, it is guarded: such a gate lets only one of them try.
 * Steps that only one and the same thread ever made are no inversion.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_LOCK_ORDER_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_LOCK_ORDER_H

#include "analyzer/analyses/locks/deadlocks/order_step.h"
#include "analyzer/trace/pass/pass.h"

/* As in deadlocks.h. */
struct lock_order_finder;
struct lock_order_finder *lock_order_begin(const struct trace *trace, struct error *error);
const struct subscriber *lock_order_subscriber(const struct lock_order_finder *finder);
bool lock_order_end(struct lock_order_finder *finder, struct lock_order *order, struct error *error);
void lock_order_drop(struct lock_order_finder *finder);

void lock_order_free(struct lock_order *order);

#endif
