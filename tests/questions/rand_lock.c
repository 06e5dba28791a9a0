// question: my loop computes pi with rand(); why is it slower with threads?
// answer: synchronization; lock of _*rand(om)?\(\), which .* at rand_lock\.c
// compilers: gcc
// run: samples
// rand() of libc takes a lock for each number.
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  long in = 0, n = 20000000;
#pragma omp parallel for reduction(+ : in)
  for (long i = 0; i < n; i++) {
    double x = rand() / (double)RAND_MAX, y = rand() / (double)RAND_MAX;
    if (x * x + y * y < 1)
      in++;
  }
  printf("%f\n", 4.0 * in / n);
}
