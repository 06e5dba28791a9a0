/* Private to schedule/: the advice that follows from the record of a loop. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_ADVICE_H
#define HEDDLE_ANALYZER_SCHEDULE_ADVICE_H

#include "analyzer/schedule/record.h"
#include "analyzer/schedule/schedule_loop.h"

/* Simulates a loop under all candidates, and sets `error`, `teams` and the verdicts of `loop`. False: out of memory. */
bool advice_give(struct schedule_loop *loop, const struct loop_record *record, bool overhead_inside,
                 const uint32_t *threads, uint32_t thread_count);

#endif
