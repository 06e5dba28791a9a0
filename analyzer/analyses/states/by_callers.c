#include "analyzer/analyses/states/by_callers.h"

bool by_callers_take(struct by_callers *waits, const struct trace *trace, const struct trace_event *event,
                     struct callers *into)
{
  if (event->kind == TRACE_Enter && event->index != TRACE_NONE) {
    const char *callers = trace_attribute_text(trace, event, trace->callers);
    struct by_callers_open begun = {event->index, callers, event->time};
    return !callers || vector_push(&waits->open, begun);
  }
  if (event->kind != TRACE_Leave || waits->open.count == 0)
    return true;
  const struct by_callers_open *innermost = &waits->open.items[waits->open.count - 1];
  if (innermost->region != event->index)
    return true;
  waits->open.count--;
  return callers_add(into, 0, innermost->region, innermost->callers, event->time - innermost->since);
}

void by_callers_free(struct by_callers *waits)
{
  vector_free(&waits->open);
}
