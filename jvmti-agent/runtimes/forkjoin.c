#include "jvmti-agent/runtimes/forkjoin.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_trace.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_budget.h"

#include <stdatomic.h>

/* Places by the hash of their roots, as hash << 32 | id. An operation that has ended stays until another one comes. */
#define ROOTS 4096u
static _Atomic uint64_t roots[ROOTS];

static struct jdk_field completer_field =
    JDK_FIELD("java/util/concurrent/CountedCompleter", "completer", "Ljava/util/concurrent/CountedCompleter;");

/*
 * Roots: parallel operations of the JDK that consist of CountedCompleters (parallel streams, sorts of arrays, bulk
 * operations of ConcurrentHashMap). The invoked task is the root of all others, on any thread. Its place is where the
 * program called the operation. Any thread, no lock.
 */

/* True if a task is a CountedCompleter, which is the root of others if it is invoked. */
static bool roots_is_completer(JNIEnv *jni, jobject task)
{
  return jdk_field_is_of(jni, &completer_field, task);
}

/* Notes that such a task is invoked at this place. */
static void roots_add(jobject task, uint64_t code)
{
  uint32_t hash;
  if (pool_task_hash(task, &hash))
    atomic_store_explicit(&roots[hash % ROOTS], (uint64_t)hash << 32 | (uint32_t)code, memory_order_relaxed);
}

/* Returns the place of a CountedCompleter's root. 0: unknown, as if two operations have the same hash by chance. */
static uint64_t roots_find(JNIEnv *jni, jobject completer)
{
  uint32_t hash = 0;
  jfieldID field = jdk_field_id(jni, &completer_field);
  jobject task = completer, above;
  if (!field)
    return 0;
  while ((above = (*jni)->GetObjectField(jni, task, field)) != NULL) {
    if (task != completer)
      (*jni)->DeleteLocalRef(jni, task);
    task = above;
  }
  bool known = pool_task_hash(task, &hash);
  if (task != completer)
    (*jni)->DeleteLocalRef(jni, task);
  uint64_t root = atomic_load_explicit(&roots[hash % ROOTS], memory_order_relaxed);
  return known && root >> 32 == hash && (uint32_t)root != 0 ? RAW_CODE_PLACE | (uint32_t)root : 0;
}

/*
 * ForkJoinPool, and the parallel streams and sorts that are built on it. What a pool executes are OpenMP's explicit
 * tasks here: each compute() of a RecursiveTask, a RecursiveAction or a CountedCompleter (streams' tasks are such) is
 * one. Who waits for tasks is in a taskwait; as in OpenMP, tasks may be executed in it.
 *
 * There is no parallel region: a pool has no team that begins and ends together. A task is made when it is forked or
 * given to the pool; one that a thread computes directly is made as it begins. What a virtual thread does is not
 * recorded: it may begin on one thread and end on another.
 *
 * The place of a task is its compute(). If this is the JDK's, as in streams, the place is where the program called the
 * operation: the stack is read once, as it begins.
 */

#define FORKJOIN_CONCURRENT "java/util/concurrent/"
#define FORKJOIN_TASK       FORKJOIN_CONCURRENT "ForkJoinTask"
#define FORKJOIN_POOL       FORKJOIN_CONCURRENT "ForkJoinPool"

/* OMPT's number. */
enum { SYNC_TASKWAIT = 5 };

static void remember_compute(struct site *site, const struct weave_match *match)
{
  char name[256];
  pool_task_remember_method(site, match);
  site->of_jdk = place_is_in_jdk(span_string(class_name(match->file, match->file->this_class), name, sizeof name));
  site->kind = site->of_jdk ? JOMP_BUDGET_WAIT : JOMP_BUDGET_COMPUTE;
}

static void remember_wait(struct site *site, const struct weave_match *match)
{
  (void)match;
  site->kind = JOMP_BUDGET_WAIT;
}

/* A task of the JDK has the place of its operation, or of the task that it is a part of. 0: neither is known. */
static uint64_t place_of_operation(const struct hook *hook, const struct task_nest *in)
{
  uint64_t code = roots_find(hook->jni, hook->first);
  return code ? code : task_nest_code(in);
}

static void submit(const struct hook *hook, uint32_t hash, struct task_class is, uint32_t class)
{
  uint32_t weight = 1;
  struct task_nest *in = task_nest(hook);
  if (!in || is.kind < TASKS_COMPUTED)
    return;
  if (is.kind == TASKS_COMPUTED_BY_JDK)
    is.code = place_of_operation(hook, in);
  if (class && is.code && (weight = task_budget_fork(task_budget_of_thread(hook->jni), class, is.code)) == 0)
    return;
  if (is.code)
    pool_task_submit_at(hash, is.code, weight);
}

void forkjoin_submit(const struct hook *hook, uint32_t hash, struct task_class is)
{
  submit(hook, hash, is, 0);
}

