#include "analyzer/models/sequences/from_trace.h"

#include "analyzer/models/sequences/record_store.h"
#include "analyzer/models/sequences/sequence.h"
#include "analyzer/models/sequences/state_vector.h"
#include "analyzer/trace/restriction.h"
#include "base/vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pes_collector {
  struct sequence_feed changes;
  unsigned count;
  struct record_store *stores[PES_SEQUENCES_MOST];
};

static void free_collector(struct pes_collector *collector)
{
  if (!collector)
    return;
  sequence_feed_drop(&collector->changes);
  for (unsigned i = 0; i < collector->count; i++)
    record_store_destroy(collector->stores[i]);
  free(collector);
}

static bool add(struct pes_collector *collector, unsigned index, const struct pes_trace_options *options)
{
  collector->stores[index] = record_store_create();
  if (!collector->stores[index])
    return false;
  struct sequence *sequence =
      sequence_create(collector->changes.trace, options, record_store_add, collector->stores[index]);
  sequence_feed_add(&collector->changes, index, sequence);
  return sequence;
}

struct pes_collector *pes_collector_create(const struct trace *trace, const struct pes_trace_options *options,
                                           unsigned count, uint32_t states_most, struct error *error)
{
  struct pes_collector *collector = calloc(1, sizeof *collector);
  bool good = collector;
  if (good) {
    sequence_feed_begin(&collector->changes, trace, options[0].component, states_most);
    collector->count = count;
  }
  for (unsigned i = 0; good && i < count; i++)
    good = add(collector, i, &options[i]);
  if (good)
    return collector;
  free_collector(collector);
  error_set(error, "%s: out of memory", trace->anchor);
  return NULL;
}

const struct subscriber *pes_collector_subscriber(const struct pes_collector *collector)
{
  return &collector->changes.subscriber;
}

/* A stream takes over what it reads. */
static struct pes_stream *stream_of(struct sequence *sequence, struct record_store *store)
{
  struct pes_stream *stream = record_store_stream(store, sequence->program, sequence->states, sequence->end);
  sequence->program = NULL;
  sequence->states = NULL;
  return stream;
}

bool pes_collector_finish(struct pes_collector *collector, struct pes_stream **streams, struct error *error)
{
  const struct trace *trace = collector->changes.trace;
  bool good = sequence_feed_end(&collector->changes, error);
  for (unsigned i = 0; i < collector->count; i++) {
    struct sequence *sequence = collector->changes.sequences[i];
    streams[i] = NULL;
    if (!good || !sequence)
      continue;
    streams[i] = stream_of(sequence, collector->stores[i]);
    collector->stores[i] = NULL;
    good = streams[i] || error_set(error, "%s: out of memory", trace->anchor);
  }
  free_collector(collector);
  return good;
}

void pes_collector_explain(const struct pes_collector *collector, struct error *error)
{
  if (collector->changes.error.message[0])
    *error = collector->changes.error;
}

void pes_collector_cancel(struct pes_collector *collector, struct error *error)
{
  if (collector && error)
    pes_collector_explain(collector, error);
  free_collector(collector);
}

/* A sequence that is made while it is read. The records of a round wait here. */
struct source {
  struct pes_stream stream;
  const struct trace *trace;
  struct pool *pool;
  struct sequence_feed changes;
  const struct subscriber *subscribers[2];
  unsigned subscriber_count;
  struct sequence *sequence; /* the only one of the changes */
  struct ordered_pass *pass; /* NULL: not begun, or at the end */
  VECTOR(struct pes_record) records;
  size_t at;
  bool begun;
};

/* A sink. */
static bool add_record(void *context, const struct pes_record *record, struct error *error)
{
  struct source *source = context;
  return vector_push(&source->records, *record) || error_set(error, "%s: out of memory", source->trace->anchor);
}

static bool begin(struct source *source, struct error *error)
{
  source->begun = true;
  source->pass = ordered_pass_open(source->trace, source->pool, source->subscribers, source->subscriber_count, error);
  return source->pass;
}

/* The records of the next round; the pass ends after the last one. */
static bool read_round(struct source *source, struct error *error)
{
  bool more;
  source->at = source->records.count = 0;
  if (!ordered_pass_round(source->pass, &more, error)) {
    if (source->changes.error.message[0])
      *error = source->changes.error;
    return false;
  }
  if (more)
    return true;
  ordered_pass_close(source->pass);
  source->pass = NULL;
  bool good = sequence_end(source->sequence, error);
  source->stream.end = source->sequence->end;
  return good;
}

