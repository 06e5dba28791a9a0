/* The totals of a sequence, added up while the sequence is read for another purpose. */
#ifndef HEDDLE_ANALYZER_MODELS_PES_TOTALS_H
#define HEDDLE_ANALYZER_MODELS_PES_TOTALS_H

#include "analyzer/models/sequences/pes.h"

/*
 * A stream of the same records as the source. It adds the records up in `totals`, and begins anew if it is read again
 * from the beginning. The caller frees the totals after the stream. The stream owns the source, also after an error.
 * NULL: out of memory.
 */
struct pes_stream *pes_totals_stream(struct pes_stream *source, struct pes_state_totals *totals);

#endif
