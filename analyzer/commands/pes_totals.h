/* The totals of a sequence, added up while the sequence is read for something else. */
#ifndef HEDDLE_ANALYZER_COMMANDS_PES_TOTALS_H
#define HEDDLE_ANALYZER_COMMANDS_PES_TOTALS_H

#include "analyzer/pes/pes.h"

/*
 * A stream of the same records. The totals are those of what was read last, from the beginning; they outlive the
 * stream, and the caller frees them. The stream takes over the source, also if it is NULL: out of memory.
 */
struct pes_stream *pes_totals_stream(struct pes_stream *source, struct pes_state_totals *totals);

#endif
