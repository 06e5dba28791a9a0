// question: I gave my program more threads than there are processors
// answer: processors; processors|threads
// compilers: gcc
// Eight threads meet at barriers again and again, and at most two of them run.
#include <omp.h>
#include <stdio.h>
volatile double g[16];
int main(void)
{
#pragma omp parallel num_threads(8)
  for (int t = 0; t < 400; t++) {
    double v = t;
    for (int k = 0; k < 60000; k++)
      v = v * 0.999 + 0.1;
    g[omp_get_thread_num()] = v;
#pragma omp barrier
  }
  printf("%f\n", g[0]);
}
