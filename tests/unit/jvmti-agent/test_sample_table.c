/* The table of samples for observers: none is lost, also where several threads add and where there is no more room. */
#include "jvmti-agent/sample_calls.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4u
#define CALLS   3000u
#define ROUNDS  20u

static uint64_t count_of(const struct live_samples *samples, uint64_t who)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < LIVE_SAMPLED; i++)
    sum += samples->places[i].who == who ? samples->places[i].count : 0;
  return sum;
}

static uint64_t count_all(const struct live_samples *samples)
{
  uint64_t sum = 0;
  for (uint32_t i = 0; i < LIVE_SAMPLED; i++)
    sum += samples->places[i].count;
  for (uint32_t i = 0; i < LIVE_THREADS; i++)
    sum += samples->without_room[i];
  return sum;
}

static struct live_samples *make_table(void)
{
  struct live_samples *samples = calloc(1, sizeof *samples);
  assert_non_null(samples);
  return samples;
}

static void samples_count_by_thread_and_call(void **state)
{
  (void)state;
  struct live_samples *samples = make_table();
  for (unsigned i = 0; i < 3; i++)
    sample_table_add(samples, 7, 2);
  sample_table_add(samples, 7, 3);
  sample_table_add(samples, 0, 2);
  sample_table_add(samples, LIVE_THREADS - 1, 2);
  sample_table_add(samples, LIVE_THREADS, 2); /* has no counts */
  sample_table_add(samples, UINT32_MAX, 0);
  sample_table_add(samples, 7, 0); /* the call got no number */
  assert_int_equal(count_of(samples, 7ull << 32 | 2), 3);
  assert_int_equal(count_of(samples, 7ull << 32 | 3), 1);
  assert_int_equal(count_of(samples, 2), 1);
  assert_int_equal(count_of(samples, (uint64_t)(LIVE_THREADS - 1) << 32 | 2), 1);
  assert_int_equal(samples->without_room[7], 1);
  assert_int_equal(count_all(samples), 7);
  free(samples);
}

static void what_has_no_room_is_counted(void **state)
{
  (void)state;
  struct live_samples *samples = make_table();
  const uint32_t calls = 2 * LIVE_SAMPLED;
  for (uint32_t i = 0; i < calls; i++)
    sample_table_add(samples, 1, 2 + i);
  assert_int_equal(count_all(samples), calls);
  assert_true(samples->without_room[1] >= calls - LIVE_SAMPLED);
  uint64_t known = count_of(samples, 1ull << 32 | 2), before = samples->without_room[1];
  sample_table_add(samples, 1, 2); /* a call that has its place keeps it */
  assert_int_equal(known, 1);
  assert_int_equal(count_of(samples, 1ull << 32 | 2), 2);
  assert_int_equal(samples->without_room[1], before);
  free(samples);
}

struct adder {
  struct live_samples *samples;
  uint32_t thread;
};

static void *add_many(void *argument)
{
  const struct adder *adder = argument;
  for (uint32_t i = 0; i < ROUNDS * CALLS; i++)
    sample_table_add(adder->samples, adder->thread, 2 + i % CALLS);
  return NULL;
}

/* Two of them have the same number, as nothing forbids. */
static void threads_add_at_a_time(void **state)
{
  (void)state;
  struct live_samples *samples = make_table();
  struct adder adders[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t i = 0; i < THREADS; i++) {
    adders[i] = (struct adder){samples, i / 2};
    assert_int_equal(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  assert_int_equal(count_all(samples), THREADS * ROUNDS * CALLS);
  for (uint32_t i = 0; i < LIVE_SAMPLED; i++)
    if (samples->places[i].count > 0)
      assert_int_equal(samples->places[i].count, 2 * ROUNDS);
  free(samples);
}

UNIT_TEST(sample_table)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(samples_count_by_thread_and_call),
                                     cmocka_unit_test(what_has_no_room_is_counted),
                                     cmocka_unit_test(threads_add_at_a_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
