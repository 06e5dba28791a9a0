/* The program closes descriptors, lowers limits, changes its root or its user: recording goes on. */
#include "tests/unit/common/recorded_child.h"

#include "common/raw/raw_reader.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* With few descriptors, too, the program's next one is the same as without a recorder. */
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
  return NULL; /* without an end: the thread that ends the recording writes the window */
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
  if (UNDER_TSAN) /* its own memory is data, too */
    skip();
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
  count(5000, 12900); /* the last chunk is nearly full */
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
  assert_int_equal(found.last, 12899);
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

UNIT_TEST(recorder_surroundings)
{
  const struct CMUnitTest tests[] = {
      TEST(test_closefrom_loses_nothing),
      TEST(test_foreign_descriptors_are_left_alone),
      TEST(test_recording_opens_no_descriptor),
      TEST(test_a_limit_that_comes_at_any_moment_does_not_kill),
      TEST(test_little_of_a_limit_of_data_is_used),
      TEST(test_the_next_descriptor_is_the_lowest),
      TEST(test_another_root_or_user_loses_nothing),
      TEST(test_a_ring_goes_on_as_another_user),
      TEST(test_threads_begun_as_another_user_are_recorded),
      TEST(test_closed_standard_descriptors_stay_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
