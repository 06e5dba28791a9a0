#include "analyzer/models/sequences/state_totals.h"

bool pes_state_totals_add(struct pes_state_totals *totals, const struct pes_stream *stream,
                          const struct pes_record *records, size_t count)
{
  size_t known = pes_states_count(stream->states);
  if (known > totals->states.count && !vector_resize(&totals->states, known))
    return false;
  if (count == 0)
    return true;
  if (totals->records == 0)
    totals->last = (struct pes_record){totals->begin = records[0].entry, records[0].state};
  struct pes_state_total *states = totals->states.items;
  struct pes_record last = totals->last;
  for (size_t i = 0; i < count; i++) {
    states[last.state].time += records[i].entry - last.entry;
    states[records[i].state].count++;
    last = records[i];
  }
  totals->last = last;
  totals->records += count;
  return true;
}

void pes_state_totals_end(struct pes_state_totals *totals, const struct pes_end *end)
{
  if (totals->records == 0)
    totals->begin = end->time;
  else
    totals->states.items[totals->last.state].time += end->time - totals->last.entry;
  totals->duration = end->time - totals->begin;
}

bool pes_state_totals_read(struct pes_state_totals *totals, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  size_t count;
  *totals = (struct pes_state_totals){0};
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (!pes_state_totals_add(totals, stream, records, count))
      return error_set(error, "out of memory");
  } while (count > 0);
  pes_state_totals_end(totals, &stream->end);
  return true;
}

void pes_state_totals_clear(struct pes_state_totals *totals)
{
  totals->states.count = 0; /* the room stays */
  totals->records = totals->begin = totals->duration = 0;
}

void pes_state_totals_free(struct pes_state_totals *totals)
{
  vector_free(&totals->states);
}
