#include "analyzer/schedule/record.h"

#include <stdlib.h>

void execution_free(struct execution *execution)
{
  free(execution->arrivals);
  piece_list_free(&execution->pieces);
  *execution = (struct execution){0};
}

/* xorshift64*: nothing here needs better ones. */
static uint64_t next_random(uint64_t *state)
{
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

void loop_record_sample(struct loop_record *record, struct execution *execution)
{
  uint64_t place = record->seen++;
  if (place >= RECORD_SAMPLES) {
    if (record->random == 0)
      record->random = 0x9e3779b97f4a7c15ull;
    place = next_random(&record->random) % record->seen;
  } else {
    record->sample_count++;
  }
  if (place < RECORD_SAMPLES) {
    execution_free(&record->samples[place]);
    record->samples[place] = *execution;
    *execution = (struct execution){0};
  } else {
    execution_free(execution);
  }
}

void loop_record_free(struct loop_record *record)
{
  for (uint32_t i = 0; i < record->sample_count; i++)
    execution_free(&record->samples[i]);
}
