/*
 * Threads that waited for each other when the run ended: deadlocks, and what waits behind them. For a killed run, also
 * the other waits. A run that hangs ends by a signal; the archive marks what was open then.
 *
 * Each thread waits for at most one other, as far as known: the holder of a lock or monitor, or the thread that it
 * joins. At a barrier it waits for all members of its team that have not arrived. A wait can end only if all those can
 * go on. A thread that runs counts as able to go on. So does a thread that waits for something else (a condition, a
 * semaphore, a sleep, a lock whose holder is not recorded). A lost wake-up is therefore never claimed. The results are
 * as certain as the holders: the holder of a Java monitor is known at the begin of the wait. The holder of a mutex or
 * rwlock of POSIX threads after an uncontended acquisition is as certain, unless a later release is recorded.
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
