/*
 * Exact calls of Java methods: classes are woven when they are loaded, and report each call (common/java/java_calls.h).
 *
 * HEDDLE_CALLS_JAVA is a list with commas between its entries. An entry names methods, as com.acme.Solver.step,
 * Solver.step or step, with the wildcards of fnmatch(3); or with @ the source file that they are in. A method that the
 * compiler made of a lambda has the name of the one that the lambda is in. The JDK's classes are meant only by an entry
 * that begins with their package.
 */
#ifndef HEDDLE_JVMTI_AGENT_METHOD_CALLS_H
#define HEDDLE_JVMTI_AGENT_METHOD_CALLS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <stddef.h>
#include <stdint.h>

/* The list, where the process records exact calls; else NULL. Once, when the agent is loaded. */
const char *method_calls_wanted(void);

/* A class that is being loaded or redefined, woven; bytes NULL: it stays as it is. The caller frees them. One thread at
 * a time. */
struct buffer method_calls_weave(struct weaving *class, const uint8_t *bytes, size_t size);

/* At the end: says so if the list means nothing that was loaded. */
void method_calls_end(void);

#endif
