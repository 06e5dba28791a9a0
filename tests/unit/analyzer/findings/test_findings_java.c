/* Findings about threads of Java that wait for what another one does, in hand-made archives. A tick is 1 us. */
#include "tests/unit/analyzer/answer.h"
#include "tests/unit/unit.h"

#define RUN 5120 /* ten ticks a window */

struct jvm {
  struct fixture *f;
  uint32_t park, idle, sleep, join, lock, unpark, off, task;
};

static uint32_t wait_region(struct fixture *f, const char *name, const char *state)
{
  uint32_t region = fixture_region(f, name, OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 0);
  fixture_describe(f, region, state);
  return region;
}

/* Threads 0, 1, ..., with Java's ids 100, 101, ... */
static struct jvm start(uint32_t threads)
{
  struct jvm jvm = {.f = fixture_create()};
  for (uint32_t i = 0; i < threads; i++) {
    fixture_location(jvm.f, "thread");
    fixture_thread_type(jvm.f, i, "java");
    fixture_java_id(jvm.f, i, 100 + i);
    fixture_thread_begin(jvm.f, i, 0);
  }
  jvm.park = wait_region(jvm.f, "park @A.java:5", "state: blocked in condvar");
  jvm.idle = wait_region(jvm.f, "idle @ThreadPoolExecutor.java:6", "state: idle");
  jvm.sleep = wait_region(jvm.f, "Thread.sleep @A.java:7", "state: blocked in condvar");
  jvm.join = wait_region(jvm.f, "Thread.join @A.java:8", "state: blocked in condvar");
  jvm.lock = wait_region(jvm.f, "monitor enter @A.java:9", "state: blocked in mutex");
  jvm.unpark = fixture_region(jvm.f, "unpark", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 0);
  jvm.off = fixture_region(jvm.f, "blocked in read", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(jvm.f, jvm.off, "state: off");
  return jvm;
}

static void wait_in(const struct jvm *jvm, uint32_t thread, uint64_t from, uint64_t to, uint32_t region)
{
  fixture_enter(jvm->f, thread, from, region);
  fixture_leave(jvm->f, thread, to, region);
}

/* Thread 0 waits from `from` to 4000 for thread 1, which wakes it. */
static void wait_for_thread_1(const struct jvm *jvm, uint64_t from, uint32_t region)
{
  fixture_unpark(jvm->f, 1, 4000, jvm->unpark, 100);
  wait_in(jvm, 0, from, 4000, region);
}

static struct answer end(const struct jvm *jvm, uint32_t threads)
{
  for (uint32_t i = 0; i < threads; i++)
    fixture_thread_end(jvm->f, i, RUN);
  return ask(jvm->f);
}

/* Two threads can work at once: half of the wait could be won. */
static void a_thread_has_more_work(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_for_thread_1(&jvm, 1000, jvm.park);
  struct answer a = end(&jvm, 2);
  assert_int_equal(a.all.findings.all, 1);
  expect_finding(&a, 0, FINDING_SLOWER, jvm.park, 1500);
  assert_int_equal(first_of(&a)->location, 1);
  assert_says(first_of(&a)->text, "park @A.java:5: threads wait here for one with more work, mostly thread");
  dismiss(&a);
}

/* The other one works less than a tenth of the wait before it. */
static void a_thread_works_alone(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_for_thread_1(&jvm, 100, jvm.park);
  struct answer a = end(&jvm, 2);
  expect_finding(&a, 0, FINDING_ALONE, jvm.park, 1950);
  dismiss(&a);
}

/* Nobody works: all of it could be won. */
static void a_thread_sleeps_that_others_wait_for(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_in(&jvm, 1, 2000, 3990, jvm.sleep);
  wait_for_thread_1(&jvm, 1000, jvm.park);
  struct answer a = end(&jvm, 2);
  assert_int_equal(a.all.findings.all, 2);
  expect_finding(&a, 0, FINDING_SLEEP, jvm.sleep, 1990);
  expect_finding(&a, 1, FINDING_SLOWER, jvm.park, 505);
  dismiss(&a);
}

/* Nobody waits for it: it is no reason. */
static void a_thread_sleeps_beside_others(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_in(&jvm, 1, 1000, 4000, jvm.sleep);
  struct answer a = end(&jvm, 2);
  assert_int_equal(a.all.findings.all, 0);
  dismiss(&a);
}

static void a_thread_is_blocked_in_the_kernel(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_in(&jvm, 1, 1000, 4000, jvm.off);
  wait_for_thread_1(&jvm, 1000, jvm.park);
  struct answer a = end(&jvm, 2);
  assert_int_equal(a.all.findings.all, 1);
  expect_finding(&a, 0, FINDING_OFF, TRACE_NONE, 3000);
  assert_int_equal(first_of(&a)->location, 1);
  dismiss(&a);
}

/* An executor's thread without work counts while another one works alone, not while all wait for input. */
static void executors_threads_are_idle(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_in(&jvm, 1, 3000, 4000, jvm.off);
  wait_for_thread_1(&jvm, 1000, jvm.idle);
  struct answer a = end(&jvm, 2);
  assert_int_equal(a.all.findings.all, 1);
  expect_finding(&a, 0, FINDING_ALONE, jvm.idle, 1000);
  dismiss(&a);
}

/* Thread 0 waits for the end of thread 1 all the time. Only when thread 2 works no more another thread could. */
static void who_joins_threads_waits_for_the_last_one(void **state)
{
  (void)state;
  struct jvm jvm = start(3);
  wait_in(&jvm, 2, 2120, RUN, jvm.park);
  fixture_thread_end(jvm.f, 2, RUN);
  fixture_thread_end(jvm.f, 1, RUN - 10);
  wait_in(&jvm, 0, 0, RUN - 5, jvm.join);
  fixture_thread_end(jvm.f, 0, RUN);
  struct answer a = ask(jvm.f);
  assert_int_equal(a.all.findings.all, 1);
  expect_finding(&a, 0, FINDING_SLOWER, jvm.join, 1495);
  dismiss(&a);
}

/* Waits for a lock are the lock's: who joins the threads does not count them once more. */
static void locks_are_no_other_reason(void **state)
{
  (void)state;
  struct jvm jvm = start(3);
  wait_in(&jvm, 2, 1000, 4000, jvm.lock);
  fixture_thread_end(jvm.f, 2, RUN);
  fixture_thread_end(jvm.f, 1, RUN - 10);
  wait_in(&jvm, 0, 0, RUN, jvm.join);
  fixture_thread_end(jvm.f, 0, RUN);
  struct answer a = ask(jvm.f);
  assert_false(has_kind(&a, FINDING_SLOWER));
  assert_false(has_kind(&a, FINDING_ALONE));
  dismiss(&a);
}

/* A thread 0, and workers of a pool behind it. */
static struct jvm start_pool(uint32_t workers)
{
  struct jvm jvm = start(1);
  for (uint32_t i = 1; i <= workers; i++) {
    char name[] = "pool-1-thread-0";
    name[sizeof name - 2] = (char)('0' + i);
    fixture_location(jvm.f, name);
    fixture_thread_type(jvm.f, i, "java");
    fixture_java_id(jvm.f, i, 100 + i);
    fixture_thread_begin(jvm.f, i, 0);
  }
  jvm.task = fixture_region(jvm.f, "pool task @A.java:20", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_OPENMP, 0);
  for (uint32_t i = 1; i <= 2; i++)
    OTF2_EvtWriter_ThreadTaskCreate(fixture_writer(jvm.f, 0), NULL, i, OTF2_UNDEFINED_COMM, 0, i);
  return jvm;
}

static void begin_task(const struct jvm *jvm, uint32_t worker, uint64_t time, uint32_t number)
{
  OTF2_EvtWriter_ThreadTaskSwitch(fixture_writer(jvm->f, worker), NULL, time, OTF2_UNDEFINED_COMM, 0, number);
  fixture_enter(jvm->f, worker, time, jvm->task);
}

static void end_task(const struct jvm *jvm, uint32_t worker, uint64_t time, uint32_t number)
{
  OTF2_EvtWriter *writer = fixture_writer(jvm->f, worker);
  fixture_leave(jvm->f, worker, time, jvm->task);
  OTF2_EvtWriter_ThreadTaskComplete(writer, NULL, time, OTF2_UNDEFINED_COMM, 0, number);
  OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, time, OTF2_UNDEFINED_COMM, 0, 0);
}

