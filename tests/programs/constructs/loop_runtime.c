/* schedule(runtime), set to dynamic,5 by the program. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  int a[10] = {0}, sum = 0;
  atomic_int arrived = 0;
  omp_set_schedule(omp_sched_dynamic, 5);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime)
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
