/* What the layer reports to the recorder: objects, counts, holds and waits; the recorder is the test's. */
#include "common/raw/raw_trace.h"
#include "pthread-layer/callers.h"
#include "pthread-layer/layer.h"
#include "pthread-layer/objects.h"
#include "pthread-layer/thread_self.h"
#include "pthread-layer/wait.h"
#include "tests/unit/unit.h"

#include <gnu/libc-version.h>
#include <string.h>
/* cmocka needs these before it. */

enum { TOLD_MAX = 4096 };

static struct told {
  char what; /* w wait, W waited, k wake, r released, o object, g gone, c count, a acquired */
  unsigned kind;
  uintptr_t code, object;
  uint64_t number;
} told[TOLD_MAX];
static unsigned told_count;
static uint32_t weight_now, session_now;
static bool records_now;

static void tell(char what, unsigned kind, uintptr_t code, uintptr_t object, uint64_t number)
{
  assert_true(told_count < TOLD_MAX);
  told[told_count++] = (struct told){what, kind, code, object, number};
}

static uint32_t weigh(unsigned kind, uintptr_t code)
{
  (void)kind, (void)code;
  return weight_now;
}

static void wait_told(unsigned kind, uintptr_t code, uintptr_t object, uint64_t fourth, uint32_t weight)
{
  (void)weight;
  tell('w', kind, code, object, fourth);
}

static void waited_told(unsigned kind, uintptr_t object)
{
  tell('W', kind, 0, object, 0);
}

static void wake_told(unsigned how, uintptr_t code, uintptr_t object)
{
  tell('k', how, code, object, 0);
}

static void released_told(unsigned kind, uintptr_t object)
{
  tell('r', kind, 0, object, 0);
}

static void object_told(unsigned kind, uintptr_t code, uintptr_t object, uint64_t number)
{
  tell('o', kind, code, object, number);
}

static void gone_told(unsigned kind, uintptr_t object)
{
  tell('g', kind, 0, object, 0);
}

static void count_told(unsigned kind, uintptr_t code, uintptr_t object, uint64_t count)
{
  tell('c', kind, code, object, count);
}

static void acquired_told(unsigned kind, uintptr_t code, uintptr_t object)
{
  tell('a', kind, code, object, 0);
}

static bool records(void)
{
  return records_now;
}

static uint32_t session(void)
{
  return session_now;
}

static const struct heddle_pthread_calls calls = {.weigh = weigh,
                                                  .wait = wait_told,
                                                  .waited = waited_told,
                                                  .wake = wake_told,
                                                  .released = released_told,
                                                  .object = object_told,
                                                  .gone = gone_told,
                                                  .count = count_told,
                                                  .ready = records,
                                                  .acquired = acquired_told,
                                                  .records = records,
                                                  .session = session};

/* A place in the test's own code. */
static uintptr_t here(unsigned number)
{
  return (uintptr_t)&here + 1 + number;
}

static int set_up(void **state)
{
  static bool done;
  (void)state;
  if (!done && !thread_self_begin())
    return -1;
  done = true;
  layer_calls = &calls;
  atomic_store(&layer_state, LAYER_RECORDS);
  thread_self_end();
  told_count = 0;
  weight_now = 1;
  session_now = 1;
  records_now = true;
  return 0;
}

/* The reported things are these letters. */
static void assert_told(const char *letters)
{
  char found[TOLD_MAX + 1];
  for (unsigned i = 0; i < told_count; i++)
    found[i] = told[i].what;
  found[told_count] = '\0';
  assert_string_equal(found, letters);
}

/* How many calls of a kind for an object the counts report; object 0: several. */
static uint64_t counted(unsigned kind, uintptr_t object)
{
  uint64_t sum = 0;
  for (unsigned i = 0; i < told_count; i++)
    if (told[i].what == 'c' && told[i].kind == kind && told[i].object == object)
      sum += told[i].number;
  return sum;
}

