/*
 * Calls of Java methods (common/java/java_calls.h) in the calling thread's tree. Woven code reports each call and each
 * end, so nothing need be found out from the stack, whose frames the JVM exchanges while methods run. An end's report
 * may be missing only where the stack is nearly full, and of constructors (java_calls.caught).
 */
#ifndef HEDDLE_CALLS_LAYER_JAVA_H
#define HEDDLE_CALLS_LAYER_JAVA_H

#include "common/java/java_calls.h"

extern const struct java_calls java_layer __attribute__((visibility("hidden")));

#endif
