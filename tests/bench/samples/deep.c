/*
 * Stacks of known depth: `deep ITERATIONS` has a team that goes 18 functions deep and back, so often, with other values
 * on the stack each time. It prints the seconds that this took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

/* A function of some locals that calls another one. */
#define DEEPER(n, next)                                                                                                \
  __attribute__((noinline)) static unsigned long deep_##n(unsigned long x)                                             \
  {                                                                                                                    \
    volatile unsigned long values[8];                                                                                  \
    for (unsigned i = 0; i < 8; i++)                                                                                   \
      values[i] = x * i;                                                                                               \
    unsigned long result = deep_##next(x + values[3]);                                                                 \
    return result + values[x & 7];                                                                                     \
  }

__attribute__((noinline)) static unsigned long deep_0(unsigned long x)
{
  for (int i = 0; i < 2000; i++)
    x = x * 6364136223846793005ul + 1442695040888963407ul;
  return x;
}
DEEPER(1, 0)
DEEPER(2, 1)
DEEPER(3, 2)
DEEPER(4, 3)
DEEPER(5, 4)
DEEPER(6, 5)
DEEPER(7, 6)
DEEPER(8, 7)
DEEPER(9, 8)
DEEPER(10, 9)
DEEPER(11, 10)
DEEPER(12, 11)
DEEPER(13, 12)
DEEPER(14, 13)
DEEPER(15, 14)
DEEPER(16, 15)
DEEPER(17, 16)

int main(int argc, char **argv)
{
  long iterations = argc > 1 ? atol(argv[1]) : 100000;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
#pragma omp parallel
  {
    unsigned long sum = 0;
    for (long i = 0; i < iterations; i++)
      sum += deep_17((unsigned long)i);
    sink += sum;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f\n", (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
  return 0;
}
