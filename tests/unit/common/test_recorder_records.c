/* Kinds of records: pairs, short ones, lists, and the recorder's own records. */
#include "tests/unit/common/recorded_child.h"

#include "common/raw/raw_reader.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* --- Two callbacks in one record --- */

static void record_pairs(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  recorder_emit_first(RAW_SYNC_BEGIN, 3, 0x1234); /* one after the other */
  recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, 3);
  recorder_emit_first(RAW_WAIT_END, 3, 0);
  recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, 3);
  recorder_emit_first(RAW_SYNC_BEGIN, 4, 0x1234); /* something in between */
  recorder_emit(RAW_FLUSH, 0, 1);
  recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, 4);
  recorder_emit_first(RAW_SYNC_BEGIN, 5, 0x1234); /* another detail */
  recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, 6);
  recorder_emit_first(RAW_WAIT_END, 5, 0); /* twice: the first pair takes it */
  recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, 5);
  recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, 5);
  recorder_emit_first(RAW_SYNC_BEGIN, 7, 0x1234); /* the first is in another chunk */
  recorder_flush();
  recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, 7);
}

/* The next record that the test emitted. */
static const uint64_t *next_event(struct raw_iter *iter)
{
  const uint64_t *record;
  do
    record = raw_iter_next(iter);
  while (record && (raw_kind_of(*record) == RAW_STALL || raw_kind_of(*record) == RAW_THREAD_BEGIN ||
                    raw_kind_of(*record) == RAW_THREAD_NAME || raw_kind_of(*record) == RAW_THREAD_BOUND));
  return record;
}

static void test_two_callbacks_become_one_record(void **state)
{
  (void)state;
  in_good_child(record_pairs);
  static const uint64_t expected[] = {
      RAW_BARRIER_BEGIN << 8 | 3, RAW_BARRIER_END << 8 | 3, RAW_SYNC_BEGIN << 8 | 4, RAW_FLUSH << 8,
      RAW_WAIT_BEGIN << 8 | 4,    RAW_SYNC_BEGIN << 8 | 5,  RAW_WAIT_BEGIN << 8 | 6, RAW_BARRIER_END << 8 | 5,
      RAW_SYNC_END << 8 | 5,      RAW_SYNC_BEGIN << 8 | 7,  RAW_WAIT_BEGIN << 8 | 7,
  };
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  raw_iter_start(&iter, &dir.logs[0], &start, UINT64_MAX, buffer);
  size_t found = 0;
  for (const uint64_t *record; (record = next_event(&iter));) {
    unsigned kind = raw_kind_of(*record);
    assert_true(found < sizeof expected / sizeof *expected);
    assert_int_equal(*record >> 48, expected[found++]);
    if (kind == RAW_BARRIER_BEGIN || kind == RAW_SYNC_BEGIN)
      assert_int_equal(raw_value_of(*record), 0x1234);
  }
  assert_int_equal(found, sizeof expected / sizeof *expected);
  raw_dir_close(&dir);
}

/* --- Short records --- */

#define ROUNDS 40000 /* several chunks */

static void record_again_and_again(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (uint64_t i = 0; i < ROUNDS; i++) {
    recorder_emit3(RAW_MUTEX_ACQUIRE, 2, i % 3, 0x400000 + i % 5);
    recorder_emit(RAW_MUTEX_ACQUIRED, 2, i % 700); /* more than there are entries */
    recorder_emit(RAW_BARRIER_BEGIN, 3, 0x1234);
    recorder_emit(RAW_SYNC_BEGIN, 3, 0x1234); /* the same entry */
    recorder_emit_first(RAW_WAIT_END, i % 2, 0);
    recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, 1); /* every second time */
    recorder_emit(RAW_FLUSH, 0, i);
  }
  recorder_thread_end();
}

static void expect_event(struct raw_iter *iter, uint64_t head, uint64_t word2)
{
  const uint64_t *record = next_event(iter);
  assert_non_null(record);
  assert_int_equal(*record, head);
  if (raw_record_words(*record) > 2)
    assert_int_equal(record[2], word2);
}

