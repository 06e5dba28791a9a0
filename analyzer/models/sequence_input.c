#include "analyzer/models/sequence_input.h"

#include "analyzer/command/analysis.h"
#include "analyzer/models/sequences/from_trace.h"
#include "analyzer/trace/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool sequence_input_is_trace(const char *path)
{
  struct stat status;
  size_t length = strlen(path);
  return (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) ||
         (length > 5 && strcmp(path + length - 5, ".otf2") == 0);
}

bool sequence_input_open(struct sequence_input *input, const char *path, struct pool **pool, struct error *error)
{
  struct pes_trace_options options = {.vector = PES_COUNTS, .step = 1, .again = true};
  *input = (struct sequence_input){NULL, NULL};
  if (!sequence_input_is_trace(path)) {
    input->stream = pes_open(path, error);
    return input->stream;
  }
  otf2_library_quiet();
  input->trace = trace_open(path, error);
  if (!input->trace || !analysis_has_events(input->trace, error))
    return false;
  if (!*pool && !(*pool = pool_create(0)))
    return error_set(error, "out of memory");
  input->stream = pes_from_trace(input->trace, *pool, &options, error);
  return input->stream;
}

void sequence_input_close(struct sequence_input *input)
{
  pes_close(input->stream);
  trace_close(input->trace);
}

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
