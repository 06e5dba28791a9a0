/* Emits and turns that a signal handler, a jump or a cancellation interrupts. */
#include "tests/unit/common/recorded_child.h"

#include "common/recorder/recorder.h"
#include "common/recorder/recording.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- Signal handlers --- */

static atomic_uint_fast64_t handled;

static void emit_in_handler(int signal)
{
  (void)signal;
  atomic_fetch_add(&handled, 1);
  recorder_emit(RAW_ERROR, 0, 0);
}

static void record_under_signals(void)
{
  struct sigaction action = {.sa_handler = emit_in_handler};
  sigaction(SIGALRM, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  struct itimerspec often = {{0, 20000}, {0, 20000}};
  timer_settime(timer, 0, &often, NULL);
  for (uint64_t i = 0; atomic_load(&handled) < 500; i++)
    recorder_emit3(RAW_TASK_CREATE, 0, i, i);
  struct itimerspec never = {{0, 0}, {0, 0}};
  timer_settime(timer, 0, &never, NULL);
  recorder_emit(RAW_FLUSH, 0, atomic_load(&handled));
}

/* Every handler's event is recorded, or counted as skipped because it met the thread inside an emit. */
static void test_handlers_are_recorded_or_counted(void **state)
{
  (void)state;
  in_good_child(record_under_signals);
  struct found found = read_only_thread();
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.by_kind[RAW_FLUSH], 1);
  assert_true(found.last >= 500);
  assert_int_equal(found.by_kind[RAW_ERROR] + found.not_measured, found.last);
}

/*
 * A trap: the handler comes with the stack pointer of the very frame that fills the list, at its highest. raise() would
 * be further down the stack.
 */
static inline __attribute__((always_inline)) void interrupt_here(void)
{
#if defined(__x86_64__)
  __asm__ volatile("int3" ::: "memory");
#else
  raise(SIGTRAP);
#endif
}

static void record_lists_under_signals(void)
{
  struct sigaction action = {.sa_handler = emit_in_handler};
  sigaction(SIGTRAP, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (uint64_t i = 0; i < 10; i++) {
    struct recorder *self = recorder_enter_list(2);
    interrupt_here();
    memset(recorder_list(self), 0, 2 * sizeof *recorder_list(self));
    recorder_publish_list(self, RAW_TASK_DEPENDENCES, i, 2);
  }
}

static void test_a_handler_is_told_from_a_jump_while_a_list_is_filled(void **state)
{
  (void)state;
  in_good_child(record_lists_under_signals);
  struct found found = read_only_thread();
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.by_kind[RAW_TASK_DEPENDENCES], 10);
  assert_int_equal(found.by_kind[RAW_ERROR], 0);
  assert_int_equal(found.not_measured, 10);
}

/* So many, over such a time, that a jump without a trace would be taken for what keeps the thread busy. */
static void emit_for_long(int signal)
{
  uint64_t end = clock_monotonic_ns() + 30000000;
  for (int i = 0; i < 1000 || clock_monotonic_ns() < end; i++)
    emit_in_handler(signal);
}

static void record_a_list_under_a_long_handler(void)
{
  struct sigaction action = {.sa_handler = emit_for_long};
  sigaction(SIGTRAP, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  struct recorder *self = recorder_enter_list(2);
  interrupt_here();
  memset(recorder_list(self), 0, 2 * sizeof *recorder_list(self));
  recorder_publish_list(self, RAW_TASK_DEPENDENCES, 1, 2);
  recorder_emit(RAW_FLUSH, 0, atomic_load(&handled));
}

static void test_a_handler_that_takes_long_is_told_from_a_jump(void **state)
{
  if (UNDER_TSAN)
    skip();
  (void)state;
  in_good_child(record_a_list_under_a_long_handler);
  struct found found = read_only_thread();
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.by_kind[RAW_TASK_DEPENDENCES], 1);
  assert_int_equal(found.by_kind[RAW_ERROR], 0);
  assert_true(found.last >= 1000);
  assert_int_equal(found.not_measured, found.last);
}

/* --- Handlers that don't return --- */

static sigjmp_buf out;
static volatile uint64_t jumps;

static void jump_out(int signal)
{
  (void)signal;
  siglongjmp(out, 1);
}

static void record_with_jumps(void)
{
  struct sigaction action = {.sa_handler = jump_out};
  sigaction(SIGALRM, &action, NULL);
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  struct itimerspec often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
  if (sigsetjmp(out, 1))
    jumps++;
  timer_settime(timer, 0, &often, NULL);
  while (jumps < 300)
    recorder_emit(RAW_ERROR, 0, 1);
  timer_settime(timer, 0, &never, NULL);
  count(0, 5000);
  recorder_thread_end();
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
  _exit(state == PTHREAD_CANCEL_ENABLE ? 0 : 3);
}

static void test_a_jump_out_of_an_emit_does_not_silence_the_thread(void **state)
{
  if (UNDER_TSAN)
    skip();
  (void)state;
  in_good_child(record_with_jumps);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 5000);
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.missing, 0);
}

/* What a jump leaves that comes in the middle of a chunk's begin: nobody has the window, and no record may be put. */
static void leave_the_begin_of_a_chunk(struct recorder *self, uint32_t sequence)
{
  self->sequence = sequence;
  self->window->owner = 0;
  atomic_store(&self->limit, NULL);
}

static void record_with_jumps_out_of_begins(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  recorder_thread_begin(1);
  for (uint64_t i = 0; i < 10; i++) {
    recorder_flush();
    leave_the_begin_of_a_chunk(recorder_self, recorder_self->sequence);
    recorder_emit(RAW_FLUSH, 0, i);
    recorder_self->sequence++; /* the jump came before the window was nobody's */
    recorder_emit(RAW_ERROR, 0, i);
  }
  recorder_thread_end();
}

static void test_a_jump_out_of_the_begin_of_a_chunk_loses_none(void **state)
{
  (void)state;
  in_good_child(record_with_jumps_out_of_begins);
  struct found found = read_only_thread();
  assert_int_equal(found.counters, 10);
  assert_int_equal(found.by_kind[RAW_ERROR], 10);
  assert_int_equal(found.bad, 0);
  assert_int_equal(found.missing, 0);
}

/* --- Cancelled asynchronously, in turns above all: the thread has been cancelled, as its joiner sees --- */

static void *count_until_cancelled(void *unused)
{
  (void)unused;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (;;)
    recorder_flush();
  return NULL;
}

static void cancel_many(void)
{
  struct recording_config config = config_of(0, 0);
  recording_open(&config, false);
  for (int i = 0; i < 300; i++) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, count_until_cancelled, NULL);
    usleep(200);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED)
      _exit(3);
  }
}

static void test_threads_that_are_cancelled_in_a_turn_are_cancelled(void **state)
{
  (void)state;
  if (UNDER_TSAN) /* a store with release takes a lock of its own: a thread that is cancelled there keeps it for ever */
    skip();
  in_good_child(cancel_many);
}

UNIT_TEST(recorder_interruptions)
{
  const struct CMUnitTest tests[] = {
      TEST(test_handlers_are_recorded_or_counted),
      TEST(test_a_handler_is_told_from_a_jump_while_a_list_is_filled),
      TEST(test_a_handler_that_takes_long_is_told_from_a_jump),
      TEST(test_threads_that_are_cancelled_in_a_turn_are_cancelled),
      TEST(test_a_jump_out_of_the_begin_of_a_chunk_loses_none),
      TEST(test_a_jump_out_of_an_emit_does_not_silence_the_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
