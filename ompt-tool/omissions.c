#include "ompt-tool/omissions.h"

#include "common/budget/mix.h"
#include "common/process/reserved.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNKS_WORDS 5u
#define GROUP_MOST   32u /* records that are searched for a construct's */
#define READINGS                                                                                                       \
  1 /* what it takes to read the clock for an instance, in records; beside the price of leaving it out                 \
     */

__thread struct omission *omission_of_thread;
bool omission_is_used;

struct omission *omission_make(void)
{
  int kept = errno;
  struct omission *omission = mmap(NULL, sizeof *omission, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = kept;
  if (omission == MAP_FAILED)
    return NULL;
  omission->stack.depth = 1;
  omission->stack.open[0].key = (uint64_t)(uintptr_t)omission | RAW_VALUE_MASK << 1; /* no region's */
  omission->decided_at = clock_ticks();
  return omission_of_thread = omission;
}

void omission_end_thread(void)
{
  if (omission_of_thread)
    munmap(omission_of_thread, sizeof *omission_of_thread);
  omission_of_thread = NULL;
}

/* The time after the newest task's end is no task's time. */
static void note_tasks(struct omission *omission, struct construct *frame)
{
  if (frame->omitted)
    omission_note(omission, frame, frame->end > frame->begin ? frame->end : frame->begin, 0);
}

/* A handler of a signal may leave the same frames meanwhile: so the depth is set, not counted down. */
void omission_leave_over(struct omission *omission)
{
  for (uint32_t depth; (depth = omission->stack.depth) > 1 && omission->stack.open[depth - 1].over;) {
    if (omission->stack.open[depth - 1].kind == CONSTRUCT_TASKS)
      note_tasks(omission, &omission->stack.open[depth - 1]);
    construct_set_depth(&omission->stack, depth - 1);
  }
}

struct construct *omission_push(struct omission *omission, unsigned kind, uint64_t code)
{
  if (omission->stack.depth == CONSTRUCTS_MOST)
    return NULL;
  uint32_t depth = omission->stack.depth;
  struct construct *frame = &omission->stack.open[depth];
  omission_set(frame, kind, (enum omission_mute)frame[-1].mute, code);
  construct_set_depth(&omission->stack, depth + 1);
  return frame;
}

void frame_omit(struct omission *omission, struct construct *frame, enum omission_mute mute, unsigned detail)
{
  bool inside = frame > omission->stack.open && frame[-1].mute != OMIT_NOTHING;
  bool member =
      frame->kind == RAW_ROW_MEMBER || (frame->kind == RAW_ROW_WORK && omission_team(omission)->kind == RAW_ROW_MEMBER);
  frame->omitted = true;
  frame->mute = (uint8_t)mute;
  frame->number = (uint8_t)(detail | (inside ? RAW_OMITTED_INSIDE : 0u) | (member ? RAW_OMITTED_MEMBER : 0u));
  frame->untimed = frame->untimed || frame[-1].untimed;
  if (frame->untimed)
    return;
  frame->begin = clock_ticks();
  budget_spend(READINGS * budget_price());
}

/* The record at the cursor, which is to be written, may grow; with those before it, if they can still. */
static void set_newest(struct omission *omission, struct recorder *recorder, unsigned words, bool with_others)
{
  if (!with_others) {
    omission->newest.first = recorder->cursor;
    omission->newest.thread = recorder->thread;
    omission->newest.sequence = recorder->sequence;
    omission->newest.anchor_ticks = recorder->window->anchor_ticks;
  }
  omission->newest.end = recorder->cursor + words;
}

void omission_begin_group(struct omission *omission)
{
  struct recorder *recorder = recorder_ready();
  if (!recorder)
    return;
  set_newest(omission, recorder, 0, false);
  recorder_leave(recorder);
}

bool omission_count_first(struct omission *omission, struct construct *frame, struct recorder *recorder)
{
  uint64_t *record = recorder->cursor;
  omission->read_at = record[1] = record[2] = recorder->base;
  record[3] = 1 + RAW_OMITTED_UNTIMED;
  record[4] = 0;
  record[5] = frame->parts;
  frame->parts = 0;
  set_newest(omission, recorder, OMIT_WORDS, false);
  recorder_publish(recorder, OMIT_WORDS, raw_head(RAW_OMITTED, frame->number, frame->code));
  return true;
}

/* The time of so many untimed instances, all in one stretch of time. */
static uint64_t time_of(uint64_t instances, uint64_t stretch)
{
  uint64_t most = instances * budget_ticks(RAW_UNTIMED_NS);
  return stretch < most ? stretch : most;
}

/* The clock is read in an untimed instance, or at its end: from now on it is as others are. */
static void read_clock_in(struct omission *omission, struct construct *frame, uint64_t now)
{
  uint64_t since = omission->read_at < now ? now - omission->read_at : 0;
  for (; frame->untimed; frame--) {
    frame->untimed = false;
    frame->begin = now - time_of(1, since);
  }
}

/* The clock was read at the begin of an instance: what was untimed before it had some of the time since the reading
 * before that. */
static void note_untimed(struct omission *omission, uint64_t begin)
{
  uint64_t count = 0;
  for (uint64_t *record = omission->newest.first; record < omission->newest.end; record += OMIT_WORDS)
    count += record[3] / RAW_OMITTED_UNTIMED;
  uint64_t time = time_of(count, begin > omission->read_at ? begin - omission->read_at : 0);
  for (uint64_t *record = omission->newest.first; count > 0 && record < omission->newest.end; record += OMIT_WORDS) {
    record[4] += time * (record[3] / RAW_OMITTED_UNTIMED) / count;
    record[3] %= RAW_OMITTED_UNTIMED;
  }
}

void omission_note(struct omission *omission, struct construct *frame, uint64_t now, unsigned instances)
{
  read_clock_in(omission, frame, now);
  const struct construct *outer =
      frame > omission->stack.open + 1 && omission->stack.open[1].omitted ? omission->stack.open + 1 : frame;
  uint64_t begin = frame->begin, parts = frame->parts, outer_begin = outer->begin;
  frame->begin = now;
  frame->parts = 0;
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_OMITTED, frame->number, frame->code);
  bool growing = omission_newest(omission, recorder) && omission->newest.first[0] >> 56 == RAW_OMITTED;
  if (growing)
    note_untimed(omission, outer_begin);
  omission->read_at = now;
  uint64_t *record = growing ? omission_find(omission, head) : NULL;
  if (record) {
    record[5] += parts;
    record[4] += now - begin;
    record[3] += instances;
    record[1] = now;
    recorder_leave(recorder);
    return;
  }
  record = recorder->cursor;
  record[1] = now;
  record[2] = begin;
  record[3] = instances;
  record[4] = now - begin;
  record[5] = parts;
  bool room = growing && omission->newest.end - omission->newest.first < (ptrdiff_t)(GROUP_MOST * OMIT_WORDS);
  set_newest(omission, recorder, OMIT_WORDS, room);
  recorder_publish(recorder, OMIT_WORDS, head);
}

