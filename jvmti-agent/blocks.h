/* Intervals in which the calling thread waits; enum raw_block in raw_trace.h says for what. One at a time a thread. */
#ifndef HEDDLE_JVMTI_AGENT_BLOCKS_H
#define HEDDLE_JVMTI_AGENT_BLOCKS_H

#include "common/recorder.h"
#include "jvmti-agent/threads.h"

static inline void block_begin(enum raw_block kind, uint64_t code, uint64_t object)
{
  thread_self.block = (uint8_t)kind;
  recorder_emit3(RAW_BLOCK_BEGIN, kind, code, object);
}

/* detail: enum raw_block, of the kind that was begun. Nothing where none is open. */
static inline void block_end(unsigned detail, uint64_t code, uint64_t object)
{
  if (thread_self.block != (detail & RAW_BLOCK_KIND))
    return;
  thread_self.block = 0;
  recorder_emit3(RAW_BLOCK_END, detail, code, object);
}

/* Ends what is open: the thread goes on with something else. */
static inline void block_abandon(void)
{
  if (thread_self.block)
    block_end(thread_self.block, 0, 0);
}

#endif
