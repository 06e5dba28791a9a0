#include "analyzer/analyses/intervals/lane.h"

#include "analyzer/trace/attributes.h"
#include "analyzer/trace/definitions.h"
#include "base/vector.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define LANE_DEPTH_MOST 65536 /* regions and teams that are open at a time; more is taken for damage */

void interval_lane_begin(struct interval_lane *lane, const struct source *source, const struct pass_location *location,
                         struct error *error)
{
  lane->source = source;
  lane->location = location->number;
  lane->error = error;
  lane->queue =
      (struct item_queue){.size = sizeof(struct lane_item) + source->spec->slot_count * sizeof(struct spec_value),
                          .time_at = offsetof(struct lane_item, time)};
}

void interval_lane_close(void *context, void *opened)
{
  (void)context;
  struct interval_lane *lane = opened;
  vector_free(&lane->regions);
  vector_free(&lane->teams);
  item_queue_free(&lane->queue);
}

struct item_queue *interval_lane_queue(void *lane)
{
  return &((struct interval_lane *)lane)->queue;
}

uint64_t interval_lane_reached(void *lane)
{
  return ((const struct interval_lane *)lane)->reached;
}

static struct spec_value integer(int64_t number)
{
  return (struct spec_value){.type = SPEC_INTEGER, .integer = number};
}

static struct spec_value text(const char *words)
{
  return (struct spec_value){.type = *words ? SPEC_TEXT : SPEC_ANY, .text = words};
}

static struct spec_value lane_nothing(void)
{
  return (struct spec_value){.type = SPEC_ANY};
}

static struct spec_value of_region(const struct interval_lane *lane, enum intrinsic intrinsic)
{
  if (lane->regions.count == 0)
    return lane_nothing();
  const struct trace_region *region = &lane->source->trace->regions[lane->regions.items[lane->regions.count - 1]];
  switch (intrinsic) {
  case INTRINSIC_CONSTRUCT:
    return text(region->name);
  case INTRINSIC_FILE:
    return text(region->file);
  case INTRINSIC_FUNCTION:
    return text(region->function);
  default:
    return region->line ? integer(region->line) : lane_nothing();
  }
}

static struct spec_value member(const struct interval_lane *lane)
{
  if (lane->teams.count == 0)
    return lane_nothing();
  const struct trace *trace = lane->source->trace;
  uint32_t rank = trace_team_rank(&trace->teams[lane->teams.items[lane->teams.count - 1]], lane->location);
  return rank == TRACE_NONE ? lane_nothing() : integer(rank);
}

/* The thread that an event is about, by the number that `thread` has. */
static struct spec_value target(const struct interval_lane *lane, const struct trace_event *event)
{
  const struct source *source = lane->source;
  uint64_t id = trace_attribute(event, source->trace->thread, 0);
  uint64_t process = source->trace->locations[lane->location].process;
  uint32_t location = thread_ids_find(&source->java, process, id);
  if (location == TRACE_NONE)
    location = thread_ids_find(&source->kernel, process, id);
  return location == TRACE_NONE ? lane_nothing() : integer(location);
}

static struct spec_value intrinsic_value(const struct interval_lane *lane, const struct trace_event *event,
                                         enum intrinsic which)
{
  const struct trace *trace = lane->source->trace;
  uint32_t process = trace->locations[lane->location].process;
  bool task = event->kind == TRACE_ThreadTaskCreate || event->kind == TRACE_ThreadTaskSwitch ||
              event->kind == TRACE_ThreadTaskComplete;
  bool lock = event->kind == TRACE_ThreadAcquireLock || event->kind == TRACE_ThreadReleaseLock ||
              event->kind == TRACE_OmpAcquireLock || event->kind == TRACE_OmpReleaseLock;
  switch (which) {
  case INTRINSIC_THREAD:
    return integer(lane->location);
  case INTRINSIC_TIME:
    return (struct spec_value){.type = SPEC_TIME,
                               .real = ((double)event->time - (double)trace->first_tick) *
                                       (trace->ticks_per_second ? 1e9 / (double)trace->ticks_per_second : 1)};
  case INTRINSIC_PROCESS:
    return process == TRACE_NONE ? lane_nothing() : integer(process);
  case INTRINSIC_MEMBER:
    return member(lane);
  case INTRINSIC_THREAD_NAME:
    return text(trace->locations[lane->location].name);
  case INTRINSIC_TARGET:
    return target(lane, event);
  case INTRINSIC_LOCK:
    return lock ? integer(event->index) : lane_nothing();
  case INTRINSIC_TASK:
    return task ? integer((int64_t)((uint64_t)event->creator << 32 | event->generation)) : lane_nothing();
  default:
    return of_region(lane, which);
  }
}

