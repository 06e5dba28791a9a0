/*
 * ForkJoinPool, and the parallel streams and sorts that are built on it. What a pool executes are OpenMP's explicit
 * tasks here: each compute() of a RecursiveTask, a RecursiveAction or a CountedCompleter (streams' tasks are such) is
 * one. Who waits for tasks is in a taskwait; as in OpenMP, tasks may be executed in it.
 *
 * There is no parallel region: a pool has no team that begins and ends together. Who forked a task is not recorded: it
 * counts as created when it begins. What a virtual thread does is not recorded: it may begin on one thread and end on
 * another.
 *
 * The place of a task is its compute(); where that is the JDK's, as of streams, it is where the program called the
 * operation (roots.h): the stack is read once, as it begins.
 */
#include "common/live_control.h"
#include "common/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/runtimes/pool_tasks.h"
#include "jvmti-agent/runtimes/roots.h"
#include "jvmti-agent/runtimes/sites.h"

#define CONCURRENT "java/util/concurrent/"
#define TASK       CONCURRENT "ForkJoinTask"
#define POOL       CONCURRENT "ForkJoinPool"

/* OMPT's number. */
enum { SYNC_TASKWAIT = 5 };

/* kind: whether the method is the JDK's. */
static void remember_completer(struct site *site, const struct weave_match *match)
{
  char name[256];
  pool_task_remember_method(site, match);
  site->kind = place_is_in_jdk(span_string(class_name(match->file, match->file->this_class), name, sizeof name));
}

static void begin(struct task_nest *in, uint64_t code)
{
  pool_task_begin(in, (struct submitted){.code = code});
}

static void on_task(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (in)
    begin(in, hook->site->code);
}

/* A task of the JDK may also be a part of another one, which has the program's place. */
static void on_completer(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  uint64_t code = 0;
  if (!in)
    return;
  if (hook->site->kind && !(code = roots_find(hook->jni, hook->first)))
    code = task_nest_code(in);
  begin(in, code ? code : hook->site->code);
}

static void after_task(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (in)
    task_nest_leave(in);
}

/*
 * The pool's methods call each other: the outermost wait counts. In a task the place is the task's; elsewhere it is
 * worth a look at the stack.
 */
static void on_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING || in->waits[in->depth]++ > 0)
    return;
  uint64_t code = in->depth == 0 ? place_here(agent.jvmti, hook->jni, 0) : task_nest_code(in);
  recorder_emit(RAW_SYNC_BEGIN, SYNC_TASKWAIT, code);
  recorder_emit(RAW_WAIT_BEGIN, SYNC_TASKWAIT, 0);
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

static void after_wait(const struct hook *hook)
{
  struct task_nest *in = task_nest(hook);
  if (!in || in->depth > NESTING || in->waits[in->depth] == 0 || --in->waits[in->depth] > 0)
    return;
  recorder_emit(RAW_WAIT_END, SYNC_TASKWAIT, 0);
  recorder_emit(RAW_SYNC_END, SYNC_TASKWAIT, 0);
}

#define COMPUTE(superclass, more, remember, on)                                                                        \
  {.target = {WEAVE_INHERITED, superclass, "compute", .hooks = HOOK_BOTH | (more)},                                    \
   .prepare = remember,                                                                                                \
   .enter = on,                                                                                                        \
   .exit = after_task,                                                                                                 \
   .thrown = after_task}
#define WAIT(class, name, more, on)                                                                                    \
  {.target = {WEAVE_METHOD, class, name, .hooks = HOOK_BOTH | (more)},                                                 \
   .enter = on,                                                                                                        \
   .exit = after_wait,                                                                                                 \
   .thrown = after_wait}

static const struct row rows[] = {
    COMPUTE(CONCURRENT "RecursiveTask", 0, pool_task_remember_method, on_task),
    COMPUTE(CONCURRENT "RecursiveAction", 0, pool_task_remember_method, on_task),
    COMPUTE(CONCURRENT "CountedCompleter", HOOK_THIS, remember_completer, on_completer),
    COMPUTE("java/util/stream/AbstractTask", HOOK_THIS, remember_completer, on_completer), /* that may end early */
    WAIT(TASK, "join", 0, on_wait),
    WAIT(TASK, "invoke", HOOK_THIS, on_invoke),
    WAIT(TASK, "invokeAll", 0, on_wait),
    WAIT(TASK, "get", 0, on_wait),
    WAIT(POOL, "invoke", 0, on_wait),
};

static const char *const marks[] = {"java/util/concurrent/RecursiveTask", "java/util/concurrent/RecursiveAction",
                                    "java/util/concurrent/CountedCompleter", "java/util/stream/AbstractTask", NULL};

const struct runtime runtime_forkjoin = {.needs = LIVE_NEED_TASKS | LIVE_NEED_SYNC,
                                         .package = "java/util/concurrent/",
                                         .marks = marks,
                                         .in_jdk = "java/util/",
                                         .worker = "Ljava/util/concurrent/ForkJoinWorkerThread;",
                                         .thread_end = task_nest_thread_end,
                                         .rows = rows,
                                         .count = sizeof rows / sizeof *rows};
