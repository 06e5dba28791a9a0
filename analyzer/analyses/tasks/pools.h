/*
 * Pools of Java: which threads are workers of one, and what each pool did. Private to tasks/. Workers of one pool
 * have names that differ in the number at their end alone, as `pool-1-thread-2`.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_POOLS_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_POOLS_H

#include "analyzer/analyses/tasks/lane.h"
#include "analyzer/analyses/tasks/results.h"
#include "analyzer/analyses/tasks/sums.h"
#include "base/hash.h"
#include "base/vector.h"

struct pool_state {
  uint64_t at_work, most_at_work; /* threads in tasks: now, and at most */
  uint64_t begin, end;            /* of its tasks */
  uint64_t tasks, submitted;
  wide_total queue, for_worker, blocked, locked;
  uint64_t awaited;                /* waits for its tasks ... */
  wide_total await;                /* ... and their time */
  uint64_t starved, starved_until; /* tasks waited for a worker: so long, last until then */
};

struct task_pools {
  const struct trace *trace;
  uint32_t *pool_of;         /* by location: place of its pool, one with the location alone at least */
  struct pool_state *states; /* by pool */
  uint32_t count;
  bool *at_work; /* by location */
  /* By location: who began a task last that the location submitted; by process, behind these: ... of tasks whose maker
   * is not known. TRACE_NONE: nobody. turn: begins that were seen until then. */
  struct task_server {
    uint32_t location;
    uint64_t turn;
  } *servers;
  uint64_t begins;
};

/* task_pools_free() in any case. False: no memory. */
bool task_pools_init(struct task_pools *pools, const struct trace *trace);
void task_pools_free(struct task_pools *pools);

/* From `time` on the location is in a task, or in none. In order of time. */
void task_pools_turn(struct task_pools *pools, uint32_t location, uint64_t time, bool at_work);
/* A task that could run at `ready` begins, and the location was in other tasks until `busy_until`. In order of begin.
 */
void task_pools_begin(struct task_pools *pools, uint32_t location, uint64_t ready, uint64_t busy_until, uint64_t begin);
/* A task of this maker, TRACE_NONE: unknown, begins at the location. In order of begin. */
void task_pools_serve(struct task_pools *pools, uint32_t maker, uint32_t location);
/* The location has waited for tasks: for the pool that began one of its tasks last. If it waits for fork-join tasks, it
 * waits for its own pool while it is in a task. Otherwise the pool that began a task without a known maker also counts,
 * if that is later. */
void task_pools_await(struct task_pools *pools, uint32_t location, enum await_kind kind, uint64_t waited);
/* A task ended, or never will. */
void task_pools_task(struct task_pools *pools, uint32_t location, uint64_t blocked, uint64_t locked);

/* Adds the pools to the results, which have sites and threads. False: no memory. */
bool task_pools_finish(const struct task_pools *pools, struct tasks *tasks);

/*
 * Virtual threads of Java as tasks, by the line that starts them. Private to tasks/. Memory follows the virtual threads
 * that are alive at one time.
 */

struct virtual_threads {
  const struct trace *trace;
  struct slots alive;
  VECTOR(struct virtual_site) sites;
  struct hash site_of; /* region -> place */
};

void virtual_threads_init(struct virtual_threads *threads, const struct trace *trace);
/* Frees what the sites own. NULL: there are none. */
void virtual_sites_clear(struct virtual_site *sites, size_t count);
void virtual_threads_free(struct virtual_threads *threads);
/* A step of a location; steps without a virtual thread change nothing. In order of time. False: no memory. */
bool virtual_threads_take(struct virtual_threads *threads, uint32_t location, const struct task_step *step);
/* Hands the sums over, those with the longest runs first. False: no memory. */
bool virtual_threads_finish(struct virtual_threads *threads, struct tasks *tasks);

#endif
