#include "analyzer/models/sequences/csl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum csl_token { CSL_END, CSL_NUMBER, CSL_WORD, CSL_QUOTED, CSL_SIGN, CSL_BAD };

enum { CSL_TEXT_LIMIT = 1 << 16 };

struct csl_lexer {
  struct input input;
  uint64_t line;
  enum csl_token token; /* the present token */
  uint64_t number;      /* NUMBER */
  char sign;            /* SIGN: one of ; : . , = < > - */
  char *text;           /* WORD, QUOTED: its text; room for CSL_TEXT_LIMIT + 1 */
};

/* Sets an error at this line: `FILE:LINE: message`. Returns false. */
__attribute__((format(printf, 3, 4))) static bool csl_fail(const struct csl_lexer *lexer, struct error *error,
                                                           const char *format, ...)
{
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%" PRIu64 ": %s", lexer->input.path, lexer->line, message);
}

static bool is_letter(int byte)
{
  return isalpha(byte) || byte == '_';
}

static bool add_byte(struct csl_lexer *lexer, size_t *length, int byte, struct error *error)
{
  if (*length == CSL_TEXT_LIMIT)
    return csl_fail(lexer, error, "a name is longer than %d bytes", CSL_TEXT_LIMIT);
  lexer->text[(*length)++] = (char)byte;
  return true;
}

static bool take_word(struct csl_lexer *lexer, struct error *error)
{
  size_t length = 0;
  lexer->token = CSL_WORD;
  for (int byte; is_letter(byte = input_peek(&lexer->input)) || isdigit(byte);)
    if (!add_byte(lexer, &length, input_take(&lexer->input), error))
      return false;
  lexer->text[length] = '\0';
  return true;
}

static int digit_of(int byte)
{
  return isdigit(byte) ? byte - '0' : isxdigit(byte) ? tolower(byte) - 'a' + 10 : -1;
}

/* Behind a backslash: another one, or xHH. */
static bool take_escape(struct csl_lexer *lexer, int *byte, struct error *error)
{
  int kind = input_take(&lexer->input);
  if (kind == '\\') {
    *byte = kind;
    return true;
  }
  int high = kind == 'x' ? digit_of(input_take(&lexer->input)) : -1;
  int low = high >= 0 ? digit_of(input_take(&lexer->input)) : -1;
  *byte = 16 * high + low;
  return (low >= 0 && *byte > 0) || csl_fail(lexer, error, "\\ must be followed by \\ or by xHH other than x00");
}

static bool take_quoted(struct csl_lexer *lexer, struct error *error)
{
  size_t length = 0;
  lexer->token = CSL_QUOTED;
  input_take(&lexer->input);
  for (;;) {
    int byte = input_take(&lexer->input);
    if (byte <= 0 || byte == '\n')
      return csl_fail(lexer, error, "a quoted name does not end on its line");
    if (byte == '\'') {
      if (input_peek(&lexer->input) != '\'')
        break;
      input_take(&lexer->input);
    }
    if (byte == '\\' && !take_escape(lexer, &byte, error))
      return false;
    if (!add_byte(lexer, &length, byte, error))
      return false;
  }
  lexer->text[length] = '\0';
  return true;
}

static bool take_digits(struct csl_lexer *lexer, struct error *error)
{
  lexer->token = CSL_NUMBER;
  lexer->number = 0;
  for (int byte; isdigit(byte = input_peek(&lexer->input)); input_take(&lexer->input)) {
    unsigned digit = (unsigned)byte - '0';
    if (lexer->number > (UINT64_MAX - digit) / 10)
      return csl_fail(lexer, error, "a number is larger than 2^64 - 1");
    lexer->number = 10 * lexer->number + digit;
  }
  return true;
}

/* Advances to the next token. False: an error (an invalid token, or reading failed). */
static bool csl_advance(struct csl_lexer *lexer, struct error *error)
{
  int byte;
  while (isspace(byte = input_peek(&lexer->input))) {
    input_take(&lexer->input);
    lexer->line += byte == '\n';
  }
  if (byte < 0) {
    lexer->token = CSL_END;
    return !ferror(lexer->input.file) || input_failed(&lexer->input, error);
  }
  if (isdigit(byte))
    return take_digits(lexer, error);
  if (is_letter(byte))
    return take_word(lexer, error);
  if (byte == '\'')
    return take_quoted(lexer, error);
  lexer->token = CSL_SIGN;
  lexer->sign = (char)byte;
  input_take(&lexer->input);
  if (byte != 0 && strchr(";:.,=<>-", byte))
    return true;
  lexer->token = CSL_BAD;
  return csl_fail(lexer, error, "unexpected %s%c", isprint(byte) ? "" : "byte ", isprint(byte) ? byte : '?');
}

