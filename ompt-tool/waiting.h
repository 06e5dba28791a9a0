/*
 * Callbacks of waits, where somebody wants to know of them (common/recorder/waits.h): each calls the one that records,
 * and tells of the wait. A task that the thread executes while it waits is no wait.
 */
#ifndef HEDDLE_OMPT_TOOL_WAITING_H
#define HEDDLE_OMPT_TOOL_WAITING_H

#include <omp-tools.h>

/* The callback to be set in place of the one that records, which is kept. The same: of this event nobody is told. */
ompt_callback_t waiting_callback(ompt_callbacks_t event, ompt_callback_t records);

#endif
