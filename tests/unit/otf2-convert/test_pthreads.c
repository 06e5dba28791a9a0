/* What the converter makes of waits of POSIX threads, event by event. Ticks are nanoseconds. */
#include "otf2-convert/timeline/record_details.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

struct fixture {
  struct trace_test trace;
  struct raw_thread *threads[THREADS];
};

/* Addresses of objects, and a code in no module. */
#define MUTEX     0x7f0000001000ull
#define CONDITION 0x7f0000002000ull
#define SEMAPHORE 0x7f0000003000ull
#define RWLOCK    0x7f0000004000ull
#define THREAD    0x7f0000005000ull

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  trace_test_begin(&f->trace);
  char *directory = raw_write_process(f->trace.path, "h.1.1", "tool: pthread\n" RAW_PLAIN_PROCESS);
  for (uint32_t i = 0; i < THREADS; i++)
    f->threads[i] = raw_thread_open(directory, i, 4096, 0);
  free(directory);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  trace_test_end(&f->trace);
  free(f);
  return 0;
}

static void run(struct fixture *f)
{
  for (int i = 0; i < THREADS; i++)
    raw_thread_close(f->threads[i]);
  trace_test_convert(&f->trace);
}

static void begin(struct raw_thread *thread, uint64_t tid, uint64_t time)
{
  RAW0(thread, RAW_THREAD_BEGIN, 0, tid, time);
}

static void wait_for(struct raw_thread *thread, unsigned kind, uint64_t object, uint64_t more, uint64_t from,
                     uint64_t to, unsigned flags)
{
  raw_put(thread, RAW_PTHREAD_WAIT, kind, 0, from, 2, (uint64_t[]){object, more});
  RAW1(thread, RAW_PTHREAD_WAITED, kind | flags, 0, to, object);
}

static void initialized(struct raw_thread *thread, unsigned kind, uint64_t object, uint64_t nth, uint64_t time)
{
  raw_put(thread, RAW_PTHREAD_OBJECT, kind, 0, time, 2, (uint64_t[]){object, nth});
}

/* A contended mutex: who had it, from when on the thread has it, and who released it. */
static void mutex(void **state)
{
  struct fixture *f = *state;
  begin(f->threads[0], 100, 10);
  begin(f->threads[1], 101, 11);
  initialized(f->threads[1], RAW_PTHREAD_MUTEX, MUTEX, 0, 20);
  wait_for(f->threads[1], RAW_PTHREAD_MUTEX, MUTEX, 100, 20, 30, 0);
  RAW1(f->threads[0], RAW_PTHREAD_WAKE, RAW_PTHREAD_UNLOCK, 0, 29, MUTEX);
  RAW0(f->threads[1], RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 40);
  wait_for(f->threads[0], RAW_PTHREAD_MUTEX, MUTEX, 101, 35, 41, 0);
  wait_for(f->threads[1], RAW_PTHREAD_MUTEX, MUTEX, 100, 45, 50, RAW_PTHREAD_TIMED_OUT);
  raw_put(f->threads[1], RAW_PTHREAD_COUNT, RAW_PTHREAD_MUTEX, 0, 60, 2, (uint64_t[]){MUTEX, 1000});
  raw_put(f->threads[1], RAW_PTHREAD_COUNT, RAW_PTHREAD_MUTEX | RAW_PTHREAD_FAILED, 0, 60, 2, (uint64_t[]){MUTEX, 7});
  raw_put(f->threads[1], RAW_PTHREAD_COUNT, RAW_PTHREAD_SEMAPHORE, 0, 60, 2, (uint64_t[]){0, 3});
  RAW0(f->threads[1], RAW_THREAD_END, 0, 0, 70);
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n"
                    "29 enter pthread unlock object=0\n29 leave pthread unlock\n"
                    "35 enter pthread mutex object=0 owner=101\n41 acquire 0 2\n"
                    "41 leave pthread mutex\n1000000 thread-end closed=ended\n");
  trace_test_events(&f->trace, 1,
                    "11 thread-begin\n"
                    "20 enter pthread mutex object=0 owner=100\n30 acquire 0 1\n"
                    "30 leave pthread mutex\n40 release 0 1\n"
                    "45 enter pthread mutex object=0 owner=100\n50 leave pthread mutex timed out=1\n"
                    "60 enter pthread acquisitions object=0 uncontended=1000\n"
                    "60 leave pthread acquisitions\n"
                    "60 enter pthread acquisitions object=0 failed tries=7\n"
                    "60 leave pthread acquisitions\n"
                    "60 enter pthread calls at once uncontended=3\n60 leave pthread calls at once\n70 thread-end\n");
  trace_test_property(&f->trace, "HEDDLE::PTHREADS", "1");
}

