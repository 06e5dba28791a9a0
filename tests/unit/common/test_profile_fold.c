/* Records and short records are folded into the sums that they stand for. */
#include "common/profile/profile_fold.h"
#include "tests/unit/unit.h"

#include "common/profile/profile_origin.h"
#include "common/raw/live_control.h"

#include <stdlib.h>
#include <string.h>

#define ROW_WORDS (RAW_ROW_HISTOGRAM + RAW_ROW_BUCKETS)
#define ROOM      (40u * ROW_WORDS)
#define LOCK      1u /* ompt_mutex_t */
#define EXPLICIT  3u /* ompt_sync_region_t */
#define LOOP      1u /* ompt_work_t */

struct fixture {
  struct profile_fold fold;
  uint64_t words[ROOM];
  size_t used;
  uint64_t records[256]; /* of the chunk */
  size_t count;
};

static uint64_t *make(void *context, uint64_t head, unsigned words, uint64_t now, bool last)
{
  struct fixture *f = context;
  if (f->used + (last ? words : 2 * words) > ROOM)
    return NULL;
  uint64_t *record = f->words + f->used;
  record[0] = head;
  record[1] = now;
  f->used += words;
  return record;
}

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->fold.table.make = make;
  f->fold.table.context = f;
  assert_true(profile_table_begin(&f->fold.table, 100));
  profile_fold_chunk(&f->fold);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  free(*state);
  return 0;
}

static void put(struct fixture *f, uint64_t word)
{
  f->records[f->count++] = word;
}

static void put2(struct fixture *f, unsigned kind, unsigned detail, uint64_t value, uint64_t time)
{
  put(f, raw_head(kind, detail, value));
  put(f, time);
}

static void put3(struct fixture *f, unsigned kind, unsigned detail, uint64_t value, uint64_t time, uint64_t word)
{
  put2(f, kind, detail, value, time);
  put(f, word);
}

static void fold(struct fixture *f)
{
  profile_fold(&f->fold, f->records, f->records + f->count);
  f->count = 0;
}

static const uint64_t *row(const struct fixture *f, enum raw_row kind, unsigned number, uint64_t code)
{
  for (uint32_t i = 0; i < f->fold.table.rows; i++) {
    uint64_t head = f->fold.table.row[i].words[0];
    if (raw_kind_of(head) != RAW_PROFILE_METRIC && raw_detail_of(head) == raw_row_detail(kind, number) &&
        raw_value_of(head) == code)
      return f->fold.table.row[i].words;
  }
  fail_msg("no row of kind %d with code %lx", (int)kind, (unsigned long)code);
  return NULL;
}

static void assert_row(const struct fixture *f, enum raw_row kind, unsigned number, uint64_t code, uint64_t executions,
                       uint64_t inclusive, uint64_t self)
{
  const uint64_t *words = row(f, kind, number, code);
  assert_int_equal(words[RAW_ROW_EXECUTIONS], executions);
  assert_int_equal(words[RAW_ROW_INCLUSIVE], inclusive);
  assert_int_equal(words[RAW_ROW_SELF], self);
}

/* All self times are the thread's time. */
static void assert_time(const struct fixture *f, uint64_t until)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < f->fold.table.rows; i++)
    if (raw_kind_of(f->fold.table.row[i].words[0]) != RAW_PROFILE_METRIC)
      sum += f->fold.table.row[i].words[RAW_ROW_SELF];
  assert_int_equal(sum, until - 100);
  assert_int_equal(f->fold.table.thread[2], until);
}

static void test_short_records_are_what_they_repeat(void **state)
{
  struct fixture *f = *state;
  put2(f, RAW_BARRIER_BEGIN, EXPLICIT, 0x4010, 200);
  put2(f, RAW_BARRIER_END, EXPLICIT, 0, 230);
  unsigned begin = raw_entry_of(raw_head(RAW_SYNC_BEGIN, EXPLICIT, 0x4010), 0);
  unsigned end = raw_entry_of(raw_head(RAW_WAIT_END, EXPLICIT, 0), 0);
  put(f, raw_short(begin, 70) | RAW_SHORT_BOTH);
  put(f, raw_short(end, 10) | RAW_SHORT_BOTH);
  fold(f);
  assert_row(f, RAW_ROW_SYNC, EXPLICIT, 0x4010, 2, 40, 40);
  assert_row(f, RAW_ROW_OUTSIDE, 0, 0, 0, 0, 170);
  assert_time(f, 310);
}

