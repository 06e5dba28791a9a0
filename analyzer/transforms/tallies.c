#include "analyzer/transforms/tallies.h"

#include <stdlib.h>
#include <string.h>

/* A place for each state that the table has now. */
static bool grow(struct tallies *tallies, uint32_t *capacity, const struct pes_states *states)
{
  uint32_t count = pes_states_count(states);
  if (count > *capacity) {
    uint32_t room = count > UINT32_MAX / 2 ? UINT32_MAX : 2 * count;
    struct tally *more = realloc(tallies->list, room * sizeof *more);
    if (!more)
      return false;
    memset(more + *capacity, 0, (room - *capacity) * sizeof *more);
    tallies->list = more;
    *capacity = room;
  }
  tallies->count = count;
  return true;
}

bool tallies_read(struct tallies *tallies, struct pes_stream *stream, struct error *error)
{
  struct pes_record records[PES_BATCH];
  struct pes_record last = {0, PES_NONE};
  uint32_t capacity = 0;
  size_t count;
  *tallies = (struct tallies){0};
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    if (!grow(tallies, &capacity, stream->states))
      return error_set(error, "out of memory");
    if (count > 0 && last.state == PES_NONE)
      last = (struct pes_record){tallies->begin = records[0].entry, records[0].state};
    for (size_t i = 0; i < count; i++) {
      tallies->list[last.state].time += records[i].entry - last.entry;
      tallies->list[records[i].state].count++;
      last = records[i];
    }
    tallies->records += count;
  } while (count > 0);
  if (last.state == PES_NONE)
    tallies->begin = stream->end.time;
  else
    tallies->list[last.state].time += stream->end.time - last.entry;
  tallies->duration = stream->end.time - tallies->begin;
  return true;
}

void tallies_free(struct tallies *tallies)
{
  free(tallies->list);
  tallies->list = NULL;
}