static void an_object_is_told_once_a_life(void **state)
{
  (void)state;
  char first = 0, second = 0;
  objects_init(RAW_PTHREAD_MUTEX, &first, here(0));
  objects_init(RAW_PTHREAD_MUTEX, &second, here(0));
  assert_told("");
  objects_record(RAW_PTHREAD_MUTEX, &second);
  objects_record(RAW_PTHREAD_MUTEX, &second);
  objects_record(RAW_PTHREAD_MUTEX, &first);
  assert_told("oo");
  assert_int_equal(told[0].number, 2);
  assert_int_equal(told[0].code, here(0));
  assert_int_equal(told[0].object, (uintptr_t)&second);
  assert_int_equal(told[1].number, 1);
  objects_destroy(&first);
  objects_destroy(&first);
  objects_init(RAW_PTHREAD_CONDITION, &second, here(1)); /* a new life, although nobody ended the old one */
  objects_record(RAW_PTHREAD_CONDITION, &second);
  assert_told("ooggo");
  assert_int_equal(told[4].kind, RAW_PTHREAD_CONDITION);
  session_now = 2; /* a child of fork */
  objects_record(RAW_PTHREAD_CONDITION, &second);
  objects_destroy(&second);
  assert_told("ooggoog");
}

/* A process that has recorded nothing yet has no number of a session. */
static void an_object_that_was_not_told_is_not_gone(void **state)
{
  (void)state;
  char object = 0;
  session_now = UINT32_MAX;
  objects_init(RAW_PTHREAD_MUTEX, &object, here(0));
  objects_destroy(&object);
  assert_told("");
}

static void an_object_without_init_has_no_code(void **state)
{
  (void)state;
  char object = 0;
  objects_record(RAW_PTHREAD_MUTEX, &object);
  assert_told("o");
  assert_int_equal(told[0].code, 0);
  assert_int_equal(told[0].number, 0);
  objects_destroy(&object);
}

/* More objects than there is room for: some are reported each as if they had no init, but never wrongly. */
static void objects_without_room_are_not_invented(void **state)
{
  (void)state;
  enum { OBJECTS = 200000 };
  static char objects[OBJECTS];
  for (unsigned i = 0; i < OBJECTS; i++)
    objects_init(RAW_PTHREAD_MUTEX, &objects[i], here(2));
  for (unsigned i = 0; i < OBJECTS; i++) {
    told_count = 0;
    objects_record(RAW_PTHREAD_MUTEX, &objects[i]);
    if (told_count == 1 && told[0].code != 0)
      assert_int_equal(told[0].number, i + 1);
  }
  for (unsigned i = 0; i < OBJECTS; i++) {
    told_count = 0;
    objects_destroy(&objects[i]);
  }
}

/* A try in a loop: one place, one object, and two kinds. */
static void tries_of_one_place_are_told_apart(void **state)
{
  (void)state;
  char object[16];
  for (unsigned i = 0; i < 900; i++)
    thread_self_count(i % 3 ? RAW_PTHREAD_MUTEX : RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, object, here(1));
  thread_self_end();
  assert_int_equal(counted(RAW_PTHREAD_MUTEX, (uintptr_t)object), 600);
  assert_int_equal(counted(RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, (uintptr_t)object), 300);
}

static void counts_add_up(void **state)
{
  (void)state;
  char objects[100][16];
  for (unsigned round = 0; round < 100; round++)
    for (unsigned i = 0; i < 100; i++)
      thread_self_count(RAW_PTHREAD_MUTEX, objects[i], here(i % 3));
  for (unsigned i = 0; i < 1000; i++)
    thread_self_count(RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, objects[0], here(5));
  thread_self_end();
  uint64_t sum = counted(RAW_PTHREAD_MUTEX, 0);
  for (unsigned i = 0; i < 100; i++)
    sum += counted(RAW_PTHREAD_MUTEX, (uintptr_t)objects[i]);
  assert_int_equal(sum, 100 * 100);
  assert_int_equal(counted(RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, (uintptr_t)objects[0]) +
                       counted(RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, 0),
                   1000);
  assert_true(told_count < 200);
  told_count = 0;
  thread_self_end();
  assert_told("");
}

/* Objects whose addresses fall on one place of the table, as the objects of a large structure may. */
static void objects_of_one_place_are_counted_apart(void **state)
{
  (void)state;
  enum { OBJECTS = 8, ROUNDS = 100, APART = 1 << 15 };
  static char objects[OBJECTS][APART];
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned i = 0; i < OBJECTS; i++)
      thread_self_count(RAW_PTHREAD_MUTEX, objects[i], here(1));
  thread_self_end();
  for (unsigned i = 0; i < OBJECTS; i++) {
    assert_int_equal(thread_self_place((uintptr_t)objects[i], here(1)), thread_self_place((uintptr_t)objects, here(1)));
    assert_int_equal(counted(RAW_PTHREAD_MUTEX, (uintptr_t)objects[i]), ROUNDS);
  }
}

