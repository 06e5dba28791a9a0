/* The program's events of a page, as JSON (README.md describes it). */
#ifndef HEDDLE_ANALYZER_REPORT_POINTS_JSON_H
#define HEDDLE_ANALYZER_REPORT_POINTS_JSON_H

#include "analyzer/analyses/events/sums.h"

/* Times are since `start`, ticks of the trace. The caller frees the text. NULL: no memory. */
char *points_json(const struct trace *trace, const struct points_kept *kept, uint64_t start);

#endif
