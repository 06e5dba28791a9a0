#include "analyzer/command/values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *place(const struct option_given *given, void *into)
{
  return (char *)into + given->option->at;
}

int option_flag(const struct option_given *given, void *into)
{
  *(bool *)place(given, into) = true;
  return -1;
}

int option_text(const struct option_given *given, void *into)
{
  *(const char **)place(given, into) = given->value;
  return -1;
}

int option_number(const struct option_given *given, void *into)
{
  const struct command_option *option = given->option;
  if (value_number(given->value, option->least, option->most ? option->most : UINT64_MAX, place(given, into)))
    return -1;
  if (option->most)
    return command_usage(given->command, "--%s %s: give a whole number from %" PRIu64 " to %" PRIu64, option->name,
                         given->value, option->least, option->most);
  return command_usage(given->command, "--%s %s: give a whole number from %" PRIu64 " on", option->name, given->value,
                       option->least);
}

int option_word(const struct option_given *given, void *into)
{
  unsigned number = 0;
  size_t length = strlen(given->value);
  for (const char *word = given->option->words; word; number++) {
    if (strcspn(word, "|") == length && strncmp(word, given->value, length) == 0) {
      *(unsigned *)place(given, into) = number;
      return -1;
    }
    word = strchr(word, '|');
    word = word ? word + 1 : NULL;
  }
  return option_no_word(given);
}

int option_second(const struct option_given *given, void *into)
{
  struct command_option option = *given->option;
  struct option_given word = {given->command, &option, given->value};
  unsigned number;
  option.at = 0;
  int status = option_word(&word, &number);
  if (status < 0)
    *(bool *)place(given, into) = number == 1;
  return status;
}

/* "a|b|c" -> "a, b or c" */
int option_no_word(const struct option_given *given)
{
  char text[256] = "";
  size_t length = 0;
  const char *last = strrchr(given->option->words, '|');
  for (const char *at = given->option->words; *at && length + 5 < sizeof text; at++) {
    const char *put = *at != '|' ? (char[]){*at, '\0'} : at == last ? " or " : ", ";
    strcpy(text + length, put);
    length += strlen(put);
  }
  return command_usage(given->command, "--%s%s%s: give %s", given->option->name,
                       given->option->argument && *given->option->argument == '[' ? "=" : " ", given->value, text);
}

bool value_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

bool value_real(const char *text, double *number)
{
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*number) && *number >= 0;
}
