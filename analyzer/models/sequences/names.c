/* The names of program states, and which state a name means. */
#include "analyzer/models/sequences/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *join_codes(const struct pes_program *program, const uint32_t *vector, bool commas)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  for (uint32_t i = 0; i < program->component_count; i++) {
    const char *code = program->sets[program->components[i].set].values[vector[i]].code;
    if (*code && commas && ftell(file) > 0)
      fputc(',', file);
    fputs(code, file);
  }
  if (ftell(file) == 0)
    fputc('-', file);
  bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

char *pes_state_name(const struct pes_program *program, const struct pes_states *states, uint32_t state)
{
  const struct pes_state *of = pes_state(states, state);
  if (of->name)
    return strdup(of->name);
  return join_codes(program, of->vector, program->has_open_codes);
}

static uint32_t by_number(const struct pes_states *states, const char *digits, uint32_t *count)
{
  char *end;
  unsigned long long number = strtoull(digits, &end, 10);
  bool good = *digits >= '0' && *digits <= '9' && *end == '\0' && number < pes_states_count(states);
  *count = good;
  return good ? (uint32_t)number : PES_NONE;
}

uint32_t pes_states_find(const struct pes_program *program, const struct pes_states *states, const char *name,
                         uint32_t *count)
{
  if (name[0] == '#')
    return by_number(states, name + 1, count);
  uint32_t found = PES_NONE;
  bool commas = program->has_open_codes;
  *count = 0;
  for (uint32_t i = 0; i < pes_states_count(states); i++) {
    const struct pes_state *state = pes_state(states, i);
    char *own = state->name ? strdup(state->name) : join_codes(program, state->vector, commas);
    if (own && strcmp(own, name) == 0) {
      found = i;
      ++*count;
    }
    free(own);
  }
  return *count == 1 ? found : PES_NONE;
}
