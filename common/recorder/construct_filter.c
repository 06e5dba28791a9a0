#include "common/recorder/construct_filter.h"

#include "common/profile/profile_origin.h"
#include "common/raw/live_control.h"
#include "common/raw/raw_reader.h"
#include "common/recorder/construct_stack.h"
#include "common/recorder/recorder.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define GAP_WORDS    3u
#define INITIAL_TASK 1u /* detail of IMPLICIT_... */

struct construct_filter {
  struct raw_iter from; /* what short records mean */
  struct recorder to;   /* makes short records */
  struct construct_stack stack;
  uint64_t until;     /* ticks */
  uint64_t run;       /* ticks at which the stretch began that is kept now; 0: none is */
  bool follows;       /* a chosen work-sharing construct has just ended */
  uint64_t weight[2]; /* RAW_WEIGHT or RAW_COUNTED_OF, for the next record; 0: none */
  uint64_t *lost;
  size_t size; /* bytes of the filter, with the room */
  struct raw_entry entries[RAW_ENTRIES];
  uint64_t room[];
};

static bool has(uint64_t code)
{
  return filter_codes_have(code);
}

static bool has_origin(uint64_t id)
{
  struct profile_origin origin;
  return profile_origin_find(id, &origin) && has(origin.code);
}

static void begin_chunk(struct construct_filter *chosen)
{
  memset(chosen->entries, 0, sizeof chosen->entries);
  chosen->to.base = RECORDER_NO_BASE;
  chosen->to.lock = RECORDER_NO_LOCK;
}

static bool begin_thread(struct construct_filter **chosen, uint32_t window_size, uint64_t since)
{
  size_t size = sizeof **chosen + window_size;
  if (!*chosen) {
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
      return false;
    madvise(map, size, MADV_DONTFORK);
    *chosen = map;
  }
  struct construct_filter *is = *chosen;
  is->stack.depth = 1;
  is->until = since;
  is->run = 0;
  is->follows = false;
  is->weight[0] = 0;
  is->to.entries = is->entries;
  begin_chunk(is);
  return true;
}

static uint64_t until(const struct construct_filter *chosen)
{
  return chosen->until;
}

static bool is_inside(const struct construct_filter *chosen)
{
  return chosen->stack.open[chosen->stack.depth - 1].chosen;
}

static void put(struct construct_filter *chosen, const uint64_t *record, uint64_t time)
{
  struct recorder *to = &chosen->to;
  unsigned kind = raw_kind_of(record[0]), words = raw_record_words(record[0]);
  if (to->cursor + words >= to->last) {
    ++*chosen->lost;
    return;
  }
  if (raw_has_short(kind)) {
    recorder_put_at(to, words, record[0], words > 2 ? record[2] : 0, time);
  } else {
    memcpy(to->cursor + 1, record + 1, (words - 1) * sizeof *record);
    recorder_put(to, words, record[0]);
  }
}

/* Reports the time before `time` that was not kept. */
static void put_gap(struct construct_filter *chosen, uint64_t time)
{
  if (chosen->run == 0 && time > chosen->until)
    put(chosen, (uint64_t[]){raw_head(RAW_GAP, RAW_GAP_PAUSED, 0), time, chosen->until}, time);
  if (time > chosen->until)
    chosen->until = time;
}

/* The begins of the parallel regions around come first, if they are not there yet. */
static void put_regions_around(struct construct_filter *chosen)
{
  for (uint32_t i = 1; i < chosen->stack.depth; i++) {
    struct construct *frame = &chosen->stack.open[i];
    if (frame->written || (CONSTRUCT_BIT(frame->kind) & CONSTRUCT_TEAM) == 0)
      continue;
    put_gap(chosen, frame->begin);
    put(chosen, (uint64_t[]){frame->head, frame->begin, frame->word}, frame->begin);
    frame->written = true;
  }
}

/* Keeps a record; around: what it is about has regions around. */
static void keep(struct construct_filter *chosen, const uint64_t *record, bool around)
{
  uint64_t from = raw_kind_of(record[0]) == RAW_OMITTED ? record[2] : record[1];
  if (around)
    put_regions_around(chosen);
  put_gap(chosen, from);
  if (chosen->weight[0] != 0)
    put(chosen, chosen->weight, chosen->weight[1]);
  chosen->weight[0] = 0;
  put(chosen, record, record[1]);
  if (record[1] > chosen->until)
    chosen->until = record[1];
}

