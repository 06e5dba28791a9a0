/* What a page shows of samples or of exact calls, as JSON: functions, the tree of contexts, sums, and when samples were
 * taken. */
#ifndef HEDDLE_ANALYZER_REPORT_CALLS_JSON_H
#define HEDDLE_ANALYZER_REPORT_CALLS_JSON_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/report/pruned_calls.h"
#include "analyzer/report/sample_times.h"

struct calls_page {
  const struct trace *trace;
  const struct samples *samples;
  const struct calls *calls;
  const struct sample_times *times;
  uint64_t start; /* ticks of the trace: times are since then */
  bool exact;     /* exact calls in the form of samples (calls/exact.h), without times */
};

/* The text, which the caller frees (README.md has its form). NULL: out of memory. */
char *calls_json(const struct calls_page *page, struct pruned_limits limits);

#endif
