/* Records of waits, and their bytes in the file between the two passes of the account. Any thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_WAIT_RECORDS_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_WAIT_RECORDS_H

#include "analyzer/analyses/account/packed.h"

#include <stddef.h>

/*
 * MEETS, LOCKS: a wait FOR_ATOMIC or FOR_SEMAPHORE that one of the threads that do the same ended. It woke all, as the
 * last one at a barrier; or one, as the holder of a lock. In Java a wait FOR_PERMIT or FOR_SIGNAL may be MEETS, too.
 * JOINS: the creator of a crew waits at a latch until all of the crew are done.
 */
enum { WAIT_TIMES_OUT = 1, WAIT_NEVER_ENDS = 2, WAIT_UNRELEASED = 4, WAIT_MEETS = 8, WAIT_LOCKS = 16, WAIT_JOINS = 32 };

struct wait_record {
  uint64_t ordinal; /* of the thread's waits */
  uint64_t release; /* ticks: the action that ended it; from here to its end the thread wakes up */
  uint64_t end;
  uint64_t detail; /* FOR_MEETING: the last arrival, if tasks were left then, or 0; FOR_LOCK: the lock, or 0 */
  uint32_t waker;  /* location; itself: it was the last one to arrive; TRACE_NONE: unknown */
  uint8_t flags;
};

#define WAIT_RECORD_MOST (5 * PACKED_MOST + 1) /* bytes of a record, at most */

/* Returns the number of bytes; `to` has room for WAIT_RECORD_MOST a record. */
size_t wait_records_pack(uint8_t *to, const struct wait_record *records, uint32_t count);
/* The reverse. */
void wait_records_unpack(const uint8_t *from, struct wait_record *records, uint32_t count);

#endif
