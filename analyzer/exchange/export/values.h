/* Private to export/: attributes of the program's events, and callers of waits, which come before the Enter that they
 * belong to. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_EXPORT_VALUES_H
#define HEDDLE_ANALYZER_EXCHANGE_EXPORT_VALUES_H

#include "analyzer/trace/attributes.h"
#include "base/vector.h"

/* By location: those of the next Enter. */
struct values_waiting {
  VECTOR(struct trace_value) * lists;
  uint32_t count; /* of locations */
};

static inline bool values_open(struct values_waiting *waiting, const struct trace *trace)
{
  waiting->count = trace->location_count;
  waiting->lists = calloc((size_t)trace->location_count + 1, sizeof *waiting->lists);
  return waiting->lists != NULL;
}

static inline void values_close(struct values_waiting *waiting)
{
  for (uint32_t i = 0; waiting->lists && i < waiting->count; i++)
    vector_free(&waiting->lists[i]);
  free(waiting->lists);
}

#endif
