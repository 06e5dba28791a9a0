/*
 * Time without a processor where the kernel's switches are not recorded: a thread's readings are sums over the time
 * since the one before (docs/otf2.md). Its waits take their part first, then what seemed to run at each place, in
 * proportion. An estimate. One thread.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_ACCOUNT_OFF_PROCESSOR_H
#define HEDDLE_ANALYZER_ANALYSES_ACCOUNT_OFF_PROCESSOR_H

#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

struct off_place {
  uint32_t place; /* a region; TRACE_NONE: outside of constructs */
  uint64_t ran;   /* ticks since the last reading */
  uint64_t off;   /* ticks of them without a processor, ... */
  uint64_t ready; /* ... and in the run queue, by the reading */
};

struct off_processor {
  VECTOR(struct off_place) places; /* since the last reading */
  uint64_t waited;                 /* ticks since then */
  struct readings reading;
};

/* A thread seemed to run at a place for `ticks`, or waited. False: no memory. */
bool off_processor_ran(struct off_processor *off, uint32_t place, uint64_t ticks);
void off_processor_waited(struct off_processor *off, uint64_t ticks);

/* True if the event is a reading: then off and ready of the places are set, and off_processor_forget() is due. */
bool off_processor_read(struct off_processor *off, const struct trace *trace, const struct trace_event *event);
void off_processor_forget(struct off_processor *off);
void off_processor_free(struct off_processor *off);

#endif
