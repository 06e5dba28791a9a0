/*
 * Private to locks/: which thread held a lock of Java's while others waited for it. The JVM reports neither releases
 * nor uncontended acquisitions. But while a thread waits, another one holds the lock; and a thread that waited holds
 * the lock until the next acquisition, or until it calls Object.wait. While no thread waits, nothing is known.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_HOLD_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_HOLD_H

#include "analyzer/analyses/locks/lock.h"
#include "analyzer/trace/definitions.h"

struct hold {
  uint32_t waiting;          /* threads that wait now */
  bool open;                 /* a thread has held the lock since then, and another has waited since then */
  uint64_t since;            /* ticks */
  uint32_t location, region; /* the holder, and where it acquired the lock; TRACE_NONE: unknown */
};

/* A thread begins to wait. It may know the holder (else TRACE_NONE). */
void hold_requested(struct hold *hold, uint64_t time, uint32_t location, uint32_t region);

/* A thread waits no longer. If it acquires the lock, hold_passed() comes before. */
void hold_wait_ended(struct hold *hold);

/*
 * The lock passes to another thread; TRACE_NONE: it is released, and the next holder is unknown. True: *before is the
 * hold that ends here, of `time` - before->since ticks.
 */
bool hold_passed(struct hold *hold, uint64_t time, uint32_t location, uint32_t region, struct hold *before);

#endif
