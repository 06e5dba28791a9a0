/* A class that is loaded or redefined, as those see it who may put hooks into it (runtimes/, holds.h, calls.h). */
#ifndef HEDDLE_JVMTI_AGENT_CORE_WEAVING_H
#define HEDDLE_JVMTI_AGENT_CORE_WEAVING_H

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

struct weaving {
  const char *name; /* with '/' */
  JNIEnv *jni;
  jobject loader;
  unsigned part; /* who puts hooks into it now */
  bool asks;     /* it is only asked whether there is anything to weave: nothing comes of it */
  bool again;    /* the class was there before, and what can't be woven in it was told */
  uint64_t sum;  /* of the class loader, and of the bytes as they are for this part; 0: not made yet */
};

/* Class loaders, by numbers that are never given twice. */

/* 0: the JVM's own, which is no object. One thread at a time. */
uint32_t loader_number(JNIEnv *jni, jobject loader);

#endif
