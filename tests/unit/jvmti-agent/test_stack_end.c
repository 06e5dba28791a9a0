/* Near the end of the stack no monitor is recorded; each recorded acquisition has its release. */
#include "jvmti-agent/core/thread_self.h"
#include "tests/unit/unit.h"

#define ZONE  0x700000u
#define FRAME 96u

/* A stack of frames that each hold a monitor. */
static uintptr_t address_of(uintptr_t top, unsigned frame)
{
  return top - (uintptr_t)frame * FRAME;
}

static void far_from_the_end_all_is_told(void **state)
{
  (void)state;
  struct stack_end end = {.zone = ZONE};
  for (unsigned round = 0; round < 3; round++) {
    for (unsigned i = 0; i < 1000; i++)
      assert_int_equal(stack_end_acquired(&end, address_of(ZONE + 1000 * FRAME, i)), STACK_END_REPORT);
    for (unsigned i = 1000; i-- > 0;)
      assert_true(stack_end_released(&end, address_of(ZONE + 1000 * FRAME, i) + (i % 2 ? 2000 : (uintptr_t)-2000)));
  }
}

/* Down into the zone and up again, where the deepest releases fail and the others come from other code. */
static void at_the_end_all_is_released_all_once(void **state)
{
  (void)state;
  uintptr_t top = ZONE + 1000 * FRAME;
  struct stack_end end = {.zone = ZONE};
  for (int off = -3000; off <= 3000; off += 1500) {
    for (unsigned lost = 0; lost < 900; lost += 299) {
      unsigned recorded = 0, released_all = 0;
      for (unsigned i = 0; i < 2000; i++) {
        enum stack_end_report word = stack_end_acquired(&end, address_of(top, i));
        assert_int_equal(word, i <= 1000 ? STACK_END_REPORT : i == 1001 ? STACK_END_RELEASE_ALL : STACK_END_NOTHING);
        recorded += word == STACK_END_REPORT;
        released_all += word == STACK_END_RELEASE_ALL;
      }
      assert_int_equal(recorded, 1001);
      assert_int_equal(released_all, 1);
      /* Releases are recorded again only near the first frame, where the archive has nothing left to release. */
      for (unsigned i = 2000 - lost; i-- > 300;)
        assert_false(stack_end_released(&end, address_of(top, i) + (uintptr_t)off));
      /* Others that are acquired on the way are ignored, too. */
      assert_int_equal(stack_end_acquired(&end, address_of(top, 310)), STACK_END_NOTHING);
      assert_false(stack_end_released(&end, address_of(top, 310)));
    }
    assert_int_equal(stack_end_acquired(&end, address_of(top, 0)), STACK_END_REPORT);
    assert_true(stack_end_released(&end, address_of(top, 0)));
  }
}

static void a_zone_that_is_entered_without_holds_is_left_at_its_edge(void **state)
{
  (void)state;
  struct stack_end end = {.zone = ZONE};
  assert_int_equal(stack_end_acquired(&end, ZONE - FRAME), STACK_END_RELEASE_ALL);
  assert_int_equal(stack_end_acquired(&end, ZONE - 2 * FRAME), STACK_END_NOTHING);
  assert_false(stack_end_released(&end, ZONE - 2 * FRAME));
  assert_false(stack_end_released(&end, ZONE - FRAME));
  assert_int_equal(stack_end_acquired(&end, ZONE), STACK_END_REPORT);
  assert_true(stack_end_released(&end, ZONE));
}

static void the_end_is_that_of_the_own_stack(void **state)
{
  (void)state;
  struct stack_end end = {0};
  assert_int_equal(stack_end_acquired(&end, (uintptr_t)__builtin_frame_address(0)), STACK_END_REPORT);
  assert_true(end.zone > 1 && end.zone < (uintptr_t)__builtin_frame_address(0));
}

UNIT_TEST(stack_end)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(far_from_the_end_all_is_told),
      cmocka_unit_test(at_the_end_all_is_released_all_once),
      cmocka_unit_test(a_zone_that_is_entered_without_holds_is_left_at_its_edge),
      cmocka_unit_test(the_end_is_that_of_the_own_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
