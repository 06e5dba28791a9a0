/*
 * HEDDLE_SAMPLE_TIMER: samples of the code that runs, where the kernel takes none for the user. Each thread that
 * records has a timer of its own processor time. It sends the thread a signal, whose handler records where the thread
 * is (stack_record.h), and sets the timer anew: to the next multiple of the period, so that the mean period is exact. A
 * program that takes the signal over gets at most one more for each thread.
 *
 * The signal is the highest real-time signal that has no handler when recording begins. One that no timer of ours has
 * sent does what it did before. Samples that could not be taken are counted, by reason.
 */
#ifndef HEDDLE_COMMON_RECORDER_TIMER_SAMPLES_H
#define HEDDLE_COMMON_RECORDER_TIMER_SAMPLES_H

#include <stdint.h>

/* Of the process, before there are records. ns: 0: none. A period shorter than the kernel's tick becomes one. */
void timer_samples_begin(uint64_t ns);
/* In a fork's child: nothing is counted yet. */
void timer_samples_forked(void);
/* Writes into the process file what was lost, if samples were wanted (raw_trace.h, timer-samples). */
void timer_samples_describe(void);

#endif
