/*
 * The frame of the commands that analyze an archive, `heddle COMMAND [OPTION]... DIR`: it takes the options, opens the
 * archive, restricted as was asked for, the workers and the document, and closes them again. A command brings its own
 * options and the work.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_ANALYSIS_H
#define HEDDLE_ANALYZER_COMMANDS_ANALYSIS_H

#include "analyzer/commands/restriction_options.h"
#include "analyzer/commands/shared_options.h"
#include "analyzer/print/print.h"
#include "analyzer/trace/definitions.h"
#include "base/pool.h"

/* What the work works with. */
struct analysis_run {
  const char *command;
  struct trace *trace;
  struct pool *pool;
  struct print *print; /* goes to stdout */
  enum print_format format;
};

struct analysis {
  /* After the last option, do they go together? Returns -1 to go on, else the exit status. May be NULL. */
  int (*check)(const void *own, const char *command);
  /* Analyzes and prints. False: the error says why. */
  bool (*work)(const struct analysis_run *run, const void *own, struct error *error);
};

/* For struct command: behind the command's own options; one archive follows. */
#define ANALYSIS_OPTIONS  [OPTIONS_SHARED] = {.list = analysis_options}, RESTRICTION_OPTIONS
#define ANALYSIS_SYNOPSIS "[OPTION]... DIR"
#define ANALYSIS_OPERAND  .operand = OPERAND_ARCHIVE, .least = 1, .most = 1

/* The whole command; its own options go into `own`, behind them are ANALYSIS_OPTIONS. Returns the exit status. */
int analysis_command(const struct analysis *analysis, const struct command *command, void *own, int argc, char **argv);

#endif
