#include "analyzer/command/print/units.h"
#include "analyzer/models/sequences/csl.h"
#include "analyzer/trace/output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_identifier(const char *name)
{
  if (!isalpha((unsigned char)*name) && *name != '_')
    return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_')
      return false;
  return true;
}

static void put_quoted(FILE *file, const char *name)
{
  putc('\'', file);
  for (const char *at = name; *at; at++) {
    unsigned char byte = (unsigned char)*at;
    if (byte == '\'' || byte == '\\')
      fprintf(file, "%c%c", byte, byte);
    else if (byte < 0x20 || byte >= 0x7f)
      fprintf(file, "\\x%02x", byte);
    else
      putc(byte, file);
  }
  putc('\'', file);
}

static void put_name(FILE *file, const char *name)
{
  if (is_identifier(name))
    fputs(name, file);
  else
    put_quoted(file, name);
}

struct text {
  FILE *file;
  struct pes_stream *stream;
  enum pes_form form;
};

static void put_values(const struct text *text, const struct pes_set *set)
{
  for (uint32_t i = 0; i < set->count; i++) {
    const struct pes_value *value = &set->values[i];
    fprintf(text->file, "    %" PRId64 " = ", value->id);
    put_name(text->file, value->name);
    if (text->form == PES_FIGURE) {
      fputs(", ", text->file);
      put_name(text->file, value->code);
    }
    fputs(i + 1 < set->count ? ";\n" : "\n", text->file);
  }
}

/* Neighbours of the same name and values stand in one line. */
static void put_components(const struct text *text)
{
  const struct pes_program *program = text->stream->program;
  for (uint32_t first = 0, last; first < program->component_count; first = last + 1) {
    const struct pes_component *component = &program->components[first];
    last = first;
    while (last + 1 < program->component_count && program->components[last + 1].set == component->set &&
           strcmp(program->components[last + 1].name, component->name) == 0)
      last++;
    fprintf(text->file, "  Component %" PRIu32, first);
    if (last > first)
      fprintf(text->file, "-%" PRIu32, last);
    fputs(" = ", text->file);
    put_quoted(text->file, component->name);
    fprintf(text->file, ", %" PRIu32 "%s;\n", program->sets[component->set].count,
            text->form == PES_FIGURE ? ", char" : "");
    put_values(text, &program->sets[component->set]);
  }
}

/* With aggregates, a state has no vector: then there is one component, and its values are the program states. */
static bool put_states(const struct text *text)
{
  const struct pes_stream *stream = text->stream;
  uint32_t count = pes_states_count(stream->states);
  fprintf(text->file, "  Component 0 = 'program state', %" PRIu32 "%s;\n", count,
          text->form == PES_FIGURE ? ", char" : "");
  for (uint32_t i = 0; i < count; i++) {
    char *name = pes_state_name(stream->program, stream->states, i);
    if (!name)
      return false;
    fprintf(text->file, "    %" PRIu32 " = ", i);
    put_name(text->file, name);
    if (text->form == PES_FIGURE) {
      fputs(", ", text->file);
      put_name(text->file, name);
    }
    fputs(i + 1 < count ? ";\n" : "\n", text->file);
    free(name);
  }
  return true;
}

static void put_setup(const struct text *text, bool by_state)
{
  const struct pes_program *program = text->stream->program;
  fputs("Program ", text->file);
  put_name(text->file, program->name);
  fputs(";\nbegin\nSetup:\n", text->file);
  if (program->ticks_per_second > 0)
    fprintf(text->file, "  Clock = %" PRIu64 ";\n", program->ticks_per_second);
  for (uint32_t i = 0; i < program->parameter_count; i++) {
    fputs("  Parameter ", text->file);
    put_quoted(text->file, program->parameters[i].name);
    fputs(" = ", text->file);
    put_quoted(text->file, program->parameters[i].value);
    fputs(";\n", text->file);
  }
  fprintf(text->file, "  %s = %" PRIu32 "\n", text->form == PES_FIGURE ? "maxcomps" : "maxcomponents",
          by_state ? 1 : program->component_count);
}

/* Records as text, on their way to the file: there are millions, and fprintf() costs more than all else together. */
struct lines {
  const struct text *text;
  bool by_state;
  size_t used;
  char bytes[1 << 16];
};

