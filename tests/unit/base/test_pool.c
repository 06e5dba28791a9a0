/* Each item is worked on once, no worker runs twice at a time, and a failure is reported. */
#include "base/pool.h"
#include "tests/unit/unit.h"

#include <stdatomic.h>

enum { ITEMS = 1000, WORKERS = 4, ROUNDS = 50, NEVER = ITEMS };

struct work {
  atomic_uint done[ITEMS];
  atomic_bool busy[WORKERS];
  atomic_bool twice;
  uint32_t fails; /* at this item */
};

static bool do_item(void *context, unsigned worker, uint32_t item)
{
  struct work *work = context;
  if (atomic_exchange(&work->busy[worker], true))
    atomic_store(&work->twice, true);
  atomic_fetch_add(&work->done[item], 1);
  atomic_store(&work->busy[worker], false);
  return item != work->fails;
}

static void each_item_is_done_once(void **state)
{
  (void)state;
  struct pool *pool = pool_create(WORKERS);
  assert_non_null(pool);
  assert_in_range(pool_workers(pool), 1, WORKERS);
  for (unsigned round = 0; round < ROUNDS; round++) {
    static struct work work;
    work = (struct work){.fails = NEVER};
    uint32_t count = round % 5 == 0 ? round % 2 : ITEMS - round; /* none and one, too */
    assert_true(pool_run(pool, count, do_item, &work));
    for (uint32_t i = 0; i < ITEMS; i++)
      assert_int_equal(atomic_load(&work.done[i]), i < count);
    assert_false(atomic_load(&work.twice));
  }
  pool_destroy(pool);
}

static void a_failure_is_told_and_is_over_in_the_next_run(void **state)
{
  (void)state;
  static struct work work;
  struct pool *pool = pool_create(WORKERS);
  work = (struct work){.fails = 17};
  assert_false(pool_run(pool, ITEMS, do_item, &work));
  for (uint32_t i = 0; i < ITEMS; i++)
    assert_in_range(atomic_load(&work.done[i]), 0, 1);
  work = (struct work){.fails = NEVER};
  assert_true(pool_run(pool, ITEMS, do_item, &work));
  pool_destroy(pool);
}

UNIT_TEST(pool)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_item_is_done_once),
      cmocka_unit_test(a_failure_is_told_and_is_over_in_the_next_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
