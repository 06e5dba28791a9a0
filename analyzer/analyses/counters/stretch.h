/*
 * Private to counters/: the readings of one class of counters by one thread. Intervals of states and readings come in
 * order of time each; an interval may come after a reading that lies in it.
 */
#ifndef HEDDLE_ANALYZER_ANALYSES_COUNTERS_STRETCH_H
#define HEDDLE_ANALYZER_ANALYSES_COUNTERS_STRETCH_H

#include "analyzer/trace/states/machine.h"
#include "base/hash.h"
#include "base/vector.h"

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

#endif
