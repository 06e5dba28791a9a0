/* The recorder against the reader: what threads emit is what comes back, however they end. */
#include "common/chunk.h"
#include "common/process_dir.h"
#include "common/raw_reader.h"
#include "common/recorder.h"
#include "common/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The recorder has one recording a process, so each recording is made in a child. */
static char base[PATH_MAX], directory[PATH_MAX + 16];

static int setup(void **state)
{
  (void)state;
  snprintf(base, sizeof base, "%s/heddle-recorder-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  if (!mkdtemp(base))
    return -1;
  snprintf(directory, sizeof directory, "%s/process", base);
  return mkdir(directory, 0700);
}

static int teardown(void **state)
{
  (void)state;
  char command[PATH_MAX + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", base);
  return system(command);
}

/* ThreadSanitizer delivers signals late, in calls of its own, and opens files: what asks for the moment, or the
 * descriptor, cannot be tried under it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNDER_TSAN 1
#endif
#endif
#ifndef UNDER_TSAN
#define UNDER_TSAN 0
#endif

/* Opens the directory, too. */
static struct recording_config config_of(uint32_t ring_slots, uint64_t max_size)
{
  struct recording_config config = {.window_size = 16384, .ring_slots = ring_slots, .max_size = max_size};
  process_dir_open(directory, config.window_size);
  clock_choose();
  return config;
}

/* Runs record() in a child that leaves by _exit or the signal; returns the wait status. */
static int in_child(void (*record)(void))
{
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    record();
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void in_good_child(void (*record)(void))
{
  assert_int_equal(in_child(record), 0);
}

struct found {
  uint64_t counters;    /* RAW_FLUSH records, which the tests use to count */
  uint64_t first, last; /* their values */
  uint64_t by_kind[256];
  uint64_t gap_events;
  uint64_t skipped, lost_after, missing, bad;
};

/* Reads a thread: counters must be consecutive but for gaps, ticks must not decrease. */
static struct found read_thread(struct raw_dir *dir, uint32_t thread)
{
  struct found found = {0};
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  struct raw_mark start = {0};
  assert_true(thread < dir->log_count);
  raw_iter_start(&iter, &dir->logs[thread], &start, UINT64_MAX, buffer);
  uint64_t ticks = 0;
  bool gap = false;
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    unsigned kind = raw_kind_of(*record);
    assert_true(record[1] >= ticks);
    ticks = record[1];
    found.by_kind[kind]++;
    if (kind == RAW_GAP) {
      gap = true;
      if (raw_detail_of(*record) == RAW_GAP_MISSING)
        found.missing += raw_value_of(*record);
      else
        found.gap_events += raw_value_of(*record);
    } else if (kind == RAW_FLUSH) {
      uint64_t value = raw_value_of(*record);
      if (found.counters++ == 0)
        found.first = value;
      else if (!gap)
        assert_int_equal(value, found.last + 1);
      else
        assert_true(value > found.last);
      found.last = value;
      gap = false;
    }
    found.skipped = iter.mark.chunk.skipped;
    found.lost_after = iter.mark.chunk.lost_after;
  }
  found.bad = iter.bad_chunks;
  assert_int_equal(iter.error, 0);
  return found;
}

static struct found read_only_thread(void)
{
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 1);
  struct found found = read_thread(&dir, 0);
  raw_dir_close(&dir);
  return found;
}

static void count(uint64_t from, uint64_t to)
{
  for (uint64_t i = from; i < to; i++)
    recorder_emit(RAW_FLUSH, 0, i);
}

static void open_and_count(uint32_t ring_slots, uint64_t max_size, uint64_t n)
{
  struct recording_config config = config_of(ring_slots, max_size);
  recording_open(&config, false);
  recorder_thread_begin(1);
  count(0, n);
}

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
  assert_int_equal(found.skipped + found.lost_after + found.bad, 0);
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
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    unsigned kind = raw_kind_of(*record);
    if (kind == RAW_THREAD_BEGIN || kind == RAW_THREAD_NAME || kind == RAW_STALL)
      continue;
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

static const uint64_t *next_event(struct raw_iter *iter)
{
  const uint64_t *record;
  do
    record = raw_iter_next(iter);
  while (record && (raw_kind_of(*record) == RAW_STALL || raw_kind_of(*record) == RAW_THREAD_BEGIN ||
                    raw_kind_of(*record) == RAW_THREAD_NAME));
  return record;
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
  uint64_t whole = 100000u * 16 + 100 * 128; /* with headers and turns */
  assert_in_range(status.st_size, 100000 * 16, whole + 2 * 16384);
  assert_true((uint64_t)status.st_blocks * 512 <= 2 * (uint64_t)status.st_size + 2 * 16384);
}

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
  open_and_count(0, 0, 50000);
  limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
  if (recording_losses().chunks == 0 || recording_losses().reason != EFBIG)
    _exit(3);
}

