/*
 * Recording of the user's events: each call becomes one record (kinds from 96 on in common/raw/raw_trace.h). The first
 * call opens the session, or joins another tool's session.
 */
#ifndef HEDDLE_USER_EVENTS_CALLS_H
#define HEDDLE_USER_EVENTS_CALLS_H

#include "common/recorder/recorder.h"

#include <stddef.h>
#include <stdint.h>

/* Finds the number of a name. False: the process is not recorded. Any thread. */
bool calls_name(const char *text, size_t length, uint32_t *number);
/* Makes the calling thread known to the recorder. False: the process is not recorded. */
bool calls_ready(void);

/* Record a region or an event, by the number of its name, within the budget. */
void calls_enter(uint32_t number);
void calls_leave(uint32_t number);
void calls_event(uint32_t number, unsigned n, const uint64_t (*elements)[RAW_EXTRA]);

void calls_name_thread(const char *name, size_t length);
void calls_measure(int on);

#endif