/* HEDDLE_PTHREAD=all: acquisitions that waited for nobody are events of the lock, too. */
static void acquisitions_at_once(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 100, 10);
  RAW1(t, RAW_PTHREAD_HELD, RAW_PTHREAD_MUTEX, 0, 20, MUTEX);
  RAW1(t, RAW_PTHREAD_HELD, RAW_PTHREAD_READ | RAW_PTHREAD_TRIED, 0, 21, MUTEX + 64);
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 22);
  RAW1(t, RAW_PTHREAD_HELD, RAW_PTHREAD_MUTEX | RAW_PTHREAD_AGAIN, 0, 23, MUTEX);
  RAW1(t, RAW_PTHREAD_HELD, RAW_PTHREAD_BARRIER, 0, 24, MUTEX + 128); /* no lock */
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 25);
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_READ, MUTEX + 64, 26);
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n"
                    "20 enter pthread acquisitions object=0 uncontended=1\n20 acquire 0 1\n"
                    "20 leave pthread acquisitions\n"
                    "21 enter pthread acquisitions object=1 uncontended=1 tried=1\n21 acquire 1 1\n"
                    "21 leave pthread acquisitions\n22 release 0 1\n"
                    "23 enter pthread acquisitions object=0\n23 acquire 0 2\n23 leave pthread acquisitions\n"
                    "25 release 0 2\n26 release 1 1\n1000000 thread-end closed=ended\n");
}

/* One number a life of an address; conditions and locks at one address are two objects. */
static void lives(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 100, 10);
  wait_for(t, RAW_PTHREAD_MUTEX, MUTEX, 0, 20, 21, 0); /* before the report of its begin */
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 22);
  initialized(t, RAW_PTHREAD_MUTEX, MUTEX, 0, 23);
  wait_for(t, RAW_PTHREAD_MUTEX, MUTEX, 0, 24, 25, 0);
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 26);
  RAW0(t, RAW_PTHREAD_GONE, RAW_PTHREAD_MUTEX, MUTEX, 27);
  initialized(t, RAW_PTHREAD_MUTEX, MUTEX, 0, 28);
  wait_for(t, RAW_PTHREAD_MUTEX, MUTEX, 0, 29, 30, 0);
  wait_for(t, RAW_PTHREAD_CONDITION, MUTEX, 0, 40, 41, 0);
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n20 enter pthread mutex object=0\n21 acquire 0 1\n"
                    "21 leave pthread mutex\n22 release 0 1\n"
                    "24 enter pthread mutex object=0\n25 acquire 0 2\n25 leave pthread mutex\n"
                    "26 release 0 2\n"
                    "29 enter pthread mutex object=1\n30 acquire 1 1\n30 leave pthread mutex\n"
                    "40 enter pthread condition object=2\n41 leave pthread condition\n"
                    "1000000 thread-end closed=ended\n");
}

/* Conditions, semaphores, readers and writers, barriers: what waits, and what wakes. */
static void kinds(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0], *other = f->threads[1];
  begin(t, 100, 10);
  begin(other, 101, 10);
  wait_for(t, RAW_PTHREAD_CONDITION, CONDITION, MUTEX, 20, 25, 0);
  RAW1(other, RAW_PTHREAD_WAKE, RAW_PTHREAD_SIGNAL, 0, 24, CONDITION);
  RAW1(other, RAW_PTHREAD_WAKE, RAW_PTHREAD_BROADCAST, 0, 26, CONDITION);
  wait_for(t, RAW_PTHREAD_SEMAPHORE, SEMAPHORE, 0, 30, 35, RAW_PTHREAD_FAILED);
  RAW1(other, RAW_PTHREAD_WAKE, RAW_PTHREAD_POST, 0, 34, SEMAPHORE);
  wait_for(t, RAW_PTHREAD_READ, RWLOCK, 0, 40, 45, 0);
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_READ, RWLOCK, 46);
  wait_for(t, RAW_PTHREAD_WRITE, RWLOCK, 101, 47, 49, RAW_PTHREAD_OWNER_DIED);
  wait_for(t, RAW_PTHREAD_SPIN, 0x1000, 0, 50, 51, 0);
  raw_put(t, RAW_PTHREAD_WAIT, RAW_PTHREAD_BARRIER, 0, 60, 2, (uint64_t[]){0x2000, 0});
  RAW1(t, RAW_PTHREAD_WAKE, RAW_PTHREAD_ARRIVAL, 0, 60, 0x2000);
  RAW1(t, RAW_PTHREAD_WAITED, RAW_PTHREAD_BARRIER, 0, 61, 0x2000);
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n20 enter pthread condition object=0\n"
                    "25 leave pthread condition\n"
                    "30 enter semaphore object=1\n35 leave semaphore interrupted=1\n"
                    "40 enter pthread rwlock read object=2\n45 acquire 2 1\n"
                    "45 leave pthread rwlock read\n46 release 2 1\n"
                    "47 enter pthread rwlock write object=2 owner=101\n49 acquire 2 2\n"
                    "49 leave pthread rwlock write\n"
                    "50 enter pthread spin lock object=3\n51 acquire 3 1\n"
                    "51 leave pthread spin lock\n"
                    "60 enter pthread barrier object=4\n"
                    "60 enter pthread last arrival object=4\n60 leave pthread last arrival\n"
                    "61 leave pthread barrier\n1000000 thread-end closed=ended\n");
  trace_test_events(&f->trace, 1,
                    "10 thread-begin\n24 enter pthread signal object=0\n24 leave pthread signal\n"
                    "26 enter pthread broadcast object=0\n26 leave pthread broadcast\n"
                    "34 enter sem_post object=1\n34 leave sem_post\n1000000 thread-end closed=ended\n");
}

