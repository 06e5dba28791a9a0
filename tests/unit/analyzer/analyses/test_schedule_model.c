/* Schedule what-if: the runtimes' formulas, profiles, and that the bounds of the simulation hold. */
#include "analyzer/analyses/loops/advice.h"
#include "tests/unit/unit.h"

static void assert_chunks(enum plan_kind kind, uint64_t chunk, struct plan_space space, const uint64_t *sizes)
{
  struct plan plan = {kind, chunk};
  uint64_t done = 0;
  for (size_t i = 0; sizes[i]; i++) {
    assert_int_equal(plan_next(&plan, &space, done), sizes[i]);
    done += sizes[i];
  }
  assert_int_equal(done, space.iterations);
  assert_int_equal(plan_next(&plan, &space, done), 0);
}

/* Worked out by hand from the formulas; 100 iterations, 4 threads. */
static void sizes_of_chunks(void **state)
{
  (void)state;
  assert_chunks(PLAN_GUIDED, 1, (struct plan_space){PLAN_LIBOMP, 4, 100},
                (const uint64_t[]){12, 11, 9, 8, 7, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2, 2,
                                   1,  1,  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0});
  assert_chunks(PLAN_GUIDED, 1, (struct plan_space){PLAN_LIBGOMP, 4, 100},
                (const uint64_t[]){25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1, 0});
  assert_chunks(PLAN_GUIDED, 7, (struct plan_space){PLAN_LIBGOMP, 4, 100},
                (const uint64_t[]){25, 19, 14, 11, 8, 7, 7, 7, 2, 0});
  assert_chunks(PLAN_GUIDED, 7, (struct plan_space){PLAN_LIBOMP, 4, 100},
                (const uint64_t[]){12, 11, 9, 8, 7, 7, 7, 7, 7, 7, 7, 7, 4, 0});
  assert_chunks(PLAN_GUIDED, 7, (struct plan_space){PLAN_JOMP, 4, 100},
                (const uint64_t[]){12, 11, 9, 8, 7, 7, 7, 7, 7, 7, 7, 7, 4, 0});
  assert_chunks(PLAN_DYNAMIC, 30, (struct plan_space){PLAN_LIBOMP, 4, 100}, (const uint64_t[]){30, 30, 30, 10, 0});
}

static void assert_blocks(struct plan_space space, const uint64_t *sizes)
{
  uint64_t done = 0;
  for (uint32_t i = 0; i < space.threads; i++) {
    uint64_t begin, end;
    plan_block(&space, i, &begin, &end);
    assert_int_equal(begin, done);
    assert_int_equal(end - begin, sizes[i]);
    done = end;
  }
  assert_int_equal(done, space.iterations);
}

static void sizes_of_blocks(void **state)
{
  (void)state;
  assert_blocks((struct plan_space){PLAN_LIBOMP, 4, 10}, (const uint64_t[]){3, 3, 2, 2});
  assert_blocks((struct plan_space){PLAN_JOMP, 4, 10}, (const uint64_t[]){3, 3, 3, 1});
  assert_blocks((struct plan_space){PLAN_JOMP, 4, 5}, (const uint64_t[]){2, 2, 1, 0});
  assert_blocks((struct plan_space){PLAN_LIBGOMP, 4, 2}, (const uint64_t[]){1, 1, 0, 0});
  assert_blocks((struct plan_space){PLAN_JOMP, 3, 1ull << 62},
                (const uint64_t[]){(1ull << 62) / 3 + 1, (1ull << 62) / 3 + 1, (1ull << 62) / 3 - 1});
}

static bool make(struct profile *profile, struct piece_list *list)
{
  bool no_memory;
  bool good = profile_make(profile, list, 0, &no_memory);
  assert_false(no_memory);
  piece_list_free(list);
  return good;
}

static void add(struct piece_list *list, int64_t first, uint64_t iterations, uint64_t ticks)
{
  assert_true(piece_list_add(list, &(struct piece_of_loop){first, iterations, 1, ticks}));
}

