/* A taskloop of three tasks, all executed by the thread that made them. */
#include "tests/programs/program.h"

int main(void)
{
  int a[9] = {0}, sum = 0;
  atomic_int gate = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp masked
    {
#pragma omp taskloop num_tasks(3)
      for (int i = 0; i < 9; i++)
        a[i] = i;
      release(&gate);
    }
    hold(&gate);
  }
  for (int i = 0; i < 9; i++)
    sum += a[i];
  truth("taskloops", 1);
  truth("taskgroups", 1);
  truth("tasks", 3);
  truth("tasks_completed", 3);
  truth("iterations", 9);
  return finish(sum == 36);
}
