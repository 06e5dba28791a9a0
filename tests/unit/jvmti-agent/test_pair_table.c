/* The table from pairs to numbers: each pair keeps the number that it got first, also beside others and when it is
 * full. */
#include "jvmti-agent/core/pair_table.h"
#include "tests/unit/unit.h"

#include <pthread.h>

#define SIZE 1024u
#define MOST (SIZE / 4 * 3)

static struct pair_table open_table(void)
{
  struct pair_table table;
  assert_true(pair_table_open(&table, SIZE));
  return table;
}

static void a_pair_has_the_number_it_got_first(void **state)
{
  (void)state;
  struct pair_table table = open_table();
  assert_int_equal(pair_table_find(&table, 1, 2), 0);
  assert_true(pair_table_add(&table, 1, 2, 7));
  assert_true(pair_table_add(&table, 1, 2, 8));
  assert_int_equal(pair_table_find(&table, 1, 2), 7);
  assert_int_equal(table.used, 1);
}

static void both_words_of_a_pair_count_and_their_order(void **state)
{
  (void)state;
  struct pair_table table = open_table();
  static const uint64_t pairs[][2] = {{1, 2}, {2, 1}, {1, 3}, {0, 2}, {0, 0}, {UINT64_MAX, 0}, {0, UINT64_MAX}};
  enum { N = sizeof pairs / sizeof *pairs };
  for (uint32_t i = 0; i < N; i++)
    assert_true(pair_table_add(&table, pairs[i][0], pairs[i][1], i + 1));
  for (uint32_t i = 0; i < N; i++)
    assert_int_equal(pair_table_find(&table, pairs[i][0], pairs[i][1]), i + 1);
}

/* Addresses of methods lie close together, and so do lines. */
static void a_full_table_refuses_new_pairs_and_keeps_the_others(void **state)
{
  (void)state;
  struct pair_table table = open_table();
  for (uint32_t i = 0; i < MOST; i++)
    assert_true(pair_table_add(&table, 0x7f0000000000 + 8 * (i / 4), i % 4, i + 1));
  assert_false(pair_table_add(&table, 1, 1, 1));
  assert_int_equal(pair_table_find(&table, 1, 1), 0);
  assert_true(pair_table_add(&table, 0x7f0000000000, 0, 99));
  for (uint32_t i = 0; i < MOST; i++)
    assert_int_equal(pair_table_find(&table, 0x7f0000000000 + 8 * (i / 4), i % 4), i + 1);
}

/* A thread that looks up while others are added sees nothing, or the right number; what it saw once it sees from then
 * on. */
static void *look_up(void *argument)
{
  const struct pair_table *table = argument;
  for (uint32_t next = 0; next < MOST;) {
    uint32_t number = pair_table_find(table, next, ~(uint64_t)next);
    if (number && number != next + 1)
      return argument;
    next += number != 0;
  }
  return NULL;
}

static void who_looks_up_waits_for_nobody(void **state)
{
  (void)state;
  for (int run = 0; run < 20; run++) {
    struct pair_table table = open_table();
    pthread_t reader;
    void *wrong;
    assert_int_equal(pthread_create(&reader, NULL, look_up, &table), 0);
    for (uint32_t i = 0; i < MOST; i++)
      assert_true(pair_table_add(&table, i, ~(uint64_t)i, i + 1));
    assert_int_equal(pthread_join(reader, &wrong), 0);
    assert_null(wrong);
  }
}

UNIT_TEST(pair_table)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pair_has_the_number_it_got_first),
      cmocka_unit_test(both_words_of_a_pair_count_and_their_order),
      cmocka_unit_test(a_full_table_refuses_new_pairs_and_keeps_the_others),
      cmocka_unit_test(who_looks_up_waits_for_nobody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
