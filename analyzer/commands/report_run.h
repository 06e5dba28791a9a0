/* One run of a report: its archive, what is to be said about it, and its timeline. For `heddle report` and `heddle
 * view`. */
#ifndef HEDDLE_ANALYZER_COMMANDS_REPORT_RUN_H
#define HEDDLE_ANALYZER_COMMANDS_REPORT_RUN_H

#include "analyzer/commands/prediction_show.h"
#include "analyzer/commands/report_facts.h"
#include "analyzer/report/bundle.h"

struct report_run {
  struct trace *trace;
  struct timeline timeline;
  struct bundle_run bundle;
};

/*
 * Reads the archive and analyzes it. `command` is what the user asked for, for the log; `prediction` is of this run, or
 * NULL. False: an error. Close with report_run_close(), also after an error.
 */
#define REPORT_RUN_STEPS (REPORT_FACTS_STEPS + 2) /* of progress */
bool report_run_open(struct report_run *run, const char *path, struct pool *pool, const char *command,
                     const struct prediction_answer *prediction, struct progress *progress, struct trace_error *error);
void report_run_close(struct report_run *run);

/* The command as it could be typed again; the caller frees it. NULL: no memory. */
char *report_command_line(int argc, char **argv);

#endif
