/*
 * Private to locks/: who held a lock of Java while others waited for it. The JVM reports neither releases nor
 * uncontended acquisitions. But while a thread waits, another one holds the lock; and a thread that waited holds it
 * until the next one acquires it, or until it calls Object.wait. While no thread waits, nothing is known.
 */
#ifndef HEDDLE_ANALYZER_LOCKS_HOLD_H
#define HEDDLE_ANALYZER_LOCKS_HOLD_H

#include "analyzer/locks/lock.h"
#include "analyzer/trace/definitions.h"

struct hold {
  uint32_t waiting;          /* threads, now */
  bool open;                 /* somebody has had it since then, and at least one has waited since then */
  uint64_t since;            /* ticks */
  uint32_t location, region; /* who, and where it got it; TRACE_NONE: not known */
};

/* A thread begins to wait. It may know who has it (else TRACE_NONE). */
void hold_asked(struct hold *hold, uint64_t time, uint32_t location, uint32_t region);

/* A thread waits no longer. hold_passed() tells of its getting the lock, before this. */
void hold_waited(struct hold *hold);

/*
 * The lock passes to another thread; TRACE_NONE: it is given up, and who has it next is not known. True: what was until
 * now goes to *before, and `time` - before->since is how long.
 */
bool hold_passed(struct hold *hold, uint64_t time, uint32_t location, uint32_t region, struct hold *before);

#endif