static void an_objects_count_is_told_before_its_wait(void **state)
{
  (void)state;
  char object = 0, other = 0;
  thread_self_count(RAW_PTHREAD_MUTEX, &object, here(0));
  thread_self_count(RAW_PTHREAD_MUTEX, &object, here(0));
  thread_self_count(RAW_PTHREAD_MUTEX, &other, here(7));
  struct wait wait;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, &object, here(0), 42);
  assert_told("cow");
  assert_int_equal(told[0].number, 2);
  assert_int_equal(told[2].number, 42);
  assert_true(waiting_for((uintptr_t)&object));
  wait_ends_with_lock(&wait, 0);
  assert_false(waiting_for((uintptr_t)&object));
  assert_true(wait_release_is_seen(&object));
  wait_release(RAW_PTHREAD_UNLOCK, &object, here(1));
  assert_told("cowWr");
  assert_false(wait_release_is_seen(&object));
  thread_self_end();
  assert_told("cowWrc");
  objects_destroy(&object);
}

static void a_wait_that_is_omitted_leaves_nothing(void **state)
{
  (void)state;
  char object = 0;
  struct wait wait;
  weight_now = 0;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, &object, here(0), 0);
  assert_false(waiting_for((uintptr_t)&object));
  wait_ends_with_lock(&wait, 0);
  assert_false(wait_release_is_seen(&object));
  weight_now = 1;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, &object, 0, 0); /* a runtime's */
  wait_ends(&wait, 0);
  assert_told("");
}

static void several_unlocks_wake_once(void **state)
{
  (void)state;
  char object = 0;
  struct wait wait, second;
  wait_begins(&wait, RAW_PTHREAD_MUTEX, &object, here(0), 0);
  for (unsigned i = 0; i < 5; i++)
    wait_release(RAW_PTHREAD_UNLOCK, &object, here(1));
  assert_told("owk");
  wait_begins(&second, RAW_PTHREAD_MUTEX, &object, here(0), 0);
  wait_release(RAW_PTHREAD_UNLOCK, &object, here(1));
  wait_release(RAW_PTHREAD_UNLOCK, &object, here(1));
  wait_ends(&wait, RAW_PTHREAD_TIMED_OUT);
  wait_release(RAW_PTHREAD_UNLOCK, &object, here(1));
  assert_told("owkwkWk");
  assert_int_equal(told[5].kind, RAW_PTHREAD_MUTEX | RAW_PTHREAD_TIMED_OUT);
  wait_release(RAW_PTHREAD_POST, &object, here(1)); /* each post lets one go on */
  wait_release(RAW_PTHREAD_POST, &object, here(1));
  wait_ends(&second, 0);
  assert_told("owkwkWkkkW");
  objects_destroy(&object);
}

/* Locks that a thread got after a wait: the oldest makes way where there are too many. */
static void held_locks_are_released_in_any_order(void **state)
{
  (void)state;
  char locks[THREAD_SELF_HELD + 1];
  for (unsigned i = 0; i <= THREAD_SELF_HELD; i++)
    thread_self_hold(i == 3 ? RAW_PTHREAD_WRITE : RAW_PTHREAD_MUTEX, (uintptr_t)&locks[i]);
  assert_told("r"); /* the trace holds no more of them: the first one is taken for released */
  thread_self_release((uintptr_t)&locks[0]);
  assert_told("r");
  thread_self_release((uintptr_t)&locks[3]);
  assert_told("rr");
  assert_int_equal(told[1].kind, RAW_PTHREAD_WRITE);
  for (unsigned i = THREAD_SELF_HELD; i > 0; i--)
    thread_self_release((uintptr_t)&locks[i]);
  assert_int_equal(told_count, THREAD_SELF_HELD + 1);
  assert_int_equal(thread_self_holds, 0);
}

static void whose_call_it_is(void **state)
{
  (void)state;
  assert_int_equal(callers_kind(here(0)), CALLER_PROGRAM);
  assert_int_equal(callers_kind((uintptr_t)&gnu_get_libc_version), CALLER_RUNTIME);
  assert_int_equal(callers_code((uintptr_t)&gnu_get_libc_version), 0);
  assert_int_equal(callers_code(here(0)), here(0));
}

