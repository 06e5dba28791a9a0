/* Tasks with priorities, which order nothing where OMP_MAX_TASK_PRIORITY is 0, and do no harm elsewhere. */
#include "tests/programs/program.h"

int main(void)
{
  atomic_int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 10; i++) {
#pragma omp task priority(i) firstprivate(i)
      atomic_fetch_add(&sum, i);
    }
#pragma omp taskloop priority(3) num_tasks(4)
    for (int i = 0; i < 8; i++)
      atomic_fetch_add(&sum, i);
  }
  truth("parallel", 1);
  truth("tasks", 14);
  truth("tasks_completed", 14);
  truth("taskloops", 1);
  truth("taskgroups", 1);
  return finish(sum == 45 + 28);
}
