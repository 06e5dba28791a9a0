/*
 * How long monitors are held (option hold=): matching classes are woven when they are loaded, and report each monitor
 * that they acquire and release. The JVM reports only contended acquisitions.
 */
#ifndef HEDDLE_JVMTI_AGENT_HOLDS_H
#define HEDDLE_JVMTI_AGENT_HOLDS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/weaver/buffer.h"

#include <stddef.h>
#include <stdint.h>

/* A class that is being loaded or redefined, woven; bytes NULL: it stays as it is. The caller frees them. One thread at
 * a time. */
struct buffer holds_weave(struct weaving *class, const uint8_t *bytes, size_t size);

#endif
