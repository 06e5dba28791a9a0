/* Submitted tasks: each is taken out once, the oldest of one object first, also by threads beside each other. What does
 * not fit is counted. */
#include "jvmti-agent/runtimes/submitted_tasks.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>

static void add(uint32_t hash, uint64_t id)
{
  assert_true(submitted_add(hash, (struct submitted){.id = id, .code = id + 1000}));
}

static void expect(uint32_t hash, uint64_t id)
{
  struct submitted task;
  assert_true(submitted_take(hash, &task));
  assert_int_equal(task.id, id);
  assert_int_equal(task.code, id + 1000);
}

static void expect_none(uint32_t hash)
{
  struct submitted task;
  assert_false(submitted_take(hash, &task));
}

static void the_oldest_of_an_object_comes_first(void **state)
{
  (void)state;
  const uint32_t other = 7 + (1u << 20); /* it has the same bucket */
  expect_none(7);
  add(7, 1);
  add(other, 2);
  add(7, 3);
  add(8, 4);
  add(7, 5);
  expect(7, 1);
  expect(7, 3);
  expect(other, 2);
  expect_none(other);
  add(other, 6);
  expect(7, 5);
  expect(other, 6);
  expect(8, 4);
  expect_none(7);
  expect_none(8);
}

static void those_without_an_id_are_taken_out_apart(void **state)
{
  struct submitted task;
  (void)state;
  assert_false(submitted_take_unmade(7, &task));
  add(7, 1);
  assert_false(submitted_take_unmade(7, &task));
  assert_true(submitted_add(7, (struct submitted){.code = 5}));
  assert_false(submitted_take_unmade(8, &task));
  assert_true(submitted_take_unmade(7, &task));
  assert_int_equal(task.id, 0);
  assert_int_equal(task.code, 5);
  assert_false(submitted_take_unmade(7, &task));
  expect(7, 1);
  assert_true(submitted_add(7, (struct submitted){.code = 6}));
  assert_true(submitted_take(7, &task));
  assert_int_equal(task.code, 6);
  assert_false(submitted_take_unmade(7, &task));
  expect_none(7);
}

static void what_does_not_fit_is_counted(void **state)
{
  (void)state;
  uint64_t lost = submitted_lost();
  for (uint32_t i = 0; i < SUBMITTED_MOST; i++)
    add(i, i);
  assert_false(submitted_add(1, (struct submitted){.id = 1}));
  assert_int_equal(submitted_lost(), lost + 1);
  for (uint32_t i = 0; i < SUBMITTED_MOST; i++)
    expect(i, i);
  expect_none(1);
  assert_int_equal(submitted_lost(), lost + 1);
}

#define THREADS 4
#define N       20000u

static atomic_uint taken[THREADS * N];

/* Each adds its own tasks of objects that all threads share, and takes as many. */
static void *add_and_take(void *number)
{
  const uint32_t first = *(const uint32_t *)number * N;
  struct submitted task;
  for (uint32_t i = 0; i < N; i++) {
    while (!submitted_add(i % 3, (struct submitted){.id = first + i}))
      ;
    while (!submitted_take(i % 3, &task))
      ;
    atomic_fetch_add(&taken[task.id], 1);
  }
  return NULL;
}

static void each_is_taken_once(void **state)
{
  (void)state;
  pthread_t threads[THREADS];
  uint32_t numbers[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, add_and_take, &numbers[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < THREADS * N; i++)
    assert_int_equal(taken[i], 1);
  for (uint32_t i = 0; i < 3; i++)
    expect_none(i);
}

/* Half of the tasks that fill the table may never run; new ones take their room, and the others stay. */
static void what_may_go_makes_room(void **state)
{
  (void)state;
  struct submitted task;
  uint64_t lost = submitted_lost();
  for (uint32_t i = 0; i < SUBMITTED_MOST; i++) {
    add(i, i + 1);
    if (i % 2 == 0)
      submitted_doubt(i);
  }
  expect(0, 1); /* it runs nonetheless */
  for (uint32_t i = 0; i < SUBMITTED_MOST / 2; i++)
    add(SUBMITTED_MOST + i, i + 1);
  assert_int_equal(submitted_lost(), lost);
  assert_false(submitted_add(1, (struct submitted){.id = 1}));
  assert_int_equal(submitted_lost(), lost + 1);
  for (uint32_t i = 1; i < SUBMITTED_MOST; i++)
    if (i % 2 == 1)
      expect(i, i + 1);
    else
      assert_false(submitted_take(i, &task));
  for (uint32_t i = 0; i < SUBMITTED_MOST / 2; i++)
    expect(SUBMITTED_MOST + i, i + 1);
}

UNIT_TEST(submitted)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oldest_of_an_object_comes_first),
      cmocka_unit_test(those_without_an_id_are_taken_out_apart),
      cmocka_unit_test(what_does_not_fit_is_counted),
      cmocka_unit_test(what_may_go_makes_room),
      cmocka_unit_test(each_is_taken_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
