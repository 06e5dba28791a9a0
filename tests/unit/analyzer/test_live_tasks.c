/* The tasks that are not over, against a plain array: what was created and has not ended is found as it was created. */
#include "analyzer/trace/live_tasks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka.h needs the first four. */
#include <cmocka.h>

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

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_few_names),
      cmocka_unit_test(of_many_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
