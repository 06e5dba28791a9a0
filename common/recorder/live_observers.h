/*
 * The slots of observers in the page of requests (live_control.h), as the program reads them: anybody may write
 * anything there, at any time. Any thread of the program.
 */
#ifndef HEDDLE_COMMON_RECORDER_LIVE_OBSERVERS_H
#define HEDDLE_COMMON_RECORDER_LIVE_OBSERVERS_H

#include "common/raw/live_control.h"

#include <stdbool.h>

/* What all of them need together. */
uint32_t live_observers_need(const struct live_observer observers[LIVE_OBSERVERS]);

/* Empties the slots of those that have died. True: there were some. Opens and closes the file, if any has a slot; a
 * file that cannot be opened (the program has become another user) says nothing, and all stay. */
bool live_observers_clean(struct live_observer observers[LIVE_OBSERVERS]);

#endif