/* Keeps a record, or not; the time behind it counts as kept while the thread is in a chosen construct. */
static void keep_if(struct construct_filter *chosen, const uint64_t *record, bool kept)
{
  if (kept)
    keep(chosen, record, true);
  chosen->weight[0] = 0;
  if (!is_inside(chosen))
    chosen->run = 0;
  else if (chosen->run == 0)
    chosen->run = record[1];
}

/* A request for a lock that did not get it, as a test may do, has no end. */
static void drop_waiting(struct construct_filter *chosen)
{
  if (construct_top(&chosen->stack)->waits)
    chosen->stack.depth--;
}

static void begin(struct construct_filter *chosen, const uint64_t *record, enum raw_row kind, uint64_t word,
                  uint64_t key, bool is_chosen)
{
  drop_waiting(chosen);
  bool inside = is_chosen || is_inside(chosen);
  if (chosen->stack.depth < CONSTRUCTS_MOST) {
    struct construct *frame = &chosen->stack.open[chosen->stack.depth];
    *frame = (struct construct){
        .key = key, .head = record[0], .word = word, .begin = record[1], .kind = (uint8_t)kind, .chosen = inside};
    if (inside) /* first the regions around; it is none of them */
      keep(chosen, record, true);
    frame->written = inside;
    chosen->stack.depth++;
  }
  keep_if(chosen, record, false);
}

/* The innermost construct of a kind, with a key if it is not 0; but for locks, in the task at hand. 0: none. */
static uint32_t find(const struct construct_filter *chosen, enum raw_row kind, uint64_t key)
{
  uint32_t stops = kind == RAW_ROW_ACQUIRE ? 0 : CONSTRUCT_BIT(RAW_ROW_TASK);
  return construct_find(&chosen->stack, CONSTRUCT_BIT(kind), key, stops);
}

/* Releases a frame and the frames inside, but for locks that are held; a lock is released alone. */
static void remove_frame(struct construct_filter *chosen, uint32_t at)
{
  bool lock = chosen->stack.open[at].kind == RAW_ROW_ACQUIRE;
  uint32_t depth = at;
  for (uint32_t i = at + 1; i < chosen->stack.depth; i++)
    if (lock || (chosen->stack.open[i].kind == RAW_ROW_ACQUIRE && !chosen->stack.open[i].waits))
      chosen->stack.open[depth++] = chosen->stack.open[i];
  chosen->stack.depth = depth;
}

/* Ends the innermost frame of a kind. False: it is not known. */
static bool end(struct construct_filter *chosen, const uint64_t *record, enum raw_row kind, uint64_t key)
{
  uint32_t at = find(chosen, kind, key);
  if (at == 0) {
    keep_if(chosen, record, is_inside(chosen));
    return false;
  }
  bool written = chosen->stack.open[at].written, is_chosen = chosen->stack.open[at].chosen;
  if (written)
    keep(chosen, record, false);
  remove_frame(chosen, at);
  keep_if(chosen, record, false);
  return is_chosen;
}

static void begin_sync(struct construct_filter *chosen, const uint64_t *record, bool follows)
{
  enum { IMPLICIT = 2, IMPLICIT_WORKSHARE = 8 }; /* ompt_sync_region_t */
  unsigned detail = raw_detail_of(record[0]);
  bool of_work = follows && (detail == IMPLICIT || detail == IMPLICIT_WORKSHARE);
  begin(chosen, record, RAW_ROW_SYNC, 0, 0, of_work || has(raw_value_of(record[0])));
}

/* An acquisition of a monitor that the thread has already is recorded again. */
static void acquire(struct construct_filter *chosen, const uint64_t *record)
{
  uint64_t key = raw_lock_of(record[0]);
  bool monitor = raw_detail_of(record[0]) == RAW_MUTEX_MONITOR;
  if (monitor && find(chosen, RAW_ROW_ACQUIRE, key) != 0) {
    keep_if(chosen, record, is_inside(chosen));
    return;
  }
  begin(chosen, record, RAW_ROW_ACQUIRE, record[2], key, has(raw_value_of(record[2])));
  struct construct *top = construct_top(&chosen->stack);
  if (top->kind == RAW_ROW_ACQUIRE && top->key == key)
    top->waits = !monitor;
}

