/*
 * The frame of the commands that analyze an archive, `heddle COMMAND [OPTION]... DIR`. It takes the options, opens the
 * archive, the worker threads and the document, restricts the archive to the part that the options name, and closes all
 * of them. A command adds its own options and the work.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_ANALYSIS_H
#define HEDDLE_ANALYZER_COMMAND_ANALYSIS_H

#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/trace/definitions.h"
#include "base/pool.h"

/* Input and output of a command. All of it belongs to analysis_command(). */
struct analysis_run {
  const char *command;
  struct trace *trace;
  struct pool *pool;
  struct print *print; /* goes to stdout */
  enum print_format format;
  char *const *operands; /* the trace is the first one */
  int operand_count;
  const struct restriction_options *restriction; /* of the trace */
  bool names_only;                               /* of command lines the programs' names alone, for pages */
};

struct analysis {
  /* After the last option: checks that the options go together. Returns -1 to go on, else the exit status. May be NULL.
   */
  int (*check)(const void *own, const char *command);
  /* Takes operands that are no archive; `run` has neither trace, pool nor print yet. Returns -1 to go on, else the exit
   * status. May be NULL. */
  int (*instead)(const struct analysis_run *run, unsigned jobs, const void *own);
  /* Analyzes and prints. False: an error. */
  bool (*work)(const struct analysis_run *run, const void *own, struct error *error);
  /* The same of a profile, which has no events (analyzer/live/profile). NULL: the command needs events. */
  bool (*work_on_profile)(const struct analysis_run *run, const void *own, struct error *error);
  bool jvm_threads; /* with the JVM's own threads, asked for or not */
};

/* False: the archive is a profile, which has no events. */
bool analysis_has_events(const struct trace *trace, struct error *error);

/* Parts of a struct command: the options behind its own ones, and one archive as operand. */
#define ANALYSIS_OPTIONS  [OPTIONS_SHARED] = {.list = analysis_options}, RESTRICTION_OPTIONS
#define ANALYSIS_SYNOPSIS "[OPTION]... DIR"
#define ANALYSIS_OPERAND  .operand = OPERAND_ARCHIVE, .least = 1, .most = 1

/* Runs the whole command; its own options go into `own`. Prints errors on stderr. Returns the exit status. */
int analysis_command(const struct analysis *analysis, const struct command *command, void *own, int argc, char **argv);

#endif