static void times_that_libc_refuses(void **state)
{
  (void)state;
  struct timespec good = {1, 999999999}, negative = {1, -1}, bad = {1, 1000000000};
  assert_false(patience_is_bad(&PATIENCE_ENDLESS));
  assert_false(patience_is_bad(&PATIENCE_UNTIL(&good)));
  assert_true(patience_is_bad(&PATIENCE_UNTIL(&negative)));
  assert_true(patience_is_bad(&PATIENCE_UNTIL(&bad)));
  assert_true(patience_has_bad_clock(&PATIENCE_CLOCK(CLOCK_THREAD_CPUTIME_ID, &good)));
  assert_false(patience_is_bad(&PATIENCE_CLOCK(CLOCK_MONOTONIC, &good)));
}

/* The wrapped functions themselves, in this process. */
static void calls_are_counted(void **state)
{
  (void)state;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  sem_t semaphore;
  assert_int_equal(sem_init(&semaphore, 0, 2), 0);
  for (unsigned i = 0; i < 10; i++) {
    assert_int_equal(pthread_mutex_lock(&mutex), 0);
    assert_int_equal(pthread_mutex_trylock(&mutex), EBUSY);
    assert_int_equal(pthread_mutex_unlock(&mutex), 0);
  }
  errno = 7;
  assert_int_equal(sem_wait(&semaphore), 0);
  assert_int_equal(sem_wait(&semaphore), 0);
  assert_int_equal(errno, 7);
  thread_self_end();
  assert_int_equal(counted(RAW_PTHREAD_MUTEX, (uintptr_t)&mutex), 10);
  assert_int_equal(counted(RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, (uintptr_t)&mutex), 10);
  assert_int_equal(counted(RAW_PTHREAD_SEMAPHORE, (uintptr_t)&semaphore), 2);
}

/* HEDDLE_PTHREAD=all: what comes, and in which order. */
static void acquisitions_are_told_one_by_one(void **state)
{
  (void)state;
  enum { LOCKS = THREAD_SELF_HELD + 1 };
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, mutexes[LOCKS];
  layer_all = true;
  for (unsigned i = 0; i < 2; i++)
    assert_int_equal(pthread_mutex_lock(&recursive), 0);
  for (unsigned i = 0; i < 2; i++)
    assert_int_equal(pthread_mutex_unlock(&recursive), 0);
  assert_told("oacr"); /* one acquisition, which ends with the last unlock */
  assert_int_equal(pthread_mutex_trylock(&recursive), 0);
  assert_int_equal(told[4].kind, RAW_PTHREAD_MUTEX | RAW_PTHREAD_TRIED);
  assert_int_equal(pthread_mutex_unlock(&recursive), 0);
  assert_told("oacrar");
  told_count = 0;
  for (unsigned i = 0; i < LOCKS; i++) {
    pthread_mutex_init(&mutexes[i], NULL);
    assert_int_equal(pthread_mutex_lock(&mutexes[i]), 0);
  }
  for (unsigned i = 0; i < LOCKS; i++)
    assert_int_equal(pthread_mutex_unlock(&mutexes[i]), 0);
  assert_told(
      "oaoaoaoaoaoaoaoaoaoaoaoaoaoaoaoaoarrrrrrrrrrrrrrrrr"); /* each is released once, the first one too early */
  assert_int_equal(told[2 * LOCKS].object, (uintptr_t)&mutexes[0]);
  for (unsigned i = 0; i < LOCKS; i++)
    pthread_mutex_destroy(&mutexes[i]);
  layer_all = false;
}

UNIT_TEST(layer)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
  const struct CMUnitTest tests[] = {
      TEST(an_object_is_told_once_a_life),
      TEST(an_object_that_was_not_told_is_not_gone),
      TEST(an_object_without_init_has_no_code),
      TEST(objects_without_room_are_not_invented),
      TEST(tries_of_one_place_are_told_apart),
      TEST(objects_of_one_place_are_counted_apart),
      TEST(counts_add_up),
      TEST(an_objects_count_is_told_before_its_wait),
      TEST(a_wait_that_is_omitted_leaves_nothing),
      TEST(several_unlocks_wake_once),
      TEST(held_locks_are_released_in_any_order),
      TEST(whose_call_it_is),
      TEST(times_that_libc_refuses),
      TEST(calls_are_counted),
      TEST(acquisitions_are_told_one_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
