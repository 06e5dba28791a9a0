/* What stands out of a pool, in sentences that begin with its name. The caller frees them. NULL: nothing, or no memory.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_POOL_SENTENCE_H
#define HEDDLE_ANALYZER_FINDINGS_POOL_SENTENCE_H

#include "analyzer/analyses/tasks/tasks.h"

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

#endif
