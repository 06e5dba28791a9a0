#include "analyzer/export/events.h"

#include <stdlib.h>

enum { UNMATCHED_DEPTH = 64 }; /* how far down a leave looks for its enter, as in the machine of states */

static bool put(struct events *events, const struct item *item)
{
  struct item *place = item_queue_add(&events->items);
  if (!place)
    return error_set(events->error, "%s: out of memory", events->trace->anchor);
  *place = *item;
  return true;
}

static bool open_region(struct events *events, const struct trace_event *event)
{
  if (events->depth == events->room) {
    size_t room = events->room ? 2 * events->room : 16;
    if (room > MACHINE_DEPTH_LIMIT)
      return error_set(events->error, "%s: more than %zu nested regions: the archive is damaged", events->trace->anchor,
                       events->depth);
    struct events_region *more = reallocarray(events->open, room, sizeof *more);
    if (!more)
      return error_set(events->error, "%s: out of memory", events->trace->anchor);
    events->open = more;
    events->room = room;
  }
  const struct events_region *outer = events->depth > 0 ? &events->open[events->depth - 1] : NULL;
  uint8_t rule = events->rules[event->index];
  bool part = outer && !outer->part && rule != RULE_INHERIT && state_rules[outer->rule].part == rule;
  events->open[events->depth++] = (struct events_region){event->time, event->index, rule, part};
  return true;
}

static bool enter(struct events *events, const struct trace_event *event)
{
  if (event->index == TRACE_NONE)
    return true;
  if (!open_region(events, event))
    return false;
  const struct events_region *top = &events->open[events->depth - 1];
  struct item item = {
      .time = event->time, .index = top->region, .kind = ITEM_ENTER, .rule = top->rule, .part = top->part};
  if (top->part)
    item.outer = top[-1].region;
  if (top->rule == RULE_CHUNK) {
    uint64_t iterations = trace_attribute(event, events->trace->iterations, UINT64_MAX);
    item.iterations = iterations < UINT32_MAX ? (uint32_t)iterations : UINT32_MAX;
    item.first_iteration = trace_attribute_signed(event, events->trace->first_iteration, 0);
  }
  return put(events, &item);
}

static bool close_top(struct events *events, uint64_t time)
{
  events->last_left = events->open[--events->depth];
  return put(events, &(struct item){.time = time,
                                    .index = events->last_left.region,
                                    .kind = ITEM_LEAVE,
                                    .rule = events->last_left.rule,
                                    .part = events->last_left.part});
}

static bool leave(struct events *events, const struct trace_event *event)
{
  size_t at = events->depth;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && events->open[at - 1].region != event->index; i++)
    at--;
  if (at == 0 || event->index == TRACE_NONE || events->open[at - 1].region != event->index)
    return true;
  while (events->depth >= at)
    if (!close_top(events, event->time))
      return false;
  return true;
}

static bool is_lock_routine(unsigned rule)
{
  return rule == RULE_SET_LOCK || rule == RULE_SET_NEST_LOCK || rule == RULE_TEST_LOCK;
}

/* Who asked for the lock: the routine that has just returned, or the construct that the thread is in. */
static bool acquire(struct events *events, const struct trace_event *event)
{
  struct item item = {.time = event->time, .since = event->time, .index = event->index, .kind = ITEM_ACQUIRE};
  const struct events_region *asker = NULL;
  if (is_lock_routine(events->last_left.rule))
    asker = &events->last_left;
  else if (events->depth > 0)
    asker = &events->open[events->depth - 1];
  if (asker) {
    item.since = asker->since;
    item.rule = asker->rule;
  }
  events->last_left.rule = RULE_INHERIT;
  return put(events, &item);
}

bool events_take(struct events *events, const struct trace_event *event)
{
  struct item item = {.time = event->time, .index = event->index};
  switch (event->kind) {
  case TRACE_Enter:
    return enter(events, event);
  case TRACE_Leave:
    return leave(events, event);
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    return acquire(events, event);
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    item.kind = ITEM_RELEASE;
    item.rule = events->depth > 0 ? events->open[events->depth - 1].rule : RULE_INHERIT;
    break;
  case TRACE_ThreadFork:
  case TRACE_OmpFork:
    item.kind = ITEM_FORK;
    break;
  case TRACE_ThreadJoin:
  case TRACE_OmpJoin:
    item.kind = ITEM_JOIN;
    break;
  case TRACE_ThreadTeamBegin:
    item.kind = ITEM_TEAM_BEGIN;
    break;
  case TRACE_ThreadTaskCreate:
  case TRACE_ThreadTaskSwitch:
  case TRACE_ThreadTaskComplete:
    item.kind = event->kind == TRACE_ThreadTaskCreate   ? ITEM_TASK_CREATE
                : event->kind == TRACE_ThreadTaskSwitch ? ITEM_TASK_SWITCH
                                                        : ITEM_TASK_COMPLETE;
    item.creator = event->creator;
    item.generation = event->generation;
    break;
  default:
    return true;
  }
  return put(events, &item);
}

bool events_end(struct events *events, uint64_t time)
{
  while (events->depth > 0)
    if (!close_top(events, time))
      return false;
  return true;
}

void events_free(struct events *events)
{
  item_queue_free(&events->items);
  free(events->open);
}