/* Numbers that are none, and larger ones than the language has, are no values or come close. */
static struct spec_value recorded_value(const struct trace_value *value)
{
  switch (value->type) {
  case TRACE_INTEGER:
    return integer(value->integer);
  case TRACE_NATURAL:
    return value->natural <= INT64_MAX ? integer((int64_t)value->natural)
                                       : (struct spec_value){.type = SPEC_REAL, .real = (double)value->natural};
  case TRACE_REAL:
    return isfinite(value->real) ? (struct spec_value){.type = SPEC_REAL, .real = value->real} : lane_nothing();
  default:
    return (struct spec_value){.type = SPEC_TEXT, .text = value->text};
  }
}

static bool put(struct interval_lane *lane, const struct trace_event *event, uint32_t class)
{
  const struct source *source = lane->source;
  struct lane_item *item = item_queue_add(&lane->queue);
  if (!item)
    return false;
  item->time = event->time;
  item->class = class;
  for (uint32_t i = 0; i < source->spec->slot_count; i++)
    item->values[i] = source->intrinsic_of[i] == INTRINSICS
                          ? lane_nothing()
                          : intrinsic_value(lane, event, (enum intrinsic)source->intrinsic_of[i]);
  uint32_t count = event->attributes ? trace_value_count(event) : 0;
  struct trace_value value;
  for (uint32_t i = 0; i < count; i++)
    if (trace_value_at(source->trace, event, i, &value) && source->slot_of[value.attribute] != SPEC_NONE)
      item->values[source->slot_of[value.attribute]] = recorded_value(&value);
  return true;
}

static bool fail_deep(const struct interval_lane *lane)
{
  const struct trace *trace = lane->source->trace;
  return error_set(lane->error, "%s: %s has more than %d open regions: the archive is damaged", trace->anchor,
                   trace->locations[lane->location].name, LANE_DEPTH_MOST);
}

/* A user's event is in no construct of its own: what is open around it counts. */
static bool follow_regions(struct interval_lane *lane, const struct trace_event *event, bool before)
{
  const struct trace *trace = lane->source->trace;
  if (event->index == TRACE_NONE || trace_region_is_user_event(&trace->regions[event->index]))
    return true;
  if (event->kind == TRACE_Enter && before) {
    if (lane->regions.count == LANE_DEPTH_MOST)
      return fail_deep(lane);
    return vector_push(&lane->regions, event->index);
  }
  if (event->kind == TRACE_Leave && !before && lane->regions.count > 0)
    lane->regions.count--;
  return true;
}

static bool follow_teams(struct interval_lane *lane, const struct trace_event *event)
{
  if (event->kind == TRACE_ThreadTeamBegin && event->index != TRACE_NONE)
    return lane->teams.count == LANE_DEPTH_MOST ? fail_deep(lane) : vector_push(&lane->teams, event->index);
  if (event->kind == TRACE_ThreadTeamEnd && event->index != TRACE_NONE && lane->teams.count > 0)
    lane->teams.count--;
  return true;
}

bool interval_lane_event(void *opened, const struct trace_event *event)
{
  struct interval_lane *lane = opened;
  const struct source *source = lane->source;
  bool region = source->follows_regions && (event->kind == TRACE_Enter || event->kind == TRACE_Leave);
  lane->reached = event->time;
  if ((region && !follow_regions(lane, event, true)) || (source->follows_teams && !follow_teams(lane, event)))
    return false;
  uint32_t class = source_class_of(source, event);
  if (class > 0 && source->classes[class].use_count > 0 && !put(lane, event, class))
    return false;
  return !region || follow_regions(lane, event, false);
}
