/*
 * Tasks of pools, from submission to end: what executors, CompletableFuture and fork-join tasks have in common. All
 * functions are for the calling thread.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H

#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/submitted_tasks.h"
#include "jvmti-agent/runtimes/task_budget.h"

#include <jni.h>
#include <stdint.h>

#define NESTING 64u /* tasks executed in tasks; deeper ones are not recorded */

/* The tasks of pools that a thread is in, innermost last. waits[n]: open waits inside n tasks; runs[n]: calls of run()
 * that are a part of the n-th task. */
struct task_nest {
  unsigned depth;
  bool works;     /* the outermost task is an executor's ... */
  unsigned round; /* ... begun at a site in this round (sites_round): it may have ended since in code without hooks */
  const struct site *worked;
  unsigned waits[NESTING + 1];
  unsigned runs[NESTING + 1];
  uint64_t tasks[NESTING], codes[NESTING]; /* codes: their places */
  struct task_state {
    uint32_t tasks, waits; /* omitted ones that the thread was in when the task began */
  } before[NESTING];
  bool of_pool; /* the thread is a fork-join pool's */
  struct task_object {
    const struct site *site; /* of the method that it began with; NULL: unknown */
    uint32_t hash;           /* identity hash */
    uintptr_t at;            /* where on the stack its hook was; 0: unknown */
    uint32_t above;          /* methods of superclasses that this one is in */
  } objects[NESTING];
};

/*
 * Returns the thread's tasks; NULL: nothing is to be recorded. Nothing is recorded on a virtual thread, which may begin
 * a task on one carrier and end it on another.
 */
struct task_nest *task_nest(const struct hook *hook);
/* The same wherever the stack ends, in the hook of a task's end whose begin was recorded. */
struct task_nest *task_nest_at_end(void);
void task_nest_thread_end(void);

/* True if the called method is the superclass' one, called by the innermost task's method; counts it. */
bool task_nest_goes_up(struct task_nest *nest, const struct site *site, uint32_t hash);
/* True if the method that ends is such a method of a superclass. */
bool task_nest_comes_down(struct task_nest *nest, const struct site *site);
/* Returns the place of the innermost task; 0: none, or too deep. */
uint64_t task_nest_code(const struct task_nest *nest);
/* Returns how the time of omitted tasks is recorded where the thread is. */
enum task_times task_nest_times(const struct task_nest *nest);
/* The thread is `here`, and the hooks of ends may have failed: ends the tasks that began further down the stack. */
void task_nest_unwind(struct task_nest *nest, uintptr_t here);
/* Records the end of the innermost task. */
void task_nest_leave(struct task_nest *nest);

/* Reads the identity hash of a task's object. False: there is no object. */
bool pool_task_hash(jobject object, uint32_t *hash);

/* Notes the place of the hook's method, for tasks whose submission was not recorded. A row's `prepare`. */
void pool_task_remember_method(struct site *site, const struct weave_match *match);

/* A task is submitted. Its place is where its stage was made, if known, otherwise the program's place on the stack. */
void pool_task_submit(const struct hook *hook, uint32_t hash);

/* A task is submitted at a known place. weight: of the record. */
void pool_task_submit_at(uint32_t hash, uint64_t code, uint32_t weight);

/* The task whose hash is the hook's number (HOOK_HASH) is cancelled. A worker may still begin it; then it ends at once.
 * A row's `enter`. */
void pool_task_doubt(const struct hook *hook);

/* A task begins. Its creation is recorded with this weight, too, if its submission was not (id 0). */
void pool_task_begin(struct task_nest *nest, struct submitted task, uint32_t weight);

enum task_class_kind {
  TASKS_OF_OTHERS,          /* not followed */
  TASKS_OF_JDK,             /* an adapter of the pool, or a stage: begins and ends in the hooks of executors.c */
  TASKS_OF_VIRTUAL_THREADS, /* a Runnable that continues one */
  TASKS_COMPUTED,           /* its compute() has the hooks of forkjoin.c */
  TASKS_COMPUTED_BY_JDK     /* ... and is the JDK's, as in streams */
};

/* The class of an object that a pool is given. */
struct task_class {
  enum task_class_kind kind;
  uint64_t code; /* TASKS_COMPUTED: the place of compute(); 0: it could not be described */
};

/* Returns the class of a task. hash: identity hash of the class, or 0. The first call for a class asks the JVM some
 * dozens of times. Any thread that runs Java or native code. */
struct task_class task_class_of(JNIEnv *jni, jobject task, uint32_t hash);

#endif
