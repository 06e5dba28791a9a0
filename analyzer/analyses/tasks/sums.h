/* Sums of tasks by site, and by site and thread. Private to tasks/. */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_SUMS_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_SUMS_H

#include "analyzer/analyses/tasks/results.h"
#include "base/hash.h"
#include "base/vector.h"

struct task_sums {
  VECTOR(struct task_site) sites;
  VECTOR(struct task_thread) threads;
  struct hash site_of;   /* region -> place */
  struct hash thread_of; /* site and location -> place */
  struct tasks whole;    /* what has no site */
};

/* The place of a region's site; TRACE_NONE: no memory. */
uint32_t task_sums_site(struct task_sums *sums, uint32_t region);
/* NULL: no memory. Valid until the next call. */
struct task_thread *task_sums_thread(struct task_sums *sums, uint32_t site, uint32_t location);
/* Hands the sums over, sorted, and leaves `sums` empty. */
void task_sums_finish(struct task_sums *sums, struct tasks *tasks);
/* Frees what the sites own. NULL: there are none. */
void task_sites_clear(struct task_site *sites, size_t count);
void task_sums_free(struct task_sums *sums);

#endif
