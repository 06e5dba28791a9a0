/*
 * Exact calls of Java methods: classes get hooks when they are loaded, which report each call
 * (common/java/java_calls.h).
 *
 * HEDDLE_CALLS_JAVA is a list with commas between its entries. An entry names methods, as com.acme.Solver.step,
 * Solver.step or step, with the wildcards of fnmatch(3), or their source file after @. A method that the compiler made
 * of a lambda has the name of the method around the lambda. An entry matches classes of the JDK only if it begins with
 * their package.
 */
#ifndef HEDDLE_JVMTI_AGENT_METHOD_CALLS_H
#define HEDDLE_JVMTI_AGENT_METHOD_CALLS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the list; NULL: the process records no exact calls. Once, when the agent is loaded. */
const char *method_calls_wanted(void);

/* Returns the class with hooks, for a class that is loaded or redefined. Bytes NULL: it stays as it is. The caller
 * frees the bytes. One thread at a time. */
struct buffer method_calls_weave(struct weaving *class, const uint8_t *bytes, size_t size);

/* Warns if the list matched no loaded class. At the end. */
void method_calls_end(void);

#endif
