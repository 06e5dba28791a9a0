/*
 * A trace of chosen constructs: of what a thread has recorded, the executions of constructs with the chosen codes stay,
 * with all that lies inside them, the barrier at the end of a chosen loop, and begin and end of the parallel regions
 * around. All other time becomes RAW_GAP, so that it counts as not measured. Records are looked at when the thread's
 * window is folded; to record one costs the same as without.
 *
 * A set of codes is the process'; any thread may change it. All else is the thread's own, while it is busy.
 */
#ifndef HEDDLE_COMMON_CHOSEN_H
#define HEDDLE_COMMON_CHOSEN_H

#include "common/slots.h"

#include <stddef.h>

struct chosen;

/* The codes that are chosen from now on: those of raw_trace.h, or RAW_CODE_USER | name. */
void chosen_set(const uint64_t *codes, uint32_t count);

/* The thread knows of no construct that it is in; what it did up to `since` (ticks) is written or told. Makes *chosen, if
 * there is none; it stays with the slot. False: there is no memory. */
bool chosen_begin(struct chosen **chosen, uint32_t window_size, uint64_t since);

/* A new chunk begins: no record of the one before can be meant. */
void chosen_begin_chunk(struct chosen *chosen);

/*
 * Puts what stays of the records `from` to `to`, which begin a chunk of their own, to `at`, where records of the chunk
 * may come before; `from` may be there, too. Returns how many words it has, at most `most`; what has no room counts in
 * *lost.
 */
size_t chosen_keep(struct chosen *chosen, const uint64_t *from, const uint64_t *to, uint64_t *at, size_t most,
                   uint64_t *lost);

/* Up to which time (ticks) all is kept, or told as not measured. */
uint64_t chosen_until(const struct chosen *chosen);

#endif
