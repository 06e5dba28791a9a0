#include "analyzer/models/sequences/binary.h"

#include "analyzer/trace/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 1 << 20 };

struct binary {
  struct pes_stream stream;
  struct input input;
  struct pes_program *program;
  uint64_t tail;
  uint64_t record_count, last_entry;
  uint64_t read, entry; /* so far */
  struct pes_end end;
};

/* Reports damage; the first one counts. */
static bool damaged(const struct binary *binary, struct error *error, const char *what)
{
  return error_set(error, "%s: is damaged: %s", binary->input.path, what);
}

static bool take_number(struct binary *binary, uint64_t *number, struct error *error)
{
  *number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    int byte = input_take(&binary->input);
    if (byte < 0)
      return input_failed(&binary->input, error);
    if (shift == 63 && byte > 1)
      break;
    *number |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return damaged(binary, error, "a number is too long");
}

static bool take_index(struct binary *binary, uint32_t *index, uint64_t limit, struct error *error)
{
  uint64_t number;
  if (!take_number(binary, &number, error))
    return false;
  *index = (uint32_t)number;
  return number < limit || damaged(binary, error, "a reference is out of range");
}

/* The caller frees it. NULL: an error. */
static char *take_text(struct binary *binary, struct error *error)
{
  uint64_t length;
  if (!take_number(binary, &length, error))
    return NULL;
  if (length > TEXT_LIMIT) {
    damaged(binary, error, "a text is too long");
    return NULL;
  }
  char *text = malloc(length + 1);
  if (!text) {
    error_set(error, "%s: out of memory", binary->input.path);
    return NULL;
  }
  for (uint64_t i = 0; i < length; i++) {
    int byte = input_take(&binary->input);
    if (byte <= 0) {
      free(text);
      if (byte < 0)
        input_failed(&binary->input, error);
      else
        damaged(binary, error, "a text has a zero byte");
      return NULL;
    }
    text[i] = (char)byte;
  }
  text[length] = '\0';
  return text;
}

static bool binary_read_no_memory(const struct binary *binary, struct error *error)
{
  return error_set(error, "%s: out of memory", binary->input.path);
}

static bool binary_read_take_parameters(struct binary *binary, struct error *error)
{
  uint64_t count;
  if (!take_number(binary, &count, error))
    return false;
  for (uint64_t i = 0; i < count; i++) {
    char *name = take_text(binary, error);
    char *value = name ? take_text(binary, error) : NULL;
    bool good =
        value && (pes_program_set_parameter(binary->program, name, value) || binary_read_no_memory(binary, error));
    free(name);
    free(value);
    if (!good)
      return false;
  }
  return true;
}

static bool binary_read_take_value(struct binary *binary, uint32_t set, struct error *error)
{
  uint64_t zigzag;
  if (!take_number(binary, &zigzag, error))
    return false;
  int64_t id = (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
  const struct pes_set *to = &binary->program->sets[set];
  if (to->count > 0 && to->values[to->count - 1].id >= id)
    return damaged(binary, error, "values are out of order");
  char *name = take_text(binary, error);
  char *code = name ? take_text(binary, error) : NULL;
  bool good = code && (pes_program_add_value(binary->program, set, id, name, code) != PES_NONE ||
                       binary_read_no_memory(binary, error));
  free(name);
  free(code);
  return good;
}

static bool take_sets(struct binary *binary, struct error *error)
{
  uint64_t sets, values;
  if (!take_number(binary, &sets, error))
    return false;
  for (uint64_t i = 0; i < sets; i++) {
    uint32_t set = pes_program_add_set(binary->program);
    if (set == PES_NONE)
      return binary_read_no_memory(binary, error);
    if (!take_number(binary, &values, error))
      return false;
    for (uint64_t j = 0; j < values; j++)
      if (!binary_read_take_value(binary, set, error))
        return false;
  }
  return true;
}

static bool take_components(struct binary *binary, struct error *error)
{
  uint64_t count;
  if (!take_number(binary, &count, error))
    return false;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t set;
    char *name = take_text(binary, error);
    bool good =
        name && take_index(binary, &set, binary->program->set_count, error) &&
        (pes_program_add_component(binary->program, name, set) != PES_NONE || binary_read_no_memory(binary, error));
    free(name);
    if (!good)
      return false;
  }
  return true;
}

