/* Class loaders, by numbers that are never given twice. */
#ifndef HEDDLE_JVMTI_AGENT_CORE_LOADERS_H
#define HEDDLE_JVMTI_AGENT_CORE_LOADERS_H

#include <jni.h>
#include <stdint.h>

/* 0: the JVM's own, which is no object. One thread at a time. */
uint32_t loader_number(JNIEnv *jni, jobject loader);

#endif
