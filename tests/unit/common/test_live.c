/* Requests from outside, and recordings whose tracing is switched. */
#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/profile/live_profile.h"
#include "common/raw/live_control.h"
#include "common/recorder/live.h"
#include "common/recorder/measured_groups.h"
#include "common/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void begin(bool traces, bool paused)
{
  if (traces) {
    open_beside(paused);
    return;
  }
  struct recording_config config = config_of(0, 0);
  recording_open(&config, paused);
}

/* --- Tracing --- */

/* What the chunks that count have, and the chunks that do not. */
struct chunks {
  struct found traced, untraced;
};

static void add(struct found *found, const uint64_t *record)
{
  unsigned kind = raw_kind_of(*record);
  found->by_kind[kind]++;
  if (kind != RAW_FLUSH)
    return;
  if (found->counters++ == 0)
    found->first = raw_value_of(*record);
  found->last = raw_value_of(*record);
}

static struct chunks read_chunks(uint32_t thread)
{
  struct raw_dir dir;
  struct raw_iter iter;
  struct chunks chunks = {0};
  struct raw_mark start = {0};
  static uint64_t buffer[RAW_ITER_WORDS];
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_true(thread < dir.log_count);
  raw_iter_start(&iter, &dir.logs[thread], &start, UINT64_MAX, buffer);
  uint64_t ticks = 0;
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    assert_true(record[1] >= ticks);
    ticks = record[1];
    add(iter.mark.chunk.lost_after & RAW_UNTRACED ? &chunks.untraced : &chunks.traced, record);
  }
  assert_int_equal(iter.bad_chunks, 0);
  assert_int_equal(iter.error, 0);
  raw_dir_close(&dir);
  return chunks;
}

static void record_a_stretch(void)
{
  begin(true, false);
  recorder_thread_begin(1);
  count(0, 4000);
  recording_trace(true);
  count(4000, 4010);
  recording_trace(false);
  count(4010, 9000);
}

static void test_only_a_stretch_counts(void **state)
{
  (void)state;
  in_good_child(record_a_stretch);
  struct chunks chunks = read_chunks(0);
  assert_int_equal(chunks.traced.counters, 10);
  assert_int_equal(chunks.traced.first, 4000);
  assert_int_equal(chunks.traced.last, 4009);
  assert_int_equal(chunks.traced.by_kind[RAW_THREAD_BEGIN], 1);
  assert_int_equal(chunks.traced.by_kind[RAW_GAP], 1);
  assert_int_equal(chunks.untraced.by_kind[RAW_THREAD_BEGIN], 0);
}

static void record_stretches(void)
{
  begin(true, false);
  for (uint64_t i = 0; i < 200; i++) {
    recording_trace(true);
    recording_trace(i % 2 == 0);
    count(10 * i, 10 * i + 10);
  }
}

static void test_each_stretch_counts(void **state)
{
  (void)state;
  in_good_child(record_stretches);
  struct chunks chunks = read_chunks(0);
  assert_int_equal(chunks.traced.counters, 1000);
  assert_int_equal(chunks.traced.last, 1989);
}

static void record_an_end(void)
{
  begin(true, false);
  recorder_thread_begin(1);
  count(0, 5000);
  recorder_thread_end();
}

/* It has a begin and an end, and nothing was measured between them. */
static void test_a_thread_that_was_not_traced_has_a_life(void **state)
{
  (void)state;
  in_good_child(record_an_end);
  struct chunks chunks = read_chunks(0);
  assert_int_equal(chunks.untraced.by_kind[RAW_THREAD_BEGIN], 0);
  assert_int_equal(chunks.traced.counters, 0);
  assert_int_equal(chunks.traced.by_kind[RAW_THREAD_BEGIN], 1);
  assert_int_equal(chunks.traced.by_kind[RAW_GAP], 1);
  assert_int_equal(chunks.traced.by_kind[RAW_THREAD_END], 1);
}

static atomic_bool over;

static void *switch_on_and_off(void *unused)
{
  for (unsigned i = 0; !atomic_load(&over); i++)
    recording_trace(i % 2 == 0);
  return unused;
}

