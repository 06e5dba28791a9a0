/* Sequences that are made in a pass of someone else, and kept until it is over. */
#include "analyzer/pes/changes.h"
#include "analyzer/pes/kept.h"

#include <stdlib.h>

struct pes_taker {
  struct changes changes;
  unsigned count;
  struct kept *kept[PES_TAKEN_MOST];
};

static void free_taker(struct pes_taker *taker)
{
  if (!taker)
    return;
  changes_drop(&taker->changes);
  for (unsigned i = 0; i < taker->count; i++)
    kept_destroy(taker->kept[i]);
  free(taker);
}

static bool add(struct pes_taker *taker, unsigned index, const struct pes_trace_options *options)
{
  taker->kept[index] = kept_create();
  if (!taker->kept[index])
    return false;
  struct sequence *sequence = sequence_create(taker->changes.trace, options, kept_add, taker->kept[index]);
  changes_add(&taker->changes, index, sequence);
  return sequence;
}

struct pes_taker *pes_taker_begin(const struct trace *trace, const struct pes_trace_options *options, unsigned count,
                                  uint32_t states_most, struct error *error)
{
  struct pes_taker *taker = calloc(1, sizeof *taker);
  bool good = taker;
  if (good) {
    changes_begin(&taker->changes, trace, options[0].component, states_most);
    taker->count = count;
  }
  for (unsigned i = 0; good && i < count; i++)
    good = add(taker, i, &options[i]);
  if (good)
    return taker;
  free_taker(taker);
  error_set(error, "%s: out of memory", trace->anchor);
  return NULL;
}

const struct subscriber *pes_taker_subscriber(const struct pes_taker *taker)
{
  return &taker->changes.subscriber;
}

/* A stream takes over what it reads. */
static struct pes_stream *stream_of(struct sequence *sequence, struct kept *kept)
{
  struct pes_stream *stream = kept_stream(kept, sequence->program, sequence->states, sequence->end);
  sequence->program = NULL;
  sequence->states = NULL;
  return stream;
}

bool pes_taker_end(struct pes_taker *taker, struct pes_stream **streams, struct error *error)
{
  const struct trace *trace = taker->changes.trace;
  bool good = changes_end(&taker->changes, error);
  for (unsigned i = 0; i < taker->count; i++) {
    struct sequence *sequence = taker->changes.sequences[i];
    streams[i] = NULL;
    if (!good || !sequence)
      continue;
    streams[i] = stream_of(sequence, taker->kept[i]);
    taker->kept[i] = NULL;
    good = streams[i] || error_set(error, "%s: out of memory", trace->anchor);
  }
  free_taker(taker);
  return good;
}

void pes_taker_drop(struct pes_taker *taker, struct error *error)
{
  if (taker && taker->changes.error.message[0])
    *error = taker->changes.error;
  free_taker(taker);
}