static void on_fork(const struct hook *hook)
{
  uint32_t class = (uint32_t)(hook->number >> 32);
  if (!thread_stack_ends(hook))
    submit(hook, (uint32_t)hook->number, task_class_of(hook->jni, hook->first, class), class);
}

/* How the task that is computed now came here. */
enum comes {
  COMES_DIRECTLY, /* the thread itself computes or invokes it */
  COMES_POOLED,   /* it was forked, or the pool was given it */
  COMES_COUNTED   /* the same or not: woven code has counted it as omitted */
};

static enum comes task_comes(struct jomp_budget *budget)
{
  if (!budget)
    return COMES_DIRECTLY;
  enum comes comes = budget->guard.counted ? COMES_COUNTED : budget->guard.pooled ? COMES_POOLED : COMES_DIRECTLY;
  budget->guard.counted = budget->guard.pooled = 0;
  return comes;
}

/* The weight of a task that was not submitted with a record. 0: it is omitted, as what was forked so. */
static uint32_t weigh_task(struct jomp_budget *budget, enum comes comes, const struct site *site)
{
  if (comes == COMES_POOLED)
    return !task_budget_forked();
  return task_budget_compute(budget, site);
}

static void on_task(const struct hook *hook)
{
  struct submitted task = {0};
  struct jomp_budget *budget = task_budget_of_thread(hook->jni);
  enum comes comes = task_comes(budget);
  uint32_t weight = 1;
  if (thread_stack_ends(hook)) {
    if (budget)
      task_budget_omit_near(budget, (uintptr_t)hook);
    return;
  }
  struct task_nest *in = task_nest(hook);
  if (budget && task_budget_come_back(budget, (uintptr_t)hook) && in)
    task_nest_unwind(in, (uintptr_t)hook);
  if (comes == COMES_COUNTED) {
    task_budget_omit(budget);
    return;
  }
  if (in && task_nest_goes_up(in, hook->site, (uint32_t)hook->number)) {
    atomic_store_explicit(&hook->site->is_above, true, memory_order_relaxed);
    return;
  }
  bool waited = submitted_take((uint32_t)hook->number, &task); /* also if the run isn't recorded */
  if (!in)
    return;
  if (!waited && budget && in->depth < NESTING && (weight = weigh_task(budget, comes, hook->site)) == 0) {
    task_budget_omit(budget);
    return;
  }
  if (!waited && hook->site->of_jdk)
    task.code = place_of_operation(hook, in);
  if (task.code == 0)
    task.code = hook->site->code;
  pool_task_begin(in, task, weight);
  if (in->depth <= NESTING)
    in->objects[in->depth - 1] =
        (struct task_object){.site = hook->site, .hash = (uint32_t)hook->number, .at = (uintptr_t)hook};
}

static void after_task(const struct hook *hook)
{
  struct jomp_budget *budget = task_budget_of_thread(hook->jni);
  struct task_nest *in = budget ? task_nest_at_end() : task_nest(hook);
  if (!task_budget_ends(budget) && in && !task_nest_comes_down(in, hook->site))
    task_nest_leave(in);
}

/*
 * A compute() in a class whose superclasses are not known: the JVM shows a class before it loads its superclasses. Its
 * first object shows that.
 */
static void on_compute(const struct hook *hook)
{
  if (!atomic_load_explicit(&hook->site->computes, memory_order_relaxed)) {
    if (thread_stack_ends(hook))
      return;
    if (task_class_of(hook->jni, hook->first, 0).kind != TASKS_COMPUTED) {
      sites_switch_off(hook->site);
      return;
    }
    atomic_store(&hook->site->computes, true);
  }
  on_task(hook);
}

static void after_compute(const struct hook *hook)
{
  if (atomic_load_explicit(&hook->site->computes, memory_order_relaxed))
    after_task(hook);
}

/*
 * The pool's methods call each other: the outermost wait counts. In a task the place is the task's; elsewhere it is
 * worth a look at the stack.
 */
static void on_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING)
    return;
  struct jomp_budget *budget = task_budget_of_thread(hook->jni);
  if (in->waits[in->depth] == 0 && task_budget_wait(budget, hook->site, task_nest_code(in)) == 0) {
    budget->guard.waits++;
    return;
  }
  if (in->waits[in->depth]++ > 0)
    return;
  uint64_t code = in->depth == 0 ? place_here(agent.jvmti, hook->jni, 0) : task_nest_code(in);
  recorder_emit(RAW_SYNC_BEGIN, SYNC_TASKWAIT, code);
  recorder_emit(RAW_WAIT_BEGIN, SYNC_TASKWAIT, 0);
  task_budget_time(budget, TIMES_ALL);
}

/* An operation of the JDK in a task may have no frame of the program below it. */
static void on_invoke(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (in && roots_is_completer(hook->jni, hook->first)) {
    uint64_t code = place_in_program(agent.jvmti, hook->jni, 0);
    roots_add(hook->first, code ? code : task_nest_code(in));
  }
  on_wait(hook);
}

