/*
 * Calls of Java methods (common/java/java_calls.h) in the calling thread's tree. Woven code reports each call and each
 * end, so the stack is not needed; the JVM exchanges its frames while methods run. The report of an end can only be
 * missing near the end of the stack, and for constructors (java_calls.caught).
 */
#ifndef HEDDLE_CALLS_LAYER_JAVA_H
#define HEDDLE_CALLS_LAYER_JAVA_H

#include "common/java/java_calls.h"

extern const struct java_calls java_layer __attribute__((visibility("hidden")));

#endif
