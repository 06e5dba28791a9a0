#include "analyzer/models/sequences/csl.h"

#include <inttypes.h>
#include <stdlib.h>

struct csl {
  struct pes_stream stream;
  struct csl_lexer lexer;
  struct pes_program *program;
  uint64_t trace, trace_line; /* where the records begin */
  struct pes_record held;     /* the last one read: it may be the terminal record */
  uint32_t *vector;
  bool holds, ended;
};

/* One value of a vector: its index in the set. */
static bool csl_read_take_value(struct csl *csl, uint32_t component, struct error *error)
{
  int64_t id;
  if (!csl_take_integer(&csl->lexer, &id, "a component's value", error))
    return false;
  const struct pes_set *set = &csl->program->sets[csl->program->components[component].set];
  csl->vector[component] = pes_set_find(set, id);
  if (csl->vector[component] != PES_NONE)
    return true;
  if (set->count == 0)
    return csl_fail(&csl->lexer, error, "component %" PRIu32 " has no values", component);
  return csl_fail(&csl->lexer, error,
                  "component %" PRIu32 " has no value %" PRId64 ": its values are %" PRId64 " to %" PRId64, component,
                  id, set->values[0].id, set->values[set->count - 1].id);
}

static bool csl_read_take_vector(struct csl *csl, uint32_t *state, struct error *error)
{
  struct csl_lexer *lexer = &csl->lexer;
  bool angles = csl_is_sign(lexer, '<');
  uint32_t count = csl->program->component_count;
  if (!csl_skip(lexer, '<', error))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0 && !csl_is_sign(lexer, ','))
      return csl_fail(lexer, error, "the record has %" PRIu32 " values for %" PRIu32 " components", i, count);
    if ((i > 0 && !csl_advance(lexer, error)) || !csl_read_take_value(csl, i, error))
      return false;
  }
  if (csl_is_sign(lexer, ','))
    return csl_fail(lexer, error, "the record has more values than components, of which there are %" PRIu32, count);
  *state = pes_states_intern(csl->stream.states, csl->vector);
  if (*state == PES_NONE)
    return error_set(error, "%s: out of memory", lexer->input.path);
  return !angles || csl_expect(lexer, '>', error);
}

static bool take_record(struct csl *csl, struct pes_record *record, struct error *error)
{
  uint64_t line = csl->lexer.line;
  if (!csl_take_number(&csl->lexer, &record->entry, "a time", error))
    return false;
  if (csl->holds && record->entry < csl->held.entry)
    return error_set(error, "%s:%" PRIu64 ": time runs backwards, from %" PRIu64 " to %" PRIu64, csl->lexer.input.path,
                     line, csl->held.entry, record->entry);
  return csl_read_take_vector(csl, &record->state, error);
}

/* `Until TIME end .`: with Until, what is held is a record like the others. */
static bool take_end(struct csl *csl, bool *deliver, struct error *error)
{
  struct csl_lexer *lexer = &csl->lexer;
  struct pes_end *end = &csl->stream.end;
  *end =
      (struct pes_end){.time = csl->holds ? csl->held.entry : 0, .terminal = csl->holds ? csl->held.state : PES_NONE};
  *deliver = false;
  if (csl_is_word(lexer, "until")) {
    if (!csl_advance(lexer, error) || !csl_take_number(lexer, &end->time, "the time of the end", error))
      return false;
    if (csl->holds && end->time < csl->held.entry)
      return csl_fail(lexer, error, "the sequence ends before its last record");
    end->terminal = PES_NONE;
    *deliver = csl->holds;
  }
  if (!csl_is_word(lexer, "end"))
    return csl_fail(lexer, error, "expected a record or `end.`");
  if (!csl_advance(lexer, error) || !csl_expect(lexer, '.', error))
    return false;
  return lexer->token == CSL_END || csl_fail(lexer, error, "unexpected text after `end.`");
}

static bool csl_read_next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct csl *csl = (struct csl *)stream;
  while (*count < PES_BATCH && !csl->ended) {
    if (csl->lexer.token == CSL_NUMBER) {
      struct pes_record record;
      if (!take_record(csl, &record, error))
        return false;
      if (csl->holds)
        records[(*count)++] = csl->held;
      csl->held = record;
      csl->holds = true;
    } else {
      bool deliver;
      if (!take_end(csl, &deliver, error))
        return false;
      if (deliver)
        records[(*count)++] = csl->held;
      csl->ended = true;
    }
  }
  return true;
}

static bool csl_read_begin_again(struct pes_stream *stream, struct error *error)
{
  struct csl *csl = (struct csl *)stream;
  csl->holds = csl->ended = false;
  csl->lexer.line = csl->trace_line;
  return input_seek(&csl->lexer.input, csl->trace, error) && csl_advance(&csl->lexer, error);
}

static void close_csl(struct pes_stream *stream)
{
  struct csl *csl = (struct csl *)stream;
  input_close(&csl->lexer.input);
  free(csl->lexer.text);
  free(csl->vector);
  pes_program_free(csl->program);
  pes_states_free(stream->states);
  free(csl);
}

static bool csl_read_prepare(struct csl *csl, struct error *error)
{
  csl->lexer.text = malloc(CSL_TEXT_LIMIT + 1);
  if (!csl->lexer.text)
    return error_set(error, "%s: out of memory", csl->lexer.input.path);
  csl->program = csl_take_setup(&csl->lexer, error);
  if (!csl->program)
    return false;
  csl->trace = input_tell(&csl->lexer.input);
  csl->trace_line = csl->lexer.line;
  csl->stream.program = csl->program;
  csl->stream.states = pes_states_create(csl->program->component_count);
  csl->vector = calloc(csl->program->component_count + 1, sizeof *csl->vector);
  if (!csl->stream.states || !csl->vector)
    return error_set(error, "%s: out of memory", csl->lexer.input.path);
  return csl_advance(&csl->lexer, error);
}

struct pes_stream *csl_open(struct input *input, struct error *error)
{
  static const struct pes_class class = {csl_read_next, csl_read_begin_again, close_csl};
  struct csl *csl = calloc(1, sizeof *csl);
  if (!csl) {
    error_set(error, "%s: out of memory", input->path);
    input_close(input);
    return NULL;
  }
  csl->stream.class = &class;
  csl->lexer.input = *input;
  csl->lexer.line = 1;
  if (!csl_read_prepare(csl, error)) {
    close_csl(&csl->stream);
    return NULL;
  }
  return &csl->stream;
}