static void acquired(struct construct_filter *chosen, const uint64_t *record)
{
  uint32_t at = find(chosen, RAW_ROW_ACQUIRE, raw_lock_of(record[0]));
  if (at != 0)
    chosen->stack.open[at].waits = false;
  keep_if(chosen, record, is_inside(chosen));
}

static void release(struct construct_filter *chosen, const uint64_t *record)
{
  if (raw_detail_of(record[0]) == RAW_MUTEX_MONITOR && raw_value_of(record[0]) == RAW_MONITOR_ALL) {
    while (end(chosen, record, RAW_ROW_ACQUIRE, 0))
      ;
    return;
  }
  end(chosen, record, RAW_ROW_ACQUIRE, raw_lock_of(record[0]));
}

/* The thread's task is another one from now on. */
static void switch_task(struct construct_filter *chosen, const uint64_t *record)
{
  uint64_t next = raw_value_of(record[0]);
  uint32_t at = find(chosen, RAW_ROW_TASK, 0);
  bool before = is_inside(chosen);
  if (at != 0)
    remove_frame(chosen, at);
  bool after = is_inside(chosen) || (next > RAW_ID_IMPLICIT && has_origin(next));
  if (before || after)
    keep(chosen, record, true);
  if (next > RAW_ID_IMPLICIT && chosen->stack.depth < CONSTRUCTS_MOST)
    chosen->stack.open[chosen->stack.depth++] =
        (struct construct){.kind = RAW_ROW_TASK, .begin = record[1], .chosen = after, .written = after};
  keep_if(chosen, record, false);
}

/* Some waits of Java have a place only at their end. */
static void end_block(struct construct_filter *chosen, const uint64_t *record)
{
  uint32_t at = find(chosen, RAW_ROW_BLOCK, 0);
  if (at != 0 && !chosen->stack.open[at].written && has(raw_value_of(record[0]))) {
    struct construct *frame = &chosen->stack.open[at];
    keep(chosen, (uint64_t[]){frame->head, frame->begin, frame->word}, true);
    chosen->run = frame->begin;
    frame->written = true;
  }
  end(chosen, record, RAW_ROW_BLOCK, 0);
}

/* Constructs that begin and end. False: it is something else. */
static bool take_construct(struct construct_filter *chosen, const uint64_t *record, bool follows)
{
  uint64_t value = raw_value_of(record[0]);
  switch (raw_kind_of(record[0])) {
  case RAW_PARALLEL_BEGIN:
    begin(chosen, record, RAW_ROW_REGION, record[2], 0, has(value));
    return true;
  case RAW_PARALLEL_END:
    end(chosen, record, RAW_ROW_REGION, 0);
    return true;
  case RAW_IMPLICIT_BEGIN:
    if (raw_detail_of(record[0]) == INITIAL_TASK)
      return false;
    begin(chosen, record, RAW_ROW_MEMBER, record[2], 0, has_origin(value));
    return true;
  case RAW_IMPLICIT_END:
    if (raw_detail_of(record[0]) == INITIAL_TASK)
      return false;
    end(chosen, record, RAW_ROW_MEMBER, 0);
    return true;
  case RAW_WORK_BEGIN:
    begin(chosen, record, RAW_ROW_WORK, record[2], 0, has(value));
    return true;
  case RAW_WORK_END:
    chosen->follows = end(chosen, record, RAW_ROW_WORK, 0);
    return true;
  case RAW_SYNC_BEGIN:
  case RAW_BARRIER_BEGIN: /* the end of either may be of either kind */
    begin_sync(chosen, record, follows);
    return true;
  case RAW_SYNC_END:
  case RAW_BARRIER_END:
    end(chosen, record, RAW_ROW_SYNC, 0);
    return true;
  case RAW_MASKED_BEGIN:
    begin(chosen, record, RAW_ROW_MASKED, 0, 0, has(value));
    return true;
  case RAW_MASKED_END:
    end(chosen, record, RAW_ROW_MASKED, 0);
    return true;
  case RAW_REDUCTION_BEGIN:
    begin(chosen, record, RAW_ROW_REDUCTION, 0, 0, has(value));
    return true;
  case RAW_REDUCTION_END:
    end(chosen, record, RAW_ROW_REDUCTION, 0);
    return true;
  case RAW_USER_ENTER:
    begin(chosen, record, RAW_ROW_USER, 0, value + 1, has(RAW_CODE_USER | value));
    return true;
  case RAW_USER_LEAVE:
    end(chosen, record, RAW_ROW_USER, value + 1);
    return true;
  case RAW_BLOCK_BEGIN:
    begin(chosen, record, RAW_ROW_BLOCK, record[2], 0, has(value));
    return true;
  case RAW_BLOCK_END:
    end_block(chosen, record);
    return true;
  default:
    return false;
  }
}

