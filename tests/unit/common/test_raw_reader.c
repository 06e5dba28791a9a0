/* The raw reader on traces as recorders leave them, and on some that are damaged. */
#include "common/raw/raw_reader.h"
#include "tests/unit/otf2-convert/raw_writer.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t buffer[RAW_ITER_WORDS];

struct fixture {
  char trace[32];
  char *directory;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  strcpy(f->trace, "/tmp/heddle-test-XXXXXX");
  assert_non_null(mkdtemp(f->trace));
  f->directory = raw_write_process(f->trace, "h.1.1", RAW_PLAIN_PROCESS);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", f->trace);
  free(f->directory);
  free(f);
  *state = NULL;
  return system(command);
}

/* The times of a thread's records, as "1 2 gap:3 4"; "!" at the end when a chunk was damaged. */
static const char *times(const struct fixture *f, uint32_t thread)
{
  static char text[65536];
  struct raw_dir dir;
  struct raw_mark mark = {0};
  struct raw_iter iter;
  const uint64_t *record;
  size_t used = 0;
  text[0] = 0;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, f->directory), 0);
  for (uint32_t i = 0; i < dir.log_count; i++) {
    if (dir.logs[i].thread != thread)
      continue;
    raw_iter_start(&iter, &dir.logs[i], &mark, UINT64_MAX, buffer);
    while ((record = raw_iter_next(&iter)) != NULL && used < sizeof text - 64)
      used += (size_t)sprintf(text + used, "%s%s%llu", used == 0 ? "" : " ",
                              raw_kind_of(record[0]) == RAW_GAP ? "gap:" : "",
                              raw_kind_of(record[0]) == RAW_GAP ? (unsigned long long)raw_value_of(record[0])
                                                                : (unsigned long long)record[1]);
    if (iter.bad_chunks != 0)
      strcat(text, "!");
  }
  raw_dir_close(&dir);
  return text;
}

static void log_and_window(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 3, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  RAW1(t, RAW_WORK_BEGIN, 1, 0, 2, 7);
  raw_thread_flush(t);
  RAW0(t, RAW_FLUSH, 0, 0, 3);
  raw_thread_leave(t, 0);
  raw_thread_close(t);
  assert_string_equal(times(f, 3), "1 2 3");
}

/* A process goes on: its thread begins the next chunk in its window. What was opened before has what was there then. */
static void a_copy_of_windows_stays(void **state)
{
  struct fixture *f = *state;
  struct raw_dir dir;
  struct raw_mark mark = {0};
  struct raw_iter iter;
  const uint64_t *record;
  struct raw_thread *t = raw_thread_open(f->directory, 3, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  RAW0(t, RAW_FLUSH, 0, 0, 2);
  raw_thread_leave(t, 0);
  assert_int_equal(raw_dir_open_running(&dir, AT_FDCWD, f->directory), 0);
  RAW0(t, RAW_FLUSH, 0, 0, 3);
  raw_thread_leave(t, 0);
  raw_thread_close(t);
  assert_string_equal(times(f, 3), "gap:1 3");
  assert_int_equal(dir.log_count, 1);
  raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
  for (uint64_t time = 1; time <= 2; time++) {
    assert_non_null(record = raw_iter_next(&iter));
    assert_int_equal(record[1], time);
  }
  assert_null(raw_iter_next(&iter));
  assert_int_equal(iter.bad_chunks, 0);
  raw_dir_close(&dir);
}

/* Writes another version into the header of the only chunk. */
static void set_version(const struct fixture *f, uint32_t version)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/chunks-0.log", f->directory);
  int fd = open(path, O_RDWR);
  off_t at = 4096 + (off_t)offsetof(struct raw_header, version);
  assert_int_equal(pwrite(fd, &version, sizeof version, at), sizeof version);
  close(fd);
}

static void other_versions_are_not_read(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  raw_thread_flush(t);
  raw_thread_close(t);
  for (uint32_t version = RAW_VERSION - 1; version <= RAW_VERSION + 1; version++) {
    set_version(f, version);
    assert_string_equal(times(f, 0), version == RAW_VERSION ? "1" : "");
  }
}

/* A short record of no entry, or of an entry that cannot be both: the chunk ends there, and the next one is read. */
static void short_records_of_nothing_end_their_chunk(void **state)
{
  struct fixture *f = *state;
  for (unsigned both = 0; both < 2; both++) {
    uint32_t thread = 4 * both; /* a log of its own */
    struct raw_thread *t = raw_thread_open(f->directory, thread, 4096, 0);
    uint64_t head = raw_head(RAW_MASKED_BEGIN, 0, 7);
    unsigned entry = raw_entry_of(head, 0) ^ (both ? 0 : 1);
    RAW0(t, RAW_MASKED_BEGIN, 0, 7, 5);
    t->words[t->used++] = raw_short(entry, 2) | (both ? RAW_SHORT_BOTH : 0);
    RAW0(t, RAW_FLUSH, 0, 0, 8);
    raw_thread_flush(t);
    RAW0(t, RAW_MASKED_BEGIN, 0, 7, 10);
    t->words[t->used++] = raw_short(raw_entry_of(head, 0), 2);
    RAW0(t, RAW_FLUSH, 0, 0, 13);
    raw_thread_flush(t);
    raw_thread_close(t);
    assert_string_equal(times(f, thread), "5 10 12 13!");
  }
}

/* A process killed after the write of a chunk and before its window was given a new number has the chunk twice. */
static void chunk_in_both_counts_once(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  raw_thread_flush(t);
  RAW0(t, RAW_FLUSH, 0, 0, 2);
  raw_thread_flush(t);
  t->sequence--;
  RAW0(t, RAW_FLUSH, 0, 0, 2);
  RAW0(t, RAW_FLUSH, 0, 0, 3);
  raw_thread_leave(t, 9);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "1 2 3");
}

