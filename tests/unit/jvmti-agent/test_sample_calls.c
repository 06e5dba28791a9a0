/* The tree of sampled calls: equal stacks have one number, which leads to all their frames. It also holds where the
 * tree is full, where several threads add calls, and where a handler interrupts one that does. */
#include "common/raw/raw_trace.h"
#include "jvmti-agent/sample_calls.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define MOST    4096u
#define DEPTH   8
#define THREADS 4

static struct call_frame frame(uintptr_t method, int32_t bytecode)
{
  return (struct call_frame){.bytecode = bytecode, .method = (void *)method}; // NOLINT(performance-no-int-to-ptr)
}

/* A stack of its own for each seed; stacks of near seeds have callers in common. */
static uint32_t make_stack(uint32_t seed, struct call_frame stack[DEPTH])
{
  uint32_t depth = 1 + seed % DEPTH;
  for (uint32_t i = 0; i < depth; i++)
    stack[depth - 1 - i] = frame(0x7f0000001000 + 8 * (uintptr_t)(seed >> (depth - i)), (int32_t)i - 1);
  return depth;
}

static void expect_stack(uint32_t number, const struct call_frame *stack, uint32_t depth, uint32_t above)
{
  struct sample_call call = {.caller = number};
  for (uint32_t i = 0; i < depth; i++) {
    uint32_t at = call.caller;
    assert_true(sample_calls_get(at, &call));
    assert_ptr_equal(call.method, stack[i].method);
    assert_int_equal(call.bytecode, stack[i].bytecode);
    assert_true(call.caller < at);
  }
  assert_int_equal(call.caller, above);
}

static int open_table(void **state)
{
  (void)state;
  return sample_calls_open(MOST) ? 0 : -1;
}

/* First: nothing was added before. */
static void equal_stacks_have_one_number(void **state)
{
  (void)state;
  const struct call_frame stack[] = {frame(0x30, 7), frame(0x20, 0), frame(0x10, -1)};
  assert_int_equal(sample_calls_end(), RAW_CALL_FIRST);
  uint32_t number = sample_calls_add(stack, 3, false);
  assert_int_equal(number, RAW_CALL_FIRST + 2);
  expect_stack(number, stack, 3, 0);
  assert_int_equal(sample_calls_add(stack, 3, false), number);
  assert_int_equal(sample_calls_end(), RAW_CALL_FIRST + 3);
  assert_int_equal(sample_calls_add(stack + 1, 2, false), RAW_CALL_FIRST + 1);
}

static void all_of_a_call_counts(void **state)
{
  (void)state;
  const struct call_frame stacks[][2] = {{frame(0x30, 7), frame(0x10, -1)},
                                         {frame(0x30, 8), frame(0x10, -1)},
                                         {frame(0x38, 7), frame(0x10, -1)},
                                         {frame(0x30, 7), frame(0x10, 0)},
                                         {frame(0x10, -1), frame(0x30, 7)}};
  enum { N = sizeof stacks / sizeof *stacks };
  uint32_t numbers[2 * N];
  for (unsigned i = 0; i < 2 * N; i++) {
    numbers[i] = sample_calls_add(stacks[i / 2], 2, i % 2);
    expect_stack(numbers[i], stacks[i / 2], 2, i % 2 ? RAW_CALL_CUT : 0);
    for (unsigned k = 0; k < i; k++)
      assert_int_not_equal(numbers[i], numbers[k]);
  }
}

static void a_number_that_nobody_has_is_none(void **state)
{
  (void)state;
  struct sample_call call;
  assert_false(sample_calls_get(0, &call));
  assert_false(sample_calls_get(RAW_CALL_CUT, &call));
  assert_false(sample_calls_get(sample_calls_end(), &call));
  assert_false(sample_calls_get(UINT32_MAX, &call));
}

