/*
 * Intervals in which the calling thread waits, by the reason (enum raw_block in raw_trace.h). A thread has one at a
 * time.
 *
 * If the budget (common/budget/budget.h) omits waits of a place, it omits only those shorter than BLOCKS_LONG. Their
 * length is known at the end, so the begin is held back until then.
 */
#ifndef HEDDLE_JVMTI_AGENT_BLOCKS_H
#define HEDDLE_JVMTI_AGENT_BLOCKS_H

#include "common/budget/omitted_counts.h"
#include "common/recorder/preloaded.h"
#include "common/recorder/recorder.h"
#include "jvmti-agent/core/thread_self.h"

#define BLOCKS_LONG    10u /* us */
#define BLOCKS_RECORDS 2u  /* records of a wait */

/* BLOCKS_LONG in ticks; 0 until the clock is measured: all are long. */
extern uint64_t blocks_long;

/* What follows the waits of a thread that is in omitted tasks. */
extern void (*block_in_omitted)(bool begins);

/* True if the begin of an interval that begins now is held back; otherwise it is recorded at once. */
bool block_is_held(enum raw_block kind, uint64_t code);
/* Ends an interval that was held back: records or omits it. */
void block_end_held(unsigned detail, uint64_t code, uint64_t object);

static inline void block_hold(enum raw_block kind, uint64_t code, uint64_t object)
{
  thread_self.block = (uint8_t)kind;
  thread_self.held.code = code;
  thread_self.held.object = object;
  thread_self.held.owner = thread_self.held.owner_code = thread_self.held.pinned = 0;
  thread_self.held.begin = clock_ticks();
  waits_begin();
}

static inline void block_begin(enum raw_block kind, uint64_t code, uint64_t object)
{
  if (thread_self.held.begin)
    block_end_held(thread_self.block, 0, 0);
  if (__builtin_expect(thread_self.in_omitted, 0))
    block_in_omitted(true);
  /* A virtual thread's wait may end on another carrier: it is never held back. */
  if (budget_is_on() && !thread_self.mounted && block_is_held(kind, code)) {
    block_hold(kind, code, object);
    return;
  }
  thread_self.block = (uint8_t)kind;
  recorder_emit3(RAW_BLOCK_BEGIN, kind, code, object);
  waits_begin();
}

/* detail: enum raw_block, of the kind that was begun. Does nothing if none is open. */
static inline void block_end(unsigned detail, uint64_t code, uint64_t object)
{
  if (thread_self.block != (detail & RAW_BLOCK_KIND))
    return;
  waits_end();
  thread_self.block = 0;
  if (thread_self.held.begin)
    block_end_held(detail, code, object);
  else
    recorder_emit3(RAW_BLOCK_END, detail, code, object);
  if (__builtin_expect(thread_self.in_omitted, 0))
    block_in_omitted(false);
}

/* The same for calls that often do not wait. Returns the time of the begin (ticks); 0: nothing is recorded. */
static inline uint64_t block_begin_timed(enum raw_block kind)
{
  if (budget_is_on() && block_is_held(kind, 0)) {
    block_hold(kind, 0, 0);
    return thread_self.held.begin;
  }
  struct recorder *self = recorder_enter();
  if (!self)
    return 0;
  thread_self.block = (uint8_t)kind;
  uint64_t now = clock_ticks();
  recorder_read_if_due(self, now);
  recorder_put_at(self, 3, raw_head(RAW_BLOCK_BEGIN, kind, 0), 0, now);
  recorder_fold_if_due(self, raw_head(RAW_BLOCK_BEGIN, kind, 0), now);
  recorder_leave(self);
  waits_begin();
  return now;
}

/* Ends the interval if it took at most `most` ticks. False: it is still open, and block_end ends it. */
static inline bool block_end_if_short(unsigned detail, uint64_t begin, uint64_t most)
{
  bool held = thread_self.held.begin != 0;
  if (thread_self.block == (detail & RAW_BLOCK_KIND) && held) {
    bool is_short = clock_ticks() - begin <= most;
    if (is_short)
      block_end(detail, 0, 0);
    return is_short;
  }
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
  waits_end();
  return true;
}

/* The waiting virtual thread kept its carrier, because of the frame at this place. Before the wait's end. */
static inline void block_pinned(uint64_t code)
{
  if (thread_self.held.begin)
    thread_self.held.pinned = code;
  else if (thread_self.block)
    recorder_emit(RAW_BLOCK_PINNED, 0, code);
}

/* The carrier lets go of the virtual thread, whose wait goes on. */
static inline void block_unmount(void)
{
  if (thread_self.block)
    block_end(thread_self.block | RAW_BLOCK_UNMOUNTED, 0, 0);
}

#endif
