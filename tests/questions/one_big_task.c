// question: I have enough tasks; why do threads wait?
// answer: tasks,imbalance; task
// compilers: clang
// One task is as long as all others, and is made last.
#include <math.h>
#include <stdio.h>
double o[10];
static double w(int n)
{
  double v = 0;
  for (int k = 0; k < n; k++)
    v += sqrt(k);
  return v;
}
int main(void)
{
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
    o[i] = w(i == 9 ? 200000000 : 4000000);
  }
  printf("%f\n", o[9]);
}
