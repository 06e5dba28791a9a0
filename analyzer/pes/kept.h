/*
 * Private to pes/: records that are kept until they are read, as often as wanted: the time since the one before and the
 * state, as numbers of as many bytes as they need, in blocks; full blocks wait in a temporary file.
 */
#ifndef HEDDLE_ANALYZER_PES_KEPT_H
#define HEDDLE_ANALYZER_PES_KEPT_H

#include "analyzer/pes/stream.h"

struct kept;

/* NULL: no memory. */
struct kept *kept_create(void);
void kept_destroy(struct kept *kept);

/* Adds a record; its time is never less than that of the one before. A sink of sequences. False: an error. */
bool kept_add(void *kept, const struct pes_record *record, struct error *error);

/* A sequence of all records. The stream takes over what it is given. NULL: no memory. */
struct pes_stream *kept_stream(struct kept *kept, struct pes_program *program, struct pes_states *states,
                               struct pes_end end);

#endif
