/* The table of a profile: sequences of constructs with a clock of the test's own, and the sums that they must give. */
#include "common/profile/profile_table.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROW_WORDS (RAW_ROW_HISTOGRAM + RAW_ROW_BUCKETS)
#define BARRIER   3u  /* ompt_sync_region_t */
#define LOOP      10u /* ompt_work_t */

/* A place for records, as a window is one. */
struct place {
  uint64_t *words;
  size_t used, size;
};

static uint64_t *make(void *context, uint64_t head, unsigned words, uint64_t now, bool last)
{
  struct place *place = context;
  if (place->used + (last ? words : 2 * words) > place->size)
    return NULL;
  uint64_t *record = place->words + place->used;
  record[0] = head;
  record[1] = now;
  place->used += words;
  return record;
}

static struct profile_table *begin(struct place *place, size_t rows, uint64_t from)
{
  *place = (struct place){.size = 4 + rows * ROW_WORDS};
  place->words = calloc(place->size, sizeof *place->words);
  struct profile_table *table = calloc(1, sizeof *table);
  assert_non_null(place->words);
  assert_non_null(table);
  table->make = make;
  table->context = place;
  assert_true(profile_table_begin(table, from));
  return table;
}

static void end(struct profile_table *table, struct place *place)
{
  free(table);
  free(place->words);
}

/* The words of a row; fails if there is none. */
static const uint64_t *row(const struct profile_table *table, enum raw_row kind, unsigned number, uint64_t code)
{
  uint64_t head = raw_head(RAW_PROFILE_ROW, raw_row_detail(kind, number), code);
  for (uint32_t i = 0; i < table->rows; i++)
    if (table->row[i].words[0] == head)
      return table->row[i].words;
  fail_msg("no row of kind %d with code %lx", (int)kind, (unsigned long)code);
  return NULL;
}

static void assert_row(const uint64_t *words, uint64_t executions, uint64_t inclusive, uint64_t self, uint64_t longest)
{
  assert_int_equal(words[RAW_ROW_EXECUTIONS], executions);
  assert_int_equal(words[RAW_ROW_INCLUSIVE], inclusive);
  assert_int_equal(words[RAW_ROW_SELF], self);
  assert_int_equal(words[RAW_ROW_LONGEST], longest);
}

static uint64_t self_of_all(const struct profile_table *table)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < table->rows; i++)
    sum += table->row[i].words[RAW_ROW_SELF];
  return sum;
}

static uint64_t durations_of(const uint64_t *words)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < RAW_ROW_BUCKETS; i++)
    sum += words[RAW_ROW_HISTOGRAM + i];
  return sum;
}

static void test_nested_constructs_share_the_time(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 1000);
  profile_open(table, RAW_ROW_REGION, 0, 0x11, 1100);
  profile_open(table, RAW_ROW_WORK, LOOP, 0x22, 1150);
  profile_close(table, 1350, true);
  profile_open(table, RAW_ROW_WORK, LOOP, 0x22, 1400);
  profile_close(table, 1500, true);
  profile_close(table, 1600, true);
  profile_table_book(table, 2000);
  assert_row(row(table, RAW_ROW_REGION, 0, 0x11), 1, 500, 200, 500);
  assert_row(row(table, RAW_ROW_WORK, LOOP, 0x22), 2, 300, 300, 200);
  assert_row(row(table, RAW_ROW_OUTSIDE, 0, 0), 0, 0, 500, 0);
  assert_int_equal(self_of_all(table), 1000);
  assert_int_equal(table->thread[2], 2000);
  end(table, &place);
}

static void test_recursion_counts_the_outermost_time_once(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  for (unsigned i = 0; i < 5; i++)
    profile_open(table, RAW_ROW_TASK, 0, 0x33, i * 10);
  for (unsigned i = 0; i < 5; i++)
    profile_close(table, 100 + i * 10, true);
  assert_row(row(table, RAW_ROW_TASK, 0, 0x33), 5, 140, 140, 140);
  assert_int_equal(durations_of(row(table, RAW_ROW_TASK, 0, 0x33)), 5);
  end(table, &place);
}

