/*
 * Private to pes/: stores records until they are read, any number of times. A record is the time since the record
 * before and the state, as numbers of as many bytes as they need. Records stand in blocks; full blocks go to a
 * temporary file.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_RECORD_STORE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_RECORD_STORE_H

#include "analyzer/models/sequences/stream.h"

struct record_store;

/* NULL: no memory. */
struct record_store *record_store_create(void);
void record_store_destroy(struct record_store *store);

/* Adds a record; time never decreases. A sequence_sink. False: an error. */
bool record_store_add(void *store, const struct pes_record *record, struct error *error);

/* A sequence of all records. The stream takes over its arguments, also if it is NULL: no memory. */
struct pes_stream *record_store_stream(struct record_store *store, struct pes_program *program,
                                       struct pes_states *states, struct pes_end end);

#endif
