/*
 * Virtual threads of Java as tasks, by the line that starts them. Private to tasks/. Memory follows those that live at
 * one time.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_TASKS_VIRTUAL_H
#define HEDDLE_ANALYZER_ANALYSES_TASKS_VIRTUAL_H

#include "analyzer/analyses/tasks/lane.h"
#include "analyzer/analyses/tasks/results.h"
#include "base/hash.h"
#include "base/vector.h"

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
/* A step of a location; those that are about no virtual thread change nothing. In order of time. False: no memory. */
bool virtual_threads_take(struct virtual_threads *threads, uint32_t location, const struct task_step *step);
/* Hands the sums over, those with the longest runs first. False: no memory. */
bool virtual_threads_finish(struct virtual_threads *threads, struct tasks *tasks);

#endif
