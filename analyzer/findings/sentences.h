/*
 * Sentences that several commands print. Sentences that several commands print. The warning about the cost of
 * recording, for `heddle info` and `heddle record`.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_SENTENCES_H
#define HEDDLE_ANALYZER_FINDINGS_SENTENCES_H

#include "analyzer/analyses/loops/schedule.h"
#include "analyzer/analyses/overhead/overhead.h"
#include "analyzer/analyses/tasks/tasks.h"

/* True if the cost is likely above the budget of the process, or above OVERHEAD_TOO_MUCH if it has none. */
static inline bool overhead_is_too_much(const struct overhead *overhead)
{
  if (overhead->bearable > 0)
    return overhead->recording > overhead->bearable;
  return overhead_percent(overhead) > OVERHEAD_TOO_MUCH;
}

/* How much it cost, for which construct, and what to do. The caller frees the sentence. NULL: out of memory. */
char *overhead_sentence(const struct trace *trace, const struct overhead *overhead);

/* What stands out of a pool, in sentences that begin with its name. The caller frees them. NULL: nothing, or no memory.
 */

/* Its threads in tasks, on average: ticks. */
double pool_mean(const struct task_pool *pool);
/* How much longer than that the longest one was. */
double pool_imbalance(const struct task_pool *pool);

/* What could be won with even shares, ticks: nothing if there was not work for all workers at one time. */
double pool_uneven(const struct task_pool *pool);
/* ... with more workers: the part of the time in which tasks waited for one, as tasks are blocked
 * meanwhile, other than at a lock. */
double pool_starved(const struct task_pool *pool);

char *pool_uneven_sentence(const struct trace *trace, const struct task_pool *pool);
char *pool_starved_sentence(const struct trace *trace, const struct task_pool *pool);
/* It has more workers than it needed. */
char *pool_large_sentence(const struct task_pool *pool);

/* The advice of heddle-schedule in words. */

/* What to do about a loop. The caller frees the sentence. NULL: out of memory. */
char *schedule_sentence(const struct trace *trace, const struct schedule_loop *loop);

#endif
