#include "common/recorder/counter_list.h"

#include <stdlib.h>
#include <string.h>

/* A number up to the next colon or comma, or the end; *at moves there. */
static bool read_number(const char **at, int base, uint64_t *number)
{
  char *end;
  size_t digits = strspn(*at, base == 16 ? "0123456789abcdef" : "0123456789");
  if (digits == 0 || digits > 16)
    return false;
  *number = strtoull(*at, &end, base);
  *at = end;
  return true;
}

static bool skip_colon(const char **at)
{
  return *(*at)++ == ':';
}

static bool read_event(struct counter *counter, const char **at)
{
  uint64_t type, excluded;
  if (!read_number(at, 16, &type) || !skip_colon(at) || !read_number(at, 16, &counter->number) || !skip_colon(at) ||
      !read_number(at, 10, &excluded))
    return false;
  counter->type = (uint32_t)type;
  counter->excluded = (unsigned)excluded;
  return type <= UINT32_MAX && excluded < (COUNTER_NO_USER | COUNTER_NO_KERNEL);
}

/* What follows a name and its equals sign. */
static bool read_counter(struct counter *counter, const char **at)
{
  counter->source = (enum counter_source)(unsigned char)*(*at)++;
  if (counter->source != COUNTER_PERF && counter->source != COUNTER_USAGE && counter->source != COUNTER_CLOCK &&
      counter->source != COUNTER_TEST)
    return false;
  if (!skip_colon(at))
    return false;
  if (counter->source == COUNTER_PERF)
    return read_event(counter, at);
  return read_number(at, 10, &counter->number) &&
         (counter->source != COUNTER_USAGE || counter->number < COUNTER_USAGES);
}

bool counter_list_read(struct counter_list *counters, const char *text)
{
  *counters = (struct counter_list){.count = 0};
  for (;;) {
    size_t name = strcspn(text, "=,");
    if (name == 0 || text[name] != '=' || counters->count == COUNTERS_MOST)
      return false;
    text += name + 1;
    if (!read_counter(&counters->list[counters->count], &text))
      return false;
    counters->count++;
    if (*text == '\0')
      return true;
    if (*text++ != ',')
      return false;
  }
}
