#include "analyzer/report/teamwork_reader.h"

#include <stddef.h>
#include <stdlib.h>

enum { NESTED_MAX = 64 /* loops, chunks and parallel regions that are followed */ };

/* A loop, chunk or parallel region that is open. */
struct open {
  uint32_t region;
  enum rule rule;
  struct chunk chunk;
};

struct work_reader {
  const struct trace *trace;
  const uint8_t *rules;
  struct error *error;
  uint32_t location;
  struct open open[NESTED_MAX];
  unsigned open_count;
  struct item_queue queue; /* of struct work */
};

static bool put(struct work_reader *reader, const struct work *work)
{
  struct work *place = item_queue_add(&reader->queue);
  if (!place)
    return error_set(reader->error, "%s: out of memory", reader->trace->anchor);
  *place = *work;
  return true;
}

static bool put_plain(struct work_reader *reader, enum work_kind kind, uint32_t index, uint64_t time)
{
  struct work work = {.kind = kind, .index = index, .time = time};
  return put(reader, &work);
}

static bool enter(struct work_reader *reader, const struct trace_event *event)
{
  enum rule rule = event->index == TRACE_NONE ? RULE_INHERIT : reader->rules[event->index];
  if ((rule != RULE_LOOP && rule != RULE_CHUNK && rule != RULE_PARALLEL) || reader->open_count == NESTED_MAX)
    return true;
  struct open *open = &reader->open[reader->open_count++];
  *open = (struct open){.region = event->index, .rule = rule};
  if (rule == RULE_CHUNK)
    open->chunk = (struct chunk){.location = reader->location,
                                 .begin = event->time,
                                 .first = trace_attribute_signed(event, reader->trace->first_iteration, 0),
                                 .iterations = trace_attribute(event, reader->trace->iterations, 0)};
  return rule != RULE_LOOP || put_plain(reader, WORK_LOOP_BEGIN, event->index, event->time);
}

static bool close_open(struct work_reader *reader, struct open *open, uint64_t time)
{
  struct work work = {.kind = WORK_CHUNK, .time = time};
  if (open->rule == RULE_LOOP)
    return put_plain(reader, WORK_LOOP_END, open->region, time);
  if (open->rule != RULE_CHUNK)
    return true;
  open->chunk.end = time;
  work.chunk = open->chunk;
  return put(reader, &work);
}

/* What is open inside of the region that is left ends with it; what was never entered is passed over. */
static bool leave(struct work_reader *reader, const struct trace_event *event)
{
  unsigned at = reader->open_count;
  while (at > 0 && reader->open[at - 1].region != event->index)
    at--;
  while (at > 0 && reader->open_count >= at)
    if (!close_open(reader, &reader->open[--reader->open_count], event->time))
      return false;
  return true;
}

static uint32_t innermost_parallel(const struct work_reader *reader)
{
  for (unsigned i = reader->open_count; i-- > 0;)
    if (reader->open[i].rule == RULE_PARALLEL)
      return reader->open[i].region;
  return TRACE_NONE;
}

static bool put_task(struct work_reader *reader, const struct trace_event *event, enum work_kind kind)
{
  struct work work = {.kind = kind,
                      .time = event->time,
                      .team = event->index,
                      .creator = event->creator,
                      .generation = event->generation};
  return put(reader, &work);
}

bool work_reader_event(struct work_reader *reader, const struct trace_event *event)
{
  switch (event->kind) {
  case TRACE_Enter:
    return enter(reader, event);
  case TRACE_Leave:
    return leave(reader, event);
  case TRACE_ThreadFork:
    return put_plain(reader, WORK_FORK, innermost_parallel(reader), event->time);
  case TRACE_ThreadJoin:
    return put_plain(reader, WORK_JOIN, TRACE_NONE, event->time);
  case TRACE_ThreadTeamBegin:
    return event->index == TRACE_NONE || put_plain(reader, WORK_TEAM_BEGIN, event->index, event->time);
  case TRACE_ThreadTeamEnd:
    return event->index == TRACE_NONE || put_plain(reader, WORK_TEAM_END, event->index, event->time);
  case TRACE_ThreadTaskCreate:
    return put_task(reader, event, WORK_TASK_CREATE);
  case TRACE_ThreadTaskSwitch:
    return put_task(reader, event, WORK_TASK_SWITCH);
  default:
    return true;
  }
}

struct work_reader *work_reader_open(const struct trace *trace, uint32_t location, const uint8_t *rules,
                                     struct error *error)
{
  struct work_reader *reader = calloc(1, sizeof *reader);
  if (!reader) {
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  reader->trace = trace;
  reader->rules = rules;
  reader->error = error;
  reader->location = location;
  reader->queue = (struct item_queue){.size = sizeof(struct work), .time_at = offsetof(struct work, time)};
  return reader;
}

void work_reader_close(struct work_reader *reader)
{
  if (!reader)
    return;
  item_queue_free(&reader->queue);
  free(reader);
}

struct item_queue *work_reader_queue(struct work_reader *reader)
{
  return &reader->queue;
}
