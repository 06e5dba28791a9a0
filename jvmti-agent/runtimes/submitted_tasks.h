/*
 * Tasks that were submitted to an executor and have not begun: by the identity hash of their object, which no
 * collection of garbage changes. One object may be submitted many times before it runs (a lambda that captures nothing
 * is always the same object); then the oldest comes first. So do objects that have the same hash by chance (31 bits).
 *
 * Tasks that may never run stay until they do, or until there is no room: then they are let go.
 *
 * Any thread. Nobody waits for a thread that has no processor: after some tries a task is lost, and counted.
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

/* False: too many wait, or there is no memory. */
bool submitted_add(uint32_t hash, struct submitted task);
/* Takes out the oldest of this hash. False: there is none. */
bool submitted_take(uint32_t hash, struct submitted *task);
/* All that wait are forgotten. */
void submitted_forget(void);
/* Takes out the oldest of this hash that has no id. False: there is none; this costs nothing while no task is such. */
bool submitted_take_unmade(uint32_t hash, struct submitted *task);
/* The oldest of this hash may never run. */
void submitted_doubt(uint32_t hash);
/* How many could not be added, or not be taken. */
uint64_t submitted_lost(void);

#endif
