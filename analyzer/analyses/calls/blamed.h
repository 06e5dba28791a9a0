/* Private to calls/: gives the ticks of constructs to their functions. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_BLAMED_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_BLAMED_H

#include "analyzer/analyses/calls/blame_results.h"
#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/key_sums.h"

/*
 * `ticks`: keys are location and construct. `samples`: taken meanwhile; keys are location, construct and context. Both
 * are sorted then. Fills in the cells. False: no memory.
 */
bool blamed_cells(const struct trace *trace, struct key_sums *ticks, struct key_sums *samples,
                  const struct calls *calls, uint32_t trigger, struct calls_blame *blame);

#endif