/* All that was emitted, wherever the reader stops and goes on. */
static void expect_rounds(struct raw_dir *dir, uint64_t stop_after)
{
  struct raw_mark mark = {0};
  static struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  raw_iter_start(&iter, &dir->logs[0], &mark, UINT64_MAX, buffer);
  uint64_t apart = 0;
  for (uint64_t i = 0; i < ROUNDS; i++) {
    expect_event(&iter, raw_head(RAW_MUTEX_ACQUIRE, 2, i % 3), 0x400000 + i % 5);
    expect_event(&iter, raw_head(RAW_MUTEX_ACQUIRED, 2, i % 700), 0);
    if (i % stop_after == 0) {
      raw_iter_back(&iter, next_event(&iter));
      raw_iter_stop(&iter, &mark);
      memset(&iter, 0xff, sizeof iter);
      raw_iter_start(&iter, &dir->logs[0], &mark, UINT64_MAX, buffer);
    }
    expect_event(&iter, raw_head(RAW_BARRIER_BEGIN, 3, 0x1234), 0);
    expect_event(&iter, raw_head(RAW_SYNC_BEGIN, 3, 0x1234), 0);
    uint64_t head = *next_event(&iter);
    if (head != raw_head(RAW_BARRIER_END, 1, 0)) { /* even, or a chunk ended in between */
      assert_int_equal(head, raw_head(RAW_WAIT_END, i % 2, 0));
      expect_event(&iter, raw_head(RAW_SYNC_END, 1, 0), 0);
      apart += i % 2;
    }
    expect_event(&iter, raw_head(RAW_FLUSH, 0, i), 0);
  }
  assert_true(apart < dir->logs[0].chunk_count);
  assert_int_equal(iter.bad_chunks, 0);
}

static void test_short_records_mean_what_was_emitted(void **state)
{
  (void)state;
  in_good_child(record_again_and_again);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_true(dir.logs[0].chunk_count > 100);
  assert_true(dir.logs[0].bytes < ROUNDS * (24 + 5 * 16)); /* there are short ones */
  expect_rounds(&dir, ROUNDS);
  expect_rounds(&dir, 500);
  expect_rounds(&dir, 997);
  raw_dir_close(&dir);
  struct found found = read_only_thread(); /* in order of time */
  assert_int_equal(found.counters, ROUNDS);
  assert_int_equal(found.bad, 0);
}

/* --- Long records --- */

static void record_lists(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  static uint64_t elements[300][RAW_EXTRA];
  for (unsigned i = 0; i < 300; i++)
    elements[i][0] = i, elements[i][1] = ~(uint64_t)i;
  for (unsigned n = 0; n < 300; n++)
    recorder_emit_list(RAW_TASK_DEPENDENCES, n, n, (const uint64_t(*)[RAW_EXTRA])elements);
}

static void test_lists_come_back(void **state)
{
  (void)state;
  in_good_child(record_lists);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  raw_iter_start(&iter, &dir.logs[0], &start, UINT64_MAX, buffer);
  unsigned n = 0;
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    if (raw_kind_of(*record) != RAW_TASK_DEPENDENCES)
      continue;
    unsigned elements = raw_detail_of(*record);
    assert_int_equal(raw_value_of(*record), n);
    assert_int_equal(elements, n < 255 ? n : 255);
    for (unsigned i = 0; i < elements; i++) {
      assert_int_equal(record[2 + 2 * i], i);
      assert_int_equal(record[3 + 2 * i], ~(uint64_t)i);
    }
    n++;
  }
  assert_int_equal(n, 300);
  raw_dir_close(&dir);
}

/* --- Room at a window's end --- */

/*
 * Memory that cannot be touched, below which the next mapping of that size will lie. The kernel maps downwards, but
 * into holes first that are large enough. So it maps until 64 in a row were adjacent.
 */
static const void *untouchable(size_t size)
{
  const char *last = NULL;
  for (int adjacent = 0, i = 0; adjacent < 64 && i < 10000; i++) {
    const char *map = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    adjacent = last && map + size == last ? adjacent + 1 : 0;
    last = map;
  }
  return last;
}

/* The page behind the window cannot be touched: `behind` is such a page, mapped just before, or there is room for one.
 */
static void guard_window(const void *behind)
{
  const char *end = (const char *)recorder_self->window + recorder_self->window->window_size;
  if (end != behind && mmap((void *)(uintptr_t)end, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                            -1, 0) == MAP_FAILED)
    _exit(5);
}

