/* Timers of threads' processor time. That they send samples is for tests/end-to-end. */
#include "jvmti-agent/sample_timers.h"
#include "tests/unit/unit.h"

#include <unistd.h>

static void a_thread_gets_another_timer_after_the_end_of_all(void **state)
{
  (void)state;
  const uint64_t hour = 3600000000000u;
  for (int i = 0; i < 3; i++) {
    assert_false(sample_timers_has(gettid()));
    assert_int_equal(sample_timers_begin(gettid(), SIGRTMIN, hour, NULL), 0);
    assert_true(sample_timers_has(gettid()));
    sample_timers_end_all();
  }
}

UNIT_TEST(sample_timers)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_gets_another_timer_after_the_end_of_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
