/*
 * The frame of the commands that analyze an archive, `heddle COMMAND [OPTION]... DIR`. It takes the options, and opens
 * the archive, the worker threads and the document. It restricts the archive to the part that the options name, and
 * closes everything. A command adds its own options and the work.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_ANALYSIS_H
#define HEDDLE_ANALYZER_COMMAND_ANALYSIS_H

#include "analyzer/command/print/print.h"
#include "analyzer/command/shared_options.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/pass.h"
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
  bool names_only;                               /* print only the names of programs, not their command lines, for
                                                  * pages */
};

/*
 * A command that looks at an archive. The usual one names its analysis, and prints the result; others do work() in
 * place of both. Functions may be NULL.
 */
struct look {
  size_t options_size; /* of the command's own options */
  const void *usual;   /* what these are before they are read; NULL: zeros */
  /* After the last option: checks that the options go together. Returns -1 to go on, else the exit status. */
  int (*check)(const void *own, const char *command);
  /* Takes operands that are no archive; `run` has neither trace, pool nor print yet. Returns -1 to go on, else the exit
   * status. */
  int (*instead)(const struct analysis_run *run, unsigned jobs, const void *own);
  const struct analysis *analysis; /* with its usual options */
  /* Prints its result. False: out of memory. */
  bool (*print)(const struct analysis_run *run, const void *result, const void *own);
  /* Analyzes and prints. False: an error. */
  bool (*work)(const struct analysis_run *run, const void *own, struct error *error);
  /* The same of a profile, which has no events (analyzer/live/profile). NULL: the command needs events. */
  bool (*work_on_profile)(const struct analysis_run *run, const void *own, struct error *error);
  bool jvm_threads;  /* with the JVM's own threads, asked for or not */
  bool leads_to_why; /* answers one question of several: text ends with the command that ranks all causes */
};

/* False: the archive is a profile, which has no events. */
bool analysis_has_events(const struct trace *trace, struct error *error);

/* Parts of a struct command: the options behind its own ones, and one archive as operand; its `look`. */
#define ANALYSIS_OPTIONS  [OPTIONS_SHARED] = {.list = analysis_options}, RESTRICTION_OPTIONS
#define ANALYSIS_SYNOPSIS "[OPTION]... DIR"
#define ANALYSIS_OPERAND  .operand = OPERAND_ARCHIVE, .least = 1, .most = 1
#define LOOK(...)         .look = &(const struct look){__VA_ARGS__}, .run = look_run

/* The run() of a command that has a `look`. Prints errors on stderr. */
int look_run(const struct command *command, int argc, char **argv);

#endif
