/*
 * VirtualThread.start: who starts a virtual thread, and where. All ways lead there: Thread.startVirtualThread,
 * builders, Executors.newVirtualThreadPerTaskExecutor, StructuredTaskScope. Other threads come to Thread.start0
 * (../natives.c).
 */
#include "common/live_control.h"
#include "common/needs.h"
#include "common/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/sites.h"

static bool are_wanted(void)
{
  return agent.options.virtual_threads;
}

static void on_start(const struct hook *hook)
{
  if (!thread_stack_ends(hook))
    recorder_emit3(RAW_JAVA_START, 1, place_here(agent.jvmti, hook->jni, 0), thread_id_of(hook->jni, hook->first));
}

static const struct row rows[] = {
    {.target = {WEAVE_METHOD, "java/lang/VirtualThread", "start", "(Ljdk/internal/vm/ThreadContainer;)V",
                .hooks = HOOK_ENTER | HOOK_THIS, .guard = GUARD_SWITCH},
     .enter = on_start,
     .needs = LIVE_NEED_ALL,
     .wanted = are_wanted},
};

static const char *const marks[] = {NULL};

const struct runtime runtime_starts = {.of_jvm = true,
                                       .needs = LIVE_NEED_ALL,
                                       .package = "java/lang/VirtualThread",
                                       .marks = marks,
                                       .rows = rows,
                                       .count = sizeof rows / sizeof *rows};
