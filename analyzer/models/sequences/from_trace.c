#include "analyzer/models/sequences/from_trace.h"

#include "analyzer/models/sequences/sequence.h"
#include "analyzer/models/sequences/collector.h"
#include "analyzer/models/sequences/state_vector.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

/* A sequence that is made while it is read. The records of a round wait here. */
struct source {
  struct pes_stream stream;
  const struct trace *trace;
  struct pool *pool;
  struct changes changes;
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

/* The records of the next round; after the last one the pass is over. */
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
  changes_drop(&source->changes);
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
  changes_begin(&source->changes, trace, options->component, 0);
  changes_add(&source->changes, 0, sequence);
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