/* The example of raw_trace.h. */
static void test_locks_in_short_records(void **state)
{
  struct fixture *f = *state;
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 100, 0x4010);
  put(f, raw_short_lock(0, 30));
  put(f, raw_short_lock(1, 70));
  unsigned entry = raw_entry_number(raw_head(RAW_MUTEX_ACQUIRE, LOCK, 0x5000), 0x4010);
  put(f, raw_short_acquired(raw_short_moved(entry, 2, 100), 30));
  put(f, raw_short_lock(1, 20));
  fold(f);
  assert_row(f, RAW_ROW_ACQUIRE, LOCK, 0x4010, 2, 60, 60);
  assert_row(f, RAW_ROW_HOLD, LOCK, 0x4010, 2, 90, 0);
  assert_int_equal(row(f, RAW_ROW_HOLD, LOCK, 0x4010)[RAW_ROW_LONGEST], 70);
  assert_time(f, 350 - 20); /* a release books nothing */
}

/* A short critical section: what follows the first one's records, `wait` and `held` ticks long. */
static void put_short(struct fixture *f, uint64_t code, uint64_t step, uint64_t wait, uint64_t held)
{
  unsigned entry = raw_entry_number(raw_head(RAW_MUTEX_ACQUIRE, LOCK, 0x5000), code);
  put(f, raw_short_acquired(raw_short_moved(entry, step, 100), wait));
  put(f, raw_short_lock(1, held));
}

/* Sections at two places, of locks that lie side by side, in and out of a loop, with other records in between. */
static void put_sections(struct fixture *f)
{
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 110, 0x4010);
  put(f, raw_short_lock(0, 30));
  put(f, raw_short_lock(1, 70));
  for (int i = 0; i < 5; i++)
    put_short(f, 0x4010, 2 * (i % 2), 10 + 20 * i, 1000u << i);
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4020, 60000, 0);
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 60000, 0);
  put(f, raw_short_lock(0, 7));
  put(f, raw_short_lock(1, 7));
  for (int i = 0; i < 3; i++)
    put_short(f, 0, 0, RAW_CONTENDED + 1 - i, 5);
  put_short(f, 0x4010, 0, 12, 13);
  unsigned entry = raw_entry_number(raw_head(RAW_MUTEX_ACQUIRE, LOCK, 0x5000), 0);
  put(f, raw_short_acquired(raw_short_moved(entry, 2, 100), 30));
  put2(f, RAW_USER_EVENT, 0, 5, 90000); /* while the lock is held */
  put(f, raw_short_lock(1, 7));
  put_short(f, 0, 0, 9, 9);
}

/* Sections whose records follow each other are taken as one: the sums are the same as for one record after the
 * other. */
static void test_short_sections_are_what_their_records_are(void **state)
{
  void *other;
  set_up(&other);
  struct fixture *f = *state, *by_one = other;
  put_sections(f);
  put_sections(by_one);
  for (size_t at = 0, words; at < by_one->count; at += words) {
    words = raw_record_words(by_one->records[at]);
    profile_fold(&by_one->fold, by_one->records + at, by_one->records + at + words);
  }
  fold(f);
  const struct profile_lock_sums *sums = f->fold.locks.sums, *end = sums + PROFILE_LOCK_SUMS;
  while (sums < end && sums->code != 0x4020)
    sums++;
  assert_true(sums < end); /* sections in the loop were taken as one */
  assert_int_equal(f->fold.table.rows, by_one->fold.table.rows);
  for (uint32_t i = 0; i < f->fold.table.rows; i++) {
    const struct profile_row *one = &f->fold.table.row[i];
    assert_int_equal(one->head, by_one->fold.table.row[i].head);
    unsigned words = raw_words_of_kind[raw_kind_of(one->head)];
    for (unsigned k = 2; k < words; k++)
      assert_int_equal(one->words[k], by_one->fold.table.row[i].words[k]);
  }
  assert_int_equal(f->fold.table.last, by_one->fold.table.last);
  assert_int_equal(f->fold.table.thread[2], by_one->fold.table.thread[2]);
  assert_int_equal(f->fold.table.stack.open[0].inner, by_one->fold.table.stack.open[0].inner);
  tear_down(&other);
}

