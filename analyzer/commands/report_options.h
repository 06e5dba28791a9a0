/* What `heddle report` and `heddle view` have in common: their options, and reading the runs. */
#ifndef HEDDLE_ANALYZER_COMMANDS_REPORT_OPTIONS_H
#define HEDDLE_ANALYZER_COMMANDS_REPORT_OPTIONS_H

#include "analyzer/commands/command.h"
#include "analyzer/commands/report_run.h"

enum { OPTION_FIT = OPTION_FIRST_OWN, OPTION_PARAM, OPTION_EXTRAPOLATE, OPTION_FIRST_OF_REPORT };

/* For the command's list of options, and the end of its help. */
#define REPORT_OPTIONS                                                                                                 \
  {"jobs", required_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'},                                            \
      {"fit", required_argument, NULL, OPTION_FIT}, {"param", required_argument, NULL, OPTION_PARAM},                  \
  {                                                                                                                    \
    "extrapolate", no_argument, NULL, OPTION_EXTRAPOLATE                                                               \
  }
#define REPORT_OPTIONS_HELP                                                                                            \
  "  --fit FILE         what `heddle fit -o` found of other runs: the page shows what it predicts beside what\n"       \
  "                     was measured\n"                                                                                \
  "  --param NAME=VALUE the parameter of that fit, and its value in this run\n"                                        \
  "  --extrapolate      predict outside of the fit's values, too\n"                                                    \
  "  -j, --jobs N       threads to read with (default: one a processor)\n"                                             \
  "  -h, --help         this text\n"

struct report_options {
  const char *help;
  const char *letters;          /* for getopt_long(), beginning with ":" */
  const struct option *options; /* REPORT_OPTIONS and its own; ends with zeros */
  /* Takes an own option, whose value is in optarg. Returns -1 to go on, else the exit status. */
  int (*take)(void *own, const char *command, int code);
};

/* What the common options say. */
struct report_asked {
  unsigned jobs;   /* threads; 0: one a processor */
  const char *fit; /* NULL: nothing is to be predicted */
  struct prediction_asked prediction;
};

/*
 * Reads the options, then what follows them as archives, from argv[optind]. Returns -1 to go on, else the exit status.
 */
int report_options_take(const struct report_options *options, void *own, struct report_asked *asked, int argc,
                        char **argv);

/* The runs of a report. */
struct report_runs {
  struct report_run list[BUNDLE_RUNS];
  struct bundle_run bundles[BUNDLE_RUNS]; /* of these; not to be freed */
  size_t count;
};

/* Reads the archives argv[optind] and on. False: an error. report_runs_close() in any case. */
bool report_runs_open(struct report_runs *runs, const struct report_asked *asked, int argc, char **argv,
                      struct trace_error *error);
void report_runs_close(struct report_runs *runs);

#endif