static bool csl_is_sign(const struct csl_lexer *lexer, char sign)
{
  return lexer->token == CSL_SIGN && lexer->sign == sign;
}

/* Compares without regard to case. */
static bool csl_is_word(const struct csl_lexer *lexer, const char *word)
{
  return lexer->token == CSL_WORD && strcasecmp(lexer->text, word) == 0;
}

/* Takes a required sign. False: an error. */
static bool csl_expect(struct csl_lexer *lexer, char sign, struct error *error)
{
  if (!csl_is_sign(lexer, sign))
    return csl_fail(lexer, error, "`%c` is missing", sign);
  return csl_advance(lexer, error);
}

/* Takes an optional sign. False: an error. */
static bool csl_skip(struct csl_lexer *lexer, char sign, struct error *error)
{
  return !csl_is_sign(lexer, sign) || csl_advance(lexer, error);
}

/* Takes a required number that is not negative. `what` names it in the message. False: an error. */
static bool csl_take_number(struct csl_lexer *lexer, uint64_t *number, const char *what, struct error *error)
{
  *number = 0;
  if (lexer->token != CSL_NUMBER)
    return csl_fail(lexer, error, "expected %s", what);
  *number = lexer->number;
  return csl_advance(lexer, error);
}

static bool csl_take_integer(struct csl_lexer *lexer, int64_t *number, const char *what, struct error *error)
{
  bool negative = csl_is_sign(lexer, '-');
  uint64_t magnitude = 0;
  if (!csl_skip(lexer, '-', error) || !csl_take_number(lexer, &magnitude, what, error))
    return false;
  if (magnitude > (uint64_t)INT64_MAX + negative)
    return csl_fail(lexer, error, "%s is out of range", what);
  *number = (int64_t)(negative ? -magnitude : magnitude);
  return true;
}

enum { COMPONENT_LIMIT = 1 << 20, VALUE_LIMIT = 1 << 20 };

struct setup {
  struct csl_lexer *lexer;
  struct pes_program *program;
  char **names;   /* components so far, by number; NULL: not yet */
  uint32_t *sets; /* likewise */
  uint32_t count;
  struct error *error;
};

static bool csl_setup_no_memory(const struct setup *setup)
{
  return error_set(setup->error, "%s: out of memory", setup->lexer->input.path);
}

static bool advance(const struct setup *setup)
{
  return csl_advance(setup->lexer, setup->error);
}

static bool expect(const struct setup *setup, char sign)
{
  return csl_expect(setup->lexer, sign, setup->error);
}

/* A name, quoted or not; the caller frees it. NULL: an error. */
static char *take_name(const struct setup *setup, const char *what)
{
  if (setup->lexer->token != CSL_WORD && setup->lexer->token != CSL_QUOTED) {
    csl_fail(setup->lexer, setup->error, "expected %s", what);
    return NULL;
  }
  char *name = strdup(setup->lexer->text);
  if (!name)
    csl_setup_no_memory(setup);
  else if (!advance(setup)) {
    free(name);
    name = NULL;
  }
  return name;
}

static bool take_clock(const struct setup *setup)
{
  return advance(setup) && expect(setup, '=') &&
         csl_take_number(setup->lexer, &setup->program->ticks_per_second, "the ticks a second", setup->error) &&
         csl_skip(setup->lexer, ';', setup->error);
}

static bool take_parameter(const struct setup *setup)
{
  char *name = advance(setup) ? take_name(setup, "a parameter's name") : NULL;
  char *value = name && expect(setup, '=') ? take_name(setup, "a parameter's value") : NULL;
  bool good = value && (pes_program_set_parameter(setup->program, name, value) || csl_setup_no_memory(setup));
  free(name);
  free(value);
  return good && csl_skip(setup->lexer, ';', setup->error);
}

