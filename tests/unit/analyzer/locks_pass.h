/* All locks of a trace, found in a pass of their own. */
#ifndef HEDDLE_TESTS_ANALYZER_LOCKS_PASS_H
#define HEDDLE_TESTS_ANALYZER_LOCKS_PASS_H

#include "analyzer/analyses/locks/locks.h"

/* False: an error. Free with locks_free(), also then. */
bool locks_find(const struct trace *trace, struct pool *pool, struct locks *locks, struct error *error);

#endif
