/* One sequence of the page of `heddle report --pes`, as JSON. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_SEQUENCE_H
#define HEDDLE_ANALYZER_REPORT_REPORT_SEQUENCE_H

#include "analyzer/command/print/json_writer.h"
#include "base/error.h"

/*
 * Reads the sequence in the file, and puts an object for it; analyzer/report/README.md describes it. It has the records
 * if there are at most `most`. False: an error; the JSON is broken then.
 */
bool report_sequence_put(struct json_writer *json, const char *path, uint64_t most, struct error *error);

#endif
