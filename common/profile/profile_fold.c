#include "common/profile/profile_fold.h"

#include "base/count_of.h"
#include "common/profile/profile_origin.h"
#include "common/profile/profile_table.h"
#include "common/raw/live_control.h"

#include <stdbool.h>
#include <string.h>

#define INITIAL_TASK 1u /* detail of IMPLICIT_... */

static uintptr_t runtime_start, runtime_size;
static bool runtime_is_libomp;

void profile_fold_set_runtime(uintptr_t start, uintptr_t end, bool libomp)
{
  runtime_start = start;
  runtime_size = end - start;
  runtime_is_libomp = libomp;
}

static inline uint64_t place_of(uint64_t code)
{
  return code - runtime_start < runtime_size ? 0 : code;
}

uint64_t profile_fold_place(uint64_t code)
{
  return place_of(code);
}

void profile_fold_chunk(struct profile_fold *fold)
{
  memset(fold->entries, 0, sizeof fold->entries);
  fold->base = 0;
  fold->lock = 0;
}

/* The weight of the instance that a record of the kind begins. */
static uint32_t take_weight(struct profile_fold *fold, unsigned kind)
{
  uint64_t weight = fold->weighed == kind ? fold->weight : 0;
  if (weight != 0)
    fold->weight = 0;
  return weight == 0 ? 1 : weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

static void begin_member(struct profile_table *table, uint64_t id, uint64_t word, uint64_t now)
{
  const struct construct *top = profile_top(table);
  unsigned index = (unsigned)(word >> 32);
  struct profile_origin origin = {0, now};
  if (index == 0 && top->kind == RAW_ROW_REGION)
    origin = (struct profile_origin){top->code, top->begin};
  else
    profile_origin_find(id, &origin);
  profile_begin_member(table, place_of(origin.code), origin.begin, index, (uint32_t)word, now);
}

static void end_region(struct profile_table *table, uint64_t now)
{
  uint32_t at = profile_find(table, RAW_ROW_REGION);
  if (table->stack.over > 0)
    table->stack.over--;
  else if (at > 0)
    profile_end_region(table, at, now);
}

static void switch_task(struct profile_fold *fold, unsigned status, uint64_t next, uint64_t now)
{
  enum { COMPLETE = 1 }; /* ompt_task_status_t */
  struct profile_table *table = &fold->table;
  uint32_t at = construct_find(&table->stack, CONSTRUCT_BIT(RAW_ROW_MEMBER) | CONSTRUCT_BIT(RAW_ROW_TASK), 0, 0);
  uint64_t prior = table->stack.open[at].kind == RAW_ROW_TASK ? table->stack.open[at].key : 0;
  struct profile_origin origin = {0, 0};
  if (next <= RAW_ID_IMPLICIT)
    next = 0;
  else
    profile_origin_find(next, &origin);
  profile_switch_task(table, prior, status == COMPLETE, next, place_of(origin.code), now);
}

/* The task's code has ended, and it is cancelled or will be complete later. */
static void end_task(struct profile_fold *fold, const uint64_t *record)
{
  enum { CANCEL = 3, DETACH = 4 };
  unsigned status = raw_detail_of(record[0]);
  uint64_t next = raw_value_of(record[0]), prior = record[2];
  struct profile_origin origin = {0, 0};
  if ((status != CANCEL && status != DETACH) || prior <= RAW_ID_IMPLICIT)
    return;
  if (next <= RAW_ID_IMPLICIT)
    next = 0;
  else
    profile_origin_find(next, &origin);
  uint64_t now = record[1] > fold->table.last ? record[1] : fold->table.last;
  profile_switch_task(&fold->table, prior, true, next, place_of(origin.code), now);
}

/* Tasks omitted before a recorded one count where it is created. */
static void create_task(struct profile_fold *fold, uint64_t code, uint64_t now)
{
  uint32_t weight = take_weight(fold, RAW_TASK_CREATE);
  profile_make_tasks(&fold->table, place_of(code), weight, now);
  if (weight > 1)
    profile_add_counted(&fold->table, RAW_ROW_TASK, 0, place_of(code), weight - 1, 0, now);
}

static void end_sync(struct profile_fold *fold, unsigned sync, uint64_t now)
{
  if (!profile_end_sync(&fold->table, sync, now))
    fold->ended = now;
}

static void enter_user(struct profile_fold *fold, uint64_t name, uint64_t now)
{
  uint32_t weight = take_weight(fold, RAW_USER_ENTER);
  struct construct *frame = name != 0 ? profile_open(&fold->table, RAW_ROW_USER, 0, name, now) : NULL;
  if (frame)
    frame->weight = weight;
}

/* A Java monitor is recorded when the thread has it, again and again; its contended acquisitions are RAW_ROW_BLOCK. */
static void acquire(struct profile_fold *fold, unsigned kind, uint64_t code, uint64_t now)
{
  if (kind == RAW_MUTEX_MONITOR)
    return;
  fold->locks.weight = take_weight(fold, RAW_MUTEX_ACQUIRE);
  profile_acquire(&fold->table, &fold->locks, kind, place_of(code), now);
}

/* A wait of Java's ends. Its place may be known only now. */
static void end_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t now)
{
  uint32_t at = profile_find(table, RAW_ROW_BLOCK);
  if (at == 0 || table->stack.over > 0 || table->stack.open[at].number != kind)
    return;
  profile_close_to(table, at + 1, now);
  if (code != 0 && table->stack.open[at].code != code)
    profile_move(table, code, now);
  struct construct *block = &table->stack.open[at];
  uint64_t ticks = now - block->begin - block->inner, place = block->code;
  object = object != 0 ? object : block->key;
  profile_close(table, now, true);
  if (object != 0)
    profile_take_block(table, kind, place, object, ticks, now);
}

