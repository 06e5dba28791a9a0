/*
 * Counts of each thread (instructions, page faults, ...) in each construct and state: exact sums of the
 * archive's metrics that add up (OTF2_METRIC_ACCUMULATED_START), so also of counters of other tools.
 *
 * A count between two readings of a thread belongs to the intervals of states in that time. Several intervals share it
 * in proportion to the thread's time on a processor, in whole numbers whose sum is the count. So a thread's counts in
 * all constructs and states add up to its last reading less its first. Where several had a part, `shared` and `others`
 * bound the true count: it is from count - shared to count + others.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_COUNTERS_COUNTERS_H
#define HEDDLE_ANALYZER_ANALYSES_COUNTERS_COUNTERS_H

#include "analyzer/trace/pass/pass.h"
#include "analyzer/trace/states/machine.h"
#include "base/hash.h"
#include "base/statistics.h"
#include "base/vector.h"

/*
 * The readings of one class of counters by one thread. Intervals of states and readings come in
 * order of time each; an interval may come after a reading that lies in it.
 */

#define STRETCH_FEW 8u /* pieces that are found without a hash */
#define STRETCH_WAITING                                                                                                \
  64u /* readings whose intervals have not come; more: the newest stands for the one before it                         \
       */

/* Time since the last reading, in one state in one construct. */
struct stretch_piece {
  uint64_t key; /* stretch_key() */
  uint64_t ticks, weight;
};

static inline uint64_t stretch_key(uint32_t construct, enum state state)
{
  return (uint64_t)construct << 8 | (uint64_t)state;
}

/* What a piece gets of one counter. alone: nothing was shared out. */
struct stretch_share {
  uint64_t key;
  unsigned counter;
  uint64_t count, others, ticks;
  bool alone;
};
typedef bool stretch_taker(void *context, const struct stretch_share *share);

/* Zero at the begin, but for the first four. */
struct stretch {
  stretch_taker *take; /* false: no memory */
  void *context;
  uint32_t class;
  unsigned count;   /* of counters in a reading */
  bool any;         /* a reading was settled */
  uint64_t settled; /* ticks: when */
  uint64_t reached; /* up to where intervals have come */
  uint64_t newest;  /* key of the piece that got something last */
  bool has_newest;
  VECTOR(uint64_t) values; /* of the reading that was settled last */
  VECTOR(uint64_t) latest; /* ... and of the last one that came */
  VECTOR(struct stretch_piece) pieces;
  struct hash pieces_of;    /* key -> index */
  VECTOR(uint64_t) waiting; /* readings: each its time, and `count` values */
  bool failed;              /* `take` was false, or there is no memory */
};

void stretch_interval(struct stretch *stretch, const struct state_interval *interval);
/* values: `count` of them. */
void stretch_reading(struct stretch *stretch, uint64_t time, const uint64_t *values);
/* All has come. False: no memory. */
bool stretch_end(struct stretch *stretch);
void stretch_free(struct stretch *stretch);

/* Values of one counter. */
struct counter_sum {
  wide_total count;
  wide_total ticks;        /* of the time that was counted */
  wide_total shared_ticks; /* ... and of this, where several intervals share what was counted */
  wide_total shared;       /* the part of `count` that was shared out */
  wide_total others;       /* what others got of the same */
};

/* Counts of one thread in one state in one construct. */
struct counters_row {
  uint32_t location;
  uint32_t construct; /* region; TRACE_NONE: none */
  enum state state;
  size_t first; /* place in `sums`; there are `count` of them */
};

struct counters {
  unsigned count;                   /* of counters */
  uint32_t *metrics;                /* indices of the trace's, by counter */
  VECTOR(struct counters_row) rows; /* by location, construct, state */
  VECTOR(struct counter_sum) sums;
};

/* True if the archive has counters. */
bool counters_exist(const struct trace *trace);

/* Adds up in a pass of either kind; its result is a struct counters. */
extern const struct analysis counters_analysis;

static inline const struct counter_sum *counters_sum(const struct counters *counters, const struct counters_row *row,
                                                     unsigned counter)
{
  return &counters->sums.items[row->first + counter];
}

/* Adds the sums of a row's counter to another one's. */
void counter_sum_add(struct counter_sum *into, const struct counter_sum *from);

/* The number of the counter that counts instructions, and cycles, by any of its names; -1: there is none. */
int counters_instructions(const struct trace *trace, const struct counters *counters);
int counters_cycles(const struct trace *trace, const struct counters *counters);

/* True if the counts of a thread are scaled up, as the archive says. */
bool counters_are_scaled(const struct trace *trace, uint32_t location, const char *counter);

#endif
