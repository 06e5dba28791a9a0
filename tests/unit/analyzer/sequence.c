#include "tests/unit/analyzer/sequence.h"
#include "tests/unit/unit.h"

#include "analyzer/models/transforms/transforms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pes_stream *sequence_dining(void)
{
  static const char *const names[][2] = {{"Think", "T"}, {"Acq1", "A1"}, {"Acq2", "A2"}, {"Eat", "E"},
                                         {"Rel1", "R1"}, {"Rel2", "R2"}, {"Undef", "U"}, {"Finis", "F"}};
  static const struct {
    uint32_t vector[2];
    uint64_t entry;
  } list[] = {{{2, 0}, 1550}, {{3, 0}, 1560}, {{3, 1}, 1570}, {{4, 1}, 1585}, {{5, 1}, 1597}, {{5, 2}, 1601},
              {{0, 2}, 1607}, {{0, 3}, 1621}, {{1, 3}, 1633}, {{1, 4}, 1651}, {{2, 4}, 1668}, {{2, 5}, 1669},
              {{2, 0}, 1685}, {{3, 0}, 1686}, {{3, 1}, 1695}, {{4, 1}, 1711}, {{5, 2}, 1723}, {{0, 2}, 1731},
              {{0, 3}, 1735}, {{1, 3}, 1745}, {{1, 4}, 1760}};
  enum { COUNT = sizeof list / sizeof *list };
  struct error error;
  struct pes_record records[COUNT];
  struct pes_program *program = pes_program_create("Dining", 0);
  uint32_t set = pes_program_add_set(program);
  for (int i = 0; i < 8; i++)
    pes_program_add_value(program, set, i, names[i][0], names[i][1]);
  pes_program_add_component(program, "Philosopher", set);
  pes_program_add_component(program, "Philosopher", set);
  struct pes_states *states = pes_states_create(2);
  for (int i = 0; i < COUNT; i++)
    records[i] = (struct pes_record){list[i].entry, pes_states_intern(states, list[i].vector)};
  struct pes_end end = {records[COUNT - 1].entry, records[COUNT - 1].state};
  return pes_from_memory(program, states, records, COUNT - 1, end, &error);
}

struct pes_stream *sequence_letters(const char *letters, char terminal)
{
  struct error error;
  struct pes_program *program = pes_program_create("letters", 1000000);
  uint32_t set = pes_program_add_set(program);
  for (int i = 0; i < 26; i++) {
    char name[] = {(char)('A' + i), '\0'};
    pes_program_add_value(program, set, i, name, name);
  }
  pes_program_add_component(program, "letter", set);
  struct pes_states *states = pes_states_create(1);
  struct pes_record *records = malloc((strlen(letters) + 1) * sizeof *records);
  size_t count = 0;
  uint64_t time = 100;
  while (*letters) {
    uint32_t value = (uint32_t)(*letters++ - 'A');
    records[count++] = (struct pes_record){time, pes_states_intern(states, &value)};
    time += *letters >= '0' && *letters <= '9' ? (uint64_t)(*letters++ - '0') : 1;
  }
  uint32_t last = (uint32_t)(terminal - 'A');
  struct pes_end end = {time, terminal ? pes_states_intern(states, &last) : PES_NONE};
  struct pes_stream *stream = pes_from_memory(program, states, records, count, end, &error);
  free(records);
  return stream;
}

static void put_state(FILE *file, const struct pes_stream *stream, uint32_t state)
{
  char *name = state == PES_NONE ? strdup("?") : pes_state_name(stream->program, stream->states, state);
  fputs(name, file);
  free(name);
}

static char *text_of(struct pes_stream *stream, bool occupancies)
{
  struct error error;
  struct pes_record records[PES_BATCH];
  char *text;
  size_t size, count;
  FILE *file = open_memstream(&text, &size);
  uint64_t last = 0;
  bool first = true;
  if (!pes_rewind(stream, &error))
    fail_msg("%s", error.message);
  do {
    if (!pes_next(stream, records, &count, &error))
      fail_msg("%s", error.message);
    for (size_t i = 0; i < count; i++) {
      if (occupancies && !first)
        fprintf(file, "%llu ", (unsigned long long)(records[i].entry - last));
      if (!occupancies) {
        put_state(file, stream, records[i].state);
        fprintf(file, "@%llu ", (unsigned long long)records[i].entry);
      }
      first = false;
      last = records[i].entry;
    }
  } while (count > 0);
  if (occupancies && !first)
    fprintf(file, "%llu", (unsigned long long)(stream->end.time - last));
  if (!occupancies) {
    fputs("-> ", file);
    put_state(file, stream, stream->end.terminal);
    fprintf(file, "@%llu", (unsigned long long)stream->end.time);
  }
  fclose(file);
  return text;
}

char *sequence_text(struct pes_stream *stream)
{
  return text_of(stream, false);
}

char *sequence_occupancies(struct pes_stream *stream)
{
  return text_of(stream, true);
}

struct pes_stream *sequence_transformed(const char *text, struct pes_stream *source)
{
  struct error error;
  struct transforms *list = transforms_create();
  if (!transforms_parse(list, text, strlen(text), "steps", &error))
    fail_msg("%s", error.message);
  struct pes_stream *stream = transforms_open(list, transforms_count(list), source, &error);
  if (!stream)
    fail_msg("%s", error.message);
  transforms_free(list);
  free(sequence_text(stream));
  return stream;
}

void expect_sequence(struct pes_stream *stream, const char *expected)
{
  char *text = sequence_text(stream);
  assert_string_equal(text, expected);
  free(text);
  pes_close(stream);
}