static void test_weights_and_counts_are_executions(void **state)
{
  struct fixture *f = *state;
  put2(f, RAW_WEIGHT, RAW_MUTEX_ACQUIRE, 7, 110);
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 110, 0x4010);
  put2(f, RAW_MUTEX_ACQUIRED, LOCK, 0x5000, 120);
  put2(f, RAW_MUTEX_RELEASED, LOCK, 0x5000, 150);
  put3(f, RAW_COUNTED, RAW_MUTEX_ACQUIRE, 0x4010, 160, (uint64_t)LOCK << RAW_VALUE_BITS | 5);
  put2(f, RAW_WEIGHT, RAW_TASK_CREATE, 4, 170);
  put3(f, RAW_TASK_CREATE, RAW_TASK_EXPLICIT, 0x4020, 170, 9ull << RAW_ID_BLOCK_SHIFT);
  fold(f);
  assert_row(f, RAW_ROW_ACQUIRE, LOCK, 0x4010, 12, 10, 10);
  assert_row(f, RAW_ROW_HOLD, LOCK, 0x4010, 12, 30, 0);
  assert_row(f, RAW_ROW_TASK, 0, 0x4020, 3, 0, 0);
  uint64_t measured = 0;
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    measured += row(f, RAW_ROW_ACQUIRE, LOCK, 0x4010)[RAW_ROW_HISTOGRAM + i];
  assert_int_equal(measured, 1);
}

/* If input or output was ready, it is no wait. */
static void test_input_that_is_ready_has_no_row(void **state)
{
  struct fixture *f = *state;
  put3(f, RAW_BLOCK_BEGIN, RAW_BLOCK_READ, 0x4010, 200, 7ull << 32 | 80);
  put3(f, RAW_BLOCK_END, RAW_BLOCK_READ, 0, 260, 0);
  put3(f, RAW_BLOCK_BEGIN, RAW_BLOCK_READ, 0x4010, 300, 7ull << 32 | 80);
  put3(f, RAW_BLOCK_END, RAW_BLOCK_READ | RAW_BLOCK_NONE, 0, 310, 0);
  put2(f, RAW_THREAD_END, 0, 0, 400);
  fold(f);
  assert_row(f, RAW_ROW_BLOCK, RAW_BLOCK_READ, 0x4010, 1, 60, 60);
  assert_row(f, RAW_ROW_OUTSIDE, 0, 0, 0, 0, 240);
  assert_time(f, 400);
}

/* Two kinds of constructs are omitted in one stretch of time; one of a third kind inside of them. */
static void test_omitted_constructs_have_their_sums(void **state)
{
  struct fixture *f = *state;
  uint64_t loops[] = {raw_head(RAW_OMITTED, LOOP, 0x4010), 400, 200, 3, 60, 0};
  uint64_t regions[] = {raw_head(RAW_OMITTED, 0, 0x4020), 390, 210, 2, 100, 0};
  uint64_t inside[] = {raw_head(RAW_OMITTED, LOOP | RAW_OMITTED_INSIDE, 0x4030), 385, 215, 2, 50, 0};
  memcpy(f->records, loops, sizeof loops);
  memcpy(f->records + 6, regions, sizeof regions);
  memcpy(f->records + 12, inside, sizeof inside);
  f->count = 18;
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 450, 0);
  fold(f);
  assert_row(f, RAW_ROW_WORK, LOOP, 0x4010, 3, 60, 0);
  assert_row(f, RAW_ROW_REGION, 0, 0x4020, 2, 100, 0);
  assert_row(f, RAW_ROW_MEMBER, 0, 0x4020, 2, 0, 0);
  assert_row(f, RAW_ROW_WORK, LOOP, 0x4030, 2, 50, 0);
  assert_row(f, RAW_ROW_NOT_MEASURED, 0, 0, 0, 0, 160);
  assert_row(f, RAW_ROW_OUTSIDE, 0, 0, 0, 0, 190);
}

static void test_members_of_other_threads_regions_have_their_code(void **state)
{
  struct fixture *f = *state;
  uint64_t id = 3ull << RAW_ID_BLOCK_SHIFT | 5;
  assert_true(profile_origins_begin());
  profile_origin_note(id, (struct profile_origin){0x4040, 150});
  put3(f, RAW_IMPLICIT_BEGIN, 2, id, 200, 1ull << 32 | 2);
  put2(f, RAW_BARRIER_BEGIN, PROFILE_BARRIER_PARALLEL, 0x4040, 300);
  fold(f);
  assert_row(f, RAW_ROW_MEMBER, 0, 0x4040, 1, 100, 100);
  assert_int_equal(row(f, RAW_ROW_MEMBER, 0, 0x4040)[RAW_ROW_OFFSET], 150);
  struct profile_origin origin;
  assert_true(profile_origin_find(id, &origin));
  profile_origin_note(id + PROFILE_ORIGINS, (struct profile_origin){1, 1});
  assert_false(profile_origin_find(id, &origin));
}

