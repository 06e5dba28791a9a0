/*
 * libFuzzer target: any bytes as a sequence of program states, binary or CSL text. It is refused, or what is read holds
 * together, and is the same when it is read again.
 */
#include "analyzer/models/sequences/pes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
  if (condition)
    return;
  fprintf(stderr, "fuzz_pes: %s\n", what);
  abort();
}

static struct pes_record records[PES_BATCH];

/* All of a stream as one number. False: it is damaged. */
static bool read_all(struct pes_stream *stream, uint64_t *sum)
{
  struct error error = {{0}};
  uint64_t last = 0;
  size_t count;
  *sum = 0;
  do {
    if (!pes_next(stream, records, &count, &error)) {
      require(error.message[0] != '\0', "a failure without a message");
      return false;
    }
    for (size_t i = 0; i < count; i++) {
      require(records[i].entry >= last, "time runs backwards");
      require(records[i].state < pes_states_count(stream->states), "a state that does not exist");
      last = records[i].entry;
      *sum = (*sum ^ last) * 31 + records[i].state;
    }
  } while (count > 0);
  require(stream->end.time >= last, "it ends before its last record");
  require(stream->end.terminal == PES_NONE || stream->end.terminal < pes_states_count(stream->states),
          "a terminal state that does not exist");
  *sum ^= stream->end.time;
  return true;
}

/* Every state has a name, and aggregates are made of states before them. */
static void check_states(const struct pes_stream *stream)
{
  for (uint32_t i = 0; i < pes_states_count(stream->states); i++) {
    const struct pes_state *state = pes_state(stream->states, i);
    char *name = pes_state_name(stream->program, stream->states, i);
    require(name, "a state without a name");
    free(name);
    for (uint32_t j = 0; j < state->run_count; j++)
      for (uint32_t k = 0; k < state->runs[j].length; k++)
        require(state->runs[j].states[k] < i, "an aggregate of what comes behind it");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int file = -1;
  static char path[64];
  struct error error = {{0}};
  uint64_t first, second;
  if (file < 0) {
    file = memfd_create("fuzz_pes", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size, "no file in memory");
  struct pes_stream *stream = pes_open(path, &error);
  require(stream || error.message[0] != '\0', "a failure without a message");
  if (stream && read_all(stream, &first)) {
    check_states(stream);
    require(pes_rewind(stream, &error) && read_all(stream, &second) && first == second, "it reads differently again");
  }
  pes_close(stream);
  return 0;
}
