#include "analyzer/command/command.h"

#include "analyzer/command/print/escape.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_error(const char *command, const char *format, va_list arguments, bool usage)
{
  char *message = NULL;
  if (vasprintf(&message, format, arguments) < 0)
    message = NULL;
  char *escaped = message ? escape_text(message) : NULL, *named = escape_text(command);
  fprintf(stderr, "heddle %s: %s", named ? named : "", escaped ? escaped : "out of memory");
  free(named);
  if (usage)
    fprintf(stderr, "; see `heddle %s --help`", command);
  fputc('\n', stderr);
  free(escaped);
  free(message);
}

void command_error(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, false);
  va_end(arguments);
}

void command_failed(const char *command, const char *message)
{
  if (*message)
    command_error(command, "%s", message);
}

int command_usage(const char *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  put_error(command, format, arguments, true);
  va_end(arguments);
  return EXIT_USAGE;
}

int command_printed(void)
{
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_DONE;
  fprintf(stderr, "heddle: cannot write the output: %s\n", errno ? strerror(errno) : "write error");
  return EXIT_FAULT;
}

/* Reads a command line, by the command's entry in the table; getopt_long() finds the options. */

enum { OPTIONS_MOST = 64, OPTION_FIRST = 1000, OPTION_HELP = OPTION_FIRST + OPTIONS_MOST };

/* The command's options for getopt_long(): the code of a long option is OPTION_FIRST + its index here. */
struct known {
  const struct command_option *options[OPTIONS_MOST];
  void *into[OPTIONS_MOST];
  int count;
  struct option list[OPTIONS_MOST + 2];
  char letters[3 * OPTIONS_MOST + 4];
};

static void know(struct known *known, const struct command_option *option, void *into)
{
  const char *value = command_option_value(option);
  int has = !value ? no_argument : *value == '[' ? optional_argument : required_argument;
  if (option->letter)
    snprintf(known->letters + strlen(known->letters), 3, "%c%s", option->letter, value ? ":" : "");
  known->list[known->count] = (struct option){option->name, has, NULL, OPTION_FIRST + known->count};
  known->options[known->count] = option;
  known->into[known->count++] = into;
}

static void know_all(struct known *known, const struct command *command, void *const *into)
{
  *known = (struct known){.count = 0};
  strcpy(known->letters, command->stops_at_operand ? "+:h" : ":h");
  for (int i = 0; i < OPTION_SETS; i++)
    for (const struct command_option *option = command->options[i].list; option && option->name; option++)
      if (known->count < OPTIONS_MOST)
        know(known, option, into[i]);
  known->list[known->count] = (struct option){"help", no_argument, NULL, OPTION_HELP};
}

/* Reports the wrong option after getopt_long() returned '?' or ':'. */
static int refuse(char **argv, int code)
{
  const char *option = argv[optind - 1];
  bool is_long = strncmp(option, "--", 2) == 0;
  if (code == ':')
    return command_usage(argv[0], "option %s needs a value", option);
  if (optopt != 0 && !is_long)
    return command_usage(argv[0], "unknown option -%c", optopt);
  if (optopt != 0)
    return command_usage(argv[0], "option %.*s takes no value", (int)strcspn(option, "="), option);
  return command_usage(argv[0], "unknown or ambiguous option %s", option);
}

static int take(const struct known *known, const char *command, int code)
{
  int i = 0;
  if (code >= OPTION_FIRST)
    i = code - OPTION_FIRST;
  else
    while (known->options[i]->letter != code)
      i++;
  struct option_given given = {command, known->options[i], optarg};
  return given.option->take(&given, known->into[i]);
}

int command_take(const struct command *command, void *const into[OPTION_SETS], int argc, char **argv)
{
  struct known known;
  int code, status = -1;
  know_all(&known, command, into);
  opterr = 0;
  while (status < 0 && (code = getopt_long(argc, argv, known.letters, known.list, NULL)) != -1)
    status = code == 'h' || code == OPTION_HELP ? command_help(command)
             : code == '?' || code == ':'       ? refuse(argv, code)
                                                : take(&known, argv[0], code);
  if (status >= 0 || !command->operand)
    return status;
  if (argc - optind < command->least)
    return command_usage(argv[0], "give %s", command->operand);
  if (command->most > 0 && argc - optind > command->most)
    return command_usage(argv[0], "give %s (%s is one too many)", command->operand, argv[optind + command->most]);
  return -1;
}

struct progress progress_begin(const char *command, unsigned steps)
{
  return (struct progress){.command = command, .steps = steps, .shown = isatty(STDERR_FILENO) == 1};
}

bool progress_step(struct progress *progress, const char *what)
{
  progress->step++;
  if (progress->shown)
    fprintf(stderr, "\r\033[Kheddle %s: %u of %u: %s", progress->command, progress->step, progress->steps, what);
  return true;
}

void progress_end(struct progress *progress)
{
  if (progress->shown && progress->step > 0)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}
