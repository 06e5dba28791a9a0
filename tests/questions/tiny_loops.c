// question: I kept the threads and still my loops are slower than on one thread
// answer: grain; barrier @tiny_loops.c
// compilers: gcc clang
// One parallel region has 200,000 loops of a fraction of a microsecond; each ends with a barrier.
#include <stdio.h>
int main(void)
{
  static double a[200];
#pragma omp parallel
  for (int step = 0; step < 200000; step++) {
#pragma omp for
    for (int i = 0; i < 200; i++)
      a[i] = a[i] * 0.99 + step;
  }
  printf("%g\n", a[3]);
}
