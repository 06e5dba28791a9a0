/* Many threads at once: windows, ids, ends. */
#include "tests/unit/common/recorded_child.h"

#include "common/raw/raw_reader.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Ids --- */

static void *take_ids(void *context)
{
  uint64_t *ids = context;
  recorder_thread_begin(2);
  for (int i = 0; i < 1000; i++)
    ids[i] = recorder_new_id();
  recorder_thread_end();
  return NULL;
}

static int compare_ids(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void take_ids_in_threads(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  static uint64_t ids[8 * 1000];
  pthread_t threads[8];
  for (int t = 0; t < 8; t++)
    pthread_create(&threads[t], NULL, take_ids, ids + 1000 * t);
  for (int t = 0; t < 8; t++)
    pthread_join(threads[t], NULL);
  qsort(ids, 8000, sizeof *ids, compare_ids);
  for (int i = 1; i < 8000; i++)
    if (ids[i] == ids[i - 1] || ids[i] <= RAW_ID_IMPLICIT)
      _exit(3);
}

static void test_ids_are_unique(void **state)
{
  (void)state;
  in_good_child(take_ids_in_threads);
}

/* --- Short threads --- */

#define SHORT_THREADS 2000

static void *emit_once(void *context)
{
  recorder_emit(RAW_FLUSH, 0, 0);
  recorder_thread_end();
  return context;
}

static void record_short_threads(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  for (int i = 0; i < SHORT_THREADS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, emit_once, NULL);
    pthread_join(thread, NULL);
  }
}

/* A chunk's place is as large as a window, 16 KiB here, but only what is written takes room on the disk. */
static void test_short_threads_take_a_page_each(void **state)
{
  (void)state;
  in_good_child(record_short_threads);
  uint64_t bytes = 0;
  for (unsigned log = 0; log < 64; log++) {
    char path[PATH_MAX + 64];
    struct stat status;
    snprintf(path, sizeof path, "%s/chunks-%u.log", directory, log);
    if (stat(path, &status) == 0)
      bytes += (uint64_t)status.st_blocks * 512;
  }
  assert_true(bytes > 0 && bytes < SHORT_THREADS * 8192);
}

/* --- Many threads --- */

enum { WAVES = 20, AT_ONCE = 16, EACH = 3000 };

static void *count_in_thread(void *unused)
{
  (void)unused;
  recorder_thread_begin(2);
  count(0, EACH);
  recorder_thread_end();
  return NULL;
}

static void record_many_threads(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  for (int wave = 0; wave < WAVES; wave++) {
    pthread_t threads[AT_ONCE];
    for (int t = 0; t < AT_ONCE; t++)
      pthread_create(&threads[t], NULL, count_in_thread, NULL);
    if (wave % 4 == 3) { /* switching off and on meets threads in every state */
      recording_pause();
      recording_resume();
    }
    for (int t = 0; t < AT_ONCE; t++)
      pthread_join(threads[t], NULL);
  }
}

static void test_threads_begin_and_end(void **state)
{
  (void)state;
  in_good_child(record_many_threads);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, WAVES * AT_ONCE);
  for (uint32_t t = 0; t < dir.log_count; t++) {
    struct found found = read_thread(&dir, dir.logs[t].thread);
    assert_int_equal(found.counters + found.gap_events, EACH);
    assert_int_equal(found.by_kind[RAW_THREAD_BEGIN], 1);
    assert_int_equal(found.by_kind[RAW_THREAD_END], 1);
  }
  raw_dir_close(&dir);
  /* Windows are used again: no more of them than threads that lived at once. */
  char path[PATH_MAX + 32];
  struct stat status;
  snprintf(path, sizeof path, "%s/windows", directory);
  assert_int_equal(stat(path, &status), 0);
  assert_in_range(status.st_size, 1, AT_ONCE * 16384);
}

enum { PAIRS = 300 };
static atomic_uint at_the_line, attached;
static pthread_mutex_t until_all_began = PTHREAD_MUTEX_INITIALIZER;

static void *begin_with_another(void *line)
{
  atomic_fetch_add(&at_the_line, 1);
  while (atomic_load(&at_the_line) < (uintptr_t)line)
    ;
  recorder_thread_begin(2);
  atomic_fetch_add(&attached, 1);
  pthread_mutex_lock(&until_all_began);
  pthread_mutex_unlock(&until_all_began);
  return NULL;
}

static void begin_in_pairs(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  static pthread_t threads[2 * PAIRS];
  pthread_mutex_lock(&until_all_began);
  for (uintptr_t i = 0; i < PAIRS; i++) {
    pthread_create(&threads[2 * i], NULL, begin_with_another, (void *)(2 * i + 2));
    pthread_create(&threads[2 * i + 1], NULL, begin_with_another, (void *)(2 * i + 2));
    while (atomic_load(&attached) < 2 * i + 2)
      sched_yield();
  }
  if (recording_losses().threads != 0)
    _exit(3);
  pthread_mutex_unlock(&until_all_began);
  for (int i = 0; i < 2 * PAIRS; i++)
    pthread_join(threads[i], NULL);
}

static void test_threads_that_begin_at_once_have_a_window_each(void **state)
{
  (void)state;
  in_good_child(begin_in_pairs);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 2 * PAIRS);
  raw_dir_close(&dir);
}

UNIT_TEST(recorder_threads)
{
  const struct CMUnitTest tests[] = {
      TEST(test_ids_are_unique),
      TEST(test_short_threads_take_a_page_each),
      TEST(test_threads_begin_and_end),
      TEST(test_threads_that_begin_at_once_have_a_window_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
