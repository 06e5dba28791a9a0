#include "analyzer/models/sequences/binary.h"
#include "analyzer/models/sequences/leb128.h"
#include "analyzer/trace/output.h"

#include <string.h>

static void binary_write_put_number(FILE *file, uint64_t number)
{
  unsigned char bytes[LEB128_MOST];
  fwrite(bytes, 1, (size_t)(leb128_put(bytes, number) - bytes), file);
}

static void put_text(FILE *file, const char *text)
{
  size_t length = strlen(text);
  binary_write_put_number(file, length);
  fwrite(text, 1, length, file);
}

static void put_program(FILE *file, const struct pes_program *program)
{
  put_text(file, program->name);
  binary_write_put_number(file, program->ticks_per_second);
  binary_write_put_number(file, program->parameter_count);
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    put_text(file, program->parameters[i].name);
    put_text(file, program->parameters[i].value);
  }
  binary_write_put_number(file, program->set_count);
  for (uint32_t i = 0; i < program->set_count; i++) {
    binary_write_put_number(file, program->sets[i].count);
    for (uint32_t j = 0; j < program->sets[i].count; j++) {
      const struct pes_value *value = &program->sets[i].values[j];
      binary_write_put_number(file, (uint64_t)value->id << 1 ^ (uint64_t)(value->id < 0 ? -1 : 0));
      put_text(file, value->name);
      put_text(file, value->code);
    }
  }
  binary_write_put_number(file, program->component_count);
  for (uint32_t i = 0; i < program->component_count; i++) {
    put_text(file, program->components[i].name);
    binary_write_put_number(file, program->components[i].set);
  }
}

static void binary_write_put_state(FILE *file, const struct pes_state *state, uint32_t component_count)
{
  binary_write_put_number(file, state->kind);
  if (state->kind == PES_BASIC) {
    for (uint32_t i = 0; i < component_count; i++)
      binary_write_put_number(file, state->vector[i]);
    return;
  }
  put_text(file, state->name);
  if (state->kind == PES_FILTER) {
    binary_write_put_number(file, (uint32_t)(state->before + 1));
    binary_write_put_number(file, (uint32_t)(state->after + 1));
  }
  binary_write_put_number(file, state->run_count);
  for (uint32_t i = 0; i < state->run_count; i++) {
    const struct pes_run *run = &state->runs[i];
    binary_write_put_number(file, run->count);
    binary_write_put_number(file, run->length);
    for (uint32_t j = 0; j < run->length; j++)
      binary_write_put_number(file, run->states[j]);
  }
  binary_write_put_number(file, state->other_runs);
}

struct written {
  uint64_t count, entry, bytes;
};

static bool binary_write_put_records(FILE *file, struct pes_stream *stream, struct written *written,
                                     struct error *error)
{
  struct pes_record records[PES_BATCH];
  unsigned char bytes[PES_BATCH * 2 * LEB128_MOST];
  size_t count;
  do {
    unsigned char *to = bytes;
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count; i++) {
      to = leb128_put(to, records[i].entry - written->entry);
      to = leb128_put(to, records[i].state);
      written->entry = records[i].entry;
    }
    fwrite(bytes, 1, (size_t)(to - bytes), file);
    written->bytes += (uint64_t)(to - bytes);
    written->count += count;
  } while (count > 0 && !ferror(file));
  return true;
}

bool binary_write(struct pes_stream *stream, const char *path, struct error *error)
{
  struct output output;
  struct written written = {.bytes = BINARY_MAGIC_LENGTH};
  if (!pes_rewind(stream, error) || !output_open(&output, path, error))
    return false;
  FILE *file = output.file;
  fwrite(BINARY_MAGIC, 1, BINARY_MAGIC_LENGTH, file);
  if (!binary_write_put_records(file, stream, &written, error))
    return output_close(&output, false, error);
  put_program(file, stream->program);
  uint32_t states = pes_states_count(stream->states);
  binary_write_put_number(file, states);
  for (uint32_t i = 0; i < states; i++)
    binary_write_put_state(file, pes_state(stream->states, i), stream->program->component_count);
  binary_write_put_number(file, written.count);
  binary_write_put_number(file, written.entry);
  binary_write_put_number(file, stream->end.time);
  binary_write_put_number(file, (uint32_t)(stream->end.terminal + 1));
  for (unsigned i = 0; i < 8; i++)
    putc((int)(written.bytes >> 8 * i & 0xff), file);
  fwrite(BINARY_FOOTER, 1, 8, file);
  return output_close(&output, true, error);
}
