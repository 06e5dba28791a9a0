/*
 * Callbacks that stand before those of callbacks.h and call them: where measurement is switched from outside
 * (HEDDLE_LIVE, HEDDLE_PAUSED), and where somebody watches waits. The runtime gets them in place of the others, so that
 * nobody else pays for them.
 */
#ifndef HEDDLE_OMPT_TOOL_GATED_CALLBACKS_H
#define HEDDLE_OMPT_TOOL_GATED_CALLBACKS_H

#include <omp-tools.h>
#include <stdint.h>

/* The groups of an event (LIVE_NEED_...), of which one needs its callback; 0: it stays, whatever is measured. */
uint32_t gated_groups(ompt_callbacks_t event);

/* Returns a callback that calls the one of callbacks.h if one of the event's groups is measured
 * (common/recorder/measured_groups.h). NULL: the event is always reported. */
ompt_callback_t gated_callback(ompt_callbacks_t event);

/* Returns a callback that reports waits (common/recorder/waits.h) and calls the one of callbacks.h. NULL: the event is
 * no wait. */
ompt_callback_t watched_callback(ompt_callbacks_t event);

#endif
