#include "analyzer/trace/exact_calls.h"

#include "analyzer/trace/exact_calls_refs.h"

#include <stdlib.h>
#include <string.h>

/* REF_MAP_NONE: it is none of ours. */
static uint32_t attribute_named(const char *name)
{
  static const char *const names[] = {
#define EXACT_CALLS_X(constant, name, ...) [EXACT_##constant] = name,
      CALL_ATTRIBUTES(EXACT_CALLS_X)
#undef EXACT_CALLS_X
  };
  for (uint32_t i = 0; i < EXACT_DURATION; i++)
    if (strcmp(name, names[i]) == 0)
      return i;
  if (strncmp(name, NAME_DURATION, strlen(NAME_DURATION)) != 0)
    return REF_MAP_NONE;
  unsigned long power = strtoul(name + strlen(NAME_DURATION), NULL, 10);
  return power < EXACT_CALLS_DURATIONS ? EXACT_DURATION + (uint32_t)power : REF_MAP_NONE;
}

/* False: no memory. */
static bool find_attributes(struct exact_calls *calls)
{
  for (uint32_t i = 0; i < calls->paths->attribute_count; i++) {
    const struct samples_attribute *attribute = &calls->paths->attributes[i];
    uint32_t meaning = attribute_named(attribute->name);
    if (meaning != REF_MAP_NONE && !ref_map_set(&calls->attribute_of, attribute->ref, meaning))
      return false;
  }
  return true;
}

static uint64_t count_of(const struct trace *trace, const char *name)
{
  const char *value = trace_property(trace, TRACE_OF_ARCHIVE, 0, name);
  return value ? strtoull(value, NULL, 10) : 0;
}

static void count(struct exact_calls *calls, const struct trace *trace)
{
  calls->full = count_of(trace, ARCHIVE_CALLS_FULL);
  calls->deep = count_of(trace, ARCHIVE_CALLS_DEEP);
  calls->skipped = count_of(trace, ARCHIVE_CALLS_SKIPPED);
  calls->left = count_of(trace, ARCHIVE_CALLS_LEFT);
  calls->unmatched = count_of(trace, ARCHIVE_CALLS_UNMATCHED);
  calls->on_virtual = count_of(trace, ARCHIVE_CALLS_ON_VIRTUAL);
  calls->damaged = count_of(trace, ARCHIVE_CALLS_DAMAGED);
}

struct exact_calls *exact_calls_open(const struct trace *trace, bool *none, struct error *error)
{
  *none = trace_property(trace, TRACE_OF_ARCHIVE, 0, ARCHIVE_CALLS) == NULL;
  if (*none)
    return NULL;
  struct exact_calls *calls = calloc(1, sizeof *calls);
  if (!calls) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  count(calls, trace);
  calls->paths = samples_open_named(trace, "calls", error);
  if (calls->paths && (find_attributes(calls) || error_set(error, "%s: out of memory", trace->anchor)))
    return calls;
  exact_calls_close(calls);
  return NULL;
}

void exact_calls_close(struct exact_calls *calls)
{
  if (!calls)
    return;
  samples_close(calls->paths);
  ref_map_free(&calls->attribute_of);
  free(calls);
}
