#include "analyzer/states/list.h"

#include "analyzer/trace/scan.h"

#include <stdlib.h>

struct list {
  state_sink *sink;
  void *context;
  struct machine *machine;
  struct trace_error *error;
  struct state_interval held; /* may go on in the next interval; empty at the beginning */
};

static void join_interval(void *context, const struct state_interval *interval)
{
  struct list *list = context;
  struct state_interval *held = &list->held;
  bool same = held->state == interval->state && held->construct == interval->construct;
  if (held->end > held->start && same) {
    held->end = interval->end;
    return;
  }
  if (held->end > held->start)
    list->sink(list->context, held);
  *held = *interval;
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct list *list = context;
  return machine_event(list->machine, event, list->error);
}

bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context,
                 struct trace_error *error)
{
  struct list list = {.sink = sink, .context = context, .error = error};
  uint8_t *rules = machine_rules(trace);
  list.machine = rules ? machine_create(trace, location, rules, join_interval, &list) : NULL;
  if (!list.machine) {
    free(rules);
    return trace_fail(error, "%s: out of memory", trace->anchor);
  }
  uint64_t events;
  bool good =
      trace_scan_location(trace, location, take_event, &list, &events, error) && machine_end(list.machine, error);
  if (good && list.held.end > list.held.start)
    sink(context, &list.held);
  machine_destroy(list.machine);
  free(rules);
  return good;
}
