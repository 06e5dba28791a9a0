/* Which clock is chosen and why: each case in a child, for the choice is for good. */
#include "common/recorder/clock.h"
#include "common/recorder/clock_choice.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child chooses where HEDDLE_CLOCK is `asked`; its status: 0 tsc, 1 monotonic; 2: neither, or not for `why`. */
static int choose(const char *asked, const char *why, bool forbidden)
{
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (asked)
      setenv("HEDDLE_CLOCK", asked, 1);
    else
      unsetenv("HEDDLE_CLOCK");
#if defined(PR_SET_TSC)
    if (forbidden && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
      _exit(3);
#endif
    clock_choose();
    _exit(clock_is_tsc == clock_is_monotonic() || (why && strcmp(why, clock_why()) != 0) ? 2 : clock_is_monotonic());
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

#define EXIT(status) ((status) << 8)

static void boot_id(char *text, size_t size)
{
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  assert_non_null(file);
  assert_non_null(fgets(text, (int)size, file));
  text[strcspn(text, "\n")] = '\0';
  fclose(file);
}

static void one_can_ask_for_a_clock(void **state)
{
  const char *fault = clock_counter_fault();
  (void)state;
  assert_int_equal(choose("monotonic", "HEDDLE_CLOCK asks for it", false), EXIT(1));
  assert_int_equal(choose("tsc", fault ? fault : "HEDDLE_CLOCK asks for it", false), EXIT(fault != NULL));
}

static void a_verdict_counts_for_this_machine(void **state)
{
  const char *fault = clock_counter_fault();
  char id[64], text[128];
  (void)state;
  boot_id(id, sizeof id);
  snprintf(text, sizeof text, CLOCK_DIFFER "%s", id);
  assert_int_equal(choose(text, fault ? fault : "the processors' counters differ", false), EXIT(1));
  snprintf(text, sizeof text, CLOCK_AGREE "%s", id);
  assert_int_equal(choose(text, fault ? fault : "the processors' counters agree", false), EXIT(fault != NULL));
  int alone = choose(NULL, NULL, false);
  assert_int_equal(choose(CLOCK_DIFFER "another", NULL, false), alone);
  assert_int_equal(choose(CLOCK_AGREE, NULL, false), alone);
}

/* clock_gettime may be forbidden with the counter: then the child ends in it, as the program would. */
static void a_forbidden_counter_is_not_read(void **state)
{
  (void)state;
#if defined(__x86_64__)
  int status = choose("monotonic", "HEDDLE_CLOCK asks for it", true);
  assert_true(status == EXIT(1) || WIFEXITED(status));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    const char *fault = clock_counter_fault();
    _exit(!fault || !strstr(fault, "PR_SET_TSC"));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (clock_counter_fault() == NULL) /* else it has another fault */
    assert_int_equal(status, 0);
#endif
}

static void ticks_have_a_length(void **state)
{
  (void)state;
  clock_use(false);
  assert_int_equal(clock_ticks_ns(12345), 12345);
  clock_use(true);
  clock_learn_rate(&(struct clock_anchor){.ticks = 1000, .monotonic_ns = 5000000000});
  clock_learn_rate(&(struct clock_anchor){.ticks = 300001000, .monotonic_ns = 5100000000}); /* 3 ticks a ns */
  assert_in_range(clock_ticks_ns(3000000), 999999, 1000001);
  clock_learn_rate(&(struct clock_anchor){.ticks = 900000000000001000, .monotonic_ns = 5200000000}); /* a jump */
  assert_in_range(clock_ticks_ns(3000000), 999999, 1000001);
  clock_learn_rate(&(struct clock_anchor){.ticks = 900000200000001000, .monotonic_ns = 105200000000});
  assert_in_range(clock_ticks_ns(2000000), 999999, 1000001);
  clock_use(false);
}

static void anchors_are_narrow(void **state)
{
  (void)state;
  clock_use(clock_counter_fault() == NULL);
  uint64_t before = clock_ticks();
  struct clock_anchor anchor = clock_anchor_take(50);
  assert_in_range(anchor.ticks, before, clock_ticks());
  assert_true(anchor.width <= clock_ticks() - before);
  clock_use(false);
}

UNIT_TEST(clock)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_can_ask_for_a_clock),
      cmocka_unit_test(a_verdict_counts_for_this_machine),
      cmocka_unit_test(a_forbidden_counter_is_not_read),
      cmocka_unit_test(ticks_have_a_length),
      cmocka_unit_test(anchors_are_narrow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
