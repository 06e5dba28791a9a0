/* Counters: what is read where, what it may cost, and whose descriptors there are. */
#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/raw/raw_reader.h"
#include "common/recorder/counters.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULTS "faults=p:1:2:2" /* page faults of the program's own code, by the kernel's event */

static uint64_t counted[2];

uint64_t heddle_test_counter(uint64_t number);
uint64_t heddle_test_counter(uint64_t number)
{
  return counted[number];
}

static void begin(const char *counters)
{
  struct recording_config config = config_of(0, 0);
  need(counters_choose(counters), 2);
  recording_open(&config, false);
}

/* --- The list --- */

static void test_lists_are_read(void **state)
{
  (void)state;
  struct counter_list list;
  assert_true(counter_list_read(&list, "a=p:4:1b7:2,b:u=u:3,c=c:0,d=t:7"));
  assert_int_equal(list.count, 4);
  assert_int_equal(list.list[0].source, COUNTER_PERF);
  assert_int_equal(list.list[0].type, 4);
  assert_int_equal(list.list[0].number, 0x1b7);
  assert_int_equal(list.list[0].excluded, COUNTER_NO_KERNEL);
  assert_int_equal(list.list[1].number, COUNTER_SWITCHES);
  assert_int_equal(list.list[3].number, 7);
  static const char *const wrong[] = {"",
                                      "a",
                                      "a=",
                                      "a=x:0",
                                      "a=p:0:1",
                                      "a=p:0:1:3",
                                      "a=p:0:1:0,",
                                      ",a=c:0",
                                      "=c:0",
                                      "a=u:4",
                                      "a=c:0 ",
                                      "a=t:",
                                      "a=p:z:1:0",
                                      "a=t:-1",
                                      "a=p:100000000:1:0",
                                      "a=b=c:0",
                                      "a=c:0,,b=c:0",
                                      "a=c:0;b=c:0"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (counter_list_read(&list, wrong[i]))
      fail_msg("'%s' is taken for a list", wrong[i]);
  assert_true(counter_list_read(&list, "a=c:0,b=c:0,c=c:0,d=c:0,e=c:0,f=c:0,g=c:0,h=c:0"));
  assert_false(counter_list_read(&list, "a=c:0,b=c:0,c=c:0,d=c:0,e=c:0,f=c:0,g=c:0,h=c:0,i=c:0"));
}

static void test_counts_of_a_part_are_scaled_up(void **state)
{
  (void)state;
  assert_int_equal(counter_scaled(100, 4000, 1000), 400);
  assert_int_equal(counter_share(4000, 1000), COUNTER_SHARES / 4);
  assert_int_equal(counter_scaled(3, 7, 7), 3);
  assert_int_equal(counter_scaled(1ull << 62, 1ull << 40, 1ull << 39), 1ull << 63);
  assert_int_equal(counter_scaled(1ull << 62, 1ull << 40, 1), UINT64_MAX);
  assert_int_equal(counter_share(1ull << 40, 1), 1);
}

/* --- Where they are read --- */

static void count_between(void)
{
  counted[0] = 1000;
  counted[1] = 5;
  begin("first=t:0,second=t:1");
  recorder_thread_begin(1);
  for (unsigned i = 0; i < 10; i++) {
    counted[0] += i;
    recorder_emit(RAW_FLUSH, 0, i);
    counted[1] = 5 + 100 * (i + 1);
  }
  counted[0] += 7;
  recorder_thread_end();
}

/* Each of the first borders has a reading before it, of what was counted up to there; then the thread's end. */
static void test_each_border_has_its_counts(void **state)
{
  (void)state;
  in_good_child(count_between);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  raw_iter_start(&iter, &dir.logs[0], &(struct raw_mark){0}, UINT64_MAX, buffer);
  uint64_t sum = 0, readings = 0, borders = 0, last[2] = {0};
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    if (raw_kind_of(*record) == RAW_COUNTERS) {
      assert_int_equal(raw_detail_of(*record), 2);
      assert_int_equal(record[3] | record[5], 0); /* they counted all the time */
      last[0] = record[2];
      last[1] = record[4];
      readings++;
    } else if (raw_kind_of(*record) == RAW_FLUSH) {
      sum += raw_value_of(*record);
      assert_int_equal(readings, 1 + ++borders);
      assert_int_equal(last[0], sum);
      assert_int_equal(last[1], 100 * raw_value_of(*record));
    }
  }
  assert_int_equal(borders, 10);
  assert_int_equal(last[0], 45 + 7);
  assert_int_equal(last[1], 1000);
  raw_dir_close(&dir);
}

static void emit_quickly(void)
{
  begin("first=t:0,faults=u:0");
  recorder_thread_begin(1);
  recorder_emit3(RAW_CONTROL, 0, 1, counters_price());
  for (unsigned i = 0; i < 200000; i++)
    recorder_emit(RAW_FLUSH, 0, i);
  recorder_thread_end();
}

/* Never more than COUNTERS_AHEAD of them come without their time. */
static void test_readings_keep_their_distance(void **state)
{
  (void)state;
  in_good_child(emit_quickly);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS], times[200100];
  raw_iter_start(&iter, &dir.logs[0], &(struct raw_mark){0}, UINT64_MAX, buffer);
  uint64_t price = 0, count = 0;
  for (const uint64_t *record; (record = raw_iter_next(&iter));) {
    if (raw_kind_of(*record) == RAW_CONTROL)
      price = record[2];
    else if (raw_kind_of(*record) == RAW_COUNTERS)
      times[count++] = record[1];
  }
  raw_dir_close(&dir);
  assert_true(price > 0);
  assert_true(count > COUNTERS_AHEAD + 1);
  count--; /* the thread's end has one in any case */
  for (uint64_t i = COUNTERS_AHEAD + 1; i < count; i++)
    assert_true(times[i] - times[i - COUNTERS_AHEAD - 1] >= COUNTERS_APART * price);
}

