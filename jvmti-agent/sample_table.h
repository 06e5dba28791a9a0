/*
 * The table in the file `samples` (common/raw/live_control.h): how many samples each thread had in each call. Any
 * number of threads may add at a time, also in handlers: nothing locks or allocates.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_TABLE_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_TABLE_H

#include "common/raw/live_control.h"

/* Counts a sample of a thread in a call, 0: in one that got no number. Threads from LIVE_THREADS on have no counts. */
void sample_table_add(struct live_samples *samples, uint32_t thread, uint32_t call);

#endif
