/*
 * Filter for a trace of chosen constructs (filter_codes_set). Their executions stay in what a thread has recorded, with
 * all that lies inside them and the barrier at the end of a chosen loop. So do begin and end of the parallel regions
 * around. All other time becomes RAW_GAP, so that it counts as not measured. Records are looked at when the thread's
 * window is folded; to record one costs the same as without. The calls are the thread's own, while it is busy.
 */
#ifndef HEDDLE_COMMON_RECORDER_CONSTRUCT_FILTER_H
#define HEDDLE_COMMON_RECORDER_CONSTRUCT_FILTER_H

#include "common/recorder/recording.h"

/* For recording_config. */
extern const struct filter_ops construct_filter_ops __attribute__((visibility("hidden")));

#endif
