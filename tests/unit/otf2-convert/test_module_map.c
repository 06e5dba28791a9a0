/* Which module has an address, where modules come, go, and take each other's place. */
#include "otf2-convert/plan/module_map.h"
#include "tests/unit/unit.h"

#include <string.h>

#define EVER UINT64_MAX

static uint32_t module_then(const struct module_map *map, uint64_t ticks, uint64_t address)
{
  uint64_t back = 0;
  uint32_t module = module_map_find(map, module_map_code(map, ticks, address), &back);
  if (module < MODULE_MAP_UNKNOWN)
    assert_true(back == address);
  return module;
}

static void places_that_need_no_time(void **state)
{
  const struct module_range modules[] = {{10, 50, false, false},
                                         {60, 70, false, false},
                                         {5, 5, false, false},
                                         {70, 60, false, false},
                                         {50, 55, true, false}};
  const struct module_life lives[] = {{0, 0, 1, EVER, EVER}, {1, 5, 6, 7, 8}, {4, 0, 0, EVER, EVER}};
  struct module_map map;
  (void)state;
  assert_true(module_map_make(&map, modules, 5, lives, 3, NULL, 0));
  assert_false(map.timed);
  assert_int_equal(module_then(&map, 0, 9), MODULE_MAP_NONE);
  assert_int_equal(module_then(&map, 0, 10), 0);
  assert_int_equal(module_then(&map, 0, 49), 0);
  assert_int_equal(module_then(&map, 0, 50), 4);
  assert_int_equal(module_then(&map, 0, 55), MODULE_MAP_NONE);
  assert_int_equal(module_then(&map, 100, 69), 1);
  assert_int_equal(module_then(&map, 0, 70), MODULE_MAP_NONE);
  assert_int_equal(module_then(&map, 0, UINT64_MAX), MODULE_MAP_NONE);
  module_map_free(&map);
  assert_true(module_map_make(&map, modules, 0, lives, 0, NULL, 0));
  assert_int_equal(module_then(&map, 0, 10), MODULE_MAP_NONE);
  module_map_free(&map);
}

/* Code keeps its own address in no module's numbers. */
static void numbers_are_no_addresses(void **state)
{
  const struct module_range modules[] = {
      {0x1000, 0x2000, false, false}, {0x1800, 0x3000, false, false}, {0x100000000000, 0x100000001000, true, false}};
  const struct module_life lives[] = {{0, 0, 1, 5, 9}, {1, 5, 9, EVER, EVER}, {2, 0, 0, EVER, EVER}};
  struct module_map map;
  (void)state;
  assert_true(module_map_make(&map, modules, 3, lives, 3, NULL, 0));
  assert_true(map.timed);
  assert_int_equal(module_then(&map, 3, 0x1900), 0);
  assert_int_equal(module_then(&map, 7, 0x1900), MODULE_MAP_UNKNOWN);
  assert_int_equal(module_then(&map, 9, 0x1900), 1);
  assert_int_equal(module_then(&map, 9, 0x100000000010), 2);
  uint64_t address;
  uint64_t code = module_map_code(&map, 3, 0x1900);
  assert_true(code != 0x1900 && code >> 47 == 0);
  assert_int_equal(module_map_find(&map, code, &address), 0);
  assert_int_equal(module_then(&map, 3, code), MODULE_MAP_UNKNOWN); /* code that is there itself */
  module_map_free(&map);
}

/* Says the same as looking through all lives. */
static uint32_t look_through(const struct module_range *modules, const struct module_life *lives, uint32_t count,
                             uint64_t ticks, uint64_t address)
{
  const struct module_life *sure = NULL, *possible = NULL;
  uint32_t possible_ones = 0;
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    const struct module_life *life = &lives[i];
    if (address < modules[life->module].start || address >= modules[life->module].end)
      continue;
    any = true;
    if (life->seen <= ticks && ticks <= life->last)
      sure = life;
    else if (life->since < ticks && ticks < life->gone) {
      possible_ones += possible == NULL || possible->module != life->module;
      possible = life;
    }
  }
  if (!any)
    return MODULE_MAP_NONE;
  return sure != NULL ? sure->module : possible_ones == 1 ? possible->module : MODULE_MAP_UNKNOWN;
}

static uint32_t random_below(uint32_t *random, uint32_t limit)
{
  *random = *random * 1664525 + 1013904223;
  return (*random >> 8) % limit;
}

