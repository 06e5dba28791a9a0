/* The containers of analyses: the map of references and the queue of items. */
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/pass/subscriber.h"
#include "tests/unit/unit.h"

/* References that are dense, sparse, around the end of the small ones, and as large as OTF2 allows. */
static uint64_t key_at(uint32_t i)
{
  switch (i % 4) {
  case 0:
    return i;
  case 1:
    return (uint64_t)i << 32;
  case 2:
    return REF_MAP_SMALL - 1000 + i;
  default:
    return UINT64_MAX - i;
  }
}

static void references(void **state)
{
  (void)state;
  enum { KEYS = 5000 };
  struct ref_map map = {0};
  assert_int_equal(ref_map_get(&map, 0), REF_MAP_NONE);
  for (uint32_t i = 0; i < KEYS; i++)
    assert_true(ref_map_set(&map, key_at(i), i));
  for (uint32_t i = 0; i < KEYS; i++)
    assert_int_equal(ref_map_get(&map, key_at(i)), i);
  assert_int_equal(ref_map_get(&map, 1), REF_MAP_NONE);
  assert_int_equal(ref_map_get(&map, (uint64_t)1 << 40), REF_MAP_NONE);
  for (uint32_t i = 0; i < KEYS; i++)
    assert_true(ref_map_set(&map, key_at(i), KEYS + i));
  for (uint32_t i = 0; i < KEYS; i++)
    assert_int_equal(ref_map_get(&map, key_at(i)), KEYS + i);
  ref_map_free(&map);
}

/* Items leave the queue in the order in which they entered it, for any number at a time. */
static void items(void **state)
{
  (void)state;
  struct item_queue queue = {.size = sizeof(uint64_t)};
  uint64_t in = 0, out = 0;
  for (unsigned round = 0; round < 1000; round++) {
    for (unsigned i = 0; i < round % 97; i++) {
      uint64_t *item = item_queue_add(&queue);
      assert_non_null(item);
      *item = in++;
    }
    assert_int_equal(item_queue_count(&queue), in - out);
    for (unsigned i = 0; i < round % 89 && item_queue_count(&queue) > 0; i++) {
      assert_int_equal(*(uint64_t *)item_queue_first(&queue), out++);
      item_queue_drop_first(&queue);
    }
  }
  for (; item_queue_first(&queue); item_queue_drop_first(&queue))
    assert_int_equal(*(uint64_t *)item_queue_first(&queue), out++);
  assert_int_equal(in, out);
  assert_in_range(queue.room, 1, 1 << 14); /* places are used again */
  item_queue_free(&queue);
}

/* A queue that is filled and emptied again and again keeps its room, unless it is to give it back. */
static void room_of_items(void **state)
{
  (void)state;
  struct item_queue queue = {.size = sizeof(uint64_t)};
  for (unsigned i = 0; i < 1000; i++)
    assert_non_null(item_queue_add(&queue));
  size_t room = queue.room;
  while (item_queue_count(&queue) > 1)
    item_queue_step(&queue);
  assert_int_equal(queue.room, room);
  item_queue_give_back(&queue);
  assert_true(queue.room < room / 4);
  assert_int_equal(item_queue_count(&queue), 1);
  item_queue_free(&queue);
}

UNIT_TEST(containers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(references),
      cmocka_unit_test(items),
      cmocka_unit_test(room_of_items),
  };
  return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
