// question: my tasks have dependences; do they run at the same time?
// answer: tasks,synchronization; depend
// compilers: clang
// All of them depend on one variable.
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
  enum { N = 8, S = 60 };
  static double a[N];
  double d = 0;
#pragma omp parallel
#pragma omp single
  for (int s = 0; s < S; s++)
    for (int i = 0; i < N; i++) {
#ifdef MENDED
#pragma omp task depend(inout : a[i])
#else
#pragma omp task depend(inout : a[0])
#endif
      a[i] += work(2000000);
    }
  for (int i = 0; i < N; i++)
    d += a[i];
  printf("%.3f\n", d);
}