/* It was no wait. False: something else began in it. */
static bool drop_block(struct profile_table *table, unsigned kind)
{
  const struct construct *top = profile_top(table);
  if (table->stack.over > 0 || top->kind != RAW_ROW_BLOCK || top->number != kind)
    return false;
  profile_drop(table);
  return true;
}

static void begin_block(struct profile_table *table, unsigned kind, uint64_t code, uint64_t object, uint64_t now)
{
  struct construct *block = profile_open(table, RAW_ROW_BLOCK, kind, code, now);
  if (block)
    block->key = object;
}

/* Chunks of a loop that follow each other. */
static void take_chunk(struct profile_fold *fold, unsigned dispatch, uint64_t first, uint64_t iterations,
                       uint64_t chunks, uint64_t now)
{
  enum { LOOP_CHUNK = 3, DISTRIBUTE_CHUNK = 5 }; /* ompt_dispatch_t */
  if (dispatch == LOOP_CHUNK || dispatch == DISTRIBUTE_CHUNK)
    profile_take_chunks(&fold->table, first, iterations, chunks, dispatch == LOOP_CHUNK && chunks == 1, now);
}

/* Constructs that are on one thread, Java's waits, and the program's own. */
static void take_plain(struct profile_fold *fold, uint64_t head, uint64_t word, uint64_t now)
{
  unsigned kind = raw_kind_of(head), detail = raw_detail_of(head);
  uint64_t value = raw_value_of(head);
  struct profile_table *table = &fold->table;
  switch (kind) {
  case RAW_MASKED_BEGIN:
    profile_open(table, RAW_ROW_MASKED, 0, place_of(value), now);
    return;
  case RAW_MASKED_END:
    profile_end(table, RAW_ROW_MASKED, now);
    return;
  case RAW_REDUCTION_BEGIN:
    profile_open(table, RAW_ROW_REDUCTION, 0, place_of(value), now);
    return;
  case RAW_REDUCTION_END:
    profile_end(table, RAW_ROW_REDUCTION, now);
    return;
  case RAW_NEST_BEGIN:
    profile_nest(table, &fold->locks, value, now);
    return;
  case RAW_BLOCK_BEGIN:
    begin_block(table, detail & RAW_BLOCK_KIND, value, word, now);
    return;
  case RAW_BLOCK_END:
    if ((detail & RAW_BLOCK_NONE) != 0 && drop_block(table, detail & RAW_BLOCK_KIND))
      return;
    end_block(table, detail & RAW_BLOCK_KIND, value, word, now);
    return;
  case RAW_USER_ENTER:
    enter_user(fold, value, now);
    return;
  case RAW_USER_LEAVE:
    profile_leave_user(table, value, now);
    return;
  default:
    return;
  }
}

