/* A sequence in memory. */
#include "analyzer/pes/stream.h"

#include <stdlib.h>
#include <string.h>

struct memory {
  struct pes_stream stream;
  struct pes_program *program;
  size_t count, at;
  struct pes_record records[];
};

static bool next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct memory *memory = (struct memory *)stream;
  size_t left = memory->count - memory->at;
  (void)error;
  *count = left < PES_BATCH ? left : PES_BATCH;
  memcpy(records, memory->records + memory->at, *count * sizeof *records);
  memory->at += *count;
  return true;
}

static bool begin_again(struct pes_stream *stream, struct error *error)
{
  (void)error;
  ((struct memory *)stream)->at = 0;
  return true;
}

static void close_memory(struct pes_stream *stream)
{
  struct memory *memory = (struct memory *)stream;
  pes_program_free(memory->program);
  pes_states_free(stream->states);
  free(memory);
}

struct pes_stream *pes_from_memory(struct pes_program *program, struct pes_states *states,
                                   const struct pes_record *records, size_t count, struct pes_end end,
                                   struct error *error)
{
  static const struct pes_class class = {next, begin_again, close_memory};
  struct memory *memory = malloc(sizeof *memory + count * sizeof *records);
  if (!memory) {
    pes_program_free(program);
    pes_states_free(states);
    error_set(error, "out of memory");
    return NULL;
  }
  *memory = (struct memory){.stream = {&class, program, states, true, end}, .program = program, .count = count};
  memcpy(memory->records, records, count * sizeof *records);
  return &memory->stream;
}
