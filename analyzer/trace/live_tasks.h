/* The tasks that were created and have not ended, by the names that OTF2 gives them. */
#ifndef HEDDLE_ANALYZER_TRACE_LIVE_TASKS_H
#define HEDDLE_ANALYZER_TRACE_LIVE_TASKS_H

#include "base/hash.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_task {
  uint32_t team, creator, generation; /* the name */
  uint32_t location;                  /* that created it */
  uint64_t created;                   /* ticks */
  uint64_t number;                    /* from 1, in the order of creation */
  uint32_t next; /* private: place of the next task whose name has the same key, or of the next free place; 0: none */
  bool started;
};

/* {0} is empty. Places count from 1. */
struct live_tasks {
  VECTOR(struct live_task) places;
  struct hash first; /* key of a name -> place of the first task whose name has this key */
  uint32_t free;     /* place; 0: none */
  size_t count;
  uint64_t last_number;
};

/* False: no memory. A task of the same name that never ended is replaced. */
bool live_tasks_create(struct live_tasks *tasks, struct live_task task);
/* NULL: unknown. Valid until the next creation or end. */
struct live_task *live_tasks_find(const struct live_tasks *tasks, uint32_t team, uint32_t creator, uint32_t generation);
void live_tasks_end(struct live_tasks *tasks, struct live_task *task);
void live_tasks_free(struct live_tasks *tasks);

/* A name has 96 bits, so several names can have the same key. Tests find such names. */
static inline uint64_t live_tasks_key(uint32_t team, uint32_t creator, uint32_t generation)
{
  return hash_upper((uint64_t)team << 32 | creator) ^ generation; /* the table mixes it once more */
}

#endif
