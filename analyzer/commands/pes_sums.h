/* What a sequence has in all, added up while it is read for something else. */
#ifndef HEDDLE_ANALYZER_COMMANDS_PES_SUMS_H
#define HEDDLE_ANALYZER_COMMANDS_PES_SUMS_H

#include "analyzer/pes/pes.h"

struct pes_total {
  uint64_t count, time;
  uint32_t state;
};

struct pes_sums {
  struct pes_total *totals; /* by state, when the stream was read to its end */
  uint64_t records, first;
  uint32_t room; /* of totals */
};

/*
 * A stream of the same records, which adds up what is read since its beginning. It takes over the source, also if there
 * is no memory: NULL. The sums outlive it; free their totals.
 */
struct pes_stream *pes_sums_stream(struct pes_stream *source, struct pes_sums *sums);

#endif
