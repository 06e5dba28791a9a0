#include "analyzer/exchange/export/items.h"

#include "analyzer/trace/pass/pass.h"
#include "common/raw/archive_names.h"

#include <stddef.h>
#include <stdlib.h>
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

/* Returns the innermost open region; NULL: none. */
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

bool events_take_outside(struct events *events, const struct trace_event *event, struct item *step, bool *found)
{
  *step = (struct item){.time = event->time, .kind = ITEM_STEP};
  return edge_reader_take(&events->steps, event, &step->step, found) || fail(events);
}

bool events_take(struct events *events, const struct trace_event *event)
{
  struct item item;
  bool found;
  if (!events_take_outside(events, event, &item, &found))
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

enum { BATCH = 256 }; /* events read at a time, which limits the waiting states */

struct open_wait {
  uint32_t region;
  const char *callers;
};

struct state_reader {
  const struct trace *trace;
  struct error *error;
  enum state_kind kind;
  struct subscriber subscriber; /* the reader itself is the lane */
  const struct subscriber *list[1];
  struct lanes lanes;
  struct item held; /* may go on in the next interval; empty at the beginning */
  struct item next; /* last item of the caller */
  struct item_queue states;
  VECTOR(struct open_wait) waits; /* with callers, the innermost last */
  bool failed;                    /* out of memory, where that could not be returned */
};

static void put_held(struct state_reader *reader)
{
  struct item *place = reader->held.end > reader->held.time ? item_queue_add(&reader->states) : NULL;
  if (place)
    *place = reader->held;
  else
    reader->failed |= reader->held.end > reader->held.time;
}

static const char *callers_of(const struct state_reader *reader, uint32_t construct)
{
  const struct open_wait *wait = reader->waits.count ? &reader->waits.items[reader->waits.count - 1] : NULL;
  return reader->kind == BY_CONSTRUCT && wait && wait->region == construct ? wait->callers : NULL;
}

static void take_interval(void *lane, const struct state_interval *interval)
{
  struct state_reader *reader = lane;
  const char *callers = callers_of(reader, interval->construct);
  if (item_goes_on(&reader->held, interval, reader->kind) && callers == reader->held.callers) {
    reader->held.end = interval->end;
    return;
  }
  put_held(reader);
  reader->held = item_of_interval(interval);
  reader->held.callers = callers;
}

static bool state_reader_take_event(void *lane, const struct trace_event *event)
{
  struct state_reader *reader = lane;
  const char *callers = event->kind == TRACE_Enter && event->index != TRACE_NONE
                            ? trace_attribute_text(reader->trace, event, reader->trace->callers)
                            : NULL;
  struct open_wait wait = {event->index, callers};
  if (callers && !vector_push(&reader->waits, wait))
    return error_set(reader->error, "%s: out of memory", reader->trace->anchor);
  if (event->kind == TRACE_Leave && reader->waits.count > 0 &&
      reader->waits.items[reader->waits.count - 1].region == event->index)
    reader->waits.count--;
  return true;
}

static bool take_end(void *lane)
{
  put_held(lane);
  return true;
}

struct state_reader *state_reader_open(const struct trace *trace, uint32_t location, enum state_kind kind,
                                       const uint8_t *rules, struct error *error)
{
  struct state_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  reader->trace = trace;
  reader->error = error;
  reader->kind = kind;
  reader->states = (struct item_queue){.size = sizeof(struct item), .time_at = offsetof(struct item, time)};
  reader->subscriber = (struct subscriber){.context = reader, .interval = take_interval, .end = take_end};
  if (kind == BY_CONSTRUCT && trace_may_have_callers(trace))
    reader->subscriber.event = state_reader_take_event;
  reader->list[0] = &reader->subscriber;
  if (lanes_open(&reader->lanes, trace, rules, location, reader->list, 1, error))
    return reader;
  state_reader_close(reader);
  return NULL;
}

void state_reader_close(struct state_reader *reader)
{
  if (!reader)
    return;
  lanes_close(&reader->lanes);
  item_queue_free(&reader->states);
  vector_free(&reader->waits);
  free(reader);
}

const struct item *state_reader_next(struct state_reader *reader, bool *good)
{
  const struct item *first;
  *good = true;
  while (!(first = item_queue_first(&reader->states)) && reader->lanes.stream) {
    *good = lanes_read(&reader->lanes, 0, BATCH);
    if (*good && reader->failed)
      *good = error_set(reader->error, "%s: out of memory", reader->trace->anchor);
    if (!*good)
      return NULL;
  }
  if (!first)
    return NULL;
  reader->next = *first;
  item_queue_drop_first(&reader->states);
  return &reader->next;
}
