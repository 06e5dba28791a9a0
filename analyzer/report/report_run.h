/* Runs of a report, and the options that `heddle report` and `heddle view` share. A run has its archive, its bundle and
 * its timeline. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_RUN_H
#define HEDDLE_ANALYZER_REPORT_REPORT_RUN_H

#include "analyzer/command/shared_options.h"
#include "analyzer/command/spec_options.h"
#include "analyzer/models/predict.h"
#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

struct report_run {
  struct trace *trace;
  struct timeline timeline;
  struct bundle_run bundle;
};

/* Contents of a run. */
struct report_run_wanted {
  const char *path;
  const char *command; /* the command line, for the log */
  const struct restriction_options *restriction;
  const struct prediction_answer *prediction; /* prediction of this run, or NULL */
  const struct specified *specified;          /* may be empty, or NULL */
  bool commands;                              /* whole command lines of the run's processes */
  bool source;                                /* lines of source */
  uint64_t limit;                             /* of the timeline (report/timeline.h) */
};

/* Reads and analyzes the archive. False: an error. report_run_close() in any case. */
#define REPORT_RUN_STEPS (REPORT_FACTS_STEPS + 2) /* of progress */
bool report_run_open(struct report_run *run, const struct report_run_wanted *wanted, struct pool *pool,
                     struct progress *progress, struct error *error);
void report_run_close(struct report_run *run);

/* The command line, quoted for a shell; the caller frees it. NULL: out of memory. */
char *report_command_line(int argc, char **argv);

/* Values of the options. */
struct report_asked {
  const char *fit; /* NULL: no prediction */
  bool commands;   /* the page has the whole command lines */
  bool source;     /* the page has lines of source */
  struct prediction_request prediction;
  struct spec_asked spec;
  struct shared_options shared;
  struct restriction_options restriction; /* of each run */
  uint64_t limit;                         /* bytes of the file to write; 0: no file, all details are kept */
};

/* Parts of a struct command: the options behind its own ones, and the operands. */
extern const struct command_option report_options[];
#define REPORT_OPTIONS                                                                                                 \
  [OPTIONS_SHARED] = {.list = report_options}, [OPTIONS_MORE] = {.list = jobs_options}, RESTRICTION_OPTIONS
#define REPORT_ARCHIVES "one archive, or up to eight to compare: a trace's directory or its .otf2 file"
#define REPORT_OPERAND  .operand = REPORT_ARCHIVES, .least = 1, .most = BUNDLE_RUNS

/*
 * Reads the options; the archives are the operands, from argv[optind] on. Returns -1 to go on, else the exit status.
 */
int report_options_take(const struct command *command, void *own, struct report_asked *asked, int argc, char **argv);

/* The runs of a report. */
struct report_runs {
  struct report_run list[BUNDLE_RUNS];
  struct bundle_run bundles[BUNDLE_RUNS]; /* of the same runs; not to be freed */
  size_t count;
};

/* Reads and analyzes the archives from argv[optind] on. False: an error. report_runs_close() in any case. */
bool report_runs_open(struct report_runs *runs, const struct report_asked *asked, int argc, char **argv,
                      struct error *error);
void report_runs_close(struct report_runs *runs);

#endif