static void test_the_tools_time_is_its_own(void **state)
{
  struct fixture *f = *state;
  put2(f, RAW_USER_ENTER, 0, 7, 200);
  put3(f, RAW_STALL, 0, 0, 300, 240);
  put2(f, RAW_USER_LEAVE, 0, 7, 350);
  put2(f, RAW_THREAD_END, 0, 0, 400);
  fold(f);
  assert_row(f, RAW_ROW_USER, 0, 7, 1, 150, 90);
  assert_row(f, RAW_ROW_STALL, 0, 0, 0, 0, 60);
  assert_row(f, RAW_ROW_OUTSIDE, 0, 0, 0, 0, 150);
  assert_time(f, 400);
}

/* Records may be folded in parts. */
static void test_a_chunk_in_two_parts(void **state)
{
  struct fixture *f = *state;
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 200, 0);
  fold(f);
  put2(f, RAW_WORK_END, LOOP, 0, 260);
  put(f, raw_short(raw_entry_of(raw_head(RAW_WORK_END, LOOP, 0), 0), 5)); /* an end without a begin is none */
  fold(f);
  assert_row(f, RAW_ROW_WORK, LOOP, 0x4010, 1, 60, 60);
}

/* The words of a metric; around: the kind of the row that it is in. */
static const uint64_t *metric(const struct fixture *f, enum raw_metric kind, unsigned number, uint64_t value,
                              uint64_t object, enum raw_row around)
{
  uint64_t head = raw_head(RAW_PROFILE_METRIC, raw_metric_detail(kind, number), value);
  for (uint32_t i = 0; i < f->fold.table.rows; i++) {
    const uint64_t *words = f->fold.table.row[i].words;
    if (words[0] != head || words[RAW_METRIC_OBJECT] != object)
      continue;
    uint64_t in = f->fold.table.row[words[RAW_METRIC_AROUND] - 1].words[0];
    if (raw_detail_of(in) >> 4 == around)
      return words;
  }
  fail_msg("no metric of kind %d with value %lx", (int)kind, (unsigned long)value);
  return NULL;
}

static void test_locks_are_counted_by_object_and_construct(void **state)
{
  struct fixture *f = *state;
  for (unsigned i = 0; i < 4; i++) {
    if (i == 2)
      put3(f, RAW_WORK_BEGIN, LOOP, 0x4020, 100 * i, 0);
    put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000 + 8 * (i % 2), 110 + 100 * i, 0x4010);
    put2(f, RAW_MUTEX_ACQUIRED, LOCK, 0x5000 + 8 * (i % 2), 115 + 100 * i + i);
    put2(f, RAW_MUTEX_RELEASED, LOCK, 0x5000 + 8 * (i % 2), 160 + 100 * i);
  }
  fold(f);
  const uint64_t *first = metric(f, RAW_METRIC_LOCK, LOCK, 0x4010, 0x5000, RAW_ROW_OUTSIDE),
                 *other = metric(f, RAW_METRIC_LOCK, LOCK, 0x4010, 0x5008, RAW_ROW_WORK);
  assert_int_equal(first[RAW_METRIC_COUNT], 1);
  assert_int_equal(first[RAW_METRIC_TICKS], 5);
  assert_int_equal(first[RAW_METRIC_HELD], 45);
  assert_int_equal(other[RAW_METRIC_COUNT], 1);
  assert_int_equal(other[RAW_METRIC_TICKS], 8);
  assert_int_equal(other[RAW_METRIC_LONGEST], 8);
  assert_int_equal(other[RAW_METRIC_CONTENDED], 0);
  assert_int_equal(other[RAW_METRIC_HELD], 42);
}

