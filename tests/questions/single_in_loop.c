// question: I have a single construct in my time loop; does it cost much?
// answer: serial,synchronization; single
// compilers: clang
// The other threads wait at its implied barrier.
#include <math.h>
#include <stdio.h>
double o[1000], w;
int main(void)
{
#pragma omp parallel
  for (int t = 0; t < 400; t++) {
#pragma omp for
    for (int i = 0; i < 1000; i++)
      o[i] = sqrt(i + t);
#pragma omp single
    {
      double v = 0;
      for (int k = 0; k < 600000; k++)
        v += sqrt(k);
      w = v;
    }
  }
  printf("%f %f\n", w, o[3]);
}
