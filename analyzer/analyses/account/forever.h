/* Waits that never end: in a cycle, or where everybody who could end them waits without end, too. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_FOREVER_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_FOREVER_H

#include "analyzer/trace/definitions.h"

/* A thread at the end of its process. */
struct last_wait {
  bool lives;   /* until the process ended, and is no service of a JVM */
  bool forever; /* it waits, and nobody has woken it; after find_forever(): it waits forever */
  uint32_t by;  /* the location that alone can end the wait; TRACE_NONE: unknown */
};

/*
 * By location. A wait that a known thread could end is forever as this thread's is. Others are if the process was
 * killed when all of its threads waited. False: no memory.
 */
bool find_forever(const struct trace *trace, struct last_wait *waits);

/* Whether a signal ended the process. */
bool process_was_killed(const struct trace *trace, uint32_t process);

#endif
