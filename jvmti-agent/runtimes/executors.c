/* Tasks of ThreadPoolExecutor, of CompletableFuture, and of Runnables and Callables in a ForkJoinPool. */
#include "jvmti-agent/runtimes/executors.h"

#include "base/count_of.h"
#include "common/process/diag.h"
#include "common/raw/live_control.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/objects.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/forkjoin.h"
#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/sites.h"

#include <stdio.h>

/*
 * ThreadPoolExecutor and ScheduledThreadPoolExecutor: a task lasts from execute() until the worker has run it.
 * submit(), invokeAll() and CompletableFuture's stages with such an executor call execute(), too. The place of a task
 * is the place of its submission in the program's own classes.
 *
 * A worker calls beforeExecute(), the task, and afterExecute(). Programs may override both, and may call the
 * superclass's methods in them: the first call counts. The object identifies the task (submitted_tasks.h). If the
 * submission was not recorded, or if the task waits for its time (schedule()), it is created when it begins, as
 * in fork-join pools.
 */

#define EXECUTORS_POOL "java/util/concurrent/ThreadPoolExecutor"
#define SCHEDULED      "java/util/concurrent/ScheduledThreadPoolExecutor"

/* OMPT's number of a task that ends without a run. */
enum { TASK_CANCEL = 3 };

/* State of the thread between two hooks. */
static __thread struct {
  bool rejects;      /* a pool refuses a task just now ... */
  uint32_t rejected; /* ... with this hash */
  uint64_t code;     /* of the worker's task */
} executors_self __attribute__((tls_model("initial-exec")));

/* Ends a task that will not run. */
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

/* A task waits for its start time: the pool does not cause that, so it is no queue time. */
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

/* The task will not run. */
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

/* Calls a method of an object and returns its result. NULL: null, or no such method. The caller deletes the reference.
 */
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
  pool_task_begin(nest, task, 1);
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
    pool_task_begin(nest, task, 1);
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
             " tasks of pools have no place of submission and no queue time: too many waited at one time, or were ",
             "dropped, or the machine is too busy", NULL);
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

/*
 * Stages of CompletableFuture, and what is submitted to a ForkJoinPool and is no fork-join task itself (a Runnable or a
 * Callable). They are tasks from their submission until they have run. Stages with an executor of their own come to its
 * execute() (executors.c); what a pool is given and is a fork-join task goes to forkjoin.c.
 *
 * A stage is submitted when those before it are complete, by the thread that completes the last one. That is its
 * maker, and its queue time begins then; its place is where the program made the stage.
 *
 * A pool's worker calls exec(), all others call run(). A task that is begun already, as by an executor's worker, is
 * not begun once more in run().
 */

#define FUTURE      "java/util/concurrent/CompletableFuture"
#define STAGES_TASK "java/util/concurrent/ForkJoinTask"
#define STAGES_POOL "java/util/concurrent/ForkJoinPool"
#define OF_TASK     "(Ljava/util/concurrent/ForkJoinTask;)Ljava/util/concurrent/ForkJoinTask;"

/* The adapters that a virtual thread continues in; which there are depends on the JDK. */
#define RUNNABLE(adapter) JDK_FIELD(adapter, "runnable", "Ljava/lang/Runnable;")
static struct jdk_field runnables[] = {RUNNABLE(STAGES_TASK "$AdaptedRunnable"),
                                       RUNNABLE(STAGES_TASK "$AdaptedRunnableAction"),
                                       RUNNABLE(STAGES_TASK "$RunnableExecuteAction"),
                                       RUNNABLE("java/util/concurrent/DelayScheduler$ScheduledForkJoinTask")};

/* True if a task continues a virtual thread, whose tasks are not recorded. */
static bool continues_virtual_thread(JNIEnv *jni, jobject task)
{
  for (size_t i = 0; i < COUNT_OF(runnables); i++) {
    jobject runnable = jdk_field_object(jni, &runnables[i], task);
    if (!runnable)
      continue;
    bool continues = task_class_of(jni, runnable, 0).kind == TASKS_OF_VIRTUAL_THREADS;
    (*jni)->DeleteLocalRef(jni, runnable);
    return continues;
  }
  return false;
}

/* UniCompletion is the class of all stages that may have an executor. */
static struct jdk_field executor = JDK_FIELD(FUTURE "$UniCompletion", "executor", "Ljava/util/concurrent/Executor;");

/* True if a stage will be submitted; others run on the thread that completes the one before. */
static bool has_executor(JNIEnv *jni, jobject stage)
{
  jobject found = jdk_field_object(jni, &executor, stage);
  (*jni)->DeleteLocalRef(jni, found);
  return found != NULL;
}

/* The place is known now only: later the stack belongs to the thread that completes the stage before. */
static void remember_stage(const struct hook *hook, jobject stage)
{
  uint32_t hash;
  struct submitted task;
  if (thread_stack_ends(hook) || !has_executor(hook->jni, stage) || !pool_task_hash(stage, &hash))
    return;
  if (!submitted_take_unmade(hash, &task)) /* the methods that do this call each other */
    task = (struct submitted){.code = place_here(agent.jvmti, hook->jni, 0), .may_go = true}; /* stages may fail */
  submitted_add(hash, task);
}

static void on_stage(const struct hook *hook)
{
  remember_stage(hook, hook->first);
}

static void on_stage_of_two(const struct hook *hook)
{
  remember_stage(hook, hook->second);
}

