/* Recordings follow each other in one process while its threads record: each of them has what was recorded in it. */
#include "common/recorder/recording_restart.h"
#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/raw/live_control.h"
#include "common/recorder/live.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4u
#define ROUNDS  20u

static void choose_directory(unsigned round)
{
  snprintf(directory, sizeof directory, "%s/%u", base, round);
}

static atomic_bool done;
static atomic_uint_fast64_t recorded[THREADS];

/* Some threads end and begin, whether a recording goes on or not. */
static void *record(void *argument)
{
  size_t number = (size_t)argument;
  for (uint64_t i = 0; !atomic_load(&done); i++) {
    recorder_emit(RAW_FLUSH, 0, i);
    atomic_store(&recorded[number], i);
    if (number % 2 == 1 && i % 1000 == 0) {
      recorder_thread_end();
      recorder_self = NULL; /* as in a new thread */
    }
  }
  recorder_thread_end();
  return NULL;
}

static void wait_for_records(void)
{
  for (unsigned i = 0; i < THREADS; i++)
    for (uint64_t before = atomic_load(&recorded[i]); atomic_load(&recorded[i]) < before + 2000;)
      nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void expect(bool good, const char *what)
{
  if (!good) {
    fprintf(stderr, "%s\n", what);
    abort();
  }
}

static void stop_and_renew(void)
{
  recording_stop();
  expect(recording_restart(60000000000u), "threads have not left the recording");
  process_dir_close();
}

static void record_rounds(void)
{
  pthread_t threads[THREADS];
  for (unsigned round = 0; round < ROUNDS; round++) {
    choose_directory(round);
    struct recording_config config = config_of(0, 0);
    recording_open(&config, false);
    for (size_t i = 0; round == 0 && i < THREADS; i++)
      expect(pthread_create(&threads[i], NULL, record, (void *)i) == 0, "there is no thread");
    wait_for_records();
    stop_and_renew();
  }
  atomic_store(&done, true);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  /* Slots of threads that ended are free again: there are no more than threads at one time. */
  expect(recorder_slots_used() <= 2 * THREADS, "slots are not released");
}

static void test_each_recording_has_its_own(void **state)
{
  (void)state;
  in_good_child(record_rounds);
  for (unsigned round = 0; round < ROUNDS; round++) {
    struct raw_dir dir;
    uint64_t last = 0, counters = 0;
    choose_directory(round);
    assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
    assert_true(dir.log_count >= THREADS);
    for (uint32_t thread = 0; thread < dir.log_count; thread++) { /* consecutive: read_thread checks it */
      struct found found = read_thread(&dir, thread);
      assert_int_equal(found.by_kind[RAW_THREAD_BEGIN], 1);
      assert_int_equal(found.not_measured + found.missing + found.bad, 0);
      counters += found.counters;
      last = found.last > last ? found.last : last;
    }
    assert_true(counters >= THREADS * 1000u);
    assert_true(last > 0);
    raw_dir_close(&dir);
  }
}

/* --- A thread that is in the middle of an emit holds the next recording up --- */

static void record_in_the_middle(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  count(0, 10);
  struct recorder *self = recorder_enter();
  recording_stop();
  expect(self != NULL, "there is no recorder");
  expect(!recording_restart(50000000u), "the thread was not waited for");
  recorder_leave(self);
  stop_and_renew();
  choose_directory(1);
  config = config_of(0, 0);
  recording_open(&config, false);
  count(10, 20);
}

static void test_a_busy_thread_is_waited_for(void **state)
{
  (void)state;
  in_good_child(record_in_the_middle);
  assert_int_equal(read_only_thread().counters, 10);
  choose_directory(1);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 10);
  assert_int_equal(found.first, 10);
}

/* --- What others deferred and did in a recording is nothing to the next one --- */

static void record_live_rounds(void)
{
  for (unsigned round = 0; round < 2; round++) {
    choose_directory(round);
    struct recording_config config = config_of(0, 0);
    recording_open(&config, false);
    live_open_page(false, false);
    if (round == 0) {
      live_defer(LIVE_NEED_GC);
      live_report_done(LIVE_NEED_ALLOCATED, true);
    }
    recording_stop();
    expect(recording_restart(60000000000u), "threads have not left the recording");
    live_close_page();
    process_dir_close();
  }
}

static void expect_control(unsigned round, uint32_t pending, uint32_t measured)
{
  static struct live_control control;
  char path[sizeof directory + 16];
  choose_directory(round);
  snprintf(path, sizeof path, "%s/" LIVE_CONTROL_FILE, directory);
  int fd = open(path, O_RDONLY);
  assert_int_equal(read(fd, &control, sizeof control), sizeof control);
  close(fd);
  assert_int_equal(control.pending, pending);
  assert_int_equal(control.measured, measured);
}

static void test_nothing_is_deferred_for_the_next(void **state)
{
  (void)state;
  in_good_child(record_live_rounds);
  expect_control(0, LIVE_NEED_GC, (LIVE_NEED_ALL & ~LIVE_NEED_GC) | LIVE_NEED_ALLOCATED);
  expect_control(1, 0, LIVE_NEED_ALL);
}

UNIT_TEST(recording_restart)
{
  const struct CMUnitTest tests[] = {TEST(test_each_recording_has_its_own), TEST(test_a_busy_thread_is_waited_for),
                                     TEST(test_nothing_is_deferred_for_the_next)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
