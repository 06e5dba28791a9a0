/*
 * Constructs as gcc's development tree (17) compiles them, with -fopenmp-ompt=extended where this makes other calls.
 * The calls are written out, and libgomp's part is in inline_library.c.
 */
#include "tests/programs/gomp/inline_entries.h"
#include "tests/programs/program.h"

enum { THREADS = 2, PLAIN = 100, CHUNKED = 22, CHUNK = 4, TEAMS = 2 };

static atomic_long sum;
static long combined;

/* Does the part [first, first + count) of a loop. */
static void iterate(int first, int count)
{
  for (int i = first; i < first + count; i++)
    atomic_fetch_add(&sum, 1);
}

static int part(int i, int size)
{
  return i * PLAIN / size;
}

/* A static loop: only its begin is a call. */
static void plain_loop(void)
{
  _Complex int self = GOMP_loop_static_worksharing(PLAIN); /* a loop's begin */
  int first = part(NUMBER_OF(self), SIZE_OF(self));
  iterate(first, part(NUMBER_OF(self) + 1, SIZE_OF(self)) - first);
  GOMP_barrier_ext(BEHIND_WORK);
}

/* schedule(static, CHUNK), with its chunks */
static void chunked_loop(bool nowait)
{
  _Complex int self = GOMP_loop_static_worksharing_start(CHUNKED); /* a loop's begin */
  for (int first = NUMBER_OF(self) * CHUNK; first < CHUNKED; first += SIZE_OF(self) * CHUNK) {
    int count = CHUNKED - first < CHUNK ? CHUNKED - first : CHUNK;
    GOMP_loop_static_worksharing_dispatch((unsigned)first, (unsigned)count);
    iterate(first, count);
  }
  if (!nowait)
    GOMP_barrier_ext(BEHIND_WORK);
  GOMP_loop_static_worksharing_end();
}

static void distributes(void)
{
  _Complex int self = GOMP_distribute_static_worksharing_start(TEAMS);
  GOMP_distribute_static_worksharing_dispatch((unsigned)NUMBER_OF(self), 1);
  iterate(NUMBER_OF(self), 1);
  GOMP_distribute_static_worksharing_end();
  self = GOMP_distribute_static_worksharing(TEAMS);
  iterate(NUMBER_OF(self), 1);
}

static void masked(int thread)
{
  if (GOMP_has_masked_thread_num_with_end(MASKED_ARGUMENT(thread))) {
    iterate(0, 1);
    GOMP_masked_end();
  }
  if (GOMP_has_masked_thread_num(thread)) /* without -fopenmp-ompt */
    iterate(0, 1);
}

static void blocks(void)
{
  if (GOMP_single_start_with_end())
    iterate(0, 1);
  GOMP_barrier_ext(BEHIND_WORK);
  GOMP_single_end();
  GOMP_scope_start_with_end(0);
  iterate(0, 1);
  GOMP_scope_end();
  GOMP_barrier_ext(BEHIND_WORK);
}

static void reduction(void)
{
  GOMP_reduction_start();
  combined++;
  GOMP_reduction_end();
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
  {
    GOMP_barrier_ext(IN_PARALLEL);
    plain_loop();
    chunked_loop(false);
    masked(1);
    blocks();
    chunked_loop(true);
    reduction();
    GOMP_barrier_ext(EXPLICIT);
    if (GOMP_barrier_cancel_ext(EXPLICIT))
      iterate(0, 1);
#ifdef STRANGE
    GOMP_barrier_ext(77);
#endif
  }
#pragma omp teams num_teams(TEAMS)
  distributes();
  return finish(atomic_load(&sum) == PLAIN + 2 * CHUNKED + 2 * TEAMS + 2 + 1 + THREADS && combined == THREADS);
}
