/*
 * The callbacks of a program whose measurement is switched from outside (HEDDLE_LIVE, HEDDLE_PAUSED): each asks whether
 * its group is measured (common/recorder/needs.h) before it does anything. So what nobody needs costs a comparison, or
 * nothing, where registered.h has taken the callback out.
 */
#ifndef HEDDLE_OMPT_TOOL_NEEDED_H
#define HEDDLE_OMPT_TOOL_NEEDED_H

#include <omp-tools.h>
#include <stdint.h>

/* The callback that asks first, and then calls `records`; for an event that is not asked for, that itself. Once an
 * event. */
ompt_callback_t needed_callback(ompt_callbacks_t event, ompt_callback_t records);

/* The groups of which one needs the callback; 0: it stays, whatever is measured. */
uint32_t needed_groups(ompt_callbacks_t event);

#endif
