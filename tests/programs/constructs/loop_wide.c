/* A loop with more iterations a chunk than a short record can hold. */
#include "tests/programs/program.h"

int main(void)
{
  enum { N = 400000 };
  static signed char a[N];
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static)
    for (long i = 0; i < N; i++)
      a[i] = 1;
  }
  long sum = 0;
  for (long i = 0; i < N; i++)
    sum += a[i];
  truth("loops", 2);
  truth("chunks", 2);
  truth("iterations", N);
  return finish(sum == N);
}
