/*
 * Where threads that would have run had no processor: by thread, by construct, and by what they were blocked in.
 * Archives tell so where `heddle record` could ask the kernel; else the threads' own readings say how long it was.
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
  bool known;                         /* the archive tells of context switches */
  bool read;                          /* it does not, but has readings (states/readings.h) */
  VECTOR(struct processors_row) rows; /* sorted by construct, then location, then reason */
};

/* Adds up in a pass of either kind (pass.h). NULL: no memory. After the pass: processors_end(), or processors_drop() if
 * the pass failed. Free the result with processors_free(). */
struct processors_taker;
struct processors_taker *processors_begin(const struct trace *trace, struct pool *pool, struct error *error);
const struct subscriber *processors_subscriber(const struct processors_taker *taker);
/* False: no memory. */
bool processors_end(struct processors_taker *taker, struct processors *processors);
void processors_drop(struct processors_taker *taker);
void processors_free(struct processors *processors);

#endif
