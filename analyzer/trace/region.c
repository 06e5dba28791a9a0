#include "analyzer/trace/region.h"

#include "common/archive_names.h"

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