static void test_durations_fall_into_powers_of_two(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  static const uint64_t durations[] = {0, 127, 128, 255, 256, 1ull << 45, UINT64_MAX};
  static const unsigned buckets[] = {0, 0, 1, 1, 2, 39, 39};
  for (unsigned i = 0; i < 7; i++) {
    assert_int_equal(raw_row_bucket(durations[i]), buckets[i]);
    if (durations[i] < UINT64_MAX)
      profile_add(table, RAW_ROW_HOLD, 1, 0x44, durations[i], 1, 0);
  }
  const uint64_t *words = row(table, RAW_ROW_HOLD, 1, 0x44);
  assert_int_equal(words[RAW_ROW_HISTOGRAM], 2);
  assert_int_equal(words[RAW_ROW_HISTOGRAM + 1], 2);
  assert_int_equal(words[RAW_ROW_HISTOGRAM + 2], 1);
  assert_int_equal(words[RAW_ROW_HISTOGRAM + 39], 1);
  assert_int_equal(words[RAW_ROW_EXECUTIONS], 6);
  assert_int_equal(words[RAW_ROW_SELF], 0);
  end(table, &place);
}

/* A barrier waits but for the task inside it; a wait of exactly the limit is none. */
static void test_long_waits_are_contended(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  profile_open(table, RAW_ROW_SYNC, BARRIER, 0x55, 0);
  profile_open(table, RAW_ROW_TASK, 0, 0x66, 1000);
  profile_close(table, 101000, true);
  profile_close(table, 101000 + RAW_CONTENDED, true);
  profile_open(table, RAW_ROW_SYNC, BARRIER, 0x55, 200000);
  profile_close(table, 200000 + RAW_CONTENDED, true);
  const uint64_t *barrier = row(table, RAW_ROW_SYNC, BARRIER, 0x55);
  assert_int_equal(barrier[RAW_ROW_CONTENDED], 1);
  assert_int_equal(barrier[RAW_ROW_WAITING], 1000 + RAW_CONTENDED);
  assert_int_equal(row(table, RAW_ROW_TASK, 0, 0x66)[RAW_ROW_CONTENDED], 0);
  end(table, &place);
}

static void test_rows_without_room_go_into_one(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 5, 0); /* the thread's, three of constructs, all others */
  uint64_t now = 0;
  for (unsigned round = 0; round < 2; round++)
    for (uint64_t code = 1; code <= 5000; code++, now += 10) {
      profile_open(table, RAW_ROW_WORK, LOOP, code, now);
      profile_close(table, now + 10, true);
    }
  assert_int_equal(table->rows, 5);
  for (uint64_t code = 1; code <= 3; code++)
    assert_row(row(table, RAW_ROW_WORK, LOOP, code), 2, 20, 20, 10);
  assert_row(row(table, RAW_ROW_OTHER, 0, 0), 9994, 99940, 99940, 10);
  assert_int_equal(self_of_all(table), now);
  end(table, &place);
}

static void test_the_table_is_bounded_by_itself(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 3 * PROFILE_ROWS, 0);
  for (uint64_t code = 1; code <= 5000; code++)
    profile_add(table, RAW_ROW_HOLD, 1, code, 1, 1, 0);
  assert_int_equal(table->rows, PROFILE_ROWS);
  assert_int_equal(row(table, RAW_ROW_OTHER, 0, 0)[RAW_ROW_EXECUTIONS], 5000 - (PROFILE_ROWS - 2));
  end(table, &place);
}

static void test_constructs_too_deep_are_part_of_the_last(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  for (uint64_t i = 0; i < CONSTRUCTS_MOST + 9; i++)
    assert_true((profile_open(table, RAW_ROW_TASK, 0, 0x77, i) != NULL) == (i < CONSTRUCTS_MOST - 1));
  assert_int_equal(table->stack.over, 10);
  while (table->stack.depth > 1)
    profile_close(table, 1000, true);
  assert_row(row(table, RAW_ROW_TASK, 0, 0x77), CONSTRUCTS_MOST - 1, 1000, 1000, 1000);
  end(table, &place);
}