/* Modules that come to a place one after the other, in several places that overlap. */
static void is_what_a_search_would_find(void **state)
{
  enum { MODULES = 12, LIVES = 30 };
  uint32_t random = 12345;
  (void)state;
  for (unsigned round = 0; round < 300; round++) {
    struct module_range modules[MODULES];
    struct module_life lives[LIVES];
    uint64_t now = 0;
    for (uint32_t i = 0; i < MODULES; i++) {
      uint64_t start = random_below(&random, 60);
      modules[i] = (struct module_range){.start = start, .end = start + 1 + random_below(&random, 20)};
    }
    for (uint32_t i = 0; i < LIVES; i++) {
      struct module_life life = {.module = random_below(&random, MODULES), .since = now};
      life.seen = life.since + 1 + random_below(&random, 4);
      life.last = life.seen + random_below(&random, 5);
      life.gone = life.last + 1 + random_below(&random, 4);
      now = life.last + (life.gone > life.last + 1 ? random_below(&random, 2) : 0); /* the next may come meanwhile */
      lives[i] = life;
    }
    struct module_map map;
    assert_true(module_map_make(&map, modules, MODULES, lives, LIVES, NULL, 0));
    for (uint64_t address = 0; address < 85; address++)
      for (uint64_t ticks = 0; ticks < now + 5; ticks++) {
        uint32_t found = module_then(&map, ticks, address), right = look_through(modules, lives, LIVES, ticks, address);
        /* Where nothing else ever was, the time is not asked. */
        if (right != found)
          assert_true(right >= MODULE_MAP_UNKNOWN && module_map_code(&map, ticks, address) == address);
      }
    module_map_free(&map);
  }
}

static void doubts(void **state)
{
  const struct module_range modules[] = {{10, 20, true, false}, {30, 40, false, false}};
  const struct module_life lives[] = {{0, 0, 0, EVER, EVER}, {1, 0, 1, EVER, EVER}};
  const struct module_doubt unsure[] = {{10, 20}, {30, EVER}};
  struct module_map map;
  (void)state;
  assert_true(module_map_make(&map, modules, 2, lives, 2, unsure, 2));
  assert_int_equal(module_then(&map, 15, 10), 0);
  assert_int_equal(module_then(&map, 10, 30), 1);
  assert_int_equal(module_then(&map, 15, 30), MODULE_MAP_UNKNOWN);
  assert_int_equal(module_then(&map, 20, 30), 1);
  assert_int_equal(module_then(&map, 31, 30), MODULE_MAP_UNKNOWN);
  assert_int_equal(module_then(&map, 15, 25), MODULE_MAP_UNKNOWN); /* one that was never listed */
  assert_int_equal(module_then(&map, 25, 25), MODULE_MAP_NONE);
  module_map_free(&map);
}

/* As many as a process may list: in time one after the other, or each over the one before: not quadratic. */
static void many_modules(void **state)
{
  enum { COUNT = 65536 };
  struct module_range *modules = calloc(COUNT, sizeof *modules);
  struct module_life *lives = calloc(COUNT, sizeof *lives);
  struct module_map map;
  (void)state;
  for (uint32_t i = 0; i < COUNT; i++) {
    modules[i] = (struct module_range){.start = 1000, .end = 1100 + i % 16};
    lives[i] =
        (struct module_life){.module = i, .since = 10 * i, .seen = 10 * i + 1, .last = 10 * i + 8, .gone = 10 * i + 9};
  }
  assert_true(module_map_make(&map, modules, COUNT, lives, COUNT, NULL, 0));
  for (uint32_t i = 0; i < COUNT; i++)
    assert_int_equal(module_then(&map, 10 * i + 5, 1050), i);
  module_map_free(&map);
  for (uint32_t i = 0; i < COUNT; i++)
    modules[i] = (struct module_range){.start = i, .end = 2 * COUNT - i};
  assert_true(module_map_make(&map, modules, COUNT, lives, COUNT, NULL, 0));
  assert_int_equal(module_then(&map, 5, COUNT), MODULE_MAP_NONE); /* too entangled: nothing is said */
  module_map_free(&map);
  free(modules);
  free(lives);
}

UNIT_TEST(module_map)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(places_that_need_no_time),
      cmocka_unit_test(numbers_are_no_addresses),
      cmocka_unit_test(is_what_a_search_would_find),
      cmocka_unit_test(doubts),
      cmocka_unit_test(many_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
