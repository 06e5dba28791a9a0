#include "analyzer/command/number_list.h"

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
