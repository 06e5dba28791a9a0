/* Short records as the recorder writes them: the reader finds what was emitted, at the time when it was. */
#include "tests/unit/common/recorded_child.h"

#include "common/raw/raw_reader.h"
#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 400000u

/* What the child emitted: shared with the parent. */
static struct emitted {
  uint64_t head, word;
  uint64_t before; /* ticks, when it began */
} *emitted;
static uint64_t *emitted_count;

static int setup_shared(void **state)
{
  size_t size = MOST * sizeof *emitted + sizeof *emitted_count;
  emitted = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(emitted != MAP_FAILED);
  emitted_count = (uint64_t *)(emitted + MOST);
  return setup(state);
}

static int teardown_shared(void **state)
{
  munmap(emitted, MOST * sizeof *emitted + sizeof *emitted_count);
  return teardown(state);
}

/* The next event is to be read as this. */
static void note(uint64_t head, uint64_t word)
{
  if (*emitted_count < MOST)
    emitted[(*emitted_count)++] = (struct emitted){head, word, clock_ticks()};
}

static void emit(unsigned kind, unsigned detail, uint64_t value)
{
  note(raw_head(kind, detail, value), 0);
  recorder_emit(kind, detail, value);
}

static void emit3(unsigned kind, unsigned detail, uint64_t value, uint64_t word)
{
  note(raw_head(kind, detail, value), word);
  recorder_emit3(kind, detail, value, word);
}

static uint64_t emit_new(unsigned kind, unsigned detail, uint64_t code, uint64_t high)
{
  uint64_t id;
  note(raw_head(kind, detail, code), 0);
  recorder_emit_new(kind, detail, code, high, &id);
  emitted[*emitted_count - 1].word = high | id;
  return id;
}

