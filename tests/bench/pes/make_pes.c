/*
 * Writes a sequence to measure with: make-pes RECORDS FILE. It goes round ten states; every fiftieth time, about, it
 * leaves them for one to three of 500 others.
 */
#include "analyzer/models/sequences/pes.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUND = 10, OTHERS = 500, VALUES = 10 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % below);
}

static struct pes_program *make_program(void)
{
  struct pes_program *program = pes_program_create("made", 1000000000);
  uint32_t set = pes_program_add_set(program);
  for (int i = 0; i < VALUES; i++) {
    char name[] = {(char)('A' + i), '\0'};
    pes_program_add_value(program, set, i, name, name);
  }
  for (int i = 0; i < 3; i++) {
    char name[] = {'c', (char)('0' + i), '\0'};
    pes_program_add_component(program, name, set);
  }
  return program;
}

int main(int argc, char **argv)
{
  struct error error;
  if (argc != 3) {
    fprintf(stderr, "usage: make-pes RECORDS FILE\n");
    return 2;
  }
  size_t count = strtoull(argv[1], NULL, 10);
  struct pes_record *records = malloc(count * sizeof *records);
  struct pes_states *states = pes_states_create(3);
  uint64_t time = 0;
  uint32_t away = 0, at = 0;
  for (uint32_t i = 0; i < ROUND + OTHERS; i++)
    pes_states_intern(states, (uint32_t[]){i % VALUES, i / VALUES % VALUES, i / (VALUES * VALUES)});
  for (size_t i = 0; i < count && records; i++) {
    if (away == 0 && draw(50) == 0)
      away = 1 + draw(3);
    records[i] = (struct pes_record){time, away > 0 ? ROUND + draw(OTHERS) : at++ % ROUND};
    away -= away > 0;
    time += 10 + draw(1000);
  }
  struct pes_stream *stream =
      records ? pes_from_memory(make_program(), states, records, count, (struct pes_end){time, 0}, &error) : NULL;
  if (!stream || !pes_write(stream, argv[2], PES_BINARY, &error)) {
    fprintf(stderr, "make-pes: %s\n", records ? error.message : "out of memory");
    return 1;
  }
  pes_close(stream);
  free(records);
  return 0;
}
