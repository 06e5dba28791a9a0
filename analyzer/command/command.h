/*
 * A command: an entry of the table of commands (analyzer/table.c). The entry says how to read the command line. The
 * help and the completion are printed from it. A test compares the manual pages and docs/README.md with it.
 */
#ifndef HEDDLE_ANALYZER_COMMAND_COMMAND_H
#define HEDDLE_ANALYZER_COMMAND_COMMAND_H

#include "common/raw/statuses.h" /* EXIT_DONE, ... */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of `heddle --help`, in their order. */
enum command_group { COMMAND_RECORD, COMMAND_LOOK, COMMAND_MODEL, COMMAND_COMPARE, COMMAND_EXPORT, COMMAND_GROUPS };

struct command_option;

/* An option on a command line. */
struct option_given {
  const char *command;
  const struct command_option *option;
  char *value; /* NULL: none */
};

/* One option of a command. values.h has functions for the usual ones. */
struct command_option {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* the name of its value; "[=NAME]": the value may be omitted; NULL: `words`, or no value */
  const char *help;     /* a phrase; broken into lines when printed */
  /* Puts the value into the set's structure. Returns -1 to go on, else the exit status, after a message. */
  int (*take)(const struct option_given *given, void *into);
  size_t at;            /* the offset in that structure, for the functions of values.h */
  uint64_t least, most; /* option_number: the bounds; most 0: no upper bound */
  const char *words;    /* the allowed values, separated by |; NULL: any */
};

/* Options whose values go into one structure. */
struct option_set {
  const char *heading;               /* above them in the help; NULL: none */
  const struct command_option *list; /* ends with a name of NULL; NULL: no options */
};

/* Most commands have options of their own, followed by shared options. */
enum { OPTIONS_OWN, OPTIONS_SHARED, OPTIONS_MORE, OPTIONS_PART, OPTION_SETS };

struct look;

struct command {
  const char *name;
  enum command_group group;
  const char *summary;  /* for `heddle --help` */
  const char *synopsis; /* what follows the name: "[OPTION]... DIR" */
  const char *about;    /* the first lines of the help, each with \n */
  const char *notes;    /* the last lines of the help; NULL: none */
  const char *operand;  /* the operands, for messages: "one sequence"; NULL: the command checks them itself */
  int least, most;      /* how many operands; most 0: any number */
  int stops_at_operand; /* 1: options behind the first operand are not this command's */
  struct option_set options[OPTION_SETS]; /* --help is added to them */
  const struct look *look;                /* of look_run() (analysis.h); else NULL */
  /* argv[0] is the command's name. Returns the exit status. */
  int (*run)(const struct command *command, int argc, char **argv);
};

/*
 * Reads the options; into[i] is the structure of options[i]. The operands begin at argv[optind]. Returns -1 to go on,
 * else the exit status: after --help, or after a message about a mistake.
 */
int command_take(const struct command *command, void *const into[OPTION_SETS], int argc, char **argv);

/* Prints the help of a command; returns the exit status. */
int command_help(const struct command *command);

/* Prints the commands by group. */
void command_list(const struct command *const *commands, size_t count);

/*
 * Prints the words that the last word can become, one a line, for the completion of a shell. The words before it are a
 * command and its arguments. Prints nothing if the word is a file or free text. Returns the exit status.
 */
int command_complete(const struct command *const *commands, size_t count, int words, char **word);

/* The value of an option in the help: its argument or its words. NULL: it has no value. */
const char *command_option_value(const struct command_option *option);

/* A line on stderr: "heddle COMMAND: message", escaped. */
__attribute__((format(printf, 2, 3))) void command_error(const char *command, const char *format, ...);

/* The same, followed by "; see `heddle COMMAND --help`"; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage(const char *command, const char *format, ...);

/* The same for a message that may be empty. Nothing is printed then, because the reason is on stderr already. */
void command_failed(const char *command, const char *message);

/* Flushes stdout. Returns the exit status, after a message if the output cannot be written. */
int command_printed(void);

/* The progress of a long command: one line on stderr, if that is a terminal. The line disappears at the end. */
struct progress {
  const char *command;
  unsigned step, steps;
  bool shown;
};

/* `steps`: the number of calls of progress_step() that follow. */
struct progress progress_begin(const char *command, unsigned steps);

/* Shows the next step: "heddle report: 3 of 10: imbalance". Always true, so that && can join it with the steps. */
bool progress_step(struct progress *progress, const char *what);

/* Removes the line. Must precede any other output on stderr. */
void progress_end(struct progress *progress);

#endif
