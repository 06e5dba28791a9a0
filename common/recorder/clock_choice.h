/*
 * The choice of the recorder's clock: the processor's counter, or else CLOCK_MONOTONIC. The counter must run at one
 * rate, be readable and quicker than clock_gettime, and be the same on all processors. HEDDLE_CLOCK=tsc|monotonic asks
 * for one of them. No allocation.
 */
#ifndef HEDDLE_COMMON_RECORDER_CLOCK_CHOICE_H
#define HEDDLE_COMMON_RECORDER_CLOCK_CHOICE_H

/* Chooses, for good. Not thread-safe: before any thread reads the clock. */
void clock_choose(void);

/* Why this clock was chosen, as a part of a sentence. */
const char *clock_why(void);

#endif
