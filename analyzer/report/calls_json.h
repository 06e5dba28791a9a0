/* Samples or exact calls of a page, as JSON: functions, the tree of contexts, sums, and times of samples. */
#ifndef HEDDLE_ANALYZER_REPORT_CALLS_JSON_H
#define HEDDLE_ANALYZER_REPORT_CALLS_JSON_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/exact.h"
#include "analyzer/report/bundle.h"
#include "analyzer/report/pruned_calls.h"

struct calls_page {
  const struct trace *trace;
  const struct samples *samples;
  const struct calls *calls;
  const struct sample_times *times;
  uint64_t start; /* ticks of the trace: times are since then */
  bool exact;     /* exact calls in the form of samples (calls/exact.h), without times */
};

/* Returns the text, which README.md describes and the caller frees. NULL: out of memory. */
char *calls_json(const struct calls_page *page, struct pruned_limits limits);

/* Samples of a run, found in the pass of report_facts.h. A run without samples may have exact calls in their place, or
 * nothing. */
struct report_calls {
  struct samples *samples;     /* NULL: the run was recorded without */
  struct exact_calls *archive; /* NULL: there are samples, or no calls */
  struct samples paths;        /* paths of exact calls, whose figures are triggers; the archive has all else */
  struct calls calls;
  struct sample_times times;
};

/* False: an error. report_calls_close() in any case; the trace outlives the samples. */
bool report_calls_open(struct report_calls *calls, const struct trace *trace, struct error *error);
enum { REPORT_CALLS_TASKS = 2 };
/* The analyses to be made, whose results go into `calls`. Returns their number, at most REPORT_CALLS_TASKS. */
unsigned report_calls_tasks(struct report_calls *calls, struct analysis_task *tasks);
void report_calls_close(struct report_calls *calls);

/* Adds the document to the run; `start` is when the timeline begins, in ticks of the trace. False: an error. */
bool report_calls_add(struct bundle_run *run, const struct report_calls *calls, const struct trace *trace,
                      uint64_t start, struct error *error);

#endif
