/* A class that is loaded or redefined, while parts of the agent may put hooks into it; numbers of class loaders. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_WEAVING_H
#define HEDDLE_JVMTI_AGENT_CORE_WEAVING_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct weaving {
  const char *name; /* with '/' */
  JNIEnv *jni;
  jobject loader;
  unsigned part; /* the part that puts hooks into it now (classes.c) */
  bool asks;     /* the result is thrown away: the question is whether there is anything to weave */
  bool again;    /* the class was there before, and messages about it were printed then */
  uint64_t sum;  /* sum of the class loader, and of the bytes as they are for this part; 0: not made yet */
};

/* Returns the number of a class loader, which is never used again; 0: the JVM's own loader, which is no object. One
 * thread at a time. */
uint32_t loader_number(JNIEnv *jni, jobject loader);

#endif
