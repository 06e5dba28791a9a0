/* Private to schedule/: from what was recorded of a loop to what to do. */
#ifndef HEDDLE_ANALYZER_SCHEDULE_ADVICE_H
#define HEDDLE_ANALYZER_SCHEDULE_ADVICE_H

#include "analyzer/schedule/record.h"
#include "analyzer/schedule/schedule_loop.h"

/* Simulates a loop under all candidates, and judges. `loop` has everything but error and teams. False: no memory. */
bool advice_give(struct schedule_loop *loop, const struct loop_record *record, bool overhead_inside,
                 const uint32_t *threads, uint32_t thread_count);

#endif
