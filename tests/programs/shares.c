/*
 * Four functions take 1, 2, 3 and 4 parts of the processor time. Each is in a construct and on a thread of its own: the
 * parallel region itself, a loop, a critical section and another loop.
 *
 *   shares MILLISECONDS    of one part
 */
#include "tests/programs/program.h"

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t took[4]; /* ns */

static uint64_t processor_time(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The clock is read seldom, because reading it is work of the kernel. */
#define WORK(name, number)                                                                                             \
  __attribute__((noinline)) static uint64_t name(uint64_t ns)                                                          \
  {                                                                                                                    \
    uint64_t begin = processor_time(), now = begin, x = number;                                                        \
    while (now - begin < ns) {                                                                                         \
      for (int i = 0; i < 200000; i++)                                                                                 \
        x = x * 6364136223846793005u + number;                                                                         \
      now = processor_time();                                                                                          \
    }                                                                                                                  \
    took[(number) - 1] = now - begin;                                                                                  \
    return x;                                                                                                          \
  }
WORK(one, 1)
WORK(two, 2)
WORK(three, 3)
WORK(four, 4)

int main(int argc, char **argv)
{
  uint64_t part = (argc > 1 ? strtoull(argv[1], NULL, 10) : 50) * 1000000, sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
    int thread = omp_get_thread_num();
    if (thread == 0)
      sum += one(part);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 4; i++)
      if (i == 1)
        sum += two(2 * part);
    if (thread == 2) {
#pragma omp critical
      sum += three(3 * part);
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 4; i++)
      if (i == 3)
        sum += four(4 * part);
  }
  printf("%llu\n", (unsigned long long)sum);
  for (int i = 0; i < 4; i++)
    truth(((const char *const[]){"one", "two", "three", "four"})[i], (long)(took[i] / 1000));
  return 0;
}
