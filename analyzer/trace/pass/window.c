#include "analyzer/trace/pass/window.h"

#include <string.h>

/* An Enter or Leave that stands for a region that is open at a border. */
struct border {
  const struct lanes *lanes;
  struct trace_event event;
};

static bool take_border(void *context, uint32_t region)
{
  struct border *border = context;
  border->event.index = region;
  for (unsigned i = 0; i < border->lanes->event_count; i++) {
    const struct lanes_event *to = &border->lanes->events[i];
    if (to->borders && !to->take(to->lane, &border->event))
      return false;
  }
  return true;
}

/* The first event that is not before the stretch comes next. */
static bool begin(struct lanes *lanes)
{
  struct border border = {lanes, {.time = lanes->trace->restriction.from, .kind = TRACE_Enter, .weight = 1}};
  lanes->inside = true;
  if (!lanes->machine)
    return true;
  lanes->location.at_border = true;
  bool good = machine_visit_entered(lanes->machine, take_border, &border);
  lanes->location.at_border = false;
  return good;
}

/*
 * An event behind the stretch: the location lives through all of it. Only the machine takes the event, as long as it
 * must decide a state of the stretch; then no more is read.
 */
static bool take_behind(struct lanes *lanes, const struct trace_event *event)
{
  struct border border = {lanes, {.time = lanes->trace->restriction.to, .kind = TRACE_Leave, .weight = 1}};
  if (!lanes->location.cut) {
    lanes->location.cut = lanes->location.at_border = true;
    if (lanes->machine && !machine_visit_leaving(lanes->machine, take_border, &border))
      return false;
    lanes->location.at_border = false;
  }
  if (lanes->machine && !machine_event(lanes->machine, event, lanes->error))
    return false;
  if (lanes->machine && !machine_is_decided(lanes->machine))
    return true;
  trace_stream_stop(lanes->stream);
  return false;
}

bool pass_window_take_event(void *context, const struct trace_event *event)
{
  struct lanes *lanes = context;
  const struct trace_restriction *restriction = &lanes->trace->restriction;
  if (event->time >= restriction->from && !lanes->inside && !begin(lanes))
    return false;
  if (event->time >= restriction->to)
    return take_behind(lanes, event);
  if (lanes->machine && !machine_event(lanes->machine, event, lanes->error))
    return false;
  for (unsigned i = 0; i < lanes->event_count; i++) {
    const struct lanes_event *to = &lanes->events[i];
    if ((lanes->inside || to->before) && !to->take(to->lane, event))
      return false;
  }
  return true;
}

void pass_window_take_interval(void *context, const struct state_interval *interval)
{
  struct lanes *lanes = context;
  struct state_interval cut = *interval;
  cut.start = trace_time_from(lanes->trace, interval->start);
  cut.end = trace_time_to(lanes->trace, interval->end);
  if (cut.start >= cut.end)
    return;
  lanes->location.ticks[cut.state] += cut.end - cut.start;
  for (unsigned i = 0; i < lanes->interval_count; i++)
    lanes->intervals[i].take(lanes->intervals[i].lane, &cut);
}

void pass_window_end(struct lanes *lanes)
{
  const struct trace *trace = lanes->trace;
  struct pass_location *location = &lanes->location;
  const struct machine_view *view = location->view;
  if (trace->locations[location->number].left_out || !view->any ||
      !trace_time_overlaps(trace, view->first, view->last)) {
    memset(location->ticks, 0, sizeof location->ticks);
    return;
  }
  location->alive = true;
  location->first = trace_time_from(trace, view->first);
  location->last = trace_time_to(trace, view->last);
  if (!trace->restriction.timed)
    memcpy(location->ticks, view->totals, sizeof location->ticks);
}
