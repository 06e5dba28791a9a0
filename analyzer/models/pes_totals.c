#include "analyzer/models/pes_totals.h"

#include <stdlib.h>

struct totalled {
  struct pes_stream stream;
  struct pes_stream *source;
  struct pes_state_totals *totals;
};

static bool next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct totalled *totalled = (struct totalled *)stream;
  if (!pes_next(totalled->source, records, count, error))
    return false;
  if (!pes_state_totals_add(totalled->totals, stream, records, *count))
    return error_set(error, "out of memory");
  if (*count == 0) {
    stream->end = totalled->source->end;
    pes_state_totals_end(totalled->totals, &stream->end);
  }
  return true;
}

static bool begin_again(struct pes_stream *stream, struct error *error)
{
  struct totalled *totalled = (struct totalled *)stream;
  pes_state_totals_clear(totalled->totals);
  return pes_rewind(totalled->source, error);
}

static void close_totalled(struct pes_stream *stream)
{
  struct totalled *totalled = (struct totalled *)stream;
  pes_close(totalled->source);
  free(totalled);
}

struct pes_stream *pes_totals_stream(struct pes_stream *source, struct pes_state_totals *totals)
{
  static const struct pes_class class = {next, begin_again, close_totalled};
  struct totalled *totalled = malloc(sizeof *totalled);
  *totals = (struct pes_state_totals){0};
  if (!totalled) {
    pes_close(source);
    return NULL;
  }
  *totalled = (struct totalled){.stream = {.class = &class,
                                           .program = source->program,
                                           .states = source->states,
                                           .has_all_states = source->has_all_states},
                                .source = source,
                                .totals = totals};
  return &totalled->stream;
}
