/* A growing array and a table, against what they must hold. */
#include "base/apart.h"
#include "base/count_of.h"
#include "base/hash.h"
#include "base/vector.h"
#include "tests/unit/unit.h"

static uint64_t next_random(uint64_t *state)
{
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

static void an_array_keeps_what_is_pushed(void **state)
{
  (void)state;
  enum { ITEMS = 1000 };
  VECTOR(uint64_t) list = {0};
  for (uint64_t i = 0; i < ITEMS; i++)
    assert_true(vector_push(&list, i * i));
  assert_int_equal(list.count, ITEMS);
  for (uint64_t i = 0; i < ITEMS; i++)
    assert_int_equal(list.items[i], i * i);
  vector_free(&list);
  assert_null(list.items);
  assert_int_equal(list.count, 0);
}

static void an_array_makes_room_once(void **state)
{
  (void)state;
  enum { ITEMS = 1000 };
  VECTOR(uint64_t) list = {0};
  assert_true(vector_make_room(&list, 0));
  assert_null(list.items);
  assert_true(vector_make_room(&list, ITEMS));
  assert_int_equal(list.count, 0);
  assert_true(list.room >= ITEMS);
  const uint64_t *items = list.items;
  for (uint64_t i = 0; i < ITEMS; i++)
    assert_true(vector_push(&list, i));
  assert_ptr_equal(list.items, items);
  size_t room = list.room;
  assert_true(vector_make_room(&list, room + 1));
  assert_true(list.room >= 2 * room);
  vector_free(&list);
}

/* An array of few takes no more than it was given, until it grows. */
static void an_array_has_just_the_room_it_is_given(void **state)
{
  (void)state;
  VECTOR(uint64_t) list = {0};
  assert_true(vector_set_room(&list, 2));
  assert_int_equal(list.room, 2);
  assert_true(vector_push(&list, 7) && vector_push(&list, 8));
  assert_int_equal(list.room, 2);
  assert_true(vector_push(&list, 9));
  assert_int_equal(list.room, 4);
  assert_true(vector_set_room(&list, 3));
  assert_int_equal(list.room, 3);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(list.items[i], 7 + i);
  vector_free(&list);
}

/* New items are zero, also where others were before. */
static void an_array_is_resized(void **state)
{
  (void)state;
  VECTOR(uint32_t) list = {0};
  assert_true(vector_push(&list, 7) && vector_push(&list, 8) && vector_push(&list, 9));
  assert_true(vector_resize(&list, 1));
  assert_true(vector_resize(&list, 100));
  assert_int_equal(list.count, 100);
  assert_int_equal(list.items[0], 7);
  for (size_t i = 1; i < list.count; i++)
    assert_int_equal(list.items[i], 0);
  vector_free(&list);
}

/* The macros of vector.h call this. */
static bool out_of_memory;
#define reallocarray(...) (out_of_memory ? NULL : (reallocarray)(__VA_ARGS__))

static void without_memory_nothing_changes(void **state)
{
  (void)state;
  VECTOR(uint64_t) list = {0};
  assert_true(vector_push(&list, 7));
  size_t room = list.room;
  out_of_memory = true;
  assert_true(vector_make_room(&list, room));
  assert_false(vector_make_room(&list, room + 1));
  assert_false(vector_set_room(&list, room + 1));
  assert_false(vector_resize(&list, room + 1));
  assert_true(vector_resize(&list, room));
  assert_false(vector_push(&list, 8));
  out_of_memory = false;
  assert_int_equal(list.count, room);
  assert_int_equal(list.room, room);
  assert_int_equal(list.items[0], 7);
  assert_int_equal(list.items[1], 0);
  vector_free(&list);
}

/* The sanitizers see an item beyond the room. */
static void a_public_array_grows_at_powers_of_two(void **state)
{
  (void)state;
  enum { ITEMS = 100 };
  uint64_t *items = NULL, count = 0;
  while (count < ITEMS) {
    assert_true(array_make_room(items, count));
    items[count] = count * count;
    count++;
  }
  for (uint64_t i = 0; i < ITEMS; i++)
    assert_int_equal(items[i], i * i);
  const uint64_t *before = items;
  out_of_memory = true;
  assert_true(array_make_room(items, 100));
  assert_false(array_make_room(items, 128));
  out_of_memory = false;
  assert_ptr_equal(items, before);
  free(items);
}

static void arrays_have_a_size(void **state)
{
  (void)state;
  static const uint64_t three[3];
  static const char *const one[] = {"one"};
  assert_int_equal(COUNT_OF(three), 3);
  assert_int_equal(COUNT_OF(one), 1);
}

/* Adds and removes at random; an array says what must be there. */
static void a_table_has_what_was_added_and_not_removed(void **state)
{
  (void)state;
  enum { KEYS = 300, STEPS = 20000 };
  static uint64_t values[KEYS]; /* 0: not there */
  uint64_t seed = 4711, there = 0;
  struct hash hash = {0};
  assert_null(hash_find(&hash, 1));
  for (unsigned step = 1; step <= STEPS; step++) {
    uint64_t number = next_random(&seed) % KEYS, key = number << (number % 3 * 24); /* near ones and far ones */
    uint64_t *value = hash_find(&hash, key);
    assert_int_equal(value ? *value : 0, values[number]);
    if (value) {
      hash_remove(&hash, key);
      values[number] = 0;
      there--;
    } else {
      assert_non_null(hash_add(&hash, key, step));
      values[number] = step;
      there++;
    }
    assert_int_equal(hash.count, there);
  }
  hash_free(&hash);
  assert_null(hash_find(&hash, 0));
}

struct linked {
  struct hash_link link;
  uint64_t key;
  bool there;
};

/* Each key has the items that were added and not removed, the newest first. */
static void items_of_one_key_are_chained(void **state)
{
  (void)state;
  enum { ITEMS = 300, KEYS = 40 };
  static struct linked items[ITEMS];
  struct hash hash = {0};
  unsigned random = 1;
  for (int step = 0; step < 20000; step++) {
    struct linked *item = &items[rand_r(&random) % ITEMS];
    if (item->there) {
      hash_chain_remove(&hash, item->key, &item->link);
    } else {
      item->key = (uint64_t)rand_r(&random) % KEYS;
      assert_true(hash_chain_add(&hash, item->key, &item->link));
      assert_ptr_equal(hash_chain_first(&hash, item->key), &item->link);
    }
    item->there = !item->there;
  }
  size_t there = 0, found = 0, keys = 0;
  for (size_t i = 0; i < ITEMS; i++)
    there += items[i].there;
  for (uint64_t key = 0; key < KEYS; key++) {
    const struct hash_link *link = hash_chain_first(&hash, key);
    keys += link != NULL;
    for (; link; link = link->next, found++) {
      assert_true(((const struct linked *)link)->there);
      assert_int_equal(((const struct linked *)link)->key, key);
    }
  }
  assert_int_equal(found, there);
  assert_int_equal(hash.count, keys);
  hash_free(&hash);
}

static void texts_have_keys(void **state)
{
  (void)state;
  assert_int_equal(hash_text(0, "text"), hash_text(0, "text"));
  assert_true(hash_text(0, "text") != hash_text(0, "texts"));
  assert_true(hash_text(0, "text") != hash_text(1, "text"));
  assert_true(hash_text(hash_text(0, "ab"), "c") != hash_text(hash_text(0, "a"), "bc"));
}

static void a_put_adds_or_replaces(void **state)
{
  (void)state;
  struct hash hash = {0};
  assert_true(hash_put(&hash, 5, 1) && hash_put(&hash, 6, 2) && hash_put(&hash, 5, 3));
  assert_int_equal(hash.count, 2);
  assert_int_equal(*hash_find(&hash, 5), 3);
  assert_int_equal(*hash_find(&hash, 6), 2);
  hash_free(&hash);
}

static void slots_keep_items_until_they_are_taken(void **state)
{
  (void)state;
  enum { ITEMS = 100 };
  struct slots slots = {.size = sizeof(uint64_t)};
  for (int round = 0; round < 3; round++) {
    for (uint64_t i = 0; i < ITEMS; i++)
      assert_true(slots_put(&slots, i + 1000, &(uint64_t){i * i}));
    assert_true(slots_put(&slots, 1007, &(uint64_t){7}));
    assert_int_equal(slots.count, ITEMS);
    for (uint64_t i = 0; i < ITEMS; i++) {
      uint64_t item;
      assert_int_equal(*(uint64_t *)slots_find(&slots, i + 1000), i == 7 ? 7 : i * i);
      assert_true(slots_take(&slots, i + 1000, &item));
      assert_int_equal(item, i == 7 ? 7 : i * i);
      assert_false(slots_take(&slots, i + 1000, &item));
    }
    assert_null(slots_find(&slots, 1000));
  }
  slots_free(&slots);
}

/* No two of them have a cache line in common. */
static void memory_apart(void **state)
{
  (void)state;
  for (size_t size = 1; size < 300; size += 37) {
    unsigned char *memory = apart_calloc(3, size);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % CACHE_LINE, 0);
    for (size_t i = 0; i < 3 * size; i++)
      assert_int_equal(memory[i], 0);
    free(memory);
  }
  assert_null(apart_calloc(SIZE_MAX / 2, 3));
  assert_null(apart_calloc(1, SIZE_MAX - 1));
}

UNIT_TEST(containers)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_apart),
      cmocka_unit_test(an_array_keeps_what_is_pushed),
      cmocka_unit_test(an_array_makes_room_once),
      cmocka_unit_test(an_array_has_just_the_room_it_is_given),
      cmocka_unit_test(an_array_is_resized),
      cmocka_unit_test(without_memory_nothing_changes),
      cmocka_unit_test(a_public_array_grows_at_powers_of_two),
      cmocka_unit_test(arrays_have_a_size),
      cmocka_unit_test(a_table_has_what_was_added_and_not_removed),
      cmocka_unit_test(items_of_one_key_are_chained),
      cmocka_unit_test(texts_have_keys),
      cmocka_unit_test(a_put_adds_or_replaces),
      cmocka_unit_test(slots_keep_items_until_they_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
