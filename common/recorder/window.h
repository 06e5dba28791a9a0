/*
 * The window of a thread's recorder: what the recorder itself writes there, and how a full window becomes a chunk of
 * the thread's log (raw_trace.h). Calls are the thread's own, while it is busy or not attached yet; no allocation.
 *
 * What holds, and what a thread that lives a millisecond pays for it:
 * - All windows are parts of one file, and slots are used again: a new thread maps nothing if another one has ended.
 * - After SIGKILL nothing is there twice, and nothing is missing: a window belongs to nobody only once its chunk is
 *   written.
 * - A child of fork has no window of its parent, because windows are not mapped there.
 * - A thread that has ended has the last name that it had. Name and processors are read before the second record, in
 *   each chunk, and at the end. A runtime's worker has them read at its begin.
 */
#ifndef HEDDLE_COMMON_RECORDER_WINDOW_H
#define HEDDLE_COMMON_RECORDER_WINDOW_H

#include "common/recorder/clock.h"
#include "common/recorder/recorder_slots.h"

/* A slot with a window, which is the caller's. NULL: there is none to be had; that is counted and said. */
struct recorder *window_take(void);

/*
 * Begins the first chunk of a thread whose slot is filled in: its beginning at `begin` (type: ompt_thread_t or 0) and
 * its name. From here on emit finds room.
 */
void window_begin(struct recorder *self, unsigned type, struct clock_anchor begin);

/*
 * Makes room for a record where the limit says there is none; force: turns the window over although there is. False:
 * the event can't be recorded. Errno is kept, and the thread is not cancelled meanwhile.
 */
bool window_turn(struct recorder *self, bool force);

/* True if recording is paused, and the thread knows: then the event counts as not measured, and costs next to nothing.
 */
bool window_pauses(struct recorder *self);

/* The next records can't be short ones, nor part of one before: it is not known what they could build on. */
void window_forget(struct recorder *self);

/* Folds the window, and drops what is not kept of it, where chosen constructs are (construct_filter.h). */
void window_keep(struct recorder *self);

/* Records the end of the thread, writes what it has, and frees its slot. False: a window that can't be written stays
 * the thread's: it is not lost. */
bool window_end(struct recorder *self);

#endif
