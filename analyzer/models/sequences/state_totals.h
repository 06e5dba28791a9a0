/* How often each state occurs in a sequence, and for how long in all. The terminal state does not count. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_TOTALS_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_STATE_TOTALS_H

#include "analyzer/models/sequences/stream.h"
#include "base/vector.h"

struct pes_state_total {
  uint64_t count, time; /* time in ticks */
};

/* All zeros is an empty one. */
struct pes_state_totals {
  VECTOR(struct pes_state_total) states; /* by number, also of states that do not occur */
  uint64_t records, begin, duration;     /* begin and duration in ticks */
  struct pes_record last;                /* private */
};

/* Reads the whole stream from its beginning. pes_state_totals_free() also after an error. False: an error. */
bool pes_state_totals_read(struct pes_state_totals *totals, struct pes_stream *stream, struct error *error);

/*
 * The same batch by batch, for those who read the stream for something else. Each batch that pes_next() delivered goes
 * to pes_state_totals_add(), the last one, without records, too; then pes_state_totals_end(). False: out of memory.
 */
bool pes_state_totals_add(struct pes_state_totals *totals, const struct pes_stream *stream,
                          const struct pes_record *records, size_t count);
void pes_state_totals_end(struct pes_state_totals *totals, const struct pes_end *end);

/* Before the stream is read again. */
void pes_state_totals_clear(struct pes_state_totals *totals);
void pes_state_totals_free(struct pes_state_totals *totals);

#endif
