#include "analyzer/models/sequences/lane.h"

#include "analyzer/models/sequences/monitors.h"

#include <stdlib.h>

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

/* What a thread does after its last interval is known when the next interval ends. */
uint64_t lane_reached(void *context)
{
  const struct lane *lane = context;
  bool waits =
      pes_follows_threads(lane->kind) && !lane->trace->locations[lane->location].left_out && !lane->passed_over;
  return waits ? lane->last_time : lane->view->last;
}
