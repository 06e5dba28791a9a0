/* States of threads, and waits for each other, that follow from the sums of a profile. */
#ifndef HEDDLE_ANALYZER_LIVE_PROFILE_STATES_H
#define HEDDLE_ANALYZER_LIVE_PROFILE_STATES_H

#include "analyzer/live/profile/profile.h"

/* The barrier at the end of a parallel region; the region itself, if no thread reports it. */
uint32_t profiled_last_barrier(const struct trace *trace, uint32_t region);

/* The state of a row's self time; IDLE for a worker's time in no construct. */
enum state profiled_row_state(const struct trace *trace, const struct profiled *profile, const struct profile_row *row);

/* Adds up the states of threads and constructs. False: out of memory. Free with states_sums_free(), also then. */
bool profiled_states(const struct trace *trace, const struct profiled *profile, struct states_sums *sums);

/* Waits at a barrier, at the ends of a parallel region (then its last barrier has no entry of its own), or for a lock.
 */
struct profiled_wait {
  uint32_t region;
  uint32_t threads;    /* that arrived; 0: it is another kind of construct */
  uint64_t executions; /* of the thread with the most */
  wide_total all, least, most;
  bool lock;
};

/* One entry a region of the trace, in this order. NULL: out of memory. The caller frees them. */
struct profiled_wait *profiled_waits(const struct trace *trace, const struct profiled *profile);

/* The waiting time of a row whose barrier is not the last one of a parallel region. */
wide_total profiled_row_wait(const struct trace *trace, const struct profile_row *row);

/* An upper bound of the gain: the mean wait, which nobody would have if all threads arrived at the same time. */
static inline wide_total profiled_win(const struct profiled_wait *wait)
{
  return wait->threads > 0 ? wait->all / wait->threads : 0;
}

#endif
