/* Sources come in order of time, of equal times in order of their numbers, however they were put in. */
#include "base/time_heap.h"
#include "tests/unit/unit.h"

#define SOURCES 97
#define EACH    31

static uint64_t next_random(uint64_t *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

/* Each source has EACH times that never fall; many are equal. */
static void make_times(uint64_t times[SOURCES][EACH], uint64_t seed)
{
  for (unsigned i = 0; i < SOURCES; i++) {
    uint64_t time = next_random(&seed) % 8;
    for (unsigned k = 0; k < EACH; k++)
      times[i][k] = time += next_random(&seed) % 3;
  }
}

/* Takes all of them through a heap that has the first of each, and checks their order. */
static void drain(struct time_heap *heap, uint64_t times[SOURCES][EACH])
{
  unsigned at[SOURCES] = {0}, taken = 0;
  struct time_entry before = {0, 0};
  for (; heap->count > 0; taken++) {
    struct time_entry first = heap->entries[0];
    assert_int_equal(first.time, times[first.source][at[first.source]]);
    assert_true(taken == 0 || before.time < first.time || (before.time == first.time && before.source <= first.source));
    before = first;
    if (++at[first.source] < EACH)
      time_heap_move_first(heap, times[first.source][at[first.source]]);
    else
      time_heap_drop_first(heap);
  }
  assert_int_equal(taken, SOURCES * EACH);
}

static void times_ascend(void **state)
{
  (void)state;
  static uint64_t times[SOURCES][EACH];
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct time_heap heap;
    make_times(times, seed);
    assert_true(time_heap_init(&heap, SOURCES));
    for (uint32_t i = 0; i < SOURCES; i++)
      time_heap_add(&heap, times[i][0], i);
    drain(&heap, times);
    time_heap_free(&heap);
  }
}

UNIT_TEST(time_heap)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_ascend),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
