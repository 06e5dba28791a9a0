/*
 * Which code the threads ran: the samples of samples.otf2 (trace/samples.h), each with its thread, and with the state
 * and construct that the thread was in at its time. Sums by calling context, thread, construct, state and trigger:
 * memory depends on how many of these differ, never on samples or events.
 *
 *   calls.h    the sums, from a pass of either kind
 *   tree.h     the contexts as a tree of functions, or of source lines
 *   figures.h  what is selected of the sums, by node of a tree and by function: self, inclusive, callers, callees
 *   blame.h    the waiting of other threads that code causes meanwhile
 *   compare.h  two runs
 *   cycles.h   functions that call each other in a circle
 *   kernel.h   time in the kernel, where no samples are taken: an estimate
 *   lost.h     samples that were lost, by reason
 *   share.h    the interval of a share of samples
 *   exact.h    exact calls in place of samples
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_H
#define HEDDLE_ANALYZER_ANALYSES_CALLS_CALLS_H

#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/samples.h"

#define CALLS_OUTSIDE STATES /* not a state: before the thread's first event, or after its last one */

struct calls_cell {
  uint32_t context;   /* index in samples->contexts */
  uint32_t location;  /* of the trace */
  uint32_t construct; /* region; TRACE_NONE: none, or outside */
  uint32_t state;     /* enum state, or CALLS_OUTSIDE */
  uint32_t trigger;   /* index in samples->triggers */
  uint64_t samples;
};

/* How long a thread was in a construct and state. */
struct calls_time {
  uint32_t location, construct, state;
  uint64_t ticks;
  uint64_t processor; /* of these: on a processor, as far as the trace says so */
};

/* Of the analyzed part of the trace (trace/restriction.h), of threads. */
struct calls {
  struct calls_cell *cells; /* by context, location, construct, state, trigger; each at least 1 sample */
  size_t cell_count;
  struct calls_time *times; /* by location, construct, state */
  size_t time_count;
};

/* Adds up in a pass of either kind. Options: the struct samples, which are needed and outlive the analysis; result:
 * struct calls. Merges those of any locations. */
extern const struct analysis calls_analysis;

/* The number of samples of a trigger; of TRACE_NONE: of all. */
uint64_t calls_samples(const struct calls *calls, uint32_t trigger);

#endif
