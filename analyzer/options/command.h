/*
 * What a command is: an entry of the table of commands (commands/table.c). Its command line is read by the entry; its
 * help and the completion are printed from it; the manual pages and the index of the README are held to it by a test.
 */
#ifndef HEDDLE_ANALYZER_OPTIONS_COMMAND_H
#define HEDDLE_ANALYZER_OPTIONS_COMMAND_H

#include "common/statuses.h" /* EXIT_DONE, ... */

#include <stddef.h>
#include <stdint.h>

/* The parts of `heddle --help`, in their order. */
enum command_group { COMMAND_RECORD, COMMAND_LOOK, COMMAND_MODEL, COMMAND_COMPARE, COMMAND_EXPORT, COMMAND_GROUPS };

struct command_option;

/* An option as it stands on a command line. */
struct option_given {
  const char *command;
  const struct command_option *option;
  char *value; /* NULL: none */
};

/* One option of a command. values.h has what takes the usual ones. */
struct command_option {
  const char *name;
  char letter;          /* 0: none */
  const char *argument; /* what its value is called; "[=NAME]": it may be left out; NULL: `words`, or it has no value */
  const char *help;     /* broken into lines when it is printed, and where it has \n */
  /* Puts it into the set's structure. Returns -1 to go on, else the exit status, after saying what is wrong. */
  int (*take)(const struct option_given *given, void *into);
  size_t at;            /* where in that structure, for the functions of values.h */
  uint64_t least, most; /* option_number: the bounds; most 0: none */
  const char *words;    /* the values that there are, with | between; NULL: any */
};

/* Options whose values go into one structure. */
struct option_set {
  const char *heading;               /* in the help, above them; NULL: none */
  const struct command_option *list; /* ends with a name of NULL; NULL: no options */
};

/* Most commands have options of their own, and behind them those that they share with others. */
enum { OPTIONS_OWN, OPTIONS_SHARED, OPTIONS_MORE, OPTIONS_PART, OPTION_SETS };

struct command {
  const char *name;
  enum command_group group;
  const char *summary;  /* for `heddle --help` */
  const char *synopsis; /* what follows the name: "[OPTION]... DIR" */
  const char *about;    /* the help's first lines, each with \n */
  const char *notes;    /* the help's last lines; NULL: none */
  const char *operand;  /* what is to be given, for messages: "one sequence"; NULL: the command looks itself */
  int least, most;      /* how many of them; most 0: any number */
  int stops_at_operand; /* 1: what follows the first operand is no option of this command */
  struct option_set options[OPTION_SETS]; /* --help is added to them */
  /* argv[0] is the command's name. Returns the exit status. */
  int (*run)(const struct command *command, int argc, char **argv);
};

/*
 * Reads the options; into[i] is the structure of options[i]. The operands are argv[optind] and on. Returns -1 to go on,
 * else the exit status: of --help, or of a mistake, which it has said.
 */
int command_take(const struct command *command, void *const into[OPTION_SETS], int argc, char **argv);

/* Prints the help of a command; returns the exit status. */
int command_help(const struct command *command);

/* Prints the commands by group. */
void command_list(const struct command *const *commands, size_t count);

/*
 * For a shell's completion: prints what the last word can become, each on a line; the words before it are a command and
 * what follows the command. Nothing where that is a file, or anything. Returns the exit status.
 */
int command_complete(const struct command *const *commands, size_t count, int words, char **word);

/* The value of an option, as the help shows it: its argument or its words. NULL: it has none. */
const char *command_option_value(const struct command_option *option);

/* A line on stderr: "heddle COMMAND: message", escaped. */
__attribute__((format(printf, 2, 3))) void command_error(const char *command, const char *format, ...);

/* The same with "; see `heddle COMMAND --help`" behind it; returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3))) int command_usage(const char *command, const char *format, ...);

/* Ends what was printed to stdout; returns the exit status, and says why if it could not be written. */
int command_printed(void);

#endif
