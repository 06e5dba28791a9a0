/* Names of counters, and what the recorder gets of them. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/unit.h"

#include "analyzer/record/launch/machine_counters.h"
#include "analyzer/record/launch/processor_counters.h"
#include "base/count_of.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static struct machine_counters counters;

static void names_become_numbers(void **state)
{
  (void)state;
  static const struct {
    const char *names, *setting;
  } cases[] = {{"instructions", "instructions=p:0:1:0"},
               {"cycles:u,cycles:k", "cycles:u=p:0:0:2,cycles:k=p:0:0:1"},
               {"LLC-misses", "LLC-misses=p:3:10002:0"},
               {"r1b7", "r1b7=p:4:1b7:0"},
               {"page-faults,task-clock", "page-faults=u:0,task-clock=c:0"},
               {"page-faults:u", "page-faults:u=p:1:2:2"},
               {"context-switches", "context-switches=u:3"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *wrong;
    int length;
    assert_null(machine_counters_read(&counters, cases[i].names, &wrong, &length));
    char *setting = machine_counters_setting(&counters);
    assert_string_equal(setting, cases[i].setting);
    free(setting);
  }
}

static void mistakes_are_named(void **state)
{
  (void)state;
  static const struct {
    const char *names, *wrong, *why;
  } cases[] = {
      {"", "", "is no counter"},
      {"cycles,", "", "is no counter"},
      {"cycles,nonsense,branches", "nonsense", "is no counter"},
      {"cycle", "cycle", "is no counter"},
      {"rxyz", "rxyz", "is no counter"},
      {"cycles:x", "cycles:x", "ends in neither"},
      {"cycles:uk", "cycles:uk", "ends in neither"},
      {"cycles,cycles", "cycles", "is there twice"},
      {"context-switches:u", "context-switches:u", "has no part"},
      {"r1,r2,r3,r4,r5,r6,r7,r8,r9", "r9", "is one counter too many"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const char *wrong;
    int length;
    const char *why = machine_counters_read(&counters, cases[i].names, &wrong, &length);
    assert_non_null(why);
    assert_says(why, cases[i].why);
    assert_int_equal(length, strlen(cases[i].wrong));
    assert_memory_equal(wrong, cases[i].wrong, (size_t)length);
  }
}

/* What the kernel adds up for each thread needs neither permission nor a processor that counts. */
static void sums_of_the_kernel_are_always_there(void **state)
{
  (void)state;
  struct machine_counter counter;
  unsigned sums = 0;
  for (size_t i = 0; machine_counter_known(i, &counter); i++) {
    machine_counter_try(&counter);
    if (counter.sums)
      assert_int_equal(counter.refused, 0);
    sums += counter.sums != NULL;
    assert_non_null(machine_counter_reason(counter.refused ? counter.refused : ENOENT));
  }
  assert_int_equal(sums, 5);
}

static void the_command_says_what_there_is(void **state)
{
  (void)state;
  static struct outcome outcome;
  run(&outcome, KEEP_OUTPUT, "counters --csv");
  assert_int_equal(outcome.status, 0);
  assert_says(outcome.out, "\npage-faults,kernel,yes,,");
  assert_says(outcome.out, "instructions");
  run(&outcome, KEEP_OUTPUT, "counters --setting page-faults,task-clock");
  assert_int_equal(outcome.status, 0);
  assert_string_equal(outcome.out, "page-faults=u:0,task-clock=c:0\n");
  run(&outcome, KEEP_ERRORS, "counters nonsense");
  assert_int_equal(outcome.status, 2);
  assert_one_line(outcome.out);
  run(&outcome, KEEP_ERRORS, "counters --setting");
  assert_int_equal(outcome.status, 2);
  run(&outcome, KEEP_ERRORS, "record --counters nonsense -- true");
  assert_int_equal(outcome.status, 2);
  assert_one_line(outcome.out);
  run(&outcome, KEEP_ERRORS, "record --profile --counters page-faults -- true");
  assert_int_equal(outcome.status, 2);
  assert_one_line(outcome.out);
}

/* Whatever this machine's processors have: the caller may use the same ones afterwards, and one alone agrees with
 * itself. */
static void processors_are_compared(void **state)
{
  cpu_set_t before, after, one;
  (void)state;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  enum processor_counters found = processor_counters_compare();
  assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
  assert_true(CPU_EQUAL(&before, &after));
  int first = 0;
  while (!CPU_ISSET(first, &before))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  enum processor_counters alone = processor_counters_compare();
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  assert_true(alone == COUNTERS_AGREE || (alone == COUNTERS_UNKNOWN && found == COUNTERS_UNKNOWN));
}

UNIT_TEST(machine_counters)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_become_numbers),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(sums_of_the_kernel_are_always_there),
      cmocka_unit_test(the_command_says_what_there_is),
      cmocka_unit_test(processors_are_compared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
