// question: a library that I load binds my threads; what does it cost?
// answer: processors; bound to 1 of
// compilers: gcc
// All threads are bound to one processor, and there are more.
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdio.h>
double o[4];
int main(void)
{
  cpu_set_t s;
  CPU_ZERO(&s);
  CPU_SET(1, &s);
  sched_setaffinity(0, sizeof s, &s);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 2; i++) {
    double v = 0;
    for (int k = 0; k < 200000000; k++)
      v += sqrt(k + i);
    o[i] = v;
  }
  printf("%f\n", o[1]);
}
