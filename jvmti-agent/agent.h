/*
 * What the agent's subjects share: the JVM's interface, the options, and whether there is anything to record.
 */
#ifndef HEDDLE_JVMTI_AGENT_AGENT_H
#define HEDDLE_JVMTI_AGENT_AGENT_H

#include "common/recorder.h"
#include "jvmti-agent/options.h"
#include "jvmti-agent/threads.h"

#include <jvmti.h>
#include <stdatomic.h>

struct agent {
  JavaVM *vm;
  jvmtiEnv *jvmti;
  struct agent_options options;
  atomic_bool live;      /* from VMInit to VMDeath, or to the agent's own end; nothing is recorded before and after */
  bool late;             /* the JVM ran already when the agent came */
  uint64_t ticks_per_us; /* for thresholds only; known when live */
};

extern struct agent agent __attribute__((visibility("hidden")));

/*
 * Whether the calling thread records now. A thread that was there before the agent tells what thread it is when it is
 * first asked. Each callback and each hook asks this before it records.
 */
static inline bool agent_records(JNIEnv *jni)
{
  return atomic_load_explicit(&agent.live, memory_order_relaxed) &&
         (thread_self.state == THREAD_RECORDS || (thread_self.state == THREAD_NEW && thread_describe(jni)));
}

/*
 * Whether a hook of the calling thread may fail with StackOverflowError `here`, at an address on its stack. Of what
 * nests, nothing is told so near to the end of the stack: of a pair of hooks one may fail, and the other not.
 */
static inline bool agent_stack_ends(const void *here)
{
  return stack_end_is_near(&thread_self.stack_end, (uintptr_t)here);
}

#endif
