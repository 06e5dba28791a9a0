/*
 * What classes are woven for, in parts: each runtime that the agent knows, monitors that are held, exact calls. A set
 * of parts is a mask, a bit a part.
 */
#ifndef HEDDLE_JVMTI_AGENT_PARTS_H
#define HEDDLE_JVMTI_AGENT_PARTS_H

#include "jvmti-agent/core/weaving.h"
#include "jvmti-agent/runtimes/known.h"
#include "jvmti-agent/weaver/buffer.h"

#include <stdint.h>

enum { PART_HOLDS = RUNTIMES_KNOWN, PART_CALLS, PARTS };
#define PARTS_ALL ((1u << PARTS) - 1)

/* Before anything else here. */
void parts_begin(void);

/* LIVE_NEED_...: a part is of use while one of them is needed. */
uint32_t parts_needs(unsigned part);
/* The parts that are of use while these are needed. */
uint32_t parts_of_use(uint32_t needs);

/* Classes lost the hooks of a part. */
void parts_gone(unsigned part);

/* The class with the hooks of class->part; bytes NULL: it has nothing for them. The caller frees them. One thread at a
 * time. */
struct buffer parts_weave(struct weaving *class, const uint8_t *bytes, size_t size);

#endif