/* Regions and what their teams do. False: it is something else. */
static bool take_team(struct profile_fold *fold, uint64_t head, uint64_t word, uint64_t now)
{
  struct profile_table *table = &fold->table;
  unsigned detail = raw_detail_of(head);
  uint64_t value = raw_value_of(head);
  switch (raw_kind_of(head)) {
  case RAW_PARALLEL_BEGIN:
    profile_open(table, RAW_ROW_REGION, detail & RAW_PARALLEL_LEAGUE, place_of(value), now);
    return true;
  case RAW_PARALLEL_END:
    end_region(table, now);
    return true;
  case RAW_IMPLICIT_BEGIN:
    if (detail != INITIAL_TASK)
      begin_member(table, value, word, now);
    return true;
  case RAW_IMPLICIT_END:
    if (detail != INITIAL_TASK)
      profile_end_member(table, now, fold->ended);
    fold->ended = 0;
    return true;
  case RAW_WORK_BEGIN:
    profile_begin_work(table, detail, place_of(value), word, now);
    return true;
  case RAW_WORK_END:
    profile_end_work(table, runtime_is_libomp, now);
    return true;
  case RAW_CHUNK:
    take_chunk(fold, detail, (uint64_t)(int64_t)(int32_t)(head >> 16), head & 0xffff, 1, now);
    return true;
  case RAW_SYNC_BEGIN:
  case RAW_BARRIER_BEGIN:
    profile_begin_sync(table, detail, place_of(value), now);
    return true;
  case RAW_SYNC_END:
  case RAW_BARRIER_END:
    end_sync(fold, detail, now);
    return true;
  default:
    return false;
  }
}

/* True if nobody needs what a record, or a kind of sums, has. */
static inline bool is_not_measured(const struct profile_fold *fold, unsigned kind, unsigned detail)
{
  return __builtin_expect(fold->not_measured != 0, 0) &&
         (profile_group_of_record(kind, detail) & fold->not_measured) != 0;
}

/* Other groups are recorded from now on: of constructs that are not among them no end will come. */
static void take_needs(struct profile_fold *fold, const uint64_t *record)
{
  struct profile_table *table = &fold->table;
  uint64_t now = record[1] > table->last ? record[1] : table->last;
  if (record[2] > table->last && record[2] < now)
    profile_table_book(table, record[2]);
  fold->not_measured = ~(uint32_t)raw_value_of(record[0]) & LIVE_NEED_ALL;
  profile_table_set_partial(table, fold->not_measured != 0, table->last);
  profile_table_book(table, now);
  for (uint32_t i = 1; i < table->stack.depth; i++)
    if (profile_group_of_row((enum raw_row)table->stack.open[i].kind, table->stack.open[i].number) & fold->not_measured)
      profile_close_to(table, i, now);
  if (fold->not_measured & LIVE_NEED_LOCKS)
    fold->locks.count = 0;
}

/* A record of a kind that may be short. */
static void take(struct profile_fold *fold, uint64_t head, uint64_t word, uint64_t now)
{
  struct profile_table *table = &fold->table;
  unsigned kind = raw_kind_of(head), detail = raw_detail_of(head);
  now = now > table->last ? now : table->last;
  if (is_not_measured(fold, kind, detail))
    return;
  if (__builtin_expect(fold->ended != 0, 0) && kind != RAW_IMPLICIT_END) {
    profile_close(table, fold->ended, true);
    fold->ended = 0;
  }
  switch (kind) {
  case RAW_MUTEX_ACQUIRE:
    acquire(fold, detail, word, now);
    return;
  case RAW_MUTEX_ACQUIRED:
    profile_acquired(table, &fold->locks, detail, raw_value_of(head), now);
    return;
  case RAW_MUTEX_RELEASED:
    if (detail != RAW_MUTEX_MONITOR)
      profile_released(table, &fold->locks, detail, raw_value_of(head), now);
    return;
  case RAW_TASK_CREATE:
    create_task(fold, raw_value_of(head), now);
    return;
  case RAW_TASK_SWITCH:
    switch_task(fold, detail, raw_value_of(head), now);
    return;
  case RAW_WAIT_BEGIN:
    if (detail == PROFILE_TASKGROUP)
      profile_open(table, RAW_ROW_SYNC_WAIT, detail, 0, now);
    return;
  case RAW_WAIT_END:
    if (detail == PROFILE_TASKGROUP)
      profile_end(table, RAW_ROW_SYNC_WAIT, now);
    return;
  default:
    if (!take_team(fold, head, word, now))
      take_plain(fold, head, word, now);
  }
}

