/*
 * libFuzzer target: any bytes as a list of steps. An accepted list is the same when it is written and read again. On a
 * sequence, each of its steps gives a sequence: entries ascend, states are known, the end is not before them.
 */
#include "analyzer/models/transforms/transforms.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 12 }; /* that are done */

static void require(bool condition)
{
  if (!condition)
    abort();
}

/* A sequence of two components, with repetitions, equal neighbours and a state that takes no time. */
static struct pes_stream *make_sequence(void)
{
  static const char *const names[][2] = {{"Think", "T"}, {"Acq1", "A1"}, {"Acq2", "A2"}, {"Eat", "E"}};
  struct error error;
  struct pes_record records[64];
  struct pes_program *program = pes_program_create("fuzzed", 1000000000);
  struct pes_states *states = pes_states_create(2);
  uint32_t set = pes_program_add_set(program);
  for (int i = 0; i < 4; i++)
    pes_program_add_value(program, set, i, names[i][0], names[i][1]);
  pes_program_add_component(program, "Philosopher", set);
  pes_program_add_component(program, "other", set);
  for (uint32_t i = 0; i < 64; i++) {
    uint32_t vector[] = {i / 2 % 4, i * i / 5 % 4};
    records[i] = (struct pes_record){1000 + i * i - i % 2, pes_states_intern(states, vector)};
  }
  return pes_from_memory(program, states, records, 64, (struct pes_end){6000, 3}, &error);
}

static void expect_sequence(struct pes_stream *stream)
{
  struct error error;
  struct pes_record records[PES_BATCH];
  uint64_t last = 0;
  size_t count;
  do {
    if (!pes_next(stream, records, &count, &error))
      return;
    for (size_t i = 0; i < count; i++) {
      require(records[i].entry >= last && records[i].state < pes_states_count(stream->states));
      last = records[i].entry;
    }
  } while (count > 0);
  require(stream->end.time >= last);
  require(stream->end.terminal == PES_NONE || stream->end.terminal < pes_states_count(stream->states));
}

static void expect_same_again(const struct transforms *list)
{
  struct error error;
  struct transforms *again = transforms_create();
  char *text = transforms_text(list);
  require(transforms_parse(again, text, strlen(text), "again", &error));
  char *same = transforms_text(again);
  require(strcmp(text, same) == 0);
  free(text);
  free(same);
  transforms_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct error error = {""};
  struct transforms *list = transforms_create();
  bool good = transforms_parse(list, (const char *)data, size, "fuzzed", &error);
  require(good || *error.message);
  expect_same_again(list);
  /* No library of the fuzzer's choice is loaded. */
  char *text = transforms_text(list);
  bool loads = strstr(text, "plugin ") != NULL;
  free(text);
  size_t count = transforms_count(list) < STEPS_MAX ? transforms_count(list) : STEPS_MAX;
  struct pes_stream *stream = loads ? NULL : transforms_open(list, count, make_sequence(), &error);
  if (stream)
    expect_sequence(stream);
  pes_close(stream);
  transforms_free(list);
  return 0;
}
