/*
 * What is done to virtual threads, and comes to no native method:
 *
 * VirtualThread.unpark, as by LockSupport.unpark. Time-outs of parks call another method of the class (JDK 25).
 *
 * VirtualThread.start: who starts one, and where. All ways lead there: Thread.startVirtualThread, builders,
 * Executors.newVirtualThreadPerTaskExecutor, StructuredTaskScope. Other threads come to Thread.start0 (../natives.c).
 */
#include "base/count_of.h"
#include "common/raw/live_control.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/places.h"
#include "jvmti-agent/core/thread_self.h"
#include "jvmti-agent/core/threads.h"
#include "jvmti-agent/runtimes/sites.h"

static bool virtual_calls_are_wanted(void)
{
  return agent.options.virtual_threads;
}

static bool virtual_calls_notes_are_wanted(void)
{
  return agent.options.notes && virtual_calls_are_wanted();
}

static void on_unpark(const struct hook *hook)
{
  note_unpark(hook->jni, hook->first);
}

static void on_start(const struct hook *hook)
{
  if (!thread_stack_ends(hook))
    recorder_emit3(RAW_JAVA_START, 1, place_here(agent.jvmti, hook->jni, 0), thread_id_of(hook->jni, hook->first));
}

#define VIRTUAL_CALLS_CALLED(name, type, on, if_so)                                                                    \
  {.target = {WEAVE_METHOD, "java/lang/VirtualThread", name, type, .hooks = HOOK_ENTER | HOOK_THIS,                    \
              .guard = GUARD_SWITCH},                                                                                  \
   .enter = on,                                                                                                        \
   .needs = LIVE_NEED_ALL,                                                                                             \
   .wanted = if_so}

static const struct row virtual_calls_rows[] = {
    VIRTUAL_CALLS_CALLED("unpark", "()V", on_unpark, virtual_calls_notes_are_wanted),
    VIRTUAL_CALLS_CALLED("start", "(Ljdk/internal/vm/ThreadContainer;)V", on_start, virtual_calls_are_wanted),
};

static const char *const virtual_calls_marks[] = {NULL};

const struct runtime runtime_virtual_calls = {.of_jvm = true,
                                              .needs = LIVE_NEED_ALL,
                                              .package = "java/lang/VirtualThread",
                                              .marks = virtual_calls_marks,
                                              .rows = virtual_calls_rows,
                                              .count = COUNT_OF(virtual_calls_rows)};
