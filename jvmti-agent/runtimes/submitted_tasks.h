/*
 * Tasks that were submitted to an executor and have not begun, by the identity hash of their object, which a garbage
 * collection does not change. An object may be submitted many times before it runs (a lambda that captures nothing is
 * always the same object). Then the oldest submission is taken first. The same holds for objects that share a hash by
 * chance (31 bits).
 *
 * Tasks that may never run stay until they do, or until there is no room for others.
 *
 * Any thread. No thread waits for another: after some tries a task is lost, and counted.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_SUBMITTED_TASKS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_SUBMITTED_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#define SUBMITTED_MOST (1u << 18) /* that wait at one time */

struct submitted {
  uint64_t id;   /* of the task in records; 0: it is made when it begins */
  uint64_t code; /* of its submission; 0: unknown */
  bool may_go;   /* it may never run */
};

/* Adds a task. False: there are too many, or out of memory. */
bool submitted_add(uint32_t hash, struct submitted task);
/* Takes the oldest task of this hash. False: none. */
bool submitted_take(uint32_t hash, struct submitted *task);
/* Forgets all tasks. */
void submitted_forget(void);
/* Takes the oldest task of this hash without an id. False: none; that is fast while all tasks have ids. */
bool submitted_take_unmade(uint32_t hash, struct submitted *task);
/* Marks the oldest task of this hash: it may never run. */
void submitted_doubt(uint32_t hash);
/* Returns how many tasks were lost: not added, or not found. */
uint64_t submitted_lost(void);

#endif
