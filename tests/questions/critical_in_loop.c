// question: I sum up in a critical construct; why is the loop slow?
// answer: synchronization; critical_in_loop\.c
// compilers: clang
// Each iteration enters the construct.
#include <math.h>
#include <stdio.h>
int main(void)
{
  double s = 0;
#pragma omp parallel for
  for (int i = 0; i < 3000000; i++) {
    double v = sin(i) * 0.5;
#pragma omp critical
    s += v;
  }
  printf("%f\n", s);
}
