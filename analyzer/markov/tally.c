#include "analyzer/markov/tally.h"

#include <stdlib.h>
#include <string.h>

struct walk {
  struct markov_tally *tally;
  struct pes_stream *stream;
  struct error *error;
  uint64_t num, den;
  uint64_t begin, entry; /* the first record's, the last one's; in the stream's ticks */
};

static bool out_of_memory(struct error *error)
{
  return error_set(error, "out of memory");
}

/* There is room for all states that the stream knows by now. */
static bool make_room(struct markov_tally *tally, const struct pes_stream *stream, struct error *error)
{
  uint32_t count = pes_states_count(stream->states);
  if (count <= tally->state_count)
    return true;
  struct markov_distribution *states = reallocarray(tally->states, count, sizeof *states);
  if (!states)
    return out_of_memory(error);
  tally->states = states;
  while (tally->state_count < count)
    markov_distribution_begin(&states[tally->state_count++]);
  return true;
}

/* Differences of scaled times, not scaled differences, so that occupancies add up to the duration. */
static uint64_t scaled(const struct walk *walk, uint64_t time)
{
  uint64_t since = time - walk->begin;
  return walk->num == walk->den ? since : (uint64_t)((unsigned __int128)since * walk->num / walk->den);
}

static bool leave(struct walk *walk, uint64_t time)
{
  struct markov_tally *tally = walk->tally;
  if (time < walk->entry)
    return error_set(walk->error, "times run backwards in the sequence");
  uint64_t ticks = scaled(walk, time) - scaled(walk, walk->entry);
  return markov_distribution_add(&tally->states[tally->last], ticks, 1) || out_of_memory(walk->error);
}

static bool take_record(struct walk *walk, const struct pes_record *record)
{
  struct markov_tally *tally = walk->tally;
  if (record->state >= tally->state_count)
    return error_set(walk->error, "the sequence has a state that its table lacks");
  if (tally->records == 0) {
    walk->begin = record->entry;
    tally->first = record->state;
  } else if (!leave(walk, record->entry)) {
    return false;
  } else if (!markov_counts_add(&tally->transitions, tally->last, record->state, 1)) {
    return out_of_memory(walk->error);
  }
  tally->last = record->state;
  walk->entry = record->entry;
  tally->records++;
  return true;
}

static bool take_end(struct walk *walk)
{
  struct markov_tally *tally = walk->tally;
  if (tally->records == 0)
    return error_set(walk->error, "the sequence has no records");
  if (!leave(walk, walk->stream->end.time))
    return false;
  tally->terminal = walk->stream->end.terminal;
  tally->duration = scaled(walk, walk->stream->end.time);
  if (tally->duration > INT64_MAX)
    return error_set(walk->error, "the sequence lasts 2^63 ticks or more");
  return make_room(tally, walk->stream, walk->error) &&
         (tally->terminal == PES_NONE || tally->terminal < tally->state_count ||
          error_set(walk->error, "the terminal state is not in the table of states"));
}

bool markov_tally_take(struct markov_tally *tally, struct pes_stream *stream, uint64_t num, uint64_t den,
                       struct error *error)
{
  memset(tally, 0, sizeof *tally);
  struct walk walk = {.tally = tally, .stream = stream, .error = error, .num = num, .den = den};
  struct pes_record *records = malloc(PES_BATCH * sizeof *records);
  size_t count = 1;
  bool good = records ? pes_rewind(stream, error) : out_of_memory(error);
  while (good && count > 0) {
    good = pes_next(stream, records, &count, error) && make_room(tally, stream, error);
    for (size_t i = 0; good && i < count; i++)
      good = take_record(&walk, &records[i]);
  }
  free(records);
  return good && take_end(&walk);
}

void markov_tally_free(struct markov_tally *tally)
{
  for (uint32_t i = 0; i < tally->state_count; i++)
    markov_distribution_free(&tally->states[i]);
  free(tally->states);
  markov_counts_free(&tally->transitions);
  memset(tally, 0, sizeof *tally);
}
