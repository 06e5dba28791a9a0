/*
 * Calls by which the program waits and wakes: Object.wait, notify and notifyAll, Thread.sleep. They are recorded in the
 * JDK's native methods (../natives.h); a hook before the call says where it is, which takes a twentieth of a look at
 * the stack. Calls that have no hook, as those of the JDK itself, have their places from the stack.
 */
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/runtimes/sites.h"

static void waits_remember_place(struct site *site, const struct weave_match *match)
{
  site->code = site_code_at(match, match->pc);
}

/* A call of null's method comes to no native method. */
static void waits_on_call(const struct hook *hook)
{
  if (hook->first || hook->site->row->target.where == WEAVE_CALLS)
    thread_calls(hook->site->code, hook);
}

/* Callers of the place are found on the stack, if they are wanted. */
static bool waits_places_are_single(void)
{
  return agent.options.stack == 1;
}

static bool waits_notes_are_wanted(void)
{
  return agent.options.notes && waits_places_are_single();
}

#define WAITS_CALL(kind, class, name, is_wanted, for_what)                                                             \
  {.target = {kind, "java/lang/" class, name, .hooks = HOOK_ENTER, .guard = GUARD_SWITCH},                             \
   .prepare = waits_remember_place,                                                                                    \
   .enter = waits_on_call,                                                                                             \
   .needs = for_what,                                                                                                  \
   .wanted = is_wanted}

static const struct row waits_rows[] = {
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "wait", waits_places_are_single, LIVE_NEED_MONITORS),
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "notify", waits_notes_are_wanted, LIVE_NEED_ALL),
    WAITS_CALL(WEAVE_VIRTUAL, "Object", "notifyAll", waits_notes_are_wanted, LIVE_NEED_ALL),
    WAITS_CALL(WEAVE_CALLS, "Thread", "sleep", waits_places_are_single, LIVE_NEED_PARKS),
};

/* The names as constants: the low byte of the length is in front. */
static const char *const waits_marks[] = {"\4wait", "\6notify", "\11notifyAll", "\5sleep", NULL};

const struct runtime runtime_waits = {.of_jvm = true,
                                      .needs = LIVE_NEED_MONITORS | LIVE_NEED_PARKS,
                                      .marks = waits_marks,
                                      .rows = waits_rows,
                                      .count = COUNT_OF(waits_rows)};
