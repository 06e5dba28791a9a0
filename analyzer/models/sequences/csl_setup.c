#include "analyzer/models/sequences/csl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENT_LIMIT = 1 << 20, VALUE_LIMIT = 1 << 20 };

struct setup {
  struct csl_lexer *lexer;
  struct pes_program *program;
  char **names;   /* of the components so far, by number; NULL: not yet */
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

/* 0-3, 5: their names are that of the line, once it is known. */
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

struct pes_program *csl_take_setup(struct csl_lexer *lexer, struct error *error)
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
