/*
 * Constructs by the million with next to nothing in them: what costs a tool most. tests/bench/storms/run compares what
 * they take with different tools.
 *
 * usage: storms STORM COUNT [REGION]
 *   COUNT   executions, of all threads together
 *   REGION  executions of a parallel region (0: one region has all of them)
 *
 * Prints executions, which the threads counted, ns of processor time, and time between the first and the last. Then
 * prints all executions: the same here, and more in Java, where some are executed before.
 */
#include "tests/bench/storms/storms.h"

#include "user-events/include/heddle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASKLOOP = 64 }; /* iterations of a taskloop, so tasks */

struct own own[MOST_THREADS];
static omp_lock_t shared[2];

static void locks(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
    struct own *me = mine();
    omp_set_lock(&me->lock);
    me->done++;
    omp_unset_lock(&me->lock);
    work(mine(), 10);
  }
}

/* All threads want the same two locks, in turn. */
static void contended(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
    omp_set_lock(&shared[i % 2]);
    mine()->done++;
    omp_unset_lock(&shared[i % 2]);
    work(mine(), 10);
  }
}

/* An execution acquires the lock twice. */
static void nested_locks(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
    struct own *me = mine();
    omp_set_nest_lock(&me->nest_lock);
    omp_set_nest_lock(&me->nest_lock);
    me->done++;
    omp_unset_nest_lock(&me->nest_lock);
    omp_unset_nest_lock(&me->nest_lock);
    work(mine(), 10);
  }
}

static void critical(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
#pragma omp critical
    mine()->done++;
    work(mine(), 10);
  }
}

/*
 * Sixteen bytes are more than gcc updates without a lock of libgomp. clang would take its own library's lock; libomp's,
 * which a program of gcc gets there, has these names.
 */
static long double total;
#ifdef __clang__
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
#endif

static void atomic(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
#ifdef __clang__
    GOMP_atomic_start();
    total += 1;
    GOMP_atomic_end();
#else
#pragma omp atomic
    total += 1;
#endif
    mine()->done++;
    work(mine(), 10);
  }
}

static void tasks(long n)
{
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i++) {
#pragma omp task
    {
      mine()->done++;
      work(mine(), 50);
    }
  }
}

static void taskloops(long n)
{
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < n; i += TASKLOOP) {
    long end = n - i < TASKLOOP ? n : i + TASKLOOP;
#pragma omp taskloop grainsize(1)
    for (long k = i; k < end; k++)
      mine()->done++;
  }
}

static void dynamic(long n)
{
#pragma omp parallel
  {
    struct own *me = mine();
#pragma omp for schedule(dynamic, 1)
    for (long i = 0; i < n; i++)
      me->done++;
  }
}

static void ordered(long n)
{
#pragma omp parallel
  {
    struct own *me = mine();
#pragma omp for ordered schedule(static, 1)
    for (long i = 0; i < n; i++) {
#pragma omp ordered
      me->done++;
    }
  }
}

/* Each execution is a region. */
static void parallel(long n)
{
  for (long i = 0; i < n; i++) {
#pragma omp parallel
    __asm__ volatile("");
    own[0].done++;
  }
}

/* Each thread's own executions count; in a team, one thread's. */
static void barriers(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      mine()->done++;
    work(mine(), 10);
  }
}

/* There are no tasks to wait for. */
static void taskwaits(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
#pragma omp taskwait
    mine()->done++;
    work(mine(), 10);
  }
}

static void taskgroups(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
#pragma omp taskgroup
    mine()->done++;
    work(mine(), 10);
  }
}

static void singles(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp single nowait
    mine()->done++;
    work(mine(), 10);
  }
}

/* gcc makes no call for such a loop. */
static void loops(long n)
{
#pragma omp parallel
  for (long i = 0; i < n; i++) {
#pragma omp for schedule(static) nowait
    for (int k = 0; k < omp_get_num_threads(); k++)
      mine()->done += omp_get_thread_num() == 0;
    work(mine(), 10);
  }
}

static void user_events(long n)
{
#pragma omp parallel
  for (long i = share(n); i > 0; i--) {
    heddle_enter("step");
    heddle_event("at", heddle_integer("i", i));
    mine()->done++;
    heddle_leave("step");
    work(mine(), 10);
  }
}

static const struct storm {
  const char *name;
  void (*region)(long n);
} storms[] = {{"lock", locks},
              {"contended", contended},
              {"nested", nested_locks},
              {"critical", critical},
              {"atomic", atomic},
              {"task", tasks},
              {"taskloop", taskloops},
              {"dynamic", dynamic},
              {"parallel", parallel},
              {"ordered", ordered},
              {"barrier", barriers},
              {"taskwait", taskwaits},
              {"taskgroup", taskgroups},
              {"single", singles},
              {"for", loops},
              {"user", user_events},
              {"mesh", mesh}};

static const struct storm *find(const char *name)
{
  for (size_t i = 0; i < sizeof storms / sizeof *storms; i++)
    if (strcmp(storms[i].name, name) == 0)
      return &storms[i];
  return NULL;
}

static long long now(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* The threads begin here: their begin is not measured. */
static void prepare(void)
{
  omp_init_lock(&shared[0]);
  omp_init_lock(&shared[1]);
#pragma omp parallel
  {
    omp_init_lock(&mine()->lock);
    omp_init_nest_lock(&mine()->nest_lock);
  }
}

int main(int argc, char **argv)
{
  const struct storm *storm = argc > 2 ? find(argv[1]) : NULL;
  long count = argc > 2 ? atol(argv[2]) : 0, region = argc > 3 ? atol(argv[3]) : 0;
  if (!storm || count < 1 || region < 0 || omp_get_max_threads() > MOST_THREADS) {
    fprintf(stderr, "usage: storms STORM COUNT [REGION]\n");
    return 2;
  }
  if (storm->region == mesh) /* whole steps */
    count = (count + mesh_step() - 1) / mesh_step() * mesh_step();
  prepare();
  long long wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long left = count, n; left > 0; left -= n) {
    n = region && region < left ? region : left;
    storm->region(n);
  }
  cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  wall = now(CLOCK_MONOTONIC) - wall;
  long done = 0;
  for (int i = 0; i < MOST_THREADS; i++)
    done += own[i].done;
  printf("%ld %lld %lld %ld\n", done, cpu, wall, done);
  return done == count ? 0 : 1;
}
