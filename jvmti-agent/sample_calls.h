/*
 * The calls that samples of Java code found: a tree, whose numbers records have (raw_trace.h, `call`). Equal stacks
 * have one number. The tree has a fixed size. Handlers of signals add calls while others are read: nothing locks, waits
 * or allocates.
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

/*
 * The table in the file `samples` (common/raw/live_control.h): how many samples each thread had in each call. Any
 * number of threads may add at a time, also in handlers: nothing locks or allocates.
 */

/* Counts a sample of a thread in a call, 0: in one that got no number. Threads from LIVE_THREADS on have no counts. */
void sample_table_add(struct live_samples *samples, uint32_t thread, uint32_t call);

/*
 * Samples of Java code for observers, by thread and call: the file `samples` (common/raw/live_control.h). They count
 * while all is measured, and while an observer needs them (LIVE_NEED_SAMPLES).
 */

/* Offers the counts to observers. Before the session is opened, which tells observers. */
void sample_counts_offer(void);
/* No samples are taken. */
void sample_counts_withdraw(void);
/* Makes the file, if somebody can ask for it; without room for it nothing is offered, which is said. The session is
 * open. */
void sample_counts_open(void);

/* In handlers: whether samples count now, and count one of the thread with that number in the trace, in a call of
 * sample_calls.h; 0: there was no room for the call. */
bool sample_counts_wanted(void);
void sample_counts_add(uint32_t thread, uint32_t call);

#endif
