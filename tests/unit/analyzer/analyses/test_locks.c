/* Which locks threads waited for: hand-made archives with known answers. */
#include "analyzer/analyses/locks/locks.h"
#include "tests/unit/analyzer/fixture.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

#define ROLE(name) OTF2_REGION_ROLE_##name

struct scene {
  struct fixture *f;
  struct trace *trace;
  struct pool *pool;
  struct locks locks;
  uint32_t threads[3];
  uint32_t critical, sblock, set_lock, test_lock, ordered, atomic;
  uint32_t enter, java_lock, wait, owner_place;
};

static uint32_t java_region(struct fixture *f, const char *name, const char *description)
{
  uint32_t region = fixture_region(f, name, ROLE(CRITICAL), OTF2_PARADIGM_PTHREAD, 7);
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
    s.threads[i] = fixture_location(s.f, name);
    fixture_java_id(s.f, i, 100 + i);
  }
  s.critical = fixture_openmp(s.f, "!$omp critical @a.c:1", ROLE(CRITICAL));
  s.sblock = fixture_openmp(s.f, "!$omp critical sblock @a.c:1", ROLE(CRITICAL_SBLOCK));
  s.set_lock = fixture_openmp(s.f, "omp_set_lock @a.c:2", ROLE(WRAPPER));
  s.test_lock = fixture_openmp(s.f, "omp_test_lock @a.c:3", ROLE(WRAPPER));
  s.ordered = fixture_openmp(s.f, "!$omp ordered @a.c:4", ROLE(ORDERED));
  s.atomic = fixture_openmp(s.f, "!$omp atomic @a.c:5", ROLE(ATOMIC));
  s.enter = java_region(s.f, "monitor enter @A.java:7", "state: blocked in mutex");
  s.java_lock = java_region(s.f, "lock @A.java:8", "state: blocked in mutex");
  s.wait = java_region(s.f, "Object.wait @A.java:9", "state: blocked in condvar");
  s.owner_place = fixture_region(s.f, "monitor owner @A.java:10", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 10);
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
  assert_int_equal(sums->holds, expected.holds);
  assert_int_equal(sums->held_seen, expected.held_seen);
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

/* A critical section: asked for, got, left. */
static void critical(const struct scene *s, uint32_t thread, uint64_t asked, uint64_t got, uint64_t left)
{
  fixture_enter(s->f, thread, asked, s->critical);
  fixture_lock(s->f, thread, got, 5);
  fixture_enter(s->f, thread, got, s->sblock);
  fixture_leave(s->f, thread, left, s->sblock);
  fixture_unlock(s->f, thread, left, 5);
  fixture_leave(s->f, thread, left, s->critical);
}

static void critical_sections(void **state)
{
  struct scene *s = *state;
  critical(s, 0, 10, 11, 50); /* no thread holds it */
  critical(s, 1, 20, 51, 70); /* waits for thread 0 */
  critical(s, 2, 30, 72, 80); /* for 0 and 1; 1 had it last */
  critical(s, 0, 60, 83, 90); /* for 1 and 2 */
  critical(s, 0, 95, 96, 97); /* it had it itself last */
  critical(s, 1, 98, 99, 100);
  find(s);
  assert_int_equal(s->locks.count, 1);
  const struct lock *lock = &s->locks.list[0];
  assert_int_equal(lock->kind, LOCK_CRITICAL);
  assert_int_equal(lock->number, 5);
  EXPECT(&lock->sums, .acquisitions = 6, .waits = 3, .wait = 31 + 42 + 23, .wait_max = 42,
         .held = 39 + 19 + 8 + 7 + 1 + 1);
  assert_int_equal(s->locks.wait, 96);
  assert_int_equal(s->locks.lifetimes, (97 - 10) + (100 - 20) + (80 - 30));
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .acquisitions = 3, .waits = 1, .wait = 23, .wait_max = 23, .held = 47,
         .caused = 31);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .acquisitions = 2, .waits = 1, .wait = 31, .wait_max = 31, .held = 20,
         .caused = 42);
  EXPECT(sums_of_party(&s->locks.threads, 0, 2), .acquisitions = 1, .waits = 1, .wait = 42, .wait_max = 42, .held = 8,
         .caused = 23);
  EXPECT(sums_of_party(&s->locks.places, 0, s->critical), .acquisitions = 6, .waits = 3, .wait = 96, .wait_max = 42,
         .held = 75, .caused = 96);
}

