/*
 * VirtualThread.unpark: LockSupport.unpark of a virtual thread comes to no native method. Time-outs of parks call
 * another method of the class (JDK 25).
 */
#include "common/live_control.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/notes.h"
#include "jvmti-agent/runtimes/sites.h"

static bool are_wanted(void)
{
  return agent.options.notes && agent.options.virtual_threads;
}

static void on_unpark(const struct hook *hook)
{
  note_unpark(hook->jni, hook->first);
}

static const struct row rows[] = {
    {.target = {WEAVE_METHOD, "java/lang/VirtualThread", "unpark", "()V", .hooks = HOOK_ENTER | HOOK_THIS,
                .guard = GUARD_SWITCH},
     .enter = on_unpark,
     .needs = LIVE_NEED_ALL,
     .wanted = are_wanted},
};

static const char *const marks[] = {NULL};

const struct runtime runtime_unparks = {.of_jvm = true,
                                        .needs = LIVE_NEED_ALL,
                                        .package = "java/lang/VirtualThread",
                                        .marks = marks,
                                        .rows = rows,
                                        .count = sizeof rows / sizeof *rows};
