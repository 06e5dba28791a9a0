/*
 * Where the program submits tasks: a hook before the call of execute() or submit() notes its place, which takes a tenth
 * of a look at the stack; one behind it forgets what nobody has asked for. The calling thread's.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_POOL_TASKS_H

#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/submitted_tasks.h"

#include <jni.h>
#include <stdint.h>

/* The place of the call that the hook's method is a part of. 0: it has no hooks, or led to another task already. */
uint64_t submission_take(const struct hook *hook);

/* The tasks of pools that the calling thread is in, innermost last. */

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

/*
 * Tasks that are submitted to a pool, from submission to run: what executors, CompletableFuture and fork-join tasks
 * have in common. All functions are about the calling thread.
 */

/* The identity hash of a task's object. False: there is no object. */
bool pool_task_hash(jobject object, uint32_t *hash);

/* The place of the hook's method: of tasks whose submission was not seen. A row's `prepare`. */
void pool_task_remember_method(struct site *site, const struct weave_match *match);

/* It is submitted. Its place is where its stage was made, if that is known, else the program's on the stack. */
void pool_task_submit(const struct hook *hook, uint32_t hash);

/* ... and its place is known. */
void pool_task_submit_at(uint32_t hash, uint64_t code);

/* A task is cancelled, whose hash is the hook's number (HOOK_HASH). A worker may still begin it: then it ends at once.
 * A row's `enter`. */
void pool_task_doubt(const struct hook *hook);

/* A task begins. It is made, too, if its submission was not seen (id 0). */
void pool_task_begin(struct task_nest *nest, struct submitted task);

/*
 * Classes of what pools are given, and what their objects are: known by the identity hash of the class, and looked at
 * once. Any thread that runs Java or native code; the first look calls the JVM some dozens of times.
 */

enum task_class_kind {
  TASKS_OF_OTHERS,          /* nothing that is followed */
  TASKS_OF_JDK,             /* an adapter of the pool, or a stage: begins and ends in the hooks of stages.c */
  TASKS_OF_VIRTUAL_THREADS, /* a Runnable that continues one */
  TASKS_COMPUTED,           /* its compute() has the hooks of forkjoin.c */
  TASKS_COMPUTED_BY_JDK     /* ... and is the JDK's, as of streams */
};

struct task_class {
  enum task_class_kind kind;
  uint64_t code; /* TASKS_COMPUTED: the place of compute(); 0: it could not be described */
};

/* hash: of the task's class, if the caller knows it; else 0. */
struct task_class task_class_of(JNIEnv *jni, jobject task, uint32_t hash);

#endif
