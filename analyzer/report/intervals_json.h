/* The intervals of a page, as JSON (README.md describes it). */
#ifndef HEDDLE_ANALYZER_REPORT_INTERVALS_JSON_H
#define HEDDLE_ANALYZER_REPORT_INTERVALS_JSON_H

#include "analyzer/analyses/intervals/intervals.h"
#include "analyzer/analyses/intervals/sampled_intervals.h"

/* `kept` is sorted; times are since `start`, ticks of the trace. The caller frees the text. NULL: no memory. */
char *intervals_json(const struct spec *spec, const struct intervals *intervals, const struct intervals_kept *kept,
                     uint64_t start);

#endif
