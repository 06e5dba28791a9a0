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
  struct calls_adder *adder;
  struct sample_times_taker *taker;
  struct calls calls;
  struct sample_times times;
};

/* False: an error. report_calls_free() in any case; the trace outlives the samples. */
bool report_calls_begin(struct report_calls *calls, const struct trace *trace, struct pool *pool, struct error *error);
enum { REPORT_CALLS_SUBSCRIBERS = 2 };
/* Returns their number, at most REPORT_CALLS_SUBSCRIBERS. */
unsigned report_calls_subscribers(const struct report_calls *calls, const struct subscriber **subscribers);
/* After a pass that did not fail. False: an error. */
bool report_calls_end(struct report_calls *calls);
void report_calls_free(struct report_calls *calls);

/* Adds the document to the run; `start` is when the timeline begins, in ticks of the trace. False: an error. */
bool report_calls_add(struct bundle_run *run, const struct report_calls *calls, const struct trace *trace,
                      uint64_t start, struct error *error);

#endif