/* For other constructs RAW_OMITTED counts sections. */
static bool is_loop(unsigned work)
{
  enum { SECTIONS = 2, WORKSHARE = 5 }; /* ompt_work_t */
  return work < SECTIONS || work > WORKSHARE;
}

/* Omitted constructs. Several in a row are of one stretch of time, in any order. */
static void take_omitted(struct profile_fold *fold, const uint64_t *record)
{
  unsigned detail = raw_detail_of(record[0]), work = detail & RAW_OMITTED_WORK;
  uint64_t code = place_of(raw_value_of(record[0])), count = record[3] % RAW_OMITTED_UNTIMED, ticks = record[4],
           end = record[1];
  struct profile_table *table = &fold->table;
  if ((detail & RAW_OMITTED_INSIDE) == 0)
    fold->omitted_ticks += ticks;
  fold->omitted_until = end > fold->omitted_until ? end : fold->omitted_until;
  if (work == RAW_OMITTED_TASKS)
    return;
  if (work != 0 && is_not_measured(fold, RAW_WORK_BEGIN, 0))
    return;
  if (work != 0) {
    profile_add_counted(table, RAW_ROW_WORK, work, code, count, ticks, table->last);
    if (is_loop(work))
      profile_count_chunks(table, work, code, record[5], table->last);
    return;
  }
  bool member = (detail & RAW_OMITTED_MEMBER) != 0;
  if (is_not_measured(fold, RAW_PARALLEL_BEGIN, 0))
    return;
  profile_add_counted(table, RAW_ROW_MEMBER, 0, code, count, member ? ticks : 0, table->last);
  if (!member)
    profile_add_counted(table, RAW_ROW_REGION, 0, code, count, ticks, table->last);
}

static void end_omitted(struct profile_fold *fold)
{
  uint64_t now = fold->omitted_until > fold->table.last ? fold->omitted_until : fold->table.last;
  profile_book_to(&fold->table, RAW_ROW_NOT_MEASURED, fold->omitted_ticks, now);
  fold->omitted_until = fold->omitted_ticks = 0;
}

/* Instances omitted behind the last recorded instance of their place. */
static void take_counted(struct profile_fold *fold, const uint64_t *record)
{
  struct profile_table *table = &fold->table;
  uint64_t code = raw_value_of(record[0]), count = record[2] & RAW_VALUE_MASK;
  unsigned kind = raw_detail_of(record[0]), number = raw_detail_of(record[2]);
  if (is_not_measured(fold, kind, 0))
    return;
  switch (kind) {
  case RAW_MUTEX_ACQUIRE:
    profile_count_locks(table, number, place_of(code), count, table->last);
    return;
  case RAW_USER_EVENT:
    profile_take_event(table, code, count, table->last);
    return;
  case RAW_TASK_CREATE:
    profile_make_tasks(table, place_of(code), count, table->last);
    profile_add_counted(table, RAW_ROW_TASK, 0, place_of(code), count, 0, table->last);
    return;
  case RAW_USER_ENTER:
    profile_add_counted(table, RAW_ROW_USER, 0, code, count, 0, table->last);
    return;
  default:
    return;
  }
}

/* Nothing was measured, but for a chunk that was lost: its sums are here. */
static void take_gap(struct profile_fold *fold, const uint64_t *record)
{
  struct profile_table *table = &fold->table;
  if (raw_detail_of(record[0]) == RAW_GAP_DISK || record[1] <= table->last)
    return;
  if (record[2] > table->last && record[2] < record[1])
    profile_table_book(table, record[2]);
  profile_table_resume(table, record[1]);
  fold->locks.count = 0;
  fold->ended = 0;
}

