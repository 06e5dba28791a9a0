/*
 * Callbacks that stand before the callbacks of callbacks.h and call them: where measurement is switched from outside
 * (HEDDLE_LIVE, HEDDLE_PAUSED), and where somebody watches waits. The runtime gets them in place of the others, so that
 * nobody else pays for them.
 */
#ifndef HEDDLE_OMPT_TOOL_GATED_CALLBACKS_H
#define HEDDLE_OMPT_TOOL_GATED_CALLBACKS_H

#include <omp-tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The groups of an event (LIVE_NEED_...); each of them needs its callback. 0: it stays, whatever is measured. */
uint32_t gated_groups(ompt_callbacks_t event);

/* Returns a callback that calls the event's one in callbacks.h if one of the event's groups is measured
 * (common/recorder/measured_groups.h). NULL: the event is always reported. */
ompt_callback_t gated_callback(ompt_callbacks_t event);

/* Returns a callback that reports waits (common/recorder/preloaded.h) and calls the event's one in callbacks.h. NULL:
 * the event is no wait. */
ompt_callback_t watched_callback(ompt_callbacks_t event);

/*
 * The callbacks that are registered while measurement is switched from outside: somebody needs them
 * (common/recorder/measured_groups.h). A program that begins without needs has hardly any.
 *
 * A call site of the runtime tests a bit and then calls a pointer. So a callback may go only while no thread can be at
 * one of its call sites. That holds where the only root begins a region outside of all others:
 *   - Other threads are workers, who wait for the next region. After a worker has arrived at the last barrier, it ends
 *     barriers and implicit tasks. Callbacks for these ends stay, unless there never was a worker.
 *   - Tasks of the serial part are executed when they are created. But any thread completes one with an event
 *     (detach), at any time: task_schedule stays, and after such a task all callbacks do.
 *   - Tasks of hidden helper threads (target nowait) belong to a root of their own, which begins before they do. With a
 *     second root all callbacks stay.
 * A callback may be put back at any time: the pointer is stored first, the bit after it. A runtime that reads each
 * pointer once lets all of them go at any time (EXTENSION_CALLBACKS_GO).
 */

struct registered_callback {
  ompt_callbacks_t event;
  ompt_callback_t callback;
  uint32_t groups; /* LIVE_NEED_...: it is needed if one of them is; 0: it stays */
};
#define REGISTERED_MOST 32u

struct registered_runtime {
  ompt_set_callback_t set_callback; /* NULL: callbacks stay */
  ompt_function_lookup_t lookup;    /* of the runtime */
  bool anytime;                     /* callbacks may go at any time */
};
/* Registers the callbacks that are needed, from now on. Once, before the first callback. The list
 * stays; none of it is registered yet. */
void registered_start(struct registered_runtime runtime, const struct registered_callback *callbacks, size_t count);
/* The runtime ends, or there may be a task with an event: from now on none goes at a region's begin. Any thread. */
void registered_stop(void);

/* An initial thread begins, before it does anything else. */
void registered_begin_root(void);
/* A thread begins that is no initial one. */
void registered_begin_other(void);
/* A region begins: callbacks that nobody needs go, if they may. Any thread. */
void registered_drop_unneeded(void);

#endif
