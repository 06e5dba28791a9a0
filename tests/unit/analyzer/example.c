#include "tests/unit/analyzer/example.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pes_program *example_philosophers(void)
{
  static const char *const codes[] = {"T", "A1", "A2", "E", "R1", "R2"};
  static const char *const names[] = {"Think", "Acq1", "Acq2", "Eat", "Rel1", "Rel2"};
  struct pes_program *program = pes_program_create("Dining", 0);
  assert_non_null(program);
  uint32_t set = pes_program_add_set(program);
  for (int i = 0; i < 6; i++)
    assert_int_not_equal(pes_program_add_value(program, set, i, names[i], codes[i]), PES_NONE);
  pes_program_add_component(program, "Philosopher 0", set);
  pes_program_add_component(program, "Philosopher 1", set);
  return program;
}

uint32_t example_state(const struct pes_program *program, struct pes_states *states, const char *name)
{
  for (uint32_t i = 0; i < pes_states_count(states); i++) {
    const char *own = pes_state(states, i)->name;
    if (own && strcmp(own, name) == 0)
      return i;
  }
  uint32_t vector[2];
  for (uint32_t i = 0; i < 2; i++) {
    size_t length = 1 + strspn(name + 1, "0123456789");
    const struct pes_set *set = &program->sets[program->components[i].set];
    for (vector[i] = 0; vector[i] < set->count; vector[i]++) {
      const char *code = set->values[vector[i]].code;
      if (strlen(code) == length && strncmp(code, name, length) == 0)
        break;
    }
    assert_int_not_equal(vector[i], set->count);
    name += length;
  }
  assert_string_equal(name, "");
  return pes_states_intern(states, vector);
}

struct pes_stream *example_open(struct pes_program *program, struct pes_states *states, const char *text)
{
  struct pes_record records[64];
  size_t count = 0;
  struct pes_end end = {0, PES_NONE};
  struct error error = {{0}};
  states = states ? states : pes_states_create(2);
  for (int used = 0; *text; text += used) {
    char name[16];
    uint64_t entry;
    assert_int_equal(sscanf(text, " %15s %" SCNu64 "%n", name, &entry, &used), 2);
    bool is_last = strchr(text, ';') == NULL;
    if (strcmp(name, "end") == 0)
      end = (struct pes_end){entry, PES_NONE};
    else if (is_last)
      end = (struct pes_end){entry, example_state(program, states, name)};
    else
      records[count++] = (struct pes_record){entry, example_state(program, states, name)};
    used += text[used] == ';';
  }
  struct pes_stream *stream = pes_from_memory(program, states, records, count, end, &error);
  assert_non_null(stream);
  return stream;
}

struct pes_stream *example_thesis(void)
{
  return example_open(
      example_philosophers(), NULL,
      "A2T 1550; ET 1560; EA1 1570; R1A1 1585; R2A1 1597; R2A2 1601; TA2 1607; TE 1621; A1E 1633; "
      /* goes on: */ "A1R1 1651; A2R1 1668; A2R2 1669; A2T 1685; ET 1686; EA1 1695; R1A1 1711; R2A2 1723; TA2 1731; "
      "TE 1735; A1E 1745; A1R1 1760");
}

static struct pes_program *one_component(unsigned count)
{
  struct pes_program *program = pes_program_create("letters", 1000000000);
  assert_non_null(program);
  uint32_t set = pes_program_add_set(program);
  for (unsigned i = 0; i < count; i++) {
    char name[2] = {(char)('A' + i), 0};
    pes_program_add_value(program, set, i, name, name);
  }
  pes_program_add_component(program, "letter", set);
  return program;
}

struct pes_stream *example_letters(unsigned count, const char *letters, const uint64_t *ticks, char terminal)
{
  struct pes_program *program = one_component(count);
  struct pes_states *states = pes_states_create(1);
  struct error error = {{0}};
  size_t length = strlen(letters);
  struct pes_record *records = calloc(length + 1, sizeof *records);
  uint64_t time = 1000;
  for (size_t i = 0; i < length; i++) {
    uint32_t value = (uint32_t)(letters[i] - 'A');
    records[i] = (struct pes_record){time, pes_states_intern(states, &value)};
    time += ticks[i];
  }
  struct pes_end end = {time, PES_NONE};
  if (terminal) {
    uint32_t value = (uint32_t)(terminal - 'A');
    end.terminal = pes_states_intern(states, &value);
  }
  struct pes_stream *stream = pes_from_memory(program, states, records, length, end, &error);
  free(records);
  assert_non_null(stream);
  return stream;
}

struct markov_model *example_model(struct pes_stream *stream, const struct markov_options *options)
{
  struct error error = {{0}};
  struct markov_model *model = markov_model_of(stream, options, &error);
  if (!model)
    fail_msg("%s", error.message);
  pes_close(stream);
  return model;
}

uint32_t example_find(const struct markov_model *model, const char *name)
{
  uint32_t count;
  uint32_t state = pes_states_find(model->program, model->states, name, &count);
  if (state == PES_NONE)
    fail_msg("%u states are called %s", count, name);
  return state;
}
