/* Where threads wait for each other, as far as the sums of a profile go: at barriers, and for locks. */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_WAITS_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_WAITS_H

#include "analyzer/live/profile/profile.h"

/* At a barrier, at the ends of a parallel region (its last barrier has no entry of its own then), or for a lock. */
struct profiled_wait {
  uint32_t region;
  uint32_t threads;    /* that came there; 0: it is another kind of construct */
  uint64_t executions; /* of the thread with the most */
  wide_total all, least, most;
  bool lock;
};

/* One entry a region of the trace, in this order. NULL: out of memory. The caller frees them. */
struct profiled_wait *profiled_waits(const struct trace *trace, const struct profiled *profile);

/* What of a row is waiting, if its barrier is not the last one of a parallel region. */
wide_total profiled_row_wait(const struct trace *trace, const struct profile_row *row);

/* What could be won at most: the mean wait, which would be left to none if all threads came at the same time. */
static inline wide_total profiled_win(const struct profiled_wait *wait)
{
  return wait->threads > 0 ? wait->all / wait->threads : 0;
}

#endif
