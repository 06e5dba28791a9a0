/* schedule(static, 10): five chunks a thread; the runtime reports only the first of them. */
#include "tests/programs/program.h"

int main(void)
{
  int a[100] = {0}, sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 10)
    for (int i = 0; i < 100; i++)
      a[i] = i;
  }
  for (int i = 0; i < 100; i++)
    sum += a[i];
  truth("loops", 2);
  truth("chunks", 10);
  truth("iterations", 100);
  return finish(sum == 4950);
}
