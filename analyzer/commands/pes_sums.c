#include "analyzer/commands/pes_sums.h"

#include <stdlib.h>
#include <string.h>

struct summing {
  struct pes_stream stream;
  struct pes_stream *source;
  struct pes_sums *sums;
  struct pes_record last;
};

/* There is a total for each state that the stream knows by now. */
static bool make_room(struct pes_sums *sums, uint32_t states, struct error *error)
{
  if (sums->totals && states <= sums->room)
    return true;
  uint32_t room = states > UINT32_MAX / 2 ? UINT32_MAX : 2 * states + 1;
  struct pes_total *more = reallocarray(sums->totals, room, sizeof *more);
  if (!more)
    return error_set(error, "out of memory");
  memset(more + sums->room, 0, (room - sums->room) * sizeof *more);
  sums->totals = more;
  sums->room = room;
  return true;
}

static void add_up(struct summing *summing, const struct pes_record *records, size_t count)
{
  struct pes_sums *sums = summing->sums;
  for (size_t i = 0; i < count; summing->last = records[i++]) {
    if (sums->records++ == 0)
      sums->first = records[i].entry;
    else
      sums->totals[summing->last.state].time += records[i].entry - summing->last.entry;
    sums->totals[records[i].state].count++;
  }
}

static void end(struct summing *summing)
{
  struct pes_sums *sums = summing->sums;
  summing->stream.end = summing->source->end;
  if (sums->records > 0)
    sums->totals[summing->last.state].time += summing->stream.end.time - summing->last.entry;
  else
    sums->first = summing->stream.end.time;
}

static bool next(struct pes_stream *stream, struct pes_record *records, size_t *count, struct error *error)
{
  struct summing *summing = (struct summing *)stream;
  if (!pes_next(summing->source, records, count, error) ||
      !make_room(summing->sums, pes_states_count(stream->states), error))
    return false;
  add_up(summing, records, *count);
  if (*count == 0)
    end(summing);
  return true;
}

static bool begin_again(struct pes_stream *stream, struct error *error)
{
  struct summing *summing = (struct summing *)stream;
  struct pes_sums *sums = summing->sums;
  if (sums->totals)
    memset(sums->totals, 0, sums->room * sizeof *sums->totals);
  sums->records = sums->first = 0;
  return pes_rewind(summing->source, error);
}

static void close_summing(struct pes_stream *stream)
{
  struct summing *summing = (struct summing *)stream;
  pes_close(summing->source);
  free(summing);
}

struct pes_stream *pes_sums_stream(struct pes_stream *source, struct pes_sums *sums)
{
  static const struct pes_class class = {next, begin_again, close_summing};
  struct summing *summing = malloc(sizeof *summing);
  *sums = (struct pes_sums){0};
  if (!summing) {
    pes_close(source);
    return NULL;
  }
  *summing = (struct summing){.stream = {.class = &class,
                                         .program = source->program,
                                         .states = source->states,
                                         .has_all_states = source->has_all_states},
                              .source = source,
                              .sums = sums};
  return &summing->stream;
}