static void on_submit(const struct hook *hook)
{
  uint32_t hash;
  if (!hook->first || thread_stack_ends(hook))
    return;
  struct task_class is = task_class_of(hook->jni, hook->first, 0);
  if ((is.kind == TASKS_OF_JDK && continues_virtual_thread(hook->jni, hook->first)) ||
      !pool_task_hash(hook->first, &hash))
    return;
  if (is.kind == TASKS_OF_JDK)
    pool_task_submit(hook, hash);
  else
    forkjoin_submit(hook, hash, is);
}

/* ThreadPerTaskExecutor, where the common pool has no threads (JDK 17). */
static void stages_on_execute(const struct hook *hook)
{
  uint32_t hash;
  if (!thread_stack_ends(hook) && pool_task_hash(hook->first, &hash))
    pool_task_submit(hook, hash);
}

/* A newer JDK has a public method of this name and type, which calls the other one. */
static void only_if_private(struct site *site, const struct weave_match *match)
{
  enum { PRIVATE = 2 };
  if (!(match->method->access & PRIVATE))
    sites_switch_off(site);
}

/* Tasks of the calling thread that continue virtual threads; the code of these has no nest, so ends fit begins. */
static __thread unsigned carries __attribute__((tls_model("initial-exec")));

static void on_exec(const struct hook *hook)
{
  uint32_t hash;
  struct submitted task = {.code = hook->site->code};
  struct task_nest *nest = task_nest(hook);
  if (nest && continues_virtual_thread(hook->jni, hook->first)) {
    carries++;
    return;
  }
  if (pool_task_hash(hook->first, &hash)) /* also where the run is not recorded: it waits no more */
    submitted_take(hash, &task);
  if (nest)
    pool_task_begin(nest, task, 1);
}

static void after_exec(const struct hook *hook)
{
  struct task_nest *nest = task_nest(hook);
  if (nest && carries > 0)
    carries--;
  else if (nest)
    task_nest_leave(nest);
}

/* run() of a task of its own, or of the task that the thread is in. Other executors are not hooked: then the task has
 * the program's line that runs it. */
static void on_run(const struct hook *hook)
{
  uint32_t hash;
  struct submitted task = {.code = hook->site->code};
  struct task_nest *nest = task_nest(hook);
  bool waited = pool_task_hash(hook->first, &hash) && submitted_take(hash, &task);
  if (!nest)
    return;
  if (!waited && nest->depth == 0) {
    uint64_t code = place_in_program(agent.jvmti, hook->jni, 0);
    task.code = code ? code : task.code;
  }
  if (waited || nest->depth == 0)
    pool_task_begin(nest, task, 1);
  else if (nest->depth <= NESTING)
    nest->runs[nest->depth]++;
  else
    nest->depth++; /* too deep to be recorded; after_run() takes it off */
}

static void after_run(const struct hook *hook)
{
  struct task_nest *nest = task_nest(hook);
  if (!nest)
    return;
  if (nest->depth <= NESTING && nest->runs[nest->depth] > 0)
    nest->runs[nest->depth]--;
  else
    task_nest_leave(nest);
}

#define EXECUTES(class, name, type, on, after)                                                                         \
  {.target = {WEAVE_METHOD, class, name, type, .hooks = HOOK_BOTH | HOOK_THIS},                                        \
   .prepare = pool_task_remember_method,                                                                               \
   .enter = on,                                                                                                        \
   .exit = after,                                                                                                      \
   .thrown = after}
#define EXEC(class) EXECUTES(class, "exec", "()Z", on_exec, after_exec)
#define RUN(class)  EXECUTES(class, "run", "()V", on_run, after_run)
#define STAGES_TAKES(class, name, type, function)                                                                      \
  {.target = {WEAVE_METHOD, class, name, type, .hooks = HOOK_ENTER | HOOK_VALUES}, .enter = function}

/* Classes of one JDK alone, too: 17 (ThreadPerTaskExecutor, InvokeAnyTask of the pool), 25 (InterruptibleTask). */
static const struct row stages_rows[] = {
    STAGES_TAKES(FUTURE, "unipush", NULL, on_stage),
    STAGES_TAKES(FUTURE, "bipush", NULL, on_stage_of_two),
    STAGES_TAKES(FUTURE, "orpush", NULL, on_stage_of_two),
    STAGES_TAKES(FUTURE "$ThreadPerTaskExecutor", "execute", NULL, stages_on_execute),
    STAGES_TAKES(STAGES_POOL, "poolSubmit", NULL, on_submit),
    {.target = {WEAVE_METHOD, STAGES_POOL, "externalSubmit", OF_TASK, .hooks = HOOK_ENTER | HOOK_VALUES,
                .guard = GUARD_SWITCH},
     .prepare = only_if_private,
     .enter = on_submit},
    EXEC(FUTURE "$AsyncSupply"),
    EXEC(FUTURE "$AsyncRun"),
    EXEC(FUTURE "$Completion"),
    RUN(FUTURE "$AsyncSupply"),
    RUN(FUTURE "$AsyncRun"),
    RUN(FUTURE "$Completion"),
    EXEC(STAGES_TASK "$AdaptedRunnable"),
    EXEC(STAGES_TASK "$AdaptedRunnableAction"),
    EXEC(STAGES_TASK "$RunnableExecuteAction"),
    EXEC(STAGES_TASK "$AdaptedCallable"),
    EXEC(STAGES_TASK "$AdaptedInterruptibleCallable"),
    EXEC(STAGES_TASK "$InterruptibleTask"),
    EXEC(STAGES_POOL "$InvokeAnyTask"),
};

static const char *const stages_marks[] = {NULL};

const struct runtime runtime_stages = {.needs = LIVE_NEED_TASKS,
                                       .package = "java/util/concurrent/",
                                       .marks = stages_marks,
                                       .rows = stages_rows,
                                       .count = COUNT_OF(stages_rows)};
