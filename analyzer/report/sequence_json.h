/*
 * The records of a sequence in a page: all of them, or, of a sequence with more than `most`, which states occur in each
 * part of it.
 */
#ifndef HEDDLE_ANALYZER_REPORT_SEQUENCE_JSON_H
#define HEDDLE_ANALYZER_REPORT_SEQUENCE_JSON_H

#include "analyzer/command/print/json_writer.h"
#include "analyzer/models/sequences/pes.h"

enum {
  SEQUENCE_PARTS = 2048, /* of a sequence by time, and by records */
  SEQUENCE_ROWS = 250    /* states that are told apart in a part; the others are one row */
};

/*
 * Puts the members `later` and `state`, or `parts`, into the open object. Reads the stream from its beginning.
 * `ranked` has the states that occur, those of most time first. False: an error.
 */
bool sequence_json_records(struct json_writer *json, struct pes_stream *stream, const struct pes_state_totals *totals,
                           const uint32_t *ranked, size_t ranked_count, uint64_t most, struct error *error);

#endif