static uint64_t random_number(uint64_t below)
{
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

/* Locks nearby, far away, and at odd addresses. */
static uint64_t some_lock(void)
{
  static const uint64_t bases[] = {0x5000, 0x7fff00001000, 0x7fff00001001};
  return bases[random_number(3)] + 4 * random_number(40000);
}

static void lock_something(void)
{
  uint64_t lock = some_lock(), inner = some_lock();
  unsigned detail = 2 + (unsigned)random_number(2);
  emit3(RAW_MUTEX_ACQUIRE, detail, lock, 0x4010 + random_number(3));
  if (random_number(5) == 0)
    emit(RAW_FLUSH, 0, 0);
  emit(RAW_MUTEX_ACQUIRED, detail, lock);
  if (random_number(3) == 0) {
    emit3(RAW_MUTEX_ACQUIRE, detail, inner, 0x4020);
    emit(RAW_MUTEX_ACQUIRED, detail, inner);
    emit(RAW_MUTEX_RELEASED, detail, inner);
  }
  emit(RAW_MUTEX_RELEASED, detail, lock);
}

static void lock_monitor(void)
{
  uint64_t object = random_number(3) << 32 | random_number(3);
  emit3(RAW_MUTEX_ACQUIRE, RAW_MUTEX_MONITOR, object, RAW_CODE_PLACE | 7);
  emit(RAW_MUTEX_RELEASED, RAW_MUTEX_MONITOR, object);
}

static void region(void)
{
  uint64_t id = emit_new(RAW_PARALLEL_BEGIN, 2, 0x4030, random_number(3) << RAW_VALUE_BITS);
  emit3(RAW_IMPLICIT_BEGIN, 2, id, random_number(9) == 0 ? 1ull << 56 : 1ull << 32 | 2);
  emit(RAW_IMPLICIT_END, 2, 0);
  emit(RAW_PARALLEL_END, 2, id);
}

static void tasks(void)
{
  uint64_t first = emit_new(RAW_TASK_CREATE, 1, 0x4040, 0), last = first;
  for (uint64_t n = random_number(5); n > 0; n--)
    last = emit_new(RAW_TASK_CREATE, 1, 0x4040, 0);
  for (; last >= first; last--) {
    emit(RAW_TASK_SWITCH, 7, random_number(20) ? last : last << 20);
    emit(RAW_TASK_SWITCH, 1, RAW_ID_IMPLICIT);
  }
}

static void loop(void)
{
  uint64_t first = random_number(1000) - 500, n = 1 + random_number(40);
  emit3(RAW_WORK_BEGIN, 1, 0x4050, n * 3);
  for (int i = 0; i < 3; i++, first += n + random_number(2) * 2000)
    emit(RAW_CHUNK, 3, (first & 0xffffffff) << 16 | n);
  emit(RAW_WORK_END, 1, 0);
}

/* A record that is made in the window, of a kind that has short ones. */
static void made_by_hand(void)
{
  uint64_t head = raw_head(RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, 0);
  note(head, 5);
  struct recorder *self = recorder_enter();
  self->cursor[1] = clock_ticks();
  self->cursor[2] = 5;
  recorder_publish(self, 3, head);
  emit3(RAW_BLOCK_BEGIN, RAW_BLOCK_PARK, 0, 5);
}

/* A handler left an emit by a jump when the record was there, but nothing of what the next ones build on. */
static void jump_out_of_an_emit(void)
{
  static struct raw_entry entries[RAW_ENTRIES];
  struct recorder *self = recorder_self, before = *self;
  memcpy(entries, self->entries, sizeof entries);
  if (random_number(2))
    lock_something();
  else
    tasks();
  if (self->sequence != before.sequence)
    return;
  memcpy(self->entries, entries, sizeof entries);
  self->base = before.base;
  self->lock = before.lock;
  self->acquiring = before.acquiring;
  atomic_store(&self->busy, recorder_stack_pointer() - 4096); /* deeper than any emit that follows */
  for (int i = 0; i < 2 && before.lock != RECORDER_NO_LOCK; i++)
    emit(RAW_MUTEX_RELEASED, raw_detail_of(before.lock), raw_value_of(before.lock));
}

static void record_a_mix(void)
{
  static void (*const acts[])(void) = {lock_something, lock_monitor, region,         tasks,
                                       loop,           made_by_hand, lock_something, jump_out_of_an_emit};
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  while (*emitted_count < MOST - 100)
    acts[random_number(sizeof acts / sizeof *acts - (random_number(50) != 0))]();
  recorder_thread_end();
}

static bool is_an_event(const uint64_t *record)
{
  switch (raw_kind_of(*record)) {
  case RAW_STALL:
  case RAW_THREAD_BEGIN:
  case RAW_THREAD_NAME:
  case RAW_THREAD_BOUND:
  case RAW_THREAD_END:
  case RAW_ID_BLOCK_TAKEN:
    return false;
  default:
    return true;
  }
}

/* Stops after each `step` records, and goes on from there. Returns how many bytes the records are. */
static uint64_t expect_what_was_emitted(uint64_t step)
{
  struct raw_dir dir;
  struct raw_mark mark = {0};
  static struct raw_iter iter;
  static uint64_t buffer[RAW_ITER_WORDS];
  const uint64_t *record;
  uint64_t found = 0, read = 0;
  assert_int_equal(raw_dir_open(&dir, AT_FDCWD, directory), 0);
  raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
  while ((record = raw_iter_next(&iter)) != NULL) {
    if (++read % step == 0) {
      raw_iter_back(&iter, record);
      raw_iter_stop(&iter, &mark);
      memset(&iter, 0xff, sizeof iter);
      raw_iter_start(&iter, &dir.logs[0], &mark, UINT64_MAX, buffer);
      record = raw_iter_next(&iter);
      assert_non_null(record);
    }
    if (!is_an_event(record))
      continue;
    assert_true(found < *emitted_count);
    assert_int_equal(*record, emitted[found].head);
    if (raw_record_words(*record) > 2)
      assert_int_equal(record[2], emitted[found].word);
    assert_true(record[1] >= emitted[found].before);
    found++;
    assert_true(found == *emitted_count || record[1] <= emitted[found].before);
  }
  assert_int_equal(iter.bad_chunks, 0);
  assert_int_equal(found, *emitted_count);
  uint64_t bytes = dir.logs[0].bytes;
  raw_dir_close(&dir);
  return bytes;
}

static void test_a_mix_comes_back(void **state)
{
  (void)state;
  in_good_child(record_a_mix);
  assert_true(expect_what_was_emitted(UINT64_MAX) < 16 * *emitted_count);
  expect_what_was_emitted(997);
  expect_what_was_emitted(61);
}

/* --- How short they are --- */

static void record_locks(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (int i = 0; i < 100000; i++) {
    uint64_t lock = 0x5000 + 4 * (unsigned)(i * 7919 % 30000);
    emit3(RAW_MUTEX_ACQUIRE, 2, lock, 0x4010);
    emit(RAW_MUTEX_ACQUIRED, 2, lock);
    emit(RAW_MUTEX_RELEASED, 2, lock);
  }
  recorder_thread_end();
}

static void record_tasks(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (int i = 0; i < 100000; i++) {
    uint64_t id = emit_new(RAW_TASK_CREATE, 1, 0x4040, 0);
    emit(RAW_TASK_SWITCH, 7, id);
    emit(RAW_TASK_SWITCH, 1, RAW_ID_IMPLICIT);
  }
  recorder_thread_end();
}

/* A lock takes two words, or three where it takes long: the thread may have been interrupted. */
static void test_many_locks_are_short(void **state)
{
  (void)state;
  in_good_child(record_locks);
  uint64_t bytes = expect_what_was_emitted(UINT64_MAX);
  assert_true(bytes >= 100000 * 16 && bytes < 100000 * 25);
}

static void test_tasks_are_short(void **state)
{
  (void)state;
  in_good_child(record_tasks);
  uint64_t bytes = expect_what_was_emitted(UINT64_MAX);
  assert_true(bytes >= 100000 * 24 && bytes < 100000 * 25);
}

UNIT_TEST(recorder_short)
{
  const struct CMUnitTest tests[] = {
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_shared, teardown_shared)
      TEST(test_a_mix_comes_back),
      TEST(test_many_locks_are_short),
      TEST(test_tasks_are_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
