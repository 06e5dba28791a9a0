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

/* Finds it in a pass of either kind; its result is a struct lock_order. */
extern const struct analysis lock_order_analysis;

#endif