/* The thread is number 1 of 2 in a loop of 20 iterations in chunks of 3: 3..5, 9..11 and 15..17. */
static void test_chunks_of_a_static_loop_follow_from_the_first(void **state)
{
  enum { LOOP_CHUNK = 3, LOOP_STATIC = 10, LOOP_DYNAMIC = 11 };
  struct fixture *f = *state;
  profile_fold_set_runtime(0, 0, true);
  assert_true(profile_origins_begin());
  put3(f, RAW_IMPLICIT_BEGIN, 2, 3ull << RAW_ID_BLOCK_SHIFT | 9, 200, 1ull << 32 | 2);
  put3(f, RAW_WORK_BEGIN, LOOP_STATIC, 0x4010, 210, 20);
  put2(f, RAW_CHUNK, LOOP_CHUNK, 3u << 16 | 3, 220);
  put2(f, RAW_WORK_END, LOOP_STATIC, 0, 260);
  put3(f, RAW_WORK_BEGIN, LOOP_DYNAMIC, 0x4020, 300, 20);
  put2(f, RAW_CHUNK, LOOP_CHUNK, 3u << 16 | 3, 310);
  put(f, raw_head(RAW_CHUNKS, LOOP_CHUNK, 0));
  put(f, 320), put(f, 6), put(f, 7), put(f, 3);
  put2(f, RAW_WORK_END, LOOP_DYNAMIC, 0, 360);
  fold(f);
  const uint64_t *fixed = metric(f, RAW_METRIC_CHUNKS, LOOP_STATIC, 0x4010, 0, RAW_ROW_MEMBER),
                 *dynamic = metric(f, RAW_METRIC_CHUNKS, LOOP_DYNAMIC, 0x4020, 0, RAW_ROW_MEMBER);
  assert_int_equal(fixed[RAW_METRIC_COUNT], 3);
  assert_int_equal(fixed[RAW_METRIC_SUM], 9);
  assert_int_equal(dynamic[RAW_METRIC_COUNT], 4);
  assert_int_equal(dynamic[RAW_METRIC_SUM], 10);
  profile_fold_set_runtime(0, 0, false);
}

static void test_tasks_events_and_pauses_are_counted(void **state)
{
  struct fixture *f = *state;
  double real = 2.5;
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  put2(f, RAW_WEIGHT, RAW_TASK_CREATE, 5, 150);
  put3(f, RAW_TASK_CREATE, 0, 0x4010, 150, 77);
  put2(f, RAW_USER_ENTER, 0, 7, 200);
  for (unsigned i = 0; i < 2; i++) {
    put2(f, RAW_USER_EVENT, 2, 3, 210 + i);
    put(f, 4 | (uint64_t)RAW_USER_INTEGER << 48), put(f, i == 0 ? (uint64_t)-9 : 4);
    put(f, 5 | (uint64_t)RAW_USER_REAL << 48), put(f, bits);
  }
  put2(f, RAW_USER_LEAVE, 0, 7, 250);
  for (unsigned i = 0; i < 2; i++) {
    put2(f, RAW_GC_BEGIN, 0, 0, 300 + 100 * i);
    put2(f, RAW_GC_END, 0, 0, 340 - 10 * i + 100 * i);
  }
  fold(f);
  assert_int_equal(metric(f, RAW_METRIC_TASKS, 0, 0x4010, 0, RAW_ROW_OUTSIDE)[RAW_METRIC_COUNT], 5);
  assert_int_equal(metric(f, RAW_METRIC_EVENT, 0, 3, 0, RAW_ROW_USER)[RAW_METRIC_COUNT], 2);
  const uint64_t *whole = metric(f, RAW_METRIC_VALUE, RAW_USER_INTEGER, 3, 4, RAW_ROW_USER);
  assert_int_equal(whole[RAW_METRIC_COUNT], 2);
  assert_int_equal((int64_t)whole[RAW_METRIC_SUM], -5);
  assert_int_equal(whole[RAW_METRIC_LAST], 4);
  memcpy(&real, &metric(f, RAW_METRIC_VALUE, RAW_USER_REAL, 3, 5, RAW_ROW_USER)[RAW_METRIC_SUM], sizeof real);
  assert_true(real == 5.0);
  const uint64_t *pauses = metric(f, RAW_METRIC_GC, 0, 0, 0, RAW_ROW_OUTSIDE);
  assert_int_equal(pauses[RAW_METRIC_COUNT], 2);
  assert_int_equal(pauses[RAW_METRIC_TICKS], 70);
  assert_int_equal(pauses[RAW_METRIC_LONGEST], 40);
  assert_int_equal(pauses[RAW_METRIC_LAST], 30);
}

