/*
 * Calls in which samples of Java code were taken, and how many samples each has.
 *
 * The calls are a tree of fixed size; records name a call by its number (raw_trace.h, `call`). Equal stacks have the
 * same number. Observers read the counts by thread and call in the file `samples` (common/raw/live_control.h). Counts
 * are taken while everything is measured, and while an observer needs them (LIVE_NEED_SAMPLES).
 *
 * Signal handlers add calls and counts while other threads read them: nothing locks, waits or allocates.
 */
#ifndef HEDDLE_JVMTI_AGENT_SAMPLE_CALLS_H
#define HEDDLE_JVMTI_AGENT_SAMPLE_CALLS_H

#include "common/raw/live_control.h"
#include "jvmti-agent/core/call_trace.h"

#include <stdbool.h>
#include <stdint.h>

#define SAMPLE_CALLS_MOST (1u << 18)

struct sample_call {
  void *method;
  int32_t bytecode;
  uint32_t caller; /* a smaller number; 0: none; RAW_CALL_CUT: further callers are unknown */
};

/* Makes an empty tree of at most `most` calls. False: out of memory. Before anything else here. */
bool sample_calls_open(uint32_t most);

/* Returns the number of a stack's innermost call. cut: the outermost frames are missing. 0: the tree is full. */
uint32_t sample_calls_add(const struct call_frame *innermost, uint32_t count, bool cut);

/* Returns the number after the last one. Numbers begin with RAW_CALL_FIRST; some are unused. */
uint32_t sample_calls_end(void);
/* Reads a call. False: the number is unused, or its call is being added now. */
bool sample_calls_get(uint32_t number, struct sample_call *call);

/* Counts a sample of a thread in a call; 0: the call has no number. Threads from LIVE_THREADS on are not counted. */
void sample_table_add(struct live_samples *samples, uint32_t thread, uint32_t call);

/* Offers the counts to observers. Before the session is opened, which informs observers. */
void sample_counts_offer(void);
/* Takes the offer back: no samples are taken. */
void sample_counts_withdraw(void);
/* Makes the file if there may be observers. If there is no room for it, reports that and takes the offer back. The
 * session is open. */
void sample_counts_open(void);

/* True if samples are counted now. In signal handlers. */
bool sample_counts_wanted(void);
/* Counts a sample of the thread with this number in the trace; call as in sample_table_add. In signal handlers. */
void sample_counts_add(uint32_t thread, uint32_t call);

#endif