static bool from_trace_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct source *source = (struct source *)stream;
  if (!source->begun && !begin(source, error))
    return false;
  while (source->at == source->records.count && source->pass)
    if (!read_round(source, error))
      return false;
  size_t left = source->records.count - source->at;
  *count = left < PES_BATCH ? left : PES_BATCH;
  if (*count > 0)
    memcpy(records, source->records.items + source->at, *count * sizeof *records);
  source->at += *count;
  return true;
}

static bool from_trace_begin_again(struct pes_stream *stream, struct error *error)
{
  struct source *source = (struct source *)stream;
  ordered_pass_close(source->pass);
  source->pass = NULL;
  source->begun = false;
  source->at = source->records.count = 0;
  return sequence_begin(source->sequence) || error_set(error, "%s: out of memory", source->trace->anchor);
}

static void close_source(struct pes_stream *stream)
{
  struct source *source = (struct source *)stream;
  ordered_pass_close(source->pass);
  sequence_feed_drop(&source->changes);
  vector_free(&source->records);
  free(source);
}

static struct pes_stream *make_while_read(const struct trace *trace, struct pool *pool,
                                          const struct pes_trace_options *options, struct error *error)
{
  static const struct pes_class class = {from_trace_next, from_trace_begin_again, close_source};
  struct source *source = calloc(1, sizeof *source);
  struct sequence *sequence = source ? sequence_create(trace, options, add_record, source) : NULL;
  if (!sequence) {
    free(source);
    error_set(error, "%s: out of memory", trace->anchor);
    return NULL;
  }
  *source = (struct source){.stream = {.class = &class, .program = sequence->program, .states = sequence->states},
                            .trace = trace,
                            .pool = pool,
                            .sequence = sequence};
  sequence_feed_begin(&source->changes, trace, options->component, 0);
  sequence_feed_add(&source->changes, 0, sequence);
  source->subscribers[source->subscriber_count++] = &source->changes.subscriber;
  if (options->also)
    source->subscribers[source->subscriber_count++] = options->also;
  return &source->stream;
}

static struct pes_stream *make_first(const struct trace *trace, struct pool *pool,
                                     const struct pes_trace_options *options, struct error *error)
{
  struct pes_stream *stream = NULL;
  struct pes_collector *collector = pes_collector_create(trace, options, 1, 0, error);
  if (!collector)
    return NULL;
  const struct subscriber *subscribers[] = {pes_collector_subscriber(collector), options->also};
  if (!pass_in_order(trace, pool, subscribers, options->also ? 2 : 1, error))
    pes_collector_cancel(collector, error);
  else if (!pes_collector_finish(collector, &stream, error))
    stream = NULL;
  return stream;
}

struct pes_stream *pes_from_trace(const struct trace *trace, struct pool *pool, const struct pes_trace_options *options,
                                  struct error *error)
{
  bool first = options->again || state_vector_grows(options);
  return (first ? make_first : make_while_read)(trace, pool, options, error);
}

/* Limit of other sequences, too: 1 GiB of vectors. */
#define INTERVALS_VECTORS_LIMIT (UINT64_C(1) << 28)

/* One more is open on a component, or one less. */
struct step {
  uint64_t time;
  uint32_t component;
  int32_t by;
};

struct maker {
  const struct trace *trace;
  struct step *steps;
  size_t count;
  struct pes_program *program;
  struct pes_states *states;
  struct record_store *store;
  uint32_t *open; /* by component */
  uint32_t most;  /* open at a time */
};

static int by_time(const void *a, const void *b)
{
  const struct step *x = a, *y = b;
  return (x->time > y->time) - (x->time < y->time);
}

/* Stretches that take no time have no steps. False: out of memory. */
static bool make_steps(struct maker *maker, const struct pes_interval *list, size_t count, const char *total)
{
  uint32_t locations = maker->trace->location_count;
  uint32_t *component_of = calloc(locations + 1, sizeof *component_of);
  maker->steps = calloc(2 * count + 1, sizeof *maker->steps);
  bool good = component_of && maker->steps;
  for (size_t i = 0; good && i < count; i++)
    component_of[list[i].location] = 1;
  if (good && total)
    good = pes_program_add_component(maker->program, total, 0) != PES_NONE;
  for (uint32_t i = 0; good && i < locations; i++) {
    uint32_t component = 0;
    if (!total && component_of[i])
      good = (component = pes_program_add_component(maker->program, maker->trace->locations[i].name, 0)) != PES_NONE;
    component_of[i] = component;
  }
  for (size_t i = 0; good && i < count; i++) {
    if (list[i].end == list[i].begin)
      continue;
    uint32_t component = component_of[list[i].location];
    maker->steps[maker->count++] = (struct step){list[i].begin, component, 1};
    maker->steps[maker->count++] = (struct step){list[i].end, component, -1};
  }
  free(component_of);
  if (good)
    qsort(maker->steps, maker->count, sizeof *maker->steps, by_time);
  return good;
}