/* The second task waits while the first one sleeps, and thread 0 waits for both: that is not lost twice. */
static void what_a_pool_loses_is_said_once(void **state)
{
  (void)state;
  struct jvm jvm = start_pool(1);
  for (uint32_t i = 1; i <= 2; i++) {
    begin_task(&jvm, 1, 2000 * i - 1990, i);
    wait_in(&jvm, 1, 2000 * i - 1990, 2000 * i - 10, jvm.sleep);
    end_task(&jvm, 1, 2000 * i - 10, i);
  }
  wait_for_thread_1(&jvm, 3, jvm.park);
  struct answer a = end(&jvm, 2);
  expect_finding(&a, 0, FINDING_POOL_SMALL, TRACE_NONE, 1988);
  expect_finding(&a, 1, FINDING_SLEEP, jvm.sleep, 3960 - 1988);
  dismiss(&a);
}

/* The second task waits while the first one is at a lock, where another worker would wait, too. */
static void a_pool_whose_tasks_wait_for_a_lock_is_not_too_small(void **state)
{
  (void)state;
  struct jvm jvm = start_pool(1);
  for (uint32_t i = 1; i <= 2; i++) {
    begin_task(&jvm, 1, 2000 * i - 1990, i);
    wait_in(&jvm, 1, 2000 * i - 1990, 2000 * i - 10, jvm.lock);
    end_task(&jvm, 1, 2000 * i - 10, i);
  }
  struct answer a = end(&jvm, 2);
  assert_false(has_kind(&a, FINDING_POOL_SMALL));
  dismiss(&a);
}

