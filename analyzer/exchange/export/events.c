#include "analyzer/exchange/export/events.h"

#include "common/raw/archive_names.h"

#include <string.h>

enum { UNMATCHED_DEPTH = 64 }; /* how far down a leave looks for its enter, as in the machine of states */

static bool fail(const struct events *events)
{
  return error_set(events->error, "%s: out of memory", events->trace->anchor);
}

static bool events_put(struct events *events, const struct item *item)
{
  struct item *place = item_queue_add(&events->items);
  if (!place)
    return fail(events);
  *place = *item;
  return true;
}

/* The region that is open innermost; NULL: none is. */
static const struct events_region *innermost(const struct events *events)
{
  return events->open.count > 0 ? &events->open.items[events->open.count - 1] : NULL;
}

/* An attribute of a wait. */
static bool is_callers(const struct trace *trace, const struct trace_value *value)
{
  const struct trace_attribute_name *attribute = &trace->attributes[value->attribute];
  return value->type == TRACE_TEXT && !attribute->of_user && strcmp(attribute->name, NAME_OF_CALLERS) == 0;
}

/* The attributes of the program's own events; of others the callers. */
static bool events_put_values(struct events *events, const struct trace_event *event)
{
  const struct trace *trace = events->trace;
  struct item item = {.time = event->time, .kind = ITEM_VALUE};
  bool good = true, of_user = trace_region_is_user_event(&trace->regions[event->index]);
  if (!of_user && !events->callers)
    return true;
  for (uint32_t i = 0; good && i < trace_value_count(event); i++)
    if (trace_value_at(trace, event, i, &item.value) &&
        (of_user ? trace->attributes[item.value.attribute].of_user : is_callers(trace, &item.value)))
      good = events_put(events, &item);
  return good;
}

static bool enter(struct events *events, const struct trace_event *event)
{
  if (event->index == TRACE_NONE)
    return true;
  if (events->open.count >= MACHINE_DEPTH_LIMIT)
    return error_set(events->error, "%s: more than %d nested regions: the archive is damaged", events->trace->anchor,
                     MACHINE_DEPTH_LIMIT);
  const struct events_region *outer = innermost(events);
  uint8_t rule = events->rules[event->index];
  struct events_region region = {event->index, rule, false};
  struct item item = {.time = event->time, .index = event->index, .kind = ITEM_ENTER, .rule = rule};
  if (outer && !outer->part && rule != RULE_INHERIT && state_rules[outer->rule].part == rule) {
    region.part = item.part = true;
    item.outer = outer->region;
  }
  if (rule == RULE_CHUNK) {
    uint64_t iterations = trace_attribute(event, events->trace->iterations, UINT64_MAX);
    item.iterations = iterations < UINT32_MAX ? (uint32_t)iterations : UINT32_MAX;
    item.first_iteration = trace_attribute_signed(event, events->trace->first_iteration, 0);
  }
  if (!vector_push(&events->open, region))
    return fail(events);
  return events_put_values(events, event) && events_put(events, &item);
}

static bool close_top(struct events *events, uint64_t time)
{
  struct events_region left = events->open.items[--events->open.count];
  return events_put(
      events,
      &(struct item){.time = time, .index = left.region, .kind = ITEM_LEAVE, .rule = left.rule, .part = left.part});
}

static bool leave(struct events *events, const struct trace_event *event)
{
  size_t at = events->open.count;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && events->open.items[at - 1].region != event->index; i++)
    at--;
  if (at == 0 || event->index == TRACE_NONE || events->open.items[at - 1].region != event->index)
    return true;
  while (events->open.count >= at)
    if (!close_top(events, event->time))
      return false;
  return true;
}

bool events_take_border(struct events *events, const struct trace_event *event)
{
  return event->kind == TRACE_Enter ? enter(events, event) : event->kind != TRACE_Leave || leave(events, event);
}

bool events_take_unseen(struct events *events, const struct trace_event *event, struct item *step, bool *found)
{
  *step = (struct item){.time = event->time, .kind = ITEM_STEP};
  return edge_reader_take(&events->steps, event, &step->step, found) || fail(events);
}

bool events_take(struct events *events, const struct trace_event *event)
{
  struct item item;
  bool found;
  if (!events_take_unseen(events, event, &item, &found))
    return false;
  if (event->kind == TRACE_Enter || event->kind == TRACE_Leave)
    return events_take_border(events, event);
  if (found && item.step.kind == STEP_RELEASE && innermost(events))
    item.rule = innermost(events)->rule;
  return !found || events_put(events, &item);
}

bool events_end(struct events *events, uint64_t time)
{
  while (events->open.count > 0)
    if (!close_top(events, time))
      return false;
  return true;
}

void events_free(struct events *events)
{
  item_queue_free(&events->items);
  edge_reader_free(&events->steps);
  vector_free(&events->open);
}
