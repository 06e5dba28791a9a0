/* A log of the kernel that is followed while it is written: as one that is read when it is whole. */
#include "otf2-convert/samples/stacks.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define MOST 4096u

/* A log that grows. */
struct growing {
  char path[64];
  int fd;
  unsigned char bytes[65536]; /* all that it will have */
  size_t size;
};

static void put_bytes(struct growing *log, const void *bytes, size_t count)
{
  size_t unit = sizeof(struct kernel_record), padded = (count + unit - 1) / unit * unit;
  assert_true(log->size + padded <= sizeof log->bytes);
  memset(log->bytes + log->size, 0, padded);
  memcpy(log->bytes + log->size, bytes, count);
  log->size += padded;
}

static void put(struct growing *log, uint32_t kind, uint64_t time, uint64_t who, uint32_t processor)
{
  struct kernel_record record = {.time = time, .who = who, .kind = kind, .processor = processor};
  put_bytes(log, &record, sizeof record);
}

static void put_round(struct growing *log, uint64_t time)
{
  put(log, KERNEL_ROUND, time, time, 0);
  put(log, KERNEL_CLOCKS, time, time, 0);
}

static void put_stacks(struct growing *log)
{
  static const char name[] = "cpu";
  struct kernel_registers registers = {.sp = 1000, .ip = 4711};
  unsigned char block[KERNEL_BLOCK_BYTES] = {1};
  uint64_t addresses[] = {11, 12, 13};
  uint32_t blocks[] = {1};
  char copy[sizeof registers + sizeof blocks];
  memcpy(copy, &registers, sizeof registers);
  memcpy(copy + sizeof registers, blocks, sizeof blocks);
  put(log, KERNEL_NAME, 0, 1, 3);
  put_bytes(log, name, 3);
  put(log, KERNEL_SAMPLER, 0, 1000000, 1 | KERNEL_SAMPLER_TIME);
  put(log, KERNEL_STACK, 0, 1, 3);
  put_bytes(log, addresses, sizeof addresses);
  put(log, KERNEL_BLOCK, 768, 1, 0);
  put_bytes(log, block, sizeof block);
  put(log, KERNEL_COPY, 1000, 2, 64);
  put_bytes(log, copy, sizeof copy);
}

#define ROUND_NS (3 * (uint64_t)KERNEL_LATE_NS)

static void make(struct growing *log)
{
  struct kernel_log_header header = {.magic = KERNEL_LOG_MAGIC, .boot_id = "b007", .pid_namespace = 77};
  log->size = sizeof header;
  memcpy(log->bytes, &header, sizeof header);
  put_round(log, ROUND_NS);
  put(log, KERNEL_ALONE, 0, 0, 0);
  for (uint64_t i = 1; i < 40; i++) {
    if (i == 3)
      put_stacks(log);
    for (uint64_t k = 0; k < i % 5; k++) /* the last ones of a round are late, or early */
      put(log, KERNEL_SAMPLE, ROUND_NS * i + (uint64_t)random() % (ROUND_NS + KERNEL_LATE_NS), 100 * i + k, 1);
    put_round(log, ROUND_NS * (i + 1));
  }
}

static void write_from(struct growing *log, size_t from, size_t until)
{
  assert_int_equal(pwrite(log->fd, log->bytes + from, until - from, (off_t)from), until - from);
}

static int set_up(void **state)
{
  struct growing *log = calloc(1, sizeof *log);
  strcpy(log->path, "/tmp/heddle-kernel-log-XXXXXX");
  log->fd = mkstemp(log->path);
  assert_true(log->fd >= 0);
  srandom(1);
  make(log);
  *state = log;
  return 0;
}

static int tear_down(void **state)
{
  struct growing *log = *state;
  close(log->fd);
  unlink(log->path);
  free(log);
  return 0;
}

static size_t take(struct kernel_log *log, struct kernel_record *records, size_t count)
{
  for (const struct kernel_record *record; (record = kernel_log_peek(log)) != NULL; log->next++)
    if (count < MOST)
      records[count++] = *record;
  return count;
}

static size_t read_whole(struct growing *file, struct kernel_record *records)
{
  struct kernel_log log;
  size_t count = 0;
  assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
  while (kernel_log_round(&log))
    count = take(&log, records, count);
  kernel_log_close(&log);
  return count;
}

/* Whatever the pieces are in which it is written. */
static void it_says_what_the_whole_log_says(void **state)
{
  struct growing *file = *state;
  static struct kernel_record whole[MOST], followed[MOST];
  write_from(file, 0, file->size);
  size_t expected = read_whole(file, whole);
  assert_true(expected > 50);
  for (unsigned run = 0; run < 100; run++) {
    struct kernel_log log;
    size_t at = sizeof(struct kernel_log_header), count = 0;
    assert_int_equal(ftruncate(file->fd, (off_t)at), 0);
    assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
    while (at < file->size) {
      size_t piece = 1 + (size_t)random() % (run % 2 == 0 ? 40 : 1000);
      size_t until = at + piece < file->size ? at + piece : file->size;
      write_from(file, at, until);
      at = until;
      while (kernel_log_follow(&log) == KERNEL_FOLLOWED_ROUND)
        count = take(&log, followed, count);
    }
    assert_int_equal(kernel_log_follow(&log), KERNEL_FOLLOWED_ALL);
    assert_true(count < expected);
    assert_true(log.alone);
    kernel_log_end(&log);
    count = take(&log, followed, count);
    assert_int_equal(count, expected);
    assert_memory_equal(followed, whole, count * sizeof *whole);
    struct kernel_stack *stack = malloc(sizeof *stack);
    assert_true(kernel_stack_read(&log, 2, stack) && stack->copy.registers.ip == 4711);
    assert_true(kernel_stack_read(&log, 1, stack) && stack->addresses[2] == 13);
    free(stack);
    kernel_log_close(&log);
  }
}

