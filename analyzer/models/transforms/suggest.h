/*
 * Patterns of states that a sequence repeats at once: A,B,A,B,A,B. Takes the states in order; its time is linear, its
 * memory bounded.
 */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H

#include "analyzer/models/sequences/pes.h"
#include "base/hash.h"
#include "base/vector.h"

#include <stdint.h>

enum { REPEATS_LONGEST = 64, REPEATS_MOST = 4096 }; /* states of a pattern; patterns: further ones are not seen */

struct repeat {
  uint32_t states[REPEATS_LONGEST]; /* from where the pattern began first */
  uint32_t length;                  /* 2 or more; it is no repetition of a shorter one */
  uint64_t copies;                  /* whole ones, of all stretches of two or more at once */
};

/* All zeros is an empty one. */
struct repeats {
  VECTOR(struct repeat) list;          /* after repeats_end(): the most records first */
  struct hash of;                      /* pattern -> index; the same for all states that it may begin with */
  uint32_t ring[REPEATS_LONGEST];      /* the last states */
  uint64_t seen;                       /* states */
  uint64_t equal[REPEATS_LONGEST + 1]; /* [n]: so many states, up to the last one, are those n before them */
};

/* False: out of memory. */
bool repeats_add(struct repeats *repeats, uint32_t state);
bool repeats_end(struct repeats *repeats);
void repeats_free(struct repeats *repeats);

/* Steps that make a sequence shorter or clearer: patterns that it repeats, states that are rare, states of a cycle. */

enum { SUGGEST_PATTERNS = 5, SUGGEST_FILTERS = 7, SUGGEST_CYCLES = 3 };

/* States that take less than a part of the time, together. */
struct suggest_filter {
  char threshold[32]; /* the argument of filter-time */
  uint64_t states, records, time;
  bool is_bend; /* where states stop to add much: the farthest point of the curve of sums from a straight line */
};

/* A state that comes back regularly. Ticks from one begin to the next. */
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