/* All steps of one time. Returns the next one. */
static size_t take_moment(struct maker *maker, size_t at)
{
  uint64_t time = maker->steps[at].time;
  for (; at < maker->count && maker->steps[at].time == time; at++)
    maker->open[maker->steps[at].component] += (uint32_t)maker->steps[at].by;
  return at;
}

/* The values are the numbers of open ones. False: out of memory. */
static bool add_values(struct maker *maker)
{
  for (size_t i = 0; i < maker->count;) {
    size_t next = take_moment(maker, i);
    for (; i < next; i++) {
      uint32_t open = maker->open[maker->steps[i].component];
      maker->most = open > maker->most ? open : maker->most;
    }
  }
  for (uint32_t i = 0; i <= maker->most; i++) {
    char name[32], code[32];
    snprintf(name, sizeof name, i == 1 ? "open" : "%u open", i);
    snprintf(code, sizeof code, i == 0 ? "N" : i == 1 ? "O" : "O%u", i);
    if (pes_program_add_value(maker->program, 0, i, name, code) == PES_NONE)
      return false;
  }
  return true;
}

static bool intervals_intern(struct maker *maker, uint32_t *state, struct error *error)
{
  uint32_t components = maker->program->component_count;
  *state = pes_states_intern(maker->states, maker->open);
  if (*state == PES_NONE)
    return error_set(error, "out of memory");
  return (uint64_t)pes_states_count(maker->states) * components <= INTERVALS_VECTORS_LIMIT ||
         error_set(error, "%s: more than %u different vectors of %u components: follow fewer (--vector counts)",
                   maker->trace->anchor, pes_states_count(maker->states), components);
}

/* From `begin` on; *end is not before the last one. */
static bool make_records(struct maker *maker, uint64_t begin, uint64_t *end, struct error *error)
{
  struct pes_record held = {.entry = begin};
  if (!intervals_intern(maker, &held.state, error))
    return false;
  for (size_t i = 0; i < maker->count;) {
    uint64_t time = maker->steps[i].time;
    struct pes_record record = {.entry = time > begin ? time : begin};
    i = take_moment(maker, i);
    if (!intervals_intern(maker, &record.state, error))
      return false;
    if (record.state == held.state)
      continue;
    if (held.entry < record.entry && !record_store_add(maker->store, &held, error))
      return false;
    held = record;
  }
  *end = held.entry > *end ? held.entry : *end;
  return record_store_add(maker->store, &held, error);
}

static void free_maker(struct maker *maker)
{
  free(maker->steps);
  free(maker->open);
  pes_program_free(maker->program);
  pes_states_free(maker->states);
  if (maker->store)
    record_store_destroy(maker->store);
}

struct pes_stream *pes_from_intervals(const struct trace *trace, const struct pes_interval *list, size_t count,
                                      const char *total, struct error *error)
{
  struct maker maker = {.trace = trace, .program = sequence_program(trace), .store = record_store_create()};
  uint64_t begin = trace_time_from(trace, trace->first_tick);
  uint64_t end = trace_time_to(trace, trace->first_tick + trace->length);
  bool good = maker.program && maker.store && pes_program_add_set(maker.program) != PES_NONE &&
              make_steps(&maker, list, count, total);
  if (good) {
    maker.open = calloc(maker.program->component_count + 1, sizeof *maker.open);
    maker.states = pes_states_create(maker.program->component_count);
    good = maker.open && maker.states && add_values(&maker);
  }
  if (!good)
    error_set(error, "out of memory");
  struct pes_stream *stream = NULL;
  if (good && make_records(&maker, begin, &end, error)) {
    stream = record_store_stream(maker.store, maker.program, maker.states, (struct pes_end){end, PES_NONE});
    maker.store = NULL;
    maker.program = NULL;
    maker.states = NULL;
    if (!stream)
      error_set(error, "out of memory");
  }
  free_maker(&maker);
  return stream;
}