/* Worker 1 is in its task for 4000 ticks, including 1600 of waiting for a processor; worker 2 for 2000. */
static void an_uneven_pool_is_not_one_that_lacks_processors(void **state)
{
  (void)state;
  struct jvm jvm = start_pool(2);
  uint32_t ready =
      fixture_region(jvm.f, "waits for a processor", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(jvm.f, ready, "state: ready");
  begin_task(&jvm, 1, 10, 1);
  wait_in(&jvm, 1, 1000, 2600, ready);
  end_task(&jvm, 1, 4010, 1);
  begin_task(&jvm, 2, 10, 2);
  end_task(&jvm, 2, 2010, 2);
  struct answer a = end(&jvm, 3);
  assert_int_equal(a.all.findings.all, 2);
  expect_finding(&a, 0, FINDING_READY, jvm.task, 1600);
  expect_finding(&a, 1, FINDING_POOL_UNEVEN, TRACE_NONE, 200);
  assert_says(a.all.findings.list[1].text, "800.0 us of the difference without a processor, so up to 200.0 us");
  dismiss(&a);
}

/* Threads that lack a processor: not the JVM's own. */
static void a_thread_waits_for_a_processor(void **state)
{
  (void)state;
  struct jvm jvm = start(3);
  uint32_t ready = fixture_region(jvm.f, "ready", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 0);
  fixture_describe(jvm.f, ready, "state: ready");
  fixture_thread_type(jvm.f, 2, "jvm");
  wait_in(&jvm, 0, 1000, 2000, ready);
  wait_in(&jvm, 1, 1000, 3000, ready);
  wait_in(&jvm, 2, 1000, 5000, ready);
  struct answer a = end(&jvm, 3);
  assert_int_equal(a.all.findings.all, 1);
  expect_finding(&a, 0, FINDING_READY, TRACE_NONE, 2000);
  assert_int_equal(first_of(&a)->location, 1);
  assert_says(first_of(&a)->text, "the program: thread waited for a processor for 2.000 ms in it");
  dismiss(&a);
}

/* For a part of the run, waits count that begin and end in it. */
static void parts_have_their_part(void **state)
{
  (void)state;
  struct jvm jvm = start(2);
  wait_for_thread_1(&jvm, 1000, jvm.park);
  struct answer a = end(&jvm, 2);
  ask_part(&a, 0, 4500);
  assert_int_equal(a.all.findings.all, 1);
  ask_part(&a, 2440, RUN);
  assert_int_equal(a.all.findings.all, 0);
  ask_part(&a, 0, 3000);
  assert_int_equal(a.all.findings.all, 0);
  dismiss(&a);
}

UNIT_TEST(findings_java)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thread_has_more_work),
      cmocka_unit_test(a_thread_works_alone),
      cmocka_unit_test(a_thread_sleeps_that_others_wait_for),
      cmocka_unit_test(a_thread_sleeps_beside_others),
      cmocka_unit_test(a_thread_is_blocked_in_the_kernel),
      cmocka_unit_test(executors_threads_are_idle),
      cmocka_unit_test(who_joins_threads_waits_for_the_last_one),
      cmocka_unit_test(locks_are_no_other_reason),
      cmocka_unit_test(what_a_pool_loses_is_said_once),
      cmocka_unit_test(a_pool_whose_tasks_wait_for_a_lock_is_not_too_small),
      cmocka_unit_test(an_uneven_pool_is_not_one_that_lacks_processors),
      cmocka_unit_test(a_thread_waits_for_a_processor),
      cmocka_unit_test(parts_have_their_part),
  };
  return cmocka_run_group_tests_name("findings_java", tests, NULL, NULL);
}
