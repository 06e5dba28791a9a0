/*
 * Time in which runnable threads had no processor: by thread, by construct, and by the blocking call. Archives contain
 * it where `heddle record` could ask the kernel; otherwise the threads' own readings give its length.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_PROCESSORS_PROCESSORS_H
#define HEDDLE_ANALYZER_ANALYSES_PROCESSORS_PROCESSORS_H

#include "analyzer/trace/pass/pass.h"
#include "base/vector.h"

/* One thread in one construct. Only times that no other state keeps: READY and OFF, none in SYNCH, IDLE, ... */
struct processors_row {
  uint32_t construct; /* the innermost region, work-sharing construct or task around it; TRACE_NONE: none */
  uint32_t location;
  uint32_t reason; /* the archive's region of it: "blocked in read", "waits for a processor"; TRACE_NONE: readings */
  bool ready;      /* it could have run */
  uint64_t ticks, count, longest; /* of readings `longest` is 0 */
};

struct processors {
  bool known;                         /* the archive reports context switches */
  bool read;                          /* it does not, but has readings (states/machine.h) */
  VECTOR(struct processors_row) rows; /* sorted by construct, then location, then reason */
};

/* Adds up in a pass of either kind; its result is a struct processors. */
extern const struct analysis processors_analysis;

#endif
