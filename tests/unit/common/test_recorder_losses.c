/* What is not recorded is counted: limits, full disks, pauses, ended threads. */
#include "tests/unit/common/recorded_child.h"

#include "common/raw/raw_reader.h"
#include "common/recorder/chunk.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- Limits --- */

static void record_with_limit(void)
{
  open_and_count(0, 100000, 50000);
  if (!recording_losses().limit_reached)
    _exit(3);
}

static void test_size_limit_stops_and_counts(void **state)
{
  (void)state;
  in_good_child(record_with_limit);
  struct found found = read_only_thread();
  assert_int_equal(found.first, 0);
  assert_int_equal(found.last + 1, found.counters);
  assert_in_range(found.counters, 5000, 100000 / 16 + 16384 / 16);
  assert_int_equal(found.counters + found.lost_after, 50000);
}

static void record_in_ring(void)
{
  open_and_count(4, 0, 50000);
}

static void test_ring_keeps_the_newest(void **state)
{
  (void)state;
  in_good_child(record_in_ring);
  struct found found = read_only_thread();
  assert_int_equal(found.last, 49999);
  /* Four chunks in the ring, and the window, which holds at most one more. */
  assert_in_range(found.counters, 4 * 950, 5 * 1024);
  assert_true(found.missing > 0);
}

/* --- Trouble with the disk --- */

static void record_under_file_limit(void)
{
  struct rlimit limit = {100000, 100000};
  setrlimit(RLIMIT_FSIZE, &limit);
  open_and_count(0, 0, 50500);
  limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
  if (recording_losses().chunks == 0 || recording_losses().reason != EFBIG)
    _exit(3);
}

static void test_file_size_limit_costs_events_only(void **state)
{
  (void)state;
  in_good_child(record_under_file_limit);
  struct found found = read_only_thread();
  assert_true(found.counters >= 100000 / 16 - 1024); /* the window has some, too: it does not end where a chunk does */
  /* The reader's word for the chunks that are missing, and the recorder's for what was in them. */
  assert_int_equal(found.by_kind[RAW_GAP], 2);
  assert_true(found.missing > 0);
  assert_int_equal(found.counters + found.gap_events, 50500);
}

static void record_without_directory(void)
{
  struct recording_config config = config_of(0, 0);
  char command[sizeof directory + 16];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  if (system(command) != 0)
    _exit(4);
  recording_open(&config, false);
  recorder_thread_begin(1);
  count(0, 900); /* less than a window */
  recorder_thread_end();
  /* The window is in memory; the chunk goes to a file that has no name any more. */
  if (recording_losses().threads != 0 || recording_losses().chunks != 0)
    _exit(3);
}

static void test_no_window_no_harm(void **state)
{
  (void)state;
  in_good_child(record_without_directory);
}

/* --- Pause --- */

static void record_with_pause(void)
{
  open_and_count(0, 0, 100);
  recording_pause();
  count(100, 150);
  recording_resume();
  count(150, 200);
}

static void test_pause_is_a_gap(void **state)
{
  (void)state;
  in_good_child(record_with_pause);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 150);
  assert_int_equal(found.by_kind[RAW_GAP], 1);
  assert_int_equal(found.gap_events, 50);
  assert_int_equal(found.last, 199);
  assert_int_equal(found.lost_after, 0);
}

static void record_until_a_pause(void)
{
  open_and_count(0, 0, 100);
  recording_pause();
  count(100, 150);
}

/* A pause that has no end leaves no record of itself, but a mark behind the last one. */
static void test_pause_without_end_is_marked(void **state)
{
  (void)state;
  in_good_child(record_until_a_pause);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 100);
  assert_int_equal(found.by_kind[RAW_GAP], 0);
  assert_int_equal(found.lost_after, RAW_PAUSED_AFTER);
}

static void record_after_stop(void)
{
  open_and_count(0, 0, 100);
  recording_stop();
  count(100, 200);
  recording_resume();
  count(200, 300);
}

static void test_stop_is_for_good(void **state)
{
  (void)state;
  in_good_child(record_after_stop);
  assert_int_equal(read_only_thread().counters, 100);
}

/* --- Threads that ended --- */

static void emit_after_the_end(void)
{
  open_and_count(0, 0, 100);
  recorder_thread_end();
  count(100, 130);
  if (recording_losses().events + recording_losses().events_in_file != 30)
    _exit(3);
}

static void test_events_after_the_end_are_counted(void **state)
{
  (void)state;
  in_good_child(emit_after_the_end); /* which ends by _exit */
  assert_int_equal(read_only_thread().counters, 100);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.events_lost, 30);
  raw_dir_close(&dir);
}

/* --- Events of a chunk that is lost --- */

static void test_lost_events_are_counted(void **state)
{
  (void)state;
  uint64_t words[] = {raw_head(RAW_STALL, 0, 0),
                      9,
                      8,
                      raw_head(RAW_FLUSH, 0, 0),
                      10,
                      raw_head(RAW_TASK_DEPENDENCES, 2, 0),
                      11,
                      0,
                      0,
                      0,
                      0,
                      raw_head(RAW_CHUNK_WIDE, 0, 0),
                      12,
                      0,
                      0,
                      0};
  size_t n = sizeof words / sizeof *words;
  struct chunk_loss loss = chunk_loss(words, n, 5);
  assert_int_equal(loss.events, 3);
  assert_int_equal(loss.since, 5);
  /* A gap that is lost itself had a beginning and a count. */
  words[0] = raw_head(RAW_GAP, RAW_GAP_DISK, 1000);
  words[2] = 2;
  loss = chunk_loss(words, n, 5);
  assert_int_equal(loss.events, 1003);
  assert_int_equal(loss.since, 2);
  assert_int_equal(chunk_loss(words, 0, 5).events, 0);
}

UNIT_TEST(recorder_losses)
{
  const struct CMUnitTest tests[] = {
      TEST(test_size_limit_stops_and_counts),
      TEST(test_ring_keeps_the_newest),
      TEST(test_file_size_limit_costs_events_only),
      TEST(test_no_window_no_harm),
      TEST(test_pause_is_a_gap),
      TEST(test_pause_without_end_is_marked),
      TEST(test_stop_is_for_good),
      TEST(test_lost_events_are_counted),
      TEST(test_events_after_the_end_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
