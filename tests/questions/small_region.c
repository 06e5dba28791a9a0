// question: I made the inner loop parallel, and it became slower
// answer: grain; small_region\.c
// compilers: gcc clang
// The region has 100 iterations, and is executed for each step.
#include <stdio.h>
double a[100];
int main(void)
{
  for (int t = 0; t < 200000; t++) {
#pragma omp parallel for
    for (int i = 0; i < 100; i++)
      a[i] = a[i] * 0.5 + i;
  }
  printf("%f\n", a[3]);
}
