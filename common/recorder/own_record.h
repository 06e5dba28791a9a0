/*
 * Records that the recorder writes of itself into a thread's window. Calls are the thread's own, while it is busy;
 * window.c sees to the room.
 */
#ifndef HEDDLE_COMMON_RECORDER_OWN_RECORD_H
#define HEDDLE_COMMON_RECORDER_OWN_RECORD_H

#include "common/recorder/recorder_slots.h"

#define OWN_STALL_WORDS 3u

/* A record of n words: the head, and n - 1 others. */
void own_record_put(struct recorder *self, unsigned n, uint64_t head, const uint64_t *words);

/* The recorder kept the thread from `begin` to `end` (ticks). */
void own_record_stall(struct recorder *self, uint64_t begin, uint64_t end);

#endif
