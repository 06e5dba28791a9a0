/* The samples of a run for a report: taken in the pass of report_facts.h. Without samples the run's exact calls take
 * their place; without both, nothing is done. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_CALLS_H
#define HEDDLE_ANALYZER_REPORT_REPORT_CALLS_H

#include "analyzer/analyses/calls/calls.h"
#include "analyzer/analyses/calls/exact.h"
#include "analyzer/report/bundle.h"
#include "analyzer/report/sample_times.h"

struct report_calls {
  struct samples *samples;     /* NULL: the run was recorded without */
  struct exact_calls *archive; /* NULL: there are samples, or no calls */
  struct samples paths;        /* of exact calls, whose figures are triggers; the archive has all else */
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
