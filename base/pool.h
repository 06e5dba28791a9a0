/* Pool of worker threads that share a range of items. */
#ifndef HEDDLE_BASE_POOL_H
#define HEDDLE_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* Works on one item. `worker` is 0 .. workers-1; one worker has one item at a time. False stops the pool. */
typedef bool pool_work(void *context, unsigned worker, uint32_t item);

struct pool;

/* Starts up to `workers` - 1 threads (the caller is worker 0). 0: as many as there are processors. NULL: no memory. */
struct pool *pool_create(unsigned workers);
void pool_destroy(struct pool *pool);
unsigned pool_workers(const struct pool *pool);

/* Calls `work` once for each item 0 .. count-1 and waits. The order across workers is undefined. False: a call failed.
 */
bool pool_run(struct pool *pool, uint32_t count, pool_work *work, void *context);

#endif
