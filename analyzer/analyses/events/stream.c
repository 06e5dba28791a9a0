#include "analyzer/analyses/events/stream.h"

#include "analyzer/analyses/events/reader.h"
#include "analyzer/trace/pass/pass.h"

#include <stdlib.h>

struct stream {
  const struct trace *trace;
  const struct point_selection *selection;
  bool *wanted;
  points_taker *take;
  void *context;
  struct stream_lane **lanes; /* a location */
};

/* Points that wait, and their values in the same order. */
struct stream_lane {
  struct point_reader reader;
  struct item_queue points, values;
  uint64_t reached; /* the time of the last event */
  struct error *error;
};

static void *stream_open_lane(void *context, const struct pass_location *location, struct error *error)
{
  struct stream *stream = context;
  struct stream_lane *lane = calloc(1, sizeof *lane);
  if (!lane) {
    error_set(error, "%s: out of memory", stream->trace->anchor);
    return NULL;
  }
  *lane = (struct stream_lane){.reader = {.trace = stream->trace,
                                          .selection = stream->selection,
                                          .wanted = stream->wanted,
                                          .location = location->number},
                               .points = {.size = sizeof(struct point), .time_at = offsetof(struct point, time)},
                               .values = {.size = sizeof(struct trace_value)},
                               .error = error};
  stream->lanes[location->number] = lane;
  return lane;
}

static void stream_close_lane(void *context, void *opened)
{
  struct stream_lane *lane = opened;
  (void)context;
  point_reader_free(&lane->reader);
  item_queue_free(&lane->points);
  item_queue_free(&lane->values);
  free(lane);
}

static bool stream_keep(struct stream_lane *lane, const struct point *point)
{
  struct point *place = item_queue_add(&lane->points);
  if (!place)
    return false;
  *place = *point;
  for (uint32_t i = 0; i < point->count; i++) {
    struct trace_value *value = item_queue_add(&lane->values);
    if (!value)
      return false;
    *value = point->values[i];
  }
  return true;
}

static bool stream_take_event(void *opened, const struct trace_event *event)
{
  struct stream_lane *lane = opened;
  struct point point;
  bool found;
  lane->reached = event->time;
  if (point_reader_take(&lane->reader, event, &point, &found) && (!found || stream_keep(lane, &point)))
    return true;
  return error_set(lane->error, "%s: out of memory", lane->reader.trace->anchor);
}

static struct item_queue *queue_of(void *opened)
{
  return &((struct stream_lane *)opened)->points;
}

static uint64_t reached_by(void *opened)
{
  return ((struct stream_lane *)opened)->reached;
}

static bool take_item(void *context, uint32_t location, void *item)
{
  const struct stream *stream = context;
  struct stream_lane *lane = stream->lanes[location];
  struct point *point = item;
  point->values = item_queue_first(&lane->values);
  bool good = stream->take(stream->context, point);
  for (uint32_t i = 0; i < point->count; i++)
    item_queue_drop_first(&lane->values);
  return good;
}

bool points_in_order(const struct trace *trace, struct pool *pool, const struct point_selection *selection,
                     points_taker *take, void *context, struct error *error)
{
  struct stream stream = {.trace = trace, .selection = selection, .take = take, .context = context};
  stream.wanted = points_wanted(trace, selection);
  stream.lanes = calloc(trace->location_count + 1, sizeof(struct stream_lane *));
  const struct subscriber subscriber = {.context = &stream,
                                        .stateless = true,
                                        .open = stream_open_lane,
                                        .event = stream_take_event,
                                        .close = stream_close_lane,
                                        .queue = queue_of,
                                        .reached = reached_by,
                                        .take = take_item};
  const struct subscriber *list[] = {&subscriber};
  bool good = stream.wanted && stream.lanes;
  if (good)
    good = pass_in_order(trace, pool, list, 1, error);
  else
    error_set(error, "%s: out of memory", trace->anchor);
  free(stream.wanted);
  free(stream.lanes);
  return good;
}
