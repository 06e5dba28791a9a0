/*
 * Calls by which the program waits and wakes: Object.wait, notify and notifyAll, Thread.sleep. They are recorded in the
 * JDK's native methods (../natives.h); a hook before the call says where it is, which takes a twentieth of a look at
 * the stack. Calls that have no hook, as those of the JDK itself, have their places from the stack.
 */
#include "common/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"

static void remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* A call of null's method comes to no native method. */
static void on_call(const struct hook *hook)
{
  if (hook->first || hook->site->row->target.where == WEAVE_CALLS)
    thread_calls(hook->site->code, hook);
}

/* Callers of the place are found on the stack, if they are wanted. */
static bool places_are_single(void)
{
  return agent.options.stack == 1;
}

static bool notes_are_wanted(void)
{
  return agent.options.notes && places_are_single();
}

#define CALL(kind, class, name, is_wanted, for_what)                                                                   \
  {.target = {kind, "java/lang/" class, name, .hooks = HOOK_ENTER, .guard = GUARD_SWITCH},                             \
   .prepare = remember_place,                                                                                          \
   .enter = on_call,                                                                                                   \
   .needs = for_what,                                                                                                  \
   .wanted = is_wanted}

static const struct row rows[] = {
    CALL(WEAVE_VIRTUAL, "Object", "wait", places_are_single, LIVE_NEED_MONITORS),
    CALL(WEAVE_VIRTUAL, "Object", "notify", notes_are_wanted, LIVE_NEED_ALL),
    CALL(WEAVE_VIRTUAL, "Object", "notifyAll", notes_are_wanted, LIVE_NEED_ALL),
    CALL(WEAVE_CALLS, "Thread", "sleep", places_are_single, LIVE_NEED_PARKS),
};

/* The names as constants: the low byte of the length is in front. */
static const char *const marks[] = {"\4wait", "\6notify", "\11notifyAll", "\5sleep", NULL};

const struct runtime runtime_waits = {.of_jvm = true,
                                      .needs = LIVE_NEED_MONITORS | LIVE_NEED_PARKS,
                                      .marks = marks,
                                      .rows = rows,
                                      .count = sizeof rows / sizeof *rows};
