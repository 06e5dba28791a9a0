/* Children of fork, _Fork and clone: each has a recording of its own. */
#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/raw/raw_reader.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Children that a fork handler reports --- */

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

/* Forked while another thread of the parent begins: its files are open, and nothing makes the child leave them. */
static void record_and_fork_while_it_begins(void)
{
  struct recording_config config = config_of(0, 0); /* opens the directory */
  pid_t pid = fork();
  if (pid == 0) {
    char child[sizeof directory];
    snprintf(child, sizeof child, "%s/child", base);
    if (open_process_dir(child, config.window_size) != 0)
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

/* --- Children that no fork handler reports --- */

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

/* --- In a child, all threads wait for the thread that opens the child's recording --- */

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

UNIT_TEST(recorder_forks)
{
  const struct CMUnitTest tests[] = {
      TEST(test_fork_keeps_the_two_apart),
      TEST(test_threads_of_a_child_wait_for_its_recording),
      TEST(test_children_without_handlers_are_processes_of_their_own),
      TEST(test_children_of_threads_that_recorded_nothing_are_recorded),
      TEST(test_a_clone_that_records_nothing_leaves_no_trace),
      TEST(test_a_child_of_one_that_begins_has_files_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
