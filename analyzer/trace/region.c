#include "analyzer/trace/region.h"

#include "common/raw/archive_names.h"

#include <string.h>

static bool begins(const char *text, const char *begin)
{
  return strncmp(text, begin, strlen(begin)) == 0;
}

bool trace_region_begins(const struct trace_region *region, const char *begin)
{
  return begins(region->name, begin);
}

bool trace_region_is_directive(const struct trace_region *region, const char *name)
{
  const size_t mark = sizeof NAME_OMP - 1;
  _Static_assert(sizeof NAME_OMP == sizeof NAME_OMP_JAVA, "both marks have the same length");
  return (begins(region->name, NAME_OMP) || begins(region->name, NAME_OMP_JAVA)) &&
         begins(region->name + mark, name + mark);
}

const char *trace_region_fact(const struct trace_region *region, const char *key)
{
  size_t length = strlen(key);
  const char *at = region->description;
  while (at && !(strncmp(at, key, length) == 0 && begins(at + length, ": "))) {
    at = strstr(at, "; ");
    at = at ? at + 2 : NULL;
  }
  return at ? at + length + 2 : NULL;
}

bool trace_region_says(const struct trace_region *region, const char *key, const char *value)
{
  const char *at = trace_region_fact(region, key);
  return at && begins(at, value) && (at[strlen(value)] == '\0' || at[strlen(value)] == ';');
}

static bool is(const char *text, const char *other, size_t size)
{
  return strlen(text) == size && memcmp(text, other, size) == 0;
}

/* Whether a path ends with a file's name. */
static bool is_in_file(const struct trace_region *region, const char *file, size_t size)
{
  size_t length = strlen(region->file);
  return length >= size && memcmp(region->file + length - size, file, size) == 0 &&
         (length == size || region->file[length - size - 1] == '/');
}

static uint64_t take_number(const char **at, const char *end)
{
  uint64_t number = 0;
  for (; *at < end && **at >= '0' && **at <= '9' && number <= UINT32_MAX; (*at)++)
    number = number * 10 + (uint64_t)(**at - '0');
  return number;
}

bool trace_region_is_at(const struct trace_region *region, const char *place, size_t size)
{
  if (is(region->name, place, size) || is(region->function, place, size) || is_in_file(region, place, size))
    return size > 0;
  const char *colon = memrchr(place, ':', size), *at = colon ? colon + 1 : NULL, *end = place + size;
  if (!colon || at == end || *at < '0' || *at > '9')
    return false;
  uint64_t first = take_number(&at, end), last = first;
  if (at < end && *at++ == '-')
    last = take_number(&at, end);
  return at == end && region->line >= first && region->line <= last &&
         is_in_file(region, place, (size_t)(colon - place));
}
