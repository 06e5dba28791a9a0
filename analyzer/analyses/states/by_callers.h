/* Private to survey/: one location's waits by the methods that called them, where the trace has callers. */
#ifndef HEDDLE_ANALYZER_ANALYSES_STATES_BY_CALLERS_H
#define HEDDLE_ANALYZER_ANALYSES_STATES_BY_CALLERS_H

#include "analyzer/analyses/waits/callers/callers.h"
#include "analyzer/trace/stream.h"

struct by_callers_open {
  uint32_t region;
  const char *callers;
  uint64_t since;
};

struct by_callers {
  VECTOR(struct by_callers_open) open; /* waits that have callers, the innermost last */
};

/* Takes the next event; a wait counts when it ends. False: no memory. */
bool by_callers_take(struct by_callers *waits, const struct trace *trace, const struct trace_event *event,
                     struct callers *into);
void by_callers_free(struct by_callers *waits);

#endif