/* A wait and a hold while measurement is off for 1000 ticks: these are no part of them, nor of the lifetime. */
static void measurement_off(void **state)
{
  struct scene *s = *state;
  critical(s, 0, 10, 11, 50);
  fixture_enter(s->f, 1, 20, s->critical);
  fixture_measurement(s->f, 1, 30, 0);
  fixture_measurement(s->f, 1, 1030, 1);
  fixture_lock(s->f, 1, 1040, 5);
  fixture_enter(s->f, 1, 1040, s->sblock);
  fixture_measurement(s->f, 1, 1050, 0);
  fixture_measurement(s->f, 1, 2050, 1);
  fixture_leave(s->f, 1, 2060, s->sblock);
  fixture_unlock(s->f, 1, 2060, 5);
  fixture_leave(s->f, 1, 2060, s->critical);
  find(s);
  const struct lock_sums *sums = sums_of_party(&s->locks.threads, 0, 1);
  assert_int_equal(sums->acquisitions, 1);
  assert_int_equal(sums->held, 20);
  assert_true(s->locks.wait <= 20);
  assert_int_equal(s->locks.lifetimes, (50 - 10) + (2060 - 20 - 2000));
}

static void set_lock(const struct scene *s, uint32_t thread, uint32_t lock, uint64_t asked, uint64_t got)
{
  fixture_enter(s->f, thread, asked, s->set_lock);
  fixture_leave(s->f, thread, got, s->set_lock);
  fixture_lock(s->f, thread, got, lock);
}

/* Locks need not nest, and a release may be reported after the next acquisition; a failed test acquires nothing. */
static void lock_routines(void **state)
{
  struct scene *s = *state;
  set_lock(s, 0, 1, 10, 11);
  set_lock(s, 0, 2, 12, 13);
  fixture_unlock(s->f, 0, 40, 1);
  fixture_unlock(s->f, 0, 45, 2);
  set_lock(s, 1, 1, 20, 39); /* thread 0's release is reported later */
  fixture_enter(s->f, 1, 41, s->test_lock);
  fixture_leave(s->f, 1, 41, s->test_lock);
  fixture_unlock(s->f, 1, 50, 1);
  fixture_lock(s->f, 2, 60, 1); /* at an unknown place */
  fixture_unlock(s->f, 2, 61, 1);
  fixture_unlock(s->f, 2, 62, 9); /* its acquisition is not recorded */
  find(s);
  assert_int_equal(s->locks.count, 2);
  assert_int_equal(s->locks.list[0].number, 1);
  assert_int_equal(s->locks.list[1].number, 2);
  EXPECT(&s->locks.list[0].sums, .acquisitions = 3, .waits = 1, .wait = 19, .wait_max = 19, .held = 29 + 11 + 1);
  EXPECT(&s->locks.list[1].sums, .acquisitions = 1, .held = 32);
  EXPECT(sums_of_party(&s->locks.places, 0, s->set_lock), .acquisitions = 2, .waits = 1, .wait = 19, .wait_max = 19,
         .held = 40, .caused = 19);
  EXPECT(sums_of_party(&s->locks.places, 0, TRACE_NONE), .acquisitions = 1, .held = 1);
}

static void ordered_and_atomic(void **state)
{
  struct scene *s = *state;
  fixture_enter(s->f, 0, 10, s->ordered);
  fixture_lock(s->f, 0, 10, 1);
  fixture_unlock(s->f, 0, 20, 1);
  fixture_leave(s->f, 0, 20, s->ordered);
  fixture_enter(s->f, 1, 15, s->ordered);
  fixture_lock(s->f, 1, 21, 1);
  fixture_unlock(s->f, 1, 22, 1);
  fixture_leave(s->f, 1, 23, s->ordered);
  fixture_enter(s->f, 1, 30, s->atomic);
  fixture_lock(s->f, 1, 31, 2);
  fixture_unlock(s->f, 1, 32, 2);
  fixture_leave(s->f, 1, 32, s->atomic);
  find(s);
  assert_int_equal(s->locks.count, 2);
  assert_int_equal(s->locks.list[0].kind, LOCK_ORDERED);
  assert_int_equal(s->locks.list[1].kind, LOCK_ATOMIC);
  EXPECT(&s->locks.list[0].sums, .acquisitions = 2, .waits = 1, .wait = 6, .wait_max = 6, .held = 11);
  EXPECT(&s->locks.list[1].sums, .acquisitions = 1, .held = 1);
}

