#include "analyzer/models/transforms/arguments.h"

#include "base/count_of.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static bool read_quoted(const char **at, char **to, struct error *error)
{
  const char *from = *at + 1;
  for (; *from != '"'; from++) {
    if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
      from++;
    if (*from == '\0')
      return error_set(error, "the quotation mark before %s is not closed", *at + 1);
    *(*to)++ = *from;
  }
  *at = from + 1;
  return true;
}

char *words_next(const char **at, const char *stops, struct error *error)
{
  while (is_blank(**at))
    ++*at;
  char *word = malloc(strlen(*at) + 1);
  char *to = word;
  char *least = to; /* what is behind a closing quotation mark can be cut off, what is before it can't */
  if (!word) {
    error_set(error, "out of memory");
    return NULL;
  }
  while (**at && !strchr(stops, **at)) {
    if (**at != '"') {
      *to++ = *(*at)++;
      continue;
    }
    if (!read_quoted(at, &to, error)) {
      free(word);
      return NULL;
    }
    least = to;
  }
  while (to > least && is_blank(to[-1]))
    to--;
  *to = '\0';
  if (to == word) {
    free(word);
    if (**at)
      error_set(error, "a word is missing before `%c`", **at);
    else
      error_set(error, "a word is missing at the end");
    return NULL;
  }
  return word;
}

bool words_list(const char **at, char separator, char end, size_t most, struct words *words, struct error *error)
{
  const char stops[] = {separator, end, '\0'};
  *words = (struct words){0};
  for (;;) {
    char *word = words_next(at, stops, error);
    if (!word)
      return false;
    if (!vector_push(&words->list, word)) {
      free(word);
      return error_set(error, "out of memory");
    }
    if (words->list.count > most)
      return error_set(error, "there are more than %zu names", most);
    if (**at != separator)
      break;
    ++*at;
  }
  return true;
}

bool words_expect(const char **at, char stop, struct error *error)
{
  if (**at != stop)
    return error_set(error, "`%c` is missing", stop);
  ++*at;
  return true;
}

void words_free(struct words *words)
{
  for (size_t i = 0; i < words->list.count; i++)
    free(words->list.items[i]);
  vector_free(&words->list);
}

bool words_number(const char *word, uint64_t *number)
{
  uint64_t value = 0;
  if (!*word)
    return false;
  for (; *word; word++)
    if (*word < '0' || *word > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *word - '0', &value))
      return false;
  *number = value;
  return true;
}

bool words_pair(const char *text, char **first, char **second, struct error *error)
{
  *first = strdup(text);
  if (!*first)
    return error_set(error, "out of memory");
  *second = strchr(*first, ',');
  if (!*second || strchr(*second + 1, ',')) {
    free(*first);
    *first = NULL;
    return error_set(error, "give two numbers with a comma between them");
  }
  *(*second)++ = '\0';
  return true;
}

enum { DIGITS_MAX = 18, DECIMALS_MAX = 9 };

static const struct {
  const char *name;
  enum quantity_unit unit;
  uint64_t divisor;
} units[] = {{"", QUANTITY_PLAIN, 1},
             {"%", QUANTITY_PERCENT, 100},
             {"ticks", QUANTITY_TICKS, 1},
             {"s", QUANTITY_SECONDS, 1},
             {"ms", QUANTITY_SECONDS, 1000},
             {"us", QUANTITY_SECONDS, 1000000},
             {"ns", QUANTITY_SECONDS, 1000000000}};

bool quantity_parse(const char *text, struct quantity *quantity, struct error *error)
{
  const char *at = text;
  unsigned digits = 0, decimals = 0;
  bool point = false;
  *quantity = (struct quantity){.divisor = 1};
  for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
    if (*at == '.') {
      point = true;
      continue;
    }
    decimals += point;
    digits += digits > 0 || *at != '0'; /* zeros in front don't count */
    if (digits > DIGITS_MAX || decimals > DECIMALS_MAX)
      return error_set(error, "%s has too many digits: at most %d in all and %d after the point", text, DIGITS_MAX,
                       DECIMALS_MAX);
    quantity->mantissa = 10 * quantity->mantissa + (uint64_t)(*at - '0');
    quantity->divisor *= point ? 10 : 1;
  }
  if (at == text || (point && at == text + 1))
    return error_set(error, "%s is not a number", *text ? text : "nothing");
  at += *at == ' ';
  for (size_t i = 0; i < COUNT_OF(units); i++) {
    if (strcmp(at, units[i].name) == 0) {
      quantity->unit = units[i].unit;
      quantity->divisor *= units[i].divisor;
      return true;
    }
  }
  return error_set(error, "%s: the unit is unknown; give %%, ticks, ns, us, ms or s", text);
}

bool quantity_scale(const struct quantity *quantity, uint64_t whole, uint64_t ticks_per_second, uint64_t *scale,
                    struct error *error)
{
  *scale = quantity->unit == QUANTITY_TICKS ? 1 : quantity->unit == QUANTITY_SECONDS ? ticks_per_second : whole;
  if (quantity->unit == QUANTITY_SECONDS && ticks_per_second == 0)
    return error_set(error, "the length of a tick is unknown; give ticks or a percentage");
  return true;
}

typedef unsigned __int128 wide;

bool quantity_exceeds(const struct quantity *quantity, uint64_t scale, uint64_t ticks)
{
  return (wide)ticks * quantity->divisor < (wide)quantity->mantissa * scale;
}

static uint64_t clamp(wide ticks)
{
  return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

uint64_t quantity_floor(const struct quantity *quantity, uint64_t scale)
{
  return clamp((wide)quantity->mantissa * scale / quantity->divisor);
}

uint64_t quantity_ceiling(const struct quantity *quantity, uint64_t scale)
{
  return clamp(((wide)quantity->mantissa * scale + quantity->divisor - 1) / quantity->divisor);
}
