/* Parallel regions, teams and implicit tasks. */
#include "otf2-convert/timeline/timeline_records.h"

#include <string.h>

void take_parallel_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  unsigned detail = raw_detail_of(record[0]);
  enum construct construct = (detail & RAW_PARALLEL_LEAGUE) != 0 ? C_TEAMS : C_PARALLEL;
  uint64_t id = record[2] & RAW_VALUE_MASK, code = raw_value_of(record[0]);
  /* libomp now and then tells no place of a serialized region: the enclosing region's would count it as one of those */
  struct frame *frame = code != 0 ? frame_enter(t, F_PARALLEL, detail, construct, code, time)
                                  : frame_enter_nowhere(t, F_PARALLEL, detail, construct, time);
  if (frame == NULL) {
    timeline_region_done(t, id);
    return;
  }
  frame->key = id;
  sink_fork(&t->sink, time, (uint32_t)(record[2] >> RAW_VALUE_BITS));
}

void take_parallel_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  frame_end(t, F_PARALLEL, frame_find_key(t, F_PARALLEL, raw_value_of(record[0])), time);
}

/* Closes what a thread has open that begins as a worker: a worker is in no other region. */
static void become_worker(struct timeline *t, uint64_t time)
{
  uint32_t base = 0;
  while (base < t->frames.count && t->frames.items[base].type == F_THREAD)
    base++;
  frames_close_to(t, base, time, CLOSED_LOST);
}

/* The lowest of the user's frames that are on top; the depth when there is none. */
static uint32_t users_on_top(const struct timeline *t)
{
  uint32_t at = t->frames.count;
  while (at > 0 && frame_is_users(&t->frames.items[at - 1]))
    at--;
  return at;
}

/*
 * The initial task has no events. It begins when the runtime does, which may be inside of regions of the user's, and
 * ends with the runtime: so it goes beneath them, and they outlive it.
 */
static void begin_initial(struct timeline *t, unsigned detail)
{
  uint32_t at = users_on_top(t);
  if (frame_push(t, F_INITIAL, detail, REGION_NONE, 0) == NULL)
    return;
  struct frame initial = t->frames.items[t->frames.count - 1];
  memmove(&t->frames.items[at + 1], &t->frames.items[at], (t->frames.count - 1 - at) * sizeof *t->frames.items);
  t->frames.items[at] = initial;
}

static void end_initial(struct timeline *t, uint32_t initial, uint64_t time)
{
  if (users_on_top(t) != initial + 1) {
    frame_end(t, F_INITIAL, initial, time);
    return;
  }
  t->frames.count--;
  t->open[F_INITIAL]--;
  memmove(&t->frames.items[initial], &t->frames.items[initial + 1],
          (t->frames.count - initial) * sizeof *t->frames.items);
}

void take_implicit_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t id = raw_value_of(record[0]);
  uint32_t index = (uint32_t)(record[2] >> 32), size = (uint32_t)record[2];
  if (id == RAW_ID_NONE) {
    begin_initial(t, raw_detail_of(record[0]));
    return;
  }
  const struct team *team = timeline_team(t, id);
  uint32_t comm = team != NULL && team->comm != COMM_NONE ? team->comm : OTF2_UNDEFINED_COMM;
  uint64_t code = team != NULL ? team->code : 0;
  if (index > 0)
    become_worker(t, time);
  uint32_t region = REGION_NONE;
  if (index > 0)
    region = timeline_region(t, team != NULL && team->is_league ? C_TEAMS : C_PARALLEL, &code);
  else
    code = frame_enclosing_code(t);
  struct frame *frame = frame_push(t, F_TEAM, raw_detail_of(record[0]), region, code);
  if (frame == NULL) {
    timeline_region_done(t, id);
    return;
  }
  frame->key = id;
  frame->team.index = index;
  frame->team.size = size;
  frame->team.comm = comm;
  frame->team.outer = t->team;
  t->team = t->frames.count - 1;
  sink_team_begin(&t->sink, time, comm);
  if (index > 0)
    sink_enter(&t->sink, time, region);
}

void take_implicit_end(struct timeline *t, const uint64_t *record, uint64_t time)
{
  (void)record;
  /* An initial task's end may come when its thread has ended already; nothing is missing then. */
  uint32_t team = frame_find(t, F_TEAM), initial = frame_find(t, F_INITIAL);
  if (t->hidden[F_TEAM] > 0)
    t->hidden[F_TEAM]--;
  else if (team != NO_FRAME && (initial == NO_FRAME || team > initial))
    frame_end(t, F_TEAM, team, time);
  else if (initial != NO_FRAME)
    end_initial(t, initial, time);
  else if (raw_detail_of(record[0]) != IMPLICIT_INITIAL)
    t->counts.ends_unmatched++;
}