void omission_chunks(struct omission *omission, unsigned kind, uint64_t first, uint64_t iterations, uint32_t count)
{
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_CHUNKS, kind, 0), *record = omission->newest.first;
  if (omission_newest(omission, recorder) && record[0] == head) {
    record[3] += iterations;
    record[4] += count;
    recorder_leave(recorder);
    return;
  }
  record = recorder->cursor;
  record[1] = clock_ticks();
  record[2] = first;
  record[3] = iterations;
  record[4] = count;
  set_newest(omission, recorder, CHUNKS_WORDS, false);
  recorder_publish(recorder, CHUNKS_WORDS, head);
}

/* One part of so many of a thread's time may be spent on reading the clock. */
#define SHARE 256
/* What reading it for a region costs, in records. */
#define COST 2
/* So many readings a thread may save, while it has no such regions. */
#define SAVED 4096
/* Where none is left, so many regions are untimed in a row, at most. */
#define ROW 31u

/* From 1 to n. */
static uint32_t choose(struct omission *omission, uint32_t n)
{
  omission->random = omission->random * 0x5851f42d4c957f2dull + 0x14057b7ef767814full;
  return 1 + (uint32_t)((omission->random >> 32) * n >> 32);
}

void untimed_decide(struct omission *omission, uint64_t now)
{
  int64_t cost = COST * budget_price(), saved = SAVED * cost;
  uint64_t since = now > omission->decided_at ? now - omission->decided_at : 0, regions = omission->untimed + 1;
  bool often = since < regions * budget_ticks(RAW_UNTIMED_NS);
  int64_t earned = since / SHARE < (uint64_t)saved ? (int64_t)(since / SHARE) : saved;
  omission->readings += earned - cost;
  if (omission->readings > saved)
    omission->readings = saved;
  omission->untimed_most = 0;
  if (omission->readings < 0) {
    omission->readings = 0;
    omission->untimed_most = often && clock_is_tsc ? choose(omission, ROW) : 0;
  }
  omission->untimed = 0;
  omission->decided_at = now;
}

/*
 * A decision stays until so many further work-sharing constructs have begun: a thread that is so far behind decides for
 * itself. A power of two.
 */
#define DECISIONS 65536u

static atomic_uint_fast64_t *decisions; /* hash of team and instance | 1: it is recorded */

static uint64_t hash_of(uint64_t team, uint32_t instance)
{
  return mix(mix(team) + instance) | 1;
}

static atomic_uint_fast64_t *place_of(uint64_t team, uint32_t instance)
{
  return &decisions[(mix(team) + instance) % DECISIONS];
}

bool agreement_begin(void)
{
  if (!decisions)
    decisions = reserved_make(DECISIONS * sizeof *decisions);
  return decisions && reserved_use(decisions, DECISIONS * sizeof *decisions);
}

enum agreement agreement_of(uint64_t team, uint32_t instance)
{
  uint_fast64_t there = atomic_load_explicit(place_of(team, instance), memory_order_relaxed);
  if ((there | 1) != hash_of(team, instance))
    return AGREEMENT_OPEN;
  return there & 1 ? AGREEMENT_YES : AGREEMENT_NO;
}

bool agreement_decide(uint64_t team, uint32_t instance, bool recorded)
{
  uint64_t hash = hash_of(team, instance);
  atomic_uint_fast64_t *place = place_of(team, instance);
  uint_fast64_t there = atomic_load_explicit(place, memory_order_relaxed);
  if ((there | 1) == hash)
    return there & 1;
  if (atomic_compare_exchange_strong(place, &there, recorded ? hash : hash - 1) || (there | 1) != hash)
    return recorded;
  return there & 1;
}
