#include "ompt-tool/skip.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNKS_WORDS 5u
#define GROUP_MOST   32u /* records that are searched for a construct's */
#define READINGS                                                                                                       \
  1 /* what it takes to read the clock for an instance, in records; beside the price of leaving it out                 \
     */

__thread struct skip *skip_of_thread;
bool skip_is_used;

struct skip *skip_make(void)
{
  int kept = errno;
  struct skip *skip = mmap(NULL, sizeof *skip, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = kept;
  if (skip == MAP_FAILED)
    return NULL;
  skip->stack.depth = 1;
  skip->stack.open[0].key = (uint64_t)(uintptr_t)skip | RAW_VALUE_MASK << 1; /* no region's */
  skip->decided_at = clock_ticks();
  return skip_of_thread = skip;
}

void skip_end_thread(void)
{
  if (skip_of_thread)
    munmap(skip_of_thread, sizeof *skip_of_thread);
  skip_of_thread = NULL;
}

/* The time after the newest task's end is not that of tasks. */
static void note_tasks(struct skip *skip, struct construct *frame)
{
  if (frame->skipped)
    skip_note(skip, frame, frame->end > frame->begin ? frame->end : frame->begin, 0);
}

/* A handler of a signal may leave the same frames meanwhile: so the depth is set, not counted down. */
void skip_leave_over(struct skip *skip)
{
  for (uint32_t depth; (depth = skip->stack.depth) > 1 && skip->stack.open[depth - 1].over;) {
    if (skip->stack.open[depth - 1].kind == CONSTRUCT_TASKS)
      note_tasks(skip, &skip->stack.open[depth - 1]);
    construct_set_depth(&skip->stack, depth - 1);
  }
}

struct construct *skip_push(struct skip *skip, unsigned kind, uint64_t code)
{
  if (skip->stack.depth == CONSTRUCTS_MOST)
    return NULL;
  uint32_t depth = skip->stack.depth;
  struct construct *frame = &skip->stack.open[depth];
  skip_set(frame, kind, (enum skip_mute)frame[-1].mute, code);
  construct_set_depth(&skip->stack, depth + 1);
  return frame;
}

void skip_this(struct skip *skip, struct construct *frame, enum skip_mute mute, unsigned detail)
{
  bool inside = frame > skip->stack.open && frame[-1].mute != SKIP_NOTHING;
  bool member =
      frame->kind == RAW_ROW_MEMBER || (frame->kind == RAW_ROW_WORK && skip_team(skip)->kind == RAW_ROW_MEMBER);
  frame->skipped = true;
  frame->mute = (uint8_t)mute;
  frame->number = (uint8_t)(detail | (inside ? RAW_SKIPPED_INSIDE : 0u) | (member ? RAW_SKIPPED_MEMBER : 0u));
  frame->untimed = frame->untimed || frame[-1].untimed;
  if (frame->untimed)
    return;
  frame->begin = clock_ticks();
  budget_spend(READINGS * budget_price());
}

/* The record at the cursor, which is to be written, may grow; with those before it, if they can still. */
static void set_newest(struct skip *skip, struct recorder *recorder, unsigned words, bool with_others)
{
  if (!with_others) {
    skip->newest.first = recorder->cursor;
    skip->newest.thread = recorder->thread;
    skip->newest.sequence = recorder->sequence;
    skip->newest.anchor_ticks = recorder->window->anchor_ticks;
  }
  skip->newest.end = recorder->cursor + words;
}

void skip_begin_group(struct skip *skip)
{
  struct recorder *recorder = recorder_ready();
  if (!recorder)
    return;
  set_newest(skip, recorder, 0, false);
  recorder_leave(recorder);
}

bool skip_count_first(struct skip *skip, struct construct *frame, struct recorder *recorder)
{
  uint64_t *record = recorder->cursor;
  skip->read_at = record[1] = record[2] = recorder->base;
  record[3] = 1 + RAW_SKIPPED_UNTIMED;
  record[4] = 0;
  record[5] = frame->parts;
  frame->parts = 0;
  set_newest(skip, recorder, SKIP_WORDS, false);
  recorder_publish(recorder, SKIP_WORDS, raw_head(RAW_SKIPPED, frame->number, frame->code));
  return true;
}

/* The time of so many untimed instances, all of which were in a stretch of time. */
static uint64_t time_of(uint64_t instances, uint64_t stretch)
{
  uint64_t most = instances * budget_ticks(RAW_UNTIMED_NS);
  return stretch < most ? stretch : most;
}

/* The clock is read in an untimed instance, or at its end: from now on it is as others are. */
static void read_clock_in(struct skip *skip, struct construct *frame, uint64_t now)
{
  uint64_t since = skip->read_at < now ? now - skip->read_at : 0;
  for (; frame->untimed; frame--) {
    frame->untimed = false;
    frame->begin = now - time_of(1, since);
  }
}

/* The clock was read at the begin of an instance: what was untimed before it had some of the time since the reading
 * before that. */
static void note_untimed(struct skip *skip, uint64_t begin)
{
  uint64_t count = 0;
  for (uint64_t *record = skip->newest.first; record < skip->newest.end; record += SKIP_WORDS)
    count += record[3] / RAW_SKIPPED_UNTIMED;
  uint64_t time = time_of(count, begin > skip->read_at ? begin - skip->read_at : 0);
  for (uint64_t *record = skip->newest.first; count > 0 && record < skip->newest.end; record += SKIP_WORDS) {
    record[4] += time * (record[3] / RAW_SKIPPED_UNTIMED) / count;
    record[3] %= RAW_SKIPPED_UNTIMED;
  }
}

void skip_note(struct skip *skip, struct construct *frame, uint64_t now, unsigned instances)
{
  read_clock_in(skip, frame, now);
  const struct construct *outer =
      frame > skip->stack.open + 1 && skip->stack.open[1].skipped ? skip->stack.open + 1 : frame;
  uint64_t begin = frame->begin, parts = frame->parts, outer_begin = outer->begin;
  frame->begin = now;
  frame->parts = 0;
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_SKIPPED, frame->number, frame->code);
  bool growing = skip_newest(skip, recorder) && skip->newest.first[0] >> 56 == RAW_SKIPPED;
  if (growing)
    note_untimed(skip, outer_begin);
  skip->read_at = now;
  uint64_t *record = growing ? skip_find(skip, head) : NULL;
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
  bool room = growing && skip->newest.end - skip->newest.first < (ptrdiff_t)(GROUP_MOST * SKIP_WORDS);
  set_newest(skip, recorder, SKIP_WORDS, room);
  recorder_publish(recorder, SKIP_WORDS, head);
}

void skip_chunks(struct skip *skip, unsigned kind, uint64_t first, uint64_t iterations, uint32_t count)
{
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_CHUNKS, kind, 0), *record = skip->newest.first;
  if (skip_newest(skip, recorder) && record[0] == head) {
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
  set_newest(skip, recorder, CHUNKS_WORDS, false);
  recorder_publish(recorder, CHUNKS_WORDS, head);
}
