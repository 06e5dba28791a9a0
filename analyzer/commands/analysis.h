/*
 * The frame of the commands that analyze an archive, `heddle COMMAND [OPTION]... DIR`: it takes the options that all of
 * them have, opens the archive, the workers and the document, and closes them again. A command brings its own options
 * and the work.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_ANALYSIS_H
#define HEDDLE_ANALYZER_COMMANDS_ANALYSIS_H

#include "analyzer/commands/command.h"
#include "analyzer/print/print.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pool.h"

/* For the command's list of options, and the end of its help. */
#define ANALYSIS_OPTIONS                                                                                               \
  {"json", no_argument, NULL, OPTION_JSON}, {"csv", no_argument, NULL, OPTION_CSV}, {"help", no_argument, NULL, 'h'},  \
      {"jobs", required_argument, NULL, 'j'}
#define ANALYSIS_OPTIONS_HELP                                                                                          \
  "  --json         JSON instead of text\n"                                                                            \
  "  --csv          CSV instead of text\n"                                                                             \
  "  -j, --jobs N   threads to read with (default: one a processor)\n"                                                 \
  "  -h, --help     this text\n"

/* What the work works with. */
struct analysis_run {
  const char *command;
  struct trace *trace;
  struct pool *pool;
  struct print *print; /* goes to stdout */
  enum print_format format;
};

struct analysis {
  const char *help;
  const struct option *options; /* ANALYSIS_OPTIONS and long ones of its own, from OPTION_FIRST_OWN; ends with zeros */
  /* Takes one of its own options, whose value is in optarg. Returns -1 to go on, else the exit status. NULL: has none.
   */
  int (*take)(void *own, const char *command, int code);
  /* After the last option, do they go together? Returns -1 to go on, else the exit status. May be NULL. */
  int (*check)(const void *own, const char *command);
  /* Analyzes and prints. False: the error says why. */
  bool (*work)(const struct analysis_run *run, const void *own, struct trace_error *error);
};

/* The whole command; `own` is where take() puts its options. Returns the exit status. */
int analysis_command(const struct analysis *analysis, void *own, int argc, char **argv);

#endif
