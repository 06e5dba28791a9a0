/*
 * Hooks of parallel runtimes: puts them into classes that are loaded (jvmti-agent/weaver/), and dispatches their calls
 * to the runtimes' functions, which write OpenMP's records (common/raw/raw_trace.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <stddef.h>

struct runtime;

/* Returns the class with a runtime's hooks, for a class that is loaded or redefined. Bytes NULL: it stays as it is. The
 * caller frees the bytes. One thread at a time. */
struct buffer runtimes_weave(const struct runtime *runtime, struct weaving *class, const uint8_t *bytes, size_t size);

#endif
