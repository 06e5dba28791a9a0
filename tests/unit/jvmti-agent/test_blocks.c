/* Waits as a reader finds them: parks are recorded with a time of their own, among records that repeat others. */
#include "tests/unit/common/recorded_child.h"

#include "jvmti-agent/blocks.h"

#include <fcntl.h>

#define ROUNDS 2000

static void park_again_and_again(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(0);
  for (uint64_t i = 0; i < ROUNDS; i++) {
    uint64_t begin = block_begin_timed(RAW_BLOCK_PARK);
    if (i % 2 == 0)
      block_end_if_short(RAW_BLOCK_PARK, begin, UINT64_MAX);
    else if (!block_end_if_short(RAW_BLOCK_PARK, begin, 0))
      block_end(RAW_BLOCK_PARK, 7, 8);
    block_begin(RAW_BLOCK_WAIT, i % 3, i % 700); /* more than there are entries */
    block_end(RAW_BLOCK_WAIT, 0, 0);
    recorder_emit(RAW_FLUSH, 0, i); /* with its whole time */
  }
  recorder_thread_end();
}

static void expect(struct raw_iter *iter, uint64_t head, uint64_t word, uint64_t *ticks)
{
  const uint64_t *record;
  do
    record = raw_iter_next(iter);
  while (record && (raw_kind_of(*record) == RAW_STALL || raw_kind_of(*record) == RAW_THREAD_BEGIN ||
                    raw_kind_of(*record) == RAW_THREAD_NAME || raw_kind_of(*record) == RAW_THREAD_BOUND));
  assert_non_null(record);
  assert_int_equal(*record, head);
  if (raw_record_words(*record) > 2)
    assert_int_equal(record[2], word);
  assert_true(record[1] >= *ticks);
  *ticks = record[1];
}

static void test_times_and_waits_are_what_they_were(void **state)
{
  (void)state;
  in_good_child(park_again_and_again);
  struct raw_dir dir;
  static struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  uint64_t ticks = 0;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  raw_iter_start(&iter, &dir.logs[0], &start, UINT64_MAX, buffer);
  for (uint64_t i = 0; i < ROUNDS; i++) {
    expect(&iter, raw_head(RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, 0), 0, &ticks);
    expect(&iter, raw_head(RAW_BLOCK_END, RAW_BLOCK_PARK, i % 2 ? 7 : 0), i % 2 ? 8 : 0, &ticks);
    expect(&iter, raw_head(RAW_BLOCK_BEGIN, RAW_BLOCK_WAIT, i % 3), i % 700, &ticks);
    expect(&iter, raw_head(RAW_BLOCK_END, RAW_BLOCK_WAIT, 0), 0, &ticks);
    expect(&iter, raw_head(RAW_FLUSH, 0, i), 0, &ticks);
  }
  raw_dir_close(&dir);
}

UNIT_TEST(blocks)
{
  const struct CMUnitTest tests[] = {TEST(test_times_and_waits_are_what_they_were)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
