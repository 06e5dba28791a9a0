// question: my OpenMP program uses one processor
// answer: serial,threads; one thread|1 thread
// compilers: gcc
// A library has set the number of threads to 1.
#include <math.h>
#include <omp.h>
#include <stdio.h>
double o[1000];
int main(void)
{
  omp_set_num_threads(1);
  for (int r = 0; r < 5; r++)
#pragma omp parallel for
    for (int i = 0; i < 1000; i++) {
      double v = 0;
      for (int k = 0; k < 20000; k++)
        v += sqrt(k + i);
      o[i] = v;
    }
  printf("%f\n", o[1]);
}
