/*
 * Classes of what pools are given, and what their objects are: known by the identity hash of the class, and looked at
 * once. Any thread that runs Java or native code; the first look calls the JVM some dozens of times.
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_CLASSES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_TASK_CLASSES_H

#include <jni.h>
#include <stdint.h>

enum task_class_kind {
  TASKS_OF_OTHERS,          /* nothing that is followed */
  TASKS_OF_JDK,             /* an adapter of the pool, or a stage: begins and ends in the hooks of stages.c */
  TASKS_OF_VIRTUAL_THREADS, /* a Runnable that continues one */
  TASKS_COMPUTED,           /* its compute() has the hooks of forkjoin.c */
  TASKS_COMPUTED_BY_JDK     /* ... and is the JDK's, as of streams */
};

struct task_class {
  enum task_class_kind kind;
  uint64_t code; /* TASKS_COMPUTED: the place of compute(); 0: it could not be described */
};

/* hash: of the task's class, if the caller knows it; else 0. */
struct task_class task_class_of(JNIEnv *jni, jobject task, uint32_t hash);

#endif