static bool take_component_count(struct setup *setup)
{
  while (csl_is_word(setup->lexer, "clock") || csl_is_word(setup->lexer, "parameter"))
    if (!(csl_is_word(setup->lexer, "clock") ? take_clock(setup) : take_parameter(setup)))
      return false;
  if (!csl_is_word(setup->lexer, "maxcomps") && !csl_is_word(setup->lexer, "maxcomponents"))
    return csl_fail(setup->lexer, setup->error, "expected `maxcomps = NUMBER`");
  uint64_t count;
  if (!advance(setup) || !expect(setup, '=') ||
      !csl_take_number(setup->lexer, &count, "the number of components", setup->error))
    return false;
  if (count > COMPONENT_LIMIT)
    return csl_fail(setup->lexer, setup->error, "%" PRIu64 " components are more than %d", count, COMPONENT_LIMIT);
  setup->count = (uint32_t)count;
  setup->names = calloc(count + 1, sizeof *setup->names);
  setup->sets = calloc(count + 1, sizeof *setup->sets);
  return (setup->names && setup->sets) || csl_setup_no_memory(setup);
}

/* Takes component numbers "0-3, 5", which share the name of the line. */
static bool take_numbers(const struct setup *setup, bool *chosen)
{
  do {
    uint64_t first, last;
    if (!csl_skip(setup->lexer, ',', setup->error) ||
        !csl_take_number(setup->lexer, &first, "a component's number", setup->error))
      return false;
    last = first;
    if (csl_is_sign(setup->lexer, '-') &&
        (!advance(setup) || !csl_take_number(setup->lexer, &last, "a component's number", setup->error)))
      return false;
    if (last < first || last >= setup->count)
      return csl_fail(setup->lexer, setup->error, "there are no components %" PRIu64 "-%" PRIu64 ": there are %" PRIu32,
                      first, last, setup->count);
    for (uint64_t i = first; i <= last; i++) {
      if (setup->names[i] || chosen[i])
        return csl_fail(setup->lexer, setup->error, "component %" PRIu64 " is declared twice", i);
      chosen[i] = true;
    }
  } while (csl_is_sign(setup->lexer, ','));
  return true;
}

/* 0 = Think, T: the names may be missing. */
static bool csl_setup_take_value(const struct setup *setup, uint32_t set)
{
  char number[24];
  int64_t id;
  if (!csl_take_integer(setup->lexer, &id, "a value", setup->error))
    return false;
  if (pes_set_find(&setup->program->sets[set], id) != PES_NONE)
    return csl_fail(setup->lexer, setup->error, "value %" PRId64 " is declared twice", id);
  snprintf(number, sizeof number, "%" PRId64, id);
  char *name = NULL, *code = NULL;
  bool good = true;
  if (csl_is_sign(setup->lexer, '=')) {
    good = advance(setup) && (name = take_name(setup, "a value's name"));
    if (good && csl_is_sign(setup->lexer, ','))
      good = advance(setup) && (code = take_name(setup, "a value's code"));
  }
  if (good) {
    const char *shown = name ? name : number;
    good = pes_program_add_value(setup->program, set, id, shown, code ? code : shown) != PES_NONE ||
           csl_setup_no_memory(setup);
  }
  free(name);
  free(code);
  return good;
}

static bool starts_value(const struct csl_lexer *lexer)
{
  return lexer->token == CSL_NUMBER || csl_is_sign(lexer, '-');
}

static bool take_values(const struct setup *setup, uint32_t set, uint64_t declared)
{
  while (starts_value(setup->lexer))
    if (!csl_setup_take_value(setup, set) || !csl_skip(setup->lexer, ';', setup->error))
      return false;
  const struct pes_set *values = &setup->program->sets[set];
  if (values->count == 0) {
    char number[24];
    for (uint64_t i = 0; i < declared; i++) {
      snprintf(number, sizeof number, "%" PRIu64, i);
      if (pes_program_add_value(setup->program, set, (int64_t)i, number, number) == PES_NONE)
        return csl_setup_no_memory(setup);
    }
  }
  return values->count == declared ||
         csl_fail(setup->lexer, setup->error, "the component has %" PRIu32 " values, but declares %" PRIu64,
                  values->count, declared);
}

