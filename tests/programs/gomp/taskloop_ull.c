/* Taskloops over unsigned long long, up and down, grainsize and num_tasks, strict, and without a group. */
#include "tests/programs/program.h"
#include <limits.h>

static const unsigned long long high = ULLONG_MAX - 50;

int main(void)
{
  atomic_ullong up = 0, down = 0, loose = 0, strict = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(3)
    for (unsigned long long i = high; i < high + 20; i += 2)
      atomic_fetch_add(&up, i - high);
#pragma omp taskloop grainsize(5)
    for (unsigned long long i = high + 20; i > high; i--)
      atomic_fetch_add(&down, i - high);
#pragma omp taskloop nogroup num_tasks(4)
    for (long i = 20; i > 0; i -= 3)
      atomic_fetch_add(&loose, (unsigned long long)i);
#pragma omp taskwait
#pragma omp taskloop grainsize(strict : 4)
    for (long i = 0; i < 10; i++)
      atomic_fetch_add(&strict, (unsigned long long)i);
  }
  truth("parallel", 1);
  truth("taskloops", 4);
  truth("taskgroups", 3);
  truth("tasks", 3 + 4 + 4 + 3);
  truth("tasks_completed", 3 + 4 + 4 + 3);
  truth("iterations", 10 + 20 + 7 + 10);
  return finish(up == 90 && down == 210 && loose == 77 && strict == 45);
}
