/* Which module has an address, where modules come, go, and take each other's place. */
#include "otf2-convert/module_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect(const struct module_range *listed, uint32_t count, uint64_t address, uint32_t module)
{
  struct module_map map;
  assert_true(module_map_make(&map, listed, count));
  assert_int_equal(module_map_find(&map, address), module);
  module_map_free(&map);
}

static void the_last_one_listed_counts(void **state)
{
  const struct module_range listed[] = {{10, 50, 0}, {60, 70, 1}, {20, 30, 2}, {25, 65, 3},
                                        {5, 5, 4},   {70, 60, 5}, {40, 41, 6}, {10, 20, 0}};
  (void)state;
  expect(listed, 8, 9, MODULE_MAP_NONE);
  expect(listed, 8, 10, 0);
  expect(listed, 8, 20, 2);
  expect(listed, 8, 24, 2);
  expect(listed, 8, 25, 3);
  expect(listed, 8, 40, 6);
  expect(listed, 8, 41, 3);
  expect(listed, 8, 64, 3);
  expect(listed, 8, 65, 1);
  expect(listed, 8, 69, 1);
  expect(listed, 8, 70, MODULE_MAP_NONE);
  expect(listed, 8, UINT64_MAX, MODULE_MAP_NONE);
  expect(listed, 0, 10, MODULE_MAP_NONE);
  expect((const struct module_range[]){{0, UINT64_MAX, 9}}, 1, UINT64_MAX - 1, 9);
}

/* The same as looking through the list from its end. */
static void is_what_a_search_would_find(void **state)
{
  uint32_t random = 12345;
  (void)state;
  for (unsigned round = 0; round < 300; round++) {
    struct module_range listed[40];
    uint32_t count = round % 40;
    for (uint32_t i = 0; i < count; i++) {
      random = random * 1664525 + 1013904223;
      uint64_t start = random >> 8 & 63;
      listed[i] = (struct module_range){.start = start, .end = start + (random >> 20 & 31), .module = i % 7};
    }
    struct module_map map;
    assert_true(module_map_make(&map, listed, count));
    for (uint64_t address = 0; address < 110; address++) {
      uint32_t i = count;
      while (i-- > 0 && (address < listed[i].start || address >= listed[i].end))
        ;
      assert_int_equal(module_map_find(&map, address), i == UINT32_MAX ? MODULE_MAP_NONE : listed[i].module);
    }
    module_map_free(&map);
  }
}

/* As many as a process may list, each over the one before: neither quadratic, nor more ranges than needed. */
static void many_modules(void **state)
{
  enum { COUNT = 65536 };
  struct module_range *listed = calloc(COUNT, sizeof *listed);
  struct module_map map;
  (void)state;
  for (uint32_t i = 0; i < COUNT; i++)
    listed[i] = (struct module_range){.start = i, .end = 2 * COUNT - i, .module = i};
  assert_true(module_map_make(&map, listed, COUNT));
  assert_int_equal(map.ranges.count, 2 * COUNT - 1);
  assert_int_equal(module_map_find(&map, COUNT), COUNT - 1);
  assert_int_equal(module_map_find(&map, 2 * COUNT - 1), 0);
  module_map_free(&map);
  for (uint32_t i = 0; i < COUNT; i++)
    listed[i] = (struct module_range){.start = 100, .end = 200, .module = 1};
  assert_true(module_map_make(&map, listed, COUNT));
  assert_int_equal(map.ranges.count, 1);
  module_map_free(&map);
  free(listed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_one_listed_counts),
      cmocka_unit_test(is_what_a_search_would_find),
      cmocka_unit_test(many_modules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
