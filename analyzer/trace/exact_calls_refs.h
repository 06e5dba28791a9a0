/* Inside of exact_calls*.c: what the numbers in the archive mean. */
#ifndef HEDDLE_ANALYZER_TRACE_EXACT_CALLS_REFS_H
#define HEDDLE_ANALYZER_TRACE_EXACT_CALLS_REFS_H

#include "analyzer/trace/ref_map.h"
#include "common/archive_names.h"

enum exact_calls_attribute {
#define X(constant, ...) EXACT_##constant,
  CALL_ATTRIBUTES(X)
#undef X
      EXACT_DURATION /* + the power of two */
};

/* Indices of the arrays in struct exact_calls, and attributes (enum exact_calls_attribute), by reference. */
struct exact_calls_refs {
  struct ref_map context_of, line_of, attribute_of;
  char **strings;
  uint32_t string_count;
};

#endif