/* What the recorder writes of itself may come between a loop and its barrier. */
static bool is_between(unsigned kind)
{
  return kind < RAW_PARALLEL_BEGIN;
}

static void take(struct construct_filter *chosen, const uint64_t *record)
{
  bool follows = chosen->follows;
  unsigned kind = raw_kind_of(record[0]);
  if (!is_between(kind))
    chosen->follows = false;
  if (take_construct(chosen, record, follows))
    return;
  switch (kind) {
  case RAW_MUTEX_ACQUIRE:
    acquire(chosen, record);
    return;
  case RAW_MUTEX_ACQUIRED:
    acquired(chosen, record);
    return;
  case RAW_MUTEX_RELEASED:
    release(chosen, record);
    return;
  case RAW_TASK_SWITCH:
    switch_task(chosen, record);
    return;
  case RAW_TASK_CREATE:
  case RAW_OMITTED:
  case RAW_COUNTED:
    keep_if(chosen, record, is_inside(chosen) || has(raw_value_of(record[0])));
    return;
  case RAW_USER_EVENT:
    keep_if(chosen, record, is_inside(chosen) || has(RAW_CODE_USER | raw_value_of(record[0])));
    return;
  case RAW_WEIGHT:
  case RAW_COUNTED_OF:
    memcpy(chosen->weight, record, sizeof chosen->weight);
    return;
  case RAW_READING: /* of a time that may reach back to what is not kept */
    keep_if(chosen, record, is_inside(chosen) && record[1] - raw_value_of(record[0]) >= chosen->run);
    return;
  case RAW_NEEDS:
    return;
  case RAW_ID_BLOCK_TAKEN:
    keep(chosen, record, false);
    return;
  default:
    if (raw_is_of_life(record[0]))
      keep(chosen, record, false);
    else
      keep_if(chosen, record, is_inside(chosen));
  }
}

static size_t keep_records(struct construct_filter *chosen, const uint64_t *from, const uint64_t *to, uint64_t *at,
                           size_t most, uint64_t *lost)
{
  struct raw_iter *iter = &chosen->from;
  memset(iter, 0, sizeof *iter);
  iter->is.lock = RAW_NO_LOCK;
  chosen->lost = lost;
  chosen->to.cursor = chosen->room;
  chosen->to.last = chosen->room + most;
  chosen->to.acquiring = NULL;
  while (from < to) {
    unsigned kind = raw_kind_of(*from), words = raw_record_words(*from);
    if (words == 0 || words > (size_t)(to - from) || (kind >= RAW_SHORT && !raw_short_expand(iter, *from)))
      break;
    if (kind < RAW_SHORT && raw_has_short(kind))
      raw_iter_note(iter, from);
    take(chosen, kind >= RAW_SHORT ? iter->repeated : from);
    if (iter->second_is_next)
      take(chosen, iter->second);
    iter->second_is_next = false;
    from += words;
  }
  if (chosen->run != 0 && iter->is.base > chosen->until)
    chosen->until = iter->is.base;
  size_t words = (size_t)(chosen->to.cursor - chosen->room);
  memcpy(at, chosen->room, words * sizeof *at);
  return words;
}

const struct filter_ops construct_filter_ops = {begin_thread, begin_chunk, keep_records, until};
