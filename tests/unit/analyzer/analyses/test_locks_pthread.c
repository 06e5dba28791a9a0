/* Locks of POSIX threads: hand-made archives with known answers. */
#include "analyzer/analyses/locks/locks.h"
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include <stdio.h>

struct scene {
  struct fixture *f;
  struct trace *trace;
  struct pool *pool;
  struct locks locks;
  uint32_t mutex, other_place, spin, write, count;
};

static uint32_t wait_region(struct fixture *f, const char *name, const char *description, uint32_t line)
{
  uint32_t region = fixture_region(f, name, OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_PTHREAD, line);
  fixture_describe(f, region, description);
  return region;
}

static int set_up(void **state)
{
  static struct scene s;
  s = (struct scene){.f = fixture_create(), .pool = pool_create(3)};
  for (uint32_t i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "thread %u", i);
    fixture_tid(s.f, fixture_location(s.f, name), 1000 + i);
  }
  s.mutex = wait_region(s.f, "pthread mutex @a.c:7", "state: synch pthread mutex", 7);
  s.other_place = wait_region(s.f, "pthread mutex @a.c:8", "state: synch pthread mutex", 8);
  s.spin = wait_region(s.f, "pthread spin lock @a.c:9", "state: synch pthread mutex", 9);
  s.write = wait_region(s.f, "pthread rwlock write @a.c:10", "state: synch pthread rwlock", 10);
  s.count = fixture_region(s.f, "pthread acquisitions", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD, 0);
  fixture_property(s.f, "HEDDLE::LOCK::5", "queue_lock");
  fixture_property(s.f, "HEDDLE::LOCK::7", "table[3]");
  fixture_property(s.f, "HEDDLE::LOCK::8", "table[3]");
  *state = &s;
  return 0;
}

static int tear_down(void **state)
{
  struct scene *s = *state;
  analysis_free(&locks_analysis, &s->locks);
  trace_close(s->trace);
  pool_destroy(s->pool);
  fixture_destroy(s->f);
  return 0;
}

static void find(struct scene *s)
{
  struct error error;
  s->trace = trace_open(fixture_finish(s->f), &error);
  if (!s->trace)
    fail_msg("%s", error.message);
  if (!analysis_find(&locks_analysis, s->trace, s->pool, NULL, &s->locks, &error))
    fail_msg("%s", error.message);
}

static void expect_sums(const struct lock_sums *sums, struct lock_sums expected)
{
  assert_int_equal(sums->acquisitions, expected.acquisitions);
  assert_int_equal(sums->waits, expected.waits);
  assert_int_equal(sums->wait, expected.wait);
  assert_int_equal(sums->wait_max, expected.wait_max);
  assert_int_equal(sums->held, expected.held);
  assert_int_equal(sums->caused, expected.caused);
}
#define EXPECT(sums, ...) expect_sums(sums, (struct lock_sums){__VA_ARGS__})

static const struct lock_sums *sums_of_party(const struct lock_parties *parties, uint32_t lock, uint32_t who)
{
  for (size_t i = 0; i < parties->count; i++)
    if (parties->list[i].lock == lock && parties->list[i].who == who)
      return &parties->list[i].sums;
  fail_msg("%u has no part in lock %u", who, lock);
  return NULL;
}

/* A contended acquisition, and the release. */
static void acquire(const struct scene *s, uint32_t thread, uint32_t region, struct fixture_pthread lock,
                    const uint64_t times[3])
{
  fixture_enter_pthread(s->f, thread, times[0], region, lock);
  fixture_lock(s->f, thread, times[1], (uint32_t)lock.object);
  fixture_leave(s->f, thread, times[1], region);
  fixture_unlock(s->f, thread, times[2], (uint32_t)lock.object);
}
#define TIMES(...) ((const uint64_t[3]){__VA_ARGS__})

/* The owner caused the wait, where it acquired the lock if it waited for it itself; uncontended acquisitions count. */
static void mutexes(void **state)
{
  struct scene *s = *state;
  struct fixture_pthread lock = {.object = 5, .owner = 1000};
  acquire(s, 1, s->mutex, lock, TIMES(10, 30, 50));
  lock.owner = 1001;
  acquire(s, 2, s->other_place, lock, TIMES(40, 52, 53));
  lock.owner = 0;
  acquire(s, 1, s->mutex, lock, TIMES(60, 61, 62));
  fixture_enter_pthread(s->f, 1, 70, s->mutex, lock); /* it timed out */
  fixture_leave(s->f, 1, 75, s->mutex);
  lock.uncontended = 1000;
  fixture_enter_pthread(s->f, 1, 80, s->count, lock);
  fixture_leave(s->f, 1, 80, s->count);
  fixture_enter(s->f, 0, 5, s->count); /* of several objects */
  fixture_leave(s->f, 0, 80, s->count);
  find(s);
  assert_int_equal(s->locks.count, 1);
  const struct lock *found = &s->locks.list[0];
  assert_int_equal(found->kind, LOCK_PTHREAD_MUTEX);
  assert_string_equal(found->class_name, "queue_lock");
  assert_int_equal(found->number, 5);
  EXPECT(&found->sums, .acquisitions = 1003, .waits = 4, .wait = 20 + 12 + 1 + 5, .wait_max = 20, .held = 20 + 1 + 1);
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .caused = 20);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .acquisitions = 1002, .waits = 3, .wait = 26, .wait_max = 20,
         .held = 21, .caused = 12);
  EXPECT(sums_of_party(&s->locks.places, 0, s->mutex), .acquisitions = 2, .waits = 3, .wait = 26, .wait_max = 20,
         .held = 21, .caused = 12);
  EXPECT(sums_of_party(&s->locks.places, 0, TRACE_NONE), .acquisitions = 1000);
}

/* One row a lock, of its kind, whatever its name; counts do not say the kind. */
static void kinds(void **state)
{
  struct scene *s = *state;
  struct fixture_pthread counted = {.object = 7, .uncontended = 3};
  fixture_enter_pthread(s->f, 0, 1, s->count, counted);
  fixture_leave(s->f, 0, 1, s->count);
  acquire(s, 1, s->write, (struct fixture_pthread){.object = 7}, TIMES(10, 40, 41));
  acquire(s, 1, s->spin, (struct fixture_pthread){.object = 8}, TIMES(50, 60, 61));
  fixture_lock(s->f, 2, 20, 9); /* a lock of OpenMP */
  fixture_unlock(s->f, 2, 22, 9);
  find(s);
  assert_int_equal(s->locks.count, 3);
  assert_int_equal(s->locks.list[0].kind, LOCK_PTHREAD_RWLOCK);
  assert_int_equal(s->locks.list[1].kind, LOCK_PTHREAD_SPIN);
  assert_int_equal(s->locks.list[2].kind, LOCK_ROUTINE);
  EXPECT(&s->locks.list[0].sums, .acquisitions = 4, .waits = 1, .wait = 30, .wait_max = 30, .held = 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TEST(locks_pthread)
{
  const struct CMUnitTest tests[] = {TEST(mutexes), TEST(kinds)};
  return cmocka_run_group_tests_name("locks of POSIX threads", tests, NULL, NULL);
}
