/*
 * Profiles beside events (common/profile/profile_beside.h): the callbacks that begin what other threads take part in
 * note where that is from, besides what they do otherwise.
 */
#ifndef HEDDLE_OMPT_TOOL_BESIDE_H
#define HEDDLE_OMPT_TOOL_BESIDE_H

#include "ompt-tool/callbacks.h"

/* The callback that notes, and calls `records` before; for an event that begins nothing of that kind, that itself. */
ompt_callback_t beside_callback(ompt_callbacks_t event, ompt_callback_t records);

#endif
