#include "analyzer/export/items.h"

#include <stdlib.h>

enum {
  BATCH = 256,          /* events read at a time: what is queued of each location is about that */
  UNMATCHED_DEPTH = 64, /* how far down a leave looks for its enter, as in the machine of states */
};

struct open_region {
  uint64_t since;
  uint32_t region;
  uint8_t rule;
  bool part;
};

struct items {
  const struct trace *trace;
  const uint8_t *rules;
  struct trace_error *error;
  enum items_kind kind;
  struct machine *machine;     /* of states */
  struct trace_stream *stream; /* NULL at the end */
  struct item *queue;
  size_t next, count, room;
  struct item held;             /* a state that may go on in the next interval; empty at the beginning */
  struct open_region *open;     /* regions of events */
  size_t depth, depth_room;     /* of them */
  struct open_region last_left; /* a routine has returned when it is told that it got a lock */
  uint64_t last;                /* time of the last event */
  bool begun, failed;           /* failed: no memory, in a place that can't say so */
};

static void put(struct items *items, const struct item *item)
{
  if (items->count == items->room) {
    size_t room = items->room ? 2 * items->room : 16;
    struct item *more = reallocarray(items->queue, room, sizeof *more);
    if (!more) {
      items->failed = true;
      return;
    }
    items->queue = more;
    items->room = room;
  }
  items->queue[items->count++] = *item;
}

static void put_held(struct items *items)
{
  if (items->held.end > items->held.time)
    put(items, &items->held);
}

static void take_interval(void *context, const struct state_interval *interval)
{
  struct items *items = context;
  struct item *held = &items->held;
  bool same = held->state == interval->state && held->end == interval->start &&
              (items->kind == ITEMS_STATES || held->index == interval->construct);
  if (held->end > held->time && same) {
    held->end = interval->end;
    return;
  }
  put_held(items);
  *held = (struct item){.time = interval->start,
                        .end = interval->end,
                        .index = interval->construct,
                        .kind = ITEM_STATE,
                        .state = (uint8_t)interval->state};
}

static bool open_region(struct items *items, const struct trace_event *event)
{
  if (items->depth == items->depth_room) {
    size_t room = items->depth_room ? 2 * items->depth_room : 16;
    if (room > MACHINE_DEPTH_LIMIT)
      return trace_fail(items->error, "%s: more than %zu nested regions: the archive is damaged", items->trace->anchor,
                        items->depth);
    struct open_region *more = reallocarray(items->open, room, sizeof *more);
    if (!more)
      return trace_fail(items->error, "%s: out of memory", items->trace->anchor);
    items->open = more;
    items->depth_room = room;
  }
  const struct open_region *outer = items->depth > 0 ? &items->open[items->depth - 1] : NULL;
  uint8_t rule = items->rules[event->index];
  bool part = outer && !outer->part && rule != RULE_INHERIT && state_rules[outer->rule].part == rule;
  items->open[items->depth++] = (struct open_region){event->time, event->index, rule, part};
  return true;
}

static bool enter(struct items *items, const struct trace_event *event)
{
  if (event->index == TRACE_NONE)
    return true;
  if (!open_region(items, event))
    return false;
  const struct open_region *top = &items->open[items->depth - 1];
  struct item item = {
      .time = event->time, .index = top->region, .kind = ITEM_ENTER, .rule = top->rule, .part = top->part};
  if (top->part)
    item.outer = top[-1].region;
  if (top->rule == RULE_CHUNK) {
    uint64_t iterations = trace_attribute(event, items->trace->iterations, UINT64_MAX);
    item.iterations = iterations < UINT32_MAX ? (uint32_t)iterations : UINT32_MAX;
    item.first_iteration = trace_attribute_signed(event, items->trace->first_iteration, 0);
  }
  put(items, &item);
  return true;
}

static void close_top(struct items *items, uint64_t time)
{
  items->last_left = items->open[--items->depth];
  put(items, &(struct item){.time = time,
                            .index = items->last_left.region,
                            .kind = ITEM_LEAVE,
                            .rule = items->last_left.rule,
                            .part = items->last_left.part});
}

