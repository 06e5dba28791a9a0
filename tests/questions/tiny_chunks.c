// question: schedule(dynamic) made my loop slower than one thread
// answer: grain; tiny_chunks
// compilers: gcc clang
// Each chunk is one iteration of a nanosecond.
#include <math.h>
#include <stdio.h>
#ifdef MENDED
#define SCHEDULE static
#else
#define SCHEDULE dynamic
#endif
int main(void)
{
  double sum = 0;
#pragma omp parallel for schedule(SCHEDULE) reduction(+ : sum)
  for (int i = 0; i < 20000000; i++)
    sum += sqrt(i);
  printf("%g\n", sum);
}
