/* An order of locks and their parties that does not depend on how a trace is split. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_ORDER_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_ORDER_H

#include "analyzer/analyses/locks/lock.h"

/*
 * Sorts locks and parties; parties name locks by their places in the list, before and after. The locks of each process
 * must be in the order of their first events. False: no memory, and nothing has changed.
 */
bool locks_order(struct locks *locks);

/* Drops locks without analyzed events: their sums are 0. False: no memory, and nothing has changed. */
bool locks_drop_unlisted(struct locks *locks);

#endif
