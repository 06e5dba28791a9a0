/* Inside of exact_calls*.c: what attributes mean. */
#ifndef HEDDLE_ANALYZER_TRACE_EXACT_CALLS_REFS_H
#define HEDDLE_ANALYZER_TRACE_EXACT_CALLS_REFS_H

#include "common/raw/archive_names.h"

enum exact_calls_attribute {
#define X(constant, ...) EXACT_##constant,
  CALL_ATTRIBUTES(X)
#undef X
      EXACT_DURATION /* + the power of two */
};

#endif
