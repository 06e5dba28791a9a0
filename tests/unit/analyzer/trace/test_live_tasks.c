/* Live tasks against a plain array: a task is found from its creation to its end, as it was created. */
#include "analyzer/trace/edges/edges.h"
#include "base/count_of.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { TEAMS = 3, CREATORS = 7, NAMES_MOST = TEAMS * CREATORS * 150, STEPS = 200000 };

struct known {
  uint32_t location; /* 0: not there */
  uint64_t number;
};

/* A step creates a task, in place of one of the same name if there is one, or ends one if it is there. */
static void live(uint32_t names)
{
  static struct known known[NAMES_MOST];
  struct live_tasks tasks = {0};
  uint64_t seed = 7, last = 0;
  size_t count = 0;
  memset(known, 0, sizeof known);
  for (uint32_t step = 1; step <= STEPS; step++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint32_t name = (uint32_t)(seed >> 33) % names;
    struct live_task task = {.team = name % TEAMS,
                             .creator = name / TEAMS % CREATORS,
                             .generation = name / (TEAMS * CREATORS),
                             .location = step};
    struct live_task *found = live_tasks_find(&tasks, task.team, task.creator, task.generation);
    assert_int_equal(found ? found->location : 0, known[name].location);
    assert_true(!found || found->number == known[name].number);
    if ((seed >> 60) % 2) {
      count += !found;
      assert_true(live_tasks_create(&tasks, task));
      known[name] = (struct known){step, ++last};
    } else if (found) {
      live_tasks_end(&tasks, found);
      known[name].location = 0;
      count--;
    }
    assert_int_equal(tasks.count, count);
  }
  live_tasks_free(&tasks);
}

/* They collide, come back and replace each other. */
static void of_few_names(void **state)
{
  (void)state;
  live(NAMES_MOST / 30);
}

/* There are ever more of them. */
static void of_many_names(void **state)
{
  (void)state;
  live(NAMES_MOST);
}

/* The i-th of names that have the same key, of generation i ^ 1; the last name has another key. */
enum { NAMES = 4 };

static struct live_task named(uint64_t i)
{
  uint64_t factor = live_tasks_key(0, 1, 0), inverse = factor; /* modulo 2^64, by Newton's method */
  for (int step = 0; step < 5; step++)
    inverse *= 2 - factor * inverse;
  uint64_t pair = i * inverse;
  struct live_task task = {.team = (uint32_t)(pair >> 32),
                           .creator = (uint32_t)pair,
                           .generation = i < NAMES - 1 ? (uint32_t)i ^ 1 : 0,
                           .location = (uint32_t)i};
  assert_int_equal(live_tasks_key(task.team, task.creator, task.generation), i < NAMES - 1 ? 1 : i);
  return task;
}

static struct live_task *find(const struct live_tasks *tasks, uint64_t i)
{
  struct live_task name = named(i);
  return live_tasks_find(tasks, name.team, name.creator, name.generation);
}

/* Names with the same key are distinguished, in any order of ends and creations. */
static void of_names_with_one_key(void **state)
{
  (void)state;
  static const uint8_t orders[][NAMES] = {{0, 1, 2, 3}, {2, 1, 0, 3}, {1, 0, 3, 2}, {3, 1, 2, 0}};
  struct live_tasks tasks = {0};
  for (unsigned order = 0; order < COUNT_OF(orders); order++) {
    for (uint32_t i = 0; i < NAMES; i++)
      assert_true(live_tasks_create(&tasks, named(i)));
    bool lives[NAMES] = {true, true, true, true};
    for (unsigned ended = 0; ended < NAMES; ended++) {
      live_tasks_end(&tasks, find(&tasks, orders[order][ended]));
      lives[orders[order][ended]] = false;
      for (uint32_t i = 0; i < NAMES; i++) {
        const struct live_task *found = find(&tasks, i);
        assert_int_equal(found != NULL, lives[i]);
        assert_true(!found || found->location == i);
      }
    }
    assert_int_equal(tasks.count, 0);
    assert_int_equal(tasks.places.count, NAMES);
  }
  live_tasks_free(&tasks);
}

UNIT_TEST(live_tasks)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_few_names),
      cmocka_unit_test(of_many_names),
      cmocka_unit_test(of_names_with_one_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
