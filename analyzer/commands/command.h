/* What all commands share. A command is `int command_<name>(int argc, char **argv)`, argv[0] its own name. */
#ifndef HEDDLE_ANALYZER_COMMANDS_COMMAND_H
#define HEDDLE_ANALYZER_COMMANDS_COMMAND_H

#include "analyzer/commands/list.h"

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

/* Ends what was printed to stdout; returns the exit status, and says why if it could not be written. */
int command_printed(void);

/* Prints the help of a command; returns the exit status. */
int command_help(const char *help);

/* What getopt_long() returns for long options that have no letter. */
enum { OPTION_JSON = 1000, OPTION_CSV, OPTION_FIRST_OWN };

#endif
