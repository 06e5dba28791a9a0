#include "analyzer/report/sequence_json.h"

#include <stdlib.h>

enum { ROW_BYTES = (SEQUENCE_ROWS + 1 + 7) / 8 };

/* --- all records --- */

static bool sequence_json_put_all(struct json_writer *json, struct pes_stream *stream,
                                  const struct pes_state_totals *totals, struct error *error)
{
  struct pes_record records[PES_BATCH];
  uint64_t before = totals->begin, number = 0;
  size_t count;
  uint32_t *states = malloc((totals->records + 1) * sizeof *states);
  bool good = states || error_set(error, "out of memory");
  if (good)
    json_put_array(json, "later");
  while (good && (good = pes_next(stream, records, &count, error)) && count > 0) {
    for (size_t i = 0; i < count && number < totals->records; i++, number++) {
      json_put_count(json, NULL, records[i].entry - before);
      before = records[i].entry;
      states[number] = records[i].state;
    }
  }
  if (good) {
    json_put_end(json);
    json_put_array(json, "state");
    for (uint64_t i = 0; i < number; i++)
      json_put_count(json, NULL, states[i]);
    json_put_end(json);
  }
  free(states);
  return good;
}

/* --- parts: a bit for each row --- */

struct parts {
  unsigned char (*by_time)[ROW_BYTES], (*by_event)[ROW_BYTES];
  uint16_t *row; /* by state */
  const struct pes_state_totals *totals;
};

static uint64_t sequence_json_part_of(uint64_t value, uint64_t whole)
{
  uint64_t part = whole ? (uint64_t)((unsigned __int128)value * SEQUENCE_PARTS / whole) : 0;
  return part < SEQUENCE_PARTS ? part : SEQUENCE_PARTS - 1;
}

static void mark(unsigned char (*parts)[ROW_BYTES], uint64_t part, unsigned row)
{
  parts[part][row / 8] |= (unsigned char)(1U << row % 8);
}

static void add(struct parts *parts, uint64_t number, const struct pes_record *record, uint64_t until)
{
  const struct pes_state_totals *totals = parts->totals;
  unsigned row = parts->row[record->state];
  uint64_t first = sequence_json_part_of(record->entry - totals->begin, totals->duration);
  /* A part begins with its first tick: a state that ends there is not in it. */
  uint64_t last = until > record->entry ? sequence_json_part_of(until - 1 - totals->begin, totals->duration) : first;
  for (uint64_t part = first; part <= last; part++)
    mark(parts->by_time, part, row);
  mark(parts->by_event, sequence_json_part_of(number, totals->records), row);
}

static bool read_parts(struct parts *parts, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH], last = {0};
  uint64_t number = 0;
  size_t count;
  for (;;) {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (count == 0)
      break;
    for (size_t i = 0; i < count; i++, number++) {
      if (number > 0)
        add(parts, number - 1, &last, records[i].entry);
      last = records[i];
    }
  }
  if (number > 0)
    add(parts, number - 1, &last, stream->end.time);
  return true;
}

static void put_rows(struct json_writer *json, const char *name, unsigned char (*parts)[ROW_BYTES])
{
  json_put_array(json, name);
  for (unsigned i = 0; i < SEQUENCE_PARTS; i++) {
    json_put_array(json, NULL);
    for (unsigned row = 0; row <= SEQUENCE_ROWS; row++)
      if (parts[i][row / 8] & 1U << row % 8)
        json_put_count(json, NULL, row);
    json_put_end(json);
  }
  json_put_end(json);
}

static bool put_parts(struct json_writer *json, struct pes_stream *stream, const struct pes_state_totals *totals,
                      const uint32_t *ranked, size_t ranked_count, struct error *error)
{
  struct parts parts = {.totals = totals,
                        .by_time = calloc(SEQUENCE_PARTS, ROW_BYTES),
                        .by_event = calloc(SEQUENCE_PARTS, ROW_BYTES),
                        .row = malloc((totals->states.count + 1) * sizeof *parts.row)};
  bool good = (parts.by_time && parts.by_event && parts.row) || error_set(error, "out of memory");
  for (size_t i = 0; good && i < totals->states.count; i++)
    parts.row[i] = SEQUENCE_ROWS;
  for (size_t i = 0; good && i < ranked_count && i < SEQUENCE_ROWS; i++)
    parts.row[ranked[i]] = (uint16_t)i;
  good = good && read_parts(&parts, stream, error);
  if (good) {
    json_put_object(json, "parts");
    json_put_count(json, "rows", SEQUENCE_ROWS);
    put_rows(json, "time", parts.by_time);
    put_rows(json, "events", parts.by_event);
    json_put_end(json);
  }
  free(parts.by_time);
  free(parts.by_event);
  free(parts.row);
  return good;
}

bool sequence_json_records(struct json_writer *json, struct pes_stream *stream, const struct pes_state_totals *totals,
                           const uint32_t *ranked, size_t ranked_count, uint64_t most, struct error *error)
{
  if (!pes_rewind(stream, error))
    return false;
  return totals->records <= most ? sequence_json_put_all(json, stream, totals, error)
                                 : put_parts(json, stream, totals, ranked, ranked_count, error);
}
