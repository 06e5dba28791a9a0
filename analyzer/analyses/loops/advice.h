/* Private to schedule/: the advice that follows from the record of a loop. */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOOPS_ADVICE_H
#define HEDDLE_ANALYZER_ANALYSES_LOOPS_ADVICE_H

#include "analyzer/analyses/loops/record.h"
#include "analyzer/analyses/loops/schedule_loop.h"

/* Simulates a loop under all candidates, and sets `error`, `teams` and the verdicts of `loop`. False: out of memory. */
bool advice_give(struct schedule_loop *loop, const struct loop_record *record, bool overhead_inside,
                 const uint32_t *threads, uint32_t thread_count);

#endif
