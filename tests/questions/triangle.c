// question: the inner loop becomes longer with i; what schedule do I need?
// answer: imbalance; schedule
// compilers: clang
// The default schedule gives the long iterations to the last thread.
#include <math.h>
#include <stdio.h>
double s[4000];
int main(void)
{
  for (int r = 0; r < 5; r++)
#pragma omp parallel for
    for (int i = 0; i < 4000; i++) {
      double v = 0;
      for (int j = 0; j < i; j++)
        v += sqrt(i + j);
      s[i] = v;
    }
  printf("%f\n", s[9]);
}
