/* schedule(dynamic, 5): two chunks; no thread can take both, because each waits for the other. */
#include "tests/programs/program.h"

int main(void)
{
  int a[10] = {0}, sum = 0;
  atomic_int arrived = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic, 5)
    for (int i = 0; i < 10; i++) {
      if (i % 5 == 0)
        meet(&arrived, 2);
      a[i] = i;
    }
  }
  for (int i = 0; i < 10; i++)
    sum += a[i];
  truth("loops", 2);
  truth("chunks", 2);
  truth("iterations", 10);
  return finish(sum == 45);
}
