#include "analyzer/trace/thread_ids.h"

#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

bool thread_ids_set(struct hash *threads, uint64_t process, uint64_t id, uint32_t location)
{
  return hash_put(threads, process << 32 | (uint32_t)id, location);
}

bool thread_ids_of_java(struct hash *threads, const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_JAVA_ID) != 0)
      continue;
    uint64_t process = trace->locations[property->index].process;
    if (!thread_ids_set(threads, process, strtoull(property->value, NULL, 10), property->index))
      return false;
  }
  return true;
}

bool thread_ids_of_kernel(struct hash *threads, const struct trace *trace)
{
  for (uint32_t i = 0; i < trace->property_count; i++) {
    const struct trace_property *property = &trace->properties[i];
    if (property->owner != TRACE_OF_LOCATION || strcmp(property->name, LOCATION_TID) != 0)
      continue;
    uint64_t in = (uint64_t)trace->locations[property->index].process << 32;
    uint64_t key = in | (uint32_t)strtoull(property->value, NULL, 10), *known = hash_find(threads, key);
    if (known)
      *known = TRACE_NONE;
    else if (!hash_add(threads, key, property->index))
      return false;
  }
  return true;
}

uint32_t thread_ids_find(const struct hash *threads, uint64_t process, uint64_t id)
{
  const uint64_t *thread = id == 0 ? NULL : hash_find(threads, process << 32 | (uint32_t)id);
  return thread ? (uint32_t)*thread : TRACE_NONE;
}
