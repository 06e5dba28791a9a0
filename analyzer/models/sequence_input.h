/* Input sequences of commands: an operand that is a sequence, or a trace, whose threads are then counted by state. */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCE_INPUT_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCE_INPUT_H

#include "analyzer/models/sequences/pes.h"
#include "analyzer/trace/definitions.h"
#include "base/pool.h"

struct sequence_input {
  struct trace *trace; /* NULL: the operand is a sequence */
  struct pes_stream *stream;
};

/*
 * Opens an operand. `pool`, which the caller owns, is created for the first trace. False: an error; close the input
 * also then.
 */
bool sequence_input_open(struct sequence_input *input, const char *path, struct pool **pool, struct error *error);
void sequence_input_close(struct sequence_input *input);

/*
 * Returns a stream with the records of the source that adds them up in `totals`. It begins anew if it is read again
 * from the beginning. The caller frees the totals after the stream. The stream owns the source, also after an error.
 * NULL: out of memory.
 */
struct pes_stream *pes_totals_stream(struct pes_stream *source, struct pes_state_totals *totals);

#endif