static bool take_program(struct binary *binary, struct error *error)
{
  char *name = take_text(binary, error);
  uint64_t ticks_per_second;
  bool good = name && take_number(binary, &ticks_per_second, error);
  if (good) {
    binary->program = pes_program_create(name, ticks_per_second);
    binary->stream.program = binary->program;
    good = binary->program || binary_read_no_memory(binary, error);
  }
  free(name);
  return good && binary_read_take_parameters(binary, error) && take_sets(binary, error) &&
         take_components(binary, error);
}

static bool binary_read_take_vector(struct binary *binary, uint32_t *vector, struct error *error)
{
  const struct pes_program *program = binary->program;
  for (uint32_t i = 0; i < program->component_count; i++)
    if (!take_index(binary, &vector[i], program->sets[program->components[i].set].count, error))
      return false;
  uint32_t known = pes_states_count(binary->stream.states);
  uint32_t state = pes_states_intern(binary->stream.states, vector);
  if (state == PES_NONE)
    return binary_read_no_memory(binary, error);
  return state == known || damaged(binary, error, "a state occurs twice");
}

/* One run of an aggregate. It is made of states before it, so nothing is a part of itself. */
static bool take_run(struct binary *binary, uint32_t state, struct error *error)
{
  uint64_t count;
  uint32_t length, run[PES_RUN_LENGTH_MAX];
  if (!take_number(binary, &count, error) || !take_index(binary, &length, PES_RUN_LENGTH_MAX + 1, error))
    return false;
  for (uint32_t i = 0; i < length; i++)
    if (!take_index(binary, &run[i], state, error))
      return false;
  return pes_states_add_run(binary->stream.states, state, run, length, count) || binary_read_no_memory(binary, error);
}

static bool take_aggregate(struct binary *binary, bool filter, uint64_t state_count, struct error *error)
{
  uint32_t before = 0, after = 0, runs;
  uint64_t other;
  char *name = take_text(binary, error);
  bool good = name && (!filter || (take_index(binary, &before, state_count + 1, error) &&
                                   take_index(binary, &after, state_count + 1, error)));
  uint32_t state = PES_NONE;
  if (good) {
    struct pes_states *states = binary->stream.states;
    state = filter ? pes_states_add_filter(states, name, before - 1, after - 1) : pes_states_add_pattern(states, name);
    good = state != PES_NONE || binary_read_no_memory(binary, error);
  }
  free(name);
  if (!good || !take_index(binary, &runs, PES_RUNS_MAX + 1, error))
    return false;
  for (uint32_t i = 0; i < runs; i++)
    if (!take_run(binary, state, error))
      return false;
  if (!take_number(binary, &other, error))
    return false;
  pes_states_add_other_runs(binary->stream.states, state, other);
  return true;
}

static bool take_states(struct binary *binary, struct error *error)
{
  uint32_t components = binary->program->component_count, count, kind;
  uint32_t *vector = malloc((components + !components) * sizeof *vector);
  binary->stream.states = pes_states_create(components);
  bool good = vector && binary->stream.states;
  if (!good)
    binary_read_no_memory(binary, error);
  good = good && take_index(binary, &count, PES_NONE, error);
  for (uint32_t i = 0; good && i < count; i++) {
    good = take_index(binary, &kind, PES_PATTERN + 1, error) &&
           (kind == PES_BASIC ? binary_read_take_vector(binary, vector, error)
                              : take_aggregate(binary, kind == PES_FILTER, count, error));
  }
  free(vector);
  return good;
}

