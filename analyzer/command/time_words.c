#include "analyzer/command/time_words.h"

#include "base/count_of.h"

#include <stddef.h>
#include <string.h>

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