/* --- Descriptors --- */

static bool kernel_counts(void)
{
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                 .size = sizeof attr,
                                 .config = PERF_COUNT_SW_PAGE_FAULTS,
                                 .exclude_kernel = 1,
                                 .exclude_hv = 1};
  long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  if (fd >= 0)
    close((int)fd);
  return fd >= 0;
}

/* How many descriptors of perf events are open; *last: one of them. */
static unsigned events_open(int *last)
{
  unsigned count = 0;
  DIR *list = opendir("/proc/self/fd");
  need(list != NULL, 3);
  for (struct dirent *entry; (entry = readdir(list));) {
    char target[64] = "";
    if (readlinkat(dirfd(list), entry->d_name, target, sizeof target - 1) > 0 && strstr(target, "perf_event")) {
      *last = atoi(entry->d_name);
      count++;
    }
  }
  closedir(list);
  return count;
}

static bool reopen_in_child(void)
{
  struct recording_config config = {.window_size = 16384};
  if (process_dir_open_beside("child", 16384) != 0)
    return false;
  recording_open(&config, false);
  return true;
}

static void *record_a_thread(void *unused)
{
  recorder_thread_begin(2);
  recorder_emit(RAW_FLUSH, 0, 0);
  return unused;
}

static void fork_with_events(void)
{
  struct recording_config config = config_of(0, 0);
  int fd;
  config.reopen = reopen_in_child;
  need(counters_choose(FAULTS), 2);
  recording_open(&config, false);
  recorder_thread_begin(1);
  pthread_t other; /* does not end for the recorder: its event stays open */
  pthread_create(&other, NULL, record_a_thread, NULL);
  pthread_join(other, NULL);
  need(events_open(&fd) == 2, 4);
  need(fd > 100, 5);
  pid_t pid = fork();
  if (pid == 0) {
    process_dir_leave();
    recorder_abandon();
    need(events_open(&fd) == 0, 6);
    count(0, 10);
    need(events_open(&fd) == 1, 7);
    recorder_thread_end();
    need(events_open(&fd) == 0, 8);
    _exit(0);
  }
  count(0, 10);
  recorder_thread_end();
  need(events_open(&fd) == 1, 9);
  int status;
  waitpid(pid, &status, 0);
  need(status == 0, 10);
}

static void test_children_have_their_own_events(void **state)
{
  (void)state;
  if (!kernel_counts())
    skip();
  in_good_child(fork_with_events);
}

/* The program opens a pipe of its own under the number. */
static void close_the_descriptor(void)
{
  int fd = -1, ends[2];
  char byte = 'x';
  uint64_t lost;
  begin(FAULTS);
  recorder_thread_begin(1);
  need(events_open(&fd) == 1 && pipe(ends) == 0, 4);
  need(write(ends[1], &byte, 1) == 1 && dup2(ends[0], fd) == fd, 5);
  count(0, 1000);
  recorder_thread_end();
  byte = 0;
  need(read(fd, &byte, 1) == 1 && byte == 'x', 6);
  int error;
  lost = counters_lost(&error);
  need(lost == 1 && error == EBADF, 7);
}

static void test_nothing_of_the_programs_is_read(void **state)
{
  (void)state;
  if (!kernel_counts())
    skip();
  in_good_child(close_the_descriptor);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 1000);
  assert_int_equal(found.by_kind[RAW_COUNTERS], 1);
}

#define MANY 40u

static pthread_barrier_t all_are_there;

static void *record_beside(void *unused)
{
  recorder_thread_begin(2);
  count(0, 10);
  pthread_barrier_wait(&all_are_there);
  recorder_thread_end();
  return unused;
}

static unsigned descriptors_below(int most)
{
  unsigned count = 0;
  for (int fd = 0; fd < most; fd++)
    count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

static void use_up_descriptors(void)
{
  static const struct rlimit few = {64, 64};
  pthread_t threads[MANY];
  int error;
  need(setrlimit(RLIMIT_NOFILE, &few) == 0, 4);
  unsigned before = descriptors_below(48);
  begin(FAULTS);
  pthread_barrier_init(&all_are_there, NULL, MANY);
  for (unsigned i = 0; i < MANY; i++)
    need(pthread_create(&threads[i], NULL, record_beside, NULL) == 0, 5);
  for (unsigned i = 0; i < MANY; i++)
    pthread_join(threads[i], NULL);
  need(counters_lost(&error) >= MANY - 16 && error == EMFILE, 6);
  need(descriptors_below(48) == before, 7); /* the program has the numbers that it has without counters */
}

/* A quarter of the descriptors is used at most; other threads are recorded without counters. */
static void test_most_descriptors_stay_the_programs(void **state)
{
  (void)state;
  if (!kernel_counts())
    skip();
  in_good_child(use_up_descriptors);
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, MANY);
  unsigned with = 0;
  for (unsigned i = 0; i < MANY; i++) {
    struct found found = read_thread(&dir, i);
    assert_int_equal(found.counters, 10);
    with += found.by_kind[RAW_COUNTERS] > 0;
  }
  assert_in_range(with, 1, 16);
  raw_dir_close(&dir);
}

UNIT_TEST(recorder_counters)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lists_are_read),         cmocka_unit_test(test_counts_of_a_part_are_scaled_up),
      TEST(test_each_border_has_its_counts),         TEST(test_readings_keep_their_distance),
      TEST(test_children_have_their_own_events),     TEST(test_nothing_of_the_programs_is_read),
      TEST(test_most_descriptors_stay_the_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