/* Wide chunks, several in one, events of the program's and pauses of the JVM. False: it is something else. */
static bool take_counts(struct profile_fold *fold, const uint64_t *record)
{
  struct profile_table *table = &fold->table;
  unsigned kind = raw_kind_of(record[0]), detail = raw_detail_of(record[0]);
  uint64_t now = record[1] > table->last ? record[1] : table->last;
  switch (kind) {
  case RAW_CHUNK_WIDE:
    take_chunk(fold, detail, record[2], record[3], 1, now);
    return true;
  case RAW_CHUNKS:
    take_chunk(fold, detail, record[2], record[3], record[4], now);
    return true;
  case RAW_USER_EVENT:
    profile_take_event(table, raw_value_of(record[0]), take_weight(fold, RAW_USER_EVENT), now);
    for (unsigned i = 0; i < detail; i++)
      profile_take_value(table, raw_value_of(record[0]), &record[2 + (size_t)i * RAW_EXTRA], now);
    return true;
  case RAW_GC_BEGIN:
    fold->pause = record[1];
    return true;
  case RAW_GC_END:
    if (fold->pause != 0)
      profile_take_pause(table, record[1] - fold->pause, now);
    fold->pause = 0;
    return true;
  default:
    return false;
  }
}

/* Records of kinds that no short one repeats. */
static void take_whole(struct profile_fold *fold, const uint64_t *record)
{
  if (take_counts(fold, record))
    return;
  switch (raw_kind_of(record[0])) {
  case RAW_OMITTED:
    take_omitted(fold, record);
    return;
  case RAW_WEIGHT:
    if (is_not_measured(fold, raw_detail_of(record[0]), 0))
      return;
    fold->weighed = raw_detail_of(record[0]);
    fold->weight = raw_value_of(record[0]);
    return;
  case RAW_COUNTED:
    take_counted(fold, record);
    return;
  case RAW_STALL:
    if (record[1] > fold->table.last && record[2] <= record[1])
      profile_book_to(&fold->table, RAW_ROW_STALL, record[1] - record[2], record[1]);
    return;
  case RAW_GAP:
    take_gap(fold, record);
    return;
  case RAW_TASK_STATUS:
    if (!is_not_measured(fold, RAW_TASK_STATUS, 0))
      end_task(fold, record);
    return;
  case RAW_NEEDS:
    take_needs(fold, record);
    return;
  case RAW_THREAD_END:
    if (record[1] > fold->table.last)
      profile_table_book(&fold->table, record[1]);
    return;
  default:
    return;
  }
}

/* Moves an entry as a short record says. Returns the head of what it has become. */
static uint64_t move_entry(struct profile_fold *fold, struct raw_entry *entry, uint64_t word)
{
  struct raw_entry moved = raw_moving_entry(entry->head, entry->word);
  moved.word = raw_stepped(raw_kind_of(entry->head), moved.word, word >> RAW_MOVED_AT & 0xffff);
  entry->head = raw_moving_record(moved, &entry->word);
  if (raw_kind_of(entry->head) == RAW_MUTEX_ACQUIRE)
    fold->lock = raw_lock_of(entry->head);
  return entry->head;
}

/* What a short record means, of an entry of the chunk (raw_trace.h, "Short records"). */
static void take_entry(struct profile_fold *fold, uint64_t word)
{
  struct raw_entry *entry = &fold->entries[word >> RAW_SHORT_AT & (RAW_ENTRIES - 1)];
  uint64_t head = entry->head;
  unsigned kind = raw_kind_of(word);
  if (kind == RAW_SHORT) {
    fold->base += word & (RAW_SHORT_TICKS - 1);
    if ((word & RAW_SHORT_BOTH) != 0)
      head ^= raw_head(raw_kind_of(head) == RAW_SYNC_BEGIN ? RAW_SYNC_BEGIN ^ RAW_BARRIER_BEGIN
                                                           : RAW_WAIT_END ^ RAW_BARRIER_END,
                       0, 0);
    take(fold, head, entry->word, fold->base);
    return;
  }
  head = move_entry(fold, entry, word);
  fold->base += word & (kind == RAW_SHORT_ACQUIRED ? RAW_ACQUIRED_TICKS - 1 : RAW_MOVED_TICKS - 1);
  take(fold, head, entry->word, fold->base);
  if (kind == RAW_SHORT_ACQUIRED) {
    fold->base += word >> RAW_ACQUIRED_AT & (RAW_ACQUIRED_WAITING - 1);
    take(fold, raw_head(RAW_MUTEX_ACQUIRED, 0, 0) | fold->lock, 0, fold->base);
  }
}

