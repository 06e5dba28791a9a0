/*
 * Which locks threads waited for: critical sections, locks, ordered and atomic constructs of OpenMP, monitors and locks
 * of Java; who waited and who had them, and where.
 *
 * An acquisition waited if another thread had the lock when it was asked for, or got it before the one that asked. Its
 * wait is the time from asking to getting it. What waits cost is put down to the thread that had the lock last before,
 * and to the place where that one got it. Java: to the one that had it when the wait began, where the trace says that;
 * else to the thread that unparked the one that waited, and the place where it did so; for a monitor to the last one
 * that waited for it, too, and got it meanwhile. A virtual thread counts as the thread that runs it. Of Java only
 * acquisitions that waited are in a trace, and no releases, but where the trace was recorded with hold=: how often and
 * how long it was held is unknown. But it was held as long as somebody waited (hold.h says by whom).
 *
 * Where the trace is restricted (trace/restriction.h), what ends in the stretch of time, on a thread that is looked at,
 * counts with that part of it that is looked at: acquisitions, waits, times held. Who has a lock is known from before,
 * and of threads that are left out. A wait that goes on behind the stretch is only counted as open.
 */
#ifndef HEDDLE_ANALYZER_LOCKS_LOCKS_H
#define HEDDLE_ANALYZER_LOCKS_LOCKS_H

#include "analyzer/locks/lock.h"
#include "analyzer/pass/pass.h"
#include "base/totals.h"

/*
 * Finds locks in a pass in order of time (pass.h); memory grows with locks, places and threads. The sink, if there is
 * one, is told of each wait. NULL: no memory. After the pass: locks_end(), or locks_drop() where it failed.
 */
struct locks_finder;
struct locks_finder *locks_begin(const struct trace *trace, lock_sink *sink, void *context, struct error *error);
const struct subscriber *locks_subscriber(const struct locks_finder *finder);
/* False: an error. Free `locks` with locks_free(), also then. */
bool locks_end(struct locks_finder *finder, struct locks *locks, struct error *error);
void locks_drop(struct locks_finder *finder);

/* All of it, in a pass of its own. */
bool locks_find(const struct trace *trace, struct pool *pool, struct locks *locks, struct error *error);
void locks_free(struct locks *locks);

/*
 * Adds what was found at other locations of the same trace: each process' locations are in one of both. False: no
 * memory; `into` is as it was.
 */
bool locks_merge(struct locks *into, const struct locks *from);

#endif
