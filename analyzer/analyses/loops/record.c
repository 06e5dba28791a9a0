#include "analyzer/analyses/loops/record.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void loop_record_begin(struct loop_record *record)
{
  *record = (struct loop_record){.entry_least = UINT64_MAX, .chunk_least = UINT64_MAX};
}

void execution_free(struct execution *execution)
{
  free(execution->arrivals);
  piece_list_free(&execution->pieces);
  *execution = (struct execution){0};
}

static uint64_t mix(uint64_t x)
{
  return hash_draw(&x);
}

static uint64_t record_hash_of(const struct execution_id *id, uint32_t region)
{
  return mix(mix(mix((uint64_t)region << 32 | id->team) ^ id->crew) ^ id->occurrence);
}

static int compare_ids(const struct execution_id *left, const struct execution_id *right)
{
  if (left->team != right->team)
    return left->team < right->team ? -1 : 1;
  if (left->crew != right->crew)
    return left->crew < right->crew ? -1 : 1;
  return (left->occurrence > right->occurrence) - (left->occurrence < right->occurrence);
}

static bool is_kept_rather(const struct execution *left, const struct execution *right)
{
  return left->hash != right->hash ? left->hash < right->hash : compare_ids(&left->id, &right->id) < 0;
}

static bool is_earlier(const struct execution *left, const struct execution *right)
{
  return left->leave != right->leave ? left->leave < right->leave : compare_ids(&left->id, &right->id) < 0;
}

/* The one that goes when another one comes. */
static uint32_t find_last(const struct loop_record *record)
{
  uint32_t last = 0;
  for (uint32_t i = 1; i < record->sample_count; i++)
    if (is_kept_rather(&record->samples[last], &record->samples[i]))
      last = i;
  return last;
}

void loop_record_sample(struct loop_record *record, uint32_t region, struct execution *execution)
{
  execution->hash = record_hash_of(&execution->id, region);
  if (record->sample_count == RECORD_SAMPLES) {
    uint32_t last = find_last(record);
    if (!is_kept_rather(execution, &record->samples[last])) {
      execution_free(execution);
      return;
    }
    execution_free(&record->samples[last]);
    record->sample_count--;
    memmove(&record->samples[last], &record->samples[last + 1],
            (record->sample_count - last) * sizeof *record->samples);
  }
  uint32_t at = record->sample_count++;
  for (; at > 0 && is_earlier(execution, &record->samples[at - 1]); at--)
    record->samples[at] = record->samples[at - 1];
  record->samples[at] = *execution;
  *execution = (struct execution){0};
}

static uint64_t record_larger(uint64_t left, uint64_t right)
{
  return left > right ? left : right;
}

static uint64_t smaller(uint64_t left, uint64_t right)
{
  return left < right ? left : right;
}

void loop_record_merge(struct loop_record *into, struct loop_record *from, uint32_t region)
{
  into->calls += from->calls;
  into->incomplete += from->incomplete;
  into->left_out += from->left_out;
  into->empty += from->empty;
  into->scattered += from->scattered;
  into->chunkless += from->chunkless;
  into->ordered |= from->ordered;
  into->ticks += from->ticks;
  into->present += from->present;
  into->off += from->off;
  fine_total_merge(&into->ideal, from->ideal);
  into->iterations += from->iterations;
  into->chunks += from->chunks;
  into->longest = record_larger(into->longest, from->longest);
  into->most_chunks = record_larger(into->most_chunks, from->most_chunks);
  if (into->threads_least == 0 || (from->threads_least > 0 && from->threads_least < into->threads_least))
    into->threads_least = from->threads_least;
  into->threads_most = (uint32_t)record_larger(into->threads_most, from->threads_most);
  into->gaps += from->gaps;
  into->gap_ticks += from->gap_ticks;
  into->entry_least = smaller(into->entry_least, from->entry_least);
  into->chunk_least = smaller(into->chunk_least, from->chunk_least);
  for (uint32_t i = 0; i < from->sample_count; i++)
    loop_record_sample(into, region, &from->samples[i]);
  loop_record_begin(from);
}

void loop_record_free(struct loop_record *record)
{
  for (uint32_t i = 0; i < record->sample_count; i++)
    execution_free(&record->samples[i]);
}