/* Nothing is handed out that an older one may still come before. */
static void what_is_handed_out_is_in_order(void **state)
{
  struct growing *file = *state;
  static struct kernel_record followed[MOST];
  struct kernel_log log;
  size_t at = sizeof(struct kernel_log_header), count = 0;
  write_from(file, 0, at);
  assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
  for (; at + 24 <= file->size; at += 24) {
    write_from(file, at, at + 24);
    kernel_log_follow(&log);
    count = take(&log, followed, count);
  }
  for (size_t i = 1; i < count; i++)
    assert_true(followed[i - 1].time <= followed[i].time);
  kernel_log_close(&log);
}

static void one_that_became_shorter_is_over(void **state)
{
  struct growing *file = *state;
  static struct kernel_record followed[MOST];
  struct kernel_log log;
  write_from(file, 0, file->size / 2);
  assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
  while (kernel_log_follow(&log) == KERNEL_FOLLOWED_ROUND)
    continue;
  size_t before = log.waiting.count - log.next;
  assert_int_equal(ftruncate(file->fd, 100), 0);
  assert_int_equal(kernel_log_follow(&log), KERNEL_FOLLOWED_OVER);
  assert_int_equal(take(&log, followed, 0), before);
  write_from(file, 0, file->size);
  assert_int_equal(kernel_log_follow(&log), KERNEL_FOLLOWED_OVER);
  assert_null(kernel_log_peek(&log));
  kernel_log_close(&log);
}

static void who_writes_it_holds_its_lock(void **state)
{
  struct growing *file = *state;
  struct kernel_log log;
  write_from(file, 0, file->size);
  assert_int_equal(flock(file->fd, LOCK_EX | LOCK_NB), 0);
  assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
  assert_true(kernel_log_is_written(&log));
  assert_int_equal(flock(file->fd, LOCK_UN), 0);
  assert_false(kernel_log_is_written(&log));
  assert_int_equal(flock(file->fd, LOCK_EX | LOCK_NB), 0); /* who looks keeps no lock */
  kernel_log_close(&log);
  assert_false(kernel_log_is_written(&log));
}

/* Bytes that are anything, and change while they are followed. */
static void damaged_logs_end(void **state)
{
  struct growing *file = *state;
  static struct kernel_record followed[MOST];
  for (unsigned run = 0; run < 3000; run++) {
    struct kernel_log log;
    unsigned char *good = malloc(file->size);
    memcpy(good, file->bytes, file->size);
    for (long i = random() % 8; i > 0; i--)
      file->bytes[(size_t)random() % file->size] = (unsigned char)random();
    size_t cut = (size_t)random() % file->size;
    assert_int_equal(ftruncate(file->fd, 0), 0);
    write_from(file, 0, cut);
    if (kernel_log_open(&log, AT_FDCWD, file->path)) {
      unsigned rounds = 0;
      size_t count = 0;
      while (kernel_log_follow(&log) == KERNEL_FOLLOWED_ROUND && ++rounds < MOST)
        count = take(&log, followed, count);
      if (run % 3 != 0)
        write_from(file, cut, file->size);
      else
        assert_int_equal(ftruncate(file->fd, (off_t)(cut / 2)), 0);
      while (kernel_log_follow(&log) == KERNEL_FOLLOWED_ROUND && ++rounds < MOST)
        count = take(&log, followed, count);
      assert_true(rounds < 64);
      kernel_log_end(&log);
      take(&log, followed, count);
      kernel_log_close(&log);
    }
    memcpy(file->bytes, good, file->size);
    free(good);
  }
}

/* Rounds of one moment, whose records wait for ever: each round would put all of them in order. */
static void work_is_bounded_where_all_wait(void **state)
{
  struct growing *file = *state;
  struct kernel_log log;
  const struct kernel_record round[] = {{.time = ROUND_NS, .who = ROUND_NS, .kind = KERNEL_ROUND},
                                        {.time = ROUND_NS, .who = ROUND_NS, .kind = KERNEL_CLOCKS},
                                        {.time = 9 * ROUND_NS, .who = 1, .kind = KERNEL_SAMPLE}};
  unsigned rounds = 0;
  write_from(file, 0, sizeof(struct kernel_log_header));
  for (unsigned i = 0; i < 10000; i++)
    assert_int_equal(
        pwrite(file->fd, round, sizeof round, (off_t)(sizeof(struct kernel_log_header) + i * sizeof round)),
        sizeof round);
  assert_true(kernel_log_open(&log, AT_FDCWD, file->path));
  while (kernel_log_follow(&log) == KERNEL_FOLLOWED_ROUND) {
    rounds++;
    while (kernel_log_peek(&log) != NULL)
      log.next++;
  }
  assert_true(log.over);
  assert_in_range(rounds, 100, 9000);
  kernel_log_close(&log);
}

UNIT_TEST(kernel_log)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(it_says_what_the_whole_log_says, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_handed_out_is_in_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(one_that_became_shorter_is_over, set_up, tear_down),
      cmocka_unit_test_setup_teardown(who_writes_it_holds_its_lock, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damaged_logs_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(work_is_bounded_where_all_wait, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
