/* Regions on three levels, with loops, tasks and locks in the innermost; more threads than processors. */
#include "tests/programs/program.h"
#include <omp.h>

int main(void)
{
  atomic_int tasks = 0, iterations = 0, deepest = 0;
  int criticals = 0;
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    if (omp_get_level() == 3)
      atomic_fetch_add(&deepest, 1);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 6; i++)
      atomic_fetch_add(&iterations, 1);
#pragma omp task
    atomic_fetch_add(&tasks, 1);
#pragma omp taskwait
#pragma omp critical(deep)
    criticals++;
  }
  truth("parallel", 1 + 2 + 4);
  truth("members", 2 + 4 + 8);
  truth("loops", 8);
  truth("iterations", 24);
  truth("tasks", 8);
  truth("tasks_completed", 8);
  truth("criticals", 8);
  return finish(tasks == 8 && iterations == 24 && criticals == 8 && deepest == 8);
}
