/* Private to locks/: the order of locks and their parties, which depends neither on where nor when they were found. */
#ifndef HEDDLE_ANALYZER_LOCKS_ORDER_H
#define HEDDLE_ANALYZER_LOCKS_ORDER_H

#include "analyzer/locks/lock.h"

/*
 * Puts them in order; parties name locks by their places in the list, before and after. The locks of one process must
 * be in the order in which they were met. False: no memory; nothing is changed.
 */
bool locks_order(struct locks *locks);

#endif