static void take_lock(struct profile_fold *fold, uint64_t word)
{
  unsigned kind = (word & RAW_SHORT_RELEASED) != 0 ? RAW_MUTEX_RELEASED : RAW_MUTEX_ACQUIRED;
  fold->base += word & (RAW_LOCK_TICKS - 1);
  take(fold, raw_head(kind, 0, 0) | fold->lock, 0, fold->base);
}

/* True if `acquired` is followed by the release of the same lock, and both can be taken as one. Nothing else happens
 * in short critical sections, which are many. */
static bool is_whole_section(const struct profile_fold *fold, uint64_t acquired, uint64_t released)
{
  uint64_t head = fold->entries[acquired >> RAW_SHORT_AT & (RAW_ENTRIES - 1)].head; /* what moves is the lock */
  return raw_kind_of(released) == RAW_SHORT_LOCK && (released & RAW_SHORT_RELEASED) != 0 && fold->ended == 0 &&
         fold->weight == 0 && (fold->not_measured & LIVE_NEED_LOCKS) == 0 &&
         fold->base + (acquired & (RAW_ACQUIRED_TICKS - 1)) >= fold->table.last &&
         raw_kind_of(head) == RAW_MUTEX_ACQUIRE && raw_detail_of(head) != RAW_MUTEX_MONITOR &&
         profile_locks_at_once(&fold->table, &fold->locks, raw_detail_of(head));
}

static void take_section(struct profile_fold *fold, uint64_t acquired, uint64_t released)
{
  struct raw_entry *entry = &fold->entries[acquired >> RAW_SHORT_AT & (RAW_ENTRIES - 1)];
  uint64_t head = move_entry(fold, entry, acquired);
  uint64_t begin = fold->base + (acquired & (RAW_ACQUIRED_TICKS - 1));
  uint64_t got = begin + (acquired >> RAW_ACQUIRED_AT & (RAW_ACQUIRED_WAITING - 1));
  fold->base = got + (released & (RAW_LOCK_TICKS - 1));
  profile_lock_at_once(&fold->table, &fold->locks, raw_detail_of(head), place_of(entry->word), raw_value_of(head),
                       (uint64_t[]){begin, got, fold->base});
}

/* A whole record of a kind that has short ones. */
static void take_noted(struct profile_fold *fold, const uint64_t *record, unsigned words)
{
  uint64_t head = record[0], word = words > 2 ? record[2] : 0;
  unsigned kind = raw_kind_of(head);
  fold->entries[raw_entry_number(head, word)] = (struct raw_entry){raw_entry_head(head), word};
  fold->base = record[1];
  if (kind == RAW_MUTEX_ACQUIRE || kind == RAW_MUTEX_ACQUIRED)
    fold->lock = raw_lock_of(head);
  take(fold, head, word, record[1]);
}

void profile_fold(struct profile_fold *fold, const uint64_t *from, const uint64_t *to)
{
  while (from < to) {
    uint64_t head = __atomic_load_n(from, __ATOMIC_ACQUIRE);
    unsigned kind = raw_kind_of(head), words = raw_record_words(head);
    if (words == 0 || words > (size_t)(to - from))
      return;
    if (__builtin_expect(fold->omitted_until != 0, 0) && kind != RAW_OMITTED)
      end_omitted(fold);
    uint64_t next = kind == RAW_SHORT_ACQUIRED && to - from > 1 ? __atomic_load_n(from + 1, __ATOMIC_ACQUIRE) : 0;
    if (next != 0 && is_whole_section(fold, head, next)) {
      take_section(fold, head, next);
      words = 2;
    } else if (kind == RAW_SHORT_LOCK) {
      take_lock(fold, head);
    } else if (kind >= RAW_SHORT) {
      take_entry(fold, head);
    } else if (raw_has_short(kind)) {
      take_noted(fold, from, words);
    } else {
      take_whole(fold, from);
    }
    from += words;
  }
}

