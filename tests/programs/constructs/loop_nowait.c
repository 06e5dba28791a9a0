/* Two loops, the first nowait: no barrier between them. */
#include "tests/programs/program.h"

int main(void)
{
  int a[8] = {0}, b[8] = {0}, sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 8; i++)
      a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 8; i++)
      b[i] = i;
  }
  for (int i = 0; i < 8; i++)
    sum += a[i] + b[i];
  truth("loops", 4);
  truth("chunks", 4);
  truth("iterations", 16);
  truth("implicit_barriers", 4);
  return finish(sum == 56);
}
