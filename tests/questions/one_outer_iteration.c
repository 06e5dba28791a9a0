// question: my parallel loop uses one thread
// answer: imbalance; one_outer_iteration\.c
// compilers: clang
// The parallel loop has one iteration, and the loop in it has the work.
#include <math.h>
#include <stdio.h>
double o[400];
int main(void)
{
  for (int r = 0; r < 20; r++)
#pragma omp parallel for
    for (int p = 0; p < 1; p++)
      for (int q = 0; q < 400; q++) {
        double v = 0;
        for (int k = 0; k < 20000; k++)
          v += sqrt(k + q);
        o[q] = v;
      }
  printf("%f\n", o[7]);
}
