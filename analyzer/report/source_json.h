/* Lines of source around the constructs of a trace, in the bundle. */
#ifndef HEDDLE_ANALYZER_REPORT_SOURCE_JSON_H
#define HEDDLE_ANALYZER_REPORT_SOURCE_JSON_H

#include "analyzer/trace/definitions.h"

/*
 * Returns an array of {file, first, lines}, which the caller frees. Files that cannot be read, and files that are no
 * regular ones, are not in it. A line has at most 400 bytes. NULL: out of memory.
 */
char *source_json(const struct trace *trace);

#endif
