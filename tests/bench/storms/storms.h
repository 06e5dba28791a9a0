/* Common parts of the storms: data that a thread has for itself, a delay, and the storm of a file of its own. */
#ifndef HEDDLE_BENCH_STORMS_H
#define HEDDLE_BENCH_STORMS_H

#include <omp.h>

enum { MOST_THREADS = 256 };

/* Each thread writes its own only; a pair of cache lines apart, so that no thread slows another one. */
struct own {
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  long done; /* executions by this thread; all threads' are the program's truth */
  unsigned long noise;
} __attribute__((aligned(128)));

extern struct own own[MOST_THREADS];

/* The calling thread's. */
static inline struct own *mine(void)
{
  return &own[omp_get_thread_num()];
}

/* How many of n executions the calling thread of a team does. */
static inline long share(long n)
{
  long threads = omp_get_num_threads(), thread = omp_get_thread_num();
  return n * (thread + 1) / threads - n * thread / threads;
}

/*
 * Takes about so many nanoseconds on a processor of 3 GHz. Multiplications of four cycles depend on each other, also on
 * the last ones, so that they don't run while the thread does something else.
 */
static inline void work(struct own *me, int nanoseconds)
{
  unsigned long x = me->noise;
  for (int i = 0; i < nanoseconds * 3 / 4; i++) {
    x = x * 6364136223846793005UL + 1442695040888963407UL;
    __asm__ volatile("" : "+r"(x));
  }
  me->noise = x;
}

/*
 * Steps of an irregular mesh until n locks were acquired; a step is five parallel loops, which acquire locks of points
 * at ten source lines. Its threads count acquisitions as done. n is a multiple of mesh_step().
 */
void mesh(long n);

/* Acquisitions of a step. */
long mesh_step(void);

#endif
