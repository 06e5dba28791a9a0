#include "analyzer/models/sequences/collector.h"

#include "analyzer/models/sequences/changes.h"
#include "analyzer/models/sequences/record_store.h"

#include <stdlib.h>

struct pes_collector {
  struct changes changes;
  unsigned count;
  struct record_store *stores[PES_SEQUENCES_MOST];
};

static void free_collector(struct pes_collector *collector)
{
  if (!collector)
    return;
  changes_drop(&collector->changes);
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
  changes_add(&collector->changes, index, sequence);
  return sequence;
}

struct pes_collector *pes_collector_create(const struct trace *trace, const struct pes_trace_options *options,
                                           unsigned count, uint32_t states_most, struct error *error)
{
  struct pes_collector *collector = calloc(1, sizeof *collector);
  bool good = collector;
  if (good) {
    changes_begin(&collector->changes, trace, options[0].component, states_most);
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
  bool good = changes_end(&collector->changes, error);
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
