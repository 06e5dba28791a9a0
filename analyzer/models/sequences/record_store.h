/*
 * Private to sequences/. Store of records that can be read any number of times. A record is the time since the record
 * before and the state, both as LEB128. Full blocks go to a temporary file.
 */
#ifndef HEDDLE_ANALYZER_MODELS_SEQUENCES_RECORD_STORE_H
#define HEDDLE_ANALYZER_MODELS_SEQUENCES_RECORD_STORE_H

#include "analyzer/models/sequences/stream.h"

struct record_store;

/* NULL: out of memory. */
struct record_store *record_store_create(void);
void record_store_destroy(struct record_store *store);

/* Adds a record; time never decreases. It is a sequence_sink. False: an error. */
bool record_store_add(void *store, const struct pes_record *record, struct error *error);

/* Returns a sequence of all records, which takes over the arguments, also on failure. NULL: out of memory. */
struct pes_stream *record_store_stream(struct record_store *store, struct pes_program *program,
                                       struct pes_states *states, struct pes_end end);

#endif