static void test_file_size_limit_costs_events_only(void **state)
{
  (void)state;
  in_good_child(record_under_file_limit);
  struct found found = read_only_thread();
  assert_true(found.counters >= 100000 / 16 - 1024);
  /* The reader's word for the chunks that are missing, and the recorder's for what was in them. */
  assert_int_equal(found.by_kind[RAW_GAP], 2);
  assert_true(found.missing > 0);
  assert_int_equal(found.counters + found.gap_events, 50000);
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
  count(0, 1000);
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

/* --- Signal handlers --- */

static atomic_uint_fast64_t handled;

static void emit_in_handler(int signal)
{
  (void)signal;
  atomic_fetch_add(&handled, 1);
  recorder_emit(RAW_ERROR, 0, 0);
}

static void record_under_signals(void)
{
  struct sigaction action = {.sa_handler = emit_in_handler};
  sigaction(SIGALRM, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  struct itimerspec often = {{0, 20000}, {0, 20000}};
  timer_settime(timer, 0, &often, NULL);
  for (uint64_t i = 0; atomic_load(&handled) < 500; i++)
    recorder_emit3(RAW_TASK_CREATE, 0, i, i);
  struct itimerspec never = {{0, 0}, {0, 0}};
  timer_settime(timer, 0, &never, NULL);
  recorder_emit(RAW_FLUSH, 0, atomic_load(&handled));
}

/* Every handler's event is recorded, or counted as skipped because it met the thread inside an emit. */
static void test_handlers_are_recorded_or_counted(void **state)
{
  (void)state;
  in_good_child(record_under_signals);
  struct found found = read_only_thread();
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.by_kind[RAW_FLUSH], 1);
  assert_true(found.last >= 500);
  assert_int_equal(found.by_kind[RAW_ERROR] + found.skipped, found.last);
}

/*
 * A trap: the handler comes with the stack pointer of the very frame that fills the list, at its highest. raise() would
 * be further down the stack.
 */
static inline __attribute__((always_inline)) void interrupt_here(void)
{
#if defined(__x86_64__)
  __asm__ volatile("int3" ::: "memory");
#else
  raise(SIGTRAP);
#endif
}

static void record_lists_under_signals(void)
{
  struct sigaction action = {.sa_handler = emit_in_handler};
  sigaction(SIGTRAP, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (uint64_t i = 0; i < 10; i++) {
    struct recorder *self = recorder_enter_list(2);
    interrupt_here();
    memset(recorder_list(self), 0, 2 * sizeof *recorder_list(self));
    recorder_publish_list(self, RAW_TASK_DEPENDENCES, i, 2);
  }
}

static void test_a_handler_is_told_from_a_jump_while_a_list_is_filled(void **state)
{
  (void)state;
  in_good_child(record_lists_under_signals);
  struct found found = read_only_thread();
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.by_kind[RAW_TASK_DEPENDENCES], 10);
  assert_int_equal(found.by_kind[RAW_ERROR], 0);
  assert_int_equal(found.skipped, 10);
}

/* --- Long records, ids --- */

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

/* --- Many threads, fork --- */

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

static bool reopen_in_child(void)
{
  struct recording_config config = {.window_size = 16384};
  if (process_dir_open_beside("child", 16384) != 0)
    return false;
  recording_open(&config, false);
  return true;
}

/* What the session does in a child. */
static void leave_parent(void)
{
  process_dir_leave();
  recorder_abandon();
}

static struct found read_child(void)
{
  char parent[sizeof directory];
  strcpy(parent, directory);
  snprintf(directory, sizeof directory, "%s/child", base);
  struct found found = read_only_thread();
  strcpy(directory, parent);
  return found;
}

static void record_and_fork(void)
{
  struct recording_config config = config_of(0, 0);
  config.reopen = reopen_in_child;
  recording_open(&config, false);
  recorder_thread_begin(1);
  count(0, 2000);
  pid_t pid = fork();
  if (pid == 0) {
    leave_parent();
    count(5000, 8000);
    _exit(0);
  }
  count(2000, 4000);
  int status;
  waitpid(pid, &status, 0);
  if (status)
    _exit(3);
}

static void test_fork_keeps_the_two_apart(void **state)
{
  (void)state;
  in_good_child(record_and_fork);
  struct found parent = read_only_thread();
  assert_int_equal(parent.counters, 4000);
  assert_int_equal(parent.last, 3999);
  struct found child = read_child();
  assert_int_equal(child.counters, 3000);
  assert_int_equal(child.first, 5000);
}

/* Forked while another thread of the parent begins: its files are open, and nothing tells the child to leave them. */
static void record_and_fork_while_it_begins(void)
{
  struct recording_config config = config_of(0, 0); /* opens the directory */
  pid_t pid = fork();
  if (pid == 0) {
    char child[sizeof directory];
    snprintf(child, sizeof child, "%s/child", base);
    if (mkdir(child, 0700) != 0 || process_dir_open(child, config.window_size) != 0)
      _exit(3);
    recording_open(&config, false);
    count(5000, 8000);
    _exit(0);
  }
  recording_open(&config, false);
  count(0, 4000);
  int status;
  waitpid(pid, &status, 0);
  recorder_thread_end();
  if (status)
    _exit(3);
}

static void test_a_child_of_one_that_begins_has_files_of_its_own(void **state)
{
  (void)state;
  in_good_child(record_and_fork_while_it_begins);
  struct found parent = read_only_thread(), child = read_child();
  assert_int_equal(parent.counters, 4000);
  assert_int_equal(child.counters, 3000);
  assert_int_equal(child.first, 5000);
}

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

/* --- Children that no fork handler tells of --- */

static pid_t fork_quietly(bool by_clone)
{
  return by_clone ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : _Fork();
}

static void record_and_fork_quietly(bool by_clone, bool empty)
{
  struct recording_config config = config_of(0, 0);
  config.reopen = reopen_in_child;
  config.forked = leave_parent;
  recording_open(&config, false);
  recorder_thread_begin(1);
  count(0, 2000);
  pid_t pid = fork_quietly(by_clone);
  if (pid == 0) {
    if (recording_is_ours())
      _exit(4);
    if (!empty) {
      uint64_t id = recorder_new_id();
      if (id == RAW_ID_NONE || !recording_is_ours())
        _exit(5);
      count(5000, 8000);
    }
    recorder_thread_end();
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  count(2000, 4000);
  if (status)
    _exit(3);
}

static void record_and_fork_without_handlers(void)
{
  record_and_fork_quietly(false, false);
}

static void record_and_clone(void)
{
  record_and_fork_quietly(true, false);
}

static void record_and_clone_for_nothing(void)
{
  record_and_fork_quietly(true, true);
}

static void test_children_without_handlers_are_processes_of_their_own(void **state)
{
  void (*const ways[])(void) = {record_and_fork_without_handlers, record_and_clone};
  for (size_t i = 0; i < 2; i++) {
    in_good_child(ways[i]);
    struct found parent = read_only_thread();
    assert_int_equal(parent.counters, 4000);
    assert_int_equal(parent.last, 3999);
    struct found child = read_child();
    assert_int_equal(child.counters, 3000);
    assert_int_equal(child.first, 5000);
    assert_int_equal(child.by_kind[RAW_THREAD_END], 1);
    teardown(state);
    assert_int_equal(setup(state), 0);
  }
}

static void *count_to_2000(void *unused)
{
  count(0, 2000);
  return unused;
}

/* The thread that the child has is one that had recorded nothing. */
static void record_in_a_thread_and_fork_quietly(void)
{
  struct recording_config config = config_of(0, 0);
  config.reopen = reopen_in_child;
  config.forked = leave_parent;
  recording_open(&config, false);
  pthread_t thread;
  pthread_create(&thread, NULL, count_to_2000, NULL);
  pthread_join(thread, NULL);
  pid_t pid = fork_quietly(false);
  if (pid == 0) {
    count(5000, 8000);
    _exit(0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (status)
    _exit(3);
}

static void test_children_of_threads_that_recorded_nothing_are_recorded(void **state)
{
  (void)state;
  in_good_child(record_in_a_thread_and_fork_quietly);
  struct found parent = read_only_thread();
  assert_int_equal(parent.counters, 2000);
  struct found child = read_child();
  assert_int_equal(child.counters, 3000);
  assert_int_equal(child.first, 5000);
}

static void test_a_clone_that_records_nothing_leaves_no_trace(void **state)
{
  (void)state;
  in_good_child(record_and_clone_for_nothing);
  struct found parent = read_only_thread();
  assert_int_equal(parent.counters, 4000);
  char child[PATH_MAX + 16];
  snprintf(child, sizeof child, "%s/child", base);
  assert_int_equal(access(child, F_OK), -1);
}

/* --- What a program does to itself --- */

static void expect_4000(void)
{
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 4000);
  assert_int_equal(found.last, 3999);
  assert_int_equal(found.by_kind[RAW_GAP], 0);
  assert_int_equal(found.bad, 0);
}

static void record_and_close_all(void)
{
  open_and_count(0, 0, 2000);
  closefrom(0);
  count(2000, 3500);
  closefrom(0);
  count(3500, 4000);
  recorder_thread_end();
}

static void test_closefrom_loses_nothing(void **state)
{
  (void)state;
  in_good_child(record_and_close_all);
  expect_4000();
}

/* Numbers of ours, closed, may have become the program's. */
static void record_over_foreign_descriptors(void)
{
  open_and_count(0, 0, 2000);
  closefrom(3);
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/foreign", base);
  int fd;
  while ((fd = open(path, O_RDWR | O_CREAT, 0600)) >= 0)
    ;
  close(1023);
  close(1022);
  count(2000, 4000);
  recorder_thread_end();
  for (fd = 3; fd < 1000; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      _exit(3);
}

static void test_foreign_descriptors_are_left_alone(void **state)
{
  (void)state;
  in_good_child(record_over_foreign_descriptors);
  expect_4000();
  struct stat status;
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/foreign", base);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_size, 0);
}

/* With few descriptors, too, the program's next one is the one that it would be. */
static void record_with_few_descriptors(void)
{
  struct rlimit few = {20, 20};
  setrlimit(RLIMIT_NOFILE, &few);
  closefrom(3);
  open_and_count(0, 0, 4000);
  if (open("/dev/null", O_RDONLY) != 3)
    _exit(3);
  recorder_thread_end();
}

static void *count_in_another_thread(void *unused)
{
  (void)unused;
  recorder_thread_begin(2);
  count(0, 3000);
  return NULL; /* without an end: whoever ends the recording writes the window */
}

/* Where no descriptor can be had any more, all goes on: none is opened while threads record, also such that begin. */
static void record_without_new_descriptors(void)
{
  open_and_count(0, 0, 2000);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, count_in_another_thread, NULL);
  pthread_join(threads[0], NULL);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
  pthread_create(&threads[1], NULL, count_in_another_thread, NULL);
  pthread_join(threads[1], NULL);
  count(2000, 4000);
  recorder_thread_end();
  recording_stop();
  struct recording_losses losses = recording_losses();
  if (losses.threads + losses.chunks + losses.events + losses.events_in_file != 0)
    _exit(4);
}

static void test_recording_opens_no_descriptor(void **state)
{
  (void)state;
  in_good_child(record_without_new_descriptors);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 3);
  assert_int_equal(read_thread(&dir, 0).counters, 4000);
  assert_int_equal(read_thread(&dir, 1).counters, 3000);
  assert_int_equal(read_thread(&dir, 2).counters, 3000);
  raw_dir_close(&dir);
}

static void *set_limits(void *to)
{
  for (unsigned i = 0; !atomic_load((atomic_bool *)to); i++) {
    struct rlimit limit = {i % 2 ? 4096 : RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  return NULL;
}

/* The limit may come between our question for it and the write. */
static void record_beside_limits(void)
{
  atomic_bool over = false;
  pthread_t thread;
  open_and_count(0, 0, 1000);
  pthread_create(&thread, NULL, set_limits, &over);
  count(1000, 2000000);
  atomic_store(&over, true);
  pthread_join(thread, NULL);
  sigset_t pending;
  sigpending(&pending);
  if (sigismember(&pending, SIGXFSZ))
    _exit(5);
}

static void test_a_limit_that_comes_at_any_moment_does_not_kill(void **state)
{
  (void)state;
  in_good_child(record_beside_limits);
  struct found found = read_only_thread();
  assert_in_range(found.counters, 1000, 2000000);
}

/* Slots are reserved, which a limit of a process' data does not count. */
static void record_with_little_data(void)
{
  struct rlimit limit;
  size_t most = 768u << 10; /* above what is used: our own stack of 260 KiB, which goes, and what stays */
  char line[64];
  FILE *statm = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, statm))
    if (strncmp(line, "VmData:", 7) == 0)
      most += strtoul(line + 7, NULL, 10) << 10;
  fclose(statm);
  limit = (struct rlimit){most, most};
  setrlimit(RLIMIT_DATA, &limit);
  open_and_count(0, 0, 4000);
  if (mmap(NULL, 512u << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
    _exit(3);
  recorder_thread_end();
}

static void test_little_of_a_limit_of_data_is_used(void **state)
{
  (void)state;
  in_good_child(record_with_little_data);
  expect_4000();
}

static void test_the_next_descriptor_is_the_lowest(void **state)
{
  (void)state;
  in_good_child(record_with_few_descriptors);
  expect_4000();
}

static void record_in_another_root(void)
{
  open_and_count(0, 0, 2000);
  if (chdir("/proc") != 0 || chroot("/proc") != 0)
    _exit(3);
  count(2000, 4000);
  recorder_thread_end();
}

static void record_as_another_user(void)
{
  open_and_count(0, 0, 2000);
  if (setgid(65534) != 0 || setuid(65534) != 0)
    _exit(3);
  count(2000, 4000);
  recorder_thread_end();
}

static void record_ring_as_another_user(void)
{
  open_and_count(2, 0, 5000);
  if (setuid(65534) != 0)
    _exit(3);
  count(5000, 12000);
  recorder_thread_end();
}

static void record_new_threads_as_another_user(void)
{
  open_and_count(0, 0, 2000);
  if (setuid(65534) != 0)
    _exit(3);
  pthread_t thread;
  pthread_create(&thread, NULL, count_in_another_thread, NULL);
  pthread_join(thread, NULL);
  count(2000, 4000);
  recording_stop();
  struct recording_losses losses = recording_losses();
  if (losses.threads + losses.chunks + losses.events + losses.events_in_file != 0)
    _exit(4);
}

static void test_another_root_or_user_loses_nothing(void **state)
{
  if (geteuid() != 0)
    skip();
  void (*const ways[])(void) = {record_in_another_root, record_as_another_user};
  for (size_t i = 0; i < 2; i++) {
    in_good_child(ways[i]);
    expect_4000();
    teardown(state);
    assert_int_equal(setup(state), 0);
  }
}

static void test_a_ring_goes_on_as_another_user(void **state)
{
  (void)state;
  if (geteuid() != 0)
    skip();
  in_good_child(record_ring_as_another_user);
  struct found found = read_only_thread();
  assert_int_equal(found.last, 11999);
  assert_in_range(found.counters, 2 * 900, 5 * 1024); /* two places in the log */
}

static void test_threads_begun_as_another_user_are_recorded(void **state)
{
  (void)state;
  if (geteuid() != 0)
    skip();
  in_good_child(record_new_threads_as_another_user);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 2);
  assert_int_equal(read_thread(&dir, 0).counters, 4000);
  assert_int_equal(read_thread(&dir, 1).counters, 3000);
  raw_dir_close(&dir);
}

/* A program that has closed its standard descriptors writes to them all the same. */
static atomic_bool quiet;

static void *write_to_standard_error(void *unused)
{
  (void)unused;
  while (!atomic_load(&quiet))
    if (write(STDERR_FILENO, "a message of the program\n", 25) >= 0)
      _exit(3);
  return NULL;
}

static void record_without_standard_descriptors(void)
{
  open_and_count(0, 0, 2000);
  closefrom(0);
  pthread_t thread;
  pthread_create(&thread, NULL, write_to_standard_error, NULL);
  count(2000, 2000000);
  atomic_store(&quiet, true);
  pthread_join(thread, NULL);
}

static void test_closed_standard_descriptors_stay_closed(void **state)
{
  if (UNDER_TSAN)
    skip();
  (void)state;
  in_good_child(record_without_standard_descriptors);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 2000000);
  assert_int_equal(found.bad, 0);
}

/* --- Handlers that don't return --- */

static sigjmp_buf out;
static volatile uint64_t jumps;

static void jump_out(int signal)
{
  (void)signal;
  siglongjmp(out, 1);
}

static void record_with_jumps(void)
{
  struct sigaction action = {.sa_handler = jump_out};
  sigaction(SIGALRM, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  struct itimerspec often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
  if (sigsetjmp(out, 1))
    jumps++;
  timer_settime(timer, 0, &often, NULL);
  while (jumps < 300)
    recorder_emit(RAW_ERROR, 0, 1);
  timer_settime(timer, 0, &never, NULL);
  count(0, 5000);
  recorder_thread_end();
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  _exit(state == PTHREAD_CANCEL_ENABLE ? 0 : 3);
}

static void test_a_jump_out_of_an_emit_does_not_silence_the_thread(void **state)
{
  if (UNDER_TSAN)
    skip();
  (void)state;
  in_good_child(record_with_jumps);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 5000);
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.missing, 0);
}

/* --- Room at a window's end --- */

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
  void *behind = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* the kernel maps downwards */
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
  recorder_publish(self, RECORDER_WORDS, raw_head(RAW_SKIPPED, 0, 0));
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
    assert_int_equal(found.by_kind[RAW_SKIPPED], 1);
    assert_int_equal(found.by_kind[RAW_GAP], 2);
    assert_int_equal(found.by_kind[RAW_THREAD_NAME], 1);
    assert_int_equal(found.by_kind[RAW_THREAD_END], 1);
    assert_int_equal(found.skipped + found.bad, 0);
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

/* --- In a child, all threads wait for the one that opens the child's recording --- */

static bool reopen_slowly(void)
{
  usleep(100000);
  return reopen_in_child();
}

static void *count_some(void *unused)
{
  count(0, 1000);
  return unused;
}

static void fork_and_count_in_threads(void)
{
  struct recording_config config = config_of(0, 0);
  config.reopen = reopen_slowly;
  config.forked = leave_parent;
  recording_open(&config, false);
  count(0, 100);
  pid_t pid = fork();
  if (pid == 0) {
    pthread_t threads[4];
    for (int t = 0; t < 4; t++)
      pthread_create(&threads[t], NULL, count_some, NULL);
    for (int t = 0; t < 4; t++)
      pthread_join(threads[t], NULL);
    _exit(recording_losses().events + recording_losses().events_in_file != 0);
  }
  int status;
  waitpid(pid, &status, 0);
  if (status)
    _exit(3);
}

static void test_threads_of_a_child_wait_for_its_recording(void **state)
{
  (void)state;
  in_good_child(fork_and_count_in_threads);
  char parent[sizeof directory];
  strcpy(parent, directory);
  snprintf(directory, sizeof directory, "%s/child", base);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 4);
  for (uint32_t t = 0; t < 4; t++)
    assert_int_equal(read_thread(&dir, t).counters, 1000);
  raw_dir_close(&dir);
  strcpy(directory, parent);
}

