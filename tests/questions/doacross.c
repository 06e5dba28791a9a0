// question: I use ordered(1) with depend(sink); why is it not parallel?
// answer: synchronization; ordered depend\(sink\).*doacross\.c
// compilers: clang
// run: samples
// Each iteration waits for the one before it begins its work.
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
  enum { N = 400 };
  static double a[N + 1];
  a[0] = 1;
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i <= N; i++) {
#ifdef MENDED
    double w = work(2000000);
#pragma omp ordered depend(sink : i - 1)
    a[i] = a[i - 1] * 0.5 + w;
#else
#pragma omp ordered depend(sink : i - 1)
    double w = work(2000000);
    a[i] = a[i - 1] * 0.5 + w;
#endif
#pragma omp ordered depend(source)
  }
  printf("%.6f\n", a[N]);
}
