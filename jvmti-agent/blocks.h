/* Intervals in which the calling thread waits; enum raw_block in raw_trace.h says for what. One at a time a thread. */
#ifndef HEDDLE_JVMTI_AGENT_BLOCKS_H
#define HEDDLE_JVMTI_AGENT_BLOCKS_H

#include "common/recorder.h"
#include "jvmti-agent/core/thread_self.h"

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

/* The same for waits that are often none: returns when it began (ticks); 0: nothing is recorded. */
static inline uint64_t block_begin_timed(enum raw_block kind)
{
  struct recorder *self = recorder_enter();
  if (!self)
    return 0;
  thread_self.block = (uint8_t)kind;
  uint64_t now = clock_ticks();
  recorder_put_at(self, 3, raw_head(RAW_BLOCK_BEGIN, kind, 0), 0, now);
  recorder_leave(self);
  return now;
}

/* Ends it at once, if it took no more than `most` ticks; false: block_end is to end it. */
static inline bool block_end_if_short(unsigned detail, uint64_t begin, uint64_t most)
{
  struct recorder *self = thread_self.block == (detail & RAW_BLOCK_KIND) ? recorder_enter() : NULL;
  if (!self)
    return true;
  uint64_t now = clock_ticks();
  if (now - begin > most) {
    recorder_leave(self);
    return false;
  }
  thread_self.block = 0;
  recorder_put_at(self, 3, raw_head(RAW_BLOCK_END, detail, 0), 0, now);
  recorder_leave(self);
  return true;
}

/* Ends an open interval: the thread continues with something else. */
static inline void block_abandon(void)
{
  if (thread_self.block)
    block_end(thread_self.block, 0, 0);
}

#endif