static bool take_tail(struct binary *binary, struct error *error)
{
  uint32_t terminal;
  if (!input_seek(&binary->input, binary->tail, error) || !take_program(binary, error) || !take_states(binary, error) ||
      !take_number(binary, &binary->record_count, error) || !take_number(binary, &binary->last_entry, error) ||
      !take_number(binary, &binary->end.time, error) ||
      !take_index(binary, &terminal, (uint64_t)pes_states_count(binary->stream.states) + 1, error))
    return false;
  binary->end.terminal = terminal - 1;
  if (binary->end.time < binary->last_entry)
    return damaged(binary, error, "it ends before its last record");
  return true;
}

/* Finds the tail: the last bytes of the file say where it is. */
static bool find_tail(struct binary *binary, struct error *error)
{
  unsigned char footer[BINARY_FOOTER_LENGTH];
  FILE *file = binary->input.file;
  off_t size;
  if (fseeko(file, 0, SEEK_END) != 0 || (size = ftello(file)) < 0)
    return input_failed(&binary->input, error);
  if (size < BINARY_MAGIC_LENGTH + BINARY_FOOTER_LENGTH || fseeko(file, size - (off_t)sizeof footer, SEEK_SET) != 0 ||
      fread(footer, 1, sizeof footer, file) != sizeof footer || memcmp(footer + 8, BINARY_FOOTER, 8) != 0)
    return input_failed(&binary->input, error);
  for (unsigned i = 8; i-- > 0;)
    binary->tail = binary->tail << 8 | footer[i];
  if (binary->tail < BINARY_MAGIC_LENGTH || binary->tail > (uint64_t)size - sizeof footer)
    return damaged(binary, error, "its footer is invalid");
  return true;
}

static bool at_end(struct binary *binary, struct error *error)
{
  if (binary->entry != binary->last_entry || input_tell(&binary->input) != binary->tail)
    return damaged(binary, error, "its records do not fit its end");
  binary->stream.end = binary->end;
  return true;
}

static bool binary_read_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct binary *binary = (struct binary *)stream;
  uint64_t left = binary->record_count - binary->read;
  size_t wanted = left < PES_BATCH ? (size_t)left : PES_BATCH;
  uint32_t state_count = pes_states_count(stream->states);
  for (size_t i = 0; i < wanted; i++) {
    uint64_t more;
    if (!take_number(binary, &more, error) || !take_index(binary, &records[i].state, state_count, error))
      return false;
    if (more > UINT64_MAX - binary->entry)
      return damaged(binary, error, "a time is too large");
    records[i].entry = binary->entry += more;
  }
  binary->read += wanted;
  *count = wanted;
  return wanted > 0 || at_end(binary, error);
}

static bool binary_read_begin_again(struct pes_stream *stream, struct error *error)
{
  struct binary *binary = (struct binary *)stream;
  binary->read = 0;
  binary->entry = 0;
  return input_seek(&binary->input, BINARY_MAGIC_LENGTH, error);
}

static void close_binary(struct pes_stream *stream)
{
  struct binary *binary = (struct binary *)stream;
  input_close(&binary->input);
  pes_program_free(binary->program);
  pes_states_free(stream->states);
  free(binary);
}

struct pes_stream *binary_open(struct input *input, struct error *error)
{
  static const struct pes_class class = {binary_read_next, binary_read_begin_again, close_binary};
  struct binary *binary = calloc(1, sizeof *binary);
  if (!binary) {
    error_set(error, "%s: out of memory", input->path);
    input_close(input);
    return NULL;
  }
  binary->stream.class = &class;
  binary->input = *input;
  if (!find_tail(binary, error) || !take_tail(binary, error) || !binary_read_begin_again(&binary->stream, error)) {
    close_binary(&binary->stream);
    return NULL;
  }
  return &binary->stream;
}

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
