/*
 * ForkJoinPool, and the parallel streams and sorts that are built on it. What a pool executes are OpenMP's explicit
 * tasks here: each compute() of a RecursiveTask, a RecursiveAction or a CountedCompleter (streams' tasks are such) is
 * one. Who waits for tasks is in a taskwait; as in OpenMP, tasks may be executed in it.
 *
 * There is no parallel region: a pool has no team that begins and ends together. Who forked a task is not recorded: it
 * counts as created when it begins. What a virtual thread does is not recorded: it may begin on one thread and end on
 * another.
 */
#include "common/live_control.h"
#include "common/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/runtimes/sites.h"
#include "jvmti-agent/runtimes/task_nest.h"

#define TASK "java/util/concurrent/ForkJoinTask"
#define POOL "java/util/concurrent/ForkJoinPool"

/* OMPT's number. */
enum { SYNC_TASKWAIT = 5 };

static void remember_method(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, 0);
}

static void on_task(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in)
    return;
  uint64_t id = recorder_new_id();
  if (!task_nest_enter(in, id))
    return;
  recorder_emit3(RAW_TASK_CREATE, RAW_TASK_EXPLICIT, hook->site->code, id);
  task_nest_begin(id);
}

static void after_task(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (in)
    task_nest_leave(in);
}

/*
 * The pool's methods call each other: the outermost wait counts. In a task the place is the task's; elsewhere it is
 * worth a look at the stack (the hook, the method that waits, its caller).
 */
static void on_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING || in->waits[in->depth]++ > 0)
    return;
  uint64_t code = in->depth == 0 ? place_of_caller(agent.jvmti, hook->jni, 2) : 0;
  recorder_emit(RAW_SYNC_BEGIN, SYNC_TASKWAIT, code);
  recorder_emit(RAW_WAIT_BEGIN, SYNC_TASKWAIT, 0);
}

static void after_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING || in->waits[in->depth] == 0 || --in->waits[in->depth] > 0)
    return;
  recorder_emit(RAW_WAIT_END, SYNC_TASKWAIT, 0);
  recorder_emit(RAW_SYNC_END, SYNC_TASKWAIT, 0);
}

#define COMPUTE(superclass)                                                                                            \
  {.target = {WEAVE_INHERITED, "java/util/concurrent/" superclass, "compute", .hooks = HOOK_BOTH},                     \
   .prepare = remember_method,                                                                                         \
   .enter = on_task,                                                                                                   \
   .exit = after_task,                                                                                                 \
   .thrown = after_task}
#define WAIT(class, name)                                                                                              \
  {.target = {WEAVE_METHOD, class, name, .hooks = HOOK_BOTH},                                                          \
   .enter = on_wait,                                                                                                   \
   .exit = after_wait,                                                                                                 \
   .thrown = after_wait}

static const struct row rows[] = {
    COMPUTE("RecursiveTask"), COMPUTE("RecursiveAction"), COMPUTE("CountedCompleter"), WAIT(TASK, "join"),
    WAIT(TASK, "invoke"),     WAIT(TASK, "invokeAll"),    WAIT(TASK, "get"),           WAIT(POOL, "invoke"),
};

static const char *const marks[] = {"java/util/concurrent/RecursiveTask", "java/util/concurrent/RecursiveAction",
                                    "java/util/concurrent/CountedCompleter", NULL};

const struct runtime runtime_forkjoin = {.needs = LIVE_NEED_TASKS | LIVE_NEED_SYNC,
                                         .package = "java/util/concurrent/",
                                         .marks = marks,
                                         .in_jdk = "java/util/",
                                         .worker = "Ljava/util/concurrent/ForkJoinWorkerThread;",
                                         .thread_end = task_nest_thread_end,
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};
