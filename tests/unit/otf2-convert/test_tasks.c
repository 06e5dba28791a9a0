/* Task ids: whose they are, how long they are known, and that a broken trace cannot make the table grow without end. */
#include "otf2-convert/scan/teams.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

struct fixture {
  struct task_table table;
  atomic_uint pages;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  f->table.page_count = &f->pages;
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  task_table_free(&f->table);
  free(f);
  return 0;
}

static uint64_t id_in(uint64_t block, uint64_t serial)
{
  return block << RAW_ID_BLOCK_SHIFT | serial;
}

static bool add(struct fixture *f, uint64_t id, uint32_t owner, uint64_t *last)
{
  struct task task = {.code = id & 0xffff, .creator = owner};
  return task_table_add(&f->table, id, owner, task, last);
}

static void ids_belong_to_their_blocks_owner(void **state)
{
  struct fixture *f = *state;
  uint64_t last = 0, others_last = 0;
  assert_true(task_table_open_block(&f->table, 3, 7));
  assert_true(task_table_open_block(&f->table, 3, 8)); /* it has an owner, who keeps it */
  assert_true(add(f, id_in(3, 1), 7, &last));
  assert_true(add(f, id_in(3, 2), 8, &others_last));
  assert_true(add(f, id_in(4, 1), 7, &last)); /* nobody's */
  assert_int_equal(task_table_find(&f->table, id_in(3, 1))->creator, 7);
  assert_null(task_table_find(&f->table, id_in(3, 2)));
  assert_null(task_table_find(&f->table, id_in(4, 1)));
  assert_null(task_table_find(&f->table, UINT64_MAX));
  assert_true(task_table_open_block(&f->table, 1ull << 40, 7)); /* there is no such block */
}

/* A page goes when no further task can come into it and all that were in it have ended. */
static void pages_go_when_their_tasks_have_ended(void **state)
{
  struct fixture *f = *state;
  uint64_t last = 0;
  assert_true(task_table_open_block(&f->table, 1, 0));
  for (uint64_t serial = 0; serial < TASKS_A_PAGE; serial++)
    assert_true(add(f, id_in(1, serial), 0, &last));
  for (uint64_t serial = 0; serial + 1 < TASKS_A_PAGE; serial++)
    assert_false(task_table_end(&f->table, id_in(1, serial)));
  assert_true(add(f, id_in(1, TASKS_A_PAGE), 0, &last));
  assert_int_equal(f->pages, 2);
  assert_true(task_table_end(&f->table, id_in(1, TASKS_A_PAGE - 1)));
  task_table_free_page(&f->table, id_in(1, 0));
  task_table_free_page(&f->table, id_in(1, 0)); /* another thread says so, too */
  assert_int_equal(f->pages, 1);
  assert_null(task_table_find(&f->table, id_in(1, 5)));
  assert_non_null(task_table_find(&f->table, id_in(1, TASKS_A_PAGE)));
}

static void there_is_room_for_so_many_pages(void **state)
{
  struct fixture *f = *state;
  uint64_t last = 0;
  assert_true(task_table_open_block(&f->table, 1, 0));
  for (uint64_t page = 0; page < 2 * TASK_PAGES_MAX; page++)
    assert_true(add(f, id_in(1, page * TASKS_A_PAGE), 0, &last));
  assert_int_equal(f->pages, TASK_PAGES_MAX);
  assert_non_null(task_table_find(&f->table, id_in(1, 0)));
  assert_non_null(task_table_find(&f->table, id_in(1, (TASK_PAGES_MAX - 1) * TASKS_A_PAGE)));
  assert_null(task_table_find(&f->table, id_in(1, TASK_PAGES_MAX * TASKS_A_PAGE)));
  assert_true(task_table_end(&f->table, id_in(1, 0))); /* makes room */
  task_table_free_page(&f->table, id_in(1, 0));
  assert_true(add(f, id_in(1, TASK_PAGES_MAX * TASKS_A_PAGE), 0, &last));
  assert_non_null(task_table_find(&f->table, id_in(1, TASK_PAGES_MAX * TASKS_A_PAGE)));
}

UNIT_TEST(tasks)
{
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(ids_belong_to_their_blocks_owner),
      TEST(pages_go_when_their_tasks_have_ended),
      TEST(there_is_room_for_so_many_pages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
