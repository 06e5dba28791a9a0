#include "jvmti-agent/gc.h"

#include "jvmti-agent/core/agent.h"
#include "jvmti-agent/core/threads.h"

/* All Java threads stand still: nothing may be asked of the JVM here, and nothing waited for. */
void JNICALL gc_on_start(jvmtiEnv *jvmti)
{
  (void)jvmti;
  if (!atomic_load(&agent.live))
    return;
  if (thread_is_of_before())
    thread_begin_round();
  if (thread_self.state == THREAD_NEW)
    threads_describe_jvms();
  recorder_emit(RAW_GC_BEGIN, 0, 0);
}

void JNICALL gc_on_finish(jvmtiEnv *jvmti)
{
  (void)jvmti;
  if (atomic_load(&agent.live) && !thread_is_of_before() && thread_self.state != THREAD_NEW)
    recorder_emit(RAW_GC_END, 0, 0);
}
