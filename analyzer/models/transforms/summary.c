/* The figures of a sequence, and the places where states occur in it. */
#include "analyzer/models/transforms/transforms.h"
#include "base/hash.h"

#include <stdlib.h>

/* Transitions that occur: from << 32 | to. */
static bool add_transition(struct hash *transitions, uint32_t from, uint32_t to)
{
  uint64_t key = (uint64_t)from << 32 | to;
  return hash_find(transitions, key) || hash_add(transitions, key, 0);
}

static bool find_transitions(struct pes_stream *stream, struct hash *transitions, struct error *error)
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
      if (last != PES_NONE && !add_transition(transitions, last, records[i].state))
        return error_set(error, "out of memory");
      last = records[i].state;
    }
  } while (count > 0);
  return true;
}

bool transforms_summarize(struct pes_stream *stream, struct transforms_summary *summary, struct error *error)
{
  struct pes_state_totals totals;
  struct hash transitions = {0};
  bool good = pes_state_totals_read(&totals, stream, error) && find_transitions(stream, &transitions, error);
  if (good) {
    *summary = (struct transforms_summary){
        .records = totals.records, .duration = totals.duration, .transitions = transitions.count};
    for (uint32_t i = 0; i < totals.states.count; i++) {
      enum pes_kind kind = pes_state(stream->states, i)->kind;
      summary->states += totals.states.items[i].count > 0;
      summary->filter_time += kind == PES_FILTER ? totals.states.items[i].time : 0;
      summary->pattern_time += kind == PES_PATTERN ? totals.states.items[i].time : 0;
    }
  }
  pes_state_totals_free(&totals);
  hash_free(&transitions);
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
  struct pes_state_totals totals;
  *preview = (struct transforms_preview){0};
  bool good = pes_state_totals_read(&totals, stream, error);
  preview->begin = totals.begin;
  preview->duration = totals.duration;
  uint64_t occurrences = 0;
  for (uint32_t i = first; i < totals.states.count && good; i++) {
    preview->use_count += totals.states.items[i].count > 0;
    occurrences += totals.states.items[i].count;
  }
  places = places < occurrences ? places : occurrences;
  preview->uses = calloc(preview->use_count + 1, sizeof *preview->uses);
  preview->places = calloc(places + 1, sizeof *preview->places);
  if (good && (!preview->uses || !preview->places))
    good = error_set(error, "out of memory");
  size_t use = 0;
  for (uint32_t i = first; i < totals.states.count && good; i++)
    if (totals.states.items[i].count > 0)
      preview->uses[use++] = (struct transforms_use){i, totals.states.items[i].count, totals.states.items[i].time};
  good = good && find_places(stream, first, places, preview, error);
  pes_state_totals_free(&totals);
  return good;
}

void transforms_preview_free(struct transforms_preview *preview)
{
  free(preview->uses);
  free(preview->places);
}