/* New rows, as in a new chunk: what is open goes on in them, and the sums of both are one table's sums. */
static void test_open_constructs_go_on_in_new_rows(void **state)
{
  (void)state;
  struct place place, other;
  struct profile_table *table = begin(&place, 10, 0);
  profile_open(table, RAW_ROW_REGION, 0, 0x11, 100);
  profile_open(table, RAW_ROW_WORK, LOOP, 0x22, 200);
  profile_table_book(table, 300);
  uint64_t before = self_of_all(table);
  struct profile_table *unused = begin(&other, 10, 0);
  other.used = 0;
  table->context = &other;
  assert_true(profile_table_begin(table, 300));
  profile_close(table, 400, true);
  profile_close(table, 500, true);
  assert_row(row(table, RAW_ROW_WORK, LOOP, 0x22), 1, 200, 100, 200);
  assert_row(row(table, RAW_ROW_REGION, 0, 0x11), 1, 400, 100, 400);
  assert_int_equal(before + self_of_all(table), 500);
  end(unused, &other);
  end(table, &place);
}

static void test_a_pause_is_not_measured(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  profile_open(table, RAW_ROW_REGION, 0, 0x11, 100);
  profile_table_resume(table, 1100);
  profile_table_book(table, 1200);
  assert_row(row(table, RAW_ROW_REGION, 0, 0x11), 0, 0, 0, 0);
  assert_row(row(table, RAW_ROW_NOT_MEASURED, 0, 0), 0, 0, 1000, 0);
  assert_row(row(table, RAW_ROW_OUTSIDE, 0, 0), 0, 0, 200, 0);
  end(table, &place);
}

/* --- A reader while the thread writes --- */

static atomic_bool stop;

static void *read_rows(void *words)
{
  const uint64_t *loop = words;
  uint64_t executions = 0, self = 0;
  while (!atomic_load(&stop)) {
    uint64_t now = __atomic_load_n(&loop[RAW_ROW_EXECUTIONS], __ATOMIC_RELAXED);
    uint64_t ticks = __atomic_load_n(&loop[RAW_ROW_SELF], __ATOMIC_RELAXED);
    if (now < executions || ticks < self) /* a torn word */
      return words;
    executions = now;
    self = ticks;
  }
  return NULL;
}

static void test_a_reader_sees_whole_words(void **state)
{
  (void)state;
  struct place place;
  struct profile_table *table = begin(&place, 10, 0);
  profile_open(table, RAW_ROW_WORK, LOOP, 0x22, 0);
  pthread_t reader;
  void *torn;
  assert_int_equal(pthread_create(&reader, NULL, read_rows, (void *)(uintptr_t)row(table, RAW_ROW_WORK, LOOP, 0x22)),
                   0);
  uint64_t now = 0;
  for (unsigned i = 0; i < 200000; i++) {
    profile_close(table, now += 1ull << 30, true); /* carries into the upper half of the word */
    profile_open(table, RAW_ROW_WORK, LOOP, 0x22, now);
  }
  atomic_store(&stop, true);
  assert_int_equal(pthread_join(reader, &torn), 0);
  assert_null(torn);
  assert_int_equal(self_of_all(table), now);
  end(table, &place);
}

UNIT_TEST(profile_table)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nested_constructs_share_the_time),
      cmocka_unit_test(test_recursion_counts_the_outermost_time_once),
      cmocka_unit_test(test_durations_fall_into_powers_of_two),
      cmocka_unit_test(test_long_waits_are_contended),
      cmocka_unit_test(test_rows_without_room_go_into_one),
      cmocka_unit_test(test_the_table_is_bounded_by_itself),
      cmocka_unit_test(test_constructs_too_deep_are_part_of_the_last),
      cmocka_unit_test(test_open_constructs_go_on_in_new_rows),
      cmocka_unit_test(test_a_pause_is_not_measured),
      cmocka_unit_test(test_a_reader_sees_whole_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
