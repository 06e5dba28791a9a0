#include "analyzer/models/markov/run_counts.h"

#include <stdlib.h>
#include <string.h>

struct walk {
  struct markov_run_counts *counts;
  struct pes_stream *stream;
  struct error *error;
  uint64_t num, den;
  uint64_t begin, entry; /* the first record's, the last one's; in the stream's ticks */
};

static bool run_counts_out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* There is room for all states that the stream knows by now. */
static bool run_counts_make_room(struct markov_run_counts *counts, const struct pes_stream *stream, struct error *error)
{
  uint32_t count = pes_states_count(stream->states);
  size_t before = counts->occupancies.count;
  if (count <= before)
    return true;
  if (!vector_resize(&counts->occupancies, count))
    return run_counts_out_of_memory(error);
  for (size_t i = before; i < count; i++)
    markov_distribution_begin(&counts->occupancies.items[i]);
  return true;
}

/* Differences of scaled times, not scaled differences, so that occupancies add up to the duration. */
static uint64_t scaled(const struct walk *walk, uint64_t time)
{
  uint64_t since = time - walk->begin;
  return walk->num == walk->den ? since : (uint64_t)((unsigned __int128)since * walk->num / walk->den);
}

static bool run_counts_leave(struct walk *walk, uint64_t time)
{
  struct markov_run_counts *counts = walk->counts;
  if (time < walk->entry)
    return error_set(walk->error, "times run backwards in the sequence");
  uint64_t ticks = scaled(walk, time) - scaled(walk, walk->entry);
  return markov_distribution_add(&counts->occupancies.items[counts->last], ticks, 1) ||
         run_counts_out_of_memory(walk->error);
}

static bool take_record(struct walk *walk, const struct pes_record *record)
{
  struct markov_run_counts *counts = walk->counts;
  if (record->state >= counts->occupancies.count)
    return error_set(walk->error, "a state is not in the table of states");
  if (counts->records == 0) {
    walk->begin = record->entry;
    counts->first = record->state;
  } else if (!run_counts_leave(walk, record->entry)) {
    return false;
  } else if (!markov_transition_counts_add(&counts->transitions, counts->last, record->state, 1)) {
    return run_counts_out_of_memory(walk->error);
  }
  counts->last = record->state;
  walk->entry = record->entry;
  counts->records++;
  return true;
}

static bool take_end(struct walk *walk)
{
  struct markov_run_counts *counts = walk->counts;
  if (counts->records == 0)
    return error_set(walk->error, "the sequence has no records");
  if (!run_counts_leave(walk, walk->stream->end.time))
    return false;
  counts->terminal = walk->stream->end.terminal;
  counts->duration = scaled(walk, walk->stream->end.time);
  if (counts->duration > INT64_MAX)
    return error_set(walk->error, "the sequence lasts 2^63 ticks or more");
  return run_counts_make_room(counts, walk->stream, walk->error) &&
         (counts->terminal == PES_NONE || counts->terminal < counts->occupancies.count ||
          error_set(walk->error, "the terminal state is not in the table of states"));
}

bool markov_run_counts_read(struct markov_run_counts *counts, struct pes_stream *stream, uint64_t num, uint64_t den,
                            struct error *error)
{
  memset(counts, 0, sizeof *counts);
  struct walk walk = {.counts = counts, .stream = stream, .error = error, .num = num, .den = den};
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good = records ? pes_rewind(stream, error) : run_counts_out_of_memory(error);
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error) && run_counts_make_room(counts, stream, error);
    for (size_t i = 0; good && i < count; i++)
      good = take_record(&walk, &records[i]);
  }
  free(records);
  return good && take_end(&walk);
}

void markov_run_counts_free(struct markov_run_counts *counts)
{
  for (size_t i = 0; i < counts->occupancies.count; i++)
    markov_distribution_free(&counts->occupancies.items[i]);
  vector_free(&counts->occupancies);
  markov_transition_counts_free(&counts->transitions);
  memset(counts, 0, sizeof *counts);
}