/* Threads: created, begun, ended and joined. A pthread_t is used again after the join. */
static void threads(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 100, 10);
  for (uint64_t i = 1; i <= 2; i++) {
    RAW1(t, RAW_PTHREAD_CREATE, 0, 0, 20 * i, i);
    begin(f->threads[i], 100 + i, 20 * i + 5);
    RAW1(f->threads[i], RAW_PTHREAD_START, 0, 0, 20 * i + 5, i);
    RAW1(f->threads[i], RAW_PTHREAD_WAKE, RAW_PTHREAD_END, 0, 20 * i + 14, THREAD);
    RAW0(f->threads[i], RAW_THREAD_END, 0, 0, 20 * i + 15);
    wait_for(t, RAW_PTHREAD_JOIN, THREAD, 100 + i, 20 * i + 10, 20 * i + 16, 0);
  }
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n20 enter pthread create\n20 thread-create 1\n20 leave pthread create\n"
                    "30 enter pthread join object=0 thread=101\n36 thread-wait 1\n"
                    "36 leave pthread join\n"
                    "40 enter pthread create\n40 thread-create 2\n40 leave pthread create\n"
                    "50 enter pthread join object=1 thread=102\n56 thread-wait 2\n"
                    "56 leave pthread join\n1000000 thread-end closed=ended\n");
  trace_test_events(&f->trace, 2,
                    "40 thread-begin 2\n40 enter pthread start\n45 leave pthread start\n"
                    "54 enter pthread end object=1\n54 leave pthread end\n55 thread-end 2\n");
  trace_test_definitions(&f->trace, "location",
                         "location 0 main thread in 0\nlocation 1 thread 1 in 0\nlocation 2 thread 2 in 0\n");
}

/* Records whose other half was lost, and what no recorder writes. */
static void damaged(void **state)
{
  struct fixture *f = *state;
  struct raw_thread *t = f->threads[0];
  begin(t, 100, 10);
  RAW1(t, RAW_PTHREAD_WAITED, RAW_PTHREAD_MUTEX, 0, 20, MUTEX); /* its begin is lost: the thread has the mutex */
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 21);
  RAW0(t, RAW_PTHREAD_RELEASED, RAW_PTHREAD_MUTEX, MUTEX, 22);
  RAW1(t, RAW_PTHREAD_WAITED, 15, 0, 23, MUTEX);
  raw_put(t, RAW_PTHREAD_WAIT, 15, 0, 24, 2, (uint64_t[]){MUTEX, 0});
  RAW1(t, RAW_PTHREAD_WAKE, 9, 0, 25, MUTEX);
  raw_put(t, RAW_PTHREAD_WAIT, RAW_PTHREAD_CONDITION, 0, 30, 2, (uint64_t[]){CONDITION, 0});
  run(f);
  trace_test_events(&f->trace, 0,
                    "10 thread-begin\n20 acquire 0 1\n21 release 0 1\n"
                    "30 enter pthread condition object=2\n"
                    "1000000 leave pthread condition closed=ended\n1000000 thread-end closed=ended\n");
}

UNIT_TEST(pthreads)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(mutex, set_up, tear_down),
      cmocka_unit_test_setup_teardown(acquisitions_at_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lives, set_up, tear_down),
      cmocka_unit_test_setup_teardown(kinds, set_up, tear_down),
      cmocka_unit_test_setup_teardown(threads, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damaged, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
