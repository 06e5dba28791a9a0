/* Locks that are counted without records (LIVE_NEED_LOCK_COUNTS), while others read the tables and needs change. */
#include "tests/unit/common/recorded_child.h"

#include "common/profile/live_profile.h"
#include "common/raw/live_control.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recorder_slots.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20000, LOCKS = 40, STRETCH = 100, LOCK = 1, LOOP = 1 }; /* ompt_mutex_t, ompt_work_t */

static atomic_uint begun, counted; /* threads: have a table, have acquired all */
static atomic_bool over;

/* A loop in each second stretch; a nested lock is acquired once more. */
static void *acquire(void *unused)
{
  static const char places[2];
  recorder_thread_begin(1);
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (i % STRETCH == 0 && i / STRETCH % 2 == 0)
      recorder_emit3(RAW_WORK_BEGIN, LOOP, 0x4010, 0);
    uint64_t lock = 0x5000 + 8 * (i * i % LOCKS);
    live_profile_count_lock(LOCK, lock, &places[i % 2], false);
    if (i % 4 == 0)
      live_profile_count_lock(LOCK, lock, &places[i % 2], true);
    if (i == 0)
      atomic_fetch_add(&begun, 1);
    if (i % STRETCH == STRETCH - 1 && i / STRETCH % 2 == 0)
      recorder_emit(RAW_WORK_END, LOOP, 0);
  }
  atomic_fetch_add(&counted, 1);
  while (!atomic_load(&over))
    usleep(100);
  recorder_thread_end();
  return unused;
}

static void *change_needs(void *unused)
{
  while (!atomic_load(&over)) {
    recording_observe(LIVE_NEED_LOCK_COUNTS | LIVE_NEED_WORKS);
    usleep(200);
    recording_observe(LIVE_NEED_LOCK_COUNTS);
    usleep(200);
  }
  return unused;
}

struct sums {
  uint64_t locks, acquired, held;
};

static void add_record(struct sums *sums, const uint64_t *record)
{
  uint64_t head = __atomic_load_n(record, __ATOMIC_ACQUIRE);
  unsigned kind = raw_kind_of(head), row = raw_detail_of(head) >> 4;
  if (kind == RAW_PROFILE_METRIC && raw_detail_of(head) == raw_metric_detail(RAW_METRIC_LOCK, LOCK))
    sums->locks += __atomic_load_n(&record[RAW_METRIC_COUNT], __ATOMIC_RELAXED);
  if ((kind == RAW_PROFILE_ROW || kind == RAW_PROFILE_TEAM_ROW) && row == RAW_ROW_ACQUIRE)
    sums->acquired += __atomic_load_n(&record[RAW_ROW_EXECUTIONS], __ATOMIC_RELAXED);
  if ((kind == RAW_PROFILE_ROW || kind == RAW_PROFILE_TEAM_ROW) && row == RAW_ROW_HOLD)
    sums->held += __atomic_load_n(&record[RAW_ROW_EXECUTIONS], __ATOMIC_RELAXED);
}

/* The sums of all tables, as another process reads them: from their windows. */
static struct sums read_tables(void)
{
  struct sums sums = {0};
  for (unsigned i = 0; i < recorder_slots_used(); i++) {
    const struct raw_header *window = recorder_slots_at(i)->window;
    uint64_t owner = window ? __atomic_load_n(&window->owner, __ATOMIC_ACQUIRE) : 0;
    if ((owner >> 32 & RAW_PROFILE_OF) == 0)
      continue;
    const uint64_t *at = (const uint64_t *)(window + 1);
    for (uint64_t head; (head = __atomic_load_n(at, __ATOMIC_ACQUIRE)) != 0; at += raw_record_words(head))
      add_record(&sums, at);
  }
  return sums;
}

static void count_locks(void)
{
  pthread_t thread[THREADS], changes;
  open_beside(true);
  recording_trace(false);
  recording_observe(LIVE_NEED_LOCK_COUNTS);
  for (unsigned i = 0; i < THREADS; i++)
    need(pthread_create(&thread[i], NULL, acquire, NULL) == 0, 3);
  need(pthread_create(&changes, NULL, change_needs, NULL) == 0, 3);
  while (atomic_load(&begun) < THREADS) /* another process would find the windows by their files */
    usleep(100);
  struct sums before = {0};
  while (atomic_load(&counted) < THREADS) {
    struct sums now = read_tables();
    need(now.locks >= before.locks && now.acquired >= before.acquired && now.held >= before.held, 4);
    before = now;
  }
  struct sums all = read_tables();
  need(all.locks == THREADS * (ROUNDS + ROUNDS / 4) && all.acquired == all.locks, 5);
  need(all.held == THREADS * ROUNDS, 6);
  atomic_store(&over, true);
  pthread_join(changes, NULL);
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
}

static struct sums written(struct raw_log *log)
{
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  struct raw_iter iter;
  struct sums sums = {0};
  raw_iter_start(&iter, log, &start, UINT64_MAX, buffer);
  for (const uint64_t *record; (record = raw_iter_next(&iter));)
    add_record(&sums, record);
  assert_int_equal(iter.error, 0);
  assert_int_equal(iter.bad_chunks, 0);
  return sums;
}

/* Each acquisition counts, whatever else is measured meanwhile, and a reader never sees fewer than before. */
static void test_each_acquisition_counts(void **state)
{
  (void)state;
  in_good_child(count_locks);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.profile_count, THREADS);
  for (uint32_t i = 0; i < dir.profile_count; i++) {
    struct sums sums = written(&dir.profiles[i]);
    assert_int_equal(sums.locks, ROUNDS + ROUNDS / 4);
    assert_int_equal(sums.acquired, ROUNDS + ROUNDS / 4);
    assert_int_equal(sums.held, ROUNDS);
  }
  raw_dir_close(&dir);
}

/* While nothing is measured nothing counts. */
static void count_nothing(void)
{
  open_beside(true);
  recorder_thread_begin(1);
  for (unsigned i = 0; i < 100; i++)
    live_profile_count_lock(LOCK, 0x5000, directory, false);
  need(read_tables().locks == 0, 3);
  recording_trace(false);
  recording_observe(LIVE_NEED_LOCK_COUNTS);
  live_profile_count_lock(LOCK, 0x5000, directory, false);
  need(read_tables().locks == 1, 4);
  recording_observe(0);
  live_profile_count_lock(LOCK, 0x5000, directory, false);
  need(read_tables().locks == 1, 5);
}

static void test_a_rest_counts_nothing(void **state)
{
  (void)state;
  in_good_child(count_nothing);
}

UNIT_TEST(lock_counts)
{
  const struct CMUnitTest tests[] = {TEST(test_each_acquisition_counts), TEST(test_a_rest_counts_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
