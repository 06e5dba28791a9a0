/*
 * Parallel runtimes that the agent knows: tables of (class, method, what it means). Classes are woven while they are
 * loaded (jvmti-agent/weaver/), and what a runtime does is recorded as OpenMP's records (common/raw/raw_trace.h).
 */
#ifndef HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H
#define HEDDLE_JVMTI_AGENT_RUNTIMES_RUNTIMES_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/class_output.h"

#include <stddef.h>

struct runtime;

/* A class that is loaded or redefined, woven for a runtime; bytes NULL: it stays as it is. The caller frees them. One
 * thread at a time. */
struct buffer runtimes_weave(const struct runtime *runtime, struct weaving *class, const uint8_t *bytes, size_t size);

#endif
