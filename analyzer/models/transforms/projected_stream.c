/*
 * All states of the source, and those that its aggregates stand for, are translated when the stream is opened; after
 * that a record costs a look into a table. Aggregates stay aggregates with their names: the states around them and in
 * their sequences are translated. Only basic states are merged: two occurrences of an aggregate stay two.
 */
#include "analyzer/models/transforms/projected_stream.h"

#include "analyzer/models/transforms/stage.h"
#include "analyzer/models/transforms/translation.h"

#include <stdlib.h>
#include <string.h>

struct projected {
  struct stage stage;
  struct projection projection;
  struct translation translation;
  uint32_t last; /* the state that was put last */
};

static bool is_repeated(const struct projected *projected, uint32_t state)
{
  return projected->projection.merge && state == projected->last &&
         pes_state(projected->stage.stream.states, state)->kind == PES_BASIC;
}

static bool projected_stream_take(struct stage *stage, struct error *error)
{
  struct projected *projected = (struct projected *)stage;
  for (; stage->in_at < stage->in_count && stage_has_room(stage); stage->in_at++) {
    const struct pes_record *record = &stage->in[stage->in_at];
    uint32_t state = translation_of(&projected->translation, record->state);
    if (state == PES_NONE)
      return error_set(error, "the sequence has changed since it was read first");
    if (is_repeated(projected, state))
      continue;
    stage_put(stage, record->entry, state);
    projected->last = state;
  }
  return true;
}

/* When the terminal state is the same as the last one, that one goes on, and what comes behind it is unknown. */
static bool projected_stream_finish(struct stage *stage, struct error *error)
{
  struct projected *projected = (struct projected *)stage;
  struct pes_end *end = &stage->stream.end;
  (void)error;
  if (end->terminal != PES_NONE)
    end->terminal = translation_of(&projected->translation, end->terminal);
  if (end->terminal != PES_NONE && is_repeated(projected, end->terminal))
    end->terminal = PES_NONE;
  return true;
}

static bool projected_stream_restart(struct stage *stage, struct error *error)
{
  (void)error;
  ((struct projected *)stage)->last = PES_NONE;
  return true;
}

static void projected_stream_destroy(struct stage *stage)
{
  struct projected *projected = (struct projected *)stage;
  pes_states_free(stage->stream.states);
  projection_free(&projected->projection);
  translation_free(&projected->translation);
  free(projected);
}

struct pes_stream *projected_stream_open(struct pes_stream *source, struct projection *projection, struct error *error)
{
  static const struct stage_class class = {projected_stream_take, projected_stream_finish, projected_stream_restart,
                                           projected_stream_destroy};
  struct projected *projected = calloc(1, sizeof *projected);
  struct pes_states *states = projected ? pes_states_create((uint32_t)projection->parts.count) : NULL;
  if (!states) {
    projection_free(projection);
    free(projected);
    error_set(error, "out of memory");
    return NULL;
  }
  stage_init(&projected->stage, &class, source, 1);
  projected->projection = *projection;
  projected->last = PES_NONE;
  projected->stage.stream.program = projection->program;
  projected->stage.stream.states = states;
  if (translation_make(&projected->translation, source, &projected->projection, states, error))
    return &projected->stage.stream;
  projected_stream_destroy(&projected->stage);
  return NULL;
}
