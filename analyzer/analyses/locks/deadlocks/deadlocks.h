/*
 * Threads that waited for each other when the run ended: deadlocks, and what waits behind them; and of a run that was
 * killed what else waited. A run that hangs ends by a signal; the archive marks what was open then.
 *
 * Each thread waits for one other at most, as far as it is known: the holder of a lock or monitor, the thread that it
 * joins, or at a barrier all members of its team that have not come. A wait can end only if all those can go on. A
 * thread that runs, or waits for something else (a condition, a semaphore, a sleep, a lock whose holder is not
 * recorded), counts as one that can. So a lost wake-up is never claimed, and what is said is certain as far as the
 * holders are: the holder of a monitor of Java's is the one of the time when the wait began. So is that of a mutex or
 * rwlock of POSIX threads which it got without a wait, unless a release of it is recorded since.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_DEADLOCKS_H
#define HEDDLE_ANALYZER_ANALYSES_LOCKS_DEADLOCKS_DEADLOCKS_H

#include "analyzer/analyses/locks/deadlocks/wait.h"
#include "analyzer/trace/pass/pass.h"

/* Finds them in a pass of either kind (pass.h). NULL: no memory. After the pass: deadlocks_end(), or deadlocks_drop()
 * if the pass failed. */
struct deadlocks_finder;
struct deadlocks_finder *deadlocks_begin(const struct trace *trace, struct error *error);
const struct subscriber *deadlocks_subscriber(const struct deadlocks_finder *finder);
/* False: no memory. Free the result with deadlocks_free(), also then. */
bool deadlocks_end(struct deadlocks_finder *finder, struct deadlocks *deadlocks, struct error *error);
void deadlocks_drop(struct deadlocks_finder *finder);

void deadlocks_free(struct deadlocks *deadlocks);

/* What a wait is for, as a person would say it: "forks @philosophers.c:18 #3", "the barrier"; kept in `name`. */
const char *deadlock_object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE]);

/* One sentence for a cycle, or for the wait at `first` if that is in none. NULL: no memory. The caller frees it. */
char *deadlock_sentence(const struct trace *trace, const struct deadlocks *deadlocks, size_t first);

#endif
