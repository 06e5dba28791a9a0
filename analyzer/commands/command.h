/* What the commands share. A command is `int command_<name>(int argc, char **argv)`, argv[0] its own name. */
#ifndef HEDDLE_ANALYZER_COMMANDS_COMMAND_H
#define HEDDLE_ANALYZER_COMMANDS_COMMAND_H

#include "analyzer/commands/list.h"
#include "analyzer/print/print.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pool.h"

#include <getopt.h>

enum { EXIT_DONE = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

#define X(name, summary) int command_##name(int argc, char **argv);
HEDDLE_COMMANDS(X)
#undef X

/* A line on stderr: "heddle COMMAND: message", escaped. */
__attribute__((format(printf, 2, 3))) void command_error(const char *command, const char *format, ...);

/* The same with "; see `heddle COMMAND --help`" behind it; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage(const char *command, const char *format, ...);

/* Says which option is wrong after getopt_long() returned '?' or ':' (opterr must be 0); returns EXIT_USAGE. */
int command_bad_option(char **argv, int code);

/* Options that all analyses have; commands put COMMAND_OPTIONS into their list and hand what they don't know here. */
enum { OPTION_JSON = 1000, OPTION_CSV, OPTION_FIRST_OWN };
#define COMMAND_OPTIONS                                                                                                \
  {"json", no_argument, NULL, OPTION_JSON}, {"csv", no_argument, NULL, OPTION_CSV}, {"help", no_argument, NULL, 'h'},  \
      {"jobs", required_argument, NULL, 'j'}
#define COMMAND_OPTIONS_HELP                                                                                           \
  "  --json         JSON instead of text\n"                                                                            \
  "  --csv          CSV instead of text\n"                                                                             \
  "  -j, --jobs N   threads to read with (default: one a processor)\n"                                                 \
  "  -h, --help     this text\n"

struct command_options {
  const char *path; /* the archive */
  enum print_format format;
  unsigned jobs; /* 0: one a processor */
};

/* Takes one of COMMAND_OPTIONS. Returns -1 to go on, else the exit status. */
int command_common_option(struct command_options *options, char **argv, int code, const char *help);

/* Takes the one operand that is left, DIR. Returns -1 to go on, else the exit status. */
int command_operand(struct command_options *options, int argc, char **argv);

/* An analysis at work: the archive, the threads to read it with, the document to print. */
struct command_run {
  const char *name;
  struct trace *trace;
  struct pool *pool;
  struct print *print;
};

/* Opens the archive, then the document on stdout. False: it has said why. */
bool command_begin(struct command_run *run, const char *name, const struct command_options *options);

/* Closes everything; returns the exit status. `good`: whether the work was done. */
int command_end(struct command_run *run, bool good, const struct trace_error *error);

#endif
