/*
 * Puts the trees of two searches in the same time together: of a trace, and of sums. A trace may lack constructs that
 * began before it, and executions that its budget left out; sums lack the order of events, but have all of them.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_WHY_COMPLETE_H
#define HEDDLE_ANALYZER_FINDINGS_WHY_COMPLETE_H

#include "analyzer/findings/why/nodes.h"

/*
 * Adds the places of `sums` that reach the threshold, are no guesses, and are not in `why`, with their kinds; and takes
 * from `sums` what they know exactly, serial parts and the root. The trees share findings afterwards. False: no memory.
 */
bool why_complete(struct why *why, const struct why *sums);

#endif
