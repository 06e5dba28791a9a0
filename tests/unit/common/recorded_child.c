#include "tests/unit/common/recorded_child.h"

#include "common/process/process_dir.h"
#include "common/profile/live_profile.h"
#include "common/raw/raw_reader.h"
#include "common/recorder/clock_choice.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char base[PATH_MAX], directory[PATH_MAX + 16];

int setup(void **state)
{
  (void)state;
  snprintf(base, sizeof base, "%s/heddle-recorder-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  if (!mkdtemp(base))
    return -1;
  snprintf(directory, sizeof directory, "%s/process", base);
  return 0;
}

int teardown(void **state)
{
  (void)state;
  char command[PATH_MAX + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", base);
  return system(command);
}

int open_process_dir(const char *path, uint32_t window_size)
{
  int raw = open(base, O_RDONLY | O_DIRECTORY);
  int error = process_dir_open(raw, path, window_size);
  close(raw);
  return error;
}

struct recording_config config_of(uint32_t ring_slots, uint64_t max_size)
{
  struct recording_config config = {.window_size = 16384, .ring_slots = ring_slots, .max_size = max_size};
  open_process_dir(directory, config.window_size);
  clock_choose();
  return config;
}

void need(bool good, int status)
{
  if (!good)
    _exit(status);
}

void open_beside(bool paused)
{
  struct recording_config config = config_of(0, 0);
  need(live_profile_begin(), 2);
  config.fold = live_profile_fold;
  config.skip = live_profile_skip;
  recording_open(&config, paused);
}

int in_child(void (*record)(void))
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

void in_good_child(void (*record)(void))
{
  assert_int_equal(in_child(record), 0);
}

struct found read_thread(struct raw_dir *dir, uint32_t thread)
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
    found.not_measured = iter.mark.chunk.not_measured;
    found.lost_after = iter.mark.chunk.lost_after;
  }
  found.bad = iter.bad_chunks;
  assert_int_equal(iter.error, 0);
  return found;
}

struct found read_only_thread(void)
{
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  assert_int_equal(dir.log_count, 1);
  struct found found = read_thread(&dir, 0);
  raw_dir_close(&dir);
  return found;
}

void count(uint64_t from, uint64_t to)
{
  for (uint64_t i = from; i < to; i++)
    recorder_emit(RAW_FLUSH, 0, i);
}

void open_and_count(uint32_t ring_slots, uint64_t max_size, uint64_t n)
{
  struct recording_config config = config_of(ring_slots, max_size);
  recording_open(&config, false);
  recorder_thread_begin(1);
  count(0, n);
}
