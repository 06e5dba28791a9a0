#include "analyzer/pes/lane.h"

#include "analyzer/states/states.h"

#include <stdlib.h>

enum { BATCH = 512 }; /* events read at a time: what is queued of each location is about that */

struct lane {
  const struct trace *trace;
  uint32_t location;
  struct trace_error *error;
  enum pes_component_kind kind;
  struct machine *machine;
  struct trace_stream *stream; /* NULL at the end */
  struct lane_change *queue;
  size_t next, count, room;
  uint64_t last_key, last_time;
  bool failed; /* no memory, in a place that can't say so */
};

static void put(struct lane *lane, struct lane_change change)
{
  if (lane->count == lane->room) {
    size_t room = lane->room ? 2 * lane->room : BATCH;
    struct lane_change *more = reallocarray(lane->queue, room, sizeof *more);
    if (!more) {
      lane->failed = true;
      return;
    }
    lane->queue = more;
    lane->room = room;
  }
  lane->queue[lane->count++] = change;
}

static void take_interval(void *context, const struct state_interval *interval)
{
  struct lane *lane = context;
  unsigned state = lane->kind == PES_OF_CONSTRUCT ? 0 : interval->state;
  uint32_t construct = lane->kind == PES_OF_STATE ? 0 : interval->construct;
  uint64_t key = lane_key(state, construct);
  if (key != lane->last_key)
    put(lane, (struct lane_change){.time = interval->start, .key = key});
  lane->last_key = key;
  lane->last_time = interval->end;
}

static void take_metrics(struct lane *lane, const struct trace_event *event)
{
  if (event->kind != TRACE_Metric || event->index == TRACE_NONE)
    return;
  const struct trace_metric_class *class = &lane->trace->metric_classes[event->index];
  for (uint8_t i = 0; i < event->value_count && i < class->count; i++) {
    if (class->metrics[i] != TRACE_NONE)
      put(lane, (struct lane_change){.time = event->time,
                                     .key = lane_counter(lane->trace, class->metrics[i], lane->location),
                                     .value = trace_metric_value(event, i)});
  }
}

static bool take_event(void *context, const struct trace_event *event)
{
  struct lane *lane = context;
  if (pes_follows_threads(lane->kind))
    return machine_event(lane->machine, event, lane->error);
  if (lane->kind == PES_OF_COUNTERS) {
    take_metrics(lane, event);
    return true;
  }
  bool acquired = event->kind == TRACE_OmpAcquireLock || event->kind == TRACE_ThreadAcquireLock;
  if (acquired || event->kind == TRACE_OmpReleaseLock || event->kind == TRACE_ThreadReleaseLock)
    put(lane, (struct lane_change){event->time, LANE_FIRST_VALUE + (uint64_t)event->index, acquired, 0});
  return true;
}

struct lane *lane_open(const struct trace *trace, uint32_t location, enum pes_component_kind kind, const uint8_t *rules,
                       struct trace_error *error)
{
  struct lane *lane = calloc(1, sizeof *lane);
  if (lane) {
    *lane = (struct lane){.trace = trace, .location = location, .error = error, .kind = kind, .last_key = LANE_UNDEF};
    lane->machine = machine_create(trace, location, rules, take_interval, lane);
  }
  if (!lane || !lane->machine) {
    free(lane);
    trace_fail(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  lane->stream = trace_stream_open(trace, location, take_event, lane, error);
  if (lane->stream)
    return lane;
  lane_close(lane);
  return NULL;
}

void lane_close(struct lane *lane)
{
  if (!lane)
    return;
  trace_stream_close(lane->stream);
  machine_destroy(lane->machine);
  free(lane->queue);
  free(lane);
}

/* At the end of the location: the thread has ended, if it ever began. */
static bool finish(struct lane *lane)
{
  trace_stream_close(lane->stream);
  lane->stream = NULL;
  if (!pes_follows_threads(lane->kind))
    return true;
  if (!machine_end(lane->machine, lane->error))
    return false;
  if (lane->last_key != LANE_UNDEF)
    put(lane, (struct lane_change){.time = lane->last_time, .key = LANE_FINIS});
  return true;
}

const struct lane_change *lane_next(struct lane *lane, bool *good)
{
  *good = true;
  if (lane->next == lane->count)
    lane->next = lane->count = 0;
  while (lane->count == 0 && lane->stream) {
    uint64_t read;
    *good = trace_stream_read(lane->stream, BATCH, &read) && (read > 0 || finish(lane));
    if (*good && lane->failed)
      *good = trace_fail(lane->error, "%s: out of memory", lane->trace->anchor);
    if (!*good)
      return NULL;
  }
  return lane->next < lane->count ? &lane->queue[lane->next++] : NULL;
}
