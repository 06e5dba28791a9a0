/* What takes samples, as users write it. */
#include "analyzer/record/launch/kernel_samples.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct kernel_triggers good(const char *text)
{
  struct kernel_triggers triggers = {.count = 0};
  const char *wrong;
  int length;
  const char *objection = kernel_triggers_read(&triggers, text, &wrong, &length);
  if (objection)
    fail_msg("'%s': %.*s %s", text, length, wrong, objection);
  return triggers;
}

static void expect(const struct kernel_trigger *trigger, const char *name, uint64_t period, bool by_time)
{
  assert_string_equal(trigger->name, name);
  assert_int_equal(trigger->period, period);
  assert_int_equal(trigger->by_time, by_time);
}

static void names_and_periods(void **state)
{
  (void)state;
  struct kernel_triggers triggers = good("cpu");
  assert_int_equal(triggers.count, 1);
  expect(&triggers.list[0], "cpu", 10000000, true);
  triggers = good("500us");
  expect(&triggers.list[0], "cpu", 500000, true);
  triggers = good("cpu:0.25ms,page-faults:7,cache-misses");
  assert_int_equal(triggers.count, 3);
  expect(&triggers.list[0], "cpu", 250000, true);
  expect(&triggers.list[1], "page-faults", 7, false);
  expect(&triggers.list[2], "cache-misses", 10000, false);
  triggers = good("1s");
  expect(&triggers.list[0], "cpu", 1000000000, true);
}

static void bad(const char *text, const char *part, const char *begin)
{
  struct kernel_triggers triggers = {.count = 0};
  const char *wrong;
  int length;
  const char *objection = kernel_triggers_read(&triggers, text, &wrong, &length);
  if (!objection)
    fail_msg("'%s' is accepted", text);
  assert_int_equal(length, (int)strlen(part));
  assert_memory_equal(wrong, part, strlen(part));
  assert_memory_equal(objection, begin, strlen(begin));
}

static void what_is_wrong_is_named(void **state)
{
  (void)state;
  bad("", "", "is no trigger");
  bad("cpu,", "", "is no trigger");
  bad("cycle", "cycle", "is no trigger");
  bad("cpu:1ms,cpus", "cpus", "is no trigger");
  bad("cpu:", "cpu:", "needs the processor time");
  bad("cpu:1", "cpu:1", "needs the processor time");
  bad("cpu:10us", "cpu:10us", "needs the processor time");
  bad("2s", "2s", "needs the processor time");
  bad("1msx", "1msx", "needs the processor time");
  bad("nan", "nan", "is no trigger");
  bad("page-faults:0", "page-faults:0", "needs the number");
  bad("page-faults:-1", "page-faults:-1", "needs the number");
  bad("page-faults:1e9", "page-faults:1e9", "needs the number");
  bad("page-faults:99999999999999999999", "page-faults:99999999999999999999", "needs the number");
  bad("cpu,1ms", "1ms", "is there twice");
  bad("cpu,page-faults,minor-faults,major-faults,alignment-faults,cycles,instructions,branches,branch-misses",
      "branch-misses", "is one trigger too many");
}

UNIT_TEST(triggers)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_periods), cmocka_unit_test(what_is_wrong_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