static void block(const struct scene *s, uint32_t thread, uint64_t from, uint64_t to, uint32_t region,
                  struct fixture_object object)
{
  fixture_enter_object(s->f, thread, from, region, object);
  fixture_leave(s->f, thread, to, region);
}

static void java_locks(void **state)
{
  struct scene *s = *state;
  uint32_t map = fixture_class(s->f, "java.util.HashMap"), lock = fixture_class(s->f, "ReentrantLock$NonfairSync");
  block(s, 0, 10, 20, s->enter, (struct fixture_object){map, 77, 102, s->owner_place});
  block(s, 1, 12, 40, s->enter, (struct fixture_object){map, 77, 100, UINT32_MAX});
  block(s, 2, 50, 53, s->enter,
        (struct fixture_object){map, 78, 999, UINT32_MAX}); /* another map; the holder is not in the trace */
  block(s, 2, 60, 69, s->java_lock, (struct fixture_object){lock, 77, 0, UINT32_MAX});
  block(s, 2, 70, 90, s->wait, (struct fixture_object){map, 77, 0, UINT32_MAX}); /* waits for no lock */
  fixture_enter(s->f, 0, 100, s->critical); /* how it waits for the critical section */
  block(s, 0, 101, 108, s->enter, (struct fixture_object){map, 79, 0, UINT32_MAX});
  fixture_lock(s->f, 0, 110, 1);
  block(s, 0, 111, 112, s->enter, (struct fixture_object){map, 79, 0, UINT32_MAX}); /* in it: a wait of its own */
  fixture_unlock(s->f, 0, 115, 1);
  fixture_leave(s->f, 0, 115, s->critical);
  find(s);
  assert_int_equal(s->locks.count, 5);
  const struct lock *first = &s->locks.list[0], *second = &s->locks.list[2];
  assert_int_equal(first->kind, LOCK_MONITOR);
  assert_string_equal(first->class_name, "java.util.HashMap");
  assert_int_equal(first->number, 77);
  EXPECT(&first->sums, .waits = 2, .wait = 38, .wait_max = 28, .holds = 2, .held_seen = 30);
  assert_int_equal(second->kind, LOCK_JAVA);
  assert_string_equal(second->class_name, "ReentrantLock$NonfairSync");
  EXPECT(&second->sums, .waits = 1, .wait = 9, .wait_max = 9, .holds = 1, .held_seen = 9);
  EXPECT(&s->locks.list[3].sums, .waits = 1, .wait = 3, .wait_max = 3, .holds = 1, .held_seen = 3);
  EXPECT(&s->locks.list[4].sums, .waits = 1, .wait = 1, .wait_max = 1, .holds = 1, .held_seen = 1);
  assert_int_equal(s->locks.list[1].kind, LOCK_CRITICAL);
  EXPECT(&s->locks.list[1].sums, .acquisitions = 1, .waits = 1, .wait = 10, .wait_max = 10, .held = 5);
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .waits = 1, .wait = 10, .wait_max = 10, .caused = 28, .holds = 1,
         .held_seen = 20);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .waits = 1, .wait = 28, .wait_max = 28);
  EXPECT(sums_of_party(&s->locks.threads, 0, 2), .caused = 10, .holds = 1, .held_seen = 10);
  EXPECT(sums_of_party(&s->locks.places, 0, s->enter), .waits = 2, .wait = 38, .wait_max = 28, .holds = 1,
         .held_seen = 20);
  EXPECT(sums_of_party(&s->locks.places, 0, s->owner_place), .caused = 10, .holds = 1, .held_seen = 10);
}

/* The holder, if the waiting thread does not name it: the thread that unparks it, or that acquired the monitor
 * meanwhile. */
