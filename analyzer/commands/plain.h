/*
 * The frame of commands that read files which are no archives, `heddle COMMAND [OPTION]... FILE...`: it takes the
 * options that all of them have and hands over the command's own.
 */
#ifndef HEDDLE_ANALYZER_COMMANDS_PLAIN_H
#define HEDDLE_ANALYZER_COMMANDS_PLAIN_H

#include "analyzer/commands/command.h"
#include "analyzer/print/print.h"

/* For the command's list of options, and the end of its help. */
#define PLAIN_OPTIONS                                                                                                  \
  {"json", no_argument, NULL, OPTION_JSON}, {"csv", no_argument, NULL, OPTION_CSV}, {"help", no_argument, NULL, 'h'}
#define PLAIN_OPTIONS_HELP                                                                                             \
  "  --json         JSON instead of text\n"                                                                            \
  "  --csv          CSV instead of text\n"                                                                             \
  "  -h, --help     this text\n"

struct plain {
  const char *help;
  const struct option *options; /* PLAIN_OPTIONS and its own; ends with zeros */
  const char *operands;         /* what is to be given: "a model" */
  int least, most;              /* how many operands; most 0: any number */
  /* Takes an own option, whose value is in optarg. Returns -1 to go on, else the exit status. */
  int (*take)(void *own, const char *command, int code);
};

/* Reads all options; the operands are argv[optind] and on. Returns -1 to go on, else the exit status. */
int plain_options(const struct plain *plain, void *own, enum print_format *format, int argc, char **argv);

/* A whole number from least to most as an option's value. False: it is none. */
bool plain_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/* A number that is finite and not negative. */
bool plain_real(const char *text, double *number);

#endif
