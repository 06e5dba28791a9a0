// question: my recursive program has a task for each call, and is slower than without
// answer: grain; task
// compilers: gcc
// A task is shorter than what it takes to make it.
#include <stdio.h>
static long fib(int n)
{
  if (n < 2)
    return n;
  long x, y;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}
int main(void)
{
  long r = 0;
#pragma omp parallel
#pragma omp single
  r = fib(25);
  printf("%ld\n", r);
}