/* --- Cancelled asynchronously, in turns above all: the thread has been cancelled, as its joiner sees --- */

static void *count_until_cancelled(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;)
    recorder_flush();
  return NULL;
}

static void cancel_many(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  for (int i = 0; i < 300; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, count_until_cancelled, NULL);
    usleep(200);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
      _exit(3);
  }
}

static void test_threads_that_are_cancelled_in_a_turn_are_cancelled(void **state)
{
  (void)state;
  in_good_child(cancel_many);
}

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

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_all_records_come_back),
      TEST(test_leaving_without_end_loses_nothing),
      TEST(test_sigkill_loses_nothing),
      TEST(test_sigkill_at_random_moments),
      TEST(test_two_callbacks_become_one_record),
      TEST(test_short_records_mean_what_was_emitted),
      TEST(test_blocks_ahead_are_no_part_of_the_log),
      TEST(test_size_limit_stops_and_counts),
      TEST(test_ring_keeps_the_newest),
      TEST(test_file_size_limit_costs_events_only),
      TEST(test_no_window_no_harm),
      TEST(test_pause_is_a_gap),
      TEST(test_pause_without_end_is_marked),
      TEST(test_stop_is_for_good),
      TEST(test_handlers_are_recorded_or_counted),
      TEST(test_a_handler_is_told_from_a_jump_while_a_list_is_filled),
      TEST(test_lists_come_back),
      TEST(test_ids_are_unique),
      TEST(test_threads_begin_and_end),
      TEST(test_threads_that_begin_at_once_have_a_window_each),
      TEST(test_fork_keeps_the_two_apart),
      TEST(test_lost_events_are_counted),
      TEST(test_threads_of_a_child_wait_for_its_recording),
      TEST(test_threads_that_are_cancelled_in_a_turn_are_cancelled),
      TEST(test_children_without_handlers_are_processes_of_their_own),
      TEST(test_children_of_threads_that_recorded_nothing_are_recorded),
      TEST(test_a_clone_that_records_nothing_leaves_no_trace),
      TEST(test_closefrom_loses_nothing),
      TEST(test_foreign_descriptors_are_left_alone),
      TEST(test_a_child_of_one_that_begins_has_files_of_its_own),
      TEST(test_a_directory_that_is_given_up_is_gone),
      TEST(test_recording_opens_no_descriptor),
      TEST(test_a_limit_that_comes_at_any_moment_does_not_kill),
      TEST(test_little_of_a_limit_of_data_is_used),
      TEST(test_the_next_descriptor_is_the_lowest),
      TEST(test_another_root_or_user_loses_nothing),
      TEST(test_a_ring_goes_on_as_another_user),
      TEST(test_threads_begun_as_another_user_are_recorded),
      TEST(test_closed_standard_descriptors_stay_closed),
      TEST(test_a_jump_out_of_an_emit_does_not_silence_the_thread),
      TEST(test_nothing_is_written_behind_a_window),
      TEST(test_each_chunk_says_whose_ids_are),
      TEST(test_events_after_the_end_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
