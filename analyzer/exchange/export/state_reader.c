#include "analyzer/exchange/export/state_reader.h"

#include "analyzer/trace/pass/pass.h"

#include <stddef.h>
#include <stdlib.h>

enum { BATCH = 256 }; /* events read at a time: what waits is at most that */

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
  struct item next; /* what the caller got last */
  struct item_queue states;
  VECTOR(struct open_wait) waits; /* with callers, the innermost last */
  bool failed;                    /* no memory, where that could not be returned */
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
