/* One run of a report: its archive, its bundle and its timeline. For `heddle report` and `heddle view`. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_RUN_H
#define HEDDLE_ANALYZER_REPORT_REPORT_RUN_H

#include "analyzer/command/restriction_options.h"
#include "analyzer/models/predict.h"
#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

struct report_run {
  struct trace *trace;
  struct timeline timeline;
  struct bundle_run bundle;
};

/* What to read. */
struct report_run_wanted {
  const char *path;
  const char *command; /* the command line, for the log */
  const struct restriction_options *restriction;
  const struct prediction_answer *prediction; /* of this run, or NULL */
  const struct specified *specified;          /* may be empty, or NULL */
  bool commands;                              /* whole command lines of the run's processes */
  uint64_t limit;                             /* of the timeline (report/timeline.h) */
};

/* Reads and analyzes the archive. False: an error. report_run_close() in any case. */
#define REPORT_RUN_STEPS (REPORT_FACTS_STEPS + 2) /* of progress */
bool report_run_open(struct report_run *run, const struct report_run_wanted *wanted, struct pool *pool,
                     struct progress *progress, struct error *error);
void report_run_close(struct report_run *run);

/* The command line, quoted for a shell; the caller frees it. NULL: out of memory. */
char *report_command_line(int argc, char **argv);

#endif
