/* Executions of parallel regions, and the work in them: which regions are so small that all lost time at them is due to
 * that. One thread. */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_GRAIN_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_GRAIN_H

#include "analyzer/analyses/account/causes.h"

struct grain_region {
  uint64_t executions, members;
  bool threads;     /* it is where threads are created: an execution is a thread */
  uint64_t work;    /* ticks, of all threads */
  uint64_t longest; /* of the thread with the most */
};

struct grain {
  struct grain_region *regions; /* by region; of no parallel region: zeros */
  uint32_t *within;             /* by region: the parallel region that it was seen in last; TRACE_NONE: none */
  struct hash work;             /* region << 32 | location -> ticks */
  uint64_t tasks;
  bool failed; /* no memory */
};

/* False: no memory. */
bool grain_init(struct grain *grain, const struct trace *trace);
void grain_free(struct grain *grain);
/* A thread leaves the execution of a region. */
void grain_add_work(struct grain *grain, uint32_t region, uint32_t location, uint64_t ticks);
/* A thread that was created at a place ends. */
void grain_add_thread(struct grain *grain, uint32_t place, uint64_t ticks);
/* Moves what was lost at small constructs to ACCOUNT_GRAIN. */
void grain_apply(struct grain *grain, const struct trace *trace, struct causes *causes, struct account *account);

#endif
