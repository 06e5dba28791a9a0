/* What a sequence is like, and where states occur in it. */
#include "analyzer/transforms/tallies.h"
#include "analyzer/transforms/transforms.h"

#include <stdlib.h>

/* Distinct pairs of states: a hash table with open addressing; pairs are kept plus 1, so 0 is free. */
struct pairs {
  uint64_t *slots;
  size_t count, capacity;
};

static bool has_pair(const struct pairs *pairs, uint64_t pair, size_t *at)
{
  *at = (pair * 0x9e3779b97f4a7c15u) >> 20 & (pairs->capacity - 1);
  while (pairs->slots[*at] != 0 && pairs->slots[*at] != pair)
    *at = (*at + 1) & (pairs->capacity - 1);
  return pairs->slots[*at] == pair;
}

static bool add_pair(struct pairs *pairs, uint64_t pair)
{
  size_t at;
  if (2 * pairs->count >= pairs->capacity) {
    struct pairs more = {.count = pairs->count, .capacity = pairs->capacity ? 2 * pairs->capacity : 256};
    more.slots = calloc(more.capacity, sizeof *more.slots);
    if (!more.slots)
      return false;
    for (size_t i = 0; i < pairs->capacity; i++)
      if (pairs->slots[i] != 0 && !has_pair(&more, pairs->slots[i], &at))
        more.slots[at] = pairs->slots[i];
    free(pairs->slots);
    *pairs = more;
  }
  if (!has_pair(pairs, pair, &at)) {
    pairs->slots[at] = pair;
    pairs->count++;
  }
  return true;
}

static bool count_pairs(struct pes_stream *stream, struct pairs *pairs, struct error *error)
{
  struct pes_record records[PES_BATCH];
  uint32_t last = PES_NONE;
  size_t count;
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count; i++) {
      if (last != PES_NONE && !add_pair(pairs, ((uint64_t)last << 32 | records[i].state) + 1))
        return error_set(error, "out of memory");
      last = records[i].state;
    }
  } while (count > 0);
  return true;
}

bool transforms_summarize(struct pes_stream *stream, struct transforms_summary *summary, struct error *error)
{
  struct tallies tallies;
  struct pairs pairs = {0};
  bool good = tallies_read(&tallies, stream, error) && count_pairs(stream, &pairs, error);
  if (good) {
    *summary = (struct transforms_summary){
        .records = tallies.records, .duration = tallies.duration, .transitions = pairs.count};
    for (uint32_t i = 0; i < tallies.count; i++) {
      enum pes_kind kind = pes_state(stream->states, i)->kind;
      summary->states += tallies.list[i].count > 0;
      summary->filter_time += kind == PES_FILTER ? tallies.list[i].time : 0;
      summary->pattern_time += kind == PES_PATTERN ? tallies.list[i].time : 0;
    }
  }
  tallies_free(&tallies);
  free(pairs.slots);
  return good;
}

/* The first places where states from `first` on occur. */
static bool find_places(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error)
{
  struct pes_record records[PES_BATCH];
  struct transforms_place *open = NULL; /* its end is the next entry */
  uint64_t number = 0;
  size_t count;
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count && (open || preview->place_count < places); i++, number++) {
      if (open)
        open->time = records[i].entry - open->entry;
      open = NULL;
      if (records[i].state < first || preview->place_count == places)
        continue;
      open = &preview->places[preview->place_count++];
      *open = (struct transforms_place){number, records[i].entry, 0, records[i].state};
    }
  } while (count > 0 && (open || preview->place_count < places));
  if (open)
    open->time = stream->end.time - open->entry;
  return true;
}

bool transforms_preview(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error)
{
  struct tallies tallies;
  *preview = (struct transforms_preview){0};
  bool good = tallies_read(&tallies, stream, error);
  preview->begin = tallies.begin;
  preview->duration = tallies.duration;
  uint64_t occurrences = 0;
  for (uint32_t i = first; i < tallies.count && good; i++) {
    preview->use_count += tallies.list[i].count > 0;
    occurrences += tallies.list[i].count;
  }
  places = places < occurrences ? places : occurrences;
  preview->uses = calloc(preview->use_count + 1, sizeof *preview->uses);
  preview->places = calloc(places + 1, sizeof *preview->places);
  if (good && (!preview->uses || !preview->places))
    good = error_set(error, "out of memory");
  size_t use = 0;
  for (uint32_t i = first; i < tallies.count && good; i++)
    if (tallies.list[i].count > 0)
      preview->uses[use++] = (struct transforms_use){i, tallies.list[i].count, tallies.list[i].time};
  good = good && find_places(stream, first, places, preview, error);
  tallies_free(&tallies);
  return good;
}

void transforms_preview_free(struct transforms_preview *preview)
{
  free(preview->uses);
  free(preview->places);
}
