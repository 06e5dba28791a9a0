#include "analyzer/report/teamwork_reader.h"

#include <stddef.h>
#include <stdlib.h>

enum { TEAMWORK_READER_NESTED_MAX = 64 /* loops and chunks that are followed */ };

/* A loop or chunk that is open. */
struct teamwork_reader_open {
  uint32_t region;
  enum rule rule;
  struct chunk chunk;
};

struct work_reader {
  const struct trace *trace;
  const uint8_t *rules;
  struct error *error;
  uint32_t location;
  struct edge_reader steps;
  struct teamwork_reader_open open[TEAMWORK_READER_NESTED_MAX];
  unsigned open_count;
  struct item_queue queue; /* of struct work */
};

static bool fail(const struct work_reader *reader)
{
  return error_set(reader->error, "%s: out of memory", reader->trace->anchor);
}

static bool teamwork_reader_put(struct work_reader *reader, const struct work *work)
{
  struct work *place = item_queue_add(&reader->queue);
  if (!place)
    return fail(reader);
  *place = *work;
  return true;
}

static bool enter(struct work_reader *reader, const struct trace_event *event)
{
  enum rule rule = event->index == TRACE_NONE ? RULE_INHERIT : reader->rules[event->index];
  if ((rule != RULE_LOOP && rule != RULE_CHUNK) || reader->open_count == TEAMWORK_READER_NESTED_MAX)
    return true;
  struct teamwork_reader_open *open = &reader->open[reader->open_count++];
  *open = (struct teamwork_reader_open){.region = event->index, .rule = rule};
  if (rule == RULE_CHUNK)
    open->chunk = (struct chunk){.location = reader->location,
                                 .begin = event->time,
                                 .first = trace_attribute_signed(event, reader->trace->first_iteration, 0),
                                 .iterations = trace_attribute(event, reader->trace->iterations, 0)};
  struct work work = {.kind = WORK_LOOP_BEGIN, .region = event->index, .time = event->time};
  return rule != RULE_LOOP || teamwork_reader_put(reader, &work);
}

static bool close_open(struct work_reader *reader, struct teamwork_reader_open *open, uint64_t time)
{
  struct work work = {.kind = WORK_LOOP_END, .region = open->region, .time = time};
  if (open->rule == RULE_CHUNK) {
    work.kind = WORK_CHUNK;
    work.chunk = open->chunk;
    work.chunk.end = time;
  }
  return teamwork_reader_put(reader, &work);
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

bool work_reader_event(struct work_reader *reader, const struct trace_event *event)
{
  struct work work = {.kind = WORK_STEP, .time = event->time};
  bool found;
  if (!edge_reader_take(&reader->steps, event, &work.step, &found))
    return fail(reader);
  if (found)
    return teamwork_reader_put(reader, &work);
  if (reader->trace->locations[reader->location].left_out)
    return true;
  return event->kind == TRACE_Enter ? enter(reader, event) : event->kind != TRACE_Leave || leave(reader, event);
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
  reader->steps = edge_reader_of(rules, WORK_EDGES);
  reader->queue = (struct item_queue){.size = sizeof(struct work), .time_at = offsetof(struct work, time)};
  return reader;
}

void work_reader_close(struct work_reader *reader)
{
  if (!reader)
    return;
  item_queue_free(&reader->queue);
  edge_reader_free(&reader->steps);
  free(reader);
}

struct item_queue *work_reader_queue(struct work_reader *reader)
{
  return &reader->queue;
}
