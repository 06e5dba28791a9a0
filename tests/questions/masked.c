// question: a masked construct prepares each step; does it matter?
// answer: serial,imbalance; masked|alone|master
// compilers: clang
// It takes 40 % of the work, and the others wait at the next barrier.
#include <stdio.h>
static __attribute__((noinline, unused)) double work(long n)
{
  double x = 1;
  for (long i = 0; i < n; i++)
    x = x * 1.0000001 + 1e-9;
  return x;
}
int main(void)
{
  double s = 0, w0 = 0;
#pragma omp parallel reduction(+ : s)
  for (int r = 0; r < 40; r++) {
#ifdef MENDED
#pragma omp for
    for (int k = 0; k < 8; k++)
      s += work(1250000);
#else
#pragma omp master
    s += work(10000000);
#pragma omp barrier
#endif
#pragma omp for schedule(static)
    for (int k = 0; k < 8; k++)
      s += work(2000000);
  }
  printf("%.3f\n", s + w0);
}