static void record_while_another_thread_switches(void)
{
  pthread_t thread;
  begin(true, false);
  pthread_create(&thread, NULL, switch_on_and_off, NULL);
  count(0, 200000);
  atomic_store(&over, true);
  pthread_join(thread, NULL);
  recording_trace(true);
  count(200000, 200010);
}

static void test_a_thread_may_switch_while_others_record(void **state)
{
  (void)state;
  in_good_child(record_while_another_thread_switches);
  struct chunks chunks = read_chunks(0);
  assert_true(chunks.traced.counters >= 10);
  assert_int_equal(chunks.traced.last, 200009);
}

/* --- Requests --- */

#define WAIT_US 20000000

static bool comes_true(bool (*is_so)(void))
{
  for (unsigned us = 0; us < WAIT_US; us += 1000) {
    if (is_so())
      return true;
    usleep(1000);
  }
  return false;
}

static bool is_open(void)
{
  return recording_state() == RECORDING_OPEN;
}

static bool is_paused(void)
{
  return recording_state() == RECORDING_PAUSED;
}

/* The control file, as an observer maps it, in any process. NULL: it is not there yet. */
static struct live_control *observe(void)
{
  char path[sizeof directory + 16];
  snprintf(path, sizeof path, "%s/" LIVE_CONTROL_FILE, directory);
  int fd = open(path, O_RDWR);
  if (fd < 0)
    return NULL;
  void *map = mmap(NULL, LIVE_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return map == MAP_FAILED ? NULL : map;
}

static void ask(struct live_control *control, uint32_t request)
{
  __atomic_store_n(&control->request, request, __ATOMIC_RELEASE);
  syscall(SYS_futex, &control->request, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Asks from another process. */
static void ask_from_outside(uint32_t request)
{
  pid_t pid = fork();
  if (pid == 0) {
    struct live_control *control = observe();
    if (control)
      ask(control, request);
    _exit(!control);
  }
  int status;
  need(waitpid(pid, &status, 0) == pid && status == 0, 3);
}

static void obey(void)
{
  begin(false, true);
  live_open_page(false, true);
  live_start(false);
  ask_from_outside(1 << LIVE_NUMBER_AT | LIVE_MEASURE_ON);
  need(comes_true(is_open), 4);
  ask_from_outside(2 << LIVE_NUMBER_AT | LIVE_MEASURE_OFF);
  need(comes_true(is_paused), 5);
  /* The same again is no request. */
  recording_resume();
  ask_from_outside(2 << LIVE_NUMBER_AT | LIVE_MEASURE_OFF);
  usleep(20000);
  need(is_open(), 6);
}

static void test_requests_are_obeyed(void **state)
{
  (void)state;
  in_good_child(obey);
}

static bool is_answered(void)
{
  static struct live_control *control;
  if (!control)
    control = observe();
  return control &&
         __atomic_load_n(&control->answer, __ATOMIC_ACQUIRE) == (7u << LIVE_NUMBER_AT | LIVE_MEASURES | LIVE_TRACES);
}

/* No thread: recording threads look. */
static void obey_without_a_thread(void)
{
  begin(false, true);
  live_open_page(false, true);
  ask_from_outside(7 << LIVE_NUMBER_AT | LIVE_MEASURE_ON);
  count(0, 1);
  need(is_open(), 4);
  need(is_answered(), 5);
}

static void test_requests_are_obeyed_without_a_thread(void **state)
{
  (void)state;
  in_good_child(obey_without_a_thread);
}

static void bear_nonsense(void)
{
  begin(true, false);
  live_open_page(true, true);
  live_start(false);
  struct live_control *control = observe();
  need(control, 3);
  uint32_t word = 1;
  for (unsigned i = 0; i < 20000; i++) {
    word = word * 1664525u + 1013904223u;
    ((uint32_t *)(void *)control)[(word >> 8) % (sizeof *control / 4)] = word;
    ask(control, word);
    count(i, i + 1);
  }
  ask(control, 3u << LIVE_NUMBER_AT | LIVE_MEASURE_OFF);
  need(comes_true(is_paused), 4);
}

static void test_nonsense_is_borne(void **state)
{
  (void)state;
  in_good_child(bear_nonsense);
}

/* --- Observers --- */

static bool rests(void)
{
  return needs_mask(needs_now()) == 0 && is_paused();
}

static bool measures_locks(void)
{
  return needs_mask(needs_now()) == LIVE_NEED_LOCKS && is_open();
}

static bool measures_locks_and_regions(void)
{
  return needs_mask(needs_now()) == (LIVE_NEED_LOCKS | LIVE_NEED_REGIONS) && is_open();
}

static bool measures_all(void)
{
  return needs_mask(needs_now()) == LIVE_NEED_ALL && is_open();
}

/* Takes a slot as an observer does, in a process of its own, which then waits for its end. */
static pid_t observer(unsigned slot, uint32_t needs)
{
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  char path[sizeof directory + 16];
  snprintf(path, sizeof path, "%s/" LIVE_CONTROL_FILE, directory);
  int fd = open(path, O_RDWR);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)LIVE_CONTROL_SIZE + slot, .l_len = 1};
  struct live_control *control =
      fd >= 0 ? mmap(NULL, LIVE_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
  if (!control || control == MAP_FAILED || fcntl(fd, F_OFD_SETLK, &lock) != 0)
    _exit(1);
  uint64_t old = __atomic_load_n(&control->observers[slot].needs, __ATOMIC_RELAXED);
  __atomic_store_n(&control->observers[slot].needs, ((old >> 32) + 1) << 32 | needs, __ATOMIC_RELEASE);
  ask(control, __atomic_load_n(&control->request, __ATOMIC_ACQUIRE) + (1u << LIVE_NUMBER_AT));
  for (;;)
    pause();
}

static void end_observer(pid_t pid)
{
  int status;
  need(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), 7);
}

static void measure_what_observers_need(void)
{
  begin(true, true);
  live_open_page(true, true);
  live_start(false);
  need(rests(), 2);
  pid_t first = observer(0, LIVE_NEED_LOCKS);
  need(comes_true(measures_locks), 3);
  pid_t second = observer(LIVE_OBSERVERS - 1, LIVE_NEED_LOCKS | LIVE_NEED_REGIONS | ~LIVE_NEED_ALL);
  need(comes_true(measures_locks_and_regions), 4);
  ask_from_outside(100u << LIVE_NUMBER_AT | LIVE_MEASURE_ON);
  need(comes_true(measures_all), 5);
  ask_from_outside(101u << LIVE_NUMBER_AT | LIVE_MEASURE_OFF);
  need(comes_true(measures_locks_and_regions), 6);
  end_observer(second);
  need(comes_true(measures_locks), 8);
  end_observer(first);
  need(comes_true(rests), 9);
}

static void test_what_observers_need_is_measured(void **state)
{
  (void)state;
  in_good_child(measure_what_observers_need);
}

/* A trace that is written has all or nothing. */
static void trace_beside_observers(void)
{
  begin(true, true);
  live_open_page(true, true);
  live_start(false);
  pid_t pid = observer(3, LIVE_NEED_LOCKS);
  need(comes_true(measures_locks), 3);
  ask_from_outside(100u << LIVE_NUMBER_AT | LIVE_TRACE_ON);
  need(comes_true(rests), 4);
  ask_from_outside(101u << LIVE_NUMBER_AT | LIVE_MEASURE_ON);
  need(comes_true(measures_all), 5);
  ask_from_outside(102u << LIVE_NUMBER_AT | LIVE_TRACE_OFF | LIVE_MEASURE_OFF);
  need(comes_true(measures_locks), 6);
  end_observer(pid);
  need(comes_true(rests), 8);
}

static void test_a_trace_has_all_or_nothing(void **state)
{
  (void)state;
  in_good_child(trace_beside_observers);
}

static struct live_control *observed;

static bool no_slot_needs_anything(void)
{
  for (unsigned i = 0; i < LIVE_OBSERVERS; i++)
    if ((__atomic_load_n(&observed->observers[i].needs, __ATOMIC_RELAXED) & LIVE_NEED_ALL) != 0)
      return false;
  return true;
}

#define KILLED 200

/* Threads record meanwhile, and slots have nonsense that nobody has written as an observer. */
static void bear_killed_observers(void)
{
  begin(true, true);
  live_open_page(true, true);
  live_start(false);
  struct live_control *control = observed = observe();
  need(control, 2);
  uint32_t word = 1;
  for (unsigned i = 0; i < KILLED; i++) {
    word = word * 1664525u + 1013904223u;
    pid_t pid = observer(word >> 8 & (LIVE_OBSERVERS - 1), word);
    __atomic_store_n(&control->observers[word >> 16 & (LIVE_OBSERVERS - 1)].needs, (uint64_t)word << 13 | i,
                     __ATOMIC_RELAXED);
    count(i, i + 100);
    if (word >> 28 != 0)
      usleep(word >> 24);
    end_observer(pid);
  }
  need(comes_true(no_slot_needs_anything), 5); /* it may rest before, and not know of the last ones yet */
  need(comes_true(rests), 4);
}

static void test_killed_observers_leave_nothing(void **state)
{
  (void)state;
  in_good_child(bear_killed_observers);
}

/* What was not measured is a gap, whether the thread noticed or not; what is measured in part is said. */
static void record_with_needs(void)
{
  begin(true, true);
  recording_trace(true);
  recorder_thread_begin(1);
  recording_resume();
  count(0, 10);
  recording_pause();
  recording_resume();
  count(10, 20);
}

static void test_a_rest_is_a_gap(void **state)
{
  (void)state;
  in_good_child(record_with_needs);
  struct chunks chunks = read_chunks(0);
  assert_int_equal(chunks.traced.counters, 20);
  assert_int_equal(chunks.traced.by_kind[RAW_GAP], 2);
  assert_int_equal(chunks.traced.by_kind[RAW_NEEDS], 0);
}

static void record_a_part(void)
{
  begin(true, true);
  recorder_thread_begin(1);
  recording_observe(LIVE_NEED_LOCKS);
  count(0, 10);
  recording_observe(LIVE_NEED_LOCKS | LIVE_NEED_TASKS);
  count(10, 20);
  recording_observe(0);
  count(20, 30);
}

static void test_a_part_is_told(void **state)
{
  (void)state;
  in_good_child(record_a_part);
  struct chunks chunks = read_chunks(0);
  assert_int_equal(chunks.untraced.by_kind[RAW_NEEDS], 2);
  assert_int_equal(chunks.untraced.counters, 20);
}

/* The children's thread is gone, and their parent's page. */
static void fork_child(void)
{
  begin(false, true);
  live_open_page(false, true);
  live_start(false);
  pid_t pid = fork();
  if (pid == 0) {
    live_leave();
    live_poll();
    live_end();
    live_start(true);
    _exit(0);
  }
  int status;
  need(waitpid(pid, &status, 0) == pid && status == 0, 3);
  ask_from_outside(1 << LIVE_NUMBER_AT | LIVE_MEASURE_ON);
  need(comes_true(is_open), 4);
}

static void test_a_forks_child_has_no_page(void **state)
{
  (void)state;
  in_good_child(fork_child);
}

UNIT_TEST(live)
{
  const struct CMUnitTest tests[] = {
      TEST(test_only_a_stretch_counts),
      TEST(test_each_stretch_counts),
      TEST(test_a_thread_that_was_not_traced_has_a_life),
      TEST(test_a_thread_may_switch_while_others_record),
      TEST(test_requests_are_obeyed),
      TEST(test_requests_are_obeyed_without_a_thread),
      TEST(test_nonsense_is_borne),
      TEST(test_what_observers_need_is_measured),
      TEST(test_a_trace_has_all_or_nothing),
      TEST(test_killed_observers_leave_nothing),
      TEST(test_a_rest_is_a_gap),
      TEST(test_a_part_is_told),
      TEST(test_a_forks_child_has_no_page),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
