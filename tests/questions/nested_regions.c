// question: I have two levels of parallel loops; is that good?
// answer: processors,grain; nested_regions\.c
// compilers: gcc
// Each iteration of the outer loop forks a region, and there are more threads than processors.
#include <omp.h>
#include <stdio.h>
double x[64];
static double f(double v)
{
  for (int k = 0; k < 2000; k++)
    v = v * 0.999 + 0.1;
  return v;
}
int main(void)
{
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 400; i++) {
#pragma omp parallel for num_threads(8)
    for (int j = 0; j < 64; j++)
      x[j] = f(x[j]);
  }
  printf("%f\n", x[5]);
}
