#include "ompt-tool/skip.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define SKIPPED_WORDS 6u
#define CHUNKS_WORDS  5u
#define GROUP_MOST    32u /* records that are searched for a construct's */

__thread struct skip *skip_of_thread;

struct skip *skip_make(void)
{
  int kept = errno;
  struct skip *skip = mmap(NULL, sizeof *skip, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = kept;
  if (skip == MAP_FAILED)
    return NULL;
  skip->depth = 1;
  skip->frames[0].id = (uint64_t)(uintptr_t)skip | RAW_VALUE_MASK << 1; /* no region's */
  return skip_of_thread = skip;
}

void skip_end_thread(void)
{
  if (skip_of_thread)
    munmap(skip_of_thread, sizeof *skip_of_thread);
  skip_of_thread = NULL;
}

/* The time after the newest task's end is not that of tasks. */
static void note_tasks(struct skip *skip, struct skip_frame *frame)
{
  if (frame->skipped)
    skip_note(skip, frame, frame->end > frame->begin ? frame->end : frame->begin, 0);
}

void skip_leave_over(struct skip *skip)
{
  while (skip_top(skip)->over) {
    if (skip_top(skip)->kind == SKIP_TASKS)
      note_tasks(skip, skip_top(skip));
    skip->depth--;
  }
}

struct skip_frame *skip_push(struct skip *skip, enum skip_kind kind, uint64_t code)
{
  if (skip->depth == SKIP_FRAMES)
    return NULL;
  struct skip_frame *frame = &skip->frames[skip->depth++];
  *frame = (struct skip_frame){.kind = (uint8_t)kind, .mute = frame[-1].mute, .code = code};
  return frame;
}

void skip_this(struct skip *skip, struct skip_frame *frame, enum skip_mute mute, unsigned detail)
{
  bool inside = frame > skip->frames && frame[-1].mute != SKIP_NOTHING;
  bool member = frame->kind == SKIP_MEMBER || (frame->kind == SKIP_WORK && skip_team(skip)->kind == SKIP_MEMBER);
  frame->skipped = true;
  frame->mute = (uint8_t)mute;
  frame->detail = (uint8_t)(detail | (inside ? RAW_SKIPPED_INSIDE : 0u) | (member ? RAW_SKIPPED_MEMBER : 0u));
  frame->begin = clock_ticks();
}

/* Whether the records noted last are still the thread's newest. The anchor tells a fork's child from its parent. */
static bool are_newest(const struct skip *skip, const struct recorder *recorder)
{
  return skip->newest.first && recorder->cursor == skip->newest.end && recorder->thread == skip->newest.thread &&
         recorder->sequence == skip->newest.sequence && recorder->window->anchor_ticks == skip->newest.anchor_ticks;
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

/* The record of that construct among the newest; NULL: there is none. */
static uint64_t *find(const struct skip *skip, uint64_t head)
{
  for (uint64_t *record = skip->newest.first; record < skip->newest.end; record += SKIPPED_WORDS)
    if (record[0] == head)
      return record;
  return NULL;
}

void skip_note(struct skip *skip, struct skip_frame *frame, uint64_t now, unsigned instances)
{
  uint64_t begin = frame->begin, parts = frame->parts;
  frame->begin = now;
  frame->parts = 0;
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_SKIPPED, frame->detail, frame->code);
  bool growing = are_newest(skip, recorder) && skip->newest.first[0] >> 56 == RAW_SKIPPED;
  uint64_t *record = growing ? find(skip, head) : NULL;
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
  bool room = growing && skip->newest.end - skip->newest.first < (ptrdiff_t)(GROUP_MOST * SKIPPED_WORDS);
  set_newest(skip, recorder, SKIPPED_WORDS, room);
  recorder_publish(recorder, SKIPPED_WORDS, head);
}

void skip_chunks(struct skip *skip, unsigned kind, uint64_t first, uint64_t iterations, uint32_t count)
{
  struct recorder *recorder = recorder_enter();
  if (!recorder)
    return;
  uint64_t head = raw_head(RAW_CHUNKS, kind, 0), *record = skip->newest.first;
  if (are_newest(skip, recorder) && record[0] == head) {
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
