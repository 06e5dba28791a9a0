/* The tasks that were created and are not over, by the names that OTF2 gives them. */
#ifndef HEDDLE_ANALYZER_TRACE_LIVE_TASKS_H
#define HEDDLE_ANALYZER_TRACE_LIVE_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_task {
  uint32_t team, creator, generation; /* the name */
  uint32_t location;                  /* that created it */
  uint64_t created;                   /* ticks */
  uint64_t number;                    /* from 1, in the order of creation; 0: the place is free */
  bool started;
};

/* Open addressing, at most half full; {0} is an empty table. */
struct live_tasks {
  struct live_task *slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
  uint64_t last_number;
};

/* False: no memory. A task of the same name that never ended is replaced. */
bool live_tasks_create(struct live_tasks *tasks, struct live_task task);
/* NULL: not known. Valid until the next creation or end. */
struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation);
void live_tasks_end(struct live_tasks *tasks, struct live_task *task);
void live_tasks_free(struct live_tasks *tasks);

#endif
