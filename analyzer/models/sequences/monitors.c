#include "analyzer/models/sequences/monitors.h"

#include "analyzer/trace/definitions.h"
#include "common/raw/archive_names.h"

#include <string.h>

typedef bool monitors_put_lock(void *context, uint64_t time, uint32_t lock, bool taken);

void monitors_free(struct monitors *monitors)
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

bool monitors_take(struct monitors *monitors, const struct trace *trace, const struct trace_event *event,
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
