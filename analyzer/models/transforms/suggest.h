/* Steps that make a sequence shorter or clearer: patterns that it repeats, states that are rare, states of a cycle. */
#ifndef HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H
#define HEDDLE_ANALYZER_MODELS_TRANSFORMS_SUGGEST_H

#include "analyzer/models/sequences/pes.h"
#include "analyzer/models/transforms/repeats.h"

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
