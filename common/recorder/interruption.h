/*
 * Interruptions of a thread in code of ours: cancellation, which must wait, and handlers of signals. A handler may emit
 * itself, and may leave by a jump, so that what it interrupted never ends. All of it is the calling thread's.
 */
#ifndef HEDDLE_COMMON_RECORDER_INTERRUPTION_H
#define HEDDLE_COMMON_RECORDER_INTERRUPTION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Keeps the thread from being cancelled, also asynchronously, until it is released as often. Else system calls of ours
 * would be cancellation points in the middle of the program's own construct.
 */
void interruption_hold(void);
void interruption_release(void);
/* A jump has left what held it: releases all. */
void interruption_forget(void);

/*
 * True if code at the stack pointer `here` runs in a handler that interrupts the one at `busy`. NONE: that one was left
 * by a jump. DOUBTFUL: what is on the stack may also be left from such a handler. LIKELY: a signal is blocked that was
 * not when the handler began, as its own is by default. A jump that kept it blocked looks the same. errno may change.
 */
enum interruption { INTERRUPTION_NONE, INTERRUPTION_DOUBTFUL, INTERRUPTION_LIKELY };
enum interruption interruption_between(uintptr_t here, uintptr_t busy);

#endif