static bool take_header(const struct setup *setup, bool *chosen, char **name, uint64_t *declared)
{
  if (!advance(setup) || !take_numbers(setup, chosen) || !expect(setup, '=') ||
      !(*name = take_name(setup, "a component's name")) || !expect(setup, ',') ||
      !csl_take_number(setup->lexer, declared, "the number of values", setup->error))
    return false;
  if (*declared > VALUE_LIMIT)
    return csl_fail(setup->lexer, setup->error, "%" PRIu64 " values are more than %d", *declared, VALUE_LIMIT);
  if (csl_is_sign(setup->lexer, ',')) { /* the type of data: nothing depends on it */
    if (!advance(setup))
      return false;
    if (setup->lexer->token != CSL_WORD)
      return csl_fail(setup->lexer, setup->error, "expected a type of data, such as char");
    if (!advance(setup))
      return false;
  }
  return csl_skip(setup->lexer, ';', setup->error);
}

static bool take_component(const struct setup *setup)
{
  uint64_t declared;
  char *name = NULL;
  bool *chosen = calloc(setup->count + 1, sizeof *chosen);
  uint32_t set = pes_program_add_set(setup->program);
  bool good = (chosen && set != PES_NONE) || csl_setup_no_memory(setup);
  good = good && take_header(setup, chosen, &name, &declared) && take_values(setup, set, declared);
  for (uint32_t i = 0; good && i < setup->count; i++) {
    if (!chosen[i])
      continue;
    setup->sets[i] = set;
    setup->names[i] = strdup(name);
    good = setup->names[i] || csl_setup_no_memory(setup);
  }
  free(name);
  free(chosen);
  return good;
}

static bool take_all(struct setup *setup)
{
  if (!csl_is_word(setup->lexer, "setup"))
    return csl_fail(setup->lexer, setup->error, "expected `Setup:`");
  if (!advance(setup) || !expect(setup, ':') || !take_component_count(setup) ||
      !csl_skip(setup->lexer, ';', setup->error))
    return false;
  while (csl_is_word(setup->lexer, "component"))
    if (!take_component(setup))
      return false;
  if (!csl_is_word(setup->lexer, "trace"))
    return csl_fail(setup->lexer, setup->error, "expected `Component` or `Trace:`");
  for (uint32_t i = 0; i < setup->count; i++) {
    if (!setup->names[i])
      return csl_fail(setup->lexer, setup->error, "component %" PRIu32 " is missing", i);
    if (pes_program_add_component(setup->program, setup->names[i], setup->sets[i]) == PES_NONE)
      return csl_setup_no_memory(setup);
  }
  if (!advance(setup))
    return false;
  return csl_is_sign(setup->lexer, ':') || csl_fail(setup->lexer, setup->error, "`:` is missing");
}

/* Program NAME ; begin */
static bool take_begin(struct setup *setup)
{
  if (!csl_is_word(setup->lexer, "program"))
    return csl_fail(setup->lexer, setup->error,
                    "this is neither a binary program execution sequence nor CSL text, which begins with `Program`");
  char *name = advance(setup) ? take_name(setup, "the program's name") : NULL;
  setup->program = name ? pes_program_create(name, 0) : NULL;
  bool good = setup->program || (name && csl_setup_no_memory(setup));
  free(name);
  if (!good || !csl_skip(setup->lexer, ';', setup->error))
    return false;
  if (!csl_is_word(setup->lexer, "begin"))
    return csl_fail(setup->lexer, setup->error, "expected `begin`");
  return advance(setup);
}

/* Reads everything up to and including `Trace :`. NULL: an error. */
static struct pes_program *csl_take_setup(struct csl_lexer *lexer, struct error *error)
{
  struct setup setup = {.lexer = lexer, .error = error};
  bool good = csl_advance(lexer, error) && take_begin(&setup) && take_all(&setup);
  for (uint32_t i = 0; setup.names && i < setup.count; i++)
    free(setup.names[i]);
  free(setup.names);
  free(setup.sets);
  if (good)
    return setup.program;
  pes_program_free(setup.program);
  return NULL;
}

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
    return csl_fail(lexer, error, "the record has more values than the %" PRIu32 " components", count);
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
