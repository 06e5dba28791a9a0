/*
 * ThreadPoolExecutor and ScheduledThreadPoolExecutor: what they execute are tasks, from execute() until the worker has
 * run them. submit(), invokeAll() and CompletableFuture's stages with such an executor come to execute(), too. The
 * place of a task is that of its submission in the program's own classes.
 *
 * A worker calls beforeExecute(), the task, and afterExecute(). Programs may override both, and may call those of the
 * superclass in them: the first call counts. Which task it is, the object tells (submitted.h). A task whose submission
 * was not seen, or that waits for its time first (schedule()), is made when it begins, as those of fork-join pools.
 */
#include "jvmti-agent/runtimes/executors.h"

#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/raw/live_control.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"

#include <stdio.h>

#define EXECUTORS_POOL "java/util/concurrent/ThreadPoolExecutor"
#define SCHEDULED      "java/util/concurrent/ScheduledThreadPoolExecutor"

/* OMPT's number of a task that ends without a run. */
enum { TASK_CANCEL = 3 };

/* What the thread has to know between two hooks. */
static __thread struct {
  bool rejects;      /* a pool refuses a task just now ... */
  uint32_t rejected; /* ... with this hash */
  uint64_t code;     /* of the worker's task */
} executors_self __attribute__((tls_model("initial-exec")));

/* It ends, for it will not run. */
static void cancel(uint64_t id)
{
  if (id)
    recorder_emit3(RAW_TASK_STATUS, TASK_CANCEL, RAW_ID_NONE, id);
}

static void executors_on_execute(const struct hook *hook)
{
  uint32_t hash = (uint32_t)hook->number;
  if (thread_stack_ends(hook) || hash == 0)
    return;
  if (executors_self.rejects && hash == executors_self.rejected) /* the handler submits it again: it is there already */
    return;
  pool_task_submit(hook, hash);
}

/* It waits for its time: that is not the pool's fault, and is no queue time. */
static void on_delayed(const struct hook *hook)
{
  uint32_t hash;
  if (!thread_stack_ends(hook) && pool_task_hash(hook->first, &hash))
    submitted_add(hash, (struct submitted){.code = place_here(agent.jvmti, hook->jni, 0)});
}

/* The worker's task comes back later. */
static void on_periodic(const struct hook *hook)
{
  uint32_t hash;
  if (!thread_stack_ends(hook) && pool_task_hash(hook->first, &hash))
    submitted_add(hash, (struct submitted){.code = executors_self.code});
}

/* It will not run. */
static void drop(jobject runnable)
{
  uint32_t hash;
  struct submitted task;
  if (pool_task_hash(runnable, &hash) && submitted_take(hash, &task))
    cancel(task.id);
}

static void on_drop(const struct hook *hook)
{
  drop(hook->first);
}

/* What a method of an object returns. NULL: nothing, or it has no such method. The caller deletes the reference. */
static jobject ask(JNIEnv *jni, jobject object, const char *method, const char *descriptor)
{
  jclass class = object ? (*jni)->GetObjectClass(jni, object) : NULL;
  jmethodID id = class ? (*jni)->GetMethodID(jni, class, method, descriptor) : NULL;
  jobject answer = id ? (*jni)->CallObjectMethod(jni, object, id) : NULL;
  if ((*jni)->ExceptionCheck(jni)) {
    (*jni)->ExceptionClear(jni);
    answer = NULL;
  }
  (*jni)->DeleteLocalRef(jni, class);
  return answer;
}

/* The policy is about to take the oldest task out of the queue, if no worker is faster. */
static void on_discard_oldest(const struct hook *hook)
{
  uint32_t hash;
  if (thread_stack_ends(hook))
    return;
  jobject queue = ask(hook->jni, hook->second, "getQueue", "()Ljava/util/concurrent/BlockingQueue;");
  jobject oldest = ask(hook->jni, queue, "peek", "()Ljava/lang/Object;");
  if (pool_task_hash(oldest, &hash))
    submitted_doubt(hash);
  (*hook->jni)->DeleteLocalRef(hook->jni, oldest);
  (*hook->jni)->DeleteLocalRef(hook->jni, queue);
}

/* The tasks that never began are its result. */
static void after_shutdown(const struct hook *hook)
{
  JNIEnv *jni = hook->jni;
  if (thread_stack_ends(hook))
    return;
  jobjectArray tasks = ask(jni, hook->first, "toArray", "()[Ljava/lang/Object;");
  jsize count = tasks ? (*jni)->GetArrayLength(jni, tasks) : 0;
  for (jsize i = 0; i < count; i++) {
    jobject task = (*jni)->GetObjectArrayElement(jni, tasks, i);
    drop(task);
    (*jni)->DeleteLocalRef(jni, task);
  }
  (*jni)->DeleteLocalRef(jni, tasks);
}

/* The handler may drop the task, run it, or put it back: it stays until one of these is seen. */
static void on_reject(const struct hook *hook)
{
  executors_self.rejects = pool_task_hash(hook->first, &executors_self.rejected);
}

static void after_reject(const struct hook *hook)
{
  (void)hook;
  executors_self.rejects = false;
}