static uint64_t begin_at; /* how many words are in the window before */

/* The most that can come at a window's end: a gap, a block, the longest record, a gap, a new name, the end. */
static void record_all_at_the_end(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  const void *behind = untouchable(config.window_size);
  recorder_thread_begin(1);
  guard_window(behind);
  while (recorder_self->cursor < recorder_self->last - begin_at)
    recorder_emit(RAW_ERROR, 0, 0);
  recording_pause();
  recorder_emit(RAW_ERROR, 0, 0);
  recording_resume();
  recorder_new_id();
  struct recorder *self = recorder_enter();
  for (int i = 1; i < (int)RECORDER_WORDS; i++)
    self->cursor[i] = clock_ticks();
  recorder_publish(self, RECORDER_WORDS, raw_head(RAW_OMITTED, 0, 0));
  recording_pause();
  recorder_emit(RAW_ERROR, 0, 0);
  prctl(PR_SET_NAME, "another name");
  recorder_thread_end();
}

static void test_nothing_is_written_behind_a_window(void **state)
{
  if (UNDER_TSAN)
    skip();
  for (begin_at = 0; begin_at < 24; begin_at++) {
    in_good_child(record_all_at_the_end);
    struct found found = read_only_thread();
    assert_int_equal(found.by_kind[RAW_OMITTED], 1);
    assert_int_equal(found.by_kind[RAW_GAP], 2);
    assert_int_equal(found.by_kind[RAW_THREAD_NAME], 1);
    assert_int_equal(found.by_kind[RAW_THREAD_END], 1);
    assert_int_equal(found.not_measured + found.bad, 0);
    teardown(state);
    assert_int_equal(setup(state), 0);
  }
}

/* --- Whose an id is --- */

static void take_an_id_and_count(void)
{
  struct recording_config config = config_of(2, 0);
  recording_open(&config, true);
  recorder_thread_begin(1);
  recorder_new_id();
  recording_resume();
  count(0, 20000);
}

static void test_each_chunk_says_whose_ids_are(void **state)
{
  (void)state;
  in_good_child(take_an_id_and_count);
  struct found found = read_only_thread();
  assert_int_equal(found.last, 19999);
  assert_true(found.missing > 0);
  assert_int_equal(found.by_kind[RAW_ID_BLOCK_TAKEN], found.by_kind[RAW_STALL]);
}

/* --- How long the thread had no processor --- */

static void record_and_sleep(void)
{
  struct recording_config config = config_of(0, 0);
  config.reads = begin_at > 0;
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (int i = 0; i < 3; i++) {
    recorder_emit_first(RAW_SYNC_BEGIN, 3, 0x1234);
    recorder_emit_second(RAW_SYNC_BEGIN, RAW_BARRIER_BEGIN, RAW_WAIT_BEGIN, 3);
    usleep(20000);
    recorder_emit_first(RAW_WAIT_END, 3, 0);
    recorder_emit_second(RAW_WAIT_END, RAW_BARRIER_END, RAW_SYNC_END, 3);
  }
  recorder_thread_end();
}

/* The end of each sleep has a reading before it, and callbacks become one record nevertheless. */
static void test_sleeps_are_read(void **state)
{
  for (begin_at = 0; begin_at < 2; begin_at++) {
    in_good_child(record_and_sleep);
    struct found found = read_only_thread();
    assert_int_equal(found.by_kind[RAW_BARRIER_BEGIN], 3);
    assert_int_equal(found.by_kind[RAW_BARRIER_END], 3);
    assert_true(begin_at == 0 ? found.by_kind[RAW_READING] == 0 : found.by_kind[RAW_READING] >= 3);
    teardown(state);
    assert_int_equal(setup(state), 0);
  }
}

UNIT_TEST(recorder_records)
{
  const struct CMUnitTest tests[] = {
      TEST(test_two_callbacks_become_one_record),
      TEST(test_short_records_mean_what_was_emitted),
      TEST(test_lists_come_back),
      TEST(test_nothing_is_written_behind_a_window),
      TEST(test_each_chunk_says_whose_ids_are),
      TEST(test_sleeps_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