/* All threads add the same stacks, each in an order of its own. */
static void *add_many(void *argument)
{
  uint32_t first = (uint32_t)(uintptr_t)argument, *numbers = test_calloc(1000, sizeof *numbers);
  for (uint32_t i = 0; i < 1000; i++) {
    struct call_frame stack[DEPTH];
    uint32_t seed = (i * 7 + first * 250) % 1000, depth = make_stack(seed, stack);
    numbers[seed] = sample_calls_add(stack, depth, false);
  }
  return numbers;
}

static void threads_find_each_others_calls(void **state)
{
  (void)state;
  pthread_t threads[THREADS];
  void *found[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, add_many, (void *)i), 0); // NOLINT(performance-no-int-to-ptr)
  for (unsigned i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], &found[i]), 0);
  for (uint32_t seed = 0; seed < 1000; seed++) {
    struct call_frame stack[DEPTH];
    uint32_t depth = make_stack(seed, stack), number = ((uint32_t *)found[0])[seed];
    expect_stack(number, stack, depth, 0);
    for (unsigned i = 1; i < THREADS; i++)
      assert_int_equal(((uint32_t *)found[i])[seed], number);
  }
  for (unsigned i = 0; i < THREADS; i++)
    test_free(found[i]);
}

static volatile sig_atomic_t handled;
static volatile uint32_t handled_numbers[64];

static void add_in_handler(int signal)
{
  (void)signal;
  struct call_frame stack[DEPTH];
  int n = handled;
  uint32_t depth = make_stack(5000 + (uint32_t)n % 64, stack);
  handled_numbers[n % 64] = sample_calls_add(stack, depth, false);
  handled = n + 1;
}

static void a_handler_adds_while_its_thread_does(void **state)
{
  (void)state;
  struct sigaction action = {.sa_handler = add_in_handler}, before;
  const struct itimerval often = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200}, never = {.it_value.tv_usec = 0};
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &often, NULL);
  for (uint32_t seed = 5000; handled < 200; seed = 5000 + (seed + 1) % 64) {
    struct call_frame stack[DEPTH];
    uint32_t depth = make_stack(seed, stack);
    expect_stack(sample_calls_add(stack, depth, false), stack, depth, 0);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &before, NULL);
  for (uint32_t i = 0; i < 64; i++) {
    struct call_frame stack[DEPTH];
    uint32_t depth = make_stack(5000 + i, stack);
    expect_stack(handled_numbers[i], stack, depth, 0);
    assert_int_equal(sample_calls_add(stack, depth, false), handled_numbers[i]);
  }
}

/* Last: nothing can be added afterwards. */
static void a_full_tree_refuses_new_calls_and_keeps_the_others(void **state)
{
  (void)state;
  struct call_frame stack[DEPTH], other = frame(0xffff0, 1);
  uint32_t depth = make_stack(77, stack), number = sample_calls_add(stack, depth, false), added = 0;
  for (;
       added <= MOST && sample_calls_add(&(struct call_frame){.bytecode = (int32_t)added, .method = &other}, 1, false);)
    added++;
  assert_in_range(added, 1, MOST);
  assert_int_equal(sample_calls_end(), RAW_CALL_FIRST + MOST);
  for (int i = 0; i < 1000; i++)
    assert_int_equal(sample_calls_add(&other, 1, false), 0);
  assert_int_equal(sample_calls_end(), RAW_CALL_FIRST + MOST);
  assert_int_equal(sample_calls_add(stack, depth, false), number);
  expect_stack(number, stack, depth, 0);
}

UNIT_TEST(sample_calls)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_stacks_have_one_number),
      cmocka_unit_test(all_of_a_call_counts),
      cmocka_unit_test(a_number_that_nobody_has_is_none),
      cmocka_unit_test(threads_find_each_others_calls),
      cmocka_unit_test(a_handler_adds_while_its_thread_does),
      cmocka_unit_test(a_full_tree_refuses_new_calls_and_keeps_the_others),
  };
  return cmocka_run_group_tests(tests, open_table, NULL);
}
