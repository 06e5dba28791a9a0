#include "analyzer/models/prediction/label.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 4, SEQUENCE_MAX = 16 };

static bool shares_values(const struct pes_program *program, uint32_t component)
{
  for (uint32_t i = 0; i < program->component_count; i++) {
    if (i != component && program->components[i].set == program->components[component].set)
      return true;
  }
  return false;
}

static void put_vector(FILE *file, const struct pes_program *program, const uint32_t *vector)
{
  bool first = true, delimited = true; /* the code before delimits itself */
  for (uint32_t i = 0; i < program->component_count; i++) {
    const struct pes_value *value = &program->sets[program->components[i].set].values[vector[i]];
    if (*value->code == '\0' && program->component_count > 1 && !shares_values(program, i))
      continue;
    const char *code = *value->code ? value->code : value->name;
    bool delimits = pes_code_delimits_itself(code);
    fprintf(file, "%s%s", first || (delimited && delimits) ? "" : ",", code);
    first = false;
    delimited = delimits;
  }
  if (first)
    fputc('-', file);
}

static void put_state(FILE *file, const struct pes_program *program, const struct pes_states *states, uint32_t number,
                      unsigned depth)
{
  if (number == PES_NONE)
    return;
  const struct pes_state *state = pes_state(states, number);
  if (state->kind == PES_BASIC) {
    put_vector(file, program, state->vector);
  } else if (depth == DEPTH_MAX) {
    fputs("...", file);
  } else if (state->kind == PES_FILTER) {
    fputs("filter[", file);
    put_state(file, program, states, state->before, depth + 1);
    fputs(" > ", file);
    put_state(file, program, states, state->after, depth + 1);
    fputc(']', file);
  } else {
    fputs("pattern[", file);
    for (uint32_t i = 0; state->run_count > 0 && i < state->runs[0].length && i < SEQUENCE_MAX; i++) {
      fputs(i > 0 ? " " : "", file);
      put_state(file, program, states, state->runs[0].states[i], depth + 1);
    }
    fprintf(file, "%s]", state->run_count > 0 && state->runs[0].length > SEQUENCE_MAX ? " ..." : "");
  }
}

char *prediction_label(const struct pes_program *program, const struct pes_states *states, uint32_t state)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  put_state(file, program, states, state, 0);
  bool good = !ferror(file);
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}