static void on_abort(const struct hook *hook)
{
  struct submitted task;
  (void)hook;
  if (executors_self.rejects && submitted_take(executors_self.rejected, &task))
    cancel(task.id);
  executors_self.rejects = false;
}

static void on_begin(const struct hook *hook)
{
  struct submitted task = {.code = hook->site->code};
  struct task_nest *nest = task_nest(hook);
  if (nest && nest->works)
    return;
  submitted_take((uint32_t)hook->number, &task); /* also where the run is not recorded: it waits no more */
  if (!nest)
    return;
  nest->works = true;
  nest->round = sites_round(hook->site);
  nest->worked = hook->site;
  executors_self.code = task.code;
  pool_task_begin(nest, task);
}

static void on_end(const struct hook *hook)
{
  struct task_nest *nest = task_nest(hook);
  if (!nest || !nest->works)
    return;
  nest->works = false;
  task_nest_leave(nest);
}

/* CallerRunsPolicy: who submitted the task runs it. */
static void on_caller_runs(const struct hook *hook)
{
  uint32_t hash;
  struct submitted task = {0};
  struct task_nest *nest = task_nest(hook);
  if (pool_task_hash(hook->first, &hash))
    submitted_take(hash, &task);
  if (nest)
    pool_task_begin(nest, task);
}

static void after_caller_ran(const struct hook *hook)
{
  struct task_nest *nest = task_nest(hook);
  if (nest)
    task_nest_leave(nest);
}

void executors_end(void)
{
  char number[32];
  uint64_t lost = submitted_lost();
  snprintf(number, sizeof number, "%llu", (unsigned long long)lost);
  if (lost > 0)
    diag_say(number,
             " tasks of pools could not be followed from their submission on (too many waited at one time or were ",
             "dropped unseen, or this machine is too busy): they have no place of submission and no queue time", NULL);
}

#define EXECUTORS_TAKES(class, name, of, function)                                                                     \
  {.target = {WEAVE_METHOD, class, name, of, .hooks = HOOK_ENTER | HOOK_VALUES}, .enter = function}
#define WORKS(where, class)                                                                                            \
  {.target = {where, class, "beforeExecute", "(Ljava/lang/Thread;Ljava/lang/Runnable;)V",                              \
              .hooks = HOOK_ENTER | HOOK_VALUES | HOOK_HASH},                                                          \
   .prepare = pool_task_remember_method,                                                                               \
   .enter = on_begin},                                                                                                 \
  {                                                                                                                    \
    .target = {where, class, "afterExecute", "(Ljava/lang/Runnable;Ljava/lang/Throwable;)V", .hooks = HOOK_ENTER},     \
    .enter = on_end                                                                                                    \
  }

static const struct row executors_rows[] = {
    {.target = {WEAVE_METHOD, EXECUTORS_POOL, "execute", "(Ljava/lang/Runnable;)V",
                .hooks = HOOK_ENTER | HOOK_VALUES | HOOK_HASH},
     .enter = executors_on_execute},
    EXECUTORS_TAKES(EXECUTORS_POOL, "remove", "(Ljava/lang/Runnable;)Z", on_drop),
    EXECUTORS_TAKES(EXECUTORS_POOL "$DiscardPolicy", "rejectedExecution", NULL, on_drop),
    EXECUTORS_TAKES(EXECUTORS_POOL "$DiscardOldestPolicy", "rejectedExecution", NULL, on_discard_oldest),
    {.target = {WEAVE_METHOD, EXECUTORS_POOL, "shutdownNow", .hooks = HOOK_EXIT | HOOK_VALUES}, .exit = after_shutdown},
    {.target = {WEAVE_METHOD, "java/util/concurrent/FutureTask", "cancel", .hooks = HOOK_ENTER | HOOK_THIS | HOOK_HASH},
     .enter = pool_task_doubt},
    {.target = {WEAVE_METHOD, EXECUTORS_POOL, "reject", "(Ljava/lang/Runnable;)V", .hooks = HOOK_BOTH | HOOK_VALUES},
     .enter = on_reject,
     .exit = after_reject,
     .thrown = on_abort},
    {.target = {WEAVE_METHOD, EXECUTORS_POOL "$CallerRunsPolicy", "rejectedExecution",
                .hooks = HOOK_BOTH | HOOK_VALUES},
     .enter = on_caller_runs,
     .exit = after_caller_ran,
     .thrown = after_caller_ran},
    EXECUTORS_TAKES(SCHEDULED, "delayedExecute", NULL, on_delayed),
    EXECUTORS_TAKES(SCHEDULED, "reExecutePeriodic", NULL, on_periodic),
    WORKS(WEAVE_METHOD, EXECUTORS_POOL),
    WORKS(WEAVE_INHERITED, EXECUTORS_POOL),
    WORKS(WEAVE_INHERITED, SCHEDULED),
};

static const char *const executors_marks[] = {EXECUTORS_POOL, SCHEDULED, NULL};

const struct runtime runtime_executors = {.needs = LIVE_NEED_TASKS,
                                          .hooks_gone = submitted_forget,
                                          .package = "java/util/concurrent/",
                                          .marks = executors_marks,
                                          .rows = executors_rows,
                                          .count = COUNT_OF(executors_rows)};
