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

#include "analyzer/analyses/locks/deadlocks/thread.h"
#include "analyzer/trace/pass/pass.h"

/* Which thread waited for which, and so which of them can never go on. */

/* `ends`: by location. False: no memory; `deadlocks` is to be freed also then. */
bool graph_find(const struct trace *trace, const struct thread_end *ends, struct deadlocks *deadlocks);

/* Finds them in a pass of either kind; its result is a struct deadlocks. */
extern const struct analysis deadlocks_analysis;

/* What a wait is for, as a person would say it: "forks @philosophers.c:18 #3", "the barrier"; kept in `name`. */
const char *deadlock_object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE]);

/* One sentence for a cycle, or for the wait at `first` if that is in none. NULL: no memory. The caller frees it. */
char *deadlock_sentence(const struct trace *trace, const struct deadlocks *deadlocks, size_t first);

#endif
