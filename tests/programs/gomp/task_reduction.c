/* Reductions over tasks, for a region, a loop, sections, a scope, a taskgroup, and a taskloop. */
#include "tests/programs/program.h"

static int of_region(void)
{
  int sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(2)
  {
    for (int i = 0; i < 5; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
    sum += 10;
  }
  return sum; /* 2 * 5 + 2 * 10 */
}

static int of_loop(void)
{
  int fixed = 0, dynamic = 0, down = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) reduction(task, + : fixed)
    for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : fixed)
      fixed += 1;
    }
#pragma omp for schedule(dynamic, 2) reduction(task, + : dynamic)
    for (int i = 0; i < 8; i++) {
#pragma omp task in_reduction(+ : dynamic)
      dynamic += 1;
    }
#pragma omp for schedule(guided) reduction(task, + : down)
    for (unsigned long long i = 8; i > 0; i--) {
#pragma omp task in_reduction(+ : down)
      down += 1;
    }
  }
  return fixed + dynamic + down; /* 24 */
}

static int of_sections(void)
{
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections reduction(task, + : sum)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
#pragma omp section
      sum += 2;
    }
  }
  return sum; /* 3 */
}

static int of_scope(void)
{
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp scope reduction(task, + : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
  }
  return sum; /* 2 */
}

static int of_taskgroup(void)
{
  int sum = 0, iterations = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 6; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
#pragma omp taskloop reduction(+ : iterations) num_tasks(3)
    for (int i = 0; i < 9; i++)
      iterations += 1;
  }
  return sum + iterations; /* 15 */
}

int main(void)
{
  int region = of_region(), loop = of_loop(), sections = of_sections(), scope = of_scope(), group = of_taskgroup();
  truth("parallel", 5);
  truth("members", 10);
  truth("tasks", 10 + 24 + 1 + 2 + 6 + 3);
  truth("tasks_completed", 10 + 24 + 1 + 2 + 6 + 3);
  truth("taskloops", 1);
  return finish(region == 30 && loop == 24 && sections == 3 && scope == 2 && group == 15);
}