static void forkjoin_after_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING || in->waits[in->depth] == 0 || --in->waits[in->depth] > 0)
    return;
  task_budget_close(task_budget_of_thread(hook->jni));
  recorder_emit(RAW_WAIT_END, SYNC_TASKWAIT, 0);
  recorder_emit(RAW_SYNC_END, SYNC_TASKWAIT, 0);
  task_budget_time(task_budget_of_thread(hook->jni), task_nest_times(in));
}

#define COMPUTE(superclass)                                                                                            \
  {.target = {WEAVE_INHERITED, superclass, "compute", "()", .hooks = HOOK_BOTH | HOOK_THIS | HOOK_HASH,                \
              .guard = GUARD_TASK},                                                                                    \
   .prepare = remember_compute,                                                                                        \
   .enter = on_task,                                                                                                   \
   .exit = after_task,                                                                                                 \
   .thrown = after_task}
#define COMPUTE_BELOW                                                                                                  \
  {.target = {WEAVE_BELOW, FORKJOIN_TASK, "compute", "()", .hooks = HOOK_BOTH | HOOK_THIS | HOOK_HASH,                 \
              .guard = GUARD_TASK_BELOW},                                                                              \
   .prepare = remember_compute,                                                                                        \
   .enter = on_compute,                                                                                                \
   .exit = after_compute,                                                                                              \
   .thrown = after_compute,                                                                                            \
   .until_over = true}
#define FORKJOIN_CALLED(class, name, more, how, on)                                                                    \
  {.target = {WEAVE_METHOD, class, name, .hooks = HOOK_ENTER | HOOK_THIS | HOOK_HASH | (more), .guard = how},          \
   .enter = on}
#define EXECUTED(class)                                                                                                \
  {.target = {WEAVE_METHOD, class, "exec", "()Z", .hooks = HOOK_ENTER, .guard = GUARD_EXEC},                           \
   .wanted = task_budget_omits}
#define WAIT(class, name, more, how, on)                                                                               \
  {.target = {WEAVE_METHOD, class, name, .hooks = HOOK_BOTH | (more), .guard = how},                                   \
   .prepare = remember_wait,                                                                                           \
   .enter = on,                                                                                                        \
   .exit = forkjoin_after_wait,                                                                                        \
   .thrown = forkjoin_after_wait}

static const struct row forkjoin_rows[] = {
    COMPUTE(FORKJOIN_CONCURRENT "RecursiveTask"),
    COMPUTE(FORKJOIN_CONCURRENT "RecursiveAction"),
    COMPUTE(FORKJOIN_CONCURRENT "CountedCompleter"),
    COMPUTE("java/util/stream/AbstractTask"), /* that may end early */
    COMPUTE_BELOW,
    FORKJOIN_CALLED(FORKJOIN_TASK, "fork", HOOK_CLASS_HASH, GUARD_FORK, on_fork),
    FORKJOIN_CALLED(FORKJOIN_TASK, "cancel", 0, GUARD_NONE, pool_task_doubt),
    WAIT(FORKJOIN_TASK, "join", 0, GUARD_WAIT, on_wait),
    WAIT(FORKJOIN_TASK, "invoke", HOOK_THIS, GUARD_INVOKE, on_invoke),
    WAIT(FORKJOIN_TASK, "invokeAll", 0, GUARD_INVOKE, on_wait),
    WAIT(FORKJOIN_TASK, "get", 0, GUARD_WAIT, on_wait),
    WAIT(FORKJOIN_POOL, "invoke", 0, GUARD_WAIT, on_wait),
    EXECUTED(FORKJOIN_CONCURRENT "RecursiveTask"),
    EXECUTED(FORKJOIN_CONCURRENT "RecursiveAction"),
    EXECUTED(FORKJOIN_CONCURRENT "CountedCompleter"),
};

#define NAME_OF_COMPUTE "\7compute" /* with its size before it, as a constant is */
static const char *const forkjoin_marks[] = {"java/util/concurrent/RecursiveTask",
                                             "java/util/concurrent/RecursiveAction",
                                             "java/util/concurrent/CountedCompleter",
                                             "java/util/stream/AbstractTask",
                                             NAME_OF_COMPUTE,
                                             NULL};

const struct runtime runtime_forkjoin = {.needs = LIVE_NEED_TASKS | LIVE_NEED_SYNC,
                                         .package = "java/util/concurrent/",
                                         .marks = forkjoin_marks,
                                         .in_jdk = "java/util/",
                                         .worker = "Ljava/util/concurrent/ForkJoinWorkerThread;",
                                         .thread_end = task_nest_thread_end,
                                         .hooks_gone = submitted_forget,
                                         .rows = forkjoin_rows,
                                         .count = COUNT_OF(forkjoin_rows)};
