/* A sequence in memory. */
#include "analyzer/models/sequences/stream.h"

#include <stdlib.h>
#include <string.h>

struct memory_stream {
  struct pes_stream stream;
  struct pes_program *program;
  size_t count, at;
  struct pes_record records[];
};

static bool from_memory_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct memory_stream *stored = (struct memory_stream *)stream;
  size_t left = stored->count - stored->at;
  (void)error;
  *count = left < PES_BATCH ? left : PES_BATCH;
  memcpy(records, stored->records + stored->at, *count * sizeof *records);
  stored->at += *count;
  return true;
}

static bool from_memory_begin_again(struct pes_stream *stream, struct error *error)
{
  (void)error;
  ((struct memory_stream *)stream)->at = 0;
  return true;
}

static void from_memory_close_stream(struct pes_stream *stream)
{
  struct memory_stream *stored = (struct memory_stream *)stream;
  pes_program_free(stored->program);
  pes_states_free(stream->states);
  free(stored);
}

struct pes_stream *pes_from_memory(struct pes_program *program, struct pes_states *states,
                                   const struct pes_record *records, size_t count, struct pes_end end,
                                   struct error *error)
{
  static const struct pes_class class = {from_memory_next, from_memory_begin_again, from_memory_close_stream};
  struct memory_stream *stored = malloc(sizeof *stored + count * sizeof *records);
  if (!stored) {
    pes_program_free(program);
    pes_states_free(states);
    error_set(error, "out of memory");
    return NULL;
  }
  *stored = (struct memory_stream){.stream = {&class, program, states, true, end}, .program = program, .count = count};
  memcpy(stored->records, records, count * sizeof *records);
  return &stored->stream;
}