static void missing_chunks_show(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  raw_thread_flush(t);
  raw_thread_lose(t);
  raw_thread_lose(t);
  RAW0(t, RAW_FLUSH, 0, 0, 9);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "1 gap:2 9");
}

static void torn_tail_is_left_out(void **state)
{
  struct fixture *f = *state;
  char path[128];
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  raw_thread_flush(t);
  RAW0(t, RAW_FLUSH, 0, 0, 2);
  raw_thread_flush(t);
  snprintf(path, sizeof path, "%s/chunks-0.log", f->directory);
  assert_int_equal(truncate(path, (off_t)t->log_end - 8), 0);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "1");
}

static void ring_keeps_the_newest_in_order(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 3);
  for (uint64_t i = 1; i <= 8; i++) {
    RAW0(t, RAW_FLUSH, 0, 0, i);
    raw_thread_flush(t);
  }
  RAW0(t, RAW_FLUSH, 0, 0, 9);
  raw_thread_leave(t, 0);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "gap:5 6 7 8 9");
}

static void ring_not_yet_round(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 8);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  raw_thread_flush(t);
  RAW0(t, RAW_FLUSH, 0, 0, 2);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "1 2");
}

static void unknown_kind_ends_its_chunk(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = raw_thread_open(f->directory, 0, 4096, 0);
  RAW0(t, RAW_FLUSH, 0, 0, 1);
  RAW0(t, 250, 0, 0, 2);
  raw_thread_flush(t);
  RAW0(t, RAW_FLUSH, 0, 0, 3);
  raw_thread_close(t);
  assert_string_equal(times(f, 0), "1 3!");
}

/* Records of every length, over many chunks and refills of the buffer; and taken up again at any place. */
static void stops_and_goes_on(void **state)
{
  struct fixture *f = *state;
  static uint64_t words[2 * 255];
  struct raw_thread *t = raw_thread_open(f->directory, 0, 65536, 0);
  const uint64_t count = 30000;
  for (uint64_t i = 1; i <= count; i++)
    if (i % 3 == 0)
      raw_put(t, RAW_DOACROSS, i % 256, 0, i, 2 * (i % 256), words);
    else
      RAW0(t, RAW_FLUSH, 0, 0, i);
  raw_thread_close(t);
  struct raw_dir dir;
  struct raw_mark mark = {0};
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, f->directory), 0);
  uint64_t expected = 1;
  for (uint64_t until = 1; expected <= count; until += 997) {
    struct raw_iter iter;
    const uint64_t *record;
    raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
    while ((record = raw_iter_next(&iter)) != NULL) {
      assert_int_equal(record[1], expected);
      if (record[1] >= until) {
        raw_iter_back(&iter, record);
        break;
      }
      expected++;
    }
    raw_iter_stop(&iter, &mark);
    assert_int_equal(iter.bad_chunks, 0);
  }
  raw_dir_close(&dir);
}

/* What threads leave when the process is killed: windows in any order, of threads with a log and without one. */
static void windows_find_their_threads(void **state)
{
  struct fixture *f = *state;
  static const unsigned owner[] = {7, 2, 9, 2, 4};
  static const unsigned sequence[] = {1, 3, 1, 2, 2};
  for (unsigned thread = 2; thread <= 4; thread += 2) {
    struct raw_thread *t = raw_thread_open(f->directory, thread, 4096, 0);
    RAW0(t, RAW_FLUSH, 0, 0, 10 * thread + 1);
    raw_thread_flush(t);
    raw_thread_close(t);
  }
  for (unsigned slot = 0; slot < 5; slot++) {
    struct raw_thread *t = raw_thread_open(f->directory, owner[slot], 4096, 0);
    t->sequence = sequence[slot];
    RAW0(t, RAW_FLUSH, 0, 0, 10 * owner[slot] + sequence[slot]);
    raw_thread_leave(t, slot);
    raw_thread_close(t);
  }
  assert_string_equal(times(f, 2), "21 22 23");
  assert_string_equal(times(f, 4), "41 42");
  assert_string_equal(times(f, 7), "71");
  assert_string_equal(times(f, 9), "91");
  struct raw_dir dir;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, f->directory), 0);
  assert_int_equal(dir.log_count, 4);
  for (unsigned i = 1; i < dir.log_count; i++)
    assert_true(dir.logs[i - 1].thread < dir.logs[i].thread);
  raw_dir_close(&dir);
}

/* A process that waits for the other end of a pipe waits for ever. */
static void pipes_are_left_alone(void **state)
{
  struct fixture *f = *state;
  char path[128];
  snprintf(path, sizeof path, "%s/chunks-0.log", f->directory);
  assert_int_equal(mkfifo(path, 0600), 0);
  snprintf(path, sizeof path, "%s/windows", f->directory);
  assert_int_equal(mkfifo(path, 0600), 0);
  alarm(20);
  assert_string_equal(times(f, 0), "");
  alarm(0);
}

UNIT_TEST(raw_reader)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(a_copy_of_windows_stays),     TEST(log_and_window),
      TEST(other_versions_are_not_read), TEST(short_records_of_nothing_end_their_chunk),
      TEST(chunk_in_both_counts_once),   TEST(missing_chunks_show),
      TEST(torn_tail_is_left_out),       TEST(ring_keeps_the_newest_in_order),
      TEST(ring_not_yet_round),          TEST(unknown_kind_ends_its_chunk),
      TEST(stops_and_goes_on),           TEST(windows_find_their_threads),
      TEST(pipes_are_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