enum { PIECE_MOST = DIGITS_MOST + 4 }; /* a number, its sign, and what stands around it */

static void write_lines(struct lines *lines)
{
  fwrite(lines->bytes, 1, lines->used, lines->text->file);
  lines->used = 0;
}

static inline void put_char(struct lines *lines, char c)
{
  lines->bytes[lines->used++] = c;
}

/* The number and up to four characters more find room. */
static inline void csl_write_put_number(struct lines *lines, uint64_t number)
{
  char digits[DIGITS_MOST];
  const char *first = digits_before(digits + sizeof digits, number, 1);
  size_t length = (size_t)(digits + sizeof digits - first);
  memcpy(lines->bytes + lines->used, first, length);
  lines->used += length;
}

static inline void csl_write_make_room(struct lines *lines)
{
  if (sizeof lines->bytes - lines->used < PIECE_MOST)
    write_lines(lines);
}

static void put_vector(struct lines *lines, const struct pes_state *state)
{
  const struct pes_program *program = lines->text->stream->program;
  for (uint32_t i = 0; i < program->component_count; i++) {
    int64_t id = program->sets[program->components[i].set].values[state->vector[i]].id;
    csl_write_make_room(lines);
    if (i > 0)
      put_char(lines, ',');
    if (id < 0)
      put_char(lines, '-');
    csl_write_put_number(lines, id < 0 ? -(uint64_t)id : (uint64_t)id);
  }
}

/* The rest of a record's line. */
static void csl_write_put_state(struct lines *lines, uint32_t state)
{
  bool angles = lines->text->form == PES_FIGURE;
  csl_write_make_room(lines);
  put_char(lines, ' ');
  if (angles)
    put_char(lines, '<');
  if (lines->by_state)
    csl_write_put_number(lines, state);
  else
    put_vector(lines, pes_state(lines->text->stream->states, state));
  csl_write_make_room(lines);
  if (angles)
    put_char(lines, '>');
  put_char(lines, '\n');
}

static void put_record(struct lines *lines, const struct pes_record *record)
{
  csl_write_make_room(lines);
  put_char(lines, ' ');
  put_char(lines, ' ');
  csl_write_put_number(lines, record->entry);
  csl_write_put_state(lines, record->state);
}

static bool csl_write_put_records(struct lines *lines, struct error *error)
{
  struct pes_record records[PES_BATCH];
  const struct text *text = lines->text;
  size_t count;
  do {
    if (!pes_next(text->stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count; i++)
      put_record(lines, &records[i]);
  } while (count > 0 && !ferror(text->file));
  const struct pes_end *end = &text->stream->end;
  if (end->terminal != PES_NONE)
    put_record(lines, &(struct pes_record){end->time, end->terminal});
  write_lines(lines);
  if (end->terminal == PES_NONE)
    fprintf(text->file, "  Until %" PRIu64 "\n", end->time);
  return true;
}

static bool put_trace(const struct text *text, bool by_state, struct error *error)
{
  struct lines *lines = malloc(sizeof *lines);
  if (!lines)
    return error_set(error, "out of memory");
  lines->text = text;
  lines->by_state = by_state;
  lines->used = 0;
  fputs("Trace:\n", text->file);
  bool good = csl_write_put_records(lines, error);
  fputs("end.\n", text->file);
  free(lines);
  return good;
}

/* Reads all of it once if not all states are known. */
static bool know_states(struct pes_stream *stream, bool *aggregates, struct error *error)
{
  if (!stream->has_all_states && !pes_read_through(stream, error))
    return false;
  *aggregates = false;
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++)
    *aggregates |= pes_state(stream->states, i)->kind != PES_BASIC;
  return true;
}

bool csl_write(struct pes_stream *stream, const char *path, enum pes_form form, struct error *error)
{
  struct output output;
  bool by_state;
  if (!pes_rewind(stream, error) || !know_states(stream, &by_state, error) || !pes_rewind(stream, error) ||
      !output_open(&output, path, error))
    return false;
  struct text text = {output.file, stream, form};
  put_setup(&text, by_state);
  if (!by_state)
    put_components(&text);
  bool good = !by_state || put_states(&text) || error_set(error, "%s: out of memory", path);
  good = good && put_trace(&text, by_state, error);
  return output_close(&output, good, error);
}
