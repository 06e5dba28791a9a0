/*
 * Threads and handlers of signals with little stack, as much of it as they may have.
 *     ./small_stacks threads KIB      POSIX threads with so much stack, each a root of OpenMP
 *     ./small_stacks tasks KIB        the same, where each thread recurses by tasks that are not deferred
 *     ./small_stacks workers          a team; OMP_STACKSIZE says how much stack its workers have
 *     ./small_stacks handler BYTES    a handler on an alternate stack of so many bytes beside the kernel's
 * All of them record more than a window holds, by locks. What lies below a stack is watched.
 */
#include "tests/programs/program.h"
#include "tests/programs/small_stack.h"

#include <omp.h>

enum { THREADS = 4, LOCKS = 2000, ROUNDS = 100, PER_SIGNAL = 30, DEPTH = 40 };

static atomic_long taken;

static void take_often(omp_lock_t *lock, int often)
{
  for (int i = 0; i < often; i++) {
    omp_set_lock(lock);
    omp_unset_lock(lock);
  }
  atomic_fetch_add(&taken, often);
}

static void *root(void *unused)
{
  omp_lock_t lock;
  (void)unused;
  omp_init_lock(&lock);
  for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(1)
    take_often(&lock, LOCKS / 10);
  }
  omp_destroy_lock(&lock);
  return NULL;
}

static bool threads(size_t size)
{
  return on_small_stacks(THREADS, size, root) && taken == (long)THREADS * LOCKS;
}

__attribute__((noinline)) static void recurse(int depth)
{
  atomic_fetch_add(&taken, 1);
  if (depth > 1) {
#pragma omp task if (0) firstprivate(depth)
    recurse(depth - 1);
  }
}

static void *recursing_root(void *unused)
{
#pragma omp parallel num_threads(1)
  recurse(DEPTH);
  return unused;
}

static bool tasks(size_t size)
{
  bool whole = on_small_stacks(THREADS, size, recursing_root);
  truth("tasks", THREADS * (DEPTH - 1L));
  return whole && taken == (long)THREADS * DEPTH;
}

static bool workers(void)
{
#pragma omp parallel num_threads(THREADS)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
    take_often(&lock, LOCKS);
    omp_destroy_lock(&lock);
#pragma omp barrier
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 1000; i++)
      atomic_fetch_add(&taken, 1);
  }
  return taken == (long)THREADS * LOCKS + 1000;
}

static omp_lock_t handlers_lock;

static void on_signal(int number)
{
  (void)number;
  take_often(&handlers_lock, PER_SIGNAL);
}

/* The signal comes between the program's own events, so that the handler's are recorded and fill windows. */
static bool handler(size_t size)
{
  char *stack = handle_on_small_stack(size, on_signal);
  omp_init_lock(&handlers_lock);
  take_often(&handlers_lock, 1);
  for (int i = 0; i < ROUNDS; i++)
    raise(SIGUSR1);
  return is_whole(stack) && taken == (long)ROUNDS * PER_SIGNAL + 1;
}

int main(int count, char **arguments)
{
  const char *way = count > 1 ? arguments[1] : "";
  size_t size = count > 2 ? strtoul(arguments[2], NULL, 10) : 0;
  if (strcmp(way, "threads") == 0)
    return finish(threads(size * 1024));
  if (strcmp(way, "tasks") == 0)
    return finish(tasks(size * 1024));
  if (strcmp(way, "workers") == 0)
    return finish(workers());
  if (strcmp(way, "handler") == 0)
    return finish(handler(size));
  fputs("Usage: small_stacks threads KIB | tasks KIB | workers | handler BYTES\n", stderr);
  return 2;
}