/* A row for each number that the thread had in teams. */
static void test_numbers_in_teams_are_apart(void **state)
{
  struct fixture *f = *state;
  assert_true(profile_origins_begin());
  for (unsigned i = 1; i < 4; i++) {
    put3(f, RAW_IMPLICIT_BEGIN, 2, 3ull << RAW_ID_BLOCK_SHIFT | (20 + i), 100 * i, (uint64_t)i << 32 | 4);
    put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 100 * i + 10, 0);
    put2(f, RAW_WORK_END, LOOP, 0, 100 * i + 20 + i);
    put2(f, RAW_BARRIER_BEGIN, PROFILE_BARRIER_PARALLEL, 0x4040, 100 * i + 50);
  }
  fold(f);
  uint64_t seen = 0;
  for (uint32_t i = 0; i < f->fold.table.rows; i++) {
    const uint64_t *words = f->fold.table.row[i].words;
    if (raw_kind_of(words[0]) != RAW_PROFILE_TEAM_ROW || raw_detail_of(words[0]) >> 4 != RAW_ROW_WORK)
      continue;
    assert_int_equal(words[RAW_ROW_EXECUTIONS], 1);
    assert_int_equal(words[RAW_ROW_INCLUSIVE], 10 + words[RAW_ROW_MEMBER_NUMBER]);
    seen |= 1u << words[RAW_ROW_MEMBER_NUMBER];
  }
  assert_int_equal(seen, 0xe);
}

/* From a time on only locks are measured: other constructs have no end, and their time is unknown. */
static void test_a_part_is_measured(void **state)
{
  struct fixture *f = *state;
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 200, 0);
  put3(f, RAW_NEEDS, 0, LIVE_NEED_LOCKS, 400, 300);
  put2(f, RAW_SYNC_BEGIN, EXPLICIT, 0x4020, 410); /* of before its callback went */
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 500, 0x4010);
  put2(f, RAW_MUTEX_ACQUIRED, LOCK, 0x5000, 530);
  put2(f, RAW_MUTEX_RELEASED, LOCK, 0x5000, 600);
  put2(f, RAW_WORK_END, LOOP, 0, 640);
  put3(f, RAW_NEEDS, 0, LIVE_NEED_ALL, 700, 650);
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 750, 0);
  put2(f, RAW_WORK_END, LOOP, 0, 800);
  fold(f);
  assert_row(f, RAW_ROW_WORK, LOOP, 0x4010, 1, 200 + 50, 100 + 50);
  assert_row(f, RAW_ROW_ACQUIRE, LOCK, 0x4010, 1, 30, 30);
  assert_row(f, RAW_ROW_HOLD, LOCK, 0x4010, 1, 70, 0);
  assert_row(f, RAW_ROW_NOT_MEASURED, 0, 0, 0, 0, 200 + 120);
  assert_row(f, RAW_ROW_OUTSIDE, 0, 0, 0, 0, 100 + 100);
  assert_time(f, 800);
}

/* A lock that is held when locks are no longer needed is no execution; what it is in goes on. */
static void test_what_is_open_ends_with_its_need(void **state)
{
  struct fixture *f = *state;
  put3(f, RAW_NEEDS, 0, LIVE_NEED_LOCKS | LIVE_NEED_WORKS, 100, 100);
  put3(f, RAW_WORK_BEGIN, LOOP, 0x4010, 200, 0);
  put3(f, RAW_MUTEX_ACQUIRE, LOCK, 0x5000, 210, 0x4020);
  put2(f, RAW_MUTEX_ACQUIRED, LOCK, 0x5000, 220);
  put3(f, RAW_NEEDS, 0, LIVE_NEED_WORKS, 300, 300);
  put2(f, RAW_WORK_END, LOOP, 0, 400);
  fold(f);
  assert_row(f, RAW_ROW_WORK, LOOP, 0x4010, 1, 200, 0);
  assert_row(f, RAW_ROW_ACQUIRE, LOCK, 0x4020, 1, 10, 10);
  assert_int_equal(f->fold.locks.count, 0);
  assert_time(f, 400);
}

UNIT_TEST(profile_fold)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_short_records_are_what_they_repeat, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_locks_in_short_records, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_short_sections_are_what_their_records_are, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_weights_and_counts_are_executions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_input_that_is_ready_has_no_row, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_omitted_constructs_have_their_sums, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_members_of_other_threads_regions_have_their_code, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_tools_time_is_its_own, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_locks_are_counted_by_object_and_construct, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_chunks_of_a_static_loop_follow_from_the_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_tasks_events_and_pauses_are_counted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_numbers_in_teams_are_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_chunk_in_two_parts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_part_is_measured, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_is_open_ends_with_its_need, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
