#include "otf2-convert/timeline/timeline_late.h"

#include "otf2-convert/timeline/timeline_records.h"

/* The end of the barrier that the top frame waits in, as far as it is known; not before the wait began. */
static uint64_t release_time(const struct timeline *t)
{
  const struct frame *wait = &t->frames.items[t->frames.count - 1];
  const struct team *team = timeline_team(t, t->frames.items[t->team].key);
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
  while (t->frames.count > team + 1)
    frame_close_top(t, release, frame_top(t)->type == F_USER ? CLOSED_LOST : CLOSED_BY_END);
  frame_close_top(t, release, CLOSED_BY_END);
  for (uint32_t i = 0; i < t->held_count; i++)
    if (raw_kind_of(t->held[i][0]) == RAW_STALL)
      take_record(t, t->held[i], t->held[i][1]);
  t->held_count = 0;
}

/* Takes the held records as what they are. */
static void release_held(struct timeline *t)
{
  t->attention &= ~(unsigned)ATTEND_BARRIER;
  uint32_t count = t->held_count;
  t->held_count = 0;
  for (uint32_t i = 0; i < count; i++)
    take_record(t, t->held[i], t->held[i][1]);
}

static bool timeline_late_hold(struct timeline *t, const uint64_t *record, uint64_t time)
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

/* True if the barrier's end has been delivered. */
static bool is_over(const struct timeline *t)
{
  for (uint32_t i = 0; i < t->held_count; i++)
    if (raw_kind_of(t->held[i][0]) != RAW_STALL)
      return true;
  return false;
}

/*
 * The thread is a worker and waits in what may be its region's last barrier. Whether it is, and so whether the
 * barrier's end was delivered late, shows only when the end of its implicit task follows.
 */
bool late_attend(struct timeline *t, const uint64_t *record, uint64_t time)
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
    if (timeline_late_hold(t, record, time))
      return true;
    break;
  case RAW_BLOCK_BEGIN: /* how a Java thread waits in it, until the end that comes late */
  case RAW_BLOCK_OWNER:
  case RAW_BLOCK_PINNED:
  case RAW_BLOCK_END:
  case RAW_SPIN:
    if (!is_over(t))
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

/* True if the worker waits in a barrier that all of its team came to. */
static bool waits_for_nobody(struct timeline *t)
{
  const struct frame *wait = frame_top(t);
  if ((t->attention & ATTEND_BARRIER) == 0 || wait == NULL || wait->type != F_WAIT || t->team == NO_FRAME)
    return false;
  const struct frame *frame = &t->frames.items[t->team];
  const struct team *team = timeline_team(t, frame->key);
  return team != NULL && wait->detail != SYNC_BARRIER_IMPLICIT && team->arrived >= frame->team.size;
}

void late_finish(struct timeline *t)
{
  if (waits_for_nobody(t))
    leave_region(t, release_time(t), UINT64_MAX);
  release_held(t);
}
