/* The tasks of pools that the calling thread is in, innermost last. */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_NEST_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_NEST_H

#include "jvmti-agent/runtimes/sites.h"

#include <stdint.h>

#define NESTING 64u /* tasks executed in tasks; deeper ones are not recorded */

/* waits[n]: the waits that it is in inside of n tasks; runs[n]: calls of run() that are a part of the n-th task. */
struct task_nest {
  unsigned depth;
  bool works;     /* the outermost task is an executor's ... */
  unsigned round; /* ... begun at a site in this round (sites_round): it may have ended since in code without hooks */
  const struct site *worked;
  unsigned waits[NESTING + 1];
  unsigned runs[NESTING + 1];
  uint64_t tasks[NESTING], codes[NESTING]; /* codes: their places */
  struct task_object {
    const struct site *site; /* of the method that it began with; NULL: unknown */
    uint32_t hash;           /* identity hash */
    uint32_t above;          /* methods of superclasses that this one is in */
  } objects[NESTING];
};

/*
 * NULL: nothing is to be recorded. That is so on a virtual thread, which may begin a task on one carrier and end it on
 * another.
 */
struct task_nest *task_nest(const struct hook *hook);
void task_nest_thread_end(void);

/* It is one task deeper now. False: too deep, nothing is to be recorded. */
bool task_nest_enter(struct task_nest *nest, uint64_t id, uint64_t code);
/* Whether a method that is called is that of a superclass, which the innermost task calls; then it is in one more. */
bool task_nest_goes_up(struct task_nest *nest, const struct site *site, uint32_t hash);
/* Whether the method that ends is such a one. */
bool task_nest_comes_down(struct task_nest *nest, const struct site *site);
/* The place of the innermost task; 0: it is in none, or too deep. */
uint64_t task_nest_code(const struct task_nest *nest);
/* Records the begin of a task that it is in, and the end of the innermost one. */
void task_nest_begin(uint64_t id);
void task_nest_leave(struct task_nest *nest);

#endif
