/*
 * Samples of Java code for observers, by thread and call: the file `samples` (common/raw/live_control.h). They count
 * while all is measured, and while an observer needs them (LIVE_NEED_SAMPLES).
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_COUNTS_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* Offers the counts to observers. Before the session is opened, which tells observers. */
void sample_counts_offer(void);
/* No samples are taken. */
void sample_counts_withdraw(void);
/* Makes the file, if somebody can ask for it; without room for it nothing is offered, which is said. The session is
 * open. */
void sample_counts_open(void);

/* In handlers: whether samples count now, and count one of the thread with that number in the trace, in a call of
 * sample_calls.h; 0: there was no room for the call. */
bool sample_counts_wanted(void);
void sample_counts_add(uint32_t thread, uint32_t call);

#endif
