#include "analyzer/analyses/states/list.h"

struct list {
  state_sink *sink;
  void *context;
  struct state_interval held; /* may continue in the next interval; empty before the first one */
};

static void join_interval(void *lane, const struct state_interval *interval)
{
  struct list *list = lane;
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

bool states_list(const struct trace *trace, uint32_t location, state_sink *sink, void *context, struct error *error)
{
  struct list list = {.sink = sink, .context = context};
  const struct subscriber subscriber = {.context = &list, .interval = join_interval}; /* it is the only lane */
  const struct subscriber *subscribers[] = {&subscriber};
  bool good = pass_location(trace, location, subscribers, 1, error);
  if (good && list.held.end > list.held.start)
    sink(context, &list.held);
  return good;
}
