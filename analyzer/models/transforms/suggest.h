/*
 * Suggestions of steps that make a sequence shorter or clearer: repeated patterns, rare states, states of a cycle.
 *
 * Repeated patterns: A,B,A,B,A,B. Takes the states in order, in linear time and bounded memory.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H

#include "analyzer/models/sequences/pes.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

enum { REPEATS_LONGEST = 64, REPEATS_MOST = 4096 }; /* states of a pattern; patterns, further ones are not found */

struct repeat {
  uint32_t states[REPEATS_LONGEST]; /* from the first begin of the pattern */
  uint32_t length;                  /* 2 or more; the pattern does not repeat a shorter one */
  uint64_t copies;                  /* whole copies, in all stretches of two or more */
};

/* All zeros: no states. */
struct repeats {
  VECTOR(struct repeat) list;          /* after repeats_end(): the most records first */
  struct hash of;                      /* pattern -> index, the same for all rotations */
  uint32_t ring[REPEATS_LONGEST];      /* the last states */
  uint64_t seen;                       /* states */
  uint64_t equal[REPEATS_LONGEST + 1]; /* [n]: so many states, up to the last one, are those n before them */
};

/* False: out of memory. */
bool repeats_add(struct repeats *repeats, uint32_t state);
bool repeats_end(struct repeats *repeats);
void repeats_free(struct repeats *repeats);

enum { SUGGEST_PATTERNS = 5, SUGGEST_FILTERS = 7, SUGGEST_CYCLES = 3 };

/* Filter of all states that take less than a part of the time. */
struct suggest_filter {
  char threshold[32]; /* the argument of filter-time */
  uint64_t states, records, time;
  bool is_bend; /* bend of the curve of sums: its farthest point from a straight line */
};

/* State that recurs regularly; mean and deviation in ticks from begin to begin. */
struct suggest_cycle {
  uint32_t state;
  uint64_t count, time;
  double mean, deviation;
};

struct suggestions {
  uint64_t records, duration, states;
  struct repeat patterns[SUGGEST_PATTERNS]; /* the most records first; each in 1 % of the records or more */
  size_t pattern_count;
  struct suggest_filter filters[SUGGEST_FILTERS]; /* the lowest threshold first; each has other states */
  size_t filter_count;
  struct suggest_cycle cycles[SUGGEST_CYCLES]; /* the most regular first */
  size_t cycle_count;
};

/* Reads the whole stream from its beginning. False: an error. */
bool suggest(struct pes_stream *stream, struct suggestions *suggestions, struct error *error);

#endif
