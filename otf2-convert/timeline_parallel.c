/* Parallel regions, teams and implicit tasks; and the ends of their last barriers, which a worker learns of late. */
#include "otf2-convert/timeline_frames.h"

#include <string.h>

static uint64_t key_of(const struct timeline *t, uint64_t id)
{
  return team_key(t->location->process->index, id);
}

static void region_is_seen_no_more(struct timeline *t, uint64_t id)
{
  if (!vector_push(&t->location->regions_done, id))
    t->out_of_memory = true;
}

void take_parallel_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  bool league = (raw_detail_of(record[0]) & RAW_PARALLEL_LEAGUE) != 0;
  uint64_t id = record[2] & RAW_VALUE_MASK;
  struct frame *frame = frame_enter(t, F_PARALLEL, raw_detail_of(record[0]), league ? C_TEAMS : C_PARALLEL,
                                    raw_value_of(record[0]), time);
  if (frame == NULL) {
    region_is_seen_no_more(t, id);
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
  while (base < t->depth && t->frames[base].type == F_THREAD)
    base++;
  frames_close_to(t, base, time, CLOSED_LOST);
}

void take_implicit_begin(struct timeline *t, const uint64_t *record, uint64_t time)
{
  uint64_t id = raw_value_of(record[0]);
  uint32_t index = (uint32_t)(record[2] >> 32), size = (uint32_t)record[2];
  if (id == RAW_ID_NONE) {
    frame_push(t, F_INITIAL, raw_detail_of(record[0]), REGION_NONE, 0);
    return;
  }
  const struct team *team = teams_find(t->on->teams, key_of(t, id));
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
    region_is_seen_no_more(t, id);
    return;
  }
  frame->key = id;
  frame->team.index = index;
  frame->team.size = size;
  frame->team.comm = comm;
  frame->team.outer = t->team;
  t->team = t->depth - 1;
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
    frame_end(t, F_INITIAL, initial, time);
  else if (raw_detail_of(record[0]) != IMPLICIT_INITIAL)
    t->counts.ends_unmatched++;
}

/* When the barrier that the top frame waits in was over, as far as it is known; not before the wait began. */
static uint64_t release_time(const struct timeline *t)
{
  const struct frame *wait = &t->frames[t->depth - 1];
  const struct team *team = teams_find(t->on->teams, key_of(t, t->frames[t->team].key));
  uint64_t release = wait->wait.begin;
  if (team != NULL && team->latest_arrival > release)
    release = team->latest_arrival;
  return wait->wait.task_end > release ? wait->wait.task_end : release;
}

/* Puts the worker outside of its region at `release`; what the tool itself did later is shown there. */
static void leave_region(struct timeline *t, uint64_t release, uint64_t seen)
{
  if (release < seen)
    t->counts.ends_corrected++;
  else
    release = seen;
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  uint32_t team = t->team;
  while (t->depth > team + 1)
    frame_close_top(t, release, CLOSED_BY_END);
  frame_close_top(t, release, CLOSED_BY_END);
  for (uint32_t i = 0; i < t->held_count; i++)
    if (raw_kind_of(t->held[i][0]) == RAW_STALL)
      timeline_record(t, t->held[i], t->held[i][1]);
  t->held_count = 0;
}

/* Handles the held records as what they are. */
void release_held(struct timeline *t)
{
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  uint32_t count = t->held_count;
  t->held_count = 0;
  for (uint32_t i = 0; i < count; i++)
    timeline_record(t, t->held[i], t->held[i][1]);
}

static bool hold(struct timeline *t, const uint64_t *record, uint64_t time)
{
  if (t->held_count == HELD_MAX)
    return false;
  if (t->held == NULL && (t->held = calloc(HELD_MAX, sizeof *t->held)) == NULL) {
    t->out_of_memory = true;
    return false;
  }
  uint64_t *copy = t->held[t->held_count++];
  copy[0] = record[0];
  copy[1] = time;
  copy[2] = raw_record_words(record[0]) > 2 ? record[2] : 0;
  return true;
}

/*
 * The thread is a worker and waits in what may be its region's last barrier. Whether it is, and so whether the
 * barrier's end was delivered late, shows only when the end of its implicit task follows.
 */
bool attend_barrier(struct timeline *t, const uint64_t *record, uint64_t time)
{
  const struct frame *wait = frame_top(t);
  if (wait == NULL || wait->type != F_WAIT || t->team == NO_FRAME) { /* it executes a task */
    if (t->open[F_WAIT] == 0)
      t->attention &= ~(unsigned)ATTEND_BARRIER;
    return false;
  }
  switch (raw_kind_of(record[0])) {
  case RAW_STALL:
  case RAW_WAIT_END:
  case RAW_SYNC_END:
    if (hold(t, record, time))
      return true;
    break;
  case RAW_IMPLICIT_END: {
    uint64_t seen = time;
    for (uint32_t i = t->held_count; i-- > 0;)
      if (raw_kind_of(t->held[i][0]) == RAW_WAIT_END)
        seen = t->held[i][1];
    leave_region(t, release_time(t), seen);
    return true;
  }
  default:
    break;
  }
  unsigned still = wait->type == F_WAIT ? ATTEND_BARRIER : 0;
  release_held(t);
  wait = frame_top(t); /* a task begins in the barrier: its end is still to come */
  if (still && wait != NULL && wait->type == F_WAIT)
    t->attention |= ATTEND_BARRIER;
  return false;
}

void leave_finished_barrier(struct timeline *t)
{
  const struct frame *wait = frame_top(t);
  if ((t->attention & ATTEND_BARRIER) == 0 || wait == NULL || wait->type != F_WAIT || t->team == NO_FRAME)
    return;
  const struct frame *frame = &t->frames[t->team];
  const struct team *team = teams_find(t->on->teams, key_of(t, frame->key));
  bool over = team != NULL && wait->detail != SYNC_BARRIER_IMPLICIT && team->arrived >= frame->team.size;
  if (over)
    leave_region(t, release_time(t), UINT64_MAX);
}
