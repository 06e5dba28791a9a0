#include "analyzer/models/sequences/lane.h"

#include "base/vector.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <stdlib.h>
#include <string.h>

/*
 * Locks that a location acquires and releases. Object.wait releases its monitor and acquires it again at its end; the
 * archive has no events for this.
 */

/* Java monitor that the thread holds, once for each acquisition. */
struct held_monitor {
  uint32_t lock;   /* index in the archive */
  uint64_t object; /* number of the object; objects of several classes may have the same number */
  const char *class_name;
};

/* Monitors of a location; all zeros at the begin. */
struct monitors {
  VECTOR(struct held_monitor) held;
  struct held_monitor next;      /* monitor of the next acquisition */
  uint64_t next_time;            /* time of that acquisition */
  struct held_monitor waits_for; /* monitor that an open wait has released */
  uint32_t wait;                 /* region of the open wait + 1; 0: none is open */
};

typedef bool monitors_put_lock(void *context, uint64_t time, uint32_t lock, bool taken);

static void monitors_free(struct monitors *monitors)
{
  vector_free(&monitors->held);
}

static bool is_same(const struct held_monitor *a, const struct held_monitor *b)
{
  return a->object == b->object && strcmp(a->class_name, b->class_name) == 0;
}

/* The monitor that the event names; object 0: none. */
static struct held_monitor named(const struct trace *trace, const struct trace_event *event)
{
  const char *class_name = trace_attribute_text(trace, event, trace->object_class);
  return (struct held_monitor){.object = trace_attribute(event, trace->object, 0),
                               .class_name = class_name ? class_name : ""};
}

/* All holds of the monitor that is waited for, as if each of them ended, or began again. */
static bool put_all(const struct monitors *monitors, uint64_t time, bool taken, monitors_put_lock *put, void *context)
{
  for (size_t i = 0; i < monitors->held.count; i++)
    if (is_same(&monitors->held.items[i], &monitors->waits_for) &&
        !put(context, time, monitors->held.items[i].lock, taken))
      return false;
  return true;
}

static bool enter(struct monitors *monitors, const struct trace *trace, const struct trace_event *event,
                  monitors_put_lock *put, void *context)
{
  if (event->index == TRACE_NONE || !event->attributes)
    return true;
  const struct trace_region *region = &trace->regions[event->index];
  struct held_monitor monitor = named(trace, event);
  if (monitor.object == 0)
    return true;
  if (trace_region_begins(region, REGION_MONITOR_HELD)) {
    monitors->next = monitor;
    monitors->next_time = event->time;
    return true;
  }
  bool waits = trace_region_begins(region, REGION_OBJECT_WAIT) || trace_region_begins(region, REGION_JOIN);
  if (!waits || monitors->wait != 0)
    return true;
  monitors->waits_for = monitor;
  monitors->wait = event->index + 1;
  return put_all(monitors, event->time, false, put, context);
}

static bool leave(struct monitors *monitors, const struct trace_event *event, monitors_put_lock *put, void *context)
{
  if (monitors->wait == 0 || event->index + 1 != monitors->wait)
    return true;
  monitors->wait = 0;
  return put_all(monitors, event->time, true, put, context);
}

static bool acquire(struct monitors *monitors, const struct trace_event *event, monitors_put_lock *put, void *context)
{
  bool is_monitor = monitors->next.object != 0 && monitors->next_time == event->time;
  monitors->next.lock = event->index;
  bool good = !is_monitor || vector_push(&monitors->held, monitors->next);
  monitors->next.object = 0;
  return good && put(context, event->time, event->index, true);
}

static bool release(struct monitors *monitors, const struct trace_event *event, monitors_put_lock *put, void *context)
{
  bool given_back = false;
  for (size_t i = monitors->held.count; i-- > 0;) {
    struct held_monitor *held = &monitors->held.items[i];
    if (held->lock != event->index)
      continue;
    given_back = monitors->wait != 0 && is_same(held, &monitors->waits_for);
    memmove(held, held + 1, (monitors->held.count - i - 1) * sizeof *held);
    monitors->held.count--;
    break;
  }
  return given_back || put(context, event->time, event->index, false);
}

