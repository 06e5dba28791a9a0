/* schedule(guided, 20) with 40 iterations: two chunks of 20, one a thread. */
#include "tests/programs/program.h"

int main(void)
{
  int a[40] = {0}, sum = 0;
  atomic_int arrived = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(guided, 20)
    for (int i = 0; i < 40; i++) {
      if (i % 20 == 0)
        meet(&arrived, 2);
      a[i] = i;
    }
  }
  for (int i = 0; i < 40; i++)
    sum += a[i];
  truth("loops", 2);
  truth("chunks", 2);
  truth("iterations", 40);
  return finish(sum == 780);
}