/* do i = 50, 1, -5: chunks of two, whose first iterations are 50, 40, 30, 20, 10. */
static void counting_down(void **state)
{
  (void)state;
  struct piece_list list = {0};
  struct profile profile;
  for (int i = 0; i < 5; i++)
    add(&list, 50 - 10 * i, 2, 10 * (uint64_t)(i + 1));
  assert_true(make(&profile, &list));
  assert_int_equal(profile_iterations(&profile), 10);
  assert_true(profile_before(&profile, 2).even == 10 && profile_before(&profile, 4).even == 30);
  struct profile_cost inside = profile_before(&profile, 5);
  assert_true(inside.even == 45 && inside.least == 30 && inside.most == 60);
  profile_free(&profile);
}

static void gaps_and_overlaps(void **state)
{
  (void)state;
  struct piece_list gap = {0}, overlap = {0}, twice = {0}, none = {0};
  struct profile profile;
  add(&gap, 0, 2, 1);
  add(&gap, 2, 2, 1);
  add(&gap, 6, 2, 1);
  assert_false(make(&profile, &gap));
  add(&overlap, 0, 4, 1);
  add(&overlap, 2, 2, 1);
  assert_false(make(&profile, &overlap));
  add(&twice, 0, 1, 1);
  add(&twice, 0, 1, 1);
  assert_false(make(&profile, &twice));
  assert_false(make(&profile, &none));
}

/* More chunks than are kept, in no order: nothing gets lost. */
static void many_chunks(void **state)
{
  (void)state;
  struct piece_list list = {0};
  struct profile profile;
  uint64_t n = 100003, ticks = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t at = i * 7919 % n;
    add(&list, (int64_t)at, 1, at);
    ticks += at;
  }
  assert_true(list.pieces.count <= PROFILE_PIECES);
  assert_true(make(&profile, &list));
  assert_int_equal(profile_iterations(&profile), n);
  assert_true(profile_total(&profile) == (double)ticks);
  double half = profile_before(&profile, n / 2).even, expected = (double)(n / 2) * (double)(n / 2) / 2;
  assert_true(half > 0.999 * expected && half < 1.001 * expected);
  profile_free(&profile);
}

static uint64_t seed = 1;

static uint64_t number(uint64_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % below;
}

/* Random costs; `coarse` has several iterations a piece, `fine` one. */
static void make_pair(struct profile *fine, struct profile *coarse, uint64_t n)
{
  struct piece_list single = {0}, joined = {0};
  for (uint64_t at = 0; at < n;) {
    uint64_t length = 1 + number(9), ticks = 0, first = at;
    for (; at < n && at < first + length; at++) {
      uint64_t cost = number(4) == 0 ? number(100000) : number(100);
      add(&single, (int64_t)at, 1, cost);
      ticks += cost;
    }
    add(&joined, (int64_t)first, at - first, ticks);
  }
  assert_true(make(fine, &single));
  assert_true(make(coarse, &joined));
}

/* What the pieces don't show cannot take a loop out of the bounds; nothing is shorter than the ideal. */
static void bounds_hold(void **state)
{
  (void)state;
  for (int round = 0; round < 300; round++) {
    uint64_t n = 1 + number(200);
    double arrivals[8];
    struct simulate_team team = {number(3), 1 + (uint32_t)number(8), arrivals, (double)number(50)};
    for (uint32_t i = 0; i < team.threads; i++)
      arrivals[i] = (double)number(5000);
    struct profile fine, coarse;
    make_pair(&fine, &coarse, n);
    for (enum plan_kind kind = PLAN_STATIC; kind <= PLAN_GUIDED; kind++) {
      struct plan plan = {kind, kind == PLAN_STATIC ? number(20) : 1 + number(20)};
      struct simulated exact, rough;
      assert_true(simulate(&plan, &fine, &team, &exact) && simulate(&plan, &coarse, &team, &rough));
      assert_true(exact.least == exact.ticks && exact.most == exact.ticks);
      assert_true(rough.least <= rough.ticks && rough.ticks <= rough.most);
      assert_true(rough.least <= exact.ticks + 1e-6 && exact.ticks <= rough.most + 1e-6);
      assert_true(exact.ticks + 1e-6 >= simulate_ideal(profile_total(&fine), &team));
    }
    profile_free(&fine);
    profile_free(&coarse);
  }
}

UNIT_TEST(schedule_model)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_of_chunks),   cmocka_unit_test(sizes_of_blocks), cmocka_unit_test(counting_down),
      cmocka_unit_test(gaps_and_overlaps), cmocka_unit_test(many_chunks),     cmocka_unit_test(bounds_hold),
  };
  return cmocka_run_group_tests_name("schedule model", tests, NULL, NULL);
}