/* Takes the events in order and calls `put` for each change. False: out of memory, or `put` returned false. */
static bool monitors_take(struct monitors *monitors, const struct trace *trace, const struct trace_event *event,
                          monitors_put_lock *put, void *context)
{
  switch (event->kind) {
  case TRACE_Enter:
    return enter(monitors, trace, event, put, context);
  case TRACE_Leave:
    return leave(monitors, event, put, context);
  case TRACE_OmpAcquireLock:
  case TRACE_ThreadAcquireLock:
    return acquire(monitors, event, put, context);
  case TRACE_OmpReleaseLock:
  case TRACE_ThreadReleaseLock:
    return release(monitors, event, put, context);
  default:
    return true;
  }
}

struct lane {
  const struct trace *trace;
  enum pes_component_kind kind;
  uint32_t location;
  const struct machine_view *view;
  const bool *wanted;
  struct item_queue queue;
  uint64_t last_key, last_time;
  struct monitors monitors;
  bool passed_over; /* a processor: the threads that it ran have lanes of their own */
  bool failed;      /* no memory, in a function that returns nothing */
};

static bool lane_put(struct lane *lane, struct lane_change change)
{
  if (!*lane->wanted)
    return true;
  struct lane_change *place = item_queue_add(&lane->queue);
  if (place)
    *place = change;
  return place;
}

void lane_interval(void *context, const struct state_interval *interval)
{
  struct lane *lane = context;
  if (lane->passed_over)
    return;
  unsigned state = lane->kind == PES_OF_CONSTRUCT ? 0 : interval->state;
  uint32_t construct = lane->kind == PES_OF_STATE ? 0 : interval->construct;
  uint64_t key = lane_key(state, construct);
  if (key != lane->last_key && !lane_put(lane, (struct lane_change){.time = interval->start, .key = key}))
    lane->failed = true;
  lane->last_key = key;
  lane->last_time = interval->end;
}

static bool take_metrics(struct lane *lane, const struct trace_event *event)
{
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE)
    return true;
  const struct trace_metric_class *class = &lane->trace->metric_classes[event->index];
  for (uint8_t i = 0; i < event->value_count && i < class->count; i++) {
    if (class->metrics[i] != TRACE_NONE &&
        !lane_put(lane, (struct lane_change){.time = event->time,
                                             .key = lane_counter(lane->trace, class->metrics[i], lane->location),
                                             .value = trace_metric_value(event, i)}))
      return false;
  }
  return true;
}

static bool lane_put_lock(void *context, uint64_t time, uint32_t lock, bool taken)
{
  return lane_put(context, (struct lane_change){time, LANE_FIRST_VALUE + (uint64_t)lock, taken, 0});
}

bool lane_event(void *context, const struct trace_event *event)
{
  struct lane *lane = context;
  if (lane->kind == PES_OF_COUNTERS)
    return take_metrics(lane, event);
  return monitors_take(&lane->monitors, lane->trace, event, lane_put_lock, lane);
}

struct lane *lane_open(const struct trace *trace, enum pes_component_kind kind, const struct pass_location *location,
                       const bool *wanted)
{
  struct lane *lane = malloc(sizeof *lane);
  if (lane)
    *lane = (struct lane){.trace = trace,
                          .kind = kind,
                          .location = location->number,
                          .view = location->view,
                          .wanted = wanted,
                          .passed_over = trace_is_processor(trace, location->number),
                          .queue = {.size = sizeof(struct lane_change), .time_at = offsetof(struct lane_change, time)},
                          .last_key = LANE_UNDEF};
  return lane;
}

void lane_close(struct lane *lane)
{
  if (!lane)
    return;
  item_queue_free(&lane->queue);
  monitors_free(&lane->monitors);
  free(lane);
}

/* The thread has ended, if it ever began. */
bool lane_end(struct lane *lane)
{
  if (pes_follows_threads(lane->kind) && lane->last_key != LANE_UNDEF)
    return lane_put(lane, (struct lane_change){.time = lane->last_time, .key = LANE_FINIS}) && !lane->failed;
  return !lane->failed;
}

struct item_queue *lane_queue(void *lane)
{
  return &((struct lane *)lane)->queue;
}

/* The state after an interval is known only when the next interval ends. */
uint64_t lane_reached(void *context)
{
  const struct lane *lane = context;
  bool waits =
      pes_follows_threads(lane->kind) && !lane->trace->locations[lane->location].excluded && !lane->passed_over;
  return waits ? lane->last_time : lane->view->last;
}
