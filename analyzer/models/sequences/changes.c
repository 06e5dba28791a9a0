#include "analyzer/models/sequences/changes.h"

static void *open_lane(void *context, const struct pass_location *location, struct error *error)
{
  const struct changes *changes = context;
  struct lane *lane = lane_open(changes->trace, changes->kind, location, &changes->wanted);
  if (!lane)
    error_set(error, "%s: out of memory", changes->trace->anchor);
  return lane;
}

static bool end_lane(void *lane)
{
  return lane_end(lane);
}

static void close_lane(void *context, void *lane)
{
  (void)context;
  lane_close(lane);
}

static void drop(struct changes *changes, unsigned index)
{
  sequence_destroy(changes->sequences[index]);
  changes->sequences[index] = NULL;
  changes->wanted = false;
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++)
    changes->wanted |= changes->sequences[i] != NULL;
}

static bool has_too_many(const struct changes *changes, unsigned index)
{
  return changes->states_most > 0 && pes_states_count(changes->sequences[index]->states) > changes->states_most;
}

static bool take(void *context, uint32_t location, void *item)
{
  struct changes *changes = context;
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++) {
    if (!changes->sequences[i])
      continue;
    if (!sequence_change(changes->sequences[i], location, item, &changes->error))
      return false;
    if (has_too_many(changes, i))
      drop(changes, i);
  }
  return true;
}

void changes_begin(struct changes *changes, const struct trace *trace, enum pes_component_kind kind,
                   uint32_t states_most)
{
  bool threads = pes_follows_threads(kind);
  *changes = (struct changes){.trace = trace, .kind = kind, .states_most = states_most};
  /* Who has a lock, or what was measured last, may be known from before what is looked at. */
  changes->subscriber = (struct subscriber){.context = changes,
                                            .before = !threads,
                                            .others = kind == PES_OF_LOCKS,
                                            .open = open_lane,
                                            .event = threads ? NULL : lane_event,
                                            .interval = threads ? lane_interval : NULL,
                                            .end = end_lane,
                                            .close = close_lane,
                                            .queue = lane_queue,
                                            .reached = lane_reached,
                                            .take = take};
}

void changes_add(struct changes *changes, unsigned index, struct sequence *sequence)
{
  changes->sequences[index] = sequence;
  changes->wanted = true;
}

bool changes_end(struct changes *changes, struct error *error)
{
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++) {
    if (!changes->sequences[i])
      continue;
    if (!sequence_end(changes->sequences[i], error))
      return false;
    if (has_too_many(changes, i))
      drop(changes, i);
  }
  return true;
}

void changes_drop(struct changes *changes)
{
  for (unsigned i = 0; i < PES_SEQUENCES_MOST; i++)
    drop(changes, i);
}
