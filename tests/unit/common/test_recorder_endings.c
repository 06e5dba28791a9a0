/* Everything that a thread recorded comes back, however its process ends. */
#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Everything comes back, whatever the ending --- */

static void record_all(void)
{
  open_and_count(0, 0, 100000);
  recorder_thread_end();
}

static void record_and_leave(void)
{
  open_and_count(0, 0, 100000);
}

static void record_and_be_killed(void)
{
  open_and_count(0, 0, 100000);
  raise(SIGKILL);
}

static void expect_all(void)
{
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 100000);
  assert_int_equal(found.first, 0);
  assert_int_equal(found.last, 99999);
  assert_int_equal(found.by_kind[RAW_THREAD_BEGIN], 1);
  assert_true(found.by_kind[RAW_STALL] > 90); /* a turn each 16 KiB of 1.6 MB */
  assert_int_equal(found.by_kind[RAW_GAP], 0);
  assert_int_equal(found.not_measured + found.lost_after + found.bad, 0);
}

static void test_all_records_come_back(void **state)
{
  (void)state;
  in_good_child(record_all);
  expect_all();
}

static void test_leaving_without_end_loses_nothing(void **state)
{
  (void)state;
  in_good_child(record_and_leave);
  expect_all();
}

static void test_sigkill_loses_nothing(void **state)
{
  (void)state;
  assert_int_equal(in_child(record_and_be_killed), SIGKILL);
  expect_all();
}

/* --- Killed at any moment of a turn: nothing twice, nothing lost --- */

static volatile uint64_t *progress; /* shared with the child: counters that are certainly recorded */

static void record_until_killed(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (uint64_t i = 0;; i++) {
    recorder_emit(RAW_FLUSH, 0, i);
    *progress = i + 1;
  }
}

static void test_sigkill_at_random_moments(void **state)
{
  (void)state;
  char path[PATH_MAX + 16];
  unsigned random = 1;
  for (int round = 0; round < 50; round++) {
    snprintf(path, sizeof path, "%s/progress", base);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(ftruncate(fd, 4096), 0);
    progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    pid_t pid = fork();
    if (pid == 0) {
      record_until_killed();
      _exit(1);
    }
    while (*progress < 2000 + rand_r(&random) % 20000u)
      ;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    struct found found = read_only_thread();
    assert_int_equal(found.first, 0);
    assert_int_equal(found.counters, found.last + 1);
    assert_in_range(found.counters, *progress, *progress + 1);
    munmap((void *)progress, 4096);
    teardown(NULL);
    assert_int_equal(setup(NULL), 0);
  }
}

/* --- Blocks that logs get ahead --- */

static void test_blocks_ahead_are_no_part_of_the_log(void **state)
{
  (void)state;
  in_good_child(record_all);
  expect_all();
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/chunks-0.log", directory);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  uint64_t whole = 100000u * 16 + 100 * 256; /* with headers, turns, and room kept free for the thread's end */
  assert_in_range(status.st_size, 100000 * 16, whole + 2 * 16384);
  assert_true((uint64_t)status.st_blocks * 512 <= 2 * (uint64_t)status.st_size + 2 * 16384);
}

/* --- A recording that is withdrawn before it begins --- */

static void begin_and_withdraw(void)
{
  config_of(0, 0); /* opens the directory */
  process_dir_remove();
  if (access(directory, F_OK) == 0)
    _exit(3);
}

static void test_a_directory_that_is_given_up_is_gone(void **state)
{
  (void)state;
  in_good_child(begin_and_withdraw);
}

UNIT_TEST(recorder_endings)
{
  const struct CMUnitTest tests[] = {
      TEST(test_all_records_come_back),
      TEST(test_leaving_without_end_loses_nothing),
      TEST(test_sigkill_loses_nothing),
      TEST(test_sigkill_at_random_moments),
      TEST(test_blocks_ahead_are_no_part_of_the_log),
      TEST(test_a_directory_that_is_given_up_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
