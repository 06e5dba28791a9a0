/* An operand that is a sequence, or a trace, of which the sequence of its threads' counts by state is taken. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCE_INPUT_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCE_INPUT_H

#include "analyzer/models/sequences/pes.h"
#include "analyzer/trace/definitions.h"
#include "base/pool.h"

struct sequence_input {
  struct trace *trace; /* NULL: it is a sequence */
  struct pes_stream *stream;
};

/* `pool` is created when the first trace is opened, and is the caller's. False: an error; to be closed also then. */
bool sequence_input_open(struct sequence_input *input, const char *path, struct pool **pool, struct error *error);
void sequence_input_close(struct sequence_input *input);

/* The totals of a sequence, added up while the sequence is read for another purpose. */

/*
 * A stream of the same records as the source. It adds the records up in `totals`, and begins anew if it is read again
 * from the beginning. The caller frees the totals after the stream. The stream owns the source, also after an error.
 * NULL: out of memory.
 */
struct pes_stream *pes_totals_stream(struct pes_stream *source, struct pes_state_totals *totals);

#endif
