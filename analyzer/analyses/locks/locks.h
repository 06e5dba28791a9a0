/*
 * Locks that threads waited for (critical sections, locks, ordered and atomic constructs of OpenMP, monitors and locks
 * of Java). Each has its waiting threads, its holders, and the source lines.
 *
 * An acquisition is contended if another thread held the lock at the request, or acquired it before the requester. Its
 * wait is the time from request to acquisition. The last holder before the acquisition, and the place where that thread
 * acquired the lock, caused the wait.
 *
 * Java: the thread that held the lock when the wait began caused it, if the trace names this thread. Otherwise the
 * thread that unparked the waiter caused it (with the place of the call). For a monitor, the last thread that acquired
 * it during the wait caused it. A virtual thread counts as the thread that runs it. Only contended acquisitions are
 * recorded, and no releases, unless the recording used hold=. Holds therefore have an unknown number and length, except
 * holds with waiting threads (struct hold).
 *
 * Restricted traces (trace/restriction.h): acquisitions, waits and holds that end in the analyzed stretch, on an
 * analyzed thread, count with their part in it. Events before the stretch, and events of excluded threads, only
 * determine who holds a lock. A wait that continues after the stretch counts as open.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCKS_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_LOCKS_H

#include "analyzer/analyses/locks/lock.h"
#include "analyzer/trace/pass/pass.h"
#include "base/statistics.h"

struct locks_options {
  lock_sink *sink; /* gets each wait; NULL: not wanted */
  void *context;
};

/*
 * Finds locks in a pass in order of time; memory grows with locks, places and threads. Options: struct locks_options;
 * result: struct locks. Merges the results of other processes of the same trace: the locations of a process are all in
 * one of the two.
 */
extern const struct analysis locks_analysis;

/* What waits that are not recorded add to locks->wait. */
struct estimate locks_more_wait(const struct locks *locks);

#endif
