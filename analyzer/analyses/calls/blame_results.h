/* Private to calls/, whose users include blame.h: what is blamed, and what is not. */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_RESULTS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_BLAME_RESULTS_H

#include "base/statistics.h"

#include <stddef.h>
#include <stdint.h>

enum calls_unblamed {
  UNBLAMED_UNKNOWN_WAKER, /* the trace does not say who ended the wait */
  UNBLAMED_AMBIGUOUS,     /* two threads could have ended it */
  UNBLAMED_TIMED_OUT,
  UNBLAMED_ITSELF,       /* the thread was the last one to arrive */
  UNBLAMED_NOT_ENDED,    /* it had not ended when the recording did */
  UNBLAMED_WAKING,       /* it was over, and the thread had not gone on yet */
  UNBLAMED_NO_PROCESSOR, /* the other thread had no processor, or was blocked in the kernel */
  UNBLAMED_UNMEASURED,   /* the other thread was UNMEASURED */
  UNBLAMED_NOT_KNOWN,    /* it is not known what the other thread did */
  UNBLAMED_REASONS
};

struct calls_blame_cell {
  uint32_t context;             /* TRACE_NONE: the construct has no samples */
  uint32_t location, construct; /* that worked meanwhile; construct: TRACE_NONE: none */
  wide_total ticks;
};

struct calls_blame {
  wide_total waiting;             /* ticks of all threads in IDLE, SYNCH and BLOCKED: the sum of all that follows */
  struct calls_blame_cell *cells; /* by location, construct, context */
  size_t cell_count;
  wide_total unblamed[UNBLAMED_REASONS];
};

#endif
