/* How often each state occurs in a sequence, and for how long in all. The terminal state is no part of it. */
#ifndef HEDDLE_ANALYZER_TRANSFORMS_TALLIES_H
#define HEDDLE_ANALYZER_TRANSFORMS_TALLIES_H

#include "analyzer/pes/pes.h"

struct tally {
  uint64_t count, time; /* ticks */
};

struct tallies {
  struct tally *list; /* by state, also of those that don't occur */
  uint32_t count;
  uint64_t records, begin, duration;
};

/* Reads the whole stream from its beginning. Free them in any case. */
bool tallies_read(struct tallies *tallies, struct pes_stream *stream, struct error *error);
void tallies_free(struct tallies *tallies);

#endif