static void leave(struct items *items, const struct trace_event *event)
{
  size_t at = items->depth;
  for (size_t i = 0; i < UNMATCHED_DEPTH && at > 0 && items->open[at - 1].region != event->index; i++)
    at--;
  if (at == 0 || event->index == TRACE_NONE || items->open[at - 1].region != event->index)
    return;
  while (items->depth >= at)
    close_top(items, event->time);
}

static bool is_lock_routine(unsigned rule)
{
  return rule == RULE_SET_LOCK || rule == RULE_SET_NEST_LOCK || rule == RULE_TEST_LOCK;
}

/* Who asked for the lock: the routine that has just returned, or the construct that the thread is in. */
static void acquire(struct items *items, const struct trace_event *event)
{
  struct item item = {.time = event->time, .since = event->time, .index = event->index, .kind = ITEM_ACQUIRE};
  const struct open_region *asker = NULL;
  if (is_lock_routine(items->last_left.rule))
    asker = &items->last_left;
  else if (items->depth > 0)
    asker = &items->open[items->depth - 1];
  if (asker) {
    item.since = asker->since;
    item.rule = asker->rule;
  }
  items->last_left.rule = RULE_INHERIT;
  put(items, &item);
}

static bool take_event(struct items *items, const struct trace_event *event)
{
  struct item item = {.time = event->time, .index = event->index};
  switch (event->kind) {
  case TRACE_Enter:
    return enter(items, event);
  case TRACE_Leave:
    leave(items, event);
    return true;
  case TRACE_ThreadAcquireLock:
  case TRACE_OmpAcquireLock:
    acquire(items, event);
    return true;
  case TRACE_ThreadReleaseLock:
  case TRACE_OmpReleaseLock:
    item.kind = ITEM_RELEASE;
    item.rule = items->depth > 0 ? items->open[items->depth - 1].rule : RULE_INHERIT;
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
  put(items, &item);
  return true;
}

static bool on_event(void *context, const struct trace_event *event)
{
  struct items *items = context;
  items->last = event->time;
  if (items->kind == ITEMS_EVENTS)
    return take_event(items, event);
  if (!items->begun)
    put(items, &(struct item){.time = event->time, .kind = ITEM_BEGIN});
  items->begun = true;
  return machine_event(items->machine, event, items->error);
}

struct items *items_open(const struct trace *trace, uint32_t location, enum items_kind kind, const uint8_t *rules,
                         struct trace_error *error)
{
  struct items *items = calloc(1, sizeof *items);
  if (items) {
    *items = (struct items){.trace = trace, .rules = rules, .error = error, .kind = kind};
    if (kind != ITEMS_EVENTS)
      items->machine = machine_create(trace, location, rules, take_interval, items);
  }
  if (!items || (kind != ITEMS_EVENTS && !items->machine)) {
    free(items);
    trace_fail(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  items->stream = trace_stream_open(trace, location, on_event, items, error);
  if (items->stream)
    return items;
  items_close(items);
  return NULL;
}

void items_close(struct items *items)
{
  if (!items)
    return;
  trace_stream_close(items->stream);
  machine_destroy(items->machine);
  free(items->queue);
  free(items->open);
  free(items);
}

static bool finish(struct items *items)
{
  trace_stream_close(items->stream);
  items->stream = NULL;
  while (items->depth > 0)
    close_top(items, items->last);
  if (items->kind == ITEMS_EVENTS)
    return true;
  if (!machine_end(items->machine, items->error))
    return false;
  put_held(items);
  if (items->begun)
    put(items, &(struct item){.time = items->last, .kind = ITEM_END});
  return true;
}

const struct item *items_next(struct items *items, bool *good)
{
  *good = true;
  if (items->next == items->count)
    items->next = items->count = 0;
  while (items->count == 0 && items->stream) {
    uint64_t read;
    /* What is read to its end is closed at once: an open stream takes much more memory than what waits here. */
    *good = trace_stream_read(items->stream, BATCH, &read) && (read == BATCH || finish(items));
    if (*good && items->failed)
      *good = trace_fail(items->error, "%s: out of memory", items->trace->anchor);
    if (!*good)
      return NULL;
  }
  return items->next < items->count ? &items->queue[items->next++] : NULL;
}
