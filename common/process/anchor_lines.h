/*
 * Lines `anchor` of the process file: moments at which both the ticks and CLOCK_MONOTONIC are read. At the begin and
 * the end, and in between as the process records, so that a jump of the counter is seen. No allocation.
 */
#ifndef HEDDLE_COMMON_PROCESS_ANCHOR_LINES_H
#define HEDDLE_COMMON_PROCESS_ANCHOR_LINES_H

#include "common/process/text.h"

#define ANCHOR_LINES_BEST 50 /* tries, where there is time */

/* A process begins, or a child of fork: no anchor was written of it. */
void anchor_lines_begin(void);
/* Adds a line with the narrowest of so many readings, of 100 bytes at most. */
void anchor_lines_add(struct text *text, int tries);

/* Writes one if the last one is long ago: at most ten a second, fewer in long runs. Any thread, also in signal
 * handlers; who finds another one at it goes on. */
void anchor_lines_write_due(void);

#endif