uint32_t profile_group_of_record(unsigned kind, unsigned detail)
{
  static const uint16_t groups[128] = {
      [RAW_PARALLEL_BEGIN] = LIVE_NEED_REGIONS,
      [RAW_PARALLEL_END] = LIVE_NEED_REGIONS,
      [RAW_IMPLICIT_BEGIN] = LIVE_NEED_REGIONS,
      [RAW_IMPLICIT_END] = LIVE_NEED_REGIONS,
      [RAW_WORK_BEGIN] = LIVE_NEED_WORKS,
      [RAW_WORK_END] = LIVE_NEED_WORKS,
      [RAW_MASKED_BEGIN] = LIVE_NEED_WORKS,
      [RAW_MASKED_END] = LIVE_NEED_WORKS,
      [RAW_SYNC_BEGIN] = LIVE_NEED_SYNC,
      [RAW_SYNC_END] = LIVE_NEED_SYNC,
      [RAW_BARRIER_BEGIN] = LIVE_NEED_SYNC,
      [RAW_BARRIER_END] = LIVE_NEED_SYNC,
      [RAW_WAIT_BEGIN] = LIVE_NEED_SYNC,
      [RAW_WAIT_END] = LIVE_NEED_SYNC,
      [RAW_REDUCTION_BEGIN] = LIVE_NEED_SYNC,
      [RAW_REDUCTION_END] = LIVE_NEED_SYNC,
      [RAW_TASK_CREATE] = LIVE_NEED_TASKS,
      [RAW_TASK_SWITCH] = LIVE_NEED_TASKS,
      [RAW_TASK_STATUS] = LIVE_NEED_TASKS,
      [RAW_MUTEX_ACQUIRE] = LIVE_NEED_LOCKS,
      [RAW_MUTEX_ACQUIRED] = LIVE_NEED_LOCKS,
      [RAW_MUTEX_RELEASED] = LIVE_NEED_LOCKS,
      [RAW_NEST_BEGIN] = LIVE_NEED_LOCKS,
      [RAW_USER_ENTER] = LIVE_NEED_USER,
      [RAW_USER_LEAVE] = LIVE_NEED_USER,
      [RAW_GC_BEGIN] = LIVE_NEED_GC,
      [RAW_GC_END] = LIVE_NEED_GC,
  };
  bool monitor = (detail & RAW_BLOCK_KIND) == RAW_BLOCK_ENTER || (detail & RAW_BLOCK_KIND) == RAW_BLOCK_WAIT;
  if (kind == RAW_BLOCK_BEGIN || kind == RAW_BLOCK_END)
    return monitor ? LIVE_NEED_MONITORS : LIVE_NEED_PARKS;
  return kind < COUNT_OF(groups) ? groups[kind] : 0;
}

uint32_t profile_group_of_row(enum raw_row row, unsigned number)
{
  static const uint16_t kinds[] = {
      [RAW_ROW_REGION] = RAW_PARALLEL_BEGIN,     [RAW_ROW_MEMBER] = RAW_IMPLICIT_BEGIN,
      [RAW_ROW_WORK] = RAW_WORK_BEGIN,           [RAW_ROW_SYNC] = RAW_SYNC_BEGIN,
      [RAW_ROW_SYNC_WAIT] = RAW_WAIT_BEGIN,      [RAW_ROW_ACQUIRE] = RAW_MUTEX_ACQUIRE,
      [RAW_ROW_HOLD] = RAW_MUTEX_ACQUIRE,        [RAW_ROW_TASK] = RAW_TASK_SWITCH,
      [RAW_ROW_MASKED] = RAW_MASKED_BEGIN,       [RAW_ROW_USER] = RAW_USER_ENTER,
      [RAW_ROW_REDUCTION] = RAW_REDUCTION_BEGIN, [RAW_ROW_BLOCK] = RAW_BLOCK_BEGIN,
  };
  return row < COUNT_OF(kinds) ? profile_group_of_record(kinds[row], number) : 0;
}
