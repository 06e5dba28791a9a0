/*
 * The calls that samples of Java code found: a tree, whose numbers records have (raw_trace.h, `call`). Equal stacks
 * have one number. The tree has a fixed size. Handlers of signals add calls while others are read: nothing locks, waits
 * or allocates.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_CALLS_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_CALLS_H

#include "jvmti-agent/core/call_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_CALLS_MOST (1u << 18)

struct sample_call {
  void *method;
  int32_t bytecode;
  uint32_t caller; /* a smaller number; 0: nobody called it; RAW_CALL_CUT: further calls did, which are unknown */
};

/* Before anything else here. most: calls that there may be. False: there is no memory. */
bool sample_calls_open(uint32_t most);

/* The number of a stack's innermost call; cut: the outermost frames are missing. 0: there is no room for new calls. */
uint32_t sample_calls_add(const struct call_frame *innermost, uint32_t count, bool cut);

/* Calls have numbers from RAW_CALL_FIRST up to the one before this, but for some that nobody has. */
uint32_t sample_calls_end(void);
/* False: nobody has the number, or it is being made at this moment. */
bool sample_calls_get(uint32_t number, struct sample_call *call);

#endif
