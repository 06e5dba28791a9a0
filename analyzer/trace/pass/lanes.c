#include "analyzer/trace/pass/lanes.h"

#include "base/apart.h"

#include <stdlib.h>
#include <string.h>

static void take_interval(void *context, const struct state_interval *interval)
{
  const struct lanes *lanes = context;
  for (unsigned i = 0; i < lanes->interval_count; i++)
    lanes->intervals[i].take(lanes->intervals[i].lane, interval);
}

static bool take_event(void *context, const struct trace_event *event)
{
  const struct lanes *lanes = context;
  if (lanes->machine && !machine_event(lanes->machine, event, lanes->error))
    return false;
  const struct lanes_event *end = lanes->events + lanes->event_count;
  for (const struct lanes_event *to = lanes->events; to < end; to++)
    if (!to->take(to->lane, event))
      return false;
  return true;
}

static bool wants_states(const struct lanes *lanes)
{
  for (unsigned i = 0; i < lanes->count; i++)
    if (!lanes->subscribers[i]->stateless || lanes->subscribers[i]->borders ||
        lanes->subscribers[i]->queue) /* its view says how far the location is */
      return true;
  return false;
}

static bool wants_intervals(const struct lanes *lanes)
{
  for (unsigned i = 0; i < lanes->count; i++)
    if (lanes->subscribers[i]->interval)
      return true;
  return false;
}

/* An excluded location has events and intervals only for subscribers that asked for them. */
static bool wants(const struct lanes *lanes, const struct subscriber *subscriber)
{
  return subscriber->others || !lanes->trace->locations[lanes->location.number].excluded;
}

/* False without a message: no memory. */
static bool no_memory(struct lanes *lanes)
{
  return lanes->error->message[0] ? false : error_set(lanes->error, "%s: out of memory", lanes->trace->anchor);
}

/* The lane of a subscriber. NULL: an error. */
static void *open_lane(struct lanes *lanes, const struct subscriber *subscriber)
{
  if (subscriber->open)
    return subscriber->open(subscriber->context, &lanes->location, lanes->error);
  void *lane = subscriber->lane_size > 0 ? apart_calloc(1, subscriber->lane_size) : subscriber->context;
  if (!lane || !subscriber->begin || subscriber->begin(subscriber->context, lane, &lanes->location, lanes->error))
    return lane;
  if (subscriber->lane_size > 0)
    free(lane);
  return NULL;
}

static void close_lane(const struct subscriber *subscriber, void *lane)
{
  if (subscriber->close)
    subscriber->close(subscriber->context, lane);
  if (subscriber->lane_size > 0)
    free(lane);
}

static bool open_each(struct lanes *lanes)
{
  for (unsigned i = 0; i < lanes->count; i++) {
    const struct subscriber *subscriber = lanes->subscribers[i];
    void *lane = open_lane(lanes, subscriber);
    lanes->list[i] = lane;
    if (!lane)
      return no_memory(lanes);
    bool events = subscriber->event && (!subscriber->wants_events || subscriber->wants_events(lane));
    if (events && wants(lanes, subscriber))
      lanes->events[lanes->event_count++] =
          (struct lanes_event){subscriber->event, lane, subscriber->before, subscriber->after, subscriber->borders};
    if (subscriber->interval && wants(lanes, subscriber))
      lanes->intervals[lanes->interval_count++] = (struct lanes_interval){subscriber->interval, lane};
  }
  return true;
}

/* What takes the machine's intervals: nothing, or what cuts them, or what hands them to all lanes. */
static state_sink *sink_of(const struct lanes *lanes)
{
  if (lanes->trace->restriction.timed)
    return pass_window_take_interval;
  return wants_intervals(lanes) ? take_interval : NULL;
}

bool lanes_open(struct lanes *lanes, const struct trace *trace, const uint8_t *rules, uint32_t location,
                const struct subscriber *const *subscribers, unsigned count, struct error *error)
{
  *lanes = (struct lanes){.trace = trace, .subscribers = subscribers, .count = count, .error = error};
  bool states = wants_states(lanes);
  lanes->list = calloc(count + 1, sizeof *lanes->list);
  lanes->events = calloc(count + 1, sizeof *lanes->events);
  lanes->intervals = calloc(count + 1, sizeof *lanes->intervals);
  if (states)
    lanes->machine = machine_create(trace, location, rules, sink_of(lanes), lanes);
  if (!lanes->list || !lanes->events || !lanes->intervals || (states && !lanes->machine))
    return error_set(error, "%s: out of memory", trace->anchor);
  lanes->location = (struct pass_location){.number = location, .view = states ? machine_view(lanes->machine) : NULL};
  if (!open_each(lanes))
    return false;
  if (lanes->event_count + lanes->interval_count == 0 && trace->locations[location].excluded)
    return true; /* nobody wants to know: there is no stream, as at its end */
  trace_handler *handler = trace->restriction.timed ? pass_window_take_event : take_event;
  lanes->stream = trace_stream_open(trace, location, handler, lanes, error);
  return lanes->stream != NULL;
}

static bool end(struct lanes *lanes)
{
  trace_stream_close(lanes->stream); /* its buffers are large, and items may wait long for items of others */
  lanes->stream = NULL;
  if (lanes->machine && !machine_end(lanes->machine, lanes->error))
    return false;
  if (lanes->machine)
    pass_window_end(lanes);
  for (unsigned i = 0; i < lanes->count; i++)
    if (lanes->subscribers[i]->end && !lanes->subscribers[i]->end(lanes->list[i]))
      return no_memory(lanes);
  return true;
}

bool lanes_read(struct lanes *lanes, unsigned worker, uint64_t limit)
{
  uint64_t read = 0;
  for (unsigned i = 0; i < lanes->count; i++)
    if (lanes->subscribers[i]->brought_by)
      lanes->subscribers[i]->brought_by(lanes->list[i], worker);
  if (lanes->stream && !trace_stream_read(lanes->stream, limit, &read))
    return no_memory(lanes);
  return read == limit || end(lanes);
}

void lanes_close(struct lanes *lanes)
{
  trace_stream_close(lanes->stream);
  for (unsigned i = 0; lanes->list && i < lanes->count; i++)
    if (lanes->list[i])
      close_lane(lanes->subscribers[i], lanes->list[i]);
  machine_destroy(lanes->machine);
  free(lanes->list);
  free(lanes->events);
  free(lanes->intervals);
  *lanes = (struct lanes){0};
}

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
 * An event behind the stretch: the location lives through all of it. Subscribers that want what follows take the event.
 * The machine takes it as long as it must decide a state of the stretch. If nobody takes more, no more is read.
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
  bool goes_on = lanes->machine && !machine_is_decided(lanes->machine);
  for (unsigned i = 0; i < lanes->event_count; i++) {
    if (lanes->events[i].after && !lanes->events[i].take(lanes->events[i].lane, event))
      return false;
    goes_on |= lanes->events[i].after;
  }
  if (goes_on)
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
  if (trace->locations[location->number].excluded || !view->any ||
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
