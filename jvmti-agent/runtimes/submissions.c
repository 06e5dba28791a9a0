/*
 * Calls of an executor's execute() and submit() in the program's classes, whatever executor it is. Who asks for the
 * place is the hook of a pool that is called. A call that comes to no pool (an executor of the program's own, that runs
 * the task at once) is forgotten when it returns. If it throws, then when another one comes; until then it is told from
 * others by its address: only a call near to it on the stack could take it. So does one by the JDK itself, as
 * CompletableFuture.runAsync(), in a task that an executor of the program's runs at once: its task has the outer line.
 *
 * All other ways to a pool, as invokeAll(), a reference to the method, or another class of the JDK, have no hook: their
 * places are read from the stack.
 */
#include "jvmti-agent/runtimes/submissions.h"

#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"

#define SUBMISSIONS_CONCURRENT "java/util/concurrent/"

/* Not the thread's own call: a pool may wait or wake somebody before it takes the task. */
static __thread struct noted_call noted __attribute__((tls_model("initial-exec")));

uint64_t submission_take(const struct hook *hook)
{
  uint64_t place = call_take(&noted, hook);
  return thread_self.mounted ? 0 : place;
}

static void submissions_remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* A virtual thread may go on elsewhere before the call has come to a pool. */
static void submissions_on_call(const struct hook *hook)
{
  call_note(&noted, thread_self.mounted ? 0 : hook->site->code, hook);
}

static void after_call(const struct hook *hook)
{
  (void)hook;
  noted.place = 0;
}

/* Callers of the place are found on the stack, if they are wanted. */
static bool submissions_places_are_single(void)
{
  return agent.options.stack == 1;
}

#define SUBMISSIONS_CALL(class, name)                                                                                  \
  {.target = {WEAVE_VIRTUAL, SUBMISSIONS_CONCURRENT class, name, .hooks = HOOK_BOTH, .guard = GUARD_SWITCH},           \
   .prepare = submissions_remember_place,                                                                              \
   .enter = submissions_on_call,                                                                                       \
   .exit = after_call,                                                                                                 \
   .wanted = submissions_places_are_single}

static const struct row submissions_rows[] = {
    SUBMISSIONS_CALL("Executor", "execute"),
    SUBMISSIONS_CALL("ExecutorService", "execute"),
    SUBMISSIONS_CALL("ExecutorService", "submit"),
    SUBMISSIONS_CALL("AbstractExecutorService", "execute"),
    SUBMISSIONS_CALL("AbstractExecutorService", "submit"),
    SUBMISSIONS_CALL("ThreadPoolExecutor", "execute"),
    SUBMISSIONS_CALL("ThreadPoolExecutor", "submit"),
};

static const char *const submissions_marks[] = {SUBMISSIONS_CONCURRENT "Executor",
                                                SUBMISSIONS_CONCURRENT "AbstractExecutorService",
                                                SUBMISSIONS_CONCURRENT "ThreadPoolExecutor", NULL};

const struct runtime runtime_submissions = {.needs = LIVE_NEED_TASKS,
                                            .marks = submissions_marks,
                                            .rows = submissions_rows,
                                            .count = COUNT_OF(submissions_rows)};
