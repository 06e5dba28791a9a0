/*
 * To which processors a thread is bound (OMP_PLACES, OMP_PROC_BIND, taskset), where these are not all of the machine. A
 * runtime may bind a thread after its first event, so this is said again when it has changed.
 *
 * The call is the thread's own, while it is busy or not attached yet. It allocates nothing, and is no point of
 * cancellation.
 */
#ifndef HEDDLE_COMMON_RECORDER_CPU_AFFINITY_H
#define HEDDLE_COMMON_RECORDER_CPU_AFFINITY_H

#include "common/recorder/recorder_slots.h"

#define CPU_AFFINITY_SETS  2u /* of 64 processors; a thread that is bound to more counts as not bound */
#define CPU_AFFINITY_WORDS (2u + 2u * CPU_AFFINITY_SETS) /* at most */

/* Writes a record of what has changed since the last one: its head to *head, word 1 and the following to `words`. How
 * many words it has in all; 0: nothing has changed. */
unsigned cpu_affinity_record(struct recorder *self, uint64_t now, uint64_t *head,
                             uint64_t words[CPU_AFFINITY_WORDS - 1]);

#endif