static void java_holders(void **state)
{
  struct scene *s = *state;
  const struct fixture_object monitor = {fixture_class(s->f, "Monitor"), 1, 0, UINT32_MAX};
  const struct fixture_object lock = {fixture_class(s->f, "ReentrantLock$Sync"), 2, 0, UINT32_MAX};
  uint32_t unpark = fixture_region(s->f, "unpark @A.java:20", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 20);
  uint32_t somewhere = fixture_region(s->f, "unpark", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  block(s, 0, 10, 20, s->enter, monitor);   /* the holder is unknown */
  block(s, 1, 12, 45, s->enter, monitor);   /* thread 0 acquired it meanwhile */
  block(s, 2, 46, 50, s->enter, monitor);   /* thread 1 acquired it before, and may have released it */
  fixture_unpark(s->f, 0, 30, unpark, 102); /* too early */
  block(s, 2, 60, 70, s->java_lock, lock);
  fixture_unpark(s->f, 0, 85, unpark, 102);
  block(s, 2, 80, 90, s->java_lock, lock);
  fixture_unpark(s->f, 1, 104, somewhere, 102);
  block(s, 2, 100, 105, s->java_lock, lock);
  fixture_unpark(s->f, 1, 110, unpark, 999); /* no such thread */
  find(s);
  assert_int_equal(s->locks.count, 2);
  assert_int_equal(s->locks.unknown, 3); /* the first wait of each, and the third for the monitor */
  EXPECT(&s->locks.list[0].sums, .waits = 3, .wait = 47, .wait_max = 33, .holds = 3, .held_seen = 39);
  EXPECT(&s->locks.list[1].sums, .waits = 3, .wait = 25, .wait_max = 10, .holds = 3, .held_seen = 25);
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .waits = 1, .wait = 10, .wait_max = 10, .caused = 33, .holds = 1,
         .held_seen = 25);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .waits = 1, .wait = 33, .wait_max = 33);
  EXPECT(sums_of_party(&s->locks.threads, 1, 0), .caused = 10, .holds = 1, .held_seen = 10);
  EXPECT(sums_of_party(&s->locks.threads, 1, 1), .caused = 5, .holds = 1, .held_seen = 5);
  EXPECT(sums_of_party(&s->locks.places, 1, unpark), .caused = 10, .holds = 1, .held_seen = 10);
  assert_int_equal(s->locks.places.count, 3); /* an unpark without a line is no place */
}

/* A thread that waited holds the monitor until the next acquisition, or until it calls Object.wait. */
static void java_holds(void **state)
{
  struct scene *s = *state;
  uint32_t class_name = fixture_class(s->f, "Monitor"), ended = fixture_class(s->f, "ended");
  const struct fixture_object unknown = {class_name, 1, 0, UINT32_MAX}, known = {class_name, 1, 100, UINT32_MAX};
  block(s, 0, 5, 8, s->wait, unknown);    /* no thread has waited for it so far */
  block(s, 1, 10, 30, s->enter, unknown); /* thread 2 requests it 2 later, and names thread 0 as the holder */
  block(s, 2, 12, 70, s->enter, known);
  block(s, 1, 40, 60, s->wait, unknown); /* releases it to an unknown holder; acquires it again */
  block(s, 0, 50, 90, s->enter, unknown);
  block(s, 2, 95, 99, s->wait, unknown);                 /* no thread waits for it */
  fixture_enter_object(s->f, 1, 100, s->enter, unknown); /* the program ends before the acquisition */
  fixture_enter_object(s->f, 2, 110, s->enter, known);
  fixture_leave_closed(s->f, 1, 120, s->enter, ended);
  fixture_leave_closed(s->f, 2, 120, s->enter, ended);
  find(s);
  /* 10-30 thread 0, 30-40 thread 1, 50-60 unknown, 60-70 thread 1, 70-90 thread 2, 100-120 thread 0. */
  EXPECT(&s->locks.list[0].sums, .waits = 5, .wait = 20 + 58 + 40 + 20 + 10, .wait_max = 58, .holds = 6,
         .held_seen = 90);
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .waits = 1, .wait = 40, .wait_max = 40, .caused = 68, .holds = 2,
         .held_seen = 40);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .waits = 2, .wait = 40, .wait_max = 20, .holds = 2, .held_seen = 20);
  EXPECT(sums_of_party(&s->locks.threads, 0, 2), .waits = 2, .wait = 68, .wait_max = 58, .caused = 40, .holds = 1,
         .held_seen = 20);
  EXPECT(sums_of_party(&s->locks.places, 0, s->wait), .holds = 1, .held_seen = 10);
}

/* An owner that is a virtual thread is the thread that ran it last; one that leaves its carrier waits until it is back.
 */
