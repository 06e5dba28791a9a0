/*
 * Threads' time without a processor where context switches were not recorded: the archive then has readings, each of
 * which is a sum over the time since the one before (docs/otf2.md). The sums are shared out among the intervals of
 * states of that time: waits come first, for threads sleep in them, then the program's own work; among these the
 * longest first. No interval gets more than its length.
 *
 * One location at a time; the caller feeds intervals and events as a pass delivers them (pass/subscriber.h).
 */
#ifndef HEDDLE_ANALYZER_TRACE_STATES_READINGS_H
#define HEDDLE_ANALYZER_TRACE_STATES_READINGS_H

#include "analyzer/trace/states/machine.h"
#include "base/vector.h"

#define READINGS_PIECES 1024u /* the newest so many intervals get something */

/* What one interval gets, in ticks. */
struct readings_share {
  enum state state;
  uint32_t construct; /* as the interval's */
  uint32_t around;    /* what the caller noted of the interval */
  uint64_t off;       /* without a processor */
  uint64_t ready;     /* of this: it could have run */
};
typedef bool readings_taker(void *context, const struct readings_share *share);

struct readings_piece {
  uint64_t start, end;
  uint32_t construct, around;
  enum state state;
};

/* Zero at the begin, but for the first three. */
struct readings {
  const struct trace *trace;
  readings_taker *take; /* false: no memory */
  void *context;
  bool failed; /* `take` was false, or there is no memory */
  VECTOR(struct readings_piece) pieces;
  bool waits;           /* a reading whose intervals have not come yet: */
  uint64_t since, time; /* ticks */
  uint64_t off_ns, ready_ns;
};

/* Whether the archive has any. */
bool readings_exist(const struct trace *trace);

/* around: anything that the caller wants to know of it later. */
void readings_interval(struct readings *readings, const struct state_interval *interval, uint32_t around);
void readings_event(struct readings *readings, const struct trace_event *event);
/* All of the location has come. False: no memory. */
bool readings_end(struct readings *readings);
void readings_free(struct readings *readings);

#endif
