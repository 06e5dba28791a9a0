#include "analyzer/command/values.h"

#include "base/count_of.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Reads digits from *at on, as far as `end`. */
static bool read_number(const char **at, const char *end, uint32_t *number)
{
  const char *begin = *at;
  uint64_t value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
    value = 10 * value + (uint64_t)(**at - '0');
    if (value >= UINT32_MAX)
      return false;
  }
  *number = (uint32_t)value;
  return *at > begin;
}

bool number_range_read(const char *text, size_t length, struct number_range *range)
{
  const char *at = text, *end = text + length;
  if (!read_number(&at, end, &range->first))
    return false;
  range->last = range->first;
  if (at < end && *at == '-') {
    at++;
    if (!read_number(&at, end, &range->last))
      return false;
  }
  return at == end && range->first <= range->last;
}

bool list_next(const char **at, const char **word, size_t *length)
{
  if (!*at)
    return false;
  *word = *at;
  *length = strcspn(*at, ",");
  *at = (*at)[*length] == ',' ? *at + *length + 1 : NULL;
  return true;
}

enum { DIGITS_MAX = 18 }; /* so that digits * ticks a second fit into 128 bits */

static const struct {
  const char *name;
  uint64_t to_second; /* so many make a second */
} units[] = {[TIME_S] = {"s", 1},
             [TIME_MS] = {"ms", 1000},
             [TIME_US] = {"us", 1000000},
             [TIME_NS] = {"ns", 1000000000},
             [TIME_PERCENT] = {"%", 100}};

bool time_word_read(const char *text, struct time_word *word)
{
  unsigned digits = 0;
  bool point = false;
  *word = (struct time_word){.unit = TIME_S};
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
    if (*text == '.') {
      point = true;
      continue;
    }
    if (++digits > DIGITS_MAX)
      return false;
    word->digits = 10 * word->digits + (uint64_t)(*text - '0');
    word->decimals += point;
  }
  if (digits == 0)
    return false;
  for (size_t i = 0; *text && i < COUNT_OF(units); i++) {
    if (strcmp(text, units[i].name) == 0) {
      word->unit = (enum time_unit)i;
      return true;
    }
  }
  return *text == '\0';
}

uint64_t time_word_ticks(const struct time_word *word, uint64_t ticks_per_second, uint64_t length)
{
  unsigned __int128 part = units[word->unit].to_second;
  for (unsigned i = 0; i < word->decimals; i++)
    part *= 10;
  unsigned __int128 ticks = word->digits;
  ticks *= word->unit == TIME_PERCENT ? length : ticks_per_second;
  ticks = ticks / part + (ticks % part >= part - part / 2);
  return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

bool time_word_ns(const char *text, uint64_t *ns)
{
  struct time_word word;
  if (!time_word_read(text, &word) || word.unit == TIME_PERCENT || word.digits == 0)
    return false;
  *ns = time_word_ticks(&word, 1000000000u, 0);
  return true;
}

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