static void virtual_owners(void **state)
{
  struct scene *s = *state;
  uint32_t class_name = fixture_class(s->f, "Monitor"), unmounted = fixture_class(s->f, "unmounted");
  uint32_t running = fixture_region(s->f, "virtual thread", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  const struct fixture_object owned = {class_name, 1, 5000, UINT32_MAX}, unknown = {class_name, 1, 0, UINT32_MAX};
  fixture_mount(s->f, 0, 5, running, 5000);
  fixture_leave(s->f, 0, 8, running);
  fixture_mount(s->f, 1, 10, running, 5000);
  block(s, 2, 20, 30, s->enter, owned);
  fixture_mount(s->f, 0, 35, running, 5001);
  fixture_enter_object(s->f, 0, 40, s->enter, unknown);
  fixture_leave_closed(s->f, 0, 50, s->enter, unmounted);
  fixture_leave(s->f, 0, 50, running);
  block(s, 2, 45, 60, s->enter, unknown);
  fixture_mount(s->f, 0, 65, running, 5001);
  fixture_leave(s->f, 0, 70, running);
  fixture_leave(s->f, 1, 70, running);
  find(s);
  EXPECT(&s->locks.list[0].sums, .waits = 3, .wait = 50, .wait_max = 25, .holds = 3, .held_seen = 35);
  EXPECT(sums_of_party(&s->locks.threads, 0, 0), .waits = 1, .wait = 25, .wait_max = 25);
  EXPECT(sums_of_party(&s->locks.threads, 0, 1), .caused = 10, .holds = 1, .held_seen = 10);
  EXPECT(sums_of_party(&s->locks.threads, 0, 2), .waits = 2, .wait = 25, .wait_max = 15, .caused = 25, .holds = 1,
         .held_seen = 5);
}

/* A virtual thread that is never mounted again waits to the end. */
static void virtual_thread_waits_to_the_end(void **state)
{
  struct scene *s = *state;
  uint32_t class_name = fixture_class(s->f, "Monitor"), unmounted = fixture_class(s->f, "unmounted");
  uint32_t running = fixture_region(s->f, "virtual thread", ROLE(FUNCTION), OTF2_PARADIGM_PTHREAD, 0);
  const struct fixture_object monitor = {class_name, 1, 0, UINT32_MAX};
  fixture_mount(s->f, 0, 10, running, 5000);
  fixture_enter_object(s->f, 0, 20, s->enter, monitor);
  fixture_leave_closed(s->f, 0, 21, s->enter, unmounted);
  fixture_leave(s->f, 0, 21, running);
  fixture_mount(s->f, 1, 100, running, 5001);
  fixture_leave(s->f, 1, 110, running);
  find(s);
  EXPECT(&s->locks.list[0].sums, .waits = 1, .wait = 80, .wait_max = 80, .holds = 1, .held_seen = 80);
}

/* The sums over threads, and over places, are the lock's: with any events, also unmatched ones. */
static void sums_agree_on_random_events(void **state)
{
  struct scene *s = *state;
  const uint32_t regions[] = {s->critical, s->set_lock, s->ordered, s->atomic, s->enter, s->java_lock};
  uint32_t class_name = fixture_class(s->f, "C"), random = 99;
  for (uint32_t thread = 0; thread < 3; thread++) {
    uint64_t time = thread;
    for (int i = 0; i < 3000; i++) {
      random = random * 1664525 + 1013904223;
      uint32_t region = regions[(random >> 20) % 6], number = random >> 12 & 3;
      time += random >> 8 & 7;
      switch (random >> 28 & 3) {
      case 0:
        fixture_enter_object(s->f, thread, time, region,
                             (struct fixture_object){class_name, number, 100 + number, s->owner_place});
        break;
      case 1:
        fixture_leave(s->f, thread, time, region);
        break;
      case 2:
        fixture_lock(s->f, thread, time, number);
        break;
      default:
        fixture_unlock(s->f, thread, time, number);
      }
    }
  }
  find(s);
  assert_true(s->locks.count > 4);
  uint64_t all = 0;
  for (uint32_t lock = 0; lock < s->locks.count; lock++) {
    const struct lock_sums *sums = &s->locks.list[lock].sums;
    const struct lock_parties *by[] = {&s->locks.threads, &s->locks.places};
    for (int k = 0; k < 2; k++) {
      struct lock_sums total = {0};
      for (size_t i = 0; i < by[k]->count; i++)
        if (by[k]->list[i].lock == lock) {
          total.acquisitions += by[k]->list[i].sums.acquisitions;
          total.waits += by[k]->list[i].sums.waits;
          total.wait += by[k]->list[i].sums.wait;
          total.held += by[k]->list[i].sums.held;
          total.holds += by[k]->list[i].sums.holds;
          total.held_seen += by[k]->list[i].sums.held_seen;
        }
      /* Who held a lock of Java's need not be known. */
      assert_true(total.holds <= sums->holds && total.held_seen <= sums->held_seen);
      total.holds = sums->holds;
      total.held_seen = sums->held_seen;
      total.wait_max = sums->wait_max;
      expect_sums(&total, *sums);
    }
    assert_true(lock == 0 || s->locks.list[lock - 1].sums.wait >= sums->wait);
    all += sums->wait;
  }
  assert_int_equal(s->locks.wait, all);
}

/* A recorded acquisition of a lock that stands for `weight` ones. */
static void weighted(const struct scene *s, uint32_t thread, uint64_t asked, uint64_t waited, uint64_t held,
                     uint64_t weight, uint32_t lock)
{
  fixture_enter_weighted(s->f, thread, asked, s->set_lock, weight);
  fixture_leave(s->f, thread, asked + waited, s->set_lock);
  fixture_lock(s->f, thread, asked + waited, lock);
  fixture_unlock(s->f, thread, asked + waited + held, lock);
}

/* What is added to a figure, and the variance of this. */
static void expect_more(const struct lock_sums *sums, enum lock_figure figure, uint64_t more, double variance)
{
  assert_true(estimate_more(&sums->more[figure]) == more);
  assert_true(sums->more[figure].variance == variance);
}

/* Acquisitions are exact where a place has one lock; times are the neighbours' times. */
static void omitted_place(void **state)
{
  struct scene *s = *state;
  uint32_t skipped = fixture_openmp(s->f, "skipped instances", ROLE(FUNCTION));
  weighted(s, 0, 10, 0, 10, 2, 5);
  weighted(s, 0, 100, 4, 30, 4, 5); /* nobody is seen to hold it, but 4 us are a wait */
  fixture_omitted(s->f, 0, 200, skipped, (struct fixture_instances){s->set_lock, 2});
  find(s);
  const struct lock_sums *sums = &s->locks.list[0].sums;
  EXPECT(sums, .acquisitions = 2, .waits = 1, .wait = 4, .wait_max = 4, .held = 40);
  expect_more(sums, LOCK_ACQUISITIONS, 6, 0);
  expect_more(sums, LOCK_HELD, 10 + 60 + 60, 2 * 200 + 15 * 200 + 6 * 200);
  expect_more(sums, LOCK_WAIT, 6 + 8, 2 * 8 + 15 * 8 + 6 * 8);
  expect_more(sums, LOCK_WAITS, 4, 2 * 0.5 + 15 * 0.5 + 6 * 0.5); /* 1.5 + 2, rounded up */
  assert_int_equal(s->locks.unknown, 1);
  assert_true(estimate_half_width(&sums->more[LOCK_ACQUISITIONS]) == 0);
  assert_true(lock_waiting(sums) == 4 + 14);
  expect_more(sums_of_party(&s->locks.threads, 0, 0), LOCK_HELD, 130, 23 * 200);
  expect_more(sums_of_party(&s->locks.places, 0, s->set_lock), LOCK_HELD, 130, 23 * 200);
}

/* The distribution of a place's acquisitions over its locks is an estimate; their sum is exact. */
static void omitted_locks(void **state)
{
  struct scene *s = *state;
  weighted(s, 0, 10, 0, 10, 2, 5);
  weighted(s, 0, 100, 0, 30, 3, 6);
  fixture_enter_weighted(s->f, 0, 200, s->test_lock, 4); /* a test that fails has no lock */
  fixture_leave(s->f, 0, 200, s->test_lock);
  fixture_enter_weighted(s->f, 0, 240, s->test_lock, 3);
  fixture_leave(s->f, 0, 240, s->test_lock);
  fixture_lock(s->f, 0, 240, 6);
  fixture_unlock(s->f, 0, 242, 6);
  weighted(s, 0, 300, 0, 30, 5, 6);
  weighted(s, 1, 400, 0, 7, 1, 6); /* another thread, which is fully recorded */
  find(s);
  assert_int_equal(s->locks.count, 2);
  const struct lock_sums *five = &s->locks.list[0].sums, *six = &s->locks.list[1].sums;
  assert_int_equal(five->acquisitions, 1);
  assert_int_equal(six->acquisitions, 4);
  expect_more(five, LOCK_ACQUISITIONS, 1 + 1, 2 * 1 + 8 * 0.5);
  expect_more(six, LOCK_ACQUISITIONS, 1 + 4 + 1, 8 * 0.5 + 8 * 0.5);
  expect_more(five, LOCK_HELD, 10 + 10, 2 * 100 + 8 * 50);
  expect_more(six, LOCK_HELD, 30 + 120 + 2, 8 * 450 + 8 * 2);
  expect_more(sums_of_party(&s->locks.threads, 1, 1), LOCK_HELD, 0, 0);
  assert_true(isinf(estimate_half_width(&six->more[LOCK_HELD]))); /* two samples say too little */
}

/* A critical section of Java's at which a thread was blocked stands for no other; the monitor names the holder. */
static void blocked_in_a_place_with_omissions(void **state)
{
  struct scene *s = *state;
  uint32_t skipped = fixture_openmp(s->f, "skipped instances", ROLE(FUNCTION)), lock = fixture_class(s->f, "NestLock");
  static const struct {
    uint64_t asked, got, weight;
    bool blocked;
  } taken[] = {{10, 10, 3, false}, {100, 160, 1, true}, {200, 200, 4, false}, {300, 360, 1, true}};
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    fixture_enter_weighted(s->f, 0, taken[i].asked, s->critical, taken[i].weight);
    if (taken[i].blocked)
      block(s, 0, taken[i].asked + 1, taken[i].got - 1, s->enter, (struct fixture_object){lock, 9, 102, UINT32_MAX});
    fixture_lock(s->f, 0, taken[i].got, 5);
    fixture_enter(s->f, 0, taken[i].got, s->sblock);
    fixture_leave(s->f, 0, taken[i].got + 10, s->sblock);
    fixture_unlock(s->f, 0, taken[i].got + 10, 5);
    fixture_leave(s->f, 0, taken[i].got + 10, s->critical);
  }
  fixture_omitted(s->f, 0, 400, skipped, (struct fixture_instances){s->critical, 2});
  fixture_enter(s->f, 2, 500, s->critical); /* the thread that is named is in the trace */
  fixture_leave(s->f, 2, 501, s->critical);
  find(s);
  assert_int_equal(s->locks.count, 1);
  const struct lock_sums *sums = &s->locks.list[0].sums;
  EXPECT(sums, .acquisitions = 4, .waits = 2, .wait = 120, .wait_max = 60, .held = 40);
  expect_more(sums, LOCK_ACQUISITIONS, 2 + 3 + 2, 0);
  expect_more(sums, LOCK_HELD, 70, 0);
  expect_more(sums, LOCK_WAIT, 0, 0);
  expect_more(sums, LOCK_WAITS, 0, 0);
  assert_int_equal(s->locks.unknown, 0);
  EXPECT(sums_of_party(&s->locks.threads, 0, 2), .caused = 120);
}

/* Without weights, an acquisition that takes long is not contended if no thread is seen to hold the lock. */
static void place_without_omissions(void **state)
{
  struct scene *s = *state;
  weighted(s, 0, 10, 4, 10, 1, 5);
  weighted(s, 1, 100, 4, 30, 1, 5);
  find(s);
  EXPECT(&s->locks.list[0].sums, .acquisitions = 2, .held = 40);
  for (int i = 0; i < LOCK_FIGURES; i++)
    assert_int_equal(s->locks.list[0].sums.more[i].omitted, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TEST(locks)
{
  const struct CMUnitTest tests[] = {TEST(critical_sections),
                                     TEST(measurement_off),
                                     TEST(lock_routines),
                                     TEST(ordered_and_atomic),
                                     TEST(java_locks),
                                     TEST(java_holders),
                                     TEST(java_holds),
                                     TEST(virtual_owners),
                                     TEST(virtual_thread_waits_to_the_end),
                                     TEST(omitted_place),
                                     TEST(omitted_locks),
                                     TEST(blocked_in_a_place_with_omissions),
                                     TEST(place_without_omissions),
                                     TEST(sums_agree_on_random_events)};
  return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
